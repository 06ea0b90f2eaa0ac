//! The words of UPPAAL's texts.
//!
//! Only what is a word of nearly every version is one here. Words of newer
//! versions (`double`, `sum`, `xor`, `continue`) are names in older models; the
//! parser knows them by what follows. So are the words of queries, `E` and `sup`.

use std::borrow::Cow;

use homing_ir::Span;
use logos::Logos;

use super::text::Piece;
use crate::comments::{Closed, comment, unclosed};
use crate::reports::Reports;
use crate::walking::Kind;

/// A kind of word.
#[derive(Logos, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[logos(error = Stray)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{a0}\u{feff}\u{200b}\u{2028}]+")]
#[logos(skip r"\\[ \t]*\r?\n")]
pub enum Token {
    /// Comments are words because a lexer that skips them itself would recurse.
    #[token("/*", comment)]
    Comment(Closed),
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    #[regex(r"[A-Za-z_][A-Za-z0-9_$#]*")]
    Name,
    #[regex(r"[0-9]+")]
    Number,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?")]
    Real,
    #[regex(r"[0-9]+[A-Za-z_$#][A-Za-z0-9_$#]*", priority = 1)]
    BadNumber,
    #[regex("\"[^\"\n]*\"")]
    Text,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("const")]
    Const,
    #[token("meta")]
    Meta,
    #[token("urgent")]
    Urgent,
    #[token("broadcast")]
    Broadcast,
    #[token("int")]
    Int,
    #[token("bool")]
    Bool,
    #[token("clock")]
    Clock,
    #[token("chan")]
    Chan,
    #[token("scalar")]
    Scalar,
    #[token("void")]
    Void,
    #[token("struct")]
    Struct,
    #[token("typedef")]
    Typedef,
    #[token("process")]
    Process,
    #[token("state")]
    State,
    #[token("commit")]
    Commit,
    #[token("init")]
    Init,
    #[token("trans")]
    Trans,
    #[token("select")]
    Select,
    #[token("guard")]
    Guard,
    #[token("sync")]
    Sync,
    #[token("assign")]
    Assign,
    #[token("system")]
    System,
    #[token("for")]
    For,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("return")]
    Return,
    #[token("forall")]
    Forall,
    #[token("exists")]
    Exists,
    #[token("deadlock")]
    Deadlock,
    #[token("and")]
    #[token("&&")]
    And,
    #[token("or")]
    #[token("||")]
    Or,
    #[token("imply")]
    Imply,
    #[token("not")]
    Not,
    #[token("!")]
    Exclamation,
    #[token("?")]
    Question,
    #[token("->")]
    Arrow,
    #[token("-u->")]
    DashedArrow,
    #[token("=")]
    #[token(":=")]
    Becomes,
    #[token("+=")]
    AddTo,
    #[token("-=")]
    SubtractFrom,
    #[token("*=")]
    MultiplyBy,
    #[token("/=")]
    DivideBy,
    #[token("%=")]
    RemainderBy,
    #[token("&=")]
    AndTo,
    #[token("|=")]
    OrTo,
    #[token("^=")]
    XorTo,
    #[token("<<=")]
    ShiftLeftBy,
    #[token(">>=")]
    ShiftRightBy,
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
    #[token("<>")]
    Diamond,
    #[token("<?")]
    Minimum,
    #[token(">?")]
    Maximum,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("++")]
    Increment,
    #[token("--")]
    Decrement,
    #[token("*")]
    Times,
    #[token("**")]
    Power,
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
    #[token("'")]
    Prime,
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
    /// A character that begins no word.
    Unknown,
    /// Behind the last word.
    End,
}

/// A character that begins no word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stray;

impl Kind for Token {
    fn describe(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Token::Name => "a name",
            Token::Number => "a number",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Comma => "`,`",
            Token::Becomes => "`=`",
            Token::While => "`while`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
            Token::LeftParenthesis => "`(`",
            Token::RightParenthesis => "`)`",
            Token::LeftBracket => "`[`",
            Token::RightBracket => "`]`",
            Token::End => "the end of the text",
            _ => "another word",
        })
    }
}

/// A word, how it is written, and where.
#[derive(Clone, Copy, Debug)]
pub struct Lexeme<'a> {
    pub token: Token,
    pub text: &'a str,
    /// In the file.
    pub span: Span,
    /// Whether a line ended before it, not counting lines that are continued.
    pub newline: bool,
    /// Whether nothing stands between it and the word before.
    pub joined: bool,
}

/// Cuts a piece into words, without comments.
pub fn words<'a>(piece: &'a Piece<'_>, reports: &mut Reports) -> Vec<Lexeme<'a>> {
    let text: &'a str = &piece.text;
    let mut words = Vec::new();
    let mut lexer = Token::lexer(text);
    let (mut end, mut newline) = (0, false);
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let token = result.unwrap_or(Token::Unknown);
        newline |= text.get(end..range.start).is_some_and(ends_line);
        let joined = end == range.start;
        end = range.end;
        match token {
            Token::LineComment | Token::Comment(Closed(true)) => continue,
            Token::Comment(Closed(false)) => {
                let span = piece.span(range.start, range.start + 2);
                reports.add(unclosed(span));
                continue;
            }
            _ => {}
        }
        let span = piece.span(range.start, range.end);
        words.push(Lexeme { token, text: lexer.slice(), span, newline, joined });
        newline = false;
    }
    words
}

/// Whether a line ends in what stands between two words, not counting lines
/// that end in a backslash.
fn ends_line(gap: &str) -> bool {
    let mut lines = gap.split('\n');
    lines.next_back();
    lines.any(|line| !line.trim_end().ends_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Token]) {
        let piece = Piece::whole(homing_ir::SourceId(0), text);
        let mut reports = Reports::default();
        let tokens: Vec<Token> = words(&piece, &mut reports).iter().map(|w| w.token).collect();
        assert_eq!(tokens, expected, "{text}");
    }

    #[test]
    fn kinds() {
        use Token::*;
        check("a_1$#b not notx", &[Name, Not, Name]);
        check(
            "x:=1 y=2 z==3",
            &[Name, Becomes, Number, Name, Becomes, Number, Name, Equal, Number],
        );
        check(
            "a<?b>?c ? d : e",
            &[Name, Minimum, Name, Maximum, Name, Question, Name, Colon, Name],
        );
        check("1.5 2e3 .5 3 4x 1.a", &[Real, Real, Real, Number, BadNumber, Number, Dot, Name]);
        check("E<> a-->b", &[Name, Diamond, Name, Decrement, Greater, Name]);
        check("A -u-> B -> C", &[Name, DashedArrow, Name, Arrow, Name]);
        check("x' == 1 \"a b\" §", &[Name, Prime, Equal, Number, Text, Unknown]);
        check("a /* b\n */ c // d\n e \\\n f", &[Name, Name, Name, Name]);
    }

    #[test]
    fn lines() {
        let piece = Piece::whole(homing_ir::SourceId(0), "a \\ \n b // c\n d /* \n */ e\nf.g");
        let mut reports = Reports::default();
        let words = words(&piece, &mut reports);
        let newline: Vec<bool> = words.iter().map(|word| word.newline).collect();
        assert_eq!(newline, [false, false, true, false, true, false, false]);
        assert!(words[5].joined && !words[3].joined);
    }
}
