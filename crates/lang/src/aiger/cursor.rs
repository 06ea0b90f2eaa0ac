//! Walking over the bytes of a file.

use homing_ir::{Diagnostic, SourceId, Span};

/// What stands for a byte that is no letter, where the file is shown.
pub const OTHER: char = '·';

/// An error ends the reading: what follows would not be understood.
pub type Read<T> = Result<T, Box<Diagnostic>>;

/// A place in a file.
pub struct Cursor {
    source: SourceId,
    bytes: Vec<u8>,
    at: usize,
    /// Where this is in the text that is shown.
    shown: u32,
    /// Where the word before began there.
    word: u32,
}

impl Cursor {
    /// The beginning of a file, each character a byte.
    pub fn new(source: SourceId, text: &str) -> Cursor {
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
        Cursor { source, bytes, at: 0, shown: 0, word: 0 }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte here.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes on by a byte.
    pub fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.shown += match byte {
            b'\n' | b'\t' | b' '..=b'~' => 1,
            _ => OTHER.len_utf8() as u32,
        };
        Some(byte)
    }

    /// The word read last, or the place after it.
    pub fn span(&self) -> Span {
        Span { source: self.source, start: self.word, end: self.shown }
    }

    /// Something is wrong with the word read last.
    pub fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Box::new(Diagnostic::error(message, self.span())))
    }

    /// Begins a word.
    pub fn begin(&mut self) {
        self.word = self.shown;
    }

    /// A number in decimal digits.
    pub fn number(&mut self, what: &str) -> Read<u32> {
        self.begin();
        let mut number: Option<u32> = None;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            self.bump();
            let digit = u32::from(digit - b'0');
            let longer = number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(digit));
            // Literals are twice as large.
            let Some(fits) = longer.filter(|number| *number <= u32::MAX / 4) else {
                return self.error("the number is too large");
            };
            number = Some(fits);
        }
        match number {
            Some(number) => Ok(number),
            None => {
                self.bump();
                self.error(format!("expected {what}"))
            }
        }
    }

    /// Whether a blank comes, and passes it.
    pub fn blank(&mut self) -> bool {
        let here = self.peek() == Some(b' ');
        if here {
            self.bump();
        }
        here
    }

    /// The blank between two words.
    pub fn expect_blank(&mut self) -> Read<()> {
        self.begin();
        match self.blank() {
            true => Ok(()),
            false => {
                self.bump();
                self.error("expected a blank and another number")
            }
        }
    }

    /// The end of a line.
    pub fn end_of_line(&mut self) -> Read<()> {
        self.begin();
        while matches!(self.peek(), Some(b' ' | b'\r')) {
            self.bump();
        }
        match self.bump() {
            Some(b'\n') | None => Ok(()),
            Some(_) => self.error("expected the end of the line"),
        }
    }

    /// The rest of the line.
    pub fn line(&mut self) -> String {
        self.begin();
        let mut line = String::new();
        while let Some(byte) = self.peek().filter(|byte| *byte != b'\n') {
            self.bump();
            line.push(char::from(byte));
        }
        self.bump();
        line.trim_end().to_string()
    }
}
