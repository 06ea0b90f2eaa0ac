//! Parsing expressions: precedence climbing.
//!
//! ```text
//! expression:
//!     choice [assignment operator expression]
//! choice:
//!     binary(1) [? expression : choice]
//! binary(level):                      operators that bind at least at `level`
//!     left := unary
//!     while the next word is an operator that binds at l >= level:
//!         left := left operator binary(l + 1)
//! ```
//!
//! All binary operators are left-associative. Quantifiers bind weakest: what
//! follows `forall (i : T)` belongs to it as far as it goes. Note that `or` and
//! `imply` bind equally, and that `not` binds tighter than any binary operator.
//!
//! Two bounds keep hostile texts harmless: how deep a text may be nested, and
//! how deep a tree may be. A long run of one associative operator becomes a
//! balanced tree, so that it is not deep; nothing changes by that, see
//! `dve::expression`.

use homing_ir::{Diagnostic, Span};

use super::Parser;
use crate::reading::Parse;
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;

/// How deep the tree of an expression may be.
const MOST_DEPTH: usize = 500;

/// Longer runs of one operator become balanced trees.
const MOST_IN_A_ROW: usize = 100;

/// An expression and how deep its tree is.
struct Deep {
    expr: Expr,
    depth: usize,
}

/// The operator a word stands for and how tightly it binds.
fn operator(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Or => (Binary::Or, 1),
        Token::Imply => (Binary::Imply, 1),
        Token::And => (Binary::And, 2),
        Token::Bar => (Binary::BitOr, 3),
        Token::Caret => (Binary::BitXor, 4),
        Token::Ampersand => (Binary::BitAnd, 5),
        Token::Equal => (Binary::Eq, 6),
        Token::NotEqual => (Binary::Ne, 6),
        Token::Less => (Binary::Lt, 7),
        Token::LessEqual => (Binary::Le, 7),
        Token::Greater => (Binary::Gt, 7),
        Token::GreaterEqual => (Binary::Ge, 7),
        Token::Minimum => (Binary::Min, 8),
        Token::Maximum => (Binary::Max, 8),
        Token::ShiftLeft => (Binary::Shl, 9),
        Token::ShiftRight => (Binary::Shr, 9),
        Token::Plus => (Binary::Add, 10),
        Token::Minus => (Binary::Sub, 10),
        Token::Times => (Binary::Mul, 11),
        Token::Slash => (Binary::Div, 11),
        Token::Percent => (Binary::Rem, 11),
        Token::Power => (Binary::Power, 12),
        _ => return None,
    })
}

/// The operator of an assignment, where it has one.
fn assignment(token: Token) -> Option<Option<Binary>> {
    Some(match token {
        Token::Becomes => None,
        Token::AddTo => Some(Binary::Add),
        Token::SubtractFrom => Some(Binary::Sub),
        Token::MultiplyBy => Some(Binary::Mul),
        Token::DivideBy => Some(Binary::Div),
        Token::RemainderBy => Some(Binary::Rem),
        Token::AndTo => Some(Binary::BitAnd),
        Token::OrTo => Some(Binary::BitOr),
        Token::XorTo => Some(Binary::BitXor),
        Token::ShiftLeftBy => Some(Binary::Shl),
        Token::ShiftRightBy => Some(Binary::Shr),
        _ => return None,
    })
}

fn associative(operator: Binary) -> bool {
    use Binary::*;
    matches!(operator, Add | Mul | BitAnd | BitOr | BitXor | And | Or)
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
        let condition = self.binary(1)?;
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

    fn binary(&mut self, level: u8) -> Parse<Deep> {
        self.nested(|parser| {
            let first = parser.unary()?;
            parser.climb(first, level)
        })
    }

    fn climb(&mut self, first: Deep, level: u8) -> Parse<Deep> {
        let mut run = Run { operator: None, operands: vec![first] };
        loop {
            if level <= 1 && self.at_word("xor") {
                self.advance();
                let right = self.binary(2)?;
                run = Run { operator: None, operands: vec![exclusive(run.fold(), right)] };
            } else if let Some((operator, binds)) = self.operator().filter(|o| o.1 >= level) {
                self.advance();
                let right = self.binary(binds + 1)?;
                run.push(operator, right);
            } else {
                break;
            }
            // Not only at the end: dropping too deep a tree is fatal, too.
            if let Some(first) = run.operands.first().filter(|first| first.depth > MOST_DEPTH) {
                return self.too_deep(first.expr.span);
            }
        }
        let whole = run.fold();
        self.checked(whole)
    }

    fn operator(&self) -> Option<(Binary, u8)> {
        operator(self.token())
    }

    fn checked(&mut self, deep: Deep) -> Parse<Deep> {
        if deep.depth > MOST_DEPTH { self.too_deep(deep.expr.span) } else { Ok(deep) }
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
            Token::Real => ExprKind::Real(self.text().parse().unwrap_or(f64::INFINITY)),
            Token::Text => ExprKind::Text(self.text().trim_matches('"').to_string()),
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

/// `a xor b`, which is `!a != !b`.
fn exclusive(left: Deep, right: Deep) -> Deep {
    let not = |deep: Deep| {
        let span = deep.expr.span;
        let kind = ExprKind::Unary(Unary::Not, Box::new(deep.expr));
        Deep { expr: Expr { kind, span }, depth: deep.depth + 1 }
    };
    combine(Binary::Ne, not(left), not(right))
}

/// Operands with one operator between them; never empty.
struct Run {
    operator: Option<Binary>,
    operands: Vec<Deep>,
}

impl Run {
    fn push(&mut self, operator: Binary, right: Deep) {
        if self.operator != Some(operator) || !associative(operator) {
            self.operands = fold(self.operator, std::mem::take(&mut self.operands));
            self.operator = Some(operator);
        }
        self.operands.push(right);
    }

    fn fold(self) -> Deep {
        let mut all = fold(self.operator, self.operands);
        debug_assert_eq!(all.len(), 1);
        all.swap_remove(0)
    }
}

/// Combines all into one: from left to right, or where there are many,
/// neighbours until one is left.
fn fold(operator: Option<Binary>, mut operands: Vec<Deep>) -> Vec<Deep> {
    let Some(operator) = operator else { return operands };
    if operands.len() <= MOST_IN_A_ROW {
        let all = operands.into_iter().reduce(|left, right| combine(operator, left, right));
        return all.into_iter().collect();
    }
    while operands.len() > 1 {
        let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
        let mut rest = operands.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => combine(operator, left, right),
                None => left,
            });
        }
        operands = pairs;
    }
    operands
}

fn combine(operator: Binary, left: Deep, right: Deep) -> Deep {
    let span: Span = left.expr.span.to(right.expr.span);
    let depth = left.depth.max(right.depth) + 1;
    let kind = ExprKind::Binary(operator, Box::new(left.expr), Box::new(right.expr));
    Deep { expr: Expr { kind, span }, depth }
}

/// The conjunction of all, where there is one at all.
pub fn conjunction(list: Vec<Expr>) -> Option<Expr> {
    let operands = list.into_iter().map(|expr| Deep { expr, depth: 1 }).collect();
    fold(Some(Binary::And), operands).pop().map(|deep| deep.expr)
}
