//! Expressions: the table of operators, and what stands between them.
//!
//! ```text
//! expression:
//!     choice [assignment operator expression]
//! choice:
//!     binary(1) [? expression : choice]
//! ```
//! where `binary` climbs ([`crate::climbing`]).
//!
//! All binary operators are left-associative. Quantifiers bind weakest: what
//! follows `forall (i : T)` belongs to it as far as it goes. Note that `or` and
//! `imply` bind equally, and that `not` binds tighter than any binary operator.

use homing_ir::network::Binary as Op;
use homing_ir::{Diagnostic, Span};

use super::Parser;
use crate::climbing::{Climbing, Reached, Tree, associative, joined};
use crate::reading::Parse;
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;
use crate::walking::Walking;

/// An expression and how deep its tree is.
pub struct Deep {
    expr: Expr,
    depth: usize,
}

/// The operator a word stands for and how tightly it binds.
fn operator(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Or => (Binary::Plain(Op::Or), 1),
        Token::Imply => (Binary::Plain(Op::Imply), 1),
        Token::And => (Binary::Plain(Op::And), 2),
        Token::Bar => (Binary::Plain(Op::BitOr), 3),
        Token::Caret => (Binary::Plain(Op::BitXor), 4),
        Token::Ampersand => (Binary::Plain(Op::BitAnd), 5),
        Token::Equal => (Binary::Plain(Op::Eq), 6),
        Token::NotEqual => (Binary::Plain(Op::Ne), 6),
        Token::Less => (Binary::Plain(Op::Lt), 7),
        Token::LessEqual => (Binary::Plain(Op::Le), 7),
        Token::Greater => (Binary::Plain(Op::Gt), 7),
        Token::GreaterEqual => (Binary::Plain(Op::Ge), 7),
        Token::Minimum => (Binary::Min, 8),
        Token::Maximum => (Binary::Max, 8),
        Token::ShiftLeft => (Binary::Plain(Op::Shl), 9),
        Token::ShiftRight => (Binary::Plain(Op::Shr), 9),
        Token::Plus => (Binary::Plain(Op::Add), 10),
        Token::Minus => (Binary::Plain(Op::Sub), 10),
        Token::Times => (Binary::Plain(Op::Mul), 11),
        Token::Slash => (Binary::Plain(Op::Div), 11),
        Token::Percent => (Binary::Plain(Op::Rem), 11),
        Token::Power => (Binary::Power, 12),
        _ => return None,
    })
}

/// The operator of an assignment, where it has one.
fn assignment(token: Token) -> Option<Option<Binary>> {
    Some(match token {
        Token::Becomes => None,
        Token::AddTo => Some(Binary::Plain(Op::Add)),
        Token::SubtractFrom => Some(Binary::Plain(Op::Sub)),
        Token::MultiplyBy => Some(Binary::Plain(Op::Mul)),
        Token::DivideBy => Some(Binary::Plain(Op::Div)),
        Token::RemainderBy => Some(Binary::Plain(Op::Rem)),
        Token::AndTo => Some(Binary::Plain(Op::BitAnd)),
        Token::OrTo => Some(Binary::Plain(Op::BitOr)),
        Token::XorTo => Some(Binary::Plain(Op::BitXor)),
        Token::ShiftLeftBy => Some(Binary::Plain(Op::Shl)),
        Token::ShiftRightBy => Some(Binary::Plain(Op::Shr)),
        _ => return None,
    })
}

/// What stands between two operands: `xor` becomes other operators at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    Binary(Binary),
    Exclusive,
}

impl Tree for Deep {
    type Operator = Sign;

    fn depth(&self) -> usize {
        self.depth
    }

    fn span(&self) -> Span {
        self.expr.span
    }

    fn binary(sign: Sign, left: Deep, right: Deep) -> Deep {
        match sign {
            Sign::Binary(operator) => combine(operator, left, right),
            // `a xor b` is `!a != !b`.
            Sign::Exclusive => combine(Op::Ne.into(), negated(left), negated(right)),
        }
    }

    fn associative(sign: Sign) -> bool {
        matches!(sign, Sign::Binary(Binary::Plain(operator)) if associative(operator))
    }
}

impl Climbing for Parser<'_> {
    type Tree = Deep;

    const IN_A_ROW: usize = 100;

    fn reached(&self) -> Option<Reached<Sign>> {
        if self.at_word("xor") {
            return Some(Reached { operator: Sign::Exclusive, binds: 1, words: 1 });
        }
        let (operator, binds) = operator(self.token())?;
        Some(Reached { operator: Sign::Binary(operator), binds, words: 1 })
    }

    fn operand(&mut self) -> Parse<Deep> {
        self.unary()
    }
}

impl Parser<'_> {
    /// An expression.
    pub fn expression(&mut self) -> Parse<Expr> {
        let deep = self.deep_expression()?;
        self.deepest = self.deepest.max(deep.depth);
        Ok(deep.expr)
    }

    /// A name with indices and fields: what a channel is called by. Behind it
    /// may stand a `?` that asks nothing.
    pub fn place(&mut self) -> Parse<Expr> {
        let deep = self.postfix()?;
        self.deepest = self.deepest.max(deep.depth);
        Ok(deep.expr)
    }

    /// `( … )` with none or more expressions.
    pub fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Token::LeftParenthesis)?;
        if self.take(Token::RightParenthesis) {
            return Ok(Vec::new());
        }
        let list = self.list(Parser::expression)?;
        self.expect(Token::RightParenthesis)?;
        Ok(list)
    }

    fn deep_expression(&mut self) -> Parse<Deep> {
        self.nested(|parser| {
            let left = parser.choice()?;
            let Some(operator) = assignment(parser.token()) else { return Ok(left) };
            parser.advance();
            let right = parser.deep_expression()?;
            let depth = left.depth.max(right.depth) + 1;
            let span = left.expr.span.to(right.expr.span);
            let (left, right) = (Box::new(left.expr), Box::new(right.expr));
            let kind = ExprKind::Assign(operator, left, right);
            parser.checked(Deep { expr: Expr { kind, span }, depth })
        })
    }

    fn choice(&mut self) -> Parse<Deep> {
        let condition = self.climbed(1)?;
        if !self.take(Token::Question) {
            return Ok(condition);
        }
        let yes = self.deep_expression()?;
        self.expect(Token::Colon)?;
        let no = self.nested(Parser::choice)?;
        let depth = condition.depth.max(yes.depth).max(no.depth) + 1;
        let span = condition.expr.span.to(no.expr.span);
        let [condition, yes, no] = [condition, yes, no].map(|part| Box::new(part.expr));
        let kind = ExprKind::Choose(condition, yes, no);
        self.checked(Deep { expr: Expr { kind, span }, depth })
    }

    fn unary(&mut self) -> Parse<Deep> {
        let operator = match self.token() {
            Token::Minus => Unary::Minus,
            Token::Plus => Unary::Plus,
            Token::Not | Token::Exclamation => Unary::Not,
            Token::Increment | Token::Decrement => return self.step_before(),
            _ => return self.postfix(),
        };
        let start = self.span();
        self.advance();
        let operand = self.nested(Parser::unary)?;
        let span = self.since(start);
        let depth = operand.depth + 1;
        let kind = ExprKind::Unary(operator, Box::new(operand.expr));
        self.checked(Deep { expr: Expr { kind, span }, depth })
    }

    /// `++x`
    fn step_before(&mut self) -> Parse<Deep> {
        let start = self.span();
        let increment = self.token() == Token::Increment;
        self.advance();
        let operand = self.nested(Parser::unary)?;
        let depth = operand.depth + 1;
        let kind = ExprKind::Step { increment, before: true, place: Box::new(operand.expr) };
        let span = self.since(start);
        self.checked(Deep { expr: Expr { kind, span }, depth })
    }

    /// Something with indices, fields, arguments, primes and steps behind it.
    fn postfix(&mut self) -> Parse<Deep> {
        let start = self.span();
        let mut deep = self.primary()?;
        loop {
            let kind = match self.token() {
                Token::LeftBracket => self.index(&mut deep)?,
                Token::Dot => self.field(&mut deep)?,
                Token::LeftParenthesis => self.call(&mut deep)?,
                Token::Prime => {
                    self.advance();
                    ExprKind::Rate(taken(&mut deep))
                }
                Token::Increment | Token::Decrement if !self.at_leads_to() => {
                    let increment = self.token() == Token::Increment;
                    self.advance();
                    ExprKind::Step { increment, before: false, place: taken(&mut deep) }
                }
                _ => return Ok(deep),
            };
            let expr = Expr { kind, span: self.since(start) };
            deep = self.checked(Deep { expr, depth: deep.depth + 1 })?;
        }
    }

    fn index(&mut self, deep: &mut Deep) -> Parse<ExprKind> {
        self.advance();
        let index = self.deep_expression()?;
        self.expect(Token::RightBracket)?;
        deep.depth = deep.depth.max(index.depth);
        Ok(ExprKind::Index(taken(deep), Box::new(index.expr)))
    }

    fn field(&mut self, deep: &mut Deep) -> Parse<ExprKind> {
        self.advance();
        let name = match self.token() {
            // Locations may be called so in XML files.
            Token::Init | Token::Commit | Token::State => {
                let name = Name { text: self.text().to_string(), span: self.span() };
                self.advance();
                name
            }
            _ => self.name("the name of a field, a location or a variable")?,
        };
        Ok(ExprKind::Field(taken(deep), name))
    }

    fn call(&mut self, deep: &mut Deep) -> Parse<ExprKind> {
        let outer = std::mem::replace(&mut self.deepest, 0);
        let arguments = self.arguments();
        deep.depth = deep.depth.max(std::mem::replace(&mut self.deepest, outer));
        Ok(ExprKind::Call(taken(deep), arguments?))
    }

    fn primary(&mut self) -> Parse<Deep> {
        match self.token() {
            Token::LeftParenthesis => return self.parenthesised(),
            Token::Forall => return self.quantified(Quantifier::Forall),
            Token::Exists => return self.quantified(Quantifier::Exists),
            Token::Name if self.at_sum() => return self.quantified(Quantifier::Sum),
            _ => {}
        }
        let start = self.span();
        let kind = match self.token() {
            Token::Number => self.number()?,
            Token::Real => ExprKind::Real,
            Token::Text => ExprKind::Text,
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Deadlock => ExprKind::Deadlock,
            Token::Name => return self.named(),
            _ => return self.fail_expecting("an expression"),
        };
        self.advance();
        Ok(Deep { expr: Expr { kind, span: start }, depth: 1 })
    }

    fn number(&mut self) -> Parse<ExprKind> {
        let span = self.span();
        match self.text().parse() {
            Ok(value) => Ok(ExprKind::Int(value)),
            Err(_) => self.fail(Diagnostic::error("the number is too large", span)),
        }
    }

    /// A name, or a word of dynamic templates.
    fn named(&mut self) -> Parse<Deep> {
        let start = self.span();
        let dynamic = match self.text() {
            "spawn" => self.ahead(1) == Token::Name,
            "exit" | "numOf" => self.ahead(1) == Token::LeftParenthesis,
            "foreach" => self.at_binder(),
            _ => false,
        };
        let text = self.text().to_string();
        self.advance();
        if !dynamic {
            return Ok(Deep { expr: Expr { kind: ExprKind::Name(text), span: start }, depth: 1 });
        }
        self.take(Token::Name);
        self.skip_parentheses()?;
        if text == "foreach" {
            self.expression()?;
        }
        let kind = ExprKind::Other(format!("`{text}`"));
        Ok(Deep { expr: Expr { kind, span: self.since(start) }, depth: 1 })
    }

    fn skip_parentheses(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End => return self.fail_expecting("`)`"),
                Token::LeftParenthesis => depth += 1,
                Token::RightParenthesis => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Whether `(name :` follows the word reached.
    fn at_binder(&self) -> bool {
        self.ahead(1) == Token::LeftParenthesis
            && self.ahead(2) == Token::Name
            && self.ahead(3) == Token::Colon
    }

    /// `sum` is a name elsewhere.
    fn at_sum(&self) -> bool {
        self.at_word("sum") && self.at_binder()
    }

    /// `forall (i : T) e`
    fn quantified(&mut self, quantifier: Quantifier) -> Parse<Deep> {
        let start = self.span();
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let name = self.name("a name")?;
        self.expect(Token::Colon)?;
        let outer = std::mem::replace(&mut self.deepest, 0);
        let ty = self.ty();
        let within = std::mem::replace(&mut self.deepest, outer);
        let ty = ty?;
        self.expect(Token::RightParenthesis)?;
        let body = self.deep_expression()?;
        let depth = body.depth.max(within) + 1;
        let kind = ExprKind::Quantified(quantifier, name, Box::new(ty), Box::new(body.expr));
        let span = self.since(start);
        self.checked(Deep { expr: Expr { kind, span }, depth })
    }

    fn parenthesised(&mut self) -> Parse<Deep> {
        let start = self.span();
        self.advance();
        let inner = self.deep_expression()?;
        self.expect(Token::RightParenthesis)?;
        Ok(Deep { expr: Expr { span: self.since(start), ..inner.expr }, ..inner })
    }
}

/// The expression, to be put into another one.
fn taken(deep: &mut Deep) -> Box<Expr> {
    let span = deep.expr.span;
    Box::new(std::mem::replace(&mut deep.expr, Expr { kind: ExprKind::Bool(false), span }))
}

fn negated(deep: Deep) -> Deep {
    let span = deep.expr.span;
    let kind = ExprKind::Unary(Unary::Not, Box::new(deep.expr));
    Deep { expr: Expr { kind, span }, depth: deep.depth + 1 }
}

fn combine(operator: Binary, left: Deep, right: Deep) -> Deep {
    let span: Span = left.expr.span.to(right.expr.span);
    let depth = left.depth.max(right.depth) + 1;
    let kind = ExprKind::Binary(operator, Box::new(left.expr), Box::new(right.expr));
    Deep { expr: Expr { kind, span }, depth }
}

/// The conjunction of all, where there is one at all.
pub fn conjunction(list: Vec<Expr>) -> Option<Expr> {
    joined(list, Parser::IN_A_ROW, |left, right| {
        let span = left.span.to(right.span);
        Expr { kind: ExprKind::Binary(Op::And.into(), Box::new(left), Box::new(right)), span }
    })
}
