//! Expressions and statements: the values of attributes.
//!
//! A value is a piece of the text; words are found in it one after the other.

use homing_ir::network::Binary;
use homing_ir::wellformed::MAX_DEPTH;
use homing_ir::{Diagnostic, Span, balanced};

use super::syntax::{Expression, Kind, Name, Statement};
use crate::reading::{Parse, Reported, shortened};
use crate::reports::Reports;

/// How deep things may be nested: every level of the text makes a few of the tree.
const NESTING: usize = MAX_DEPTH / 4;

/// The condition that an attribute is.
pub fn condition<'a>(value: Name<'a>, reports: &mut Reports) -> Parse<Expression<'a>> {
    let mut words = Words::new(value, false, reports);
    let expression = words.formula()?;
    words.end().map(|()| expression)
}

/// A condition that a user writes: there may be `||` in it.
pub fn goal<'a>(value: Name<'a>, reports: &mut Reports) -> Parse<Expression<'a>> {
    let mut words = Words::new(value, true, reports);
    let expression = words.formula()?;
    words.end().map(|()| expression)
}

/// The statements that an attribute is.
pub fn statements<'a>(value: Name<'a>, reports: &mut Reports) -> Parse<Vec<Statement<'a>>> {
    let mut words = Words::new(value, false, reports);
    let statements = words.sequence(&[])?;
    words.end().map(|()| statements)
}

/// Operators, longer ones first.
const SYMBOLS: &[&str] = &[
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "=", "!", "+", "-", "*", "/", "%", "(", ")", "[",
    "]", ";",
];

const KEYWORDS: &[&str] = &["if", "then", "else", "end", "while", "do", "local", "nop"];

struct Words<'a, 'r> {
    value: Name<'a>,
    /// The word reached, and where it begins in the value.
    word: &'a str,
    at: usize,
    /// The end of the word before.
    passed: usize,
    /// Whether a user wrote this.
    free: bool,
    depth: usize,
    reports: &'r mut Reports,
}

impl<'a, 'r> Words<'a, 'r> {
    fn new(value: Name<'a>, free: bool, reports: &'r mut Reports) -> Words<'a, 'r> {
        let mut words = Words { value, word: "", at: 0, passed: 0, free, depth: 0, reports };
        words.advance();
        words.passed = 0;
        words
    }

    fn advance(&mut self) {
        self.passed = self.at + self.word.len();
        let rest = self.value.text.get(self.passed..).unwrap_or("");
        let trimmed = rest.trim_start();
        self.at = self.passed + rest.len() - trimmed.len();
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let symbol = SYMBOLS.iter().find(|symbol| trimmed.starts_with(**symbol));
        let length = match (symbol, trimmed.find(|c| !belongs(c))) {
            (Some(symbol), _) => symbol.len(),
            (None, Some(0)) => trimmed.chars().next().map_or(0, char::len_utf8),
            (None, end) => end.unwrap_or(trimmed.len()),
        };
        self.word = &trimmed[..length];
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.word == word;
        if found {
            self.advance();
        }
        found
    }

    fn require(&mut self, word: &str) -> Parse<()> {
        if self.take(word) { Ok(()) } else { self.fail(&format!("`{word}`")) }
    }

    fn here(&self) -> Span {
        let start = self.value.span.start + self.at as u32;
        Span { start, end: start + self.word.len() as u32, ..self.value.span }
    }

    /// From the beginning of `from` to the end of the last word passed.
    fn since(&self, from: Span) -> Span {
        Span { end: (self.value.span.start + self.passed as u32).max(from.start), ..from }
    }

    fn fail<T>(&mut self, expected: &str) -> Parse<T> {
        let found = match self.word {
            "" => "the end".to_owned(),
            word => format!("`{}`", shortened(word)),
        };
        let message = format!("expected {expected}, found {found}");
        self.reports.add(Diagnostic::error(message, self.here()));
        Err(Reported)
    }

    fn end(&mut self) -> Parse<()> {
        if self.word.is_empty() { Ok(()) } else { self.fail("an operator or the end") }
    }

    fn is_name(&self) -> bool {
        self.word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !KEYWORDS.contains(&self.word)
    }

    fn name(&mut self, what: &str) -> Parse<Name<'a>> {
        if !self.is_name() {
            return self.fail(what);
        }
        let name = Name { text: self.word, span: self.here() };
        self.advance();
        Ok(name)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth > NESTING {
            self.reports.add(Diagnostic::error("nested too deeply", self.here()));
            return Err(Reported);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn sequence(&mut self, ends: &[&str]) -> Parse<Vec<Statement<'a>>> {
        let mut all = vec![self.deeper(Words::statement)?];
        while self.take(";") {
            if self.word.is_empty() || ends.contains(&self.word) {
                break;
            }
            all.push(self.deeper(Words::statement)?);
        }
        Ok(all)
    }

    fn statement(&mut self) -> Parse<Statement<'a>> {
        let start = self.here();
        if self.take("nop") {
            return Ok(Statement::Nothing);
        }
        if self.take("if") {
            let condition = self.formula()?;
            self.require("then")?;
            let yes = self.sequence(&["else", "end"])?;
            let no = if self.take("else") { self.sequence(&["end"])? } else { Vec::new() };
            self.require("end")?;
            return Ok(Statement::If { condition, yes, no, span: self.since(start) });
        }
        if self.take("while") {
            let condition = self.formula()?;
            self.require("do")?;
            let block = self.sequence(&["end"])?;
            self.require("end")?;
            return Ok(Statement::While { condition, block, span: self.since(start) });
        }
        if self.take("local") {
            let name = self.name("the name of a variable")?;
            let value = if self.take("=") { Some(self.term()?) } else { None };
            let size = if value.is_none() { self.index()? } else { None };
            return Ok(Statement::Local { name, value, size });
        }
        let target = self.name("a statement")?;
        let index = self.index()?;
        self.require("=")?;
        let value = self.term()?;
        Ok(Statement::Assign { target, index, value, span: self.since(start) })
    }

    fn index(&mut self) -> Parse<Option<Expression<'a>>> {
        if !self.take("[") {
            return Ok(None);
        }
        let index = self.deeper(Words::term)?;
        self.require("]").map(|()| Some(index))
    }

    fn binary(&self, op: Binary, left: Expression<'a>, right: Expression<'a>) -> Expression<'a> {
        let span = self.since(left.span);
        Expression { kind: Kind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    fn formula(&mut self) -> Parse<Expression<'a>> {
        self.deeper(|words| {
            let mut parts = vec![words.conjunction()?];
            while words.free && words.take("||") {
                parts.push(words.conjunction()?);
            }
            joined(Binary::Or, parts)
        })
    }

    fn conjunction(&mut self) -> Parse<Expression<'a>> {
        let mut parts = vec![self.atom()?];
        while self.take("&&") {
            parts.push(self.atom()?);
        }
        joined(Binary::And, parts)
    }

    /// What is not a conjunction: a term, a comparison, or the negation of one.
    fn atom(&mut self) -> Parse<Expression<'a>> {
        let start = self.here();
        if self.take("!") {
            let operand = self.deeper(Words::atom)?;
            return Ok(Expression { kind: Kind::Not(Box::new(operand)), span: self.since(start) });
        }
        let left = self.term()?;
        let Some(op) = self.comparison() else { return Ok(left) };
        let middle = self.term()?;
        let first = self.binary(op, left, middle.clone());
        let Some(second) = self.comparison() else { return Ok(first) };
        let ascending = |op| matches!(op, Binary::Lt | Binary::Le);
        if !ascending(op) || !ascending(second) {
            let message = "only `<` and `<=` can be written one after the other";
            self.reports.add(Diagnostic::error(message, self.since(start)));
            return Err(Reported);
        }
        let last = self.term()?;
        let second = self.binary(second, middle, last);
        Ok(self.binary(Binary::And, first, second))
    }

    fn comparison(&mut self) -> Option<Binary> {
        let op = match self.word {
            "==" => Binary::Eq,
            "!=" => Binary::Ne,
            "<" => Binary::Lt,
            "<=" => Binary::Le,
            ">" => Binary::Gt,
            ">=" => Binary::Ge,
            _ => return None,
        };
        self.advance();
        Some(op)
    }

    fn term(&mut self) -> Parse<Expression<'a>> {
        self.deeper(|words| {
            let mut left = words.product()?;
            for _ in 0..NESTING {
                let op = match words.word {
                    "+" => Binary::Add,
                    "-" => Binary::Sub,
                    _ => return Ok(left),
                };
                words.advance();
                let right = words.product()?;
                left = words.binary(op, left, right);
            }
            words.fail("a shorter sum")
        })
    }

    fn product(&mut self) -> Parse<Expression<'a>> {
        let mut left = self.factor()?;
        for _ in 0..NESTING {
            let op = match self.word {
                "*" => Binary::Mul,
                "/" => Binary::Div,
                "%" => Binary::Rem,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.factor()?;
            left = self.binary(op, left, right);
        }
        self.fail("a shorter product")
    }

    fn factor(&mut self) -> Parse<Expression<'a>> {
        let start = self.here();
        if self.take("-") {
            let operand = self.deeper(Words::factor)?;
            return Ok(Expression {
                kind: Kind::Minus(Box::new(operand)),
                span: self.since(start),
            });
        }
        if self.take("(") {
            let inner = if self.take("if") { self.choice()? } else { self.formula()? };
            self.require(")")?;
            return Ok(Expression { span: self.since(start), ..inner });
        }
        if self.word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        let name = self.name("an expression")?;
        let index = self.index()?.map(Box::new);
        Ok(Expression { kind: Kind::Name(name.text, index), span: self.since(start) })
    }

    fn choice(&mut self) -> Parse<Expression<'a>> {
        let condition = self.formula()?;
        self.require("then")?;
        let yes = self.term()?;
        self.require("else")?;
        let no = self.term()?;
        let span = condition.span;
        Ok(Expression { kind: Kind::Choose(Box::new([condition, yes, no])), span })
    }

    fn number(&mut self) -> Parse<Expression<'a>> {
        let span = self.here();
        match self.word.parse::<i64>() {
            Ok(value) => {
                self.advance();
                Ok(Expression { kind: Kind::Number(value), span })
            }
            Err(_) if self.word.bytes().all(|byte| byte.is_ascii_digit()) => {
                let message = format!("the number `{}` is too large", shortened(self.word));
                self.reports.add(Diagnostic::error(message, span));
                Err(Reported)
            }
            Err(_) => self.fail("a number"),
        }
    }
}

/// Joins many parts as a tree of little depth.
fn joined(op: Binary, parts: Vec<Expression<'_>>) -> Parse<Expression<'_>> {
    let all = balanced(parts, |left, right| {
        let span = Span { end: right.span.end, ..left.span };
        Expression { kind: Kind::Binary(op, Box::new(left), Box::new(right)), span }
    });
    all.ok_or(Reported)
}
