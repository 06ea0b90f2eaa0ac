//! Traces re-executed by the reference interpreter.
//!
//! Nothing is shown that did not come through here: [`replay`] executes the
//! steps on the original model and notes what each changes, and [`confirm`]
//! checks that the run really ends in the violation it is said to show. One
//! state is kept at a time, so that a million steps cost a million steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use homing_ir::interp::{
    self, Interpreter, Passage, Passed, ReplayError, ReplayProblem, RuntimeError, RuntimeErrorKind,
    State, Stop, Told, Violation, Way, ratio,
};
use homing_ir::network::Expr;
use homing_ir::{Network, Sources, Step, Trace};

use crate::claim::{Claim, Meaning};
use crate::infinite::forbidden;
use crate::moves::Moves;
use crate::observed::observed;
use crate::outcome::{
    Binding, CauseKind, CauseOutcome, Change, MessageOutcome, MessageWay, Move, MoveOutcome,
    StepOutcome, TimeOutcome, TraceOutcome, Value,
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
    /// When it ends, in models with clocks.
    pub time: Option<TimeOutcome>,
    /// The steps before a loop, where the last step led back to where it begins.
    pub repeats: Option<usize>,
}

/// What a run led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A state.
    State(State),
    /// A run-time error, in its last step.
    Fault(RuntimeError),
}

/// Executes a trace. Only its last step may be a run-time error.
pub fn replay(interpreter: &Interpreter, trace: &Trace) -> Result<Replayed, ReplayError> {
    let mut moves = Moves::new(interpreter.network());
    let mut names = Names::default();
    let mut watch = Stopwatch::new(interpreter, trace);
    let state = start(interpreter, trace)?;
    let initial = describe(interpreter, &state, &mut names);
    let mut end = End::State(state);
    let mut head = None;
    let mut steps = Vec::with_capacity(trace.steps.len());
    for (i, step) in trace.steps.iter().enumerate() {
        let End::State(state) = &end else { break };
        let last = i + 1 == trace.steps.len();
        if trace.repeats == Some(i) {
            head = Some(state.clone());
        }
        let problem = |problem| ReplayError { step: i, problem };
        let mut passage = interpreter.pass(state, step);
        let mut outcome = Teller { interpreter, moves: &mut moves, names: &mut names }.step(
            i + 1,
            state,
            step,
            &passage,
        );
        outcome.time = watch.after(step.delay);
        let next = match (passage.problem, passage.states.pop()) {
            (None, Some(next)) => End::State(next),
            (Some(ReplayProblem::Fault(fault)), _) if last => End::Fault(fault),
            (found, _) => return Err(problem(found.unwrap_or(ReplayProblem::NotEnabled))),
        };
        steps.push(outcome);
        end = next;
    }
    if let End::State(state) = &mut end {
        let rested = interpreter.delay(state, trace.rest);
        *state = rested.map_err(|problem| ReplayError { step: trace.steps.len(), problem })?;
    }
    let returns = matches!((&end, &head), (End::State(end), Some(head)) if end == head);
    let repeats = trace.repeats.filter(|_| returns);
    Ok(Replayed { initial, steps, end, time: watch.after(trace.rest), repeats })
}

/// The initial state, in the trace's parts of a unit of time.
pub(crate) fn start(interpreter: &Interpreter, trace: &Trace) -> Result<State, ReplayError> {
    let problem = ReplayProblem::Time(Stop::Unit);
    let start = interpreter.refined(&interpreter.initial(), trace.unit);
    start.ok_or(ReplayError { step: 0, problem })
}

/// Adds up the delays of a run.
struct Stopwatch {
    /// The parts of a unit, where time is told.
    unit: Option<i64>,
    now: i64,
}

impl Stopwatch {
    fn new(interpreter: &Interpreter, trace: &Trace) -> Stopwatch {
        Stopwatch { unit: interpreter.network().is_timed().then_some(trace.unit), now: 0 }
    }

    /// When something happens that much later.
    fn after(&mut self, delay: i64) -> Option<TimeOutcome> {
        self.now = self.now.saturating_add(delay);
        let unit = self.unit?;
        Some(TimeOutcome { delay: ratio(delay, unit).into(), at: ratio(self.now, unit).into() })
    }
}

/// Puts steps into words.
pub struct Teller<'t, 'a> {
    /// Who executes them.
    pub interpreter: &'t Interpreter<'a>,
    /// Edges in words.
    pub moves: &'t mut Moves<'a>,
    /// Names that were used before.
    pub names: &'t mut Names,
}

impl Teller<'_, '_> {
    /// A step that was executed as far as it goes.
    pub fn step(
        &mut self,
        number: usize,
        source: &State,
        step: &Step,
        passage: &Passage,
    ) -> StepOutcome {
        // Clocks run on before the step; what it does to them is what counts.
        let waited = self.interpreter.delay(source, step.delay);
        let mut before = waited.as_ref().unwrap_or(source);
        let mut all = Vec::with_capacity(step.then.len());
        let mut first = MoveOutcome::default();
        for (i, edges) in step.moves().enumerate() {
            let moves: Vec<Arc<Move>> = edges.iter().map(|edge| self.moves.get(*edge)).collect();
            let mut told = MoveOutcome { moves, ..MoveOutcome::default() };
            // A move that failed, or was never made, changed nothing.
            if let Some(after) = passage.states.get(i) {
                let found = self.interpreter.changes(before, after);
                told.changes = changes(found, &told.moves, self.names);
                before = after;
            }
            if let Some(Told { passed, printed }) = passage.told.get(i) {
                told.message = passed.as_ref().map(|one| Box::new(self.message(one, &told.moves)));
                told.printed = (!printed.is_empty()).then(|| printed.as_str().into());
            }
            match i {
                0 => first = told,
                _ => all.push(told),
            }
        }
        StepOutcome { step: number, time: None, first, then: all, matters: true }
    }

    /// A message; who took part in passing it comes in the order sender,
    /// receivers.
    fn message(&mut self, passed: &Passed, moves: &[Arc<Move>]) -> MessageOutcome {
        let channel = &self.interpreter.network().channels[passed.channel.index()].name;
        let (way, position) = match passed.way {
            Way::Direct => (MessageWay::Direct, None),
            Way::Inserted(at) => (MessageWay::Sent, Some(at)),
            Way::Removed(at) => (MessageWay::Received, Some(at)),
            Way::Kept(at) => (MessageWay::Kept, Some(at)),
        };
        let mut who = moves.iter().map(|taken| self.names.get(taken.process.clone()));
        let sends = matches!(way, MessageWay::Direct | MessageWay::Sent);
        let sender = if sends { who.next() } else { None };
        let receivers = who.collect();
        let values = self.interpreter.describe_message(passed.channel, &passed.message);
        MessageOutcome {
            channel: self.names.get(channel.clone()),
            values: values.into_iter().map(|value| self.names.value(value)).collect(),
            way,
            position,
            sender,
            receivers,
        }
    }
}

impl Replayed {
    /// The run as an outcome, with what is wrong at its end.
    pub fn into_outcome(self, cause: Option<CauseOutcome>) -> TraceOutcome {
        let Replayed { initial, steps, time, repeats, .. } = self;
        let cost = Vec::new();
        let (length, why) = (steps.len(), None);
        TraceOutcome { length, cost, initial, steps, cause, why, time, repeats }
    }
}

/// Checks that a run ends in what it is said to show, and says what that is;
/// or says what it ends in instead.
pub fn confirm(interpreter: &Interpreter, end: &End, claim: Claim) -> Result<CauseOutcome, String> {
    let found = match claim {
        Claim::Goal(goal, sources, meaning) => reached(interpreter, end, goal, sources, meaning)?,
        Claim::Assertion => first(interpreter, end, CauseKind::Assertion),
        Claim::Error => failed(interpreter, end),
        Claim::Deadlock => first(interpreter, end, CauseKind::Deadlock),
        Claim::Observer(_) | Claim::Run(_) => {
            return Err("it shows by the whole run only".into());
        }
    };
    found.ok_or_else(|| match end {
        End::Fault(fault) => format!("the run ends in a run-time error instead: {fault}"),
        End::State(_) => "the state at its end is no such violation".into(),
    })
}

/// As [`confirm`], also for what only the whole run shows.
pub fn confirm_run(
    interpreter: &Interpreter,
    trace: &Trace,
    end: &End,
    claim: Claim,
) -> Result<CauseOutcome, String> {
    match claim {
        Claim::Observer(process) => observed(interpreter, trace, process),
        Claim::Run(claim) => forbidden(interpreter, trace, &claim),
        _ => confirm(interpreter, end, claim),
    }
}

/// What is wrong at the end of a run, whatever it was made to show: a run-time
/// error, a false assertion, a deadlock, or nothing.
pub fn observe(interpreter: &Interpreter, end: &End) -> Option<CauseOutcome> {
    causes(interpreter, end).into_iter().next()
}

/// A step that fails, be it at an assertion within its effects.
fn failed(interpreter: &Interpreter, end: &End) -> Option<CauseOutcome> {
    match end {
        End::Fault(fault) => Some(fault_cause(interpreter.network(), fault)),
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
    meaning: Meaning,
) -> Result<Option<CauseOutcome>, String> {
    let End::State(state) = end else {
        return Ok(None);
    };
    let value = interpreter.eval(state, goal);
    let value =
        value.map_err(|error| format!("the goal cannot be evaluated at its end: {error}"))?;
    let (kind, message, span) = match meaning {
        Meaning::Goal => (CauseKind::Goal, "the goal is reached", goal.span),
        Meaning::Invariant(span) => (CauseKind::Invariant, "the invariant is false here", span),
        Meaning::Value => (CauseKind::Goal, "the value is reached", goal.span),
    };
    Ok((value != 0).then(|| CauseOutcome::new(kind, message).at(sources, span)))
}

fn causes(interpreter: &Interpreter, end: &End) -> Vec<CauseOutcome> {
    let words = interpreter.network().words;
    match end {
        End::Fault(fault) => vec![fault_cause(interpreter.network(), fault)],
        End::State(state) => {
            let violations = interpreter.violated_assertions(state);
            let mut causes: Vec<CauseOutcome> = violations
                .iter()
                .map(|violation| assertion_cause(interpreter, violation))
                .collect();
            if interpreter.is_deadlock(state) {
                causes.push(CauseOutcome::new(CauseKind::Deadlock, words.deadlock));
            }
            causes
        }
    }
}

/// What a step that fails shows.
pub fn fault_cause(network: &Network, fault: &RuntimeError) -> CauseOutcome {
    let (kind, message) = match fault.kind {
        RuntimeErrorKind::AssertionFailed => (CauseKind::Assertion, network.words.assertion.into()),
        kind => (CauseKind::Error, format!("run-time error: {kind}")),
    };
    CauseOutcome::new(kind, message).at(&network.sources, fault.span)
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
pub struct Names {
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

/// A state in words.
pub fn describe(interpreter: &Interpreter, state: &State, names: &mut Names) -> Vec<Binding> {
    let all = interpreter.describe(state).into_iter();
    all.map(|(name, value)| Binding { name: names.get(name), value: names.value(value) }).collect()
}

/// The changes, without the locations that the moves tell already.
pub fn changes(found: Vec<interp::Change>, moves: &[Arc<Move>], names: &mut Names) -> Vec<Change> {
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
    use homing_ir::counter::{counter, first_edges, goal_above};

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
            (last.step, last.first.moves[0].process.as_str(), last.first.moves[0].line),
            (2, "Counter", 4)
        );
        assert_eq!(
            last.first.moves[0].text,
            "count -> count { guard x < most; effect x = x + 1; }"
        );
        let x = Change { name: "x".into(), from: Value::Number(1), to: Value::Number(2) };
        assert_eq!(last.first.changes, [x]);
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
        let claim = Claim::Goal(&goal, &network.sources, Meaning::Goal);
        assert!(confirm(&interpreter, &end(1), claim).is_err());
        assert_eq!(confirm(&interpreter, &end(2), claim).unwrap().kind, CauseKind::Goal);
        assert_eq!(observe(&interpreter, &end(2)), None);
        assert_eq!(
            observe(&interpreter, &end(3)).map(|cause| cause.kind),
            Some(CauseKind::Deadlock)
        );
    }

    /// P prints and passes a message through a buffer within one step, then
    /// hands another to Q, which fails.
    #[test]
    fn a_step_of_several_moves_tells_each() {
        use homing_ir::builder::*;
        use homing_ir::network::{Atomic, ChannelKind, Pattern, StatementKind, Type};
        let mut b = Builder::default();
        b.network.sources.add("m.pml", "");
        let digit = Type::wrapping(0, 9);
        let x = b.variable("x", digit.clone(), &[3]);
        let buffer =
            channel(b.channel("buffer", ChannelKind::Buffered(2), std::slice::from_ref(&digit)));
        let direct = channel(b.channel("direct", ChannelKind::Rendezvous, &[digit, Type::Bool]));
        let (p, q) = (b.process("P", &["a", "b", "c", "d"]), b.process("Q", &["a", "b"]));
        let print = StatementKind::Print("x is %d\\n".into(), vec![read(x)]);
        let atomic = |from, to| edge(from, to).holding(Atomic::Atomic);
        b.add(p, atomic(0, 1).send(buffer.clone(), &[read(x)]).run(statement(print)));
        b.add(p, atomic(1, 2).receive(buffer, &[Pattern::Ignore]).set(x, int(4)));
        b.add(p, edge(2, 3).send(direct.clone(), &[read(x), int(1)]));
        b.add(
            q,
            edge(0, 1).receive(direct, &[store(x), Pattern::Ignore]).set(x, div(int(1), int(0))),
        );
        let interpreter = Interpreter::new(&b.network).unwrap();
        let (step, _) = interpreter.steps(&interpreter.initial()).remove(0);
        let run = replay(&interpreter, &Trace::new(vec![step])).unwrap();
        assert!(matches!(run.end, End::Fault(_)));
        let told: Vec<&MoveOutcome> = run.steps[0].all().collect();
        assert_eq!(told[0].printed.as_deref(), Some("x is 3\n"));
        let names: Vec<Vec<&str>> =
            told.iter().map(|one| one.changes.iter().map(|c| &*c.name).collect()).collect();
        assert_eq!(names, [vec!["buffer"], vec!["x", "buffer"], vec![]]);
        let message = |i: usize| (**told[i].message.as_ref().unwrap()).clone();
        let sent = MessageOutcome {
            channel: "buffer".into(),
            values: vec![Value::Number(3)],
            way: MessageWay::Sent,
            position: Some(0),
            sender: Some("P".into()),
            receivers: vec![],
        };
        assert_eq!(message(0), sent);
        let (sender, receivers) = (None, vec!["P".into()]);
        let received = MessageOutcome { way: MessageWay::Received, sender, receivers, ..sent };
        assert_eq!(message(1), received);
        let handed = message(2);
        assert_eq!((handed.way, handed.position), (MessageWay::Direct, None));
        assert_eq!(handed.values, [Value::Number(4), Value::Text("true".into())]);
        assert_eq!((handed.sender, handed.receivers), (Some("P".into()), vec!["Q".into()]));
        // What is printed as JSON is read again.
        let outcome = run.into_outcome(None);
        let text = serde_json::to_string(&outcome).unwrap();
        assert!(text.contains("\"step\":1,\"moves\":[{\"process\":\"P\""), "{text}");
        assert_eq!(serde_json::from_str::<TraceOutcome>(&text).unwrap(), outcome);
    }

    #[test]
    fn resting_is_no_deadlock() {
        let mut network = counter(3);
        let end = |network: &homing_ir::Network| {
            let interpreter = Interpreter::new(network).unwrap();
            let end = replay(&interpreter, &first_edges(3)).unwrap().end;
            confirm(&interpreter, &end, Claim::Deadlock).map(|cause| cause.kind)
        };
        assert_eq!(end(&network), Ok(CauseKind::Deadlock));
        network.processes[0].locations[0].end = true;
        assert!(end(&network).is_err());
    }

    #[test]
    fn a_million_steps_are_replayed() {
        assert_eq!(replayed(1000, 1_000_000).unwrap().steps.len(), 1_000_000);
    }
}
