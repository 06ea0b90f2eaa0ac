//! What the tests of estimates need: whole state spaces with exact distances.

#[path = "../../../../tests/support/expectations.rs"]
pub mod expectations;

use std::collections::BTreeMap;

use homing_core::{Batch, Cost, Edge, Space, Word};

/// All states of a space that can be reached, and how.
pub struct Explored {
    /// The states, the initial one first, in the order of a breadth-first
    /// search.
    pub states: Vec<Vec<Word>>,
    /// For every state, its steps and where they lead.
    pub edges: Vec<Vec<(Edge, usize)>>,
    /// For every state, whether it has no step at all.
    pub deadlocks: Vec<bool>,
    /// For every state, a bit for every condition that holds in it.
    pub conditions: Vec<u64>,
}

impl Explored {
    /// All states; `None` where there are more than `limit`.
    pub fn of(space: &dyn Space, limit: usize) -> Option<Explored> {
        let mut numbers: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
        let mut all = Explored {
            states: Vec::new(),
            edges: Vec::new(),
            deadlocks: Vec::new(),
            conditions: Vec::new(),
        };
        let mut expander = space.expander();
        let mut batch = Batch::new(space.width());
        expander.initial(&mut batch);
        for i in 0..batch.len() {
            all.number(batch.state(i), &mut numbers);
        }
        let mut at = 0;
        while at < all.states.len() {
            if all.states.len() > limit {
                return None;
            }
            batch.clear();
            expander.expand(&all.states[at], &mut batch);
            let successors = (0..batch.len())
                .map(|i| (batch.edge(i), all.number(batch.state(i), &mut numbers)))
                .collect();
            all.edges.push(successors);
            all.deadlocks.push(batch.deadlock());
            all.conditions.push(expander.violated(&all.states[at]));
            at += 1;
        }
        Some(all)
    }

    fn number(&mut self, state: &[Word], numbers: &mut BTreeMap<Vec<Word>, usize>) -> usize {
        *numbers.entry(state.to_vec()).or_insert_with(|| {
            self.states.push(state.to_vec());
            self.states.len() - 1
        })
    }

    /// For every state, the least cost of a way to a state that is wanted, all
    /// steps but those of one label allowed: Dijkstra's algorithm, backwards,
    /// by buckets.
    pub fn distances(
        &self,
        wanted: &[bool],
        cost: &dyn Fn(u32) -> Cost,
        without: Option<u32>,
    ) -> Vec<Option<Cost>> {
        let mut into: Vec<Vec<(usize, Cost)>> = vec![Vec::new(); self.states.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for (edge, to) in edges.iter().filter(|(edge, _)| Some(edge.label) != without) {
                into[*to].push((from, cost(edge.label)));
            }
        }
        let mut distances: Vec<Option<Cost>> = vec![None; self.states.len()];
        let mut open: BTreeMap<Cost, Vec<usize>> = BTreeMap::new();
        open.insert(0, (0..wanted.len()).filter(|state| wanted[*state]).collect());
        while let Some((distance, states)) = open.pop_first() {
            for state in states {
                if distances[state].is_some() {
                    continue;
                }
                distances[state] = Some(distance);
                for (from, cost) in &into[state] {
                    open.entry(distance + cost).or_default().push(*from);
                }
            }
        }
        distances
    }
}
