//! Making the words of a text, and finding the place to go on from where one was wrong.

use homing_ir::{Diagnostic, SourceId, Span};
use logos::{Lexer, Logos};

use super::syntax::Name;
use super::token::{Token, Unknown};
use crate::comments::{Closed, unclosed};
use crate::reading::{Parse, Reported, shortened};
use crate::reports::Reports;
use crate::walking::{Found, Walking, What};

/// A word, where it is written, and how.
#[derive(Clone, Copy, Debug)]
struct Lexeme<'a> {
    token: Token,
    text: &'a str,
    span: Span,
}

/// The place reached in a text.
///
/// Words are made when they are needed, so that a text costs no memory beyond
/// what is made of it. Once too many errors were reported, the text ends.
pub struct Cursor<'a> {
    lexer: Lexer<'a, Token>,
    source: SourceId,
    current: Lexeme<'a>,
    next: Lexeme<'a>,
    /// The end of the last word passed.
    end: u32,
    /// The end of the last run of characters that mean nothing.
    unknown_end: u32,
    /// How deep the expression being read is nested.
    nesting: usize,
    /// Whether names may have been declared in what was skipped.
    pub lost_names: bool,
    pub reports: Reports,
}

impl Walking for Cursor<'_> {
    type Kind = Token;

    const NESTED: &'static str = "the expression";

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
        // What follows from a text that was cut short here is not worth saying.
        if !self.reports.full() {
            self.reports.add(error);
        }
        Err(Reported)
    }

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }
}

impl<'a> Cursor<'a> {
    /// The start of `text`, which must not be longer than spans can say.
    pub fn new(source: SourceId, text: &'a str, reports: Reports) -> Cursor<'a> {
        let start = Span { source, start: 0, end: 0 };
        let before = Lexeme { token: Token::End, text: "", span: start };
        let mut cursor = Cursor {
            lexer: Token::lexer(text),
            source,
            current: before,
            next: before,
            end: 0,
            unknown_end: 0,
            nesting: 0,
            lost_names: false,
            reports,
        };
        cursor.next = cursor.lex();
        cursor.advance();
        cursor.end = 0;
        cursor
    }

    /// The word behind it.
    pub fn next_token(&self) -> Token {
        self.next.token
    }

    /// How the word reached is written.
    pub fn text(&self) -> &'a str {
        self.current.text
    }

    /// From the start of `from` to the end of the last word passed.
    pub fn since(&self, from: Span) -> Span {
        Span { end: self.end.max(from.start), ..from }
    }

    /// Passes a name, which must come here; `what` is what it would name.
    pub fn name(&mut self, what: &str) -> Parse<Name<'a>> {
        let name = Name { text: self.text(), span: self.span() };
        if self.take(Token::Name) { Ok(name) } else { self.fail_expecting(what) }
    }

    /// Goes on to a word of `stops`, or behind the next `;`, not counting what
    /// is in braces. Stops before a `}` that was not opened here.
    pub fn recover(&mut self, stops: &[Token]) {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End | Token::Process | Token::System => return,
                token if depth == 0 && stops.contains(&token) => return,
                Token::RightBrace if depth == 0 => return,
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth -= 1,
                Token::Semicolon if depth == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Makes the next word, reporting what is none.
    fn lex(&mut self) -> Lexeme<'a> {
        loop {
            let Some(result) = self.lexer.next() else { return self.end_of_text() };
            let span = self.lexeme_span();
            match result {
                Ok(Token::Comment(Closed(true))) => {}
                Ok(Token::Comment(Closed(false))) => {
                    let opened = Span { end: span.start + 2, ..span };
                    self.reports.add(unclosed(opened));
                }
                Ok(Token::BadNumber) => return self.bad_number(span),
                Ok(token) => return Lexeme { token, text: self.lexer.slice(), span },
                Err(Unknown) => self.unknown(span),
            }
            if self.reports.full() {
                return self.end_of_text();
            }
        }
    }

    fn lexeme_span(&self) -> Span {
        let range = self.lexer.span();
        Span { source: self.source, start: range.start as u32, end: range.end as u32 }
    }

    fn end_of_text(&self) -> Lexeme<'a> {
        let end = self.lexer.source().len() as u32;
        let span = Span { source: self.source, start: end, end };
        Lexeme { token: Token::End, text: "", span }
    }

    fn bad_number(&mut self, span: Span) -> Lexeme<'a> {
        let text = self.lexer.slice();
        let message = format!("`{}` is neither a number nor a name", shortened(text));
        let help = "numbers have digits only, and names do not begin with a digit";
        self.reports.add(Diagnostic::error(message, span).help(help));
        // As a name it fits wherever a name or a number does.
        self.lost_names = true;
        Lexeme { token: Token::Name, text, span }
    }

    /// Reports a character that means nothing, once a run of such characters.
    fn unknown(&mut self, span: Span) {
        let first = span.start == 0 || span.start != self.unknown_end;
        self.unknown_end = span.end;
        if let Some(character) = self.lexer.slice().chars().next().filter(|_| first) {
            let message = format!("unknown character {character:?}");
            self.reports.add(Diagnostic::error(message, span));
        }
    }
}
