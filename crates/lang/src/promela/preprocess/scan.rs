//! Cutting a text into the words of the C preprocessor.
//!
//! Names, numbers, strings, characters and punctuation, as in C and not as in
//! Promela: `0..N` is one number (so that `N` in it is no macro), and from an
//! unclosed quote to the end of its line everything is one word. A backslash
//! at the end of a line continues it anywhere, also within a word. What makes
//! no sense is passed on: it may stand in a part that is left out.

use std::rc::Rc;

use homing_ir::{SourceId, Span};

/// What kind of word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Name,
    /// Anything that begins like a number.
    Number,
    /// With its quotes.
    String,
    /// With its quotes.
    Character,
    Punctuation,
    /// A character that means nothing in C, or an unclosed quote.
    Other,
    /// A comment that is not closed.
    Unclosed,
}

/// A word.
#[derive(Clone, Debug)]
pub struct Word {
    pub kind: Kind,
    /// As written, continued lines put together.
    pub text: Rc<str>,
    /// Where, or where the outermost macro it comes from is used.
    pub span: Span,
    /// Whether white space stands before it.
    pub space: bool,
    /// The line it stands in, or that of the outermost macro it comes from.
    pub line: u32,
    /// Whether it names a macro that must not be expanded any more.
    pub painted: bool,
    /// The expansion it comes from; 0 is none.
    pub origin: u32,
}

impl Word {
    /// Whether it is this punctuation.
    pub fn is(&self, text: &str) -> bool {
        self.kind == Kind::Punctuation && &*self.text == text
    }
}

/// Punctuation of C of more than one character, longest first.
const LONG: &[&str] = &[
    "...", "<<=", ">>=", "##", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];
const SHORT: &[u8] = b"[](){}.&*+-~!/%<>^|?:;=,#";

/// The place reached in a text.
#[derive(Clone, Debug)]
pub struct Scanner {
    source: SourceId,
    text: Rc<str>,
    at: usize,
    line: u32,
}

impl Scanner {
    /// The start of a text.
    pub fn new(source: SourceId, text: impl Into<Rc<str>>) -> Scanner {
        let text: Rc<str> = text.into();
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { source, text, at, line: 1 }
    }

    /// The place reached.
    pub fn place(&self) -> Span {
        let at = self.at as u32;
        Span { source: self.source, start: at, end: at }
    }

    /// The text of a stretch of it.
    pub fn text(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// The words of the next line; continued lines and lines within a comment
    /// are one. Nothing at the end of the text.
    pub fn line(&mut self) -> Option<Vec<Word>> {
        if self.at >= self.text.len() {
            return None;
        }
        let mut words = Vec::new();
        let mut space = false;
        loop {
            self.splice();
            match self.byte(0) {
                None => return Some(words),
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    return Some(words);
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => {
                    self.at += 1;
                    space = true;
                }
                Some(b'/') if self.second() == Some(b'/') => {
                    self.line_comment();
                    space = true;
                }
                Some(b'/') if self.second() == Some(b'*') => {
                    if let Some(start) = self.block_comment() {
                        words.push(self.word(Kind::Unclosed, "/*".into(), start, space));
                        return Some(words);
                    }
                    space = true;
                }
                Some(byte) => {
                    let (start, line) = (self.at, self.line);
                    let (kind, text) = self.scan(byte);
                    words.push(Word { line, ..self.word(kind, text, start, space) });
                    space = false;
                }
            }
        }
    }

    fn word(&self, kind: Kind, text: Rc<str>, start: usize, space: bool) -> Word {
        let span = Span { source: self.source, start: start as u32, end: self.at as u32 };
        Word { kind, text, span, space, line: self.line, painted: false, origin: 0 }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Passes backslashes that continue the line.
    fn splice(&mut self) {
        while self.byte(0) == Some(b'\\') {
            match (self.byte(1), self.byte(2)) {
                (Some(b'\n'), _) => self.at += 2,
                (Some(b'\r'), Some(b'\n')) => self.at += 3,
                _ => return,
            }
            self.line += 1;
        }
    }

    /// The byte behind the one reached.
    fn second(&self) -> Option<u8> {
        let mut ahead = Scanner { text: Rc::clone(&self.text), at: self.at + 1, ..*self };
        ahead.splice();
        ahead.byte(0)
    }

    fn line_comment(&mut self) {
        loop {
            self.splice();
            match self.byte(0) {
                None | Some(b'\n') => return,
                Some(_) => self.at += 1,
            }
        }
    }

    /// Passes a comment; where it is not closed, says where it begins.
    fn block_comment(&mut self) -> Option<usize> {
        let start = self.at;
        self.at += 1;
        self.splice();
        self.at += 1;
        let mut star = false;
        loop {
            self.splice();
            let Some(byte) = self.byte(0) else { return Some(start) };
            self.at += 1;
            self.line += u32::from(byte == b'\n');
            if star && byte == b'/' {
                return None;
            }
            star = byte == b'*';
        }
    }

    fn scan(&mut self, byte: u8) -> (Kind, Rc<str>) {
        if byte == b'"' || byte == b'\'' {
            return self.quoted(byte);
        }
        if byte.is_ascii_digit()
            || byte == b'.' && self.second().is_some_and(|b| b.is_ascii_digit())
        {
            return (Kind::Number, self.number());
        }
        if byte.is_ascii_alphabetic() || byte == b'_' {
            return (Kind::Name, self.run(|_, next| next.is_ascii_alphanumeric() || next == b'_'));
        }
        if SHORT.contains(&byte) {
            return (Kind::Punctuation, self.punctuation());
        }
        let length = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        let text = self.text[self.at..self.at + length].into();
        self.at += length;
        (Kind::Other, text)
    }

    /// Passes bytes as long as they belong to the word, the first does.
    fn run(&mut self, belongs: impl Fn(u8, u8) -> bool) -> Rc<str> {
        let mut text = String::new();
        let mut before = None;
        loop {
            self.splice();
            match (before, self.byte(0)) {
                (None, Some(byte)) => before = Some(byte),
                (Some(last), Some(byte)) if belongs(last, byte) => before = Some(byte),
                _ => return text.into(),
            }
            text.extend(before.map(char::from));
            self.at += 1;
        }
    }

    fn number(&mut self) -> Rc<str> {
        self.run(|last, next| {
            let sign = matches!(next, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P');
            sign || next.is_ascii_alphanumeric() || matches!(next, b'_' | b'.')
        })
    }

    fn punctuation(&mut self) -> Rc<str> {
        let mut text = String::new();
        loop {
            self.splice();
            let Some(byte) = self.byte(0).filter(|byte| SHORT.contains(byte)) else { break };
            text.push(char::from(byte));
            let known = text.len() == 1
                || LONG.contains(&text.as_str())
                || text == ".." && self.second() == Some(b'.');
            if !known {
                text.pop();
                break;
            }
            self.at += 1;
        }
        text.into()
    }

    fn quoted(&mut self, quote: u8) -> (Kind, Rc<str>) {
        let mut bytes = Vec::new();
        let mut closed = false;
        while !closed {
            self.splice();
            let Some(byte) = self.byte(0).filter(|byte| *byte != b'\n') else { break };
            closed = byte == quote && !bytes.is_empty();
            bytes.push(byte);
            self.at += 1;
            if byte == b'\\' {
                self.splice();
                if let Some(escaped) = self.byte(0).filter(|byte| *byte != b'\n') {
                    bytes.push(escaped);
                    self.at += 1;
                }
            }
        }
        let kind = match (closed, quote) {
            (false, _) => Kind::Other,
            (true, b'"') => Kind::String,
            (true, _) => Kind::Character,
        };
        (kind, String::from_utf8_lossy(&bytes).into())
    }
}

/// The only word of a text, if it has one and nothing else.
pub fn single(text: &str) -> Option<(Kind, Rc<str>)> {
    let mut line = Scanner::new(SourceId::default(), text).line()?;
    let word = line.pop().filter(|word| line.is_empty() && word.text.len() == text.len())?;
    (word.kind != Kind::Other && word.kind != Kind::Unclosed).then_some((word.kind, word.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&[&str]]) {
        let mut scanner = Scanner::new(SourceId::default(), text);
        let lines = std::iter::from_fn(|| scanner.line());
        let lines = lines.map(|line| line.iter().map(|word| word.text.to_string()).collect());
        let lines: Vec<Vec<String>> = lines.collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn words_are_those_of_c() {
        check("a_1+ +b++c", &[&["a_1", "+", "+", "b", "++", "c"]]);
        check("0..N 1e+5 .5 x.y", &[&["0..N", "1e+5", ".5", "x", ".", "y"]]);
        check(
            "c!!x c??y ::a->b",
            &[&["c", "!", "!", "x", "c", "?", "?", "y", ":", ":", "a", "->", "b"]],
        );
        check("... .. <<= <->", &[&["...", ".", ".", "<<=", "<", "->"]]);
    }

    #[test]
    fn quotes() {
        check(r#""a\"b" 'c' '\''"#, &[&[r#""a\"b""#, "'c'", r"'\''"]]);
        check("x \"ab\ny", &[&["x", "\"ab"], &["y"]]);
        check("it's odd // so\ny", &[&["it", "'s odd // so"], &["y"]]);
    }

    #[test]
    fn lines_and_comments() {
        check("a\\\nb c\\\r\nd\ne", &[&["ab", "cd"], &["e"]]);
        check("a/*\n*/b // c \\\n d\ne", &[&["a", "b"], &["e"]]);
        check("a /* b", &[&["a", "/*"]]);
        check("a /\\\n* b */ c", &[&["a", "c"]]);
        check("+\\\n+ -\\\n\\\n>", &[&["++", "->"]]);
    }

    #[test]
    fn single_words() {
        assert_eq!(single("ab1").map(|(kind, _)| kind), Some(Kind::Name));
        assert_eq!(single("->").map(|(kind, _)| kind), Some(Kind::Punctuation));
        assert_eq!(single("a b"), None);
        assert_eq!(single("-a"), None);
        assert_eq!(single(""), None);
    }
}
