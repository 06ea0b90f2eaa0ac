//! A search that leaves memory: what it stored is handed out, state by state, so that
//! another way of keeping states goes on from here.

use homing_core::{Id, Open, Price, Store, Word};

use super::explored::Explored;
use super::lead::Lead;
use crate::costs::{Costs, Steps};
use crate::nodes::Nodes;

/// A stored state.
pub(crate) struct Stored<'s> {
    pub state: &'s [Word],
    /// The state by which it was reached, where that is remembered.
    pub parent: Option<&'s [Word]>,
    /// The number of steps to it, where that is remembered; 0 of others that were expanded.
    pub depth: u32,
    /// Whether it waits to be expanded.
    pub waits: bool,
}

/// What stands for no depth.
const EXPANDED: u32 = u32::MAX;

impl<S: Store + ?Sized> Explored<'_, S, Steps> {
    /// Hands out every stored state, in the order of their numbers. Nothing waits here then.
    /// Fails where `each` does.
    pub(crate) fn hand_out<O: Open, E>(
        &self,
        lead: &mut Lead<'_, '_, O>,
        mut each: impl FnMut(Stored<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let waiting = self.waiting_depths(lead);
        let parents = match &self.nodes {
            Nodes::Stored { parents } => parents.as_ref(),
            Nodes::Carried(_) => None,
        };
        let mut paths: Vec<Price> = Vec::new();
        let mut state = vec![0; self.task.space.width()];
        let mut before = state.clone();
        for (number, waits) in (0..).zip(waiting) {
            let depth = self.path_to(number, &paths);
            if parents.is_some() {
                paths.push(depth);
            }
            self.store.load(Id(number), &mut state);
            let parent = parents.map_or(Id::NONE, |parents| Id(parents.get(Id(number))));
            let is_reached = parent != Id::NONE && self.store.load(parent, &mut before);
            let depth = u32::try_from(depth).unwrap_or(u32::MAX);
            each(Stored {
                state: &state,
                parent: is_reached.then_some(&before),
                depth: if waits == EXPANDED { depth } else { waits },
                waits: waits != EXPANDED,
            })?;
        }
        Ok(())
    }

    /// The depth of every stored state that waits.
    fn waiting_depths<O: Open>(&self, lead: &mut Lead<'_, '_, O>) -> Vec<u32> {
        let mut waiting = vec![EXPANDED; self.store.numbers()];
        while let Some((entry, key)) = lead.open.pop() {
            // Of several entries of a state, all but one are of dearer paths.
            if !self.closing.is_settled(entry) {
                let depth = self.closing.path(entry).unwrap_or_else(|| self.costs.of_key(key));
                waiting[entry as usize] = depth;
            }
        }
        waiting
    }
}
