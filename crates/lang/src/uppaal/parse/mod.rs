//! From words to the tree of `syntax`: recursive descent, one folder member a
//! part of the grammar.
//!
//! A function reports what is wrong and returns [`Reported`]; the loops over
//! declarations, statements and edges recover from it. One grammar serves all
//! versions: what the old one (UPPAAL 3) writes differently is told apart where
//! it stands.
//!
//! - `declaration`: variables, functions, instances, priorities;
//! - `types`: types, sizes, parameters;
//! - `statement`: bodies of functions;
//! - `expression`: expressions;
//! - `process`: processes of `.xta`, and the labels of edges.

use std::collections::BTreeSet;

use homing_ir::{Diagnostic, Span};

use super::syntax::Name;
use super::text::Piece;
use super::token::{Lexeme, Token, words};
use crate::reading::{Parse, Reported};
use crate::reports::Reports;
use crate::walking::{Found, Walking, What};

mod declaration;
mod expression;
pub mod process;
mod statement;
mod types;

/// What is kept from one piece of text to the next.
#[derive(Debug, Default)]
pub struct Known {
    /// Names of types: they tell a size that is a type, and an old constant.
    types: BTreeSet<String>,
    /// Those of inner scopes, in the order of their declaration.
    inner: Vec<String>,
}

impl Known {
    /// Notes the name of a type.
    fn add(&mut self, name: &str) {
        if self.types.insert(name.to_string()) {
            self.inner.push(name.to_string());
        }
    }

    /// The scope, to be left for again.
    pub fn mark(&self) -> usize {
        self.inner.len()
    }

    /// Forgets what was declared since `mark`.
    pub fn leave(&mut self, mark: usize) {
        for name in self.inner.drain(mark.min(self.inner.len())..) {
            self.types.remove(&name);
        }
    }
}

/// The place reached in a piece of text.
pub struct Parser<'p> {
    words: Vec<Lexeme<'p>>,
    at: usize,
    /// Shown behind the last word.
    end: Lexeme<'p>,
    /// How deep what is being read is nested.
    nesting: usize,
    /// How deep the deepest expression read is; see `expression`.
    deepest: usize,
    /// Whether `-->` is a word.
    in_query: bool,
    /// The word at which an error was reported last: one error a word is
    /// enough, the others follow from it.
    reported: Option<Span>,
    pub known: &'p mut Known,
    pub reports: &'p mut Reports,
}

impl Walking for Parser<'_> {
    type Kind = Token;

    fn token(&self) -> Token {
        self.ahead(0)
    }

    fn span(&self) -> Span {
        self.lexeme(0).span
    }

    fn found(&self) -> Found<'_> {
        let Lexeme { token, text, span, .. } = *self.lexeme(0);
        let what = match token {
            _ if self.reports.full() => What::End,
            Token::Name => What::Name,
            Token::BadNumber => What::BadNumber,
            Token::Unknown => What::Unknown,
            Token::End => What::End,
            _ => What::Word,
        };
        Found { what, text, span }
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len());
    }

    fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        let here = self.span();
        // What follows from a text that was cut short is not worth saying.
        if self.reported.replace(here) != Some(here) && !self.reports.full() {
            self.reports.add(error);
        }
        Err(Reported)
    }

    fn nesting(&mut self) -> &mut usize {
        &mut self.nesting
    }
}

impl<'p> Parser<'p> {
    /// The start of a piece.
    pub fn new(piece: &'p Piece<'_>, known: &'p mut Known, reports: &'p mut Reports) -> Parser<'p> {
        let words = words(piece, reports);
        Parser::of_words(words, piece.end(), known, reports)
    }

    /// The start of words that were cut already, and end at `end`.
    pub fn of_words(
        words: Vec<Lexeme<'p>>,
        end: Span,
        known: &'p mut Known,
        reports: &'p mut Reports,
    ) -> Parser<'p> {
        let end = Lexeme { token: Token::End, text: "", span: end, newline: false, joined: false };
        Parser {
            words,
            at: 0,
            end,
            nesting: 0,
            deepest: 0,
            in_query: false,
            reported: None,
            known,
            reports,
        }
    }

    /// The same parser, for a query.
    pub fn of_query(mut self) -> Parser<'p> {
        self.in_query = true;
        self
    }

    /// The word `ahead` words behind the one reached.
    fn lexeme(&self, ahead: usize) -> &Lexeme<'p> {
        self.words.get(self.at + ahead).unwrap_or(&self.end)
    }

    /// The kind of the word `ahead` words behind it.
    pub fn ahead(&self, ahead: usize) -> Token {
        if self.reports.full() { Token::End } else { self.lexeme(ahead).token }
    }

    /// How the word reached is written.
    pub fn text(&self) -> &'p str {
        self.lexeme(0).text
    }

    /// From the start of `from` to the end of the last word passed.
    fn since(&self, from: Span) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.words.get(at));
        last.map_or(from, |last| Span { end: last.span.end.max(from.start), ..from })
    }

    /// Whether `-->` of queries comes here.
    pub fn at_leads_to(&self) -> bool {
        self.in_query
            && self.token() == Token::Decrement
            && self.ahead(1) == Token::Greater
            && self.lexeme(1).joined
    }

    /// Whether `control :` stands `ahead` words from here.
    pub fn at_control(&self, ahead: usize) -> bool {
        self.lexeme(ahead).text == "control" && self.ahead(ahead + 1) == Token::Colon
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// From the first word to the last.
    pub fn whole(&self) -> Span {
        let first = self.words.first().map_or(self.end.span, |word| word.span);
        self.words.last().map_or(first, |last| first.to(last.span))
    }

    /// The words as written, on one line and without comments.
    pub fn written(&self) -> String {
        let mut text = String::new();
        for word in &self.words {
            if !text.is_empty() && !word.joined {
                text.push(' ');
            }
            text.push_str(word.text);
        }
        text
    }

    /// Passes a name, which must come here; `what` is what it would name.
    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.token() != Token::Name {
            return self.fail_expecting(what);
        }
        let name = Name { text: self.text().to_string(), span: self.span() };
        self.advance();
        Ok(name)
    }

    /// One or more of something, with commas between them.
    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.take(Token::Comma) {
            list.push(one(self)?);
        }
        Ok(list)
    }

    /// The end of the text must come here.
    pub fn finish(&mut self) -> Parse<()> {
        self.expect(Token::End).map(|_| ())
    }

    /// Goes behind the next `;`, or before a `}` that was not opened here, or
    /// to a word that begins something new in any case.
    fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End | Token::Process | Token::System => return,
                Token::State | Token::Trans | Token::Init if depth == 0 => return,
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

    /// Passes braces and what is in them.
    fn skip_braces(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End => return self.fail_expecting("`}`"),
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
