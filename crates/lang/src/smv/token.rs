//! The words of SMV.
//!
//! A name may contain `-`, so that `a-1` is a name, and single capital letters that are
//! operators of temporal logic are never names.

use std::borrow::Cow;

use logos::{Lexer, Logos};

use crate::comments::Closed;
use crate::walking::Kind;

/// A word of SMV.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(error = Unknown)]
#[logos(skip r"[ \t\r\n\x0b\x0c\u{feff}]+")]
pub enum Token {
    /// From `/--` to `--/`. A word because a lexer that skips it itself would recurse.
    #[token("/--", comment)]
    Comment(Closed),
    #[regex(r"--[^\n]*", allow_greedy = true)]
    LineComment,
    /// What a preprocessor left behind: `# 12 "file"`.
    #[regex(r#"#[ \t]*[0-9]+[^\n]*"#, allow_greedy = true)]
    LineMarker,
    /// What a preprocessor should have done.
    #[regex(r#"#[ \t]*[A-Za-z][^\n]*"#, allow_greedy = true)]
    Directive,
    #[regex(r"[A-Za-z_][A-Za-z0-9_$#-]*", priority = 1)]
    #[regex("\"[^\"\n]*\"")]
    Name,
    #[regex(r"[0-9]+")]
    Number,
    #[regex(r"0[us]?[bBoOdDhH][0-9]*_[0-9a-fA-F][0-9a-fA-F_]*", priority = 30)]
    Word,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    #[regex(r"[fF]'[0-9]+/[0-9]+")]
    Real,
    #[token("MODULE")]
    Module,
    #[token("process")]
    Process,
    #[token("VAR")]
    Var,
    #[token("IVAR")]
    Ivar,
    #[token("FROZENVAR")]
    FrozenVar,
    #[token("DEFINE")]
    #[token("MDEFINE")]
    Define,
    #[token("CONSTANTS")]
    Constants,
    #[token("ASSIGN")]
    Assign,
    #[token("INIT")]
    InitSection,
    #[token("INVAR")]
    Invar,
    #[token("TRANS")]
    Trans,
    #[token("FAIRNESS")]
    #[token("JUSTICE")]
    Justice,
    #[token("COMPASSION")]
    Compassion,
    #[token("INVARSPEC")]
    InvarSpec,
    #[token("CTLSPEC")]
    #[token("SPEC")]
    CtlSpec,
    #[token("LTLSPEC")]
    LtlSpec,
    #[token("PSLSPEC")]
    PslSpec,
    #[token("COMPUTE")]
    Compute,
    #[token("NAME")]
    NameOf,
    #[token("IN")]
    In,
    #[token("ISA")]
    Isa,
    #[token("FUN")]
    Fun,
    #[token("array")]
    Array,
    #[token("of")]
    Of,
    #[token("boolean")]
    Boolean,
    #[token("word")]
    #[token("Word")]
    WordType,
    #[token("signed")]
    Signed,
    #[token("unsigned")]
    Unsigned,
    #[token("bool")]
    Bool,
    #[token("word1")]
    Word1,
    #[token("extend")]
    Extend,
    #[token("resize")]
    Resize,
    #[token("sizeof")]
    Sizeof,
    #[token("toint")]
    Toint,
    #[token("count")]
    Count,
    #[token("uwconst")]
    Uwconst,
    #[token("swconst")]
    Swconst,
    #[token("READ")]
    Read,
    #[token("WRITE")]
    Write,
    #[token("CONSTARRAY")]
    ConstArray,
    #[token("typeof")]
    Typeof,
    #[token("abs")]
    Abs,
    #[token("min")]
    Min,
    #[token("max")]
    Max,
    #[token("MIN")]
    Shortest,
    #[token("MAX")]
    Longest,
    #[token("next")]
    Next,
    #[token("init")]
    Init,
    #[token("self")]
    SelfName,
    #[token("case")]
    Case,
    #[token("esac")]
    Esac,
    #[token("TRUE")]
    True,
    #[token("FALSE")]
    False,
    #[token("EX")]
    ExistsNext,
    #[token("AX")]
    AllNext,
    #[token("EF")]
    ExistsFinally,
    #[token("AF")]
    AllFinally,
    #[token("EG")]
    ExistsGlobally,
    #[token("AG")]
    AllGlobally,
    #[token("E")]
    Exists,
    #[token("A")]
    All,
    #[token("EBF")]
    ExistsBoundedFinally,
    #[token("ABF")]
    AllBoundedFinally,
    #[token("EBG")]
    ExistsBoundedGlobally,
    #[token("ABG")]
    AllBoundedGlobally,
    #[token("BU")]
    BoundedUntil,
    #[token("X")]
    LtlNext,
    #[token("F")]
    Finally,
    #[token("G")]
    Globally,
    #[token("U")]
    Until,
    #[token("V")]
    Releases,
    #[token("Y")]
    Previous,
    #[token("Z")]
    WeakPrevious,
    #[token("O")]
    Once,
    #[token("H")]
    Historically,
    #[token("S")]
    Since,
    #[token("T")]
    Triggered,
    #[token("mod")]
    Mod,
    #[token("xor")]
    Xor,
    #[token("xnor")]
    Xnor,
    #[token("union")]
    Union,
    #[token("in")]
    Member,
    #[token(":=")]
    Becomes,
    #[token("->")]
    Arrow,
    #[token("<->")]
    DoubleArrow,
    #[token("|")]
    Bar,
    #[token("&")]
    Ampersand,
    #[token("!")]
    Exclamation,
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
    #[token("::")]
    Concat,
    #[token("?")]
    Question,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    Range,
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
    /// A character that begins no word. Properties in PSL, which are passed over, have some.
    Stray,
    /// Behind the last word.
    End,
}

/// A character that begins no word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unknown;

/// Goes to the end of a comment that was just opened.
fn comment(lexer: &mut Lexer<'_, Token>) -> Closed {
    let rest = lexer.remainder();
    let end = rest.find("--/");
    lexer.bump(end.map_or(rest.len(), |end| end + 3));
    Closed(end.is_some())
}

impl Token {
    /// Whether a section of a module, or a module, begins with it.
    pub fn begins_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Module
                | Var
                | Ivar
                | FrozenVar
                | Define
                | Constants
                | Assign
                | InitSection
                | Invar
                | Trans
                | Justice
                | Compassion
                | InvarSpec
                | CtlSpec
                | LtlSpec
                | PslSpec
                | Compute
                | Isa
                | Fun
                | End
        )
    }
}

impl Kind for Token {
    fn describe(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Token::Name => "a name",
            Token::Number => "a number",
            Token::Module => "`MODULE`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Comma => "`,`",
            Token::Becomes => "`:=`",
            Token::Range => "`..`",
            Token::Of => "`of`",
            Token::Until => "`U`",
            Token::Typeof => "`typeof`",
            Token::WordType => "`word`",
            Token::LeftParenthesis => "`(`",
            Token::RightParenthesis => "`)`",
            Token::LeftBracket => "`[`",
            Token::RightBracket => "`]`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
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
        check("a-1 a - 1", &[Name, Name, Minus, Number]);
        check("0ud8_5 0b_1 -0sd4_3 08 0", &[Word, Word, Minus, Word, Number, Number]);
        check("x..y 1..2 1.5", &[Name, Range, Name, Number, Range, Number, Real]);
        check("a -- b\nc /-- d\n--/ e", &[Name, LineComment, Name, Comment(Closed(true)), Name]);
        check("# 1 \"x\"\n#define N", &[LineMarker, Directive]);
        check("G Gx AG EBF", &[Globally, Name, AllGlobally, ExistsBoundedFinally]);
        check(
            "a<->b<=c ->d::e",
            &[Name, DoubleArrow, Name, LessEqual, Name, Arrow, Name, Concat, Name],
        );
    }
}
