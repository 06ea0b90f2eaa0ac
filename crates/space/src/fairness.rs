//! Fairness between processes, as acceptance sets or as pairs.
//!
//! A run is weakly fair to a process that does not have a step for ever without
//! taking one; it is strongly fair to one that does not have a step again and again
//! without taking one again and again (justice and fairness in Lehmann, Pnueli, Stavi,
//! "Impartiality, justice and fairness", 1981). Weak fairness is a set of steps a process
//! that a fair run takes again and again; strong fairness a pair a process, of states
//! that request it and steps that grant it:
//!
//! ```text
//! weak:    set of p = { s → s' | p takes part in it, or p takes part in no step of s }
//! strong:  s requests p if p takes part in a step of s
//!          s → s' grants p if p takes part in it
//! ```
//! They stand beside the sets of an automaton. A step that fails counts as one that the
//! process has.

use homing_core::{Batch, Edge, Word};
use homing_ir::Network;
use homing_ir::automaton::MOST;
use homing_ir::system::PartId;

use crate::CompiledSpace;
use crate::compiled::CompiledExpander;

/// Who must be treated fairly, and who takes part in which step.
pub struct Fairness<'a> {
    space: &'a CompiledSpace,
    strong: bool,
    /// By process of the network, its set as a bit set; none of a process that
    /// never moves.
    processes: Vec<u64>,
    sets: u32,
    /// By label, the sets of those who take part; none of joints, where that depends on
    /// the state.
    movers: Vec<u64>,
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
        let labels = 0..space.moves().list.len() as u32;
        let movers = labels.map(|label| {
            let step = space.moves().step(space.system(), label);
            step.all().fold(0, |all, edge| all | processes[edge.process.index()])
        });
        let movers = movers.collect();
        Ok(Fairness { space, strong: false, processes, sets, movers })
    }

    /// Strong fairness to all processes, with a pair for each.
    pub fn strong(
        network: &Network,
        space: &'a CompiledSpace,
        room: u32,
    ) -> Result<Fairness<'a>, String> {
        Ok(Fairness { strong: true, ..Fairness::weak(network, space, room)? })
    }

    /// How many acceptance sets there are.
    pub fn sets(&self) -> u32 {
        if self.strong { 0 } else { self.sets }
    }

    /// How many pairs there are.
    pub fn streett_pairs(&self) -> u32 {
        if self.strong { self.sets } else { 0 }
    }

    /// All of them, as a bit set.
    pub(crate) fn all_sets(&self) -> u64 {
        match self.sets {
            64.. => u64::MAX,
            n => (1 << n) - 1,
        }
    }

    /// Looks at steps, with scratch memory of its own.
    pub(crate) fn judge(&'a self) -> Judge<'a> {
        Judge {
            fairness: self,
            expander: self.space.compiled_expander(),
            moves: Batch::new(self.space.layout().words),
        }
    }

    fn of_part(&self, part: PartId) -> u64 {
        self.processes[self.space.system().part(part).edge.process.index()]
    }
}

/// Says whom the steps of a state are fair to.
pub(crate) struct Judge<'a> {
    fairness: &'a Fairness<'a>,
    expander: CompiledExpander<'a>,
    moves: Batch,
}

impl Judge<'_> {
    /// Adds the marks of the successors of `state` in `batch` to `marks`, and answers
    /// what the state requests.
    pub(crate) fn marks(&mut self, state: &[Word], batch: &Batch, marks: &mut Vec<u64>) -> u64 {
        let Judge { fairness, expander, moves } = self;
        let edges = (0..batch.len()).map(|i| batch.edge(i));
        let failing = batch.faults().iter().map(|fault| fault.edge);
        if edges.clone().chain(failing.clone()).any(|edge| fairness.space.is_long(edge)) {
            expander.look_inside(state, moves);
        }
        let of_label = |label: u32| fairness.movers[label as usize];
        let mut moving =
            |edge: Edge| expander.movers(state, edge, of_label, |part| fairness.of_part(part));
        marks.extend(edges.map(&mut moving));
        let failing = failing.fold(0, |all, edge| all | moving(edge));
        let enabled = marks.iter().fold(failing, |all, one| all | one);
        if fairness.strong {
            return enabled;
        }
        let waiting = fairness.all_sets() & !enabled;
        marks.iter_mut().for_each(|one| *one |= waiting);
        0
    }
}
