//! Operators of two operands, and the order in which operands change things.
//!
//! Clocks are only compared: `x + 2 < y` becomes a bound on the difference of two
//! clocks, whatever stands on which side.

use homing_ir::Span;
use homing_ir::network::{
    Access, Binary as Op, Expr, ExprKind, Place, Statement, StatementKind, Storage, Type, Unary,
    Variable, VariableId,
};

use super::Lowering;
use super::expression::{negated, negative};
use super::fold;
use super::scope::ScopeId;
use super::value::{Linear, Shape, Thing, Value};
use crate::arithmetic;
use crate::uppaal::syntax::{self, Binary, ExprKind as Kind};

impl<'a> Lowering<'a> {
    pub(super) fn binary(
        &mut self,
        op: Binary,
        left: &syntax::Expr,
        right: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        if let Binary::Plain(op) = op {
            match (op, &left.kind, &right.kind) {
                (Op::And | Op::Or | Op::Imply, ..) => {
                    return self.logic(op, left, right, span, scope);
                }
                (Op::Eq, Kind::Rate(clock), _) => return self.rate(clock, right, span, scope),
                (Op::Eq, _, Kind::Rate(clock)) => return self.rate(clock, left, span, scope),
                _ => {}
            }
        }
        let a = self.expr(left, scope)?;
        let mark = self.mark();
        let b = self.expr(right, scope)?;
        let a = self.settled_since(a, mark)?;
        self.apply(op, a, b, span)
    }

    /// An operator applied to two values.
    pub(super) fn apply(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Option<Value> {
        use Op::{Add, Eq, Ge, Gt, Le, Lt, Ne, Sub};
        let plain = if let Binary::Plain(op) = op { Some(op) } else { None };
        let relation = plain.filter(|op| matches!(op, Eq | Ne | Lt | Le | Gt | Ge));
        if matches!(a, Value::Clocks(_)) || matches!(b, Value::Clocks(_)) {
            let (a, b) = (self.linear(a, span)?, self.linear(b, span)?);
            return match (plain, relation) {
                (Some(Add), _) => self.added(a, b, span),
                (Some(Sub), _) => self.added(a, negative(b, span), span),
                (_, Some(op)) => self.bound_on_clocks(op, a, b, span),
                _ => self.fail("clocks can only be compared, added to and subtracted", span),
            };
        }
        if a.aggregate().is_some() || b.aggregate().is_some() {
            return match plain {
                Some(Eq) => self.equal(a, b, span).map(Value::truth),
                Some(Ne) => self.equal(a, b, span).map(|same| Value::truth(fold::not(same))),
                _ => self.fail("arrays and structs can only be compared for equality", span),
            };
        }
        if matches!(a, Value::Scalar(..)) || matches!(b, Value::Scalar(..)) {
            return self.compared(op, a, b, span);
        }
        let (a, b) = (self.plain(a, span)?, self.plain(b, span)?);
        match op {
            Binary::Min | Binary::Max => {
                let op = if op == Binary::Min { Lt } else { Gt };
                let first = fold::binary(op, a.clone(), b.clone(), span);
                Some(Value::Number(fold::choose(first, a, b, span), false))
            }
            Binary::Power => match (fold::constant(&a), fold::constant(&b)) {
                (Some(base), Some(exponent @ 0..)) => {
                    Some(Value::int(arithmetic::power(base, exponent), span))
                }
                _ => self.fail("`**` is only supported between constants", span),
            },
            Binary::Plain(op) => {
                Some(Value::Number(fold::binary(op, a, b, span), relation.is_some()))
            }
        }
    }

    fn linear(&mut self, value: Value, span: Span) -> Option<Linear> {
        match value {
            Value::Clocks(linear) => Some(linear),
            value => self.plain(value, span).map(Linear::number),
        }
    }

    fn added(&mut self, a: Linear, b: Linear, span: Span) -> Option<Value> {
        let (mut plus, mut minus) = (a.plus, a.minus);
        plus.extend(b.plus);
        minus.extend(b.minus);
        let offset = fold::binary(Op::Add, a.offset, b.offset, span);
        Some(Value::Clocks(Linear { plus, minus, offset }))
    }

    /// `a op b` as a bound on a clock or on the difference of two.
    fn bound_on_clocks(&mut self, op: Op, a: Linear, b: Linear, span: Span) -> Option<Value> {
        let (mut plus, mut minus) = (a.plus, a.minus);
        plus.extend(b.minus);
        minus.extend(b.plus);
        let (mut op, mut bound) = (op, fold::binary(Op::Sub, b.offset, a.offset, span));
        if plus.is_empty() {
            std::mem::swap(&mut plus, &mut minus);
            bound = fold::unary(Unary::Neg, bound, span);
            op = mirrored(op);
        }
        let (Some(clock), 0, 0..=1) = (plus.pop(), plus.len(), minus.len()) else {
            return self.fail("only a clock, or the difference of two, can be compared", span);
        };
        let clock = match minus.pop() {
            Some(other) => fold::binary(Op::Sub, clock, other, span),
            None => clock,
        };
        let shape = if op == Op::Ne { Shape::Formula } else { Shape::Constraint };
        Some(Value::Condition(fold::binary(op, clock, bound, span), shape))
    }

    /// Whether two arrays or structs are equal, part by part.
    fn equal(&mut self, a: Value, b: Value, span: Span) -> Option<Expr> {
        match (a.aggregate(), b.aggregate()) {
            (Some(x), Some(y)) if x.fits(y) => {
                let pairs: Vec<(Value, Value)> =
                    self.parts(a, span).into_iter().zip(self.parts(b, span)).collect();
                let mut all = Vec::new();
                for (a, b) in pairs {
                    all.push(self.equal(a, b, span)?);
                }
                Some(fold::joined(Op::And, all, span).unwrap_or(Expr::int(1, span)))
            }
            (None, None) => {
                let same = self.apply(Op::Eq.into(), a, b, span)?;
                self.plain(same, span)
            }
            _ => self.fail("these are of different types", span),
        }
    }

    fn logic(
        &mut self,
        op: Op,
        left: &syntax::Expr,
        right: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let a = self.expr(left, scope)?;
        let (a, x) = self.condition(a, left.span)?;
        let known = fold::constant(&a);
        match (op, known) {
            (Op::And, Some(0)) => return Some(Value::truth(Expr::int(0, span))),
            (Op::Or, Some(1..)) | (Op::Imply, Some(0)) => {
                return Some(Value::truth(Expr::int(1, span)));
            }
            _ => {}
        }
        let (b, statements) = self.operand(right, scope)?;
        let (b, y) = self.condition(b, right.span)?;
        if !statements.is_empty() {
            return match (x, y) {
                (None, None) => self.lazily(op, a, (b, statements), span),
                _ => self.fail("a condition over clocks cannot change anything", span),
            };
        }
        Some(joined(op, (a, x), (b, y), span))
    }

    /// `a op b` where reading `b` changes things.
    fn lazily(
        &mut self,
        op: Op,
        a: Expr,
        (b, mut statements): (Expr, Vec<Statement>),
        span: Span,
    ) -> Option<Value> {
        let result = self.temporary(span);
        let a = if op == Op::Imply { fold::not(a) } else { a };
        self.emit(StatementKind::Assign(result.clone(), a), span)?;
        statements.push(Statement { kind: StatementKind::Assign(result.clone(), b), span });
        let held = Expr::new(ExprKind::Read(result), span);
        let (yes, no) = match op {
            Op::And => (statements, Vec::new()),
            _ => (Vec::new(), statements),
        };
        self.emit(StatementKind::If(held.clone(), yes, no), span)?;
        Some(Value::truth(held))
    }

    /// `condition ? a : b` where reading `a` or `b` changes things.
    pub(super) fn chosen(
        &mut self,
        condition: Expr,
        (a, mut first): (Value, Vec<Statement>),
        (b, mut second): (Value, Vec<Statement>),
        span: Span,
    ) -> Option<Value> {
        if let (Value::Nothing, Value::Nothing) = (&a, &b) {
            self.emit(StatementKind::If(condition, first, second), span)?;
            return Some(Value::Nothing);
        }
        let (a, b) = (self.plain(a, span)?, self.plain(b, span)?);
        let result = self.temporary(span);
        first.push(Statement { kind: StatementKind::Assign(result.clone(), a), span });
        second.push(Statement { kind: StatementKind::Assign(result.clone(), b), span });
        self.emit(StatementKind::If(condition, first, second), span)?;
        Some(Value::Number(Expr::new(ExprKind::Read(result), span), false))
    }

    /// An operand that may not be evaluated, and what reading it changes.
    pub(super) fn operand(
        &mut self,
        expr: &syntax::Expr,
        scope: ScopeId,
    ) -> Option<(Value, Vec<Statement>)> {
        let (locals, since) = (self.frame.locals.len(), self.frame.changes);
        let found = self.apart(|this| this.expr(expr, scope))?;
        if self.frame.touched(locals, since) {
            return self.fail("an operand that may be skipped cannot change anything", expr.span);
        }
        Some(found)
    }

    /// How many statements the current block has.
    pub(super) fn mark(&self) -> usize {
        self.effect.as_ref().map_or(0, Vec::len)
    }

    /// A variable for an intermediate result.
    pub(super) fn temporary(&mut self, span: Span) -> Place {
        let held = self.saved.entry(self.owner).or_default();
        if self.temporaries == held.len() {
            held.push(VariableId(self.network.variables.len() as u32));
            self.network.variables.push(Variable {
                name: format!("held{}", self.temporaries),
                span,
                owner: self.owner,
                ty: Type::checked(i64::from(i32::MIN), i64::from(i32::MAX)),
                initial: Vec::new(),
                storage: Storage::Scratch,
            });
        }
        let variable = held[self.temporaries];
        self.temporaries += 1;
        Place { variable, path: Vec::new(), span }
    }

    /// The value as it was at `mark`, should statements have been added since.
    pub(super) fn settled_since(&mut self, value: Value, mark: usize) -> Option<Value> {
        if self.mark() == mark || value.constant().is_some() {
            return Some(value);
        }
        match value {
            Value::Number(expr, boolean) => Some(Value::Number(self.held_at(expr, mark), boolean)),
            Value::Scalar(expr, set) => Some(Value::Scalar(self.held_at(expr, mark), set)),
            Value::Nothing => Some(value),
            other => {
                let (what, span) = (other.what(), self.span_of_last());
                self.fail(format!("{what} beside something that changes it"), span)
            }
        }
    }

    /// The thing as it was at `mark`: its indices do not change.
    pub(super) fn pinned_since(&mut self, thing: Thing, mark: usize) -> Option<Thing> {
        if self.mark() == mark {
            return Some(thing);
        }
        Some(self.pinned_at(thing, mark))
    }

    /// The thing, its indices kept from now on.
    pub(super) fn pinned(&mut self, thing: Thing) -> Thing {
        let mark = self.mark();
        self.pinned_at(thing, mark)
    }

    fn pinned_at(&mut self, thing: Thing, mark: usize) -> Thing {
        match thing {
            Thing::Variable(mut place, ty) => {
                let mut at = mark;
                for access in &mut place.path {
                    if let Access::Index(index) = access
                        && fold::constant(index).is_none()
                    {
                        let value = index.clone();
                        *index = self.held_at(value, at);
                        at += 1;
                    }
                }
                Thing::Variable(place, ty)
            }
            other => other,
        }
    }

    /// Keeps a value before the statement at `mark`.
    fn held_at(&mut self, expr: Expr, mark: usize) -> Expr {
        let span = expr.span;
        let place = self.temporary(span);
        let kept = Statement { kind: StatementKind::Assign(place.clone(), expr), span };
        if let Some(block) = &mut self.effect {
            block.insert(mark.min(block.len()), kept);
        }
        Expr::new(ExprKind::Read(place), span)
    }

    fn span_of_last(&self) -> Span {
        let last = self.effect.as_ref().and_then(|block| block.last());
        last.map_or(Span::default(), |statement| statement.span)
    }
}

/// A condition made of two.
fn joined(
    op: Op,
    (a, x): (Expr, Option<Shape>),
    (b, y): (Expr, Option<Shape>),
    span: Span,
) -> Value {
    let (expr, shape) = match (op, x, y) {
        (Op::And, ..) => (fold::binary(Op::And, a, b, span), x.max(y)),
        (Op::Imply, None, _) => (fold::binary(Op::Imply, a, b, span), y),
        (Op::Imply, ..) => {
            return match negated(a, x, span) {
                Value::Condition(a, x) => joined(Op::Or, (a, Some(x)), (b, y), span),
                other => other,
            };
        }
        // What is without clocks comes first: it says when the bound counts.
        (_, Some(_), None) => (fold::binary(Op::Or, b, a, span), x),
        (_, None, _) => (fold::binary(Op::Or, a, b, span), y),
        (_, Some(_), Some(_)) => (fold::binary(Op::Or, a, b, span), Some(Shape::Formula)),
    };
    match (shape, fold::constant(&expr)) {
        (Some(shape), None) => Value::Condition(expr, shape),
        _ => Value::truth(expr),
    }
}

/// The operator with its sides exchanged.
fn mirrored(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        same => same,
    }
}
