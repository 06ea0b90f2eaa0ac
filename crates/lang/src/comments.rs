//! Comments over several lines, from `/*` to the next `*/`, for lexers that take them for
//! words: one that skips them itself would recurse.
//!
//! Promela's are the preprocessor's (`promela::preprocess::scan`), where a line may be
//! continued within the signs that open and close them.

use homing_ir::{Diagnostic, Span};
use logos::{Lexer, Logos};

/// Whether a comment ends before the text does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Closed(pub bool);

/// Goes to the end of a comment that was just opened.
pub fn comment<'t, T: Logos<'t, Source = str>>(lexer: &mut Lexer<'t, T>) -> Closed {
    let rest = lexer.remainder();
    let end = rest.find("*/");
    lexer.bump(end.map_or(rest.len(), |end| end + 2));
    Closed(end.is_some())
}

/// What to say of a comment that was opened at `span` and is not closed.
pub fn unclosed(span: Span) -> Diagnostic {
    let error = Diagnostic::error("a comment is not closed", span).label("opened here");
    error.help("write `*/` where it ends")
}
