//! What is true at the end of a run, and since when.
//!
//! A condition is taken apart in negation normal form: `a && !(b || c)` is
//! true because `a`, not `b` and not `c` are. Of a part that is a disjunction,
//! the disjuncts that are true at the end are taken apart in turn. What comes
//! to the same words is told once.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::alike::alike;
use homing_ir::interp::{Interpreter, ReplayProblem, State};
use homing_ir::network::{Binary, Expr, ExprKind, LocationId, ProcessId, Unary};
use homing_ir::{Network, Sources, Trace};

use crate::claim::Claim;
use crate::outcome::{HoldsOutcome, Location, When, one_line, text_of};
use crate::replay::{End, start};

/// A part of a condition that decides, or its negation.
#[derive(Clone)]
pub(super) struct Reason<'e> {
    pub expr: &'e Expr,
    pub positive: bool,
    /// Whether it belongs to one of several cases of which each would do.
    alternative: bool,
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
        Claim::Goal(goal, sources, _) => {
            let mut reasons = Vec::new();
            of_condition(interpreter, last, goal, &mut reasons);
            told(interpreter, trace, reasons, sources)
        }
        Claim::Assertion => {
            let violated = asserted(interpreter, last);
            let reasons: Vec<Reason> =
                violated.iter().flat_map(|part| joined(part, true)).collect();
            let sources = &interpreter.network().sources;
            let mut told = told(interpreter, trace, reasons, sources);
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

/// The parts that make a condition true in a state.
fn of_condition<'e>(
    interpreter: &Interpreter,
    last: &State,
    condition: &'e Expr,
    reasons: &mut Vec<Reason<'e>>,
) {
    let mut open = vec![Reason { expr: condition, positive: true, alternative: false }];
    while let Some(one) = open.pop() {
        let alternative = one.alternative;
        let conjuncts = joined(one.expr, one.positive);
        if conjuncts.len() > 1 {
            open.extend(conjuncts.into_iter().rev().map(|part| Reason { alternative, ..part }));
            continue;
        }
        // A disjunction holds where its negation, a conjunction, does not.
        let negated = joined(one.expr, !one.positive);
        if negated.len() < 2 {
            reasons.extend(conjuncts.into_iter().map(|part| Reason { alternative, ..part }));
            continue;
        }
        let disjuncts = negated.into_iter().rev();
        let disjuncts =
            disjuncts.map(|part| Reason { positive: !part.positive, alternative: true, ..part });
        open.extend(disjuncts.filter(|part| part.holds(interpreter, last)));
    }
}

/// The conjuncts of an expression, or of its negation. The recursion over
/// expressions is bounded by [`homing_ir::wellformed::MAX_DEPTH`].
pub(super) fn joined(expr: &Expr, positive: bool) -> Vec<Reason<'_>> {
    let both = |a, pa, b, pb| [joined(a, pa), joined(b, pb)].concat();
    match (&expr.kind, positive) {
        (ExprKind::Unary(Unary::Not, inner), _) => joined(inner, !positive),
        (ExprKind::Binary(Binary::And, a, b), true) => both(a, true, b, true),
        (ExprKind::Binary(Binary::Or, a, b), false) => both(a, false, b, false),
        (ExprKind::Binary(Binary::Imply, a, b), false) => both(a, true, b, false),
        _ => vec![Reason { expr, positive, alternative: false }],
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
    reasons: Vec<Reason>,
    sources: &Sources,
) -> Vec<HoldsOutcome> {
    let reasons = different(interpreter.network(), reasons, sources);
    let mut since = vec![0; reasons.len()];
    let Ok(mut state) = start(interpreter, trace) else { return Vec::new() };
    for at in 0..=trace.steps.len() {
        // What holds at the end may only hold after the rest.
        if at == trace.steps.len() {
            state = interpreter.delay(&state, trace.rest).unwrap_or(state);
        }
        for (since, (reason, _)) in since.iter_mut().zip(&reasons) {
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
    let told = reasons.into_iter().zip(since).filter(|(_, since)| *since <= length);
    told.map(|((reason, condition), since)| HoldsOutcome {
        condition,
        since,
        alternative: reason.alternative,
        when: When::Lasts,
        place: Location::new(sources, reason.expr.span),
    })
    .collect()
}

/// Every reason once, with its words. The text of a macro may stand for several: then
/// each is told as it is in the network.
fn different<'e>(
    network: &Network,
    reasons: Vec<Reason<'e>>,
    sources: &Sources,
) -> Vec<(Reason<'e>, String)> {
    let mut known: BTreeMap<String, &Expr> = BTreeMap::new();
    let mut ambiguous = BTreeSet::new();
    for reason in &reasons {
        let text = in_words(network, reason, sources);
        let first = known.entry(text.clone()).or_insert(reason.expr);
        if !alike(first, reason.expr) {
            ambiguous.insert(text);
        }
    }
    let mut seen = BTreeSet::new();
    let told = reasons.into_iter().map(|reason| {
        let text = in_words(network, &reason, sources);
        match ambiguous.contains(&text) {
            true => {
                let text = negated(network.written(reason.expr), reason.positive);
                (reason, one_line(&text))
            }
            false => (reason, text),
        }
    });
    told.filter(|(_, text)| seen.insert(text.clone())).collect()
}

/// A reason in words.
fn in_words(network: &Network, reason: &Reason, sources: &Sources) -> String {
    negated(condition(network, reason.expr, sources), reason.positive)
}

/// What is said, or that it is not so.
pub(super) fn negated(text: String, positive: bool) -> String {
    match positive {
        true => text,
        false if text.contains(' ') => format!("not ({text})"),
        false => format!("not {text}"),
    }
}

/// Where a text does not say what is meant, what is made of it is told instead,
/// unless that is longer.
const LONGEST: usize = 100;

/// A condition in words: as it is written, where that says what is meant.
pub(super) fn condition(network: &Network, expr: &Expr, sources: &Sources) -> String {
    let text = text_of(sources, expr.span);
    if !network.words.binds && !text.is_empty() {
        return text;
    }
    let made = one_line(&network.written(expr));
    let short = made.chars().count() <= LONGEST.max(text.chars().count());
    if short || text.is_empty() { made } else { text }
}

fn at(interpreter: &Interpreter, process: ProcessId, location: LocationId) -> String {
    let process = &interpreter.network().processes[process.index()];
    format!("{} is at {}", process.name, process.locations[location.index()].name)
}
