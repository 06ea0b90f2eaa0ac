//! Reading expressions.
//!
//! From loosest to tightest: `? :`; `=>`; `<=>`; `|`; `&`; `!`; `= !=`; `< <= > >=`;
//! `+ -`; `* /`; `^`; unary minus.

use homing_ir::{Diagnostic, Span};

use super::cursor::Cursor;
use super::syntax::{Comparison, Expr, ExprKind, Function, Op};
use super::token::Token;
use crate::climbing::{Climbing, Reached, Tree};
use crate::names::nearest;
use crate::reading::{Parse, Reported};
use crate::walking::Walking;

/// How tightly what `!` applies to is bound.
const NEGATED: u8 = 5;

const FUNCTIONS: [(&str, Function); 8] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("floor", Function::Floor),
    ("ceil", Function::Ceil),
    ("round", Function::Round),
    ("pow", Function::Pow),
    ("mod", Function::Mod),
    ("log", Function::Log),
];

fn operator(token: Token) -> Option<(Op, u8)> {
    use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    Some(match token {
        Token::Implies => (Op::Implies, 1),
        Token::Iff => (Op::Iff, 2),
        Token::Or => (Op::Or, 3),
        Token::And => (Op::And, 4),
        Token::Equal => (Op::Compare(Equal), 5),
        Token::NotEqual => (Op::Compare(NotEqual), 5),
        Token::Less => (Op::Compare(Less), 6),
        Token::LessEqual => (Op::Compare(LessEqual), 6),
        Token::Greater => (Op::Compare(Greater), 6),
        Token::GreaterEqual => (Op::Compare(GreaterEqual), 6),
        Token::Plus => (Op::Add, 7),
        Token::Minus => (Op::Sub, 7),
        Token::Times => (Op::Mul, 8),
        Token::Slash => (Op::Div, 8),
        Token::Caret => (Op::Power, 9),
        _ => return None,
    })
}

impl Tree for Expr<'_> {
    type Operator = Op;

    fn depth(&self) -> usize {
        self.depth
    }

    fn span(&self) -> Span {
        self.span
    }

    fn binary(operator: Op, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        let depth = left.depth.max(right.depth) + 1;
        Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, depth }
    }

    fn associative(operator: Op) -> bool {
        matches!(operator, Op::Add | Op::Mul | Op::And | Op::Or)
    }
}

impl<'t> Climbing for Cursor<'t> {
    type Tree = Expr<'t>;

    const IN_A_ROW: usize = 8;

    fn reached(&self) -> Option<Reached<Op>> {
        operator(self.token()).map(|(operator, binds)| Reached { operator, binds, words: 1 })
    }

    fn operand(&mut self) -> Parse<Expr<'t>> {
        let start = self.span();
        let kind: fn(Box<Expr<'t>>) -> ExprKind<'t> = match self.token() {
            Token::Not => ExprKind::Not,
            Token::Minus => ExprKind::Neg,
            _ => return self.primary(),
        };
        let negated = self.token() == Token::Not;
        self.advance();
        let operand = match negated {
            true => self.climbed(NEGATED)?,
            false => self.nested(Cursor::operand)?,
        };
        let (span, depth) = (start.to(operand.span), operand.depth + 1);
        self.checked(Expr { kind: kind(Box::new(operand)), span, depth })
    }
}

impl<'t> Cursor<'t> {
    /// An expression.
    pub fn expression(&mut self) -> Parse<Expr<'t>> {
        let condition = self.climbed(1)?;
        if !self.take(Token::Question) {
            return Ok(condition);
        }
        let yes = self.nested(Cursor::expression)?;
        self.expect(Token::Colon)?;
        let no = self.nested(Cursor::expression)?;
        let span = condition.span.to(no.span);
        let depth = condition.depth.max(yes.depth).max(no.depth) + 1;
        let kind = ExprKind::Choose(Box::new(condition), Box::new(yes), Box::new(no));
        self.checked(Expr { kind, span, depth })
    }

    fn primary(&mut self) -> Parse<Expr<'t>> {
        let (start, text) = (self.span(), self.text());
        let kind = match self.token() {
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Whole => ExprKind::Int(self.whole(text, start)?),
            Token::Decimal => ExprKind::Real(text),
            Token::Quoted => ExprKind::Label(text.trim_matches('"')),
            Token::Name if self.later(1) == Token::LeftParenthesis => return self.call(),
            Token::Name => ExprKind::Name(text),
            Token::LeftParenthesis => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Token::RightParenthesis)?;
                return Ok(Expr { span: self.since(start), ..inner });
            }
            _ => return self.fail_expecting("an expression"),
        };
        self.advance();
        Ok(Expr { kind, span: start, depth: 1 })
    }

    fn whole(&mut self, text: &str, span: Span) -> Parse<i64> {
        match text.parse::<i32>() {
            Ok(value) => Ok(i64::from(value)),
            Err(_) => {
                let error = Diagnostic::error("the number is too large", span)
                    .label(format!("more than {}", i32::MAX))
                    .help("whole numbers have 32 bits; write `.0` behind one that is no integer");
                self.reports.add(error);
                self.advance();
                Err(Reported)
            }
        }
    }

    /// `min(a, b)`, and as it was written once: `func(min, a, b)`.
    fn call(&mut self) -> Parse<Expr<'t>> {
        let start = self.span();
        let mut name = self.name("a function")?;
        self.expect(Token::LeftParenthesis)?;
        if name.text == "func" {
            name = self.name("a function")?;
            self.expect(Token::Comma)?;
        }
        let known = FUNCTIONS.iter().find(|(known, _)| *known == name.text);
        let Some((_, function)) = known else {
            let error =
                Diagnostic::error(format!("there is no function `{}`", name.text), name.span);
            let near = nearest(name.text, FUNCTIONS.iter().map(|(known, _)| *known));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "functions are min, max, floor, ceil, round, pow, mod and log".to_string(),
            };
            return self.fail(error.help(help));
        };
        let mut arguments = vec![self.expression()?];
        while self.take(Token::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Token::RightParenthesis)?;
        let span = self.since(start);
        self.arguments(*function, name.text, arguments.len(), span)?;
        let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0) + 1;
        self.checked(Expr { kind: ExprKind::Call(*function, arguments), span, depth })
    }

    fn arguments(&mut self, of: Function, name: &str, count: usize, span: Span) -> Parse<()> {
        let fits = match of {
            Function::Min | Function::Max => count >= 1,
            Function::Floor | Function::Ceil | Function::Round => count == 1,
            Function::Pow | Function::Mod | Function::Log => count == 2,
        };
        if fits {
            return Ok(());
        }
        let wanted = match of {
            Function::Min | Function::Max => "at least one number",
            Function::Floor | Function::Ceil | Function::Round => "one number",
            Function::Pow | Function::Mod | Function::Log => "two numbers",
        };
        self.fail(Diagnostic::error(format!("`{name}` takes {wanted}, not {count}"), span))
    }
}
