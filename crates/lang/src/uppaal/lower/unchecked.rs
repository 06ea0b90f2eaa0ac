//! What is declared and not checked: real numbers, texts, hybrid clocks, and clocks
//! at other rates than 0 and 1.
//!
//! Models for statistical checking declare such things to measure, not to decide by.
//! What no guard, no invariant, no whole number and no query looks at changes no
//! verdict, whatever it holds; so it is read, and what is assigned to it is left out.
//! Whoever looks at it is refused, at that place.
//!
//! Which rates a clock has is known only once all invariants are read. Until then it is
//! a clock like others, and it is noted which clocks are looked at
//! ([`Lowering::measured`]). Afterwards those become variables that nothing reads that
//! are not at rate 1 and that nobody looks at. Of the others, those whose rate is
//! always 0 or 1 are stopwatches ([`Stopwatch`]), and the rest is refused. Queries look
//! at clocks, too, so that a stopwatch is given up only behind them.

use std::collections::BTreeSet;

use homing_ir::network::{
    Access, Binary as Op, Expr, ExprKind, Place, Statement, StatementKind, Stopwatch, Storage,
    Type as NetworkType, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::Lowering;
use super::fold;
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
    /// A clock at another rate than 0 and 1.
    Rate,
    /// A clock that stops, and that nothing in the model looks at.
    Unread,
}

/// Of a clock whose rate is not 1 everywhere, where a rate stands that may be something
/// else than 0 and 1.
pub(super) type Rate = Option<Span>;

impl Unchecked {
    /// What those are told who look at it.
    fn refusal(self) -> &'static str {
        match self {
            Unchecked::Real => "`double` is not supported: only whole numbers are checked",
            Unchecked::Text => "`string` is not supported: only whole numbers are checked",
            Unchecked::Hybrid => "hybrid clocks are not supported where they are looked at",
            Unchecked::Rate => {
                "clocks at other rates than 0 and 1 are not supported where they are looked at"
            }
            Unchecked::Unread => {
                "this clock stops, and was left out because nothing in the model looks at it; ask \
                 about it in a query of the model, or in a file named by `--queries`"
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

    /// `x' == rate`: says nothing where it is 1. Where it is 0 or 1, the clock is a
    /// stopwatch; else it must not be looked at.
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
                let value = self.quietly(|this| this.unchanged(|this| this.expr(rate, scope)));
                self.measured = measured;
                self.note_rate(place, value, span);
                nothing
            }
            _ => self.fail("only clocks have rates", span),
        }
    }

    /// Notes the rate of a clock, where it is not 1.
    fn note_rate(&mut self, clock: Place, rate: Option<Value>, span: Span) {
        let known = clock.path.iter().all(|access| match access {
            Access::Index(index) => fold::constant(index).is_some(),
            Access::Field(_) => true,
        });
        let runs = match rate {
            Some(Value::Number(rate, boolean)) if boolean || self.is_truth(&rate) => Some(rate),
            // Perhaps all that is assigned to it is 0 or 1: that is known later.
            Some(Value::Number(rate, _)) => match &rate.kind {
                ExprKind::Read(of) => {
                    self.doubtful.push((clock.variable, of.variable, span));
                    Some(rate)
                }
                _ => None,
            },
            _ => None,
        };
        if runs.as_ref().and_then(fold::constant) == Some(1) {
            return;
        }
        let runs = runs.filter(|_| known && self.conjuncts.contains(&span));
        let other = self.rates.entry(clock.variable).or_default();
        match runs {
            // Where it stands is what is shown of it.
            Some(runs) => self.watches.push(Stopwatch { clock: Place { span, ..clock }, runs }),
            None => *other = other.or(Some(span)),
        }
    }

    /// Notes that somebody looks at a clock; why that is no use, if it is none.
    pub(super) fn measure(&mut self, clock: VariableId, span: Span) -> Option<Unchecked> {
        let unread = self.unread.get(&clock).copied();
        if unread.is_none() {
            self.measured.entry(clock).or_insert(span);
        }
        unread
    }

    fn is_truth(&self, expr: &Expr) -> bool {
        let (lo, hi) = fold::range(&self.network, expr);
        0 <= lo && hi <= 1
    }

    /// Whether a variable starts with 0 or 1 and is assigned nothing else.
    fn holds_truths(&self, variable: VariableId) -> bool {
        let edges = self.network.processes.iter().flat_map(|process| &process.edges);
        let mut effects = edges.flat_map(|edge| &edge.branches).map(|branch| &branch.effect);
        let initial = &self.network.variables[variable.index()].initial;
        initial.iter().all(|value| matches!(value, 0 | 1))
            && effects.all(|effect| self.assigns_truths(variable, effect))
    }

    /// The recursion over blocks is bounded by the parser.
    fn assigns_truths(&self, variable: VariableId, block: &[Statement]) -> bool {
        block.iter().all(|statement| match &statement.kind {
            StatementKind::Assign(place, value) => {
                place.variable != variable || self.is_truth(value)
            }
            StatementKind::If(_, yes, no) => {
                [yes, no].into_iter().all(|block| self.assigns_truths(variable, block))
            }
            StatementKind::While(_, body) => self.assigns_truths(variable, body),
            _ => true,
        })
    }

    /// Refuses clocks at other rates than 0 and 1 that are looked at, once all
    /// invariants are read.
    pub(super) fn settle_rates(&mut self) {
        for (clock, variable, span) in std::mem::take(&mut self.doubtful) {
            if !self.holds_truths(variable) {
                self.rates.insert(clock, Some(span));
            }
        }
        let others = self.rates.iter().filter_map(|(clock, other)| Some((*clock, (*other)?)));
        let others: Vec<(VariableId, Span)> = others.collect();
        for (clock, span) in others {
            self.rates.remove(&clock);
            if self.measured.contains_key(&clock) || !self.give_up(clock, Unchecked::Rate) {
                self.refuse_rate(clock, span);
            }
        }
    }

    /// Gives up stopwatches that nothing looks at, once all queries are read.
    pub(crate) fn settle_stopwatches(&mut self) {
        for clock in std::mem::take(&mut self.rates).into_keys() {
            if !self.measured.contains_key(&clock) {
                // One within a struct stays, and does no harm.
                self.give_up(clock, Unchecked::Unread);
            }
        }
    }

    /// Takes stopwatches for given up that were when `network` was read.
    pub(crate) fn settle_as_in(&mut self, network: &homing_ir::Network) {
        for clock in std::mem::take(&mut self.rates).into_keys() {
            let found = network.variables.get(clock.index());
            if found.is_some_and(|found| found.storage == Storage::Scratch) {
                self.give_up(clock, Unchecked::Unread);
            }
        }
    }

    /// Makes a clock a number that nothing reads. Answers whether it can be one.
    fn give_up(&mut self, clock: VariableId, why: Unchecked) -> bool {
        let variable = &mut self.network.variables[clock.index()];
        let Some(ty) = without_clocks(&variable.ty) else { return false };
        (variable.ty, variable.storage) = (ty, Storage::Scratch);
        self.unread.insert(clock, why);
        let processes = self.network.processes.iter_mut();
        for location in processes.flat_map(|process| &mut process.locations) {
            location.stopwatches.retain(|watch| watch.clock.variable != clock);
        }
        true
    }

    fn refuse_rate(&mut self, clock: VariableId, span: Span) {
        let name = &self.network.variables[clock.index()].name;
        let message = format!(
            "clocks at other rates than 0 and 1 are not supported where they are looked at, as \
             `{name}` is"
        );
        let mut error = Diagnostic::error(message, span);
        if let Some(read) = self.measured.get(&clock) {
            error = error.related(*read, "here");
        }
        self.report(error);
    }
}

/// The places of the rates that are conjuncts of an invariant, by its form. The
/// recursion is bounded by the parser.
pub(super) fn conjuncts(invariant: &syntax::Expr, found: &mut BTreeSet<Span>) {
    match &invariant.kind {
        Kind::Binary(syntax::Binary::Plain(Op::And), left, right) => {
            conjuncts(left, found);
            conjuncts(right, found);
        }
        Kind::Quantified(syntax::Quantifier::Forall, _, _, body) => conjuncts(body, found),
        Kind::Binary(syntax::Binary::Plain(Op::Eq), ..) => {
            found.insert(invariant.span);
        }
        _ => {}
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
        Kind::Int(_) | Kind::Bool(_) | Kind::Real | Kind::Text | Kind::Name(_) => true,
        Kind::Deadlock => true,
    }
}
