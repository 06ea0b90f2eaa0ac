//! The place reached in a text.

use homing_ir::{Diagnostic, SourceId, Span};
use logos::{Lexer, Logos};

use super::token::{Token, Unknown};
use crate::comments::Closed;
use crate::reading::{Parse, Reported};
use crate::reports::Reports;
use crate::walking::{Found, Walking, What};

/// A word, how it is written, and where.
#[derive(Clone, Copy, Debug)]
struct Lexeme<'t> {
    token: Token,
    text: &'t str,
    span: Span,
}

/// The place reached in a text. Words are made when they are needed.
pub struct Cursor<'t> {
    lexer: Lexer<'t, Token>,
    source: SourceId,
    current: Lexeme<'t>,
    next: Lexeme<'t>,
    /// The end of the last word passed.
    end: u32,
    nesting: usize,
    pub reports: Reports,
}

impl Walking for Cursor<'_> {
    type Kind = Token;

    const NESTED: &'static str = "the type";

    fn token(&self) -> Token {
        if self.reports.full() { Token::End } else { self.current.token }
    }

    fn span(&self) -> Span {
        self.current.span
    }

    fn found(&self) -> Found<'_> {
        let Lexeme { token, text, span } = self.current;
        let what = match token {
            _ if self.reports.full() => What::End,
            Token::Name => What::Name,
            Token::End => What::End,
            Token::Stray => What::Unknown,
            _ => What::Word,
        };
        Found { what, text, span }
    }

    fn advance(&mut self) {
        self.end = self.current.span.end;
        self.current = self.next;
        if self.current.token != Token::End {
            self.next = self.lex();
        }
    }

    fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        if !self.reports.full() {
            self.reports.add(error);
        }
        Err(Reported)
    }

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }
}

impl<'t> Cursor<'t> {
    /// The start of a text.
    pub fn new(source: SourceId, text: &'t str) -> Cursor<'t> {
        let span = Span { source, start: 0, end: 0 };
        let before = Lexeme { token: Token::Stray, text: "", span };
        let mut cursor = Cursor {
            lexer: Token::lexer(text),
            source,
            current: before,
            next: before,
            end: 0,
            nesting: 0,
            reports: Reports::default(),
        };
        cursor.next = cursor.lex();
        cursor.advance();
        cursor
    }

    /// The word behind the one reached.
    pub fn next_token(&self) -> Token {
        self.next.token
    }

    /// How the word reached is written.
    pub fn text(&self) -> &'t str {
        self.current.text
    }

    /// From the start of `from` to the end of the last word passed.
    pub fn since(&self, from: Span) -> Span {
        Span { end: self.end.max(from.start), ..from }
    }

    /// Passes a name, which must come here; `what` is what it would name.
    pub fn name(&mut self, what: &str) -> Parse<(&'t str, Span)> {
        let name = (self.text(), self.span());
        if self.take(Token::Name) { Ok(name) } else { self.fail_expecting(what) }
    }

    /// Goes on to where the next section begins.
    pub fn recover(&mut self) {
        while !self.token().begins_section() {
            self.advance();
        }
    }

    fn lex(&mut self) -> Lexeme<'t> {
        loop {
            homing_budget::checkpoint();
            let Some(result) = self.lexer.next() else { break };
            let range = self.lexer.span();
            let span =
                Span { source: self.source, start: range.start as u32, end: range.end as u32 };
            let text = self.lexer.slice();
            match result {
                Ok(Token::Comment(Closed(true)) | Token::LineComment | Token::LineMarker) => {}
                Ok(Token::Comment(Closed(false))) => {
                    let opened = Span { end: span.start + 3, ..span };
                    let error = Diagnostic::error("a comment is not closed", opened);
                    self.reports.add(error.label("opened here").help("write `--/` where it ends"));
                }
                Ok(Token::Directive) => {
                    let error = Diagnostic::error("a line for a preprocessor", span);
                    self.reports
                        .add(error.help("run `cpp` or `m4` first, and check what it writes"));
                }
                Ok(token) => return Lexeme { token, text, span },
                Err(Unknown) => return Lexeme { token: Token::Stray, text, span },
            }
        }
        let end = self.lexer.source().len() as u32;
        let span = Span { source: self.source, start: end, end };
        Lexeme { token: Token::End, text: "", span }
    }
}
