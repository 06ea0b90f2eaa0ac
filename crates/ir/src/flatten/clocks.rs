//! What guards, invariants and conditions say of clocks.
//!
//! Negations are pushed inwards. A guard or invariant must then be a conjunction
//! of discrete conditions, of bounds on clocks, and of bounds that a discrete
//! condition lets count (`c || bound`, `c imply bound`, `c ? bound : bound`):
//!
//! ```text
//! split(p, when):
//!   p without clocks       the discrete guard gets `when imply p`
//!   p and q                split both
//!   c or q, c imply q      split(q, when and not c), or (q, when and c)
//!   c ? p : q              split(p, when and c), split(q, when and not c)
//!   x - y ≺ e              a constraint
//! ```
//! A condition to search for may be any combination: `cases`.
//!
//! Failures: what is compared with clocks is evaluated by the discrete guard too,
//! so that it fails there. One order is not kept: of `bound || c`, a `c` that
//! cannot be evaluated counts as false, though it is a failure where the bound
//! does not hold.

use super::{Flattener, Wanted};
use crate::diagnostic::Diagnostic;
use crate::interval::Env;
use crate::network::{
    Binary, ChannelKind, Expr, ExprKind, Guard, Lifetime, Location, Network, Place, Stopwatch,
    Storage, Type, Unary, Urgency,
};
use crate::passes::constants::simplified;
use crate::source::Span;
use crate::system::{Interval, Term};
use crate::timing::{ClockTerm, Constraint};

/// A truth value under the negations around it.
#[derive(Clone, Copy)]
pub(super) struct Literal<'e> {
    pub(super) expr: &'e Expr,
    pub(super) holds: bool,
}

/// What a truth value is made of.
pub(super) enum Shape<'e> {
    /// It has nothing to do with clocks.
    Discrete,
    /// The state is a deadlock, or is none.
    Deadlock(bool),
    /// Both hold.
    Both(Literal<'e>, Literal<'e>),
    /// One holds.
    Either(Literal<'e>, Literal<'e>),
    /// The second holds where the first does, else the third.
    Choice(Literal<'e>, Literal<'e>, Literal<'e>),
    /// A comparison of clocks.
    Bound(Binary, &'e Expr, &'e Expr),
    /// None of these.
    Other,
}

/// Clocks added and subtracted, and a number.
struct Linear {
    plus: Vec<ClockTerm>,
    minus: Vec<ClockTerm>,
    number: Term,
}

impl Flattener<'_> {
    pub(super) fn problem(&mut self, message: impl Into<String>, span: Span) {
        let message = message.into();
        if !self.problems.iter().any(|known| known.span == span && known.message == message) {
            self.problems.push(Diagnostic::error(message, span));
        }
    }

    pub(super) fn is_clock(&self, place: &Place) -> bool {
        !self.timing.clocks.is_empty() && self.leaf(place).is_clock()
    }

    /// Whether the value of an expression depends on clocks, or on whether the
    /// state is a deadlock.
    pub(super) fn is_timed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Read(place) => self.is_clock(place),
            ExprKind::Deadlock => true,
            ExprKind::Unary(_, operand) => self.is_timed(operand),
            ExprKind::Binary(_, left, right) => self.is_timed(left) || self.is_timed(right),
            ExprKind::Choose(a, b, c) => [a, b, c].into_iter().any(|expr| self.is_timed(expr)),
            _ => false,
        }
    }

    pub(super) fn shape<'e>(&self, literal: Literal<'e>) -> Shape<'e> {
        let Literal { expr, holds } = literal;
        if !self.is_timed(expr) {
            return Shape::Discrete;
        }
        let like = |expr: &'e Expr| Literal { expr, holds };
        let unlike = |expr: &'e Expr| Literal { expr, holds: !holds };
        match &expr.kind {
            ExprKind::Deadlock => Shape::Deadlock(holds),
            ExprKind::Unary(Unary::Not, operand) => self.shape(unlike(operand)),
            ExprKind::Binary(Binary::And, left, right) => match holds {
                true => Shape::Both(like(left), like(right)),
                false => Shape::Either(like(left), like(right)),
            },
            ExprKind::Binary(Binary::Or, left, right) => match holds {
                true => Shape::Either(like(left), like(right)),
                false => Shape::Both(like(left), like(right)),
            },
            ExprKind::Binary(Binary::Imply, left, right) => match holds {
                true => Shape::Either(unlike(left), like(right)),
                false => Shape::Both(unlike(left), like(right)),
            },
            ExprKind::Choose(condition, then, otherwise) => {
                let condition = Literal { expr: condition, holds: true };
                Shape::Choice(condition, like(then), like(otherwise))
            }
            ExprKind::Binary(op, left, right) => match comparison(*op, holds) {
                Some(op @ (Binary::Eq | Binary::Ne)) if self.are_truths(left, right) => {
                    let (by, value) =
                        if self.is_timed(left) { (right, left) } else { (left, right) };
                    let same = Literal { expr: value, holds: op == Binary::Eq };
                    let other = Literal { expr: value, holds: op != Binary::Eq };
                    Shape::Choice(Literal { expr: by, holds: true }, same, other)
                }
                Some(op) => Shape::Bound(op, left, right),
                None => Shape::Other,
            },
            _ => Shape::Other,
        }
    }

    fn are_truths(&self, left: &Expr, right: &Expr) -> bool {
        self.is_truth(left) && self.is_truth(right)
    }

    /// Whether an expression is 0 or 1 by its form.
    fn is_truth(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(value) => Interval::TRUTH.contains(*value),
            ExprKind::Read(place) => self.leaf(place).ty == Type::Bool,
            ExprKind::At(..) | ExprKind::Running(_) | ExprKind::Deadlock => true,
            ExprKind::Unary(op, _) => *op == Unary::Not,
            ExprKind::Binary(op, ..) => {
                comparison(*op, true).is_some()
                    || matches!(op, Binary::And | Binary::Or | Binary::Imply)
            }
            _ => false,
        }
    }

    /// What a guard says of the discrete part; what it says of clocks goes to
    /// `so_far`.
    pub(super) fn bounds(&mut self, expr: &Expr) -> Term {
        let mut discrete = Term::Const(1);
        self.split(Literal { expr, holds: true }, &Term::Const(1), &mut discrete);
        discrete
    }

    fn split(&mut self, literal: Literal, when: &Term, discrete: &mut Term) {
        let span = literal.expr.span;
        match self.shape(literal) {
            Shape::Discrete => {
                let term = self.literal(literal);
                demand(when, term, discrete);
            }
            Shape::Both(left, right) => {
                self.split(left, when, discrete);
                self.split(right, when, discrete);
            }
            Shape::Either(left, right) => {
                let (condition, bound) = match (self.is_timed(left.expr), right) {
                    (false, _) => (left, right),
                    (true, right) if !self.is_timed(right.expr) => (right, left),
                    _ => {
                        return self.problem(
                            "a guard or invariant cannot choose among bounds of clocks",
                            span,
                        );
                    }
                };
                let term = self.literal(condition);
                if !self.is_timed(left.expr) {
                    evaluated(when, &term, discrete);
                }
                let when = both(when.clone(), negated(term));
                self.split(bound, &when, discrete);
            }
            Shape::Choice(condition, then, otherwise) => {
                if self.is_timed(condition.expr) {
                    return self.problem("a guard or invariant cannot choose by clocks", span);
                }
                let term = self.literal(condition);
                evaluated(when, &term, discrete);
                let yes = both(when.clone(), term.clone());
                self.split(then, &yes, discrete);
                self.split(otherwise, &both(when.clone(), negated(term)), discrete);
            }
            Shape::Bound(op, left, right) => {
                let Some(bounds) = self.bound(op, left, right, when) else { return };
                if bounds.len() > 1 && op == Binary::Ne {
                    return self.problem(
                        "a guard or invariant cannot choose among bounds of clocks",
                        span,
                    );
                }
                // Both bounds of an equation evaluate the same terms.
                for term in bounds.iter().take(1).flat_map(|bound| bound.terms().skip(1)) {
                    evaluated(when, term, discrete);
                }
                self.so_far.extend(bounds);
            }
            Shape::Deadlock(_) => self.problem("`deadlock` cannot be asked for here", span),
            Shape::Other => self.problem("a clock cannot be read here", span),
        }
    }

    /// A truth value that has nothing to do with clocks.
    pub(super) fn literal(&mut self, literal: Literal) -> Term {
        let term = self.term(literal.expr);
        let term = self.folded(term);
        if literal.holds { term } else { negated(term) }
    }

    /// The bounds that a comparison of clocks is made of: one, or two all of
    /// which (`==`) or one of which (`!=`) must hold.
    pub(super) fn bound(
        &mut self,
        op: Binary,
        left: &Expr,
        right: &Expr,
        when: &Term,
    ) -> Option<Vec<Constraint>> {
        let (low, high) = (self.linear(left)?, self.linear(right)?);
        let mut plus: Vec<ClockTerm> = low.plus.into_iter().chain(high.minus).collect();
        let mut minus: Vec<ClockTerm> = low.minus.into_iter().chain(high.plus).collect();
        plus.retain(|clock| match minus.iter().position(|other| other == clock) {
            Some(other) => {
                minus.remove(other);
                false
            }
            None => true,
        });
        if plus.len() > 1 || minus.len() > 1 {
            self.problem("only the difference of two clocks can be compared", left.span);
            return None;
        }
        let plus = plus.pop().unwrap_or(ClockTerm::Clock(0));
        let minus = minus.pop().unwrap_or(ClockTerm::Clock(0));
        let most = difference(high.number.clone(), low.number.clone());
        let least = difference(low.number, high.number);
        let bound = |left: &ClockTerm, right: &ClockTerm, bound: &Term, strict| Constraint {
            when: when.clone(),
            left: left.clone(),
            right: right.clone(),
            bound: bound.clone(),
            strict,
        };
        let below = |strict| bound(&plus, &minus, &most, strict);
        let above = |strict| bound(&minus, &plus, &least, strict);
        Some(match op {
            Binary::Lt => vec![below(true)],
            Binary::Le => vec![below(false)],
            Binary::Gt => vec![above(true)],
            Binary::Ge => vec![above(false)],
            Binary::Eq => vec![below(false), above(false)],
            _ => vec![below(true), above(true)],
        })
    }

    fn linear(&mut self, expr: &Expr) -> Option<Linear> {
        if !self.is_timed(expr) {
            let number = self.term(expr);
            let number = self.folded(number);
            return Some(Linear { plus: Vec::new(), minus: Vec::new(), number });
        }
        match &expr.kind {
            ExprKind::Read(place) => {
                let clock = self.clock(place);
                Some(Linear { plus: vec![clock], minus: Vec::new(), number: Term::Const(0) })
            }
            ExprKind::Unary(Unary::Neg, operand) => Some(self.linear(operand)?.negated()),
            ExprKind::Binary(Binary::Add, left, right) => {
                Some(self.linear(left)?.plus(self.linear(right)?))
            }
            ExprKind::Binary(Binary::Sub, left, right) => {
                Some(self.linear(left)?.plus(self.linear(right)?.negated()))
            }
            _ => {
                self.problem("a clock can be read only to compare or to copy it", expr.span);
                None
            }
        }
    }

    /// A clock plus a number, or just a number.
    pub(super) fn clock_value(&mut self, expr: &Expr) -> Option<(Option<ClockTerm>, Term)> {
        let Linear { mut plus, minus, number } = self.linear(expr)?;
        if plus.len() > 1 || !minus.is_empty() {
            self.problem("a clock can be set to a number, or to a clock plus a number", expr.span);
            return None;
        }
        Some((plus.pop(), number))
    }

    pub(super) fn clock(&mut self, place: &Place) -> ClockTerm {
        let leaf = self.leaf(place);
        let index = self.flat_index(place, &leaf);
        let index = self.folded(index);
        let (first, count) = (leaf.first.0, leaf.count());
        match index {
            Term::Const(index) => ClockTerm::Clock(first + index as u32),
            index => ClockTerm::Element { first, count, index },
        }
    }

    /// A term in which variables that never change are their values.
    pub(super) fn folded(&self, term: Term) -> Term {
        if self.timing.clocks.is_empty() {
            return term;
        }
        let env = Env::new(&self.known);
        simplified(term, &env)
    }

    /// What is known of slots whatever happens.
    pub(super) fn know(&mut self) {
        self.known = self.system.slots.iter().map(|slot| slot.range).collect();
        let variables = self.network.variables.iter().zip(&self.leaves);
        let constant = variables.filter(|(variable, _)| variable.storage == Storage::Constant);
        for leaf in constant.flat_map(|(_, leaves)| leaves).filter(|leaf| !leaf.is_clock()) {
            for slot in leaf.first.0..leaf.first.0 + leaf.count() {
                let slot = slot as usize;
                self.known[slot] = Interval::point(self.system.slots[slot].initial);
            }
        }
    }

    /// What a condition to search for says of the discrete part: it holds
    /// wherever the condition does.
    pub(super) fn necessary(&mut self, expr: &Expr, holds: bool) -> Term {
        self.weakened(Literal { expr, holds })
    }

    fn weakened(&mut self, literal: Literal) -> Term {
        match self.shape(literal) {
            Shape::Discrete => {
                let term = self.term(literal.expr);
                if literal.holds { term } else { negated(term) }
            }
            Shape::Both(left, right) => Term::and(self.weakened(left), self.weakened(right)),
            Shape::Either(left, right) => either(self.weakened(left), self.weakened(right)),
            Shape::Choice(condition, then, otherwise) => {
                let no = Literal { holds: false, ..condition };
                let yes = Term::and(self.weakened(condition), self.weakened(then));
                either(yes, Term::and(self.weakened(no), self.weakened(otherwise)))
            }
            Shape::Deadlock(_) | Shape::Bound(..) | Shape::Other => Term::Const(1),
        }
    }

    /// Completes the timed part, where the network has one.
    pub(super) fn timing(&mut self, conditions: &[Wanted]) {
        let network = self.network;
        let asks = conditions.iter().any(|wanted| self.is_timed(&wanted.expr));
        let first = self.timing.priorities.first().copied();
        if self.timing.priorities.iter().all(|priority| Some(*priority) == first) {
            self.timing.priorities.clear();
        }
        let mut locations = network.system_processes().flat_map(|(_, process)| &process.locations);
        let invariants = locations.any(|location| location.invariant.is_some());
        if !network.is_timed() && !asks && self.timing.priorities.is_empty() && !invariants {
            return;
        }
        self.refuse_untimely();
        for (_, process) in network.system_processes() {
            let places = process.locations.len() + 1;
            let mut invariants: Vec<Vec<Constraint>> =
                process.locations.iter().map(|location| self.invariant(location)).collect();
            invariants.resize(places, Vec::new());
            self.timing.invariants.push(invariants);
            let stops = |location: &Location| location.urgency != Urgency::None;
            let mut urgent: Vec<bool> = process.locations.iter().map(stops).collect();
            urgent.resize(places, false);
            self.timing.urgent.push(urgent);
        }
        self.timing.urgent_channels = network.channels.iter().map(|one| one.urgent).collect();
        self.timing.conditions = conditions.iter().map(|wanted| self.condition(wanted)).collect();
        self.timing.sites.resize(self.system.sites.len(), Vec::new());
        self.system.timing = Some(Box::new(std::mem::take(&mut self.timing)));
    }

    fn invariant(&mut self, location: &Location) -> Vec<Constraint> {
        let stopped: Vec<Constraint> =
            location.stopwatches.iter().filter_map(|watch| self.stopwatch(watch)).collect();
        let Some(expr) = &location.invariant else { return stopped };
        let discrete = self.bounds(expr);
        let bounds = std::mem::take(&mut self.so_far);
        let discrete = match discrete {
            Term::Const(c) if c != 0 => None,
            term => Some(Constraint::discrete(term)),
        };
        discrete.into_iter().chain(bounds).chain(stopped).collect()
    }

    /// That a clock stands still; nothing where it always runs.
    fn stopwatch(&mut self, watch: &Stopwatch) -> Option<Constraint> {
        let ClockTerm::Clock(clock) = self.clock(&watch.clock) else {
            self.problem("which clock stands still must be known", watch.clock.span);
            return None;
        };
        let runs = self.term(&watch.runs);
        let stands = negated(self.folded(runs));
        (stands != Term::Const(0)).then(|| Constraint::stops(clock, stands))
    }

    /// Refuses edges that wait for all others beside committed locations of
    /// which one is enough: no language has both.
    pub(super) fn refuse_late_commitment(&mut self) {
        let system = &self.system;
        if system.any_committed && system.has_commitment() {
            let timeout = system.parts.iter().find(|part| part.timeout);
            if let Some(edge) = timeout.map(|part| self.network.edge(part.edge).span) {
                self.problem("`timeout` cannot stand beside committed locations here", edge);
            }
        }
    }

    /// Refuses what has no meaning, or none yet, where time passes.
    fn refuse_untimely(&mut self) {
        let network: &Network = self.network;
        for (id, process) in network.system_processes() {
            let owns = |variable: &crate::network::Variable| variable.owner == Some(id);
            let clocks = network.variables.iter().zip(&self.leaves);
            let clocks =
                clocks.filter(|(v, leaves)| owns(v) && leaves.iter().any(|l| l.is_clock()));
            let ends = super::can_end(process) || process.lifetime != Lifetime::Permanent;
            let clock = clocks.map(|(variable, _)| variable.span).next();
            if let Some(span) = clock.filter(|_| ends) {
                self.problem("processes that start or end at run time cannot have clocks", span);
            }
            for edge in &process.edges {
                if matches!(edge.guard, Guard::Timeout(_)) {
                    self.problem(
                        "`timeout` cannot stand beside clocks, invariants or priorities",
                        edge.span,
                    );
                }
                if edge.atomic != crate::network::Atomic::No {
                    self.problem(
                        "atomic sequences cannot stand beside clocks, invariants or priorities",
                        edge.span,
                    );
                }
            }
        }
        for channel in &network.channels {
            if channel.urgent && matches!(channel.kind, ChannelKind::Buffered(_)) {
                self.problem("channels with buffers cannot be urgent", channel.span);
            }
        }
    }
}

impl Linear {
    fn plus(mut self, other: Linear) -> Linear {
        self.plus.extend(other.plus);
        self.minus.extend(other.minus);
        let number = match (self.number, other.number) {
            (Term::Const(0), number) | (number, Term::Const(0)) => number,
            (Term::Const(a), Term::Const(b)) => Term::Const(a.saturating_add(b)),
            (a, b) => Term::binary(Binary::Add, a, b),
        };
        Linear { number, ..self }
    }

    fn negated(self) -> Linear {
        let number = difference(Term::Const(0), self.number);
        Linear { plus: self.minus, minus: self.plus, number }
    }
}

/// The comparison `op`, or its opposite.
fn comparison(op: Binary, holds: bool) -> Option<Binary> {
    let (yes, no) = match op {
        Binary::Eq => (Binary::Eq, Binary::Ne),
        Binary::Ne => (Binary::Ne, Binary::Eq),
        Binary::Lt => (Binary::Lt, Binary::Ge),
        Binary::Le => (Binary::Le, Binary::Gt),
        Binary::Gt => (Binary::Gt, Binary::Le),
        Binary::Ge => (Binary::Ge, Binary::Lt),
        _ => return None,
    };
    Some(if holds { yes } else { no })
}

fn difference(left: Term, right: Term) -> Term {
    match (left, right) {
        (left, Term::Const(0)) => left,
        (Term::Const(a), Term::Const(b)) => Term::Const(a.saturating_sub(b)),
        (left, right) => Term::binary(Binary::Sub, left, right),
    }
}

fn negated(term: Term) -> Term {
    match term {
        Term::Const(value) => Term::Const(i64::from(value == 0)),
        term => Term::Unary(Unary::Not, Box::new(term)),
    }
}

pub(super) fn both(left: Term, right: Term) -> Term {
    match left {
        Term::Const(0) => left,
        left => Term::and(left, right),
    }
}

fn either(left: Term, right: Term) -> Term {
    match (left, right) {
        (Term::Const(0), other) | (other, Term::Const(0)) => other,
        (Term::Const(_), _) | (_, Term::Const(_)) => Term::Const(1),
        (left, right) => Term::binary(Binary::Or, left, right),
    }
}

/// Adds to a guard that `term` holds, where `when` does.
fn demand(when: &Term, term: Term, guard: &mut Term) {
    let term = match when {
        Term::Const(0) => return,
        Term::Const(_) => term,
        when => Term::binary(Binary::Imply, when.clone(), term),
    };
    *guard = Term::and(std::mem::replace(guard, Term::Const(1)), term);
}

/// Adds to a guard that `term` can be evaluated, where `when` holds.
pub(super) fn evaluated(when: &Term, term: &Term, guard: &mut Term) {
    if term.may_fail() {
        demand(when, harmless(term.clone()), guard);
    }
}

/// One, or a failure where `term` fails.
pub(super) fn harmless(term: Term) -> Term {
    Term::Choose(Box::new(term), Box::new(Term::Const(1)), Box::new(Term::Const(1)))
}
