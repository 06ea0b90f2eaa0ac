//! The words of PRISM.

use std::borrow::Cow;

use logos::Logos;

use crate::walking::Kind;

/// A word of PRISM. White space and comments are skipped.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip r"\u{feff}")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex(r"[0-9]+")]
    Whole,
    #[regex(r"[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][-+]?[0-9]+")]
    Decimal,
    /// A name in quotes.
    #[regex("\"[^\"\n]*\"")]
    Quoted,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("const")]
    Const,
    #[token("int")]
    Int,
    #[token("bool")]
    Bool,
    #[token("double")]
    Double,
    #[token("rate")]
    Rate,
    #[token("prob")]
    Prob,
    #[token("clock")]
    Clock,
    #[token("formula")]
    Formula,
    #[token("label")]
    Label,
    #[token("global")]
    Global,
    #[token("module")]
    Module,
    #[token("endmodule")]
    EndModule,
    #[token("rewards")]
    Rewards,
    #[token("endrewards")]
    EndRewards,
    #[token("init")]
    Init,
    #[token("endinit")]
    EndInit,
    #[token("system")]
    System,
    #[token("endsystem")]
    EndSystem,
    #[token("invariant")]
    Invariant,
    #[token("dtmc")]
    #[token("probabilistic")]
    Dtmc,
    #[token("ctmc")]
    #[token("stochastic")]
    Ctmc,
    #[token("mdp")]
    #[token("nondeterministic")]
    Mdp,
    /// A kind of model that is not read.
    #[token("pta")]
    #[token("pomdp")]
    #[token("popta")]
    #[token("smg")]
    #[token("csg")]
    #[token("tsg")]
    #[token("stpg")]
    #[token("idtmc")]
    #[token("imdp")]
    #[token("ma")]
    #[token("lts")]
    Foreign,
    #[token("observables")]
    #[token("observable")]
    Observables,
    #[token("'")]
    Prime,
    #[token("!")]
    Not,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("=>")]
    Implies,
    #[token("<=>")]
    Iff,
    #[token("?")]
    Question,
    #[token("->")]
    Arrow,
    #[token("<-")]
    LeftArrow,
    #[token("=")]
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
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Slash,
    #[token("^")]
    Caret,
    #[token("||")]
    Parallel,
    #[token("|||")]
    Interleaved,
    #[token("|[")]
    SynchronisedOpen,
    #[token("]|")]
    SynchronisedClose,
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
    #[token("..")]
    Range,
    /// A character that begins no word.
    Unknown,
    /// Behind the last word.
    End,
}

impl Kind for Token {
    fn describe(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Token::Name => "a name",
            Token::Whole | Token::Decimal => "a number",
            Token::Quoted => "a name in quotes",
            Token::Prime => "`'`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Comma => "`,`",
            Token::Arrow => "`->`",
            Token::LeftArrow => "`<-`",
            Token::Equal => "`=`",
            Token::Range => "`..`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
            Token::LeftBracket => "`[`",
            Token::RightBracket => "`]`",
            Token::SynchronisedClose => "`]|`",
            Token::LeftParenthesis => "`(`",
            Token::RightParenthesis => "`)`",
            Token::EndModule => "`endmodule`",
            Token::EndRewards => "`endrewards`",
            Token::EndInit => "`endinit`",
            Token::EndSystem => "`endsystem`",
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
        check(
            "[0..3] 1.5 .5 2e-3 1e",
            &[
                LeftBracket,
                Whole,
                Range,
                Whole,
                RightBracket,
                Decimal,
                Decimal,
                Decimal,
                Whole,
                Name,
            ],
        );
        check(
            "x'=1 a<=>b=>c<-d",
            &[Name, Prime, Equal, Whole, Name, Iff, Name, Implies, Name, LeftArrow, Name],
        );
        check(
            "A||B|||C|[a]|D // e",
            &[
                Name,
                Parallel,
                Name,
                Interleaved,
                Name,
                SynchronisedOpen,
                Name,
                SynchronisedClose,
                Name,
            ],
        );
        check("\"done\" modules module", &[Quoted, Name, Module]);
    }
}
