//! The words of formulas: operators, parentheses, and everything else.

use std::ops::Range;

use homing_ir::temporal::Connective;

/// What a stretch of a formula's text is to the formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `!` and the like.
    Not,
    /// `[]`, `G`, `always`.
    Globally,
    /// `<>`, `F`, `eventually`.
    Finally,
    /// `X`, `next`.
    Next,
    /// An operator between formulas.
    Binary(Connective),
    True,
    False,
    Open,
    Close,
    /// `forall`, `exists`, `sum`: what follows belongs to it as far as it goes.
    Quantifier,
    /// A name, number or text in quotes or brackets: a piece of an expression.
    Piece,
    /// An operator of expressions, which wants something on both sides.
    Operator,
    /// The end of the text.
    End,
}

impl Token {
    /// Whether a stretch with this word cannot be an expression of the model.
    pub fn temporal(self) -> bool {
        use Connective::*;
        matches!(
            self,
            Token::Globally
                | Token::Finally
                | Token::Next
                | Token::Binary(Until | WeakUntil | Release)
        )
    }
}

/// A word and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub token: Token,
    pub range: Range<usize>,
}

/// Signs, longest first. Those of expressions are here so that they are not
/// taken for others: `!=` is no negation, `<=` no `<`.
const SIGNS: &[(&str, Token)] = &[
    ("<->", Token::Binary(Connective::Iff)),
    ("<=>", Token::Binary(Connective::Iff)),
    ("->", Token::Binary(Connective::Implies)),
    ("&&", Token::Binary(Connective::And)),
    ("||", Token::Binary(Connective::Or)),
    ("/\\", Token::Binary(Connective::And)),
    ("\\/", Token::Binary(Connective::Or)),
    ("[]", Token::Globally),
    ("<>", Token::Finally),
    ("==", Token::Operator),
    ("!=", Token::Operator),
    ("<=", Token::Operator),
    (">=", Token::Operator),
    ("<<", Token::Operator),
    (">>", Token::Operator),
    ("&", Token::Binary(Connective::And)),
    ("|", Token::Binary(Connective::Or)),
    ("!", Token::Not),
    ("~", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

/// The operator that a word of letters is.
fn word(text: &str) -> Token {
    use Connective::*;
    match text {
        "G" | "always" => Token::Globally,
        "F" | "eventually" => Token::Finally,
        "X" | "next" => Token::Next,
        "U" | "until" | "stronguntil" => Token::Binary(Until),
        "W" | "weakuntil" => Token::Binary(WeakUntil),
        "R" | "V" | "release" => Token::Binary(Release),
        "and" => Token::Binary(And),
        "or" => Token::Binary(Or),
        "implies" | "imply" => Token::Binary(Implies),
        "equivalent" => Token::Binary(Iff),
        "not" => Token::Not,
        "true" => Token::True,
        "false" => Token::False,
        "forall" | "exists" | "sum" => Token::Quantifier,
        _ => Token::Piece,
    }
}

/// The words of a text, or the place of a bracket or quote that is not closed.
///
/// `foreign` says of which names `P` the text `P->x` names a variable.
pub(super) fn words(
    text: &str,
    foreign: &dyn Fn(&str) -> bool,
) -> Result<Vec<Word>, (usize, &'static str)> {
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let last = words.last().filter(|word| word.range.end == at);
        let joined = last.filter(|word| word.token == Token::Piece);
        let (token, length) = if first == '"' {
            let end = rest[1..].find('"').ok_or((at, "this quote is not closed"))?;
            (Token::Piece, end + 2)
        } else if first == '[' && (!rest.starts_with("[]") || joined.is_some()) {
            (Token::Piece, bracketed(rest).ok_or((at, "this bracket is not closed"))?)
        } else if is_name(first) {
            let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            // The name of a part of something is no operator.
            let part = text[..at].ends_with(['.', '@', ':']) || text[..at].ends_with("->");
            let alone = !part || words.last().is_none_or(|word| word.token != Token::Operator);
            (if alone { word(&rest[..length]) } else { Token::Piece }, length)
        } else if rest.starts_with("->")
            && let Some(name) = joined
            && foreign(&text[name.range.clone()])
        {
            (Token::Operator, 2)
        } else if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (*token, sign.len())
        } else {
            (Token::Operator, first.len_utf8())
        };
        words.push(Word { token, range: at..at + length });
        at += length;
    }
    as_names(text, &mut words);
    words.push(Word { token: Token::End, range: text.len()..text.len() });
    Ok(words)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// How long a text in brackets is.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A single letter before an operator of expressions is a name: `X == 1`.
fn as_names(text: &str, words: &mut [Word]) {
    for i in 1..words.len() {
        let (before, after) = words.split_at_mut(i);
        let (word, next) = (&mut before[i - 1], &after[0]);
        let sign = &text[next.range.clone()];
        let letter =
            word.range.len() == 1 && text.as_bytes()[word.range.start].is_ascii_uppercase();
        let compared = next.token == Token::Operator && sign != "-"
            || next.token == Token::Piece && sign.starts_with('[');
        if letter && compared {
            word.token = Token::Piece;
        }
    }
}
