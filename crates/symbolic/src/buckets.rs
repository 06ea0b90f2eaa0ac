//! A queue of sets by their costs so far and their estimate, and the search that it directs.
//! What makes one search of it or another is how successors are found: `matrix`, `set_a_star`.
//!
//! ```text
//! Open(g, h): sets of states; first Open(0, h) := Start and H(h)
//! while some Open(g, h) is not empty:
//!   g, h := those with the least g + w h, of these with the least g
//!   Min := Open(g, h) minus what was expanded with this h before
//!   if Min meets Goal: return the way
//!   for successors of Min at costs c, with an estimate h': Open(g + c, h') += them
//! ```
//! Where the estimate is consistent and `w` is 1, `g + h` never falls, so a state is expanded
//! first with its least `g`: what was expanded with the same estimate need not be again. With
//! other weights that holds too, as no way is promised to be cheapest.
//!
//! **Locality** (survey, Fig. 5): only what was expanded within the last `L` costs is
//! subtracted. If no step leads further back than that, all the same nothing is expanded
//! twice; if one does, states are expanded again, and where there is nothing to find the
//! search need not end.
//!
//! The way back goes by pieces, each with what it was expanded from and at which costs.

use std::collections::BTreeMap;

use crate::diagram::{Made, Set};
use crate::estimate::Estimate;
use crate::reach::{Corridor, Search, Told, Which};
use crate::steps::Steps;

/// How the search goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What the estimate is multiplied by: 1 for cheapest ways.
    pub weight: u64,
    /// How many costs back what was expanded is subtracted; all of it, if none is said.
    pub locality: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { weight: 1, locality: None }
    }
}

/// Successors of a set.
pub(crate) struct Next {
    /// What the steps to them cost.
    pub cost: u64,
    /// What all of them are estimated at.
    pub value: usize,
    pub states: Set,
}

/// How successors are found, by costs and estimate.
pub(crate) trait Expand {
    /// Successors of states that are all estimated at `value`.
    fn next(&self, states: &Set, value: usize) -> Made<Vec<Next>>;
    /// The states from which a step at this cost leads into a set.
    fn previous(&self, states: &Set, cost: u64) -> Made<Set>;
}

/// What was expanded at costs `g`, and what that added to the queue at costs `to`.
struct Piece {
    expanded: Set,
    found: Set,
    from: u64,
    to: u64,
}

/// A search under way.
pub(crate) struct Buckets<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    options: Options,
    expand: &'r dyn Expand,
    /// By `g + w h` and `g`; `h` is the estimate's layer.
    open: BTreeMap<(u64, u64, usize), Set>,
    /// By estimate, what was expanded, at which costs.
    expanded: Vec<Vec<(u64, Set)>>,
    pieces: Vec<Piece>,
}

impl<'r, 'e, 's> Buckets<'r, 'e, 's> {
    pub(crate) fn new(
        steps: &'r Steps<'e, 's>,
        estimate: &'r Estimate,
        options: Options,
        expand: &'r dyn Expand,
    ) -> Made<Self> {
        let expanded = vec![Vec::new(); estimate.layers().len()];
        let (open, pieces) = (BTreeMap::new(), Vec::new());
        let mut made = Buckets { steps, options, expand, open, expanded, pieces };
        let encoding = steps.encoding();
        for (value, layer) in estimate.layers().iter().enumerate() {
            made.put(0, value, &encoding.diagrams().and(encoding.initial(), layer)?)?;
        }
        Ok(made)
    }

    fn put(&mut self, cost: u64, value: usize, states: &Set) -> Made<()> {
        if states.is_empty() {
            return Ok(());
        }
        let d = self.steps.encoding().diagrams();
        let estimated = self.options.weight.saturating_mul(value as u64);
        let key = (cost.saturating_add(estimated), cost, value);
        let all = match self.open.get(&key) {
            Some(open) => d.or(open, states)?,
            None => states.clone(),
        };
        self.open.insert(key, all);
        Ok(())
    }

    /// Searches until the goal is found.
    pub(crate) fn run(
        &mut self,
        search: &mut Search,
        (which, goal): (Which, &Set),
        told: &mut Told,
    ) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        while let Some(((_, cost, value), open)) = self.open.pop_first() {
            let min = self.unexpanded(cost, value, open)?;
            if min.is_empty() {
                continue;
            }
            search.outcome.reached = d.or(&search.outcome.reached, &min)?;
            search.outcome.layers.push(min.clone());
            search.note_failing(&min)?;
            search.outcome.progress.depth = u32::try_from(cost).unwrap_or(u32::MAX);
            let hit = d.and(&min, goal)?;
            if !hit.is_empty() {
                search.outcome.found.push((which, self.way(hit, cost)?));
                return search.tell(&min, told);
            }
            search.tell(&min, told)?;
            self.expand(cost, value, min)?;
        }
        Ok(())
    }

    /// What of a bucket was not expanded before, within the locality.
    fn unexpanded(&self, cost: u64, value: usize, mut states: Set) -> Made<Set> {
        let d = self.steps.encoding().diagrams();
        let within = |old: u64| match self.options.locality {
            Some(locality) => old <= cost && old.saturating_add(locality) >= cost,
            None => true,
        };
        for (_, old) in self.expanded[value].iter().filter(|(old, _)| within(*old)) {
            states = d.minus(&states, old)?;
        }
        Ok(states)
    }

    fn expand(&mut self, cost: u64, value: usize, states: Set) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        match (self.options.locality, self.expanded[value].last_mut()) {
            // All is kept in any case, so it may as well be one set.
            (None, Some((_, all))) => *all = d.or(all, &states)?,
            _ => self.expanded[value].push((cost, states.clone())),
        }
        for next in self.expand.next(&states, value)? {
            let to = cost.saturating_add(next.cost);
            let found = self.unexpanded(to, next.value, next.states)?;
            self.put(to, next.value, &found)?;
            if !found.is_empty() {
                self.pieces.push(Piece { expanded: states.clone(), found, from: cost, to });
            }
        }
        Ok(())
    }

    /// The way to states that were found at these costs. A piece was expanded after its own
    /// states were found, so the first piece that led to some of them is always an earlier one.
    fn way(&self, hit: Set, mut cost: u64) -> Made<Corridor> {
        let encoding = self.steps.encoding();
        let d = encoding.diagrams();
        let mut corridor = vec![hit];
        loop {
            let end = corridor.len() - 1;
            let initial = d.and(&corridor[end], encoding.initial())?;
            if cost == 0 && !initial.is_empty() {
                corridor[end] = initial;
                break;
            }
            let Some((found, piece)) = self.led_to(&corridor[end], cost)? else { break };
            let before = self.expand.previous(&found, piece.to - piece.from)?;
            let before = d.and(&before, &piece.expanded)?;
            cost = piece.from;
            corridor[end] = found;
            corridor.push(before);
        }
        corridor.reverse();
        Ok(corridor)
    }

    /// The first piece that led to some of these states at these costs, and to which.
    fn led_to(&self, states: &Set, cost: u64) -> Made<Option<(Set, &Piece)>> {
        let d = self.steps.encoding().diagrams();
        for piece in self.pieces.iter().filter(|piece| piece.to == cost) {
            let found = d.and(states, &piece.found)?;
            if !found.is_empty() {
                return Ok(Some((found, piece)));
            }
        }
        Ok(None)
    }
}
