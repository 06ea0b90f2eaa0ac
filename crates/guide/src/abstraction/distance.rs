//! Distances to the error states, backwards: breadth first where all steps
//! cost the same, else by Dijkstra's algorithm.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use homing_core::{Cost, DEAD_END};

/// The distance of every state to the nearest error state; [`DEAD_END`] where
/// there is no path. `edges` are given as source, target and cost.
pub(crate) fn distances(
    error: &[bool],
    edges: impl Iterator<Item = (u32, u32, Cost)> + Clone,
) -> Vec<Cost> {
    Backwards::new(error.len(), edges).distances(error)
}

/// The edges by their target.
pub(crate) struct Backwards {
    /// Whether all edges cost the same.
    uniform: bool,
    starts: Vec<u32>,
    /// Source and cost.
    edges: Vec<(u32, Cost)>,
}

impl Backwards {
    pub(crate) fn new(
        states: usize,
        edges: impl Iterator<Item = (u32, u32, Cost)> + Clone,
    ) -> Backwards {
        let uniform = match edges.clone().next() {
            Some((_, _, first)) => edges.clone().all(|(_, _, cost)| cost == first),
            None => true,
        };
        let mut starts = vec![0; states + 1];
        for (_, to, _) in edges.clone() {
            starts[to as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        homing_budget::checkpoints(u64::from(sum) / 2);
        let mut sorted = vec![(0, 0); sum as usize];
        for (from, to, cost) in edges {
            let place = &mut starts[to as usize];
            *place -= 1;
            sorted[*place as usize] = (from, cost);
        }
        Backwards { uniform, starts, edges: sorted }
    }

    /// The distance of every state to the nearest of some; [`DEAD_END`] where
    /// there is no path.
    pub(crate) fn distances(&self, targets: &[bool]) -> Vec<Cost> {
        let distances = targets.iter().map(|target| if *target { 0 } else { DEAD_END }).collect();
        if self.uniform { self.breadth_first(distances) } else { self.dijkstra(distances) }
    }

    fn into(&self, state: u32) -> &[(u32, Cost)] {
        let state = state as usize;
        &self.edges[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    fn breadth_first(&self, mut distances: Vec<Cost>) -> Vec<Cost> {
        let errors = (0..distances.len() as u32).filter(|state| distances[*state as usize] == 0);
        let mut queue: VecDeque<u32> = errors.collect();
        while let Some(state) = queue.pop_front() {
            homing_budget::checkpoint();
            for (from, cost) in self.into(state) {
                if distances[*from as usize] == DEAD_END {
                    distances[*from as usize] = add(distances[state as usize], *cost);
                    queue.push_back(*from);
                }
            }
        }
        distances
    }

    fn dijkstra(&self, mut distances: Vec<Cost>) -> Vec<Cost> {
        let errors = (0..distances.len() as u32).filter(|state| distances[*state as usize] == 0);
        let mut open: BinaryHeap<Reverse<(Cost, u32)>> =
            errors.map(|state| Reverse((0, state))).collect();
        while let Some(Reverse((distance, state))) = open.pop() {
            homing_budget::checkpoint();
            if distance > distances[state as usize] {
                continue;
            }
            for (from, cost) in self.into(state) {
                let through = add(distance, *cost);
                if through < distances[*from as usize] {
                    distances[*from as usize] = through;
                    open.push(Reverse((through, *from)));
                }
            }
        }
        distances
    }
}

/// The sum, kept apart from [`DEAD_END`].
fn add(distance: Cost, cost: Cost) -> Cost {
    distance.saturating_add(cost).min(DEAD_END - 1)
}
