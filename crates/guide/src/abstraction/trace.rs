//! Composition along error traces: which processes are composed next, and when
//! that is enough.
//!
//! The ranking of the paper's section 6 looks at every label that happens near
//! the error, also at those that lead nowhere: the requests of clients that
//! have no part in the error, for example. Here only labels on a shortest error
//! trace count, as in the choice of processes by a relaxed error path of
//! Kupferschmid, Hoffmann, Larsen, "Fast Directed Model Checking via Russian
//! Doll Abstraction" (2008), and in the refinement by abstract error traces of
//! Clarke, Grumberg, Jha, Lu, Veith, "Counterexample-Guided Abstraction
//! Refinement" (2000):
//!
//! ```text
//! for every process P with a non-trivial error condition:
//!     π_P := a shortest trace of P from its initial to an error state; of several
//!            one with the fewest open labels, those with participants besides P
//! choose P and the smallest participant P' of an open label of π_P; of equally small ones
//!     that whose label is nearest the error
//! if no π_P has an open label: choose two processes with non-trivial error conditions
//! if there is only one: the others are left out
//! ```
//!
//! A trace without open labels needs nobody else. If nothing got lost by abstraction
//! and `relevance` left out nobody who has a part in it, it is one of the system, and
//! the initial state is estimated exactly. To compose with more processes would only
//! cost classes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_core::Cost;

use super::processes::{Process, Processes};
use super::product::{NONE, Product};

/// A step of a process.
#[derive(Clone, Copy, Debug)]
struct Step {
    to: u32,
    cost: Cost,
    /// Whether its label has participants besides the process.
    open: bool,
    /// Its relation, or its local label in a product.
    label: u32,
}

/// A process as a graph.
struct Graph<'a> {
    initial: u32,
    error: &'a [bool],
    starts: Vec<u32>,
    steps: Vec<Step>,
}

/// The next two processes to compose; none where the trace of the only one with
/// an error condition has no open label.
pub(crate) fn choose(processes: &Processes, candidates: &[u32]) -> Option<(u32, u32)> {
    let aimed: Vec<u32> =
        candidates.iter().copied().filter(|n| !processes.get(*n).is_trivial()).collect();
    let nearest = aimed.iter().filter_map(|number| nearest(processes, *number)).min();
    if let Some((.., pair)) = nearest {
        return Some(pair);
    }
    let mut by_size = aimed;
    by_size.sort_by_key(|number| processes.get(*number).states);
    match by_size[..] {
        [first, second, ..] => Some((first.min(second), first.max(second))),
        _ => None,
    }
}

/// Whether some shortest error trace of a product has no open label.
pub(crate) fn is_closed(product: &Product) -> bool {
    let trace = Graph::of_product(product).trace();
    trace.is_some_and(|trace| trace.iter().all(|step| !step.open))
}

/// What is minimised: the size of the partner, the distance to the error after the
/// label, the process made last, the pair itself.
type Key = (u32, Cost, Reverse<u32>, (u32, u32));

/// The best partner of a process.
fn nearest(processes: &Processes, number: u32) -> Option<Key> {
    let trace = Graph::of_process(processes, number).trace()?;
    let mut best: Option<Key> = None;
    let mut distance: Cost = 0;
    for step in trace.iter().rev() {
        if step.open {
            let partners =
                processes.labels.iter().filter(|(_, parts)| parts.contains(&(number, step.label)));
            for (partner, _) in partners.flat_map(|(_, parts)| parts) {
                if *partner != number {
                    let size = processes.get(*partner).states;
                    let pair = (number.min(*partner), number.max(*partner));
                    let key = (size, distance, Reverse(number.max(*partner)), pair);
                    best = Some(best.map_or(key, |best| best.min(key)));
                }
            }
        }
        distance = distance.saturating_add(step.cost);
    }
    best
}

impl<'a> Graph<'a> {
    fn of_process(processes: &'a Processes, number: u32) -> Graph<'a> {
        let process: &Process = processes.get(number);
        let mut open = vec![true; process.relations.len()];
        for (_, parts) in &processes.labels {
            if let [(only, relation)] = parts[..]
                && only == number
            {
                open[relation as usize] = false;
            }
        }
        let mut all: Vec<(u32, Step)> = vec![];
        for ((label, relation), open) in (0..).zip(&process.relations).zip(open) {
            let cost = relation.cost;
            all.extend(
                relation
                    .pairs
                    .iter()
                    .map(|(from, to)| (*from, Step { to: *to, cost, open, label })),
            );
        }
        all.sort_by_key(|(from, _)| *from);
        let starts = (0..=process.states)
            .map(|state| all.partition_point(|(from, _)| *from < state) as u32)
            .collect();
        let steps = all.into_iter().map(|(_, step)| step).collect();
        Graph { initial: process.initial, error: &process.error, starts, steps }
    }

    fn of_product(product: &'a Product) -> Graph<'a> {
        let mut graph = Graph { initial: 0, error: &product.error, starts: vec![0], steps: vec![] };
        for state in 0..product.states() {
            graph.steps.extend(product.edges(state).iter().map(|(label, to)| {
                let local = product.labels[*label as usize];
                Step { to: *to, cost: local.cost, open: !local.internal, label: *label }
            }));
            graph.starts.push(graph.steps.len() as u32);
        }
        graph
    }

    /// A trace of least cost, and with the fewest open labels among these.
    fn trace(&self) -> Option<Vec<Step>> {
        let mut reached = vec![(Cost::MAX, u32::MAX); self.error.len()];
        // The step before, as a number, and where it was taken.
        let mut before = vec![(NONE, NONE); self.error.len()];
        let mut queue = BinaryHeap::from([Reverse(((0, 0), self.initial))]);
        reached[self.initial as usize] = (0, 0);
        while let Some(Reverse((so_far, state))) = queue.pop() {
            homing_budget::checkpoint();
            if self.error[state as usize] {
                return Some(self.back(state, &before));
            }
            if so_far > reached[state as usize] {
                continue;
            }
            for number in self.starts[state as usize]..self.starts[state as usize + 1] {
                let step = self.steps[number as usize];
                let through = (so_far.0.saturating_add(step.cost), so_far.1 + u32::from(step.open));
                if through < reached[step.to as usize] {
                    reached[step.to as usize] = through;
                    before[step.to as usize] = (number, state);
                    queue.push(Reverse((through, step.to)));
                }
            }
        }
        None
    }

    fn back(&self, mut state: u32, before: &[(u32, u32)]) -> Vec<Step> {
        let mut trace = vec![];
        while let (number, from) = before[state as usize]
            && number != NONE
        {
            trace.push(self.steps[number as usize]);
            state = from;
        }
        trace.reverse();
        trace
    }
}
