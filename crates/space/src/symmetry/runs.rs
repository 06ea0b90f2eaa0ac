//! From paths through representatives to runs.
//!
//! A path r₀ r₁ … has a run s₀ s₁ … whose states are images of its own:
//!
//! ```text
//! realise(r₀ r₁ …):
//!   σ := nothing is exchanged
//!   for each i:
//!     t := the successor of rᵢ₋₁ whose representative is rᵢ = ρ(t)
//!     sᵢ := σ(t)                      a successor of sᵢ₋₁ = σ(rᵢ₋₁)
//!     σ := σ ρ⁻¹                      so that sᵢ = σ(rᵢ)
//! ```
//! A permutation is kept as a sequence of exchanges of neighbours. It is made short
//! again by sorting: which permutation a sequence is, is known from what it does to
//! the places of each group, and groups do not disturb each other.
//!
//! Zones of sᵢ are made anew: where a step leads to several, those of σ(t) may be
//! cut in other pieces. So all successors are followed whose discrete part is that
//! of sᵢ, and the last state decides which of them are taken.

use homing_core::{Batch, Edge, Expander, Word};

use super::Symmetric;
use super::representatives::Step;

/// A state of a run.
struct Node {
    edge: Edge,
    state: Vec<Word>,
    /// Among the states one step before.
    before: usize,
}

impl Symmetric<'_> {
    /// The run of the inner space whose states are images of these
    /// representatives, one after the other, and whose last state is `accepted`:
    /// its states and the edges to them, the first of which is that of the initial
    /// state. `None` where there is none.
    pub fn realise<'p>(
        &self,
        path: impl Iterator<Item = &'p [Word]>,
        mut accepted: impl FnMut(&[Word]) -> bool,
    ) -> Option<Vec<(Edge, Vec<Word>)>> {
        let mut expander = self.inner().expander();
        let mut representatives = self.representatives();
        let mut batch = Batch::new(self.inner().width());
        let mut sigma: Vec<Step> = Vec::new();
        let mut layers: Vec<Vec<Node>> = Vec::new();
        let mut last: Option<&[Word]> = None;
        for representative in path {
            successors(&mut *expander, last, &mut batch);
            let (mut state, rho) = (0..batch.len()).find_map(|i| {
                let mut state = batch.state(i).to_vec();
                let rho = representatives.replace_by(&mut state);
                (state == representative).then(|| (batch.state(i).to_vec(), rho))
            })?;
            self.apply(&sigma, &mut state);
            layers.push(self.layer(&mut *expander, layers.last(), &state, &mut batch));
            sigma = self.shortened(rho.into_iter().rev().chain(sigma));
            last = Some(representative);
        }
        let end = layers.last()?.iter().position(|node| accepted(&node.state))?;
        Some(way(layers, end))
    }

    /// The successors of a layer, or the initial states, whose discrete part is
    /// that of `like`.
    fn layer(
        &self,
        expander: &mut dyn Expander,
        before: Option<&Vec<Node>>,
        like: &[Word],
        batch: &mut Batch,
    ) -> Vec<Node> {
        let cover = self.inner().cover();
        let mut layer: Vec<Node> = Vec::new();
        for index in 0..before.map_or(1, Vec::len) {
            successors(expander, before.map(|before| &before[index].state[..]), batch);
            for i in 0..batch.len() {
                let state = batch.state(i);
                let known = |node: &Node| {
                    node.state == state
                        || cover.is_some_and(|cover| cover.covers(&node.state, state))
                };
                if state[..self.own] == like[..self.own] && !layer.iter().any(known) {
                    let (edge, state) = (batch.edge(i), state.to_vec());
                    layer.push(Node { edge, state, before: index });
                }
            }
        }
        layer
    }

    fn apply(&self, steps: &[Step], state: &mut [Word]) {
        steps.iter().for_each(|(group, place)| self.groups[*group].exchange(*place, state));
    }

    /// The same permutation by as few exchanges as there can be.
    fn shortened(&self, steps: impl Iterator<Item = Step>) -> Vec<Step> {
        let mut orders: Vec<Vec<usize>> =
            self.groups.iter().map(|group| (0..group.size).collect()).collect();
        steps.for_each(|(group, place)| orders[group].swap(place, place + 1));
        let mut back = Vec::new();
        for (group, order) in orders.iter_mut().enumerate() {
            for end in 1..order.len() {
                let mut at = end;
                while at > 0 && order[at] < order[at - 1] {
                    order.swap(at - 1, at);
                    back.push((group, at - 1));
                    at -= 1;
                }
            }
        }
        back.reverse();
        back
    }
}

/// Fills the batch with the successors of a state, or the initial states.
fn successors(expander: &mut dyn Expander, state: Option<&[Word]>, batch: &mut Batch) {
    batch.clear();
    match state {
        None => expander.initial(batch),
        Some(state) => expander.expand(state, batch),
    }
}

/// The way through the layers to a state of the last one.
fn way(layers: Vec<Vec<Node>>, end: usize) -> Vec<(Edge, Vec<Word>)> {
    let mut at = end;
    let mut way = Vec::with_capacity(layers.len());
    for mut layer in layers.into_iter().rev() {
        let Node { edge, state, before } = layer.swap_remove(at);
        way.push((edge, state));
        at = before;
    }
    way.reverse();
    way
}
