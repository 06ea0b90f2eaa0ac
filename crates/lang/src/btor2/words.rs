//! The words of a line.

use homing_ir::{Diagnostic, SourceId, Span};

/// What reading a line may come to.
pub type Read<T> = Result<T, Problem>;

/// Why a line was left out.
#[derive(Debug)]
pub enum Problem {
    /// Something is wrong with it.
    Wrong(Box<Diagnostic>),
    /// It needs a line that was left out, which was said already.
    Lost,
}

/// A line, word by word.
pub struct Words<'t> {
    line: &'t str,
    /// Where it begins in the text.
    start: u32,
    source: SourceId,
    at: usize,
    word: (usize, usize),
}

impl<'t> Words<'t> {
    /// A line that begins at `start`. What follows a semicolon after a blank is a comment.
    pub fn new(source: SourceId, line: &'t str, start: u32) -> Words<'t> {
        let comment = line
            .char_indices()
            .find(|(at, c)| *c == ';' && (*at == 0 || line[..*at].ends_with([' ', '\t'])));
        let line = comment.map_or(line, |(at, _)| &line[..at]);
        Words { line, start, source, at: 0, word: (0, 0) }
    }

    /// The word that comes next.
    pub fn next(&mut self) -> Option<&'t str> {
        let rest = &self.line[self.at..];
        let begin = self.at + rest.len() - rest.trim_start().len();
        let word = self.line[begin..].split(char::is_whitespace).next().unwrap_or("");
        self.at = begin + word.len();
        self.word = (begin, self.at);
        (!word.is_empty()).then_some(word)
    }

    /// The word read last, or the end of the line.
    pub fn span(&self) -> Span {
        let at = |place: usize| self.start + place as u32;
        Span { source: self.source, start: at(self.word.0), end: at(self.word.1) }
    }

    /// The whole line.
    pub fn whole(&self) -> Span {
        let end = self.start + self.line.trim_end().len() as u32;
        Span { source: self.source, start: self.start, end }
    }

    /// Something is wrong with the word read last.
    pub fn wrong<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Problem::Wrong(Box::new(Diagnostic::error(message, self.span()))))
    }

    /// The next word, which there must be.
    pub fn needed(&mut self, what: &str) -> Read<&'t str> {
        match self.next() {
            Some(word) => Ok(word),
            None => self.wrong(format!("expected {what}")),
        }
    }

    /// The next word as a number.
    pub fn number(&mut self, what: &str) -> Read<u32> {
        let word = self.needed(what)?;
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        match word.parse() {
            Ok(number) if digits => Ok(number),
            _ if digits => self.wrong("the number is too large"),
            _ => self.wrong(format!("expected {what}")),
        }
    }
}
