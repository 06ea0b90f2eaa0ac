//! Whether an observer comes to its end on a run.
//!
//! The observer is a nondeterministic automaton, so all the places it may be
//! in are followed at once, by the reference interpreter on the states of the
//! run:
//!
//! ```text
//! Q := { initial }
//! in every state s of the run, the first included:
//!   Q := { q' | q ∈ Q, q → q' is open in s }
//!   before the last state, what has ended goes no further
//! in the last state: is an end in Q? Where it has no step, the observer goes on
//!   alone: is an end reachable from Q?
//! ```

use std::collections::BTreeSet;

use homing_ir::Trace;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{Edge, Guard, ProcessId, Target};

use crate::outcome::{CauseKind, CauseOutcome};

/// Where an observer may be: at a location, or at its end.
type Place = Option<u32>;

/// Says how the observer `process` ends on a run; or that it does not.
pub fn observed(
    interpreter: &Interpreter,
    trace: &Trace,
    process: ProcessId,
) -> Result<CauseOutcome, String> {
    let observer = Observer { interpreter, process };
    let mut state = interpreter.initial();
    let mut places = BTreeSet::from([observer.initial()]);
    for (i, step) in trace.steps.iter().enumerate() {
        places = observer.after(&state, &places)?.0;
        let mut passage = interpreter.pass(&state, step);
        match (passage.problem, passage.states.pop()) {
            (None, Some(next)) => state = next,
            (problem, _) => {
                let why = problem.map_or_else(String::new, |problem| format!(": {problem:?}"));
                return Err(format!("step {} cannot be taken{why}", i + 1));
            }
        }
    }
    observer.ends(&state, places)
}

struct Observer<'a> {
    interpreter: &'a Interpreter<'a>,
    process: ProcessId,
}

impl Observer<'_> {
    fn definition(&self) -> &homing_ir::network::Process {
        &self.interpreter.network().processes[self.process.index()]
    }

    fn initial(&self) -> Place {
        Some(self.definition().initial.0)
    }

    fn is_end(&self, place: Place) -> bool {
        place.is_none_or(|at| self.definition().locations[at as usize].end)
    }

    /// The places behind the edges that are open in `state`, and the first of
    /// these edges that leads to an end or fails.
    fn after(
        &self,
        state: &State,
        places: &BTreeSet<Place>,
    ) -> Result<(BTreeSet<Place>, Option<&Edge>), String> {
        let mut found = BTreeSet::new();
        let mut ending = None;
        for edge in &self.definition().edges {
            if !places.contains(&Some(edge.from.0)) || !self.is_open(state, edge)? {
                continue;
            }
            for branch in &edge.branches {
                let place = match branch.target {
                    Target::Location(to) => Some(to.0),
                    Target::End => None,
                };
                // A false assertion ends the observer there and then.
                if branch.effect.is_empty() {
                    found.insert(place);
                }
                if self.is_end(place) {
                    ending = ending.or(Some(edge));
                }
            }
        }
        Ok((found, ending))
    }

    fn is_open(&self, state: &State, edge: &Edge) -> Result<bool, String> {
        match &edge.guard {
            Guard::Always => Ok(true),
            // What cannot be evaluated does not hold.
            Guard::When(condition) => {
                Ok(self.interpreter.eval(state, condition).is_ok_and(|value| value != 0))
            }
            _ => Err("the observer waits for what others cannot do".into()),
        }
    }

    fn ends(&self, state: &State, mut places: BTreeSet<Place>) -> Result<CauseOutcome, String> {
        if places.iter().any(|place| self.is_end(*place)) {
            return Ok(self.cause(None));
        }
        let alone = self.interpreter.steps(state).is_empty();
        let mut known = places.clone();
        loop {
            let (next, ending) = self.after(state, &places)?;
            if ending.is_some() {
                return Ok(self.cause(ending));
            }
            places = next.difference(&known).copied().collect();
            if !alone || places.is_empty() {
                return Err("the observer does not come to its end".into());
            }
            known.extend(&places);
        }
    }

    /// What is wrong, at the edge by which the observer ends.
    fn cause(&self, by: Option<&Edge>) -> CauseOutcome {
        let network = self.interpreter.network();
        let fails = by.is_some_and(|edge| edge.branches.iter().all(|one| !one.effect.is_empty()));
        let words = if fails { network.words.assertion } else { network.words.observer };
        let span = by.map_or(self.definition().span, |edge| edge.span);
        CauseOutcome::new(CauseKind::Observer, words).at(&network.sources, span)
    }
}
