//! Walking over the words of a text.
//!
//! SPIN ends statements at the end of a line where it can (since version 6.3):
//! within a body and outside of parentheses, behind a word that may end a
//! statement. The cursor shows a [`Token::LineEnd`] there, unless the next line
//! cannot begin a statement; SPIN inserts a semicolon then and refuses the text.

use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use crate::promela::preprocess::Origin;
use crate::promela::token::{Lexeme, Token};
use crate::reading::{Parse, Reported};
use crate::reports::Reports;
use crate::walking::{Found, What};

/// How many expansions a diagnostic names.
const MOST_EXPANSIONS: usize = 6;

/// The place reached in a text.
pub struct Cursor<'r> {
    words: Rc<[Lexeme]>,
    at: usize,
    /// Shown behind the last word.
    end: Lexeme,
    /// The last word passed, and its place.
    last: Token,
    last_span: Span,
    /// Whether the end of a line shows here.
    line_end: bool,
    /// How many parentheses are open.
    parentheses: usize,
    /// Whether ends of lines may end statements.
    pub in_body: bool,
    /// How deep what is being read is nested.
    pub nesting: usize,
    /// The word at which an error was reported last: one error a word is
    /// enough, the others follow from it.
    reported: Option<Span>,
    pub origins: Vec<Origin>,
    pub reports: &'r mut Reports,
}

/// What [`Cursor::enter`] leaves, to be returned to.
pub struct Left {
    words: Rc<[Lexeme]>,
    at: usize,
    end: Lexeme,
    parentheses: usize,
}

impl<'r> Cursor<'r> {
    pub fn new(
        words: Vec<Lexeme>,
        end: Span,
        origins: Vec<Origin>,
        reports: &'r mut Reports,
    ) -> Cursor<'r> {
        Cursor {
            words: words.into(),
            at: 0,
            end: end_lexeme(end),
            last: Token::End,
            last_span: Span { start: 0, end: 0, ..end },
            line_end: false,
            parentheses: 0,
            in_body: false,
            nesting: 0,
            reported: None,
            origins,
            reports,
        }
    }

    fn lexeme(&self, ahead: usize) -> &Lexeme {
        self.words.get(self.at + ahead).unwrap_or(&self.end)
    }

    /// The word reached.
    pub fn token(&self) -> Token {
        match (self.reports.full(), self.line_end) {
            (true, _) => Token::End,
            (false, true) => Token::LineEnd,
            (false, false) => self.lexeme(0).token,
        }
    }

    /// The word `ahead` words behind it, ends of lines left out.
    pub fn ahead(&self, ahead: usize) -> Token {
        if self.reports.full() { Token::End } else { self.lexeme(ahead).token }
    }

    /// Whether nothing stands between the word `ahead` and the one before.
    pub fn joined(&self, ahead: usize) -> bool {
        self.lexeme(ahead).joined
    }

    /// How the word reached is written.
    pub fn text(&self) -> &Rc<str> {
        &self.lexeme(0).text
    }
    /// The word reached with all that is known of it.
    pub fn current(&self) -> Lexeme {
        self.lexeme(0).clone()
    }

    /// Where the word reached is.
    pub fn span(&self) -> Span {
        self.lexeme(0).span
    }

    /// The last word passed.
    pub fn last(&self) -> Token {
        self.last
    }

    /// From the start of `from` to the end of the last word passed.
    pub fn since(&self, from: Span) -> Span {
        let same = from.source == self.last_span.source && self.last_span.end >= from.start;
        if same { from.to(self.last_span) } else { from }
    }

    /// Passes a word, or the end of a line.
    pub fn advance(&mut self) {
        if self.line_end {
            self.line_end = false;
            return;
        }
        let Some(passed) = self.words.get(self.at) else { return };
        (self.last, self.last_span) = (passed.token, passed.span);
        match self.last {
            Token::LeftParenthesis => self.parentheses += 1,
            Token::RightParenthesis => self.parentheses = self.parentheses.saturating_sub(1),
            // Whatever went wrong before does not matter any more.
            Token::LeftBrace | Token::RightBrace => self.parentheses = 0,
            _ => {}
        }
        self.at += 1;
        let next = self.lexeme(0);
        self.line_end = self.in_body
            && self.parentheses == 0
            && next.newline
            && self.last.ends_line()
            && !next.token.continues();
    }

    /// Passes the end of a line, if there is one.
    pub fn pass_line_end(&mut self) {
        self.line_end = false;
    }

    /// The word reached, for messages.
    pub fn found(&self) -> Found<'_> {
        let Lexeme { token, text, span, .. } = self.lexeme(0);
        let (what, span) = match token {
            _ if self.reports.full() => (What::End, *span),
            Token::BadNumber => (What::BadNumber, *span),
            Token::Unknown => (What::Unknown, *span),
            _ if self.token() == Token::LineEnd => (What::LineEnd, self.last_span),
            Token::Name => (What::Name, *span),
            Token::End => (What::End, *span),
            _ => (What::Word, *span),
        };
        Found { what, text, span }
    }

    /// Reports an error about the word reached or one before it.
    pub fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        let here = self.span();
        if self.reported.replace(here) != Some(here) {
            self.report(error);
        }
        Err(Reported)
    }

    /// Reports something, and names the expansions the word reached comes from.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        // What follows from a text that was cut short here is not worth saying.
        if self.reports.full() {
            return;
        }
        let here = self.lexeme(0);
        let origin = if here.span == diagnostic.span { here.origin } else { 0 };
        let diagnostic = self.with_expansions(diagnostic, origin);
        self.reports.add(diagnostic);
    }

    fn with_expansions(&self, mut diagnostic: Diagnostic, mut origin: u32) -> Diagnostic {
        for _ in 0..MOST_EXPANSIONS {
            let found = (origin as usize).checked_sub(1).and_then(|index| self.origins.get(index));
            let Some(found) = found else { break };
            let label = format!("in the expansion of `{}`, defined here", found.name);
            diagnostic = diagnostic.related(found.definition, label);
            origin = found.parent;
        }
        diagnostic
    }

    /// Goes on to the next separator, option, or end of what is open here,
    /// not counting what is in braces.
    pub fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End => return,
                token if token.begins_unit() && self.lexeme(0).newline => return,
                Token::LeftBrace | Token::If | Token::Do => depth += 1,
                Token::RightBrace | Token::Fi | Token::Od if depth == 0 => return,
                Token::RightBrace | Token::Fi | Token::Od => depth -= 1,
                Token::Option if depth == 0 => return,
                token if depth == 0 && token.separates() => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Passes braces and what is in them.
    pub fn skip_braces(&mut self) {
        let mut depth = 0usize;
        while self.token() != Token::End {
            match self.token() {
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads other words until [`Cursor::leave`].
    pub fn enter(&mut self, words: Vec<Lexeme>, end: Span) -> Left {
        let left = Left {
            words: std::mem::replace(&mut self.words, words.into()),
            at: std::mem::replace(&mut self.at, 0),
            end: std::mem::replace(&mut self.end, end_lexeme(end)),
            parentheses: std::mem::replace(&mut self.parentheses, 0),
        };
        self.line_end = false;
        left
    }

    /// Returns to the words read before [`Cursor::enter`]. What was entered
    /// ends like a block, whatever follows is a new statement.
    pub fn leave(&mut self, left: Left, place: Span) {
        (self.words, self.at, self.end) = (left.words, left.at, left.end);
        self.parentheses = left.parentheses;
        (self.last, self.last_span) = (Token::RightBrace, place);
        let next = self.lexeme(0);
        self.line_end = self.in_body && next.newline && !next.token.continues();
    }

    /// The words from `start` to the one reached.
    pub fn words_since(&self, start: usize) -> &[Lexeme] {
        self.words.get(start..self.at.min(self.words.len())).unwrap_or(&[])
    }

    /// The number of the word reached.
    pub fn index(&self) -> usize {
        self.at
    }

    /// All words.
    pub fn words(&self) -> &[Lexeme] {
        &self.words
    }
}

fn end_lexeme(span: Span) -> Lexeme {
    Lexeme { token: Token::End, text: "".into(), span, origin: 0, newline: false, joined: false }
}
