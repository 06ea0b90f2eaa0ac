//! The steps of a run that its violation needs.
//!
//! Dynamic slicing (Korel, Laski, "Dynamic program slicing", 1988) of a run
//! instead of a program:
//!
//! ```text
//! relevant := what the violation reads in the last state
//! for every step, from the last to the first:
//!   if it changed a relevant piece of the state:
//!     the step matters
//!     relevant := relevant without what it set, and with what it read
//! ```
//! Where the slice is left alone, every step that matters finds all it reads as
//! it was, so it can be taken and sets the same. That holds but for what steps
//! read implicitly: whether a process is at a committed location, who else
//! would receive a broadcast. To count all of that as read makes most steps
//! matter that do not, so it is tried without first. Whatever the slice says is
//! believed only after the steps that matter were executed by themselves and
//! ended in a violation; where none does, all steps matter.

use homing_ir::interp::{Interpreter, Pieces, ReplayProblem, State};
use homing_ir::network::Expr;
use homing_ir::{Step, Trace};

use super::reasons::asserted;
use crate::claim::Claim;
use crate::replay::{End, confirm, start};

/// For every step of a run whether the violation at its end needs it. The run
/// must be one, and show what it claims.
pub fn needed(interpreter: &Interpreter, trace: &Trace, claim: Claim) -> Vec<bool> {
    for implicit in [false, true] {
        let Some(matters) = slice(interpreter, trace, claim, implicit) else { break };
        if matters.iter().all(|matters| *matters) {
            return matters;
        }
        if let Some(end) = end_of(interpreter, &only(trace, &matters))
            && confirm(interpreter, &end, claim).is_ok()
        {
            return matters;
        }
    }
    vec![true; trace.steps.len()]
}

/// The run without the steps that do not matter; the others at the same times.
fn only(trace: &Trace, matters: &[bool]) -> Trace {
    let mut rest = Trace { steps: Vec::new(), ..trace.clone() };
    let mut waited = 0;
    for (step, matters) in trace.steps.iter().zip(matters) {
        waited += step.delay;
        if *matters {
            let delay = std::mem::take(&mut waited);
            rest.steps.push(Step { delay, ..step.clone() });
        }
    }
    rest.rest += waited;
    rest
}

/// What a run leads to, if its steps can be taken one after the other; only the
/// last may fail.
fn end_of(interpreter: &Interpreter, trace: &Trace) -> Option<End> {
    let mut state = start(interpreter, trace).ok()?;
    for (i, step) in trace.steps.iter().enumerate() {
        match interpreter.take(&state, step) {
            Ok(next) => state = next,
            Err(error) => match error.problem {
                ReplayProblem::Fault(fault) if i + 1 == trace.steps.len() => {
                    return Some(End::Fault(fault));
                }
                _ => return None,
            },
        }
    }
    interpreter.delay(&state, trace.rest).ok().map(End::State)
}

/// What a step of the run read, set and changed.
struct Taken {
    reads: Pieces,
    sets: Pieces,
    changed: Pieces,
}

fn slice(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: Claim,
    implicit: bool,
) -> Option<Vec<bool>> {
    let mut taken = Vec::with_capacity(trace.steps.len());
    let mut state = start(interpreter, trace).ok()?;
    let mut failed = false;
    for step in &trace.steps {
        // Time passes without the step, too.
        state = interpreter.delay(&state, step.delay).ok()?;
        let step = &Step { delay: 0, ..step.clone() };
        let influence = interpreter.influence(&state, step, implicit);
        let changed = match interpreter.take(&state, step) {
            Ok(next) => {
                let changed = state.differences(&next);
                state = next;
                changed
            }
            // The last step of a run may fail.
            Err(_) if taken.len() + 1 == trace.steps.len() => {
                failed = true;
                Pieces::new()
            }
            Err(_) => return None,
        };
        taken.push(Taken { reads: influence.reads, sets: influence.sets, changed });
    }
    let relevant = if failed { Pieces::new() } else { end_reads(interpreter, &state, claim) };
    Some(backwards(&taken, relevant, failed))
}

fn backwards(taken: &[Taken], mut relevant: Pieces, failed: bool) -> Vec<bool> {
    let mut matters = vec![false; taken.len()];
    for (i, step) in taken.iter().enumerate().rev() {
        let fails = failed && i + 1 == taken.len();
        matters[i] = fails || step.changed.iter().any(|piece| relevant.contains(piece));
        if matters[i] {
            relevant.retain(|piece| !step.sets.contains(piece) && !step.changed.contains(piece));
            relevant.extend(&step.reads);
        }
    }
    matters
}

/// What the violation in the last state depends on.
fn end_reads(interpreter: &Interpreter, state: &State, claim: Claim) -> Pieces {
    let reads = |expr: &Expr| interpreter.reads(state, expr);
    match claim {
        Claim::Goal(goal, ..) => reads(goal),
        Claim::Assertion => asserted(interpreter, state).iter().flat_map(reads).collect(),
        Claim::Error | Claim::Observer(_) | Claim::Run(_) => Pieces::new(),
        Claim::Deadlock => {
            let processes = interpreter.network().system_processes();
            processes.flat_map(|(id, _)| interpreter.blocking_reads(state, id)).collect()
        }
    }
}
