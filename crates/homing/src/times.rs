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

/// The run with a delay before each step, so that each is possible and what it is
/// said to show holds at its end. A run without clocks is left as it is.
pub(crate) fn scheduled(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
) -> Result<Trace, String> {
    if !interpreter.network().is_timed() {
        return Ok(trace.clone());
    }
    let deadlock = Expr::new(ExprKind::Deadlock, Span::default());
    let end = match claim {
        Claim::Goal(goal, ..) => Some(goal),
        Claim::Deadlock => Some(&deadlock),
        Claim::Assertion | Claim::Error | Claim::Observer(_) | Claim::Run(_) => None,
    };
    interpreter
        .schedule(trace, end, false)
        .ok_or_else(|| "there are no times at which its steps could be taken".into())
}
