//! Walking over the words of a text, with what every parser needs: insisting on a word,
//! saying what is wrong, and not going too deep.
//!
//! How words are made, looked ahead to and passed is the language's: DVE makes them when
//! they are needed, Promela's come out of macros and inlines, UPPAAL's out of XML.

use std::borrow::Cow;

use homing_ir::{Diagnostic, Span};

use crate::reading::{Parse, shortened};

/// How deep a text may be nested.
const MOST_NESTING: usize = 200;

/// A kind of word.
pub trait Kind: Copy + PartialEq {
    /// What an error message calls such a word where it was expected.
    fn describe(self) -> Cow<'static, str>;
}

/// What stands where something else was expected.
#[derive(Clone, Copy, Debug)]
pub struct Found<'t> {
    /// What it is to messages.
    pub what: What,
    /// How it is written.
    pub text: &'t str,
    /// Where.
    pub span: Span,
}

/// What a word is to messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A name that the text may choose.
    Name,
    /// Any other word of the language.
    Word,
    /// Digits and letters.
    BadNumber,
    /// A quote that is not closed, or a character that means nothing.
    Unknown,
    /// The end of a line that ends a statement.
    LineEnd,
    /// The end of the text.
    End,
}

/// A parser: the place it has reached in a text, and where it reports to.
pub trait Walking {
    /// The kinds of words.
    type Kind: Kind;

    /// What is nested, in messages.
    const NESTED: &'static str = "the text";

    /// The word reached.
    fn token(&self) -> Self::Kind;

    /// Where the word reached is.
    fn span(&self) -> Span;

    /// The word reached, for messages; the end, where no more are reported.
    fn found(&self) -> Found<'_>;

    /// Passes a word.
    fn advance(&mut self);

    /// Reports an error about the word reached or one before it.
    fn fail<T>(&mut self, error: Diagnostic) -> Parse<T>;

    /// How deep what is being read is nested.
    fn nesting(&mut self) -> &mut usize;

    /// Passes the word if it is `token`.
    fn take(&mut self, token: Self::Kind) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Whether the word is the name `text`: for words that mean something only in one
    /// place.
    fn at_word(&self, text: &str) -> bool {
        let found = self.found();
        found.what == What::Name && found.text == text
    }

    /// Passes `token`, which must come here.
    fn expect(&mut self, token: Self::Kind) -> Parse<Span> {
        let span = self.span();
        if self.take(token) { Ok(span) } else { self.fail_expecting(&token.describe()) }
    }

    /// Reports that something else should have come here.
    fn fail_expecting<T>(&mut self, what: &str) -> Parse<T> {
        let error = self.found().instead_of(what);
        self.fail(error)
    }

    /// Reads something one level deeper, if that is not too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if *self.nesting() == MOST_NESTING {
            return self.too_deep(self.span());
        }
        *self.nesting() += 1;
        let result = parse(self);
        *self.nesting() -= 1;
        result
    }

    /// Reports that something is nested too deeply.
    fn too_deep<T>(&mut self, span: Span) -> Parse<T> {
        let error = Diagnostic::error(format!("{} is nested too deeply", Self::NESTED), span);
        self.fail(error.help(format!("at most {MOST_NESTING} levels can be read")))
    }
}

impl Found<'_> {
    /// What to say where `what` was expected.
    fn instead_of(self, what: &str) -> Diagnostic {
        let text = shortened(self.text);
        let found = match self.what {
            What::BadNumber => {
                let message = format!("`{text}` is neither a number nor a name");
                return Diagnostic::error(message, self.span)
                    .help("numbers are decimal, and names do not begin with a digit");
            }
            What::Unknown if text.starts_with(['"', '\'']) => {
                return Diagnostic::error("a quote is not closed", self.span);
            }
            What::Unknown => {
                return Diagnostic::error(format!("unknown character {text:?}"), self.span);
            }
            What::LineEnd => "the end of the line".to_string(),
            What::End => "the end of the text".to_string(),
            What::Name | What::Word => format!("`{text}`"),
        };
        let error = Diagnostic::error(format!("expected {what}, found {found}"), self.span)
            .label(format!("expected {what}"));
        let keyword = self.what == What::Word
            && self.text.starts_with(|letter: char| letter.is_ascii_alphabetic());
        match keyword && what.contains(" name") {
            true => error.help(format!("`{}` is a word of the language", self.text)),
            false => error,
        }
    }
}
