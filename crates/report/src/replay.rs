//! Traces re-executed by the reference interpreter.
//!
//! Nothing is shown that did not come through here: [`replay`] executes the
//! steps on the original model and notes what each changes, and [`confirm`]
//! checks that the run really ends in the violation it is said to show. One
//! state is kept at a time, so that a million steps cost a million steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use homing_ir::interp::{
    self, Interpreter, ReplayError, ReplayProblem, RuntimeError, RuntimeErrorKind, State, Violation,
};
use homing_ir::network::Expr;
use homing_ir::{Sources, Step, Trace};

use crate::moves::Moves;
use crate::outcome::{
    Binding, CauseKind, CauseOutcome, Change, Move, StepOutcome, TraceOutcome, Value,
};

/// A run that was executed.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The initial state.
    pub initial: Vec<Binding>,
    /// The steps.
    pub steps: Vec<StepOutcome>,
    /// What the last step led to.
    pub end: End,
}

/// What a run led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A state.
    State(State),
    /// A run-time error, in its last step.
    Fault(RuntimeError),
}

/// What a run is said to show at its end.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// A state that satisfies the expression, which is written in one of the
    /// sources.
    Goal(&'a Expr, &'a Sources),
    /// An assertion that is false, or cannot be evaluated.
    Assertion,
    /// A step that fails.
    Error,
    /// A state without any step.
    Deadlock,
}

/// Executes a trace. Only its last step may be a run-time error.
pub fn replay(interpreter: &Interpreter, trace: &Trace) -> Result<Replayed, ReplayError> {
    let mut moves = Moves::new(interpreter.network());
    let mut names = Names::default();
    let state = interpreter.initial();
    let initial = describe(interpreter, &state, &mut names);
    let mut end = End::State(state);
    let mut steps = Vec::with_capacity(trace.steps.len());
    for (i, step) in trace.steps.iter().enumerate() {
        let End::State(state) = &end else { break };
        let last = i + 1 == trace.steps.len();
        let next = take(interpreter, state, step, last)
            .map_err(|error| ReplayError { step: i, ..error })?;
        let moves: Vec<Arc<Move>> = step.edges.iter().map(|edge| moves.get(*edge)).collect();
        let changes = match &next {
            End::State(next) => changes(interpreter.changes(state, next), &moves, &mut names),
            End::Fault(_) => Vec::new(),
        };
        steps.push(StepOutcome { step: i + 1, moves, changes, matters: true });
        end = next;
    }
    Ok(Replayed { initial, steps, end })
}

fn take(
    interpreter: &Interpreter,
    state: &State,
    step: &Step,
    last: bool,
) -> Result<End, ReplayError> {
    match interpreter.take(state, step) {
        Ok(next) => Ok(End::State(next)),
        Err(ReplayError { problem: ReplayProblem::Fault(fault), .. }) if last => {
            Ok(End::Fault(fault))
        }
        Err(error) => Err(error),
    }
}

impl Replayed {
    /// The run as an outcome, with what is wrong at its end.
    pub fn into_outcome(self, cause: Option<CauseOutcome>) -> TraceOutcome {
        let Replayed { initial, steps, .. } = self;
        let cost = Vec::new();
        TraceOutcome { length: steps.len(), cost, initial, steps, cause, why: None }
    }
}

/// Checks that a run ends in what it is said to show, and says what that is;
/// or says what it ends in instead.
pub fn confirm(interpreter: &Interpreter, end: &End, claim: Claim) -> Result<CauseOutcome, String> {
    let found = match claim {
        Claim::Goal(goal, sources) => reached(interpreter, end, goal, sources)?,
        Claim::Assertion => first(interpreter, end, CauseKind::Assertion),
        Claim::Error => failed(interpreter, end),
        Claim::Deadlock => first(interpreter, end, CauseKind::Deadlock),
    };
    found.ok_or_else(|| match end {
        End::Fault(fault) => format!("the run ends in a run-time error instead: {fault}"),
        End::State(_) => "the state at its end is no such violation".into(),
    })
}

/// What is wrong at the end of a run, whatever it was made to show: a run-time
/// error, a false assertion, a deadlock, or nothing.
pub fn observe(interpreter: &Interpreter, end: &End) -> Option<CauseOutcome> {
    causes(interpreter, end).into_iter().next()
}

/// A step that fails, be it at an assertion within its effects.
fn failed(interpreter: &Interpreter, end: &End) -> Option<CauseOutcome> {
    match end {
        End::Fault(fault) => Some(fault_cause(&interpreter.network().sources, fault)),
        End::State(_) => None,
    }
}

fn first(interpreter: &Interpreter, end: &End, kind: CauseKind) -> Option<CauseOutcome> {
    causes(interpreter, end).into_iter().find(|cause| cause.kind == kind)
}

fn reached(
    interpreter: &Interpreter,
    end: &End,
    goal: &Expr,
    sources: &Sources,
) -> Result<Option<CauseOutcome>, String> {
    let End::State(state) = end else {
        return Ok(None);
    };
    let value = interpreter.eval(state, goal);
    let value =
        value.map_err(|error| format!("the goal cannot be evaluated at its end: {error}"))?;
    let cause = || CauseOutcome::new(CauseKind::Goal, "the goal is reached").at(sources, goal.span);
    Ok((value != 0).then(cause))
}

fn causes(interpreter: &Interpreter, end: &End) -> Vec<CauseOutcome> {
    let sources = &interpreter.network().sources;
    match end {
        End::Fault(fault) => vec![fault_cause(sources, fault)],
        End::State(state) => {
            let violations = interpreter.violated_assertions(state);
            let mut causes: Vec<CauseOutcome> = violations
                .iter()
                .map(|violation| assertion_cause(interpreter, violation))
                .collect();
            if interpreter.is_deadlock(state) {
                causes
                    .push(CauseOutcome::new(CauseKind::Deadlock, "deadlock: no process can move"));
            }
            causes
        }
    }
}

pub(crate) fn fault_cause(sources: &Sources, fault: &RuntimeError) -> CauseOutcome {
    let (kind, message) = match fault.kind {
        RuntimeErrorKind::AssertionFailed => {
            (CauseKind::Assertion, "the assertion is false".into())
        }
        kind => (CauseKind::Error, format!("run-time error: {kind}")),
    };
    CauseOutcome::new(kind, message).at(sources, fault.span)
}

fn assertion_cause(interpreter: &Interpreter, violation: &Violation) -> CauseOutcome {
    let network = interpreter.network();
    let process = &network.processes[violation.process.index()];
    let location = &process.locations[violation.location.index()].name;
    let place = format!("at {location} of {}", process.name);
    // One that cannot be evaluated is violated too: nobody can say it is true.
    let message = match &violation.error {
        None => format!("the assertion {place} is false"),
        Some(error) => format!("run-time error in the assertion {place}: {error}"),
    };
    let cause = CauseOutcome::new(CauseKind::Assertion, message);
    cause.at(&network.sources, violation.span)
}

/// Names that occur again and again, each kept once.
#[derive(Default)]
pub(crate) struct Names {
    known: BTreeMap<String, Arc<str>>,
}

impl Names {
    fn get(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.known.get(&name) {
            return known.clone();
        }
        let shared: Arc<str> = name.as_str().into();
        self.known.insert(name, shared.clone());
        shared
    }

    fn value(&mut self, text: String) -> Value {
        match text.parse() {
            Ok(number) => Value::Number(number),
            // The contents of channels seldom repeat; they are not worth keeping.
            Err(_) if text.starts_with('[') => Value::Text(text.into()),
            Err(_) => Value::Text(self.get(text)),
        }
    }
}

pub(crate) fn describe(
    interpreter: &Interpreter,
    state: &State,
    names: &mut Names,
) -> Vec<Binding> {
    let all = interpreter.describe(state).into_iter();
    all.map(|(name, value)| Binding { name: names.get(name), value: names.value(value) }).collect()
}

/// The changes, without the locations that the moves tell already.
pub(crate) fn changes(
    found: Vec<interp::Change>,
    moves: &[Arc<Move>],
    names: &mut Names,
) -> Vec<Change> {
    let told = |change: &interp::Change| {
        let same = |taken: &Arc<Move>| {
            (&taken.process, &taken.from, &taken.to) == (&change.name, &change.from, &change.to)
        };
        moves.iter().any(same)
    };
    let rest = found.into_iter().filter(|change| !told(change));
    rest.map(|change| Change {
        name: names.get(change.name),
        from: names.value(change.from),
        to: names.value(change.to),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{counter, first_edges, goal_above};

    fn replayed(most: i64, steps: usize) -> Result<Replayed, ReplayError> {
        let network = counter(most);
        replay(&Interpreter::new(&network).unwrap(), &first_edges(steps))
    }

    #[test]
    fn steps_tell_who_moved_and_what_changed() {
        let run = replayed(3, 2).unwrap();
        assert_eq!(run.initial[1], Binding { name: "x".into(), value: Value::Number(0) });
        let last = &run.steps[1];
        assert_eq!(
            (last.step, last.moves[0].process.as_str(), last.moves[0].line),
            (2, "Counter", 4)
        );
        assert_eq!(last.moves[0].text, "count -> count { guard x < most; effect x = x + 1; }");
        let x = Change { name: "x".into(), from: Value::Number(1), to: Value::Number(2) };
        assert_eq!(last.changes, [x]);
    }

    #[test]
    fn steps_that_are_not_there_are_refused() {
        assert_eq!(replayed(3, 9).unwrap_err().step, 3);
    }

    #[test]
    fn what_is_claimed_is_checked() {
        let network = counter(3);
        let interpreter = Interpreter::new(&network).unwrap();
        let end = |steps| replay(&interpreter, &first_edges(steps)).unwrap().end;
        let deadlock =
            |steps| confirm(&interpreter, &end(steps), Claim::Deadlock).map(|cause| cause.kind);
        assert_eq!(deadlock(3), Ok(CauseKind::Deadlock));
        assert!(deadlock(2).is_err());
        assert!(confirm(&interpreter, &end(3), Claim::Assertion).is_err());
        let goal = goal_above(1);
        let claim = Claim::Goal(&goal, &network.sources);
        assert!(confirm(&interpreter, &end(1), claim).is_err());
        assert_eq!(confirm(&interpreter, &end(2), claim).unwrap().kind, CauseKind::Goal);
        assert_eq!(observe(&interpreter, &end(2)), None);
        assert_eq!(
            observe(&interpreter, &end(3)).map(|cause| cause.kind),
            Some(CauseKind::Deadlock)
        );
    }

    #[test]
    fn a_million_steps_are_replayed() {
        let run = replayed(1000, 1_000_000).unwrap();
        assert_eq!(run.steps.len(), 1_000_000);
        let mut written = Vec::new();
        let outcome = run.into_outcome(None);
        crate::text::trace(&mut written, &outcome, &crate::text::Layout::plain()).unwrap();
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1_000_000);
    }
}
