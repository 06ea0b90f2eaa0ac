//! Assignments.

use homing_ir::Span;
use homing_ir::network::{Access, Binary as Op, Expr, ExprKind, StatementKind};

use super::Lowering;
use super::fold;
use super::scope::ScopeId;
use super::things::type_of;
use super::types::Ty;
use super::value::{Linear, Thing, Value};
use crate::uppaal::syntax::{self, Binary, ExprKind as Kind};

impl<'a> Lowering<'a> {
    /// Does what an expression does, without its value.
    pub(super) fn perform(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<()> {
        match &expr.kind {
            Kind::Assign(op, place, value) => {
                self.spend(expr.span)?;
                self.assignment(*op, place, value, expr.span, scope)?;
            }
            Kind::Step { increment, place, .. } => {
                self.spend(expr.span)?;
                self.step(*increment, true, place, expr.span, scope)?;
            }
            _ => {
                self.expr(expr, scope)?;
            }
        }
        Some(())
    }

    /// Assigns, and tells what was assigned to.
    pub(super) fn assignment(
        &mut self,
        op: Option<Binary>,
        place: &syntax::Expr,
        value: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Thing> {
        let target = self.thing(place, scope)?;
        if let Thing::Value(Value::Unchecked(_)) = target {
            self.left_out(value)?;
            return Some(target);
        }
        let mark = self.mark();
        let found = self.expr(value, scope)?;
        let target = self.pinned_since(target, mark)?;
        let found = match op {
            None => found,
            Some(op) => {
                let old = self.read(target.clone(), place.span)?;
                self.apply(op, old, found, span)?
            }
        };
        self.store(&target, found, span)?;
        Some(target)
    }

    /// `x++`, `--x`: the value afterwards, or the one before.
    pub(super) fn step(
        &mut self,
        increment: bool,
        before: bool,
        place: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let target = self.thing(place, scope)?;
        if let Thing::Value(Value::Unchecked(why)) = target {
            self.left_out(place)?;
            return Some(Value::Unchecked(why));
        }
        let old = self.read(target.clone(), place.span)?;
        let op = if increment { Op::Add } else { Op::Sub };
        let new = self.apply(op.into(), old.clone(), Value::int(1, span), span)?;
        let mark = self.mark();
        self.store(&target, new, span)?;
        if before {
            return self.read(target, span);
        }
        self.settled_since(old, mark)
    }

    /// Stores a value.
    pub(super) fn store(&mut self, target: &Thing, value: Value, span: Span) -> Option<()> {
        let Some(ty) = type_of(target) else {
            return self.fail("this cannot be assigned to", span);
        };
        match target {
            Thing::Value(_) => self.fail("this cannot be assigned to", span),
            Thing::Fixed(fixed, ..) => {
                let message = format!("`{}` is constant: it cannot be assigned to", fixed.name);
                self.fail(message, span)
            }
            Thing::Local(slot, path, _) => {
                let value = self.converted(value, &ty, span)?;
                if ty == Ty::Clock || matches!(value, Value::Clocks(_) | Value::Condition(..)) {
                    return self.fail("a function where nothing changes cannot keep clocks", span);
                }
                let old = self.frame.locals[*slot].value.clone();
                let new = self.updated(old, path, value, span);
                self.frame.set(*slot, new);
                self.bounded(*slot, span)
            }
            Thing::Variable(..) if ty.is_aggregate() => {
                match value.aggregate() {
                    Some(other) if ty.fits(other) => {}
                    _ => return self.fail("these are of different types", span),
                }
                let values = self.parts(value, span);
                for (at, value) in values.into_iter().enumerate() {
                    self.store(&part_of(target, &ty, at, span), value, span)?;
                }
                Some(())
            }
            Thing::Variable(place, _) => {
                if matches!(value, Value::Clocks(_)) {
                    // Only a clock that runs can be assigned another.
                    self.measure(place.variable, span);
                }
                let value = self.scalar(value, &ty, span)?;
                self.emit(StatementKind::Assign(place.clone(), value), span)
            }
        }
    }

    /// The expression that is stored in a variable of a type.
    fn scalar(&mut self, value: Value, ty: &Ty, span: Span) -> Option<Expr> {
        match (self.converted(value, ty, span)?, ty) {
            (Value::Number(expr, _), Ty::Clock) => {
                if fold::constant(&expr).is_some_and(|value| value < 0) {
                    return self.fail("a clock cannot be negative", span);
                }
                Some(expr)
            }
            (Value::Number(expr, _) | Value::Scalar(expr, _), _) => Some(expr),
            (Value::Clocks(Linear { mut plus, minus, offset }), Ty::Clock) => {
                let (Some(clock), 0, 0) = (plus.pop(), plus.len(), minus.len()) else {
                    return self.fail(
                        "a clock is assigned a number, or a clock and a number added to it",
                        span,
                    );
                };
                Some(fold::binary(Op::Add, clock, offset, span))
            }
            (Value::Clocks(_) | Value::Condition(..), _) => {
                self.fail("what depends on clocks cannot be stored in a number", span)
            }
            (other, _) => {
                let what = other.what();
                self.fail(format!("{what} cannot be stored here"), span)
            }
        }
    }

    /// The value as a type holds it: truth values are 0 or 1.
    pub(super) fn converted(&mut self, value: Value, ty: &Ty, span: Span) -> Option<Value> {
        match (value, ty) {
            (Value::Scalar(expr, of), Ty::Scalar { set, .. }) if of == *set => {
                Some(Value::Scalar(expr, of))
            }
            (Value::Scalar(..), Ty::Scalar { .. }) => {
                self.fail("this is a value of another scalar set", span)
            }
            (Value::Scalar(..), ty) if !ty.is_aggregate() => {
                self.fail("a value of a scalar set is used where a number is needed", span)
            }
            (Value::Number(..), Ty::Scalar { .. }) => {
                self.fail("a number is used where a value of a scalar set is needed", span)
            }
            (Value::Number(expr, boolean), Ty::Bool) => {
                Some(Value::truth(fold::truth(expr, boolean)))
            }
            (Value::Number(expr, _), ty) if !ty.is_aggregate() => Some(Value::Number(expr, false)),
            (value, ty) => match value.aggregate() {
                Some(other) if !ty.fits(other) => self.fail("these are of different types", span),
                None if ty.is_aggregate() => {
                    let what = value.what();
                    self.fail(format!("{what} where an array or a struct is needed"), span)
                }
                Some(_) if !ty.is_aggregate() => {
                    let what = value.what();
                    self.fail(format!("{what} where a number is needed"), span)
                }
                _ => Some(value),
            },
        }
    }

    /// An array or a struct with one part replaced.
    fn updated(&mut self, old: Value, path: &[Access], new: Value, span: Span) -> Value {
        let Some((first, rest)) = path.split_first() else { return new };
        let Some(ty) = old.aggregate().cloned() else { return new };
        let mut parts = self.parts(old, span);
        let known = match first {
            Access::Field(at) => Some(i64::from(*at)),
            Access::Index(index) => fold::constant(index),
        };
        match (known, first) {
            (Some(at), _) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                if let Some(part) = parts.get_mut(at) {
                    let old = std::mem::replace(part, Value::Nothing);
                    let updated = self.updated(old, rest, new, span);
                    if let Some(part) = parts.get_mut(at) {
                        *part = updated;
                    }
                }
            }
            (None, Access::Index(index)) => {
                for (at, part) in parts.iter_mut().enumerate() {
                    let here =
                        fold::binary(Op::Eq, index.clone(), Expr::int(at as i64, span), span);
                    let updated = self.updated(part.clone(), rest, new.clone(), span);
                    *part = self.merged(&here, updated, part.clone(), span);
                }
            }
            (None, Access::Field(_)) => {}
        }
        Value::Parts(parts, ty)
    }

    /// Where all values of a type stand in a variable: the first is assigned what the
    /// type starts with, and so on.
    pub(super) fn reset(&mut self, target: &Thing, span: Span) -> Option<()> {
        let ty = type_of(target)?;
        if ty.is_aggregate() {
            for at in 0..ty.parts() {
                self.reset(&part_of(target, &ty, at, span), span)?;
            }
            return Some(());
        }
        let mut first = Vec::new();
        ty.defaults(&mut first);
        let value = Value::of(Expr::int(first.first().copied().unwrap_or(0), span), &ty);
        self.store(target, value, span)
    }
}

/// A part of a variable.
fn part_of(target: &Thing, ty: &Ty, at: usize, span: Span) -> Thing {
    let Thing::Variable(place, _) = target else { return target.clone() };
    let mut place = place.clone();
    place.path.push(match ty {
        Ty::Struct(_) => Access::Field(at as u32),
        _ => Access::Index(Expr::int(at as i64, span)),
    });
    Thing::Variable(place, ty.part(at).cloned().unwrap_or(Ty::Void))
}

/// Whether an expression reads nothing that an update could change.
pub(super) fn is_fixed(value: &Value) -> bool {
    match value {
        Value::Number(expr, _) | Value::Scalar(expr, _) => matches!(expr.kind, ExprKind::Int(_)),
        Value::Fixed(..) | Value::Channel(..) | Value::Nothing => true,
        Value::Parts(parts, _) => parts.iter().all(is_fixed),
        _ => false,
    }
}
