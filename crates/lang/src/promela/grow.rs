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
//!   explore some states; missing := the first pair that `run` asks for in vain
//!   if there is none: stop, and drop the births that nothing needed
//!   births := births ∪ {missing}, and after some rounds a few numbers more
//! ```
//!
//! A pair that only turns up later is a run-time error of that step
//! (`NoFreeSlot`), never a wrong answer: whoever searches asks for more
//! ([`missing`], [`Settings::more`](crate::Settings)) and begins again.

use std::collections::{BTreeSet, HashSet};

use homing_ir::interp::{Interpreter, RuntimeErrorKind, State};
use homing_ir::network::{EdgeRef, Lifetime, Statement, StatementKind};
use homing_ir::trace::Step;
use homing_ir::{Diagnostic, Network};

use super::lower::{Birth, MOST_PROCESSES, Wishes, lower};
use super::settled::settle;
use super::syntax::Program;
use crate::reports::Reports;

/// The most states that are tried. Most models start all their processes at
/// once.
const TRIED: usize = 2_000;

/// The most values that the steps between them may copy: the states of some
/// models are large, or have many steps.
const VALUES: usize = 4_000_000;

/// From this number on processes are only made when a search asks for them, or where every
/// run starts them: a process that starts others for ever would make them all.
const MANY: u32 = 40;

/// The rounds after which more numbers are added than were asked for.
const PATIENCE: u32 = 8;

/// What trying a network showed.
struct Trial {
    missing: Option<Birth>,
    /// Whether every run comes to the step that asked for it.
    surely: bool,
    needed: BTreeSet<Birth>,
}

/// The network of a program with the processes that a short execution needs,
/// and more of the types in `more`, one entry a time.
pub(super) fn grow(
    program: &Program,
    blank: &Network,
    mut wishes: Wishes,
    more: &[u32],
) -> (Network, Vec<Diagnostic>) {
    let mut rounds = 0;
    loop {
        let (network, reports) = lower(program, blank.clone(), Reports::default(), &wishes);
        if reports.failed() {
            return (network, reports.finish());
        }
        let trial = explore(&network);
        let wanted = |(pid, _): &Birth| *pid < MANY || trial.surely;
        let Some((pid, ty)) = trial.missing.filter(wanted) else {
            let complete = trial.missing.is_none();
            let unneeded = complete && wishes.births.len() > trial.needed.len();
            if more.is_empty() && !unneeded {
                return settled(network, reports);
            }
            if complete {
                wishes.births = trial.needed;
            }
            widen(&mut wishes.births, &network, more);
            let (network, reports) = lower(program, blank.clone(), Reports::default(), &wishes);
            return settled(network, reports);
        };
        // A process that goes on starting others would take a round each.
        let last = if rounds < PATIENCE { pid } else { 2 * pid };
        let last = last.min(MOST_PROCESSES - 1);
        wishes.births.extend((pid..=last).map(|pid| (pid, ty)));
        rounds += 1;
    }
}

/// A network that is complete, with channels in the place of what always holds them.
fn settled(mut network: Network, reports: Reports) -> (Network, Vec<Diagnostic>) {
    if !reports.failed() {
        settle(&mut network);
    }
    (network, reports.finish())
}

/// More numbers for each entry of `more`: all up to twice the greatest known.
fn widen(births: &mut BTreeSet<Birth>, network: &Network, more: &[u32]) {
    let all = network.system_processes();
    let permanent = all.filter(|(_, process)| process.lifetime == Lifetime::Permanent);
    let first = permanent.count() as u32;
    for ty in more {
        let own = |births: &BTreeSet<Birth>, pid: u32| births.contains(&(pid, *ty as usize));
        let greatest = births.iter().map(|(pid, _)| 2 * *pid).max().unwrap_or(first);
        let last = greatest.max(first).min(MOST_PROCESSES - 1);
        let room = (first.min(1)..=last).filter(|pid| !own(births, *pid));
        let room: Vec<u32> = room.collect();
        births.extend(room.into_iter().map(|pid| (pid, *ty as usize)));
    }
}

/// Executes a network until `run` asks for a pair in vain.
fn explore(network: &Network) -> Trial {
    let mut trial = Trial { missing: None, surely: true, needed: BTreeSet::new() };
    // What an interpreter refuses is said when the network is used.
    let Ok(interpreter) = Interpreter::new(network) else { return trial };
    if network.processes.iter().all(|p| p.edges.iter().all(|e| !starts(e))) {
        return trial;
    }
    let mut states = vec![interpreter.initial()];
    let size = states[0].values.len() + states[0].locations.len() + states[0].buffers.len();
    let mut left = VALUES / size.max(1);
    // A seeded set is no danger here: nothing depends on its order.
    let mut known: HashSet<State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && left > 0 {
        let state = states[next].clone();
        next += 1;
        let steps = interpreter.steps(&state);
        trial.surely &= steps.len() == 1;
        left = left.saturating_sub(steps.len().max(1));
        for (step, outcome) in steps {
            homing_budget::checkpoint();
            match outcome {
                Ok(target) => {
                    if states.len() < TRIED && known.insert(target.clone()) {
                        states.push(target);
                    }
                }
                Err(error) if error.kind == RuntimeErrorKind::NoFreeSlot => {
                    trial.missing = missing_in(&interpreter, &state, &step);
                    if trial.missing.is_some() {
                        return trial;
                    }
                }
                Err(_) => {}
            }
        }
    }
    for (at, process) in network.processes.iter().enumerate() {
        let Lifetime::Startable(template) = process.lifetime else { continue };
        if states.iter().any(|state| state.locations[at].is_some()) {
            let size = MOST_PROCESSES + 1;
            trial.needed.insert((template.0 % size, (template.0 / size) as usize));
        }
    }
    trial
}

fn starts(edge: &homing_ir::network::Edge) -> bool {
    edge.branches.iter().any(|branch| unslotted(&branch.effect).is_some())
}

/// The type of process that an edge starts where none of its pairs fits.
pub(super) fn missing(network: &Network, edge: EdgeRef) -> Option<u32> {
    let branch = &network.edge(edge).branches[edge.branch as usize];
    let ty = unslotted(&branch.effect)?;
    // At the greatest number there is no more to add.
    let last = |template: u32| template % (MOST_PROCESSES + 1) == MOST_PROCESSES - 1;
    let full = network.processes.iter().any(|process| match process.lifetime {
        Lifetime::Startable(template) => {
            (template.0 / (MOST_PROCESSES + 1)) as usize == ty && last(template.0)
        }
        Lifetime::Permanent => false,
    });
    (!full).then_some(ty as u32)
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
