//! Why a run violates a property: what became true when, which steps it took.
//!
//! A person who reads a counterexample asks three things. *What is wrong at
//! its end?* A goal that is a conjunction was not reached at once: each
//! conjunct became true at some step and stayed true (`reasons`); a deadlock
//! has a reason for every process (`blocked`). *Which steps led there?* Those
//! of a backward slice ([`needed`]). *Is that so?* The other steps are left out,
//! and the rest is executed by the reference interpreter; only where it ends in
//! the same kind of violation, the others are said not to matter.
//!
//! A run without an end has another kind of reason, what never happens on it or
//! happens again and again (`forever`), and all its steps count: to an automaton
//! every step matters, as it moves with each.

mod blocked;
mod forever;
mod needed;
mod reasons;

use homing_ir::Trace;
use homing_ir::interp::Interpreter;

use crate::claim::Claim;
use crate::outcome::{TraceOutcome, WhyOutcome};
use crate::replay::{End, confirm_run, replay};

pub use forever::lasting;
pub use needed::needed;

/// Longer runs are shown without: nobody reads them, and what every step looked
/// at would have to be remembered.
pub const MOST_STEPS: usize = 10_000;

/// A run that shows what it claims, with why it does; or what is wrong with
/// it.
pub fn explained(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
) -> Result<TraceOutcome, String> {
    let replayed = replay(interpreter, trace).map_err(|error| error.to_string())?;
    let cause = confirm_run(interpreter, trace, &replayed.end, claim)?;
    let end = replayed.end.clone();
    let mut outcome = replayed.into_outcome(Some(cause));
    if let Claim::Run(_) = claim {
        // Confirmed, though clocks may show other values where the loop begins again.
        outcome.repeats = trace.repeats;
    }
    if trace.steps.len() <= MOST_STEPS {
        let explained = || match claim {
            Claim::Observer(_) => {}
            Claim::Run(claim) => outcome.why = forever::forever(interpreter, trace, &claim),
            _ => explain(interpreter, trace, claim, &end, &mut outcome),
        };
        // A run is worth telling without.
        let _ = homing_budget::attempt("explaining a run", explained);
    }
    Ok(outcome)
}

fn explain(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
    end: &End,
    outcome: &mut TraceOutcome,
) {
    let matters = needed(interpreter, trace, claim);
    for (step, matters) in outcome.steps.iter_mut().zip(&matters) {
        step.matters = *matters;
    }
    let blocked = match (claim, end) {
        (Claim::Deadlock, End::State(state)) => blocked::blocked(interpreter, state),
        _ => Vec::new(),
    };
    outcome.why = Some(WhyOutcome {
        holds: reasons::reasons(interpreter, trace, claim, end),
        blocked,
        needed: matters.iter().filter(|matters| **matters).count(),
    });
}

#[cfg(test)]
mod tests;
