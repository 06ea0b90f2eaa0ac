//! Weak fairness between processes, as acceptance sets.
//!
//! A run is weakly fair to a process that does not have a step for ever without
//! taking one (Lehmann, Pnueli, Stavi, "Impartiality, justice and fairness", 1981).
//! As a set of steps that a fair run takes again and again:
//!
//! ```text
//! set of p = { s → s' | p takes part in it, or p takes part in no step of s }
//! ```
//! One set a process, beside those of an automaton. A step that fails counts as one
//! that the process has.

use homing_core::{Batch, Edge, Word};
use homing_ir::Network;
use homing_ir::automaton::MOST;
use homing_ir::moves::Move;
use homing_ir::trace::Step;

use crate::CompiledSpace;

/// Who must be treated fairly, and who takes part in which step.
pub struct Fairness<'a> {
    space: &'a CompiledSpace,
    /// By process of the network, its set as a bit set; none of a process that
    /// never moves.
    processes: Vec<u64>,
    sets: u32,
    /// By label, the sets of those who take part; nothing where that depends on
    /// the state.
    movers: Vec<Option<u64>>,
}

impl<'a> Fairness<'a> {
    /// Weak fairness to all processes of a network, which `space` is made from.
    /// `room` is how many sets there may be.
    pub fn weak(
        network: &Network,
        space: &'a CompiledSpace,
        room: u32,
    ) -> Result<Fairness<'a>, String> {
        let mut processes = vec![0; network.processes.len()];
        let mut sets = 0;
        for (id, process) in network.system_processes() {
            if process.edges.is_empty() {
                continue;
            }
            processes[id.index()] = 1_u64.checked_shl(sets).unwrap_or(0);
            sets += 1;
        }
        if sets > room.min(MOST) {
            return Err(format!(
                "fairness to {sets} processes takes {sets} acceptance sets, \
                 and beside those of the property there may be {room}"
            ));
        }
        let mut fairness = Fairness { space, processes, sets, movers: Vec::new() };
        let labels = 0..space.moves().list.len() as u32;
        fairness.movers = labels
            .map(|label| match space.moves().list[label as usize] {
                Move::Joint(_) => None,
                _ => Some(fairness.of(&space.moves().step(space.system(), label))),
            })
            .collect();
        Ok(fairness)
    }

    /// How many sets there are.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// All of them, as a bit set.
    pub(crate) fn all_sets(&self) -> u64 {
        match self.sets {
            64.. => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// The sets of the successors of `state` in `batch`.
    pub(crate) fn marks(&self, state: &[Word], batch: &Batch, marks: &mut Vec<u64>) {
        let taking = |edge: Edge| self.moving(state, edge);
        marks.extend((0..batch.len()).map(|i| taking(batch.edge(i))));
        let failing = batch.faults().iter().map(|fault| taking(fault.edge));
        let enabled = failing.chain(marks.iter().copied()).fold(0, |all, one| all | one);
        let waiting = self.all_sets() & !enabled;
        marks.iter_mut().for_each(|one| *one |= waiting);
    }

    /// The sets of those who take part in a step. Where control stays with a
    /// process, and in joints, the step is looked up.
    fn moving(&self, state: &[Word], edge: Edge) -> u64 {
        let moves = self.space.moves();
        let long = moves.holder(edge.label).is_some() && edge.choice != 0;
        match self.movers[edge.label as usize] {
            Some(movers) if !long => movers,
            _ => self.of(&self.space.step(state, edge)),
        }
    }

    fn of(&self, step: &Step) -> u64 {
        step.all().fold(0, |all, edge| all | self.processes[edge.process.index()])
    }
}
