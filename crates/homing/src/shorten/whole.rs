//! Runs without an end made shorter.
//!
//! ```text
//! execute the run: it violates the property
//! search breadth-first for a run that does, no further than this one is long
//! take that one, if it is shorter
//! ```
//! In the product that records where a loop begins, a lasso is a path to a state (Biere,
//! Artho, Schuppan, "Liveness checking as safety checking", FMICS 2002; Schuppan, Biere,
//! "Shortest counterexamples for symbolic model checking of LTL with past", TACAS 2005), so
//! that a breadth-first search finds a shortest one. Steps cannot be left out one by one, as
//! for states that a trace ends in: what is left need not come back to where its loop begins.

use std::sync::Arc;

use homing_ir::Trace;
use homing_ir::interp::Interpreter;
use homing_report::outcome::{GainOutcome, PropertyOutcome, ShortenOutcome};
use homing_witness::Claim;
use homing_witness::why::explained;

use super::{SHORTEN_EXPANSIONS, Shortened, not_a_violation};
use crate::check::check_all;
use crate::load::Model;
use crate::options::Options;
use crate::question::{Need, Question};
use crate::run::{Hooks, UsageError};

/// How a run is looked for where no strategy is given.
const SHORTEST: &str = "breadth";

/// What a run shows that violates a property of whole runs; none for other properties.
pub(super) fn claim<'q>(
    model: &Model,
    options: &Options,
    question: &'q dyn Question,
) -> Option<Claim<'q>> {
    match question.need(&model.network) {
        Need::Run(temporal) => Some(temporal.claim(options.fairness)),
        _ => None,
    }
}

/// Makes a run shorter that violates a property of whole runs.
pub(super) fn shorten(
    model: &Model,
    options: &Options,
    (interpreter, question): (&Interpreter, Arc<dyn Question>),
    claim: Claim,
    trace: &Trace,
    hooks: Hooks,
) -> Result<Shortened, UsageError> {
    let given = explained(interpreter, trace, claim)
        .map_err(|error| not_a_violation(trace, question.name(), &error))?;
    let name = question.name().to_string();
    let checked = check_all(model, &bounded(options, trace), hooks, vec![question])?;
    let [result] = <[PropertyOutcome; 1]>::try_from(checked.outcome.results)
        .map_err(|_| UsageError::Internal("one question has one answer".into()))?;
    let found = checked.traces.into_iter().next().zip(result.trace.clone());
    let found = found.map(|((_, trace), shown)| (trace, shown));
    let as_long = found.as_ref().is_some_and(|(found, _)| found.steps.len() <= trace.steps.len());
    let optimal = result.optimal && as_long;
    let shorter = found.filter(|(found, _)| found.steps.len() < trace.steps.len());
    let mut gains = Vec::new();
    if let Some((found, _)) = &shorter {
        gains.push(gain(found));
    }
    let (best, shown) = shorter.unwrap_or_else(|| (trace.clone(), given));
    let outcome = ShortenOutcome {
        model: model.network.name.clone(),
        command: String::new(),
        property: name,
        before: trace.steps.len() as u64,
        optimal,
        at_least: if optimal { best.steps.len() as u64 } else { 0 },
        reason: reason(&result, optimal),
        gains,
        notices: checked.outcome.notices,
        trace: shown,
        statistics: checked.outcome.statistics,
    };
    Ok(Shortened { outcome, trace: best })
}

fn gain(found: &Trace) -> GainOutcome {
    GainOutcome { by: "a search from the start".into(), length: found.steps.len() as u64 }
}

/// Breadth-first, no further than the run is long, unless the user says otherwise.
fn bounded(options: &Options, trace: &Trace) -> Options {
    let mut options = Options { different: 1, minimise: None, ..options.clone() };
    if options.strategy.is_none() {
        options.strategy = Some(SHORTEST.into());
        options.limits.bound.get_or_insert(trace.steps.len() as u64);
    }
    if options.limits.expansions.is_none() && options.limits.time.is_none() {
        options.limits.expansions = Some(SHORTEN_EXPANSIONS);
    }
    options
}

fn reason(result: &PropertyOutcome, optimal: bool) -> String {
    match (optimal, &result.trace) {
        (true, _) => "there is no shorter one".into(),
        (false, Some(_)) => "there may be a shorter one".into(),
        (false, None) => format!("{}; there may be a shorter one", result.reason),
    }
}
