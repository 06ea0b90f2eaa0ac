//! Expressions and formulas: the tables of operators, and what stands between them.
//!
//! All operators are left-associative, `->` of formulas included, and unary
//! ones bind tightest, temporal ones included: `[] p U q` is `([] p) U q`.

use homing_ir::network::{Binary as Op, Unary as Op1};
use homing_ir::{Diagnostic, Span};

use super::Parser;
use crate::climbing::{Climbing, Reached, Tree, associative};
use crate::promela::syntax::*;
use crate::promela::token::Token;
use crate::reading::Parse;
use crate::walking::Walking;

/// An expression and how deep its tree is.
pub struct Deep {
    pub expr: Expr,
    pub depth: usize,
}

/// The operator a word stands for and how tightly it binds.
fn operator(token: Token) -> Option<(Op, u8)> {
    Some(match token {
        Token::Or => (Op::Or, 2),
        Token::And => (Op::And, 3),
        Token::Bar => (Op::BitOr, 5),
        Token::Caret => (Op::BitXor, 6),
        Token::Ampersand => (Op::BitAnd, 7),
        Token::Equal => (Op::Eq, 8),
        Token::NotEqual => (Op::Ne, 8),
        Token::Greater => (Op::Gt, 9),
        Token::Less => (Op::Lt, 9),
        Token::GreaterEqual => (Op::Ge, 9),
        Token::LessEqual => (Op::Le, 9),
        Token::ShiftLeft => (Op::Shl, 10),
        Token::ShiftRight => (Op::Shr, 10),
        Token::Plus => (Op::Add, 11),
        Token::Minus => (Op::Sub, 11),
        Token::Times => (Op::Mul, 12),
        Token::Slash => (Op::Div, 12),
        Token::Percent => (Op::Rem, 12),
        _ => return None,
    })
}

/// Operators of formulas that are words.
fn temporal(word: &str) -> Option<(Binary, u8)> {
    Some(match word {
        "implies" => (Binary::Plain(Op::Imply), 1),
        "equivalent" => (Binary::Equivalent, 1),
        "U" | "until" | "stronguntil" => (Binary::Until, 4),
        "W" | "weakuntil" => (Binary::WeakUntil, 4),
        "V" | "release" => (Binary::Release, 4),
        _ => return None,
    })
}

impl Tree for Deep {
    type Operator = Binary;

    fn depth(&self) -> usize {
        self.depth
    }

    fn span(&self) -> Span {
        self.expr.span
    }

    fn binary(operator: Binary, left: Deep, right: Deep) -> Deep {
        let (a, b) = (left.expr.span, right.expr.span);
        let span = if a.source == b.source && b.end >= a.start { a.to(b) } else { a };
        let depth = left.depth.max(right.depth) + 1;
        let kind = ExprKind::Binary(operator, Box::new(left.expr), Box::new(right.expr));
        Deep { expr: Expr { kind, span }, depth }
    }

    fn associative(operator: Binary) -> bool {
        operator.plain().is_some_and(associative)
    }
}

impl Climbing for Parser<'_> {
    type Tree = Deep;

    const IN_A_ROW: usize = 100;

    fn reached(&self) -> Option<Reached<Binary>> {
        let token = self.token();
        if self.formula {
            let two = |second: Token| self.ahead(1) == second && self.joined(1);
            let (operator, binds, words) = match token {
                Token::Arrow => (Binary::Plain(Op::Imply), 1, 1),
                Token::Less if two(Token::Arrow) => (Binary::Equivalent, 1, 2),
                Token::Slash if two(Token::Backslash) => (Binary::Plain(Op::And), 3, 2),
                Token::Backslash if two(Token::Slash) => (Binary::Plain(Op::Or), 2, 2),
                Token::Name => {
                    let (operator, binds) = temporal(self.text())?;
                    (operator, binds, 1)
                }
                _ => return plain(token),
            };
            return Some(Reached { operator, binds, words });
        }
        plain(token)
    }

    fn operand(&mut self) -> Parse<Deep> {
        self.unary()
    }
}

fn plain(token: Token) -> Option<Reached<Binary>> {
    let (operator, binds) = operator(token)?;
    Some(Reached { operator: Binary::Plain(operator), binds, words: 1 })
}

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Parse<Expr> {
        let deep = self.climbed(1)?;
        self.deepest = self.deepest.max(deep.depth);
        Ok(deep.expr)
    }

    /// An expression that begins with `first`, which was read already.
    pub fn expression_from(&mut self, first: Deep) -> Parse<Expr> {
        Ok(self.climb(first, 1)?.expr)
    }

    /// Expressions with commas between them.
    pub fn expressions(&mut self) -> Parse<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.take(Token::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// `( … )` with none or more expressions.
    pub fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.pass_line_end();
        self.expect(Token::LeftParenthesis)?;
        let none = self.token() == Token::RightParenthesis;
        let list = if none { Vec::new() } else { self.expressions()? };
        self.expect(Token::RightParenthesis)?;
        Ok(list)
    }

    /// The unary operator reached, twice the one where two are one word, and of
    /// how many words it is.
    fn unary_operator(&self) -> Option<(Unary, usize)> {
        let two = |second: Token| self.ahead(1) == second && self.joined(1);
        Some(match self.token() {
            Token::Minus => (Unary::Plain(Op1::Neg), 1),
            Token::Send => (Unary::Plain(Op1::Not), 1),
            Token::Tilde => (Unary::Plain(Op1::BitNot), 1),
            Token::LeftBracket if self.formula && two(Token::RightBracket) => (Unary::Always, 2),
            Token::Less if self.formula && two(Token::Greater) => (Unary::Eventually, 2),
            Token::Name if self.formula => match &**self.text() {
                "X" | "next" => (Unary::Next, 1),
                "always" => (Unary::Always, 1),
                "eventually" => (Unary::Eventually, 1),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parse<Deep> {
        let Some((operator, words)) = self.unary_operator() else { return self.primary() };
        let start = self.span();
        (0..words).for_each(|_| self.advance());
        let operand = self.nested(Parser::unary)?;
        let kind = ExprKind::Unary(operator, Box::new(operand.expr));
        let span = self.since(start);
        self.checked(Deep { expr: Expr { kind, span }, depth: operand.depth + 1 })
    }

    /// Reads something whose brackets and arguments hold expressions: it is one
    /// deeper than the deepest of them.
    fn around(&mut self, parse: impl FnOnce(&mut Self) -> Parse<Expr>) -> Parse<Deep> {
        let outer = std::mem::replace(&mut self.deepest, 0);
        let expr = parse(self);
        let depth = std::mem::replace(&mut self.deepest, outer) + 1;
        self.checked(Deep { expr: expr?, depth })
    }

    fn primary(&mut self) -> Parse<Deep> {
        match self.token() {
            Token::LeftParenthesis => self.parenthesised(),
            Token::Name => self.named(),
            _ => self.around(Parser::simple),
        }
    }

    fn simple(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.token() {
            Token::Number | Token::Character | Token::True | Token::False | Token::Skip => {
                ExprKind::Number(self.constant()?)
            }
            Token::Run => self.run()?,
            Token::Len => self.question(ChannelQuestion::Length)?,
            Token::Empty => self.question(ChannelQuestion::Empty)?,
            Token::NEmpty => self.question(ChannelQuestion::NotEmpty)?,
            Token::Full => self.question(ChannelQuestion::Full)?,
            Token::NFull => self.question(ChannelQuestion::NotFull)?,
            Token::Enabled => ExprKind::Enabled(self.one_argument()?),
            Token::PcValue => ExprKind::PcValue(self.one_argument()?),
            Token::GetPriority => ExprKind::Priority(self.one_argument()?),
            Token::Timeout => {
                self.advance();
                ExprKind::Timeout
            }
            Token::NonProgress => {
                self.advance();
                ExprKind::NonProgress
            }
            Token::CExpr => {
                self.embedded();
                ExprKind::Number(1)
            }
            _ => return self.fail_expecting("an expression"),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `( e )` and `( a -> b : c )`.
    fn parenthesised(&mut self) -> Parse<Deep> {
        let start = self.span();
        self.advance();
        let outer = std::mem::replace(&mut self.choosing, false);
        let inner = self.inside_parentheses(start);
        self.choosing = outer;
        inner
    }

    fn inside_parentheses(&mut self, start: Span) -> Parse<Deep> {
        let first = self.climbed(1)?;
        if self.token() != Token::Arrow || self.formula {
            self.expect(Token::RightParenthesis)?;
            return Ok(Deep { expr: Expr { span: self.since(start), ..first.expr }, ..first });
        }
        self.advance();
        self.choosing = true;
        let yes = self.climbed(1)?;
        self.choosing = false;
        self.expect(Token::Colon)?;
        let no = self.climbed(1)?;
        self.expect(Token::RightParenthesis)?;
        let depth = first.depth.max(yes.depth).max(no.depth) + 1;
        let [first, yes, no] = [first, yes, no].map(|part| Box::new(part.expr));
        let kind = ExprKind::Conditional(first, yes, no);
        let span = self.since(start);
        self.checked(Deep { expr: Expr { kind, span }, depth })
    }

    /// A number of at most 32 bits, a character, `true`, `false`, `skip`.
    pub fn constant(&mut self) -> Parse<i64> {
        let span = self.span();
        let text = std::rc::Rc::clone(self.text());
        let value = match self.token() {
            Token::True | Token::Skip => 1,
            Token::False => 0,
            Token::Character => character(&text).unwrap_or_else(|| {
                let message = format!("{text} is not one character");
                self.report(Diagnostic::error(message, span));
                0
            }),
            Token::Number => text.parse::<i32>().map(i64::from).unwrap_or_else(|_| {
                let error = Diagnostic::error("the number is too large", span)
                    .label(format!("more than {}", i32::MAX))
                    .help("expressions are evaluated in 32 bits, with a sign");
                // Not a reason to stop: what follows can still be read.
                self.report(error);
                0
            }),
            _ => return self.fail_expecting("a number"),
        };
        self.advance();
        Ok(value)
    }

    /// `run P(…) priority n`.
    fn run(&mut self) -> Parse<ExprKind> {
        self.advance();
        let name = self.name("the name of a process type")?;
        let arguments = self.nested(Parser::arguments)?;
        let priority = if self.take(Token::Priority) {
            Some(Box::new(self.number_expression()?))
        } else {
            None
        };
        Ok(ExprKind::Run { name, arguments, priority })
    }

    /// A constant as an expression.
    pub fn number_expression(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.token() {
            Token::Name => ExprKind::Reference(self.reference()?),
            _ => ExprKind::Number(self.constant()?),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn question(&mut self, question: ChannelQuestion) -> Parse<ExprKind> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let channel = self.nested(Parser::reference)?;
        self.expect(Token::RightParenthesis)?;
        Ok(ExprKind::Channel(question, channel))
    }

    fn one_argument(&mut self) -> Parse<Box<Expr>> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let argument = self.expression()?;
        self.expect(Token::RightParenthesis)?;
        Ok(Box::new(argument))
    }

    /// `a`, `a[i]`, `a[i].b.c[j]`.
    pub fn reference(&mut self) -> Parse<Reference> {
        let start = self.span();
        let mut parts = Vec::new();
        loop {
            let name =
                self.name(if parts.is_empty() { "a name" } else { "the name of a field" })?;
            let index = self.index()?;
            parts.push(Part { name, index });
            if !self.take(Token::Dot) {
                return Ok(Reference { parts, span: self.since(start) });
            }
        }
    }

    fn index(&mut self) -> Parse<Option<Box<Expr>>> {
        // In a formula `[]` is an operator.
        let operator = self.formula && self.ahead(1) == Token::RightBracket && self.joined(1);
        if operator || !self.take(Token::LeftBracket) {
            return Ok(None);
        }
        let outer = std::mem::replace(&mut self.choosing, false);
        let index = self.expression();
        self.choosing = outer;
        let index = index?;
        self.expect(Token::RightBracket)?;
        Ok(Some(Box::new(index)))
    }

    /// What begins with a name: a variable, a poll of a channel, something of
    /// another process.
    pub fn named(&mut self) -> Parse<Deep> {
        self.around(Parser::name_and_more)
    }

    fn name_and_more(&mut self) -> Parse<Expr> {
        let start = self.span();
        if self.is_inline() && self.ahead(1) == Token::LeftParenthesis {
            let message = format!("the inline `{}` cannot be used in an expression", self.text());
            let error = Diagnostic::error(message, start);
            return self
                .fail(error.help("an inline is called as a statement, or by `x = name(…)`"));
        }
        let process = self.is_process();
        let reference = self.nested(Parser::reference)?;
        let alone = reference.parts.len() == 1;
        let kind = match self.token() {
            Token::At if alone => {
                self.advance();
                let label = self.name("the name of a label")?;
                let (process, pid) = only_part(reference);
                ExprKind::RemoteLabel { process, pid, label }
            }
            Token::Colon if alone && process && !self.choosing => {
                self.advance();
                let variable = self.nested(Parser::reference)?;
                let (process, pid) = only_part(reference);
                ExprKind::RemoteVariable { process, pid, variable }
            }
            Token::Receive | Token::AnyReceive if self.ahead(1) == Token::LeftBracket => {
                let any = self.token() == Token::AnyReceive;
                self.advance();
                self.advance();
                let message = self.patterns()?;
                self.expect(Token::RightBracket)?;
                ExprKind::Poll { channel: reference, message, any }
            }
            _ => ExprKind::Reference(reference),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// What stands in a receive: `a, b`, `a(b, c)`.
    pub fn patterns(&mut self) -> Parse<Vec<Argument>> {
        let mut list = Vec::new();
        self.nested(|parser| parser.patterns_into(&mut list))?;
        Ok(list)
    }

    fn patterns_into(&mut self, list: &mut Vec<Argument>) -> Parse<()> {
        loop {
            if self.token() != Token::LeftParenthesis {
                let pattern = self.pattern()?;
                list.push(pattern);
            }
            // `type(field, field)` is `type, field, field`.
            if self.take(Token::LeftParenthesis) {
                self.nested(|parser| parser.patterns_into(list))?;
                self.expect(Token::RightParenthesis)?;
                return Ok(());
            }
            if !self.take(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn pattern(&mut self) -> Parse<Argument> {
        let start = self.span();
        match self.token() {
            Token::Name => Ok(Argument::Reference(self.reference()?)),
            Token::Eval => Ok(Argument::Eval(*self.one_argument()?)),
            Token::Minus => {
                self.advance();
                let value = self.constant()?;
                Ok(Argument::Constant(-value, self.since(start)))
            }
            Token::Number | Token::Character | Token::True | Token::False | Token::Skip => {
                Ok(Argument::Constant(self.constant()?, start))
            }
            _ => self.fail_expecting("a variable, a constant or `eval(…)`"),
        }
    }
}

fn only_part(reference: Reference) -> (Name, Option<Box<Expr>>) {
    let span = reference.span;
    match reference.parts.into_iter().next() {
        Some(part) => (part.name, part.index),
        None => (Name { text: String::new(), span }, None),
    }
}

/// The value of a character in quotes.
fn character(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let value = match inner.as_bytes() {
        [b'\\', b'n'] => b'\n',
        [b'\\', b'r'] => b'\r',
        [b'\\', b't'] => b'\t',
        [b'\\', b'f'] => 0x0c,
        [b'\\', other] | [other] => *other,
        _ => return None,
    };
    Some(i64::from(value))
}
