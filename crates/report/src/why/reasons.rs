//! What is true at the end of a run, and since when.
//!
//! A condition is taken apart in negation normal form: `a && !(b || c)` is
//! true because `a`, not `b` and not `c` are. Of a condition that is a
//! disjunction, the disjuncts that are true at the end are told.

use homing_ir::interp::{Interpreter, ReplayProblem, State};
use homing_ir::network::{Binary, Expr, ExprKind, LocationId, ProcessId, Unary};
use homing_ir::{Sources, Trace};

use crate::outcome::{HoldsOutcome, Location, one_line};
use crate::replay::{Claim, End, start};

/// A part of a condition that decides, or its negation.
#[derive(Clone)]
struct Reason<'e> {
    expr: &'e Expr,
    positive: bool,
}

impl Reason<'_> {
    /// One that cannot be evaluated is not true.
    fn holds(&self, interpreter: &Interpreter, state: &State) -> bool {
        let value = interpreter.eval(state, self.expr);
        value.is_ok_and(|value| (value != 0) == self.positive)
    }
}

/// What is true at the end of the run, and the step since which it is.
pub(super) fn reasons(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
    end: &End,
) -> Vec<HoldsOutcome> {
    let End::State(last) = end else { return Vec::new() };
    match claim {
        Claim::Goal(goal, sources) => {
            let (reasons, alternatives) = of_condition(interpreter, last, goal);
            told(interpreter, trace, &reasons, sources, alternatives)
        }
        Claim::Assertion => {
            let violated = asserted(interpreter, last);
            let reasons: Vec<Reason> =
                violated.iter().flat_map(|part| joined(part, true)).collect();
            let sources = &interpreter.network().sources;
            let mut told = told(interpreter, trace, &reasons, sources, false);
            // The location of an assertion has no text of its own.
            if let (Some(first), Some(ExprKind::At(process, location))) =
                (told.first_mut(), violated.first().map(|there| &there.kind))
            {
                first.condition = at(interpreter, *process, *location);
            }
            told
        }
        Claim::Error | Claim::Deadlock | Claim::Observer(_) | Claim::Run(_) => Vec::new(),
    }
}

/// The conjuncts of a condition; of a disjunction, the disjuncts that hold.
fn of_condition<'e>(
    interpreter: &Interpreter,
    last: &State,
    condition: &'e Expr,
) -> (Vec<Reason<'e>>, bool) {
    let conjuncts = joined(condition, true);
    let [only] = &conjuncts[..] else { return (conjuncts, false) };
    // A disjunction holds where its negation, a conjunction, does not.
    let negated = joined(only.expr, !only.positive);
    if negated.len() < 2 {
        return (conjuncts, false);
    }
    let disjuncts = negated.into_iter().map(|one| Reason { positive: !one.positive, ..one });
    (disjuncts.filter(|one| one.holds(interpreter, last)).collect(), true)
}

/// The conjuncts of an expression, or of its negation. The recursion over
/// expressions is bounded by [`homing_ir::wellformed::MAX_DEPTH`].
fn joined(expr: &Expr, positive: bool) -> Vec<Reason<'_>> {
    let both = |a, pa, b, pb| [joined(a, pa), joined(b, pb)].concat();
    match (&expr.kind, positive) {
        (ExprKind::Unary(Unary::Not, inner), _) => joined(inner, !positive),
        (ExprKind::Binary(Binary::And, a, b), true) => both(a, true, b, true),
        (ExprKind::Binary(Binary::Or, a, b), false) => both(a, false, b, false),
        (ExprKind::Binary(Binary::Imply, a, b), false) => both(a, true, b, false),
        _ => vec![Reason { expr, positive }],
    }
}

/// What is true where the first violated assertion is: that its process is at
/// its location, and that it is false. Nothing where no assertion is violated,
/// or where it cannot be evaluated.
pub(super) fn asserted(interpreter: &Interpreter, state: &State) -> Vec<Expr> {
    let violated = interpreter.violated_assertions(state);
    let Some(first) = violated.first() else { return Vec::new() };
    let location =
        &interpreter.network().processes[first.process.index()].locations[first.location.index()];
    let there = Expr::new(ExprKind::At(first.process, first.location), first.span);
    let false_one = location.assertions.iter().find(|assertion| assertion.span == first.span);
    let not = |assertion: &Expr| ExprKind::Unary(Unary::Not, Box::new(assertion.clone()));
    let failing = false_one.map(|assertion| Expr::new(not(assertion), assertion.span));
    [there].into_iter().chain(failing).collect()
}

/// Runs through the trace once and notes when each reason became true for the
/// last time.
fn told(
    interpreter: &Interpreter,
    trace: &Trace,
    reasons: &[Reason],
    sources: &Sources,
    alternative: bool,
) -> Vec<HoldsOutcome> {
    let mut since = vec![0; reasons.len()];
    let Ok(mut state) = start(interpreter, trace) else { return Vec::new() };
    for at in 0..=trace.steps.len() {
        // What holds at the end may only hold after the rest.
        if at == trace.steps.len() {
            state = interpreter.delay(&state, trace.rest).unwrap_or(state);
        }
        for (since, reason) in since.iter_mut().zip(reasons) {
            if !reason.holds(interpreter, &state) {
                *since = at + 1;
            }
        }
        match trace.steps.get(at).map(|step| interpreter.take(&state, step)) {
            Some(Ok(next)) => state = next,
            Some(Err(error)) => {
                debug_assert!(matches!(error.problem, ReplayProblem::Fault(_)));
                break;
            }
            None => {}
        }
    }
    let length = trace.steps.len();
    let told = reasons.iter().zip(since).filter(|(_, since)| *since <= length);
    told.map(|(reason, since)| HoldsOutcome {
        condition: written(reason, sources),
        since,
        alternative,
        place: Location::new(sources, reason.expr.span),
    })
    .collect()
}

/// A reason in words: as it is written where it is positive.
fn written(reason: &Reason, sources: &Sources) -> String {
    let text = one_line(sources.text(reason.expr.span));
    if reason.positive { text } else { format!("not ({text})") }
}

fn at(interpreter: &Interpreter, process: ProcessId, location: LocationId) -> String {
    let process = &interpreter.network().processes[process.index()];
    format!("{} is at {}", process.name, process.locations[location.index()].name)
}
