//! What is declared and not checked: real numbers, texts, hybrid clocks, and clocks
//! that stop.
//!
//! Models for statistical checking declare such things to measure, not to decide by.
//! What no guard, no invariant, no whole number and no query looks at changes no
//! verdict, whatever it holds; so it is read, and what is assigned to it is left out.
//! Whoever looks at it is refused, at that place.
//!
//! A clock is known to stop only once all invariants are read. Until then it is a
//! clock like others, and it is noted which clocks are looked at
//! ([`Lowering::measured`]); afterwards those that stop and are not become variables
//! that nothing reads, or the model is refused. Zones are not made for stopped clocks:
//! their sets of values would not be zones any more.

use homing_ir::network::{Expr, Storage, Type as NetworkType, VariableId};
use homing_ir::{Diagnostic, Span};

use super::Lowering;
use super::scope::{ScopeId, Symbol};
use super::types::Ty;
use super::value::{Thing, Value};
use crate::uppaal::syntax::{self, ExprKind as Kind, TypeKind};

/// Why something is not checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unchecked {
    /// `double`.
    Real,
    /// `string`.
    Text,
    /// `hybrid clock`.
    Hybrid,
    /// A clock that stops, or runs at another rate than 1.
    Stopwatch,
}

impl Unchecked {
    /// What those are told who look at it.
    fn refusal(self) -> &'static str {
        match self {
            Unchecked::Real => "`double` is not supported: only whole numbers are checked",
            Unchecked::Text => "`string` is not supported: only whole numbers are checked",
            Unchecked::Hybrid => "hybrid clocks are not supported where they are looked at",
            Unchecked::Stopwatch => {
                "clocks that stop or run at other rates than 1 are not supported where they are \
                 looked at"
            }
        }
    }
}

impl<'a> Lowering<'a> {
    /// Why values of a type are not checked, if they are not.
    pub(super) fn unchecked_type(&self, ty: &syntax::Type, scope: ScopeId) -> Option<Unchecked> {
        match &ty.kind {
            _ if ty.hybrid => Some(Unchecked::Hybrid),
            TypeKind::Other(name) if name == "double" => Some(Unchecked::Real),
            TypeKind::Other(_) => Some(Unchecked::Text),
            TypeKind::Named(name) => match self.scopes.find(scope, &name.text) {
                Some(Symbol::Type(Ty::Unchecked(why))) => Some(*why),
                _ => None,
            },
            _ => None,
        }
    }

    /// Somebody looks at what is not checked.
    pub(super) fn looked_at<T>(&mut self, why: Unchecked, span: Span) -> Option<T> {
        self.fail(why.refusal(), span)
    }

    /// Leaves out what is assigned to something that is not checked.
    pub(super) fn left_out(&mut self, value: &syntax::Expr) -> Option<()> {
        if !is_harmless(value) {
            let message = "what is not checked cannot be assigned something that changes others";
            return self.fail(message, value.span);
        }
        self.say_once(
            2,
            "what is assigned to real numbers and hybrid clocks is left out: nothing that is \
             checked looks at them",
            value.span,
        );
        Some(())
    }

    /// `x' == rate`: says nothing where it is 1; else the clock must not be looked at.
    pub(super) fn rate(
        &mut self,
        clock: &syntax::Expr,
        rate: &syntax::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        if !self.in_invariant {
            return self.fail("the rate of a clock can only stand in an invariant", span);
        }
        let nothing = Some(Value::truth(Expr::int(1, span)));
        match self.thing(clock, scope)? {
            Thing::Value(Value::Unchecked(_)) => nothing,
            Thing::Variable(place, Ty::Clock) => {
                // What the rate depends on is not looked at.
                let measured = self.measured.clone();
                let known = self.quietly(|this| this.number(rate, scope));
                self.measured = measured;
                if known != Some(1) {
                    self.rates.entry(place.variable).or_insert(span);
                }
                nothing
            }
            _ => self.fail("only clocks have rates", span),
        }
    }

    /// Notes that somebody looks at a clock; whether that is no use.
    pub(super) fn measure(&mut self, clock: VariableId, span: Span) -> bool {
        if self.stopped.contains(&clock) {
            return true;
        }
        self.measured.entry(clock).or_insert(span);
        false
    }

    /// Tells clocks that stop from others, once all invariants are read.
    pub(super) fn settle_rates(&mut self) {
        for (clock, span) in std::mem::take(&mut self.rates) {
            let variable = &self.network.variables[clock.index()];
            let unread = !self.measured.contains_key(&clock);
            match without_clocks(&variable.ty).filter(|_| unread) {
                Some(ty) => {
                    let variable = &mut self.network.variables[clock.index()];
                    (variable.ty, variable.storage) = (ty, Storage::Scratch);
                    self.stopped.insert(clock);
                }
                None => self.refuse_stopwatch(clock, span),
            }
        }
    }

    fn refuse_stopwatch(&mut self, clock: VariableId, span: Span) {
        let name = &self.network.variables[clock.index()].name;
        let message = format!(
            "clocks that stop or run at other rates than 1 are not supported where they are \
             looked at, as `{name}` is"
        );
        let mut error = Diagnostic::error(message, span);
        if let Some(read) = self.measured.get(&clock) {
            error = error.related(*read, "here");
        }
        self.report(error);
    }
}

/// The type of a clock, or of an array of them, with numbers in their place.
fn without_clocks(ty: &NetworkType) -> Option<NetworkType> {
    match ty {
        NetworkType::Clock => Some(NetworkType::checked(0, i64::from(i32::MAX))),
        NetworkType::Array(element, count) => {
            Some(NetworkType::Array(Box::new(without_clocks(element)?), *count))
        }
        _ => None,
    }
}

/// Whether evaluating an expression changes nothing, by its form.
fn is_harmless(expr: &syntax::Expr) -> bool {
    match &expr.kind {
        Kind::Assign(..) | Kind::Step { .. } | Kind::Other(_) => false,
        Kind::Call(callee, arguments) => {
            let real = matches!(&callee.kind, Kind::Name(name) if super::functions::is_real(name));
            real && arguments.iter().all(is_harmless)
        }
        Kind::Index(a, b) | Kind::Binary(_, a, b) => is_harmless(a) && is_harmless(b),
        Kind::Field(a, _) | Kind::Rate(a) | Kind::Unary(_, a) | Kind::Quantified(_, _, _, a) => {
            is_harmless(a)
        }
        Kind::Choose(a, b, c) => is_harmless(a) && is_harmless(b) && is_harmless(c),
        Kind::Int(_) | Kind::Bool(_) | Kind::Real(_) | Kind::Text(_) | Kind::Name(_) => true,
        Kind::Deadlock => true,
    }
}
