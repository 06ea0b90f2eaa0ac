//! When the steps of a run are taken.
//!
//! A search among zones knows the edges of a run, but not when they are taken.
//! The interpreter finds delays for them (`interp::schedule`), which are then
//! executed like any run.

use homing_ir::Trace;
use homing_ir::interp::Interpreter;
use homing_ir::network::{Expr, ExprKind};
use homing_ir::source::Span;
use homing_witness::Claim;

/// Why something that a search found is not shown.
#[derive(Debug)]
pub(crate) enum Unconfirmed {
    /// It has no delays, which is no wonder where clocks stop: zones over-approximate
    /// what they show.
    Spurious,
    /// It does not replay: an error of ours.
    Wrong(String),
}

impl From<String> for Unconfirmed {
    fn from(why: String) -> Unconfirmed {
        Unconfirmed::Wrong(why)
    }
}

impl std::fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unconfirmed::Spurious => f.write_str("it has no delays, for clocks stop"),
            Unconfirmed::Wrong(why) => f.write_str(why),
        }
    }
}

/// The run with a delay before each step, so that each is possible and what it is
/// said to show holds at its end. A run without clocks is left as it is.
pub(crate) fn scheduled(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
) -> Result<Trace, Unconfirmed> {
    if !interpreter.network().is_timed() {
        return Ok(trace.clone());
    }
    // Where the invariants do not hold at the start, no time passes, but there is a start.
    if let Claim::Goal(goal, ..) = claim
        && trace.steps.is_empty()
        && interpreter.eval(&interpreter.initial(), goal).is_ok_and(|value| value != 0)
    {
        return Ok(trace.clone());
    }
    let deadlock = Expr::new(ExprKind::Deadlock, Span::default());
    let end = match claim {
        Claim::Goal(goal, ..) => Some(goal),
        Claim::Deadlock => Some(&deadlock),
        Claim::Assertion | Claim::Error | Claim::Observer(_) | Claim::Run(_) => None,
    };
    interpreter.schedule(trace, end, false).ok_or_else(|| {
        match interpreter.network().has_stopwatches() {
            true => Unconfirmed::Spurious,
            false => "there are no times at which its steps could be taken".to_owned().into(),
        }
    })
}
