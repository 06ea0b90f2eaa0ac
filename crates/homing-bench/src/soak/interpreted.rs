//! The reference interpreter's answers, as homing's: every verdict with the length of
//! a shortest run to what is wrong.

use homing::Model;
use homing::ir::interp::{Exploration, Interpreter, RuntimeErrorKind};
use homing::ir::network::Expr;
use homing::report::outcome::Verdict;

use super::ours::{self, Judged, Trouble};

/// States that the interpreter explores, which is slow.
pub const INTERPRETED: u64 = 2_000;

/// All that the interpreter finds out.
pub struct Found {
    pub states: u64,
    pub judged: Vec<Judged>,
}

/// Explores a model; nothing where there are too many states.
pub fn explore(model: &Model, goals: &[(String, Expr)]) -> Result<Option<Found>, Trouble> {
    ours::guarded(|| {
        let interpreter = Interpreter::new(&model.network)
            .map_err(|said| Trouble::Refused(format!("{said:?}")))?;
        let found = interpreter.explore(INTERPRETED as usize);
        if !found.complete {
            return Ok(None);
        }
        let asserted = found.distance(|state| !interpreter.violated_assertions(state).is_empty());
        let deadlock = found.deadlocks.first().map(|state| found.depths[*state]);
        let mut judged = vec![
            verdict("assertions", asserted.into_iter().chain(failed(&found, true)).min()),
            verdict("deadlock", deadlock),
            verdict("errors", failed(&found, false)),
        ];
        judged.extend(goals.iter().map(|(name, goal)| {
            let holds = |state: &_| interpreter.eval(state, goal).is_ok_and(|it| it != 0);
            verdict(name, found.distance(holds))
        }));
        Ok(Some(Found { states: found.states.len() as u64, judged }))
    })
}

/// Steps to where an assertion, or anything else, fails.
fn failed(found: &Exploration, assertion: bool) -> Option<u32> {
    let mut faults = found.faults.iter();
    let first = faults
        .find(|fault| (fault.error.kind == RuntimeErrorKind::AssertionFailed) == assertion)?;
    Some(found.depths[first.state] + 1)
}

fn verdict(property: &str, length: Option<u32>) -> Judged {
    let verdict = if length.is_some() { Verdict::Violated } else { Verdict::Holds };
    let length = length.map(u64::from);
    let reason = "the interpreter says so".to_owned();
    Judged { property: property.to_owned(), verdict, reason, length, optimal: true }
}
