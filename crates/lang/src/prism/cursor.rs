//! Walking over the words of a text, which are made at once: an update is told from a
//! probability only by its third word.

use homing_ir::{Diagnostic, SourceId, Span};
use logos::Logos;

use super::syntax::Name;
use super::token::Token;
use crate::reading::{Parse, Reported};
use crate::reports::Reports;
use crate::walking::{Found, Walking, What};

/// The place reached in a text.
pub struct Cursor<'t> {
    words: Vec<(Token, Span)>,
    at: usize,
    text: &'t str,
    nesting: usize,
    pub reports: Reports,
}

impl<'t> Cursor<'t> {
    pub fn new(source: SourceId, text: &'t str, reports: Reports) -> Cursor<'t> {
        let place =
            |start: usize, end: usize| Span { source, start: start as u32, end: end as u32 };
        let words = Token::lexer(text).spanned().map(|(token, range)| {
            homing_budget::checkpoint();
            (token.unwrap_or(Token::Unknown), place(range.start, range.end))
        });
        let mut words: Vec<(Token, Span)> = words.collect();
        words.push((Token::End, place(text.len(), text.len())));
        Cursor { words, at: 0, text, nesting: 0, reports }
    }

    /// The word reached and what follows it, `ahead` words on.
    fn word(&self, ahead: usize) -> (Token, Span) {
        let last = self.words.len() - 1;
        self.words[(self.at + ahead).min(last)]
    }

    /// The word that comes so many words later.
    pub fn later(&self, ahead: usize) -> Token {
        if self.reports.full() { Token::End } else { self.word(ahead).0 }
    }

    /// How the word reached is written.
    pub fn text(&self) -> &'t str {
        let span = self.span();
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// From the start of `start` to the last word passed.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.words[self.at.saturating_sub(1)].1)
    }

    /// A name, which is `what`.
    pub fn name(&mut self, what: &str) -> Parse<Name<'t>> {
        if self.token() != Token::Name {
            return self.fail_expecting(what);
        }
        let name = Name { text: self.text(), span: self.span() };
        self.advance();
        Ok(name)
    }

    /// A name in quotes, without these.
    pub fn quoted(&mut self) -> Parse<Name<'t>> {
        let name = Name { text: self.text().trim_matches('"'), span: self.span() };
        self.expect(Token::Quoted)?;
        Ok(name)
    }

    /// Goes on behind the next of these words, or before one that begins something else.
    pub fn recover(&mut self, behind: &[Token], before: &[Token]) {
        loop {
            let token = self.token();
            if token == Token::End || before.contains(&token) {
                return;
            }
            self.advance();
            if behind.contains(&token) {
                return;
            }
        }
    }
}

impl Walking for Cursor<'_> {
    type Kind = Token;

    const NESTED: &'static str = "the expression";

    fn token(&self) -> Token {
        self.later(0)
    }

    fn span(&self) -> Span {
        self.word(0).1
    }

    fn found(&self) -> Found<'_> {
        let what = match self.token() {
            Token::Name => What::Name,
            Token::End => What::End,
            Token::Unknown => What::Unknown,
            _ => What::Word,
        };
        Found { what, text: self.text(), span: self.span() }
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len() - 1);
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
