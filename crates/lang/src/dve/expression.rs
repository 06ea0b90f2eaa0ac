//! Expressions: the table of operators, and what stands between them.

use homing_ir::network::{Binary, Unary};
use homing_ir::{Diagnostic, Span};

use super::cursor::Cursor;
use super::syntax::{Expr, ExprKind, Name, ProcessName};
use super::token::Token;
use crate::climbing::{Climbing, Reached, Tree, associative};
use crate::reading::Parse;
use crate::walking::Walking;

/// The operator a word stands for and how tightly it binds. All are
/// left-associative.
fn operator(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Imply => (Binary::Imply, 1),
        Token::Or => (Binary::Or, 2),
        Token::And => (Binary::And, 2),
        Token::Bar => (Binary::BitOr, 3),
        Token::Ampersand => (Binary::BitAnd, 3),
        Token::Caret => (Binary::BitXor, 3),
        Token::Equal => (Binary::Eq, 4),
        Token::NotEqual => (Binary::Ne, 4),
        Token::Less => (Binary::Lt, 5),
        Token::LessEqual => (Binary::Le, 5),
        Token::Greater => (Binary::Gt, 5),
        Token::GreaterEqual => (Binary::Ge, 5),
        Token::ShiftLeft => (Binary::Shl, 6),
        Token::ShiftRight => (Binary::Shr, 6),
        Token::Plus => (Binary::Add, 7),
        Token::Minus => (Binary::Sub, 7),
        Token::Times => (Binary::Mul, 8),
        Token::Slash => (Binary::Div, 8),
        Token::Percent => (Binary::Rem, 8),
        _ => return None,
    })
}

impl Tree for Expr<'_> {
    type Operator = Binary;

    fn depth(&self) -> usize {
        self.depth
    }

    fn span(&self) -> Span {
        self.span
    }

    fn binary(operator: Binary, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        let depth = left.depth.max(right.depth) + 1;
        Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, depth }
    }

    fn associative(operator: Binary) -> bool {
        associative(operator)
    }
}

impl<'a> Climbing for Cursor<'a> {
    type Tree = Expr<'a>;

    const IN_A_ROW: usize = 2;

    fn reached(&self) -> Option<Reached<Binary>> {
        operator(self.token()).map(|(operator, binds)| Reached { operator, binds, words: 1 })
    }

    fn operand(&mut self) -> Parse<Expr<'a>> {
        self.unary()
    }

    /// `a or b and c` means one thing here and another in C.
    fn follows(&mut self, before: Option<Binary>, operator: Binary, sign: Span) {
        let surprising = matches!(
            (before, operator),
            (Some(Binary::Or), Binary::And)
                | (Some(Binary::BitOr), Binary::BitAnd | Binary::BitXor)
                | (Some(Binary::BitXor), Binary::BitAnd)
        );
        if surprising {
            let message = "operators that bind equally tightly are read from left to right";
            let warning = Diagnostic::warning(message, sign)
                .label("applied to all that stands left of it")
                .help("write parentheses to say what is meant");
            self.reports.add(warning);
        }
    }
}

impl<'a> Cursor<'a> {
    /// An expression.
    pub fn expression(&mut self) -> Parse<Expr<'a>> {
        self.climbed(1)
    }

    /// Expressions with commas between them.
    pub fn expressions(&mut self) -> Parse<Vec<Expr<'a>>> {
        let mut list = vec![self.expression()?];
        while self.take(Token::Comma) {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn unary(&mut self) -> Parse<Expr<'a>> {
        let operator = match self.token() {
            Token::Minus => Unary::Neg,
            Token::Not | Token::Exclamation => Unary::Not,
            Token::Tilde => Unary::BitNot,
            _ => return self.primary(),
        };
        let start = self.span();
        self.advance();
        let operand = self.nested(Cursor::unary)?;
        let depth = operand.depth + 1;
        let kind = ExprKind::Unary(operator, Box::new(operand));
        self.checked(Expr { kind, span: self.since(start), depth })
    }

    fn primary(&mut self) -> Parse<Expr<'a>> {
        let start = self.span();
        let leaf = |value| Ok(Expr { kind: ExprKind::Number(value), span: start, depth: 1 });
        match self.token() {
            Token::True => {
                self.advance();
                leaf(1)
            }
            Token::False => {
                self.advance();
                leaf(0)
            }
            Token::Number => leaf(self.number()?),
            Token::Name => self.reference(),
            Token::LeftParenthesis => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Token::RightParenthesis)?;
                Ok(Expr { span: self.since(start), ..inner })
            }
            _ => self.fail_expecting("an expression"),
        }
    }

    /// A number of at most 32 bits.
    pub fn number(&mut self) -> Parse<i64> {
        let (text, span) = (self.text(), self.span());
        self.expect(Token::Number)?;
        match text.parse::<i32>() {
            Ok(value) => Ok(i64::from(value)),
            Err(_) => {
                let error = Diagnostic::error("the number is too large", span)
                    .label(format!("more than {}", i32::MAX))
                    .help("expressions are evaluated in 32 bits, with a sign");
                // Not a reason to stop: what follows can still be read.
                self.reports.add(error);
                Ok(0)
            }
        }
    }

    /// `x`, `x[i]`, `P.s`, `P->x`, `P->x[i]`, `P(1).s`, …
    fn reference(&mut self) -> Parse<Expr<'a>> {
        let start = self.span();
        let name = self.name("a name")?;
        let arguments = self.arguments()?;
        let process = ProcessName { name, arguments, span: self.since(start) };
        match self.token() {
            Token::Dot => {
                self.advance();
                let state = self.name("the name of a state")?;
                let depth = process.depth() + 1;
                let kind = ExprKind::At(Box::new(process), state);
                Ok(Expr { kind, span: self.since(start), depth })
            }
            Token::Arrow => {
                self.advance();
                let variable = self.name("the name of a variable")?;
                let index = self.index()?;
                let depth = process.depth().max(index_depth(&index)) + 1;
                let kind = ExprKind::Foreign(Box::new(process), variable, index);
                self.checked(Expr { kind, span: self.since(start), depth })
            }
            _ if process.arguments.is_some() => self.fail_expecting("`.` or `->`"),
            _ => self.variable(name),
        }
    }

    fn variable(&mut self, name: Name<'a>) -> Parse<Expr<'a>> {
        let index = self.index()?;
        let depth = index_depth(&index) + 1;
        let kind = ExprKind::Variable(name, index);
        self.checked(Expr { kind, span: self.since(name.span), depth })
    }

    fn index(&mut self) -> Parse<Option<Box<Expr<'a>>>> {
        if !self.take(Token::LeftBracket) {
            return Ok(None);
        }
        let index = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(Some(Box::new(index)))
    }

    /// `(1, 2)` behind the name of a template.
    fn arguments(&mut self) -> Parse<Option<Vec<Expr<'a>>>> {
        if !self.take(Token::LeftParenthesis) {
            return Ok(None);
        }
        let list =
            if self.token() == Token::RightParenthesis { Vec::new() } else { self.expressions()? };
        self.expect(Token::RightParenthesis)?;
        Ok(Some(list))
    }

    /// The name of a process, or of an instance of a template.
    pub fn process_name(&mut self) -> Parse<ProcessName<'a>> {
        let start = self.span();
        let name = self.name("the name of a process")?;
        let arguments = self.arguments()?;
        Ok(ProcessName { name, arguments, span: self.since(start) })
    }
}

impl ProcessName<'_> {
    fn depth(&self) -> usize {
        self.arguments.iter().flatten().map(|argument| argument.depth).max().unwrap_or(0)
    }
}

fn index_depth(index: &Option<Box<Expr>>) -> usize {
    index.as_ref().map_or(0, |index| index.depth)
}
