//! Clocks: that they are read and set only as zones can follow.
//!
//! A clock stands in a *sum*: clocks and numbers added and subtracted, with at
//! most one clock added and one subtracted. Sums are compared in conditions.
//! Those that restrict when something may happen, guards and invariants, must say
//! a conjunction of comparisons, each perhaps under a condition without clocks:
//! then the times at which they hold are an interval.

use super::{Checker, MAX_DEPTH, Reader};
use crate::network::{
    Access, Action, Atomic, Binary, Composition, Edge, Expr, ExprKind, Guard, Network, Place,
    Storage, Type, Unary, Variable,
};
use crate::source::Span;

/// What numbers that clocks are compared with may be: at most this, and at least
/// minus this.
pub const CLOCK_BOUND: i64 = 1 << 40;

/// What numbers clocks are set to may be at most.
pub const SETTING_BOUND: i64 = 1 << 29;

/// Whether a place is a clock.
pub(crate) fn is_clock(network: &Network, place: &Place) -> bool {
    let variable = network.variables.get(place.variable.index());
    let ty = variable.and_then(|variable| {
        place.path.iter().try_fold(&variable.ty, |ty, access| match (ty, access) {
            (Type::Array(element, _), Access::Index(_)) => Some(element.as_ref()),
            (Type::Record(id), Access::Field(field)) => {
                Some(&network.records.get(id.index())?.fields.get(*field as usize)?.1)
            }
            _ => None,
        })
    });
    ty == Some(&Type::Clock)
}

/// Whether values of a type hold clocks. The recursion over types is bounded by
/// [`MAX_DEPTH`].
pub(super) fn holds_clocks(network: &Network, ty: &Type) -> bool {
    match ty {
        Type::Clock => true,
        Type::Array(element, _) => holds_clocks(network, element),
        Type::Record(id) => {
            let fields = &network.records[id.index()].fields;
            fields.iter().any(|(_, field)| holds_clocks(network, field))
        }
        _ => false,
    }
}

/// Whether an expression reads a clock. One that is nested too deeply does not.
pub(crate) fn mentions_clock(network: &Network, expr: &Expr) -> bool {
    mentions(network, expr, 0)
}

fn mentions(network: &Network, expr: &Expr, depth: usize) -> bool {
    let inner = |expr: &Expr| mentions(network, expr, depth + 1);
    match &expr.kind {
        _ if depth > MAX_DEPTH => false,
        ExprKind::Read(place) => {
            is_clock(network, place)
                || place.path.iter().any(|access| match access {
                    Access::Index(index) => inner(index),
                    Access::Field(_) => false,
                })
        }
        ExprKind::Unary(_, operand) => inner(operand),
        ExprKind::Binary(_, left, right) => inner(left) || inner(right),
        ExprKind::Choose(condition, yes, no) => inner(condition) || inner(yes) || inner(no),
        ExprKind::Length(channel) => inner(channel),
        ExprKind::Poll { channel, message, .. } => {
            inner(channel) || message.iter().flatten().any(inner)
        }
        ExprKind::Int(_)
        | ExprKind::Ratio(..)
        | ExprKind::At(..)
        | ExprKind::Running(_)
        | ExprKind::Channel(_)
        | ExprKind::Deadlock
        | ExprKind::Fail(_) => false,
    }
}

/// What a condition over clocks may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Anything.
    Free,
    /// A conjunction.
    Conjunction,
    /// The negation of a conjunction.
    Disjunction,
}

impl Shape {
    fn negated(self) -> Shape {
        match self {
            Shape::Free => Shape::Free,
            Shape::Conjunction => Shape::Disjunction,
            Shape::Disjunction => Shape::Conjunction,
        }
    }
}

impl Checker<'_> {
    fn timed(&self, expr: &Expr) -> bool {
        mentions_clock(self.network, expr)
    }

    /// Checks a condition that may compare clocks.
    pub(super) fn condition(&mut self, expr: &Expr, reader: Reader, shape: Shape) {
        self.nested_condition(expr, reader, shape, 0);
    }

    fn nested_condition(&mut self, expr: &Expr, reader: Reader, shape: Shape, depth: usize) {
        if depth > MAX_DEPTH {
            return self.error("an expression is nested too deeply", expr.span);
        }
        if !self.timed(expr) {
            return self.expression(expr, reader);
        }
        if reader != Reader::System {
            return self.error("an observer reads a clock", expr.span);
        }
        match &expr.kind {
            ExprKind::Unary(Unary::Not, operand) => {
                self.nested_condition(operand, reader, shape.negated(), depth + 1);
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or | Binary::Imply), left, right) => {
                let free = |side: &Expr| !self.timed(side);
                let wanted =
                    if *op == Binary::And { Shape::Conjunction } else { Shape::Disjunction };
                let fits = shape == Shape::Free || shape == wanted || free(left) || free(right);
                self.require(fits, "a condition on clocks is no conjunction", expr.span);
                let first = if *op == Binary::Imply { shape.negated() } else { shape };
                self.nested_condition(left, reader, first, depth + 1);
                self.nested_condition(right, reader, shape, depth + 1);
            }
            ExprKind::Choose(condition, yes, no) => {
                if shape == Shape::Free {
                    self.nested_condition(condition, reader, shape, depth + 1);
                } else {
                    self.expression(condition, reader);
                }
                self.nested_condition(yes, reader, shape, depth + 1);
                self.nested_condition(no, reader, shape, depth + 1);
            }
            ExprKind::Binary(op, left, right) if compares(*op) => {
                let differ = matches!(
                    (op, shape),
                    (Binary::Ne, Shape::Conjunction) | (Binary::Eq, Shape::Disjunction)
                );
                self.require(!differ, "clocks that must differ", expr.span);
                self.comparison(left, right, reader, expr.span);
            }
            _ => self.error("a clock where a truth value is needed", expr.span),
        }
    }

    fn comparison(&mut self, left: &Expr, right: &Expr, reader: Reader, span: Span) {
        let mut sum = Balance::default();
        self.sum(left, true, reader, &mut sum);
        self.sum(right, false, reader, &mut sum);
        let fits = sum.added <= 1 && sum.taken <= 1;
        self.require(fits, "a comparison of more than one clock with another", span);
        self.within_bound(sum.number, CLOCK_BOUND, span);
    }

    /// Checks a value that a clock is set to.
    pub(super) fn setting(&mut self, value: &Expr, reader: Reader) {
        let mut sum = Balance::default();
        self.sum(value, true, reader, &mut sum);
        let fits = sum.added <= 1 && sum.taken == 0;
        self.require(fits, "a clock is set to more than one clock and a number", value.span);
        let positive = sum.number.is_none_or(|number| number >= 0);
        self.require(positive, "a clock is set to less than zero", value.span);
        self.within_bound(sum.number, SETTING_BOUND, value.span);
    }

    /// Checks something whose greatest or least value is asked for.
    pub(super) fn measured(&mut self, expr: &Expr, reader: Reader) {
        let mut sum = Balance::default();
        self.sum(expr, true, reader, &mut sum);
        let fits = sum.added <= 1 && sum.taken <= 1;
        self.require(fits, "more than one clock and another", expr.span);
    }

    fn within_bound(&mut self, number: Option<i128>, bound: i64, span: Span) {
        let most = i128::from(bound);
        let fits = number.is_none_or(|number| (-most..=most).contains(&number));
        self.require(fits, format!("a number for clocks is beyond {bound}"), span);
    }

    fn sum(&mut self, expr: &Expr, added: bool, reader: Reader, sum: &mut Balance) {
        match &expr.kind {
            _ if !self.timed(expr) => {
                self.expression(expr, reader);
                let value = constant(expr, 0);
                let pair = sum.number.zip(value);
                sum.number = pair.map(|(a, b)| if added { a + b } else { a - b });
            }
            ExprKind::Read(place) => {
                // Whoever is no clock has one among its indices.
                self.place(place, reader, 0);
                if added { sum.added += 1 } else { sum.taken += 1 }
            }
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), left, right) => {
                self.sum(left, added, reader, sum);
                self.sum(right, added == (*op == Binary::Add), reader, sum);
            }
            _ => self.error("a clock is read other than in a comparison", expr.span),
        }
    }

    pub(super) fn clock_variable(&mut self, variable: &Variable) {
        let name = &variable.name;
        let stays = variable.storage == Storage::State;
        self.require(stays, format!("`{name}` holds clocks outside the state"), variable.span);
        let owner = variable.owner.and_then(|owner| self.network.processes.get(owner.index()));
        let own = owner.is_none_or(|owner| owner.role == crate::network::Role::System);
        self.require(own, format!("`{name}` holds clocks of an observer"), variable.span);
    }

    /// What does not go together with clocks, and guards on urgent channels.
    pub(super) fn beside_clocks(&mut self, edge: &Edge) {
        if let Guard::When(guard) = &edge.guard
            && self.timed(guard)
            && self.is_urgent(edge)
        {
            let message = "a guard over clocks on an edge with an urgent channel";
            self.error(message, guard.span);
        }
        if self.timed {
            let plain = matches!(edge.guard, Guard::Always | Guard::When(_));
            self.require(plain, "`else` or `timeout` beside clocks", edge.span);
            self.require(edge.atomic == Atomic::No, "control held beside clocks", edge.span);
        }
    }

    /// Whether an edge may use an urgent channel.
    fn is_urgent(&self, edge: &Edge) -> bool {
        let channels = &self.network.channels;
        match &edge.action {
            None | Some(Action::Label(_)) => false,
            Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) => {
                match channel.kind {
                    ExprKind::Channel(id) => channels.get(id.index()).is_some_and(|c| c.urgent),
                    _ => channels.iter().any(|channel| channel.urgent),
                }
            }
        }
    }

    pub(super) fn composed_beside_clocks(&mut self) {
        let alone = self.network.composition == Composition::Interleaved;
        let fits = alone || !self.timed;
        self.require(fits, "clocks where all processes move at once", Span::default());
    }
}

/// What a sum holds.
struct Balance {
    /// Clocks that are added.
    added: usize,
    /// Clocks that are taken away.
    taken: usize,
    /// The numbers, where they are known.
    number: Option<i128>,
}

impl Default for Balance {
    fn default() -> Balance {
        Balance { added: 0, taken: 0, number: Some(0) }
    }
}

fn compares(op: Binary) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The value of a number as it is written.
fn constant(expr: &Expr, depth: usize) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(i128::from(*value)),
        ExprKind::Unary(Unary::Neg, operand) if depth < MAX_DEPTH => {
            constant(operand, depth + 1).map(|value| -value)
        }
        _ => None,
    }
}
