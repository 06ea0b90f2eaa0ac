//! Deadlocks: states in which no step is possible, now or after any delay.
//!
//! Without clocks, that is a state without steps. With clocks, delays are tried:
//!
//! ```text
//! thresholds(d) := the delays at which one of the comparisons of clocks changes
//!                  its truth value: those in the guards of all edges that leave
//!                  the current locations, and those in the invariants of the
//!                  states that the moves possible after the delay d lead to
//!
//! critical := {0}
//! loop:
//!   samples := critical, what is halfway between neighbours, what is beyond the last
//!   some step is possible after some sample d that the invariants allow: no deadlock
//!   if all thresholds(d) of all samples d are in critical: deadlock
//!   add them to critical
//! ```
//!
//! At the end no comparison changes between two critical delays, as seen from what
//! is halfway between them, so that everything evaluated there is the same all the
//! way: what the samples say holds of all delays. Half of the way is a whole number
//! of parts, for the state is looked at in parts of half the size.

use std::collections::BTreeSet;

use super::time::is_comparison;
use super::{Interpreter, State};
use crate::network::{Expr, ExprKind, Guard, Unary};

/// The critical delays after which the search for steps is given up; no sound
/// model has so many constants.
const MOST_DELAYS: usize = 100_000;

/// What is added to clocks to recognise them: far more than any clock shows.
const MARK: i64 = 1 << 61;

impl Interpreter<'_> {
    /// Whether a state is a deadlock: it has no step, now or after any delay,
    /// and some process is at a location where it may not rest for ever.
    pub fn is_deadlock(&self, state: &State) -> bool {
        self.moves(state).is_empty() && !self.may_rest(state) && !self.moves_later(state)
    }

    /// Whether some step is possible after some delay.
    fn moves_later(&self, state: &State) -> bool {
        if !self.timed || self.stop(state).is_some() || self.broken_invariant(state) != Ok(None) {
            return false;
        }
        let Some(state) = self.refined(state, 2) else { return false };
        let mut critical = BTreeSet::from([0]);
        let mut tried = BTreeSet::from([0]);
        self.thresholds(&state, 0, &mut critical);
        loop {
            let known = critical.len();
            for delay in samples(&critical) {
                if !tried.insert(delay) {
                    continue;
                }
                let Some(later) = self.later(&state, delay) else { continue };
                let allowed = self.broken_invariant(&later) == Ok(None);
                if allowed && !self.moves(&later).is_empty() {
                    return true;
                }
                self.thresholds(&later, delay, &mut critical);
            }
            if critical.len() == known || known > MOST_DELAYS {
                return false;
            }
        }
    }

    /// The delays at which what is possible changes, as seen from the state after so
    /// much time has passed.
    fn thresholds(&self, later: &State, passed: i64, found: &mut BTreeSet<i64>) {
        // In what follows, clocks that were not set stand out.
        let Some(marked) = self.later(later, MARK) else { return };
        let mut note = |at: &State, expr: &Expr| {
            self.comparisons(at, expr, &mut |distance| {
                found.extend(distance.checked_add(passed).filter(|delay| *delay > 0));
            });
        };
        for (id, _) in self.network.system_processes() {
            for edge in self.edges_at(&marked, id) {
                if let Guard::When(guard) = &edge.guard {
                    note(&marked, guard);
                }
            }
        }
        let moves = self.candidates(later).into_iter();
        let targets = moves.filter_map(|one| self.execute(&marked, &one.plan.ok()?).ok());
        for target in [marked.clone()].into_iter().chain(targets) {
            for (id, process) in self.network.system_processes() {
                let Some(location) = target.location(id) else { continue };
                if let Some(invariant) = &process.locations[location.index()].invariant {
                    note(&target, invariant);
                }
            }
        }
    }

    /// Calls `visit` with the time until each of the comparisons in `expr` changes
    /// that depend on how long was waited: those of a marked clock with a number,
    /// or with a clock that is not marked. The recursion is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn comparisons(&self, state: &State, expr: &Expr, visit: &mut dyn FnMut(i64)) {
        match &expr.kind {
            ExprKind::Unary(Unary::Not, operand) => self.comparisons(state, operand, visit),
            ExprKind::Choose(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|e| self.comparisons(state, e, visit));
            }
            ExprKind::Binary(op, left, right) if is_comparison(*op) => {
                if !self.joins_clocks(*op, left, right) {
                    return;
                }
                let view = self.view(state);
                let sides = self.time_of(view, left).ok().zip(self.time_of(view, right).ok());
                let Some((a, b)) = sides else { return };
                let mark = i128::from(MARK);
                let marks = (a - b + mark / 2).div_euclid(mark);
                let distance = (marks * mark - (a - b)) * marks.signum();
                if marks != 0 {
                    i64::try_from(distance).into_iter().for_each(visit);
                }
            }
            ExprKind::Binary(_, left, right) => {
                self.comparisons(state, left, visit);
                self.comparisons(state, right, visit);
            }
            _ => {}
        }
    }
}

/// The critical delays, what is halfway between them, and what is beyond them. All
/// critical delays are even.
pub(super) fn samples(critical: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut samples = critical.clone();
    let next = critical.iter().skip(1);
    samples.extend(critical.iter().zip(next).map(|(a, b)| a + (b - a) / 2));
    samples.extend(critical.last().and_then(|last| last.checked_add(2)));
    samples
}
