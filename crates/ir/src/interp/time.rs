//! Time: the values of clocks, delays, invariants.
//!
//! Clocks hold whole multiples of one part of a unit of time
//! ([`State::unit`]), so that everything here is exact; what they are compared
//! with is scaled. Invariants are conjunctions of bounds on clocks and of
//! conditions that time does not change, so the times at which they hold are an
//! interval: where they hold at both ends of a delay, they hold within. That is so
//! where clocks stand still, too: each shows what it did, or more, at one rate.
//!
//! Time does not pass while a process is at an urgent or committed location, nor
//! while some process can send on an urgent channel to whom it takes. Whether it
//! can is a question of locations, guards and commitment alone: neither the
//! invariants behind that step nor priorities matter. Edges on urgent channels
//! have no guards over clocks, so it does not change while time passes.

use std::collections::BTreeSet;

use super::arithmetic::{fit, truth};
use super::evaluate::View;
use super::generate::Move;
use super::{Interpreter, ReplayProblem, RuntimeError, RuntimeErrorKind, State, Stop};
use crate::network::{
    Action, Binary, Expr, ExprKind, IntType, LocationId, Overflow, Place, ProcessId, Type, Urgency,
};
use crate::source::Span;
use crate::wellformed::{SETTING_BOUND, is_clock, mentions_clock};

/// What a clock may be set to, and what may be added to one.
const SETTINGS: IntType = IntType { lo: 0, hi: SETTING_BOUND, overflow: Overflow::Error };

/// A sum of clocks and numbers, taken apart.
#[derive(Default)]
pub(super) struct Sum<'e> {
    /// The clocks, and whether each is added.
    pub clocks: Vec<(bool, &'e Place)>,
    /// The rest, and whether each part is added.
    pub numbers: Vec<(bool, &'e Expr)>,
}

impl Interpreter<'_> {
    /// The state `delay` parts of a unit ([`State::unit`]) later, if that much
    /// time may pass.
    pub fn delay(&self, state: &State, delay: i64) -> Result<State, ReplayProblem> {
        match delay {
            0 => Ok(state.clone()),
            _ => self.wait(state, delay).map_err(ReplayProblem::Time),
        }
    }

    fn wait(&self, state: &State, delay: i64) -> Result<State, Stop> {
        if !self.timed {
            return Err(Stop::Untimed);
        }
        if delay < 0 {
            return Err(Stop::Negative);
        }
        if let Some(stop) = self.stop(state) {
            return Err(stop);
        }
        self.keeps_invariants(state)?;
        let later = self.later(state, delay).ok_or(Stop::TooLong)?;
        self.keeps_invariants(&later)?;
        Ok(later)
    }

    /// The state some time later, whether or not that much time may pass;
    /// `None` where it is more than can be counted.
    pub(super) fn later(&self, state: &State, delay: i64) -> Option<State> {
        let mut later = state.clone();
        let standing = self.standing(state);
        for clock in self.clocks.iter().filter(|clock| !standing.contains(clock)) {
            later.values[*clock] = later.values[*clock].checked_add(delay)?;
        }
        Some(later)
    }

    /// The clocks that stand still in a state, by their scalars. What says whether
    /// they run does not change while time passes.
    pub(super) fn standing(&self, state: &State) -> BTreeSet<usize> {
        let mut standing = BTreeSet::new();
        if !self.stopwatches {
            return standing;
        }
        for (id, process) in self.network.system_processes() {
            let Some(location) = state.location(id) else { continue };
            for watch in &process.locations[location.index()].stopwatches {
                let runs = self.eval(state, &watch.runs).is_ok_and(|runs| runs != 0);
                let cell = self.locate(self.view(state), &watch.clock).ok().filter(|_| !runs);
                standing.extend(cell.map(|cell| cell.index));
            }
        }
        standing
    }

    /// The same state in parts of a unit that are `factor` times as small;
    /// `None` where the numbers get too large.
    pub fn refined(&self, state: &State, factor: i64) -> Option<State> {
        let mut refined = state.clone();
        refined.unit = state.unit.checked_mul(factor).filter(|unit| *unit > 0)?;
        for clock in &self.clocks {
            refined.values[*clock] = refined.values[*clock].checked_mul(factor)?;
        }
        Some(refined)
    }

    /// What forbids time to pass at all in a state, invariants aside.
    pub fn stop(&self, state: &State) -> Option<Stop> {
        for (id, process) in self.network.system_processes() {
            let here = state.location(id).map(|location| &process.locations[location.index()]);
            if let Some(location) = here.filter(|here| here.urgency != Urgency::None) {
                let (process, location) = (process.name.clone(), location.name.clone());
                return Some(Stop::Urgent { process, location });
            }
        }
        if !self.network.channels.iter().any(|channel| channel.urgent) {
            return None;
        }
        let moves = self.candidates(state);
        moves.iter().find_map(|one| self.urgent_channel(state, one)).map(Stop::Channel)
    }

    /// The urgent channel that a move uses.
    fn urgent_channel(&self, state: &State, one: &Move) -> Option<String> {
        let channel = match &self.network.edge(*one.edges.first()?).action {
            Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) => channel,
            Some(Action::Label(_)) | None => return None,
        };
        let id = self.channel(self.view(state), channel).ok()??;
        let channel = &self.network.channels[id.index()];
        channel.urgent.then(|| channel.name.clone())
    }

    /// Those of the moves that lead to states whose invariants hold.
    pub(super) fn lawful(&self, state: &State, moves: Vec<Move>) -> Vec<Move> {
        if !self.invariants {
            return moves;
        }
        if self.broken_invariant(state) != Ok(None) {
            return Vec::new();
        }
        let judged = moves.into_iter().filter_map(|mut one| {
            let Ok(plan) = &one.plan else { return Some(one) };
            // A move that fails does not arrive.
            let Ok(target) = self.execute(state, plan) else { return Some(one) };
            match self.broken_invariant(&target) {
                Ok(None) => Some(one),
                Ok(Some(_)) => None,
                Err(error) => {
                    one.plan = Err(error);
                    Some(one)
                }
            }
        });
        judged.collect()
    }

    /// The first process whose invariant does not hold, and where it is.
    pub fn broken_invariant(
        &self,
        state: &State,
    ) -> Result<Option<(ProcessId, LocationId)>, RuntimeError> {
        for (id, process) in self.network.system_processes() {
            let Some(location) = state.location(id) else { continue };
            if let Some(invariant) = &process.locations[location.index()].invariant
                && self.eval(state, invariant)? == 0
            {
                return Ok(Some((id, location)));
            }
        }
        Ok(None)
    }

    fn keeps_invariants(&self, state: &State) -> Result<(), Stop> {
        match self.broken_invariant(state) {
            Ok(None) => Ok(()),
            Ok(Some((id, location))) => {
                let process = &self.network.processes[id.index()];
                let location = process.locations[location.index()].name.clone();
                Err(Stop::Invariant { process: process.name.clone(), location })
            }
            Err(error) => Err(Stop::Fault(error)),
        }
    }

    /// Which scalars of the state are clocks.
    pub(super) fn clock_scalars(&self) -> Vec<usize> {
        let mut clocks = Vec::new();
        if self.timed {
            self.each_scalar(&|_| true, &mut |_, ty, index| {
                clocks.extend((*ty == Type::Clock).then_some(index));
            });
        }
        clocks
    }

    /// Whether an expression reads clocks.
    pub fn reads_clocks(&self, expr: &Expr) -> bool {
        self.timed && mentions_clock(self.network, expr)
    }

    /// Whether a place is a clock.
    pub(super) fn is_clock(&self, place: &Place) -> bool {
        self.timed && is_clock(self.network, place)
    }

    /// Whether an operator joins sums of clocks and numbers.
    pub(super) fn joins_clocks(&self, op: Binary, left: &Expr, right: &Expr) -> bool {
        let joins = is_comparison(op) || matches!(op, Binary::Add | Binary::Sub);
        let timed = |side: &&Expr| mentions_clock(self.network, side);
        self.timed && joins && [left, right].iter().any(timed)
    }

    /// Compares sums of clocks and numbers, or adds or subtracts them.
    pub(super) fn join_times(
        &self,
        view: View,
        op: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<i64, RuntimeError> {
        let (a, b) = (self.time_of(view, left)?, self.time_of(view, right)?);
        let whole =
            |value: i128| i64::try_from(value).map_err(|_| RuntimeErrorKind::Overflow.at(span));
        match op {
            Binary::Add => whole(a + b),
            Binary::Sub => whole(a - b),
            Binary::Eq => Ok(truth(a == b)),
            Binary::Ne => Ok(truth(a != b)),
            Binary::Lt => Ok(truth(a < b)),
            Binary::Le => Ok(truth(a <= b)),
            Binary::Gt => Ok(truth(a > b)),
            _ => Ok(truth(a >= b)),
        }
    }

    /// The value of a sum of clocks and numbers, in parts of a unit.
    pub(super) fn time_of(&self, view: View, expr: &Expr) -> Result<i128, RuntimeError> {
        let sum = self.sum(expr);
        let mut total = self.number(view, &sum)? * i128::from(view.state.unit);
        for (added, clock) in sum.clocks {
            let value = i128::from(self.read(view, clock)?);
            total += if added { value } else { -value };
        }
        Ok(total)
    }

    /// The sum of the parts without clocks, in whole units.
    pub(super) fn number(&self, view: View, sum: &Sum) -> Result<i128, RuntimeError> {
        let mut total = 0;
        for (added, part) in &sum.numbers {
            let value = i128::from(self.evaluate(view, part)?);
            total += if *added { value } else { -value };
        }
        Ok(total)
    }

    /// Takes a sum apart. The recursion is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    pub(super) fn sum<'e>(&self, expr: &'e Expr) -> Sum<'e> {
        let mut sum = Sum::default();
        self.collect(expr, true, &mut sum);
        sum
    }

    fn collect<'e>(&self, expr: &'e Expr, added: bool, sum: &mut Sum<'e>) {
        match &expr.kind {
            _ if !mentions_clock(self.network, expr) => sum.numbers.push((added, expr)),
            ExprKind::Read(place) => sum.clocks.push((added, place)),
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), left, right) => {
                self.collect(left, added, sum);
                self.collect(right, added == (*op == Binary::Add), sum);
            }
            // Well-formed sums have no other parts.
            _ => sum.numbers.push((added, expr)),
        }
    }

    /// What an assignment of `expr` makes of a clock, in parts of a unit.
    pub(super) fn clock_value(
        &self,
        view: View,
        expr: &Expr,
        span: Span,
    ) -> Result<i64, RuntimeError> {
        let sum = self.sum(expr);
        let number = i64::try_from(self.number(view, &sum)?);
        let number = number.map_err(|_| RuntimeErrorKind::Overflow.at(span))?;
        let number = fit(number, SETTINGS).map_err(|kind| kind.at(span))?;
        let mut total = i128::from(number) * i128::from(view.state.unit);
        for (added, clock) in sum.clocks {
            let value = i128::from(self.read(view, clock)?);
            total += if added { value } else { -value };
        }
        i64::try_from(total).map_err(|_| RuntimeErrorKind::Overflow.at(span))
    }
}

/// Whether an operator compares.
pub(super) fn is_comparison(op: Binary) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}
