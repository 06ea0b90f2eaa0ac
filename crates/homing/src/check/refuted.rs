//! A run that was found in the product with an automaton: executed by the interpreter, and
//! called shortest only where it is.
//!
//! With clocks the interpreter is asked for delays, for some rounds of a loop or for a rest
//! at the end (`lasting`). That more rounds are possible than were executed is what equal
//! zones say.

use homing_core::{Space, StopReason};
use homing_ir::interp::Staying;
use homing_ir::network::Expr;
use homing_ir::source::Span;
use homing_ir::{Step, Trace};
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_search::{Path, Task};
use homing_space::Product;
use homing_witness::Claim;
use homing_witness::outcome::TraceOutcome;
use homing_witness::why::explained;

use super::answer::{Answer, CONFIRMED};
use super::lasting::Run;
use super::temporal::FOR_STATES;
use super::{Check, internal};
use crate::question::Question;
use crate::run::{Aim, Ran, UsageError};
use crate::searched::Searched;
use crate::times::scheduled;

/// Expansions that may be spent on the question whether a run is a shortest one.
const LEAST_LOOK: u64 = 10_000;

/// A run that was found: its steps, and how many come before its loop.
pub(super) struct Found {
    pub(super) steps: Vec<Step>,
    pub(super) repeats: Option<usize>,
    /// Whether it is proven that none is shorter, where the search says so of the
    /// lassos of the product.
    pub(super) comparable: bool,
}

impl Found {
    /// The steps of the system along a path of `space`, which is around what is searched.
    pub(super) fn new(
        searched: &Searched,
        space: &dyn Space,
        path: &Path,
        back: Option<usize>,
    ) -> Found {
        let taken = path.steps().filter_map(|(state, edge)| searched.step_in(space, state, edge));
        let steps: Vec<Step> = taken.collect();
        // Behind the last step of a system that rests there is no loop of steps.
        let repeats = back.filter(|_| steps.len() == path.len());
        Found { steps, repeats, comparable: true }
    }

    /// The first steps of it, which are enough.
    pub(super) fn cut(mut self, steps: usize) -> Found {
        self.steps.truncate(steps);
        self.comparable = true;
        self
    }
}

impl Check<'_> {
    /// Whether the system comes to rest in no state that is as near as the end of a run.
    /// Otherwise one with fewer steps may be no shorter in the product, where stuttering
    /// counts, and nothing is called shortest.
    pub(super) fn never_stutters(
        &self,
        searched: &Searched,
        product: &Product,
        found: &Found,
        expanded: u64,
    ) -> Result<bool, UsageError> {
        if !product.stutters() {
            return Ok(true);
        }
        // With clocks, a state is as near as any of those it stands for.
        if searched.is_timed() {
            return Ok(false);
        }
        let (steps, parts) = (found.steps.len() as u64, self.chosen(FOR_STATES)?);
        let runner = self.runner.bounded(Some(steps), Some(expanded.max(LEAST_LOOK)));
        let task = Task::explore(product);
        let ran = runner.run_task(&parts, searched.discrete, &task, &Aim::default())?;
        let all = matches!(ran.outcome.stopped, None | Some(StopReason::Bound));
        Ok(all && !product.stuttered())
    }

    /// A run that violates the property, executed by the interpreter.
    pub(super) fn refuted(
        &self,
        question: &dyn Question,
        claim: Claim,
        found: Found,
        ran: &Ran,
        statistics: Statistics,
    ) -> Result<Answer, UsageError> {
        let (length, comparable) = (found.steps.len(), found.comparable);
        let (trace, shown) =
            self.executed(claim, found).map_err(|e| internal(question.name(), &e))?;
        let (verdict, _) = question.verdicts();
        let outcome = PropertyOutcome {
            optimal: ran.outcome.optimal && comparable && trace.steps.len() == length,
            trace: Some(shown),
            ..PropertyOutcome::new(question.name(), verdict, CONFIRMED, statistics)
        };
        Ok(Answer { outcome, trace: Some(trace) })
    }

    /// The run, and how it is shown; with one round of its loop before the loop where
    /// it takes that to come back to the very same state.
    fn executed(&self, claim: Claim, found: Found) -> Result<(Trace, TraceOutcome), String> {
        if self.model.network.is_timed() {
            return self.executed_at_times(claim, found);
        }
        let Found { mut steps, repeats, .. } = found;
        let mut trace = Trace { repeats, ..Trace::new(steps.clone()) };
        let mut shown = explained(&self.interpreter, &trace, claim);
        if let (Err(_), Some(back)) = (&shown, repeats) {
            let length = steps.len();
            steps.extend_from_within(back..);
            trace = Trace { repeats: Some(length), ..Trace::new(steps) };
            shown = explained(&self.interpreter, &trace, claim);
        }
        shown.map(|shown| (trace, shown))
    }

    /// The run, with delays: of a loop for some rounds; else such that it may rest at its
    /// end, where it is not enough that it gets there.
    fn executed_at_times(
        &self,
        claim: Claim,
        found: Found,
    ) -> Result<(Trace, TraceOutcome), String> {
        let Found { steps, repeats, .. } = found;
        if repeats.is_none()
            && let Ok(trace) = scheduled(&self.interpreter, &Trace::new(steps.clone()), claim)
            && let Ok(shown) = explained(&self.interpreter, &trace, claim)
        {
            return Ok((trace, shown));
        }
        let anywhere = Expr::int(1, Span::default());
        let staying =
            Staying { holds: &anywhere, on_failure: true, from: 0, first: None, ends: false };
        let (trace, _) = Run::of(steps, repeats, staying).scheduled(&self.interpreter)?;
        explained(&self.interpreter, &trace, claim).map(|shown| (trace, shown))
    }
}
