//! The words of Promela, and making them of those of the preprocessor.
//!
//! The preprocessor cuts as C does, so a word of it may be several here (the
//! number `0..7`), and several may be one (`!` `!`, `?` `?`, `:` `:`) where
//! nothing stands between them. Words of formulas (`U`, `[]`, `->`) are made by
//! the parser where it reads a formula; elsewhere they are names and signs.

use std::borrow::Cow;
use std::rc::Rc;

use homing_ir::Span;

use super::preprocess::Preprocessed;
use super::preprocess::scan::{Kind, Word};
use crate::walking;

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Token {
    End,
    Name, Number, Text,
    /// Digits and letters: `3x`, `0x10`.
    BadNumber,
    /// `'a'`.
    Character,
    /// An unclosed quote, or a character that means nothing.
    Unknown,
    /// The end of a line where SPIN ends a statement.
    LineEnd,
    // Signs.
    LeftBrace, RightBrace, LeftParenthesis, RightParenthesis, LeftBracket, RightBracket,
    Semicolon, Arrow, Comma, Colon, Option, Dot, Range, At, Assign,
    Increment, Decrement, Send, SortedSend, Receive, AnyReceive,
    Plus, Minus, Times, Slash, Percent, Ampersand, Bar, Caret, Tilde,
    And, Or, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, ShiftLeft, ShiftRight,
    Backslash,
    // Words.
    Active, Assert, Atomic, Bit, Bool, Break, Byte, CCode, CDecl, CExpr, CState, CTrack,
    DProctype, Do, Chan, Else, Empty, Enabled, Eval, False, Fi, For, Full, GetPriority, Goto,
    Hidden, If, Init, Inline, Int, Len, Local, Ltl, Mtype, NEmpty, Never, NFull, NoTrace,
    NonProgress, Od, Of, PcValue, Pid, Printf, Printm, Priority, Proctype, Provided, Return,
    Run, DStep, Select, SetPriority, Short, Skip, Timeout, Trace, True, Show, Typedef, Unless,
    Unsigned, Xr, Xs,
}

/// Words that are no names, in the order of their bytes. `in` is one only in the head of `for`, those of
/// formulas only there.
const WORDS: &[(&str, Token)] = &[
    ("D_proctype", Token::DProctype),
    ("active", Token::Active),
    ("assert", Token::Assert),
    ("atomic", Token::Atomic),
    ("bit", Token::Bit),
    ("bool", Token::Bool),
    ("break", Token::Break),
    ("byte", Token::Byte),
    ("c_code", Token::CCode),
    ("c_decl", Token::CDecl),
    ("c_expr", Token::CExpr),
    ("c_state", Token::CState),
    ("c_track", Token::CTrack),
    ("chan", Token::Chan),
    ("d_step", Token::DStep),
    ("do", Token::Do),
    ("else", Token::Else),
    ("empty", Token::Empty),
    ("enabled", Token::Enabled),
    ("eval", Token::Eval),
    ("false", Token::False),
    ("fi", Token::Fi),
    ("for", Token::For),
    ("full", Token::Full),
    ("get_priority", Token::GetPriority),
    ("goto", Token::Goto),
    ("hidden", Token::Hidden),
    ("if", Token::If),
    ("init", Token::Init),
    ("inline", Token::Inline),
    ("int", Token::Int),
    ("len", Token::Len),
    ("local", Token::Local),
    ("ltl", Token::Ltl),
    ("mtype", Token::Mtype),
    ("nempty", Token::NEmpty),
    ("never", Token::Never),
    ("nfull", Token::NFull),
    ("notrace", Token::NoTrace),
    ("np_", Token::NonProgress),
    ("od", Token::Od),
    ("of", Token::Of),
    ("pc_value", Token::PcValue),
    ("pid", Token::Pid),
    ("printf", Token::Printf),
    ("printm", Token::Printm),
    ("priority", Token::Priority),
    ("proctype", Token::Proctype),
    ("provided", Token::Provided),
    ("return", Token::Return),
    ("run", Token::Run),
    ("select", Token::Select),
    ("set_priority", Token::SetPriority),
    ("short", Token::Short),
    ("show", Token::Show),
    ("skip", Token::Skip),
    ("timeout", Token::Timeout),
    ("trace", Token::Trace),
    ("true", Token::True),
    ("typedef", Token::Typedef),
    ("unless", Token::Unless),
    ("unsigned", Token::Unsigned),
    ("xr", Token::Xr),
    ("xs", Token::Xs),
];

/// Signs, those that begin like others first.
const SIGNS: &[(&str, Token)] = &[
    ("->", Token::Arrow),
    ("--", Token::Decrement),
    ("++", Token::Increment),
    ("<<", Token::ShiftLeft),
    ("<=", Token::LessEqual),
    (">>", Token::ShiftRight),
    (">=", Token::GreaterEqual),
    ("==", Token::Equal),
    ("!=", Token::NotEqual),
    ("!!", Token::SortedSend),
    ("??", Token::AnyReceive),
    ("&&", Token::And),
    ("||", Token::Or),
    ("::", Token::Option),
    ("..", Token::Range),
    ("{", Token::LeftBrace),
    ("}", Token::RightBrace),
    ("(", Token::LeftParenthesis),
    (")", Token::RightParenthesis),
    ("[", Token::LeftBracket),
    ("]", Token::RightBracket),
    (";", Token::Semicolon),
    (",", Token::Comma),
    (":", Token::Colon),
    (".", Token::Dot),
    ("@", Token::At),
    ("=", Token::Assign),
    ("!", Token::Send),
    ("?", Token::Receive),
    ("+", Token::Plus),
    ("-", Token::Minus),
    ("*", Token::Times),
    ("/", Token::Slash),
    ("%", Token::Percent),
    ("&", Token::Ampersand),
    ("|", Token::Bar),
    ("^", Token::Caret),
    ("~", Token::Tilde),
    ("<", Token::Less),
    (">", Token::Greater),
    ("\\", Token::Backslash),
];

impl walking::Kind for Token {
    fn describe(self) -> Cow<'static, str> {
        let written = SIGNS.iter().chain(WORDS).find(|(_, token)| *token == self);
        match (self, written) {
            (_, Some((text, _))) => Cow::Owned(format!("`{text}`")),
            (Token::Name, _) => Cow::Borrowed("a name"),
            (Token::Number, _) => Cow::Borrowed("a number"),
            (Token::Text, _) => Cow::Borrowed("a text in quotes"),
            (Token::LineEnd, _) => Cow::Borrowed("the end of the line"),
            _ => Cow::Borrowed("the end of the text"),
        }
    }
}

impl Token {
    /// Whether it separates statements.
    pub fn separates(self) -> bool {
        matches!(self, Token::Semicolon | Token::Arrow | Token::LineEnd)
    }

    /// Whether SPIN may end a statement behind it at the end of a line.
    pub fn ends_line(self) -> bool {
        use Token::*;
        matches!(
            self,
            RightBrace
                | RightParenthesis
                | RightBracket
                | Od
                | Fi
                | Else
                | Break
                | Name
                | Number
                | Character
                | True
                | False
                | Skip
                | Timeout
                | Increment
                | Decrement
        )
    }

    /// Whether it goes on with what the line above began: no statement can
    /// start with it.
    pub fn continues(self) -> bool {
        use Token::*;
        matches!(
            self,
            RightParenthesis
                | LeftBracket
                | RightBracket
                | Comma
                | Colon
                | Dot
                | Range
                | At
                | Assign
                | Increment
                | Decrement
                | SortedSend
                | Receive
                | AnyReceive
                | Plus
                | Times
                | Slash
                | Percent
                | Ampersand
                | Bar
                | Caret
                | And
                | Or
                | Equal
                | NotEqual
                | Less
                | LessEqual
                | Greater
                | GreaterEqual
                | ShiftLeft
                | ShiftRight
                | Of
                | Unless
                | Priority
                | Provided
        )
    }

    /// Whether it begins something outside of processes, and nothing within.
    pub fn begins_unit(self) -> bool {
        use Token::*;
        matches!(
            self,
            Active | Proctype | DProctype | Init | Never | Trace | NoTrace | Ltl | Inline | Typedef
        )
    }
}

/// A word with its place.
#[derive(Clone, Debug)]
pub struct Lexeme {
    pub token: Token,
    /// As written.
    pub text: Rc<str>,
    pub span: Span,
    /// The expansion it comes from; 0 is none.
    pub origin: u32,
    /// Whether it is the first of its line.
    pub newline: bool,
    /// Whether nothing stands between it and the word before.
    pub joined: bool,
}

/// The words of a preprocessed text.
pub fn tokens(preprocessed: &mut Preprocessed) -> Vec<Lexeme> {
    let words = std::mem::take(&mut preprocessed.words);
    let mut list: Vec<Lexeme> = Vec::with_capacity(words.len());
    let mut before = None;
    for word in words {
        let line = (word.span.source, word.line);
        let newline = before.is_some_and(|before| before != line);
        before = Some(line);
        add(&mut list, word, newline);
    }
    list
}

fn add(list: &mut Vec<Lexeme>, word: Word, newline: bool) {
    if word.kind == Kind::Number {
        return split_number(list, &word, newline);
    }
    let token = match word.kind {
        Kind::Name => word_token(&word.text),
        Kind::String => Token::Text,
        Kind::Character => Token::Character,
        _ => sign(&word.text).unwrap_or(Token::Unknown),
    };
    let after = list.last().is_some_and(|last| last.origin == word.origin);
    let joined = after && !word.space && !newline;
    if let Some(last) = list.last_mut().filter(|_| joined) {
        let both = match (last.token, token) {
            (Token::Send, Token::Send) => Some(("!!", Token::SortedSend)),
            (Token::Receive, Token::Receive) => Some(("??", Token::AnyReceive)),
            (Token::Colon, Token::Colon) => Some(("::", Token::Option)),
            (Token::Dot, Token::Dot) => Some(("..", Token::Range)),
            _ => None,
        };
        if let Some((text, token)) = both {
            // The expansion of a macro is one place.
            let span = if word.origin == 0 { last.span.to(word.span) } else { last.span };
            (last.token, last.text, last.span) = (token, text.into(), span);
            return;
        }
    }
    let Word { text, span, origin, .. } = word;
    if token == Token::Unknown && text.len() > 1 {
        // Signs of C that are several here, such as `+=`.
        if let Some(pieces) = split_signs(&text) {
            for (i, (text, token)) in pieces.into_iter().enumerate() {
                let (newline, joined) = (newline && i == 0, joined || i > 0);
                list.push(Lexeme { token, text: text.into(), span, origin, newline, joined });
            }
            return;
        }
    }
    list.push(Lexeme { token, text, span, origin, newline, joined });
}

fn word_token(text: &str) -> Token {
    match WORDS.binary_search_by(|(word, _)| (*word).cmp(text)) {
        Ok(found) => WORDS[found].1,
        Err(_) => Token::Name,
    }
}

fn sign(text: &str) -> Option<Token> {
    SIGNS.iter().find(|(sign, _)| *sign == text).map(|(_, token)| *token)
}

fn split_signs(text: &str) -> Option<Vec<(&'static str, Token)>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (sign, token) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign))?;
        pieces.push((*sign, *token));
        rest = &rest[sign.len()..];
    }
    Some(pieces)
}

/// `0..N` is `0`, `..`, `N`; each piece is a number, a word, dots, or a sign, which the
/// preprocessor takes for that of an exponent: `0..SIZE-1`.
fn split_number(list: &mut Vec<Lexeme>, word: &Word, newline: bool) {
    let text = &*word.text;
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let length = match rest.find(['.', '+', '-']) {
            Some(0) if rest.starts_with("..") => 2,
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        let piece = &rest[..length];
        let token = match piece {
            ".." => Token::Range,
            "." => Token::Dot,
            "+" | "-" => sign(piece).unwrap_or(Token::BadNumber),
            _ if piece.bytes().all(|byte| byte.is_ascii_digit()) => Token::Number,
            _ if piece.starts_with(|letter: char| letter.is_ascii_digit()) => Token::BadNumber,
            _ => word_token(piece),
        };
        let within = |offset: usize| word.span.start + offset as u32;
        let whole = word.span.end.saturating_sub(word.span.start) as usize == text.len();
        let span = match whole && word.origin == 0 {
            true => Span { start: within(start), end: within(start + length), ..word.span },
            false => word.span,
        };
        let (newline, joined) = (newline && start == 0, start > 0);
        let text = if length == text.len() { Rc::clone(&word.text) } else { piece.into() };
        list.push(Lexeme { token, text, span, origin: word.origin, newline, joined });
        start += length;
    }
}
