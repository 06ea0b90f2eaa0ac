//! Expressions.

use homing_ir::Span;
use homing_ir::network::{Binary as Op, Expr, ExprKind, Unary as Op1};

use super::Lowering;
use super::fold;
use super::scope::{ScopeId, Symbol};
use super::types::Ty;
use super::value::{Linear, Shape, Thing, Value};
use crate::uppaal::syntax::{self, ExprKind as Kind, Name, Quantifier, Unary};

/// How many values a `forall`, an `exists`, a `sum`, or the choices of a `select`
/// may have.
pub const MOST_VALUES: i64 = 1 << 14;

impl<'a> Lowering<'a> {
    /// What an expression means. Reports why not.
    pub(super) fn expr(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<Value> {
        let span = expr.span;
        self.spend(span)?;
        match &expr.kind {
            Kind::Int(value) => match i32::try_from(*value) {
                Ok(_) => Some(Value::int(*value, span)),
                Err(_) => self.fail(format!("the number {value} has more than 32 bits"), span),
            },
            Kind::Bool(value) => Some(Value::truth(Expr::int(i64::from(*value), span))),
            Kind::Real => self.fail("numbers with a point are not supported", span),
            Kind::Text => self.fail("texts are not supported", span),
            Kind::Name(_) | Kind::Index(..) | Kind::Field(..) => {
                let thing = self.thing(expr, scope)?;
                self.read(thing, span)
            }
            Kind::Call(callee, arguments) => self.call(callee, arguments, span, scope),
            Kind::Rate(_) => self.fail("the rate of a clock can only be compared with 1", span),
            Kind::Unary(op, operand) => self.unary(*op, operand, span, scope),
            Kind::Binary(op, left, right) => self.binary(*op, left, right, span, scope),
            Kind::Choose(condition, yes, no) => self.choice(condition, yes, no, span, scope),
            Kind::Assign(op, place, value) => {
                let place = self.assignment(*op, place, value, span, scope)?;
                self.read(place, span)
            }
            Kind::Step { increment, before, place } => {
                self.step(*increment, *before, place, span, scope)
            }
            Kind::Quantified(quantifier, name, ty, body) => {
                self.unchanged(|this| this.quantified(*quantifier, name, ty, body, span, scope))
            }
            Kind::Deadlock => {
                let deadlock = Expr::new(ExprKind::Deadlock, span);
                Some(Value::Condition(deadlock, Shape::Formula))
            }
            Kind::Other(what) => self.fail(format!("not supported: {what}"), span),
        }
    }

    /// A number without clocks.
    pub(super) fn plain(&mut self, value: Value, span: Span) -> Option<Expr> {
        match value {
            Value::Number(expr, _) => Some(expr),
            Value::Clocks(_) | Value::Condition(..) => {
                self.fail("a clock is used where a whole number is needed", span)
            }
            other => {
                let what = other.what();
                self.fail(format!("{what} is used where a number is needed"), span)
            }
        }
    }

    /// A number that is known before the model runs.
    pub(super) fn number(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<i64> {
        let value = self.unchanged(|this| this.expr(expr, scope))?;
        match value.constant() {
            Some(_) if matches!(value, Value::Scalar(..)) => self.plain(value, expr.span).and(None),
            Some(number) => Some(number),
            None => self.fail("this must be constant", expr.span),
        }
    }

    /// A condition: an expression of 0 or 1, and what it says of clocks.
    pub(super) fn condition(&mut self, value: Value, span: Span) -> Option<(Expr, Option<Shape>)> {
        match value {
            Value::Condition(expr, shape) => Some((expr, Some(shape))),
            Value::Number(expr, boolean) => Some((fold::truth(expr, boolean), None)),
            other => {
                let what = other.what();
                self.fail(format!("{what} is used where a condition is needed"), span)
            }
        }
    }

    /// A condition of a query or a goal.
    pub(super) fn formula(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<Expr> {
        let value = self.unchanged(|this| this.expr(expr, scope))?;
        let (condition, _) = self.condition(value, expr.span)?;
        self.shallow(condition)
    }

    /// A condition of a guard or an invariant.
    pub(super) fn constraint(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<Expr> {
        let value = self.unchanged(|this| this.expr(expr, scope))?;
        match self.condition(value, expr.span)? {
            (_, Some(Shape::Formula)) => self.fail(
                "clocks are bounded by a conjunction here: no `or`, `not` or `!=` over clocks",
                expr.span,
            ),
            (condition, _) => self.shallow(condition),
        }
    }

    /// Engines recurse over expressions.
    fn shallow(&mut self, expr: Expr) -> Option<Expr> {
        let (nodes, depth) = fold::measure(&expr);
        self.keep(nodes, expr.span)?;
        match depth {
            0..=900 => Some(expr),
            _ => self.fail("this is nested too deeply when it is written out", expr.span),
        }
    }

    fn unary(
        &mut self,
        op: Unary,
        operand: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let value = self.expr(operand, scope)?;
        match op {
            Unary::Plus => Some(value),
            Unary::Minus => match value {
                Value::Clocks(linear) => Some(Value::Clocks(negative(linear, span))),
                value => {
                    let value = self.plain(value, operand.span)?;
                    Some(Value::Number(fold::unary(Op1::Neg, value, span), false))
                }
            },
            Unary::Not => {
                let (condition, shape) = self.condition(value, operand.span)?;
                Some(negated(condition, shape, span))
            }
        }
    }

    fn choice(
        &mut self,
        condition: &syntax::Expr,
        yes: &syntax::Expr,
        no: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let value = self.expr(condition, scope)?;
        let condition = match self.condition(value, condition.span)? {
            (condition, None) => condition,
            _ => return self.fail("a choice cannot depend on clocks", condition.span),
        };
        match fold::constant(&condition) {
            Some(0) => return self.expr(no, scope),
            Some(_) => return self.expr(yes, scope),
            None => {}
        }
        let (a, first) = self.operand(yes, scope)?;
        let (b, second) = self.operand(no, scope)?;
        if !first.is_empty() || !second.is_empty() {
            return self.chosen(condition, (a, first), (b, second), span);
        }
        if a.aggregate().is_some() {
            return Some(self.merged(&condition, a, b, span));
        }
        match (a, b) {
            (Value::Number(a, x), Value::Number(b, y)) => {
                Some(Value::Number(fold::choose(condition, a, b, span), x && y))
            }
            (Value::Scalar(a, x), Value::Scalar(b, y)) if x == y => {
                Some(Value::Scalar(fold::choose(condition, a, b, span), x))
            }
            (a @ (Value::Condition(..) | Value::Number(..)), b) => {
                let (a, x) = self.condition(a, yes.span)?;
                let (b, y) = self.condition(b, no.span)?;
                let shape = x.max(y).unwrap_or(Shape::Constraint);
                Some(Value::Condition(fold::choose(condition, a, b, span), shape))
            }
            _ => self.fail("both cases must be numbers", span),
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &Name,
        ty: &syntax::Type,
        body: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let (ty, lo, hi) = self.values(ty, scope)?;
        let mut list = Vec::new();
        let (mut shape, mut clocks) = (None, 0);
        for value in lo..=hi {
            let inner = self.bound(name, value, &ty, scope);
            let found = self.expr(body, inner);
            self.scopes.leave(inner);
            let found = found?;
            let part = match quantifier {
                Quantifier::Sum => self.plain(found, body.span)?,
                _ => {
                    let (part, of) = self.condition(found, body.span)?;
                    clocks += usize::from(of.is_some());
                    shape = shape.max(of);
                    part
                }
            };
            let decided = match quantifier {
                Quantifier::Forall => Some(0),
                Quantifier::Exists => Some(1),
                Quantifier::Sum => None,
            };
            if decided.is_some() && fold::constant(&part) == decided {
                return Some(Value::truth(part));
            }
            list.push(part);
        }
        Some(match quantifier {
            Quantifier::Sum => {
                let sum = fold::joined(Op::Add, list, span).unwrap_or(Expr::int(0, span));
                Value::Number(sum, false)
            }
            Quantifier::Forall => {
                let all = fold::joined(Op::And, list, span).unwrap_or(Expr::int(1, span));
                shape.map_or(Value::truth(all.clone()), |shape| Value::Condition(all, shape))
            }
            Quantifier::Exists => {
                let any = fold::joined(Op::Or, list, span).unwrap_or(Expr::int(0, span));
                // One bound under conditions without clocks is still a constraint.
                let shape = if clocks > 1 { Some(Shape::Formula) } else { shape };
                shape.map_or(Value::truth(any.clone()), |shape| Value::Condition(any, shape))
            }
        })
    }

    /// A type that something runs over, with its least and greatest value.
    pub(super) fn values(&mut self, ty: &syntax::Type, scope: ScopeId) -> Option<(Ty, i64, i64)> {
        let found = self.ty(ty, scope)?;
        match found.values() {
            Some((lo, hi)) if hi - lo < MOST_VALUES => Some((found, lo, hi)),
            Some((lo, hi)) => {
                let message = format!("this runs over {} values: too many", hi - lo + 1);
                self.fail(message, ty.span)
            }
            None => self.fail("this type cannot be run over", ty.span),
        }
    }

    /// A scope in which a name is a value of a type.
    pub(super) fn bound(&mut self, name: &Name, value: i64, ty: &Ty, scope: ScopeId) -> ScopeId {
        let inner = self.scopes.inside(scope);
        let value = match ty {
            Ty::Scalar { .. } => Value::of(Expr::int(value, name.span), ty),
            _ => Value::int(value, name.span),
        };
        // A fresh scope has no names that could be there twice.
        let _ = self.scopes.declare(inner, name, Symbol::Thing(Thing::Value(value)));
        inner
    }
}

/// `−linear`.
pub(super) fn negative(linear: Linear, span: Span) -> Linear {
    let Linear { plus, minus, offset } = linear;
    Linear { plus: minus, minus: plus, offset: fold::unary(Op1::Neg, offset, span) }
}

/// `not condition`. Bounds are turned round, so that they stay bounds.
pub(super) fn negated(condition: Expr, shape: Option<Shape>, span: Span) -> Value {
    if shape.is_none() {
        return Value::truth(fold::unary(Op1::Not, condition, span));
    }
    match condition.kind {
        ExprKind::Binary(op, left, right) if opposite(op).is_some() => {
            let op = opposite(op).unwrap_or(op);
            let shape = if op == Op::Ne { Shape::Formula } else { Shape::Constraint };
            Value::Condition(Expr::new(ExprKind::Binary(op, left, right), span), shape)
        }
        kind => {
            let condition = Expr::new(kind, condition.span);
            Value::Condition(fold::unary(Op1::Not, condition, span), Shape::Formula)
        }
    }
}

fn opposite(op: Op) -> Option<Op> {
    Some(match op {
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Ge => Op::Lt,
        Op::Eq => Op::Ne,
        Op::Ne => Op::Eq,
        _ => return None,
    })
}
