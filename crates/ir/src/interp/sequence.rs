//! Whole steps: a move, and what follows while control stays with a process.
//!
//! ```text
//! queue := nothing
//! settle(move, before):                  -- before: the moves of the step so far
//!   if the move fails:                        the step fails: an outcome
//!   elif nobody holds control behind it:      its state is an outcome
//!   elif (holder, state) was not queued yet:  put it into the queue
//!
//! for every move of the source state:  settle(move, nothing)
//! for every (holder, state) of the queue, first in, first out:
//!   if the holder has no move:
//!     the state is an outcome; of a deterministic holder, the step fails
//!   for every move of the holder (of a deterministic one, for the first):
//!     settle(move, the moves to here)
//! ```
//! Breadth first, so that of all ways through a sequence to one state in it a
//! shortest is kept. A cycle inside ends where it meets what was queued, and
//! adds no outcome. Where that leaves none at all, the step that starts with
//! the first move never ends, which is a run-time error of that move.

use std::collections::BTreeSet;

use super::execute::Passed;
use super::generate::Move;
use super::{Interpreter, ReplayError, ReplayProblem, RuntimeError, RuntimeErrorKind, State};
use crate::network::{Atomic, EdgeRef, ProcessId, Target};
use crate::trace::Step;

/// Who holds control.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Control {
    pub process: ProcessId,
    /// Whether it has no choice and must not be blocked.
    pub deterministic: bool,
}

/// A step, and what it leads to.
type Outcome = (Step, Result<State, RuntimeError>);

/// The states that a step passes, as far as it could be executed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Passage {
    /// The state behind every move that could be executed.
    pub states: Vec<State>,
    /// What happened in every move, one that failed included.
    pub told: Vec<Told>,
    /// Why the step cannot be executed, or not to its end.
    pub problem: Option<ReplayProblem>,
}

/// What happened in a move besides what it changed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// The message that was sent or received.
    pub passed: Option<Passed>,
    /// What was printed.
    pub printed: String,
}

impl Interpreter<'_> {
    /// Who holds control after these edges, of one process alone or of a
    /// rendezvous. A process that has ended holds none.
    pub(super) fn control_after(&self, edges: &[EdgeRef]) -> Option<Control> {
        let last = edges.last()?;
        let edge = self.network.edge(*last);
        let deterministic = match edge.atomic {
            Atomic::No => return None,
            Atomic::Atomic => false,
            Atomic::Deterministic => true,
        };
        let stays = edge.branches[last.branch as usize].target != Target::End;
        stays.then_some(Control { process: last.process, deterministic })
    }

    /// All steps of a state without a delay before them, faults included, in the
    /// order the module's documentation gives.
    pub fn steps(&self, state: &State) -> Vec<(Step, Result<State, RuntimeError>)> {
        let moves = self.moves(state);
        let first = moves.first().map(|one| one.edges.clone());
        let mut sequences = Sequences::new(self);
        for one in moves {
            sequences.settle(state, None, one);
        }
        sequences.run();
        match first {
            Some(edges) if sequences.outcomes.is_empty() => {
                let span = edges.first().map(|edge| self.network.edge(*edge).span);
                let error = RuntimeErrorKind::EndlessLoop.at(span.unwrap_or_default());
                vec![(Step::new(edges), Err(error))]
            }
            _ => sequences.outcomes,
        }
    }

    /// Executes exactly this step, its delay included, if the state has it.
    pub fn take(&self, state: &State, step: &Step) -> Result<State, ReplayError> {
        let mut states = self.walk(state, step)?;
        states.pop().ok_or(ReplayError { step: 0, problem: ReplayProblem::NotEnabled })
    }

    /// Executes exactly this step, its delay included, if the state has it. The states behind its
    /// moves; only the last is a state of the network.
    pub fn walk(&self, state: &State, step: &Step) -> Result<Vec<State>, ReplayError> {
        let Passage { states, problem, .. } = self.pass(state, step);
        match problem {
            None => Ok(states),
            Some(problem) => Err(ReplayError { step: 0, problem }),
        }
    }

    /// Executes a step as far as it goes, after its delay, which is in parts of
    /// the state's unit of time.
    pub fn pass(&self, state: &State, step: &Step) -> Passage {
        let mut passage = Passage::default();
        let state = &match self.delay(state, step.delay) {
            Ok(later) => later,
            Err(problem) => return Passage { problem: Some(problem), ..passage },
        };
        let mut control = None;
        for (i, edges) in step.moves().enumerate() {
            let source = passage.states.last().unwrap_or(state);
            let found = match (i, control) {
                (0, _) => self.moves(source),
                (_, Some(holder)) => self.held_moves(source, holder),
                (_, None) => Vec::new(),
            };
            let Some(one) = found.into_iter().find(|one| one.edges == edges) else {
                return Passage { problem: Some(ReplayProblem::NotEnabled), ..passage };
            };
            control = one.control;
            let (outcome, told) = self.tell(source, one);
            passage.told.push(told);
            match outcome {
                Ok(next) => passage.states.push(next),
                Err(error) => {
                    // Nothing follows a failing move.
                    let last = i == step.then.len();
                    let fault = ReplayProblem::Fault(error);
                    let problem = if last { fault } else { ReplayProblem::NotEnabled };
                    return Passage { problem: Some(problem), ..passage };
                }
            }
        }
        let end = passage.states.last().unwrap_or(state);
        let problem = control.and_then(|control| self.unfinished(state, step, end, control));
        Passage { problem, ..passage }
    }

    /// Executes a move.
    fn tell(&self, source: &State, one: Move) -> (Result<State, RuntimeError>, Told) {
        match one.plan {
            Err(error) => (Err(error), Told::default()),
            Ok(plan) => {
                let (outcome, printed) = self.execute_printing(source, &plan);
                (outcome, Told { passed: plan.passed, printed })
            }
        }
    }

    /// What is wrong with a step after whose moves a process holds control.
    fn unfinished(
        &self,
        state: &State,
        step: &Step,
        end: &State,
        control: Control,
    ) -> Option<ReplayProblem> {
        if self.held_moves(end, control).is_empty() {
            let blocked = || ReplayProblem::Fault(self.blocked(end, control.process));
            return control.deterministic.then(blocked);
        }
        // Such a step exists only as one that never ends.
        let same = |other: &Step| other.moves().eq(step.moves());
        let endless = self.steps(state).into_iter().find(|(other, _)| same(other));
        match endless {
            Some((_, Err(error))) => Some(ReplayProblem::Fault(error)),
            _ => Some(ReplayProblem::NotEnabled),
        }
    }

    /// The failure of a process that must go on and cannot.
    fn blocked(&self, state: &State, process: ProcessId) -> RuntimeError {
        let first = self.edges_at(state, process).next().map(|edge| edge.span);
        let locations = &self.network.processes[process.index()].locations;
        let here = state.location(process).map(|location| locations[location.index()].span);
        RuntimeErrorKind::Blocked.at(first.or(here).unwrap_or_default())
    }
}

/// What was queued: a state within a step.
struct Entry {
    control: Control,
    state: State,
    /// The move that led here, and from where.
    edges: Vec<EdgeRef>,
    from: Option<usize>,
}

struct Sequences<'i> {
    interpreter: &'i Interpreter<'i>,
    queue: Vec<Entry>,
    known: BTreeSet<(Control, State)>,
    outcomes: Vec<Outcome>,
}

impl<'i> Sequences<'i> {
    fn new(interpreter: &'i Interpreter<'i>) -> Sequences<'i> {
        Sequences { interpreter, queue: Vec::new(), known: BTreeSet::new(), outcomes: Vec::new() }
    }

    fn run(&mut self) {
        let mut next = 0;
        while next < self.queue.len() {
            let Entry { control, state, .. } = &self.queue[next];
            let (control, state) = (*control, state.clone());
            let moves = self.interpreter.held_moves(&state, control);
            if moves.is_empty() {
                let blocked = || Err(self.interpreter.blocked(&state, control.process));
                let end = if control.deterministic { blocked() } else { Ok(state.clone()) };
                self.outcomes.push((self.step(Some(next), None), end));
            }
            for one in moves {
                self.settle(&state, Some(next), one);
            }
            next += 1;
        }
    }

    fn settle(&mut self, source: &State, from: Option<usize>, one: Move) {
        let Move { edges, plan, control } = one;
        let outcome = plan.and_then(|plan| self.interpreter.execute(source, &plan));
        match (outcome, control) {
            (Ok(state), Some(control)) => {
                if self.known.insert((control, state.clone())) {
                    self.queue.push(Entry { control, state, edges, from });
                }
            }
            (outcome, _) => {
                let step = self.step(from, Some(edges));
                self.outcomes.push((step, outcome));
            }
        }
    }

    /// The moves to what was queued, and one more.
    fn step(&self, from: Option<usize>, last: Option<Vec<EdgeRef>>) -> Step {
        let mut moves: Vec<Vec<EdgeRef>> = last.into_iter().collect();
        let mut at = from;
        while let Some(entry) = at.map(|at| &self.queue[at]) {
            moves.push(entry.edges.clone());
            at = entry.from;
        }
        let edges = moves.pop().unwrap_or_default();
        moves.reverse();
        Step { delay: 0, edges, then: moves }
    }
}
