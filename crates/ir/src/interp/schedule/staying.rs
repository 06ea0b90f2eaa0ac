//! Delays for a run that never leaves a condition.
//!
//! The condition is one more invariant of the states passed. In the first of them
//! it may come to hold later than the state is entered: that is one more time, `t`.
//!
//! ```text
//! T[from] <= t <= T[from + 1]
//! what is asked of the start, and the condition, hold at t
//! for i > from: the condition holds at T[i] behind the i-th action, and at
//!   T[i + 1] before the next
//! where the run is said to end: the last state is a deadlock, and no later time
//!   within the invariants finds the condition false
//! ```
//! The times at which the condition holds must be an interval in every state.

use super::formula::Formula;
use super::solve::Problem;
use super::{Interpreter, MOST_CASES, Point, RuntimeError, eliminated};
use crate::network::Expr;
use crate::trace::Trace;

/// What a run stays in.
#[derive(Clone, Copy, Debug)]
pub struct Staying<'e> {
    /// What holds.
    pub holds: &'e Expr,
    /// Whether that counts as holding which cannot be evaluated.
    pub on_failure: bool,
    /// From the state after so many steps on.
    pub from: usize,
    /// What else holds at the moment from which on it does; none where that is
    /// the one at which the state is entered.
    pub first: Option<&'e Expr>,
    /// Whether nothing can happen at the end of the run.
    pub ends: bool,
}

impl Interpreter<'_> {
    /// Delays with which a trace never leaves a condition, and when it comes to
    /// hold: how long after the step before. `None` if there are none, and where
    /// clocks stop.
    pub fn schedule_staying(&self, trace: &Trace, staying: &Staying) -> Option<(Trace, i64)> {
        if self.stopwatches {
            return None;
        }
        let problem = self.problem(trace, None, Some(staying))?;
        let mut found = None;
        problem.each_case(&mut |atoms| {
            found = problem.readable(atoms).and_then(|(times, unit)| {
                let (run, moment) = times.split_at(trace.steps.len() + 2);
                let moment = moment.first()? - run.get(staying.from)?;
                Some((self.confirmed(trace, None, run, unit)?, moment))
            });
            found.is_some()
        });
        found
    }

    /// What is asked of the state after `steps` steps, which is left at `steps + 1`
    /// of the problem's times.
    pub(super) fn stay_in(
        &self,
        problem: &mut Problem,
        point: &Point,
        steps: usize,
        staying: &Staying,
        moment: usize,
    ) -> Option<()> {
        let (here, leaving) = (steps, steps + 1);
        if steps < staying.from {
            return Some(());
        }
        problem.add(self.stays_at(point, leaving, staying)?);
        if steps > staying.from {
            problem.add(self.stays_at(point, here, staying)?);
            return Some(());
        }
        problem.order(here, moment, staying.first.is_none());
        problem.order(moment, leaving, false);
        problem.add(self.stays_at(point, moment, staying)?);
        if let Some(first) = staying.first {
            problem.add(self.formula(point, moment, first, true).ok()?);
        }
        Some(())
    }

    /// That nothing happens any more from `now` on, and the condition holds.
    pub(super) fn end_at(
        &self,
        problem: &mut Problem,
        point: &Point,
        now: usize,
        staying: &Staying,
    ) -> Option<()> {
        problem.add(self.deadlock_at(point, now).ok()?);
        if self.stop(&point.state).is_none() {
            problem.add(self.left_at(point, now, staying).ok()?.negated());
        }
        Some(())
    }

    fn stays_at(&self, point: &Point, now: usize, staying: &Staying) -> Option<Formula> {
        let formula = self.formula(point, now, staying.holds, true);
        formula.ok().or(staying.on_failure.then_some(Formula::True))
    }

    /// That waiting from `now` on makes the condition false.
    fn left_at(
        &self,
        point: &Point,
        now: usize,
        staying: &Staying,
    ) -> Result<Formula, RuntimeError> {
        let later = now + 1;
        let Some(stays) = self.stays_at(point, later, staying) else { return Ok(Formula::True) };
        let both = Formula::all([self.invariants_at(point, later)?, stays.negated()]);
        let cases = both.cases(MOST_CASES).into_iter();
        Ok(Formula::any(
            cases.map(|case| {
                Formula::all(eliminated(case, now, later).into_iter().map(Formula::Atom))
            }),
        ))
    }
}
