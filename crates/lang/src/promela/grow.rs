//! Which processes there may be.
//!
//! A network names all its processes, Promela starts them as it goes. So the
//! set of (number, process type) pairs is found by trying: lower the program
//! with the pairs known so far, execute it for a while, and add every pair
//! that a `run` could not find.
//!
//! ```text
//! births := {}
//! loop
//!   network := lower(program, births)
//!   explore some states; missing := pairs that `run` asked for in vain
//!   if missing is empty: stop
//!   births := births ∪ missing
//! ```
//!
//! A pair that only turns up later is a run-time error of that step
//! (`NoFreeSlot`), never a wrong answer; whoever searches adds it
//! ([`missing`]) and begins again.

use std::collections::{BTreeSet, HashSet};

use homing_ir::interp::{Interpreter, RuntimeErrorKind, State};
use homing_ir::network::{EdgeRef, Statement, StatementKind};
use homing_ir::trace::Step;
use homing_ir::{Diagnostic, Network};

use super::lower::{Birth, MOST_PROCESSES, Wishes, lower};
use super::syntax::Program;
use crate::reports::Reports;

/// The states that are tried. Most models start all their processes at once.
const TRIED: usize = 2_000;

/// The network of a program with the processes that a short execution needs,
/// beside those in `wishes`.
pub(super) fn grow(
    program: &Program,
    blank: &Network,
    mut wishes: Wishes,
) -> (Network, Vec<Diagnostic>) {
    loop {
        let (network, reports) = lower(program, blank.clone(), Reports::default(), &wishes);
        if reports.failed() {
            return (network, reports.finish());
        }
        let before = wishes.births.len();
        wishes.births.extend(explore(&network));
        if wishes.births.len() == before {
            return (network, reports.finish());
        }
    }
}

/// The pairs that were missing in the first states of a network.
fn explore(network: &Network) -> BTreeSet<Birth> {
    let mut found = BTreeSet::new();
    // What an interpreter refuses is said when the network is used.
    let Ok(interpreter) = Interpreter::new(network) else { return found };
    let mut states = vec![interpreter.initial()];
    // A seeded set is no danger here: nothing depends on its order.
    let mut known: HashSet<State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && next < TRIED {
        let state = states[next].clone();
        next += 1;
        for (step, outcome) in interpreter.steps(&state) {
            match outcome {
                Ok(target) => {
                    if states.len() < TRIED && known.insert(target.clone()) {
                        states.push(target);
                    }
                }
                Err(error) if error.kind == RuntimeErrorKind::NoFreeSlot => {
                    found.extend(missing_in(&interpreter, &state, &step));
                }
                Err(_) => {}
            }
        }
    }
    found
}

/// The pair that a step asked for in vain.
fn missing_in(interpreter: &Interpreter, state: &State, step: &Step) -> Option<Birth> {
    let network = interpreter.network();
    let failing: &[EdgeRef] = step.then.last().unwrap_or(&step.edges);
    let passed = interpreter.pass(state, step).states;
    let state = passed.last().unwrap_or(state);
    let count = network.variables.iter().position(|variable| variable.name == "_nr_pr")?;
    let offset = interpreter.offset(homing_ir::network::VariableId(count as u32))?;
    let pid = u32::try_from(state.values[offset]).ok().filter(|pid| *pid < MOST_PROCESSES)?;
    let mut edges = failing.iter().map(|at| (network.edge(*at), at.branch));
    let ty = edges.find_map(|(edge, branch)| unslotted(&edge.branches[branch as usize].effect))?;
    Some((pid, ty))
}

/// The process type that a block starts where none of its pairs fits.
fn unslotted(block: &[Statement]) -> Option<usize> {
    block.iter().find_map(|statement| match &statement.kind {
        StatementKind::Start { template, .. } => {
            let (ty, pid) = (template.0 / (MOST_PROCESSES + 1), template.0 % (MOST_PROCESSES + 1));
            (pid == MOST_PROCESSES).then_some(ty as usize)
        }
        StatementKind::If(_, yes, no) => unslotted(yes).or_else(|| unslotted(no)),
        _ => None,
    })
}
