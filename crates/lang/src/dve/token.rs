//! The words of DVE.

use std::borrow::Cow;

use logos::Logos;

use crate::comments::{Closed, comment};
use crate::walking::Kind;

/// A word of DVE. White space and line continuations are skipped.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(error = Unknown)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip r"\\[ \t]*\r?\n")]
#[logos(skip r"\u{feff}")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Token {
    /// A comment that may go over several lines. It is a word because a
    /// lexer that skips it itself would recurse.
    #[token("/*", comment)]
    Comment(Closed),
    #[regex(r"[A-Za-z_][A-Za-z0-9_$#]*")]
    Name,
    #[regex(r"[0-9]+")]
    Number,
    #[regex(r"[0-9]+[A-Za-z_$#][A-Za-z0-9_$#]*")]
    BadNumber,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("const")]
    Const,
    #[token("byte")]
    Byte,
    #[token("int")]
    Int,
    #[token("channel")]
    Channel,
    #[token("process")]
    Process,
    #[token("state")]
    State,
    #[token("init")]
    Init,
    #[token("commit")]
    Commit,
    #[token("accept")]
    Accept,
    #[token("assert")]
    Assert,
    #[token("trans")]
    Trans,
    #[token("guard")]
    Guard,
    #[token("sync")]
    Sync,
    #[token("effect")]
    Effect,
    #[token("system")]
    System,
    #[token("async")]
    Async,
    #[token("property")]
    Property,
    #[token("and")]
    #[token("&&")]
    And,
    #[token("or")]
    #[token("||")]
    Or,
    #[token("not")]
    Not,
    #[token("imply")]
    Imply,
    #[token("!")]
    Exclamation,
    #[token("?")]
    Question,
    #[token("~")]
    Tilde,
    #[token("->")]
    Arrow,
    #[token("=>")]
    WideArrow,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("&")]
    Ampersand,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    #[token("..")]
    Range,
    /// Behind the last word.
    End,
}

/// A character that begins no word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unknown;

impl Kind for Token {
    fn describe(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Token::Name => "a name",
            Token::Number => "a number",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Arrow => "`->`",
            Token::Assign => "`=`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
            Token::LeftParenthesis => "`(`",
            Token::RightParenthesis => "`)`",
            Token::RightBracket => "`]`",
            Token::Range => "`..`",
            Token::End => "the end of the text",
            _ => "another word",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Token]) {
        let tokens: Vec<Token> = Token::lexer(text).filter_map(Result::ok).collect();
        assert_eq!(tokens, expected, "{text}");
    }

    #[test]
    fn words() {
        use Token::*;
        check("a_1$#b not notx", &[Name, Not, Name]);
        check("a!=b!c", &[Name, NotEqual, Name, Exclamation, Name]);
        check("x /* y\n ** / */ z // w", &[Name, Comment(Closed(true)), Name]);
        check("a \\  \n b /* never closed", &[Name, Name, Comment(Closed(false))]);
        check("1..2 1.a 3x", &[Number, Range, Number, Number, Dot, Name, BadNumber]);
        check("/**/ x", &[Comment(Closed(true)), Name]);
        check("a->b<=c<<d", &[Name, Arrow, Name, LessEqual, Name, ShiftLeft, Name]);
        check("\u{feff}byte x;", &[Byte, Name, Semicolon]);
    }
}
