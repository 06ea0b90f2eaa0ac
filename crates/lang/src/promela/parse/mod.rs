//! The parser: words to the tree of [`syntax`](super::syntax).
//!
//! Every function reports what is wrong and returns
//! [`Reported`](crate::reading::Reported); the loops over units and statements
//! recover from it and go on.
//!
//! Some words mean something only by what was declared above: the name of a
//! record type begins a declaration, that of an inline a call, and `P:x` is a
//! label unless `P` is a process type. SPIN reads formulas at the end of the
//! text, where all process types are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use super::syntax::{Name, Program, Reference};
use super::token::{Lexeme, Token};
use crate::reading::Parse;
use crate::reports::Reports;
use crate::walking::{Found, Walking};
use cursor::Cursor;
use inline::Inline;

mod cursor;
mod declaration;
mod expression;
mod inline;
mod statement;
mod unit;

/// An inline being called.
struct Call {
    name: Rc<str>,
    /// What `return` assigns to.
    result: Option<Reference>,
}

/// The place reached, and what is known of the text above.
pub struct Parser<'r> {
    cursor: Cursor<'r>,
    /// Names of record types.
    records: BTreeSet<Rc<str>>,
    /// Names of process types so far, that of the body being read included.
    processes: BTreeSet<Rc<str>>,
    /// Names of all process types of the text.
    all_processes: BTreeSet<Rc<str>>,
    inlines: BTreeMap<Rc<str>, Rc<Inline>>,
    /// Inlines being called, the innermost last.
    calls: Vec<Call>,
    /// The number of the innermost call, and of the last one.
    call: u32,
    last_call: u32,
    /// How many words calls of inlines made.
    inlined: usize,
    /// How many loops are open.
    loops: usize,
    /// Whether an option begins here: `else` may come.
    at_option: bool,
    /// How deep the deepest expression in brackets and arguments is, of what
    /// is being read.
    deepest: usize,
    /// Whether a formula is being read.
    formula: bool,
    /// Whether `b` of `(a -> b : c)` is being read: `:` does not belong to it.
    choosing: bool,
    /// Whether any name may be that of a process type: in goals.
    goal: bool,
}

impl<'r> Deref for Parser<'r> {
    type Target = Cursor<'r>;

    fn deref(&self) -> &Cursor<'r> {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// What a parser starts from.
pub struct Text {
    pub words: Vec<Lexeme>,
    pub origins: Vec<super::preprocess::Origin>,
    /// The end of the text.
    pub end: Span,
}

/// Parses a model.
pub fn program(text: Text, reports: &mut Reports) -> Program {
    let mut parser = Parser::new(text, reports);
    let mut program = Program::default();
    parser.units(&mut program);
    program
}

/// Parses an expression that a user typed.
pub fn goal(text: Text, reports: &mut Reports) -> Option<super::syntax::Expr> {
    let mut parser = Parser { goal: true, ..Parser::new(text, reports) };
    let expr = parser.expression().ok()?;
    match parser.token() {
        Token::End => Some(expr),
        _ => parser.fail_expecting("an operator or the end").ok(),
    }
}

impl Walking for Parser<'_> {
    type Kind = Token;

    fn token(&self) -> Token {
        self.cursor.token()
    }

    fn span(&self) -> Span {
        self.cursor.span()
    }

    fn found(&self) -> Found<'_> {
        self.cursor.found()
    }

    fn advance(&mut self) {
        self.cursor.advance();
    }

    fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        self.cursor.fail(error)
    }

    fn nesting(&mut self) -> &mut usize {
        &mut self.cursor.nesting
    }
}

impl<'r> Parser<'r> {
    /// Passes a name, which must come here; `what` is what it would name.
    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.token() != Token::Name {
            return self.fail_expecting(what);
        }
        let name = Name { text: self.text().to_string(), span: self.span() };
        self.advance();
        Ok(name)
    }

    fn new(text: Text, reports: &'r mut Reports) -> Parser<'r> {
        let mut all_processes = BTreeSet::new();
        for pair in text.words.windows(2) {
            let begins = matches!(pair[0].token, Token::Proctype | Token::DProctype);
            if begins && pair[1].token == Token::Name {
                all_processes.insert(Rc::clone(&pair[1].text));
            }
        }
        Parser {
            cursor: Cursor::new(text.words, text.end, text.origins, reports),
            records: BTreeSet::new(),
            processes: BTreeSet::new(),
            all_processes,
            inlines: BTreeMap::new(),
            calls: Vec::new(),
            call: 0,
            last_call: 0,
            inlined: 0,
            loops: 0,
            at_option: false,
            deepest: 0,
            formula: false,
            choosing: false,
            goal: false,
        }
    }

    /// Whether the word reached names a process type.
    fn is_process(&self) -> bool {
        let known = if self.formula { &self.all_processes } else { &self.processes };
        self.goal || known.contains(self.text())
    }

    /// Whether the word reached names an inline.
    fn is_inline(&self) -> bool {
        self.token() == Token::Name && self.inlines.contains_key(self.text())
    }

    /// Reports embedded C, and passes it.
    fn embedded(&mut self) {
        let span = self.span();
        let word = Rc::clone(self.text());
        let error = Diagnostic::error("embedded C is not supported", span)
            .label(format!("`{word}` begins embedded C"));
        self.report(error.help("write it in Promela"));
        let strings = matches!(self.token(), Token::CState | Token::CTrack);
        self.advance();
        if strings {
            while self.take(Token::Text) {}
            return;
        }
        if self.ahead(0) == Token::LeftBracket {
            while !matches!(self.ahead(0), Token::RightBracket | Token::LeftBrace | Token::End) {
                self.advance();
            }
            self.pass_line_end();
            self.take(Token::RightBracket);
        }
        self.pass_line_end();
        if self.token() == Token::LeftBrace {
            self.skip_braces();
        }
    }
}
