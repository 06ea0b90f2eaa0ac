//! P‖P', explicitly, as far as it is reachable.
//!
//! Labels that have the same relations in all other processes are one label
//! here, whose relation is the union of theirs: which of them happens makes no
//! difference to the rest of the system, so distances stay what they are. (This
//! is exact label reduction, as Sievers, Wehrle and Helmert, "Generalized Label
//! Reduction for Merge-and-Shrink Heuristics", 2014, describe it for planning.)
//! Labels without other participants are the special case τ.

use homing_core::Cost;

use super::distance::distances;
use super::processes::{Parts, Process, Processes};
use crate::hashing::FixedMap;

/// No state, or no relation.
pub(crate) const NONE: u32 = u32::MAX;

/// What the product of two processes may take at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// |Q × Q'|.
    pub(crate) pairs: usize,
    /// Edges of the reachable part.
    pub(crate) edges: usize,
}

/// A table or a product would take more than it may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLarge;

/// The reachable part of P‖P'.
#[derive(Debug)]
pub(crate) struct Product {
    /// |Q'|: the state (p, q) is the pair number p · columns + q.
    pub(crate) columns: u32,
    /// For every pair, its number among the reachable ones; the initial state
    /// is number zero.
    pub(crate) numbers: Vec<u32>,
    /// For every reachable state, whether it is an error state.
    pub(crate) error: Vec<bool>,
    /// The labels as they are seen from here.
    pub(crate) labels: Vec<LocalLabel>,
    /// What becomes of the labels: cost, the other participants, and the
    /// number of the local label.
    pub(crate) groups: Vec<(Cost, Parts, u32)>,
    starts: Vec<u32>,
    /// Local label and target, ascending for every state.
    edges: Vec<(u32, u32)>,
}

/// A label as it is seen from inside a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalLabel {
    pub(crate) cost: Cost,
    /// Whether no other process takes part.
    pub(crate) internal: bool,
}

impl Product {
    /// Composes the processes numbered `first` and `second`; just the first
    /// where there is no second.
    pub(crate) fn new(
        processes: &Processes,
        first: u32,
        second: Option<u32>,
        limits: Limits,
    ) -> Result<Product, TooLarge> {
        let unit = Process::unit();
        let left = processes.get(first);
        let right = second.map_or(&unit, |second| processes.get(second));
        let pairs = left.states as usize * right.states as usize;
        if pairs > limits.pairs {
            return Err(TooLarge);
        }
        let alphabet = Alphabet::new(processes, first, second);
        let mut explorer = Explorer::new(left, right, &alphabet);
        explorer.explore(limits)?;
        let Explorer { numbers, reached, starts, edges, .. } = explorer;
        let is_error = |pair: &u32| {
            left.error[(pair / right.states) as usize]
                && right.error[(pair % right.states) as usize]
        };
        let error = reached.iter().map(is_error).collect();
        let Alphabet { locals, groups, .. } = alphabet;
        let columns = right.states;
        Ok(Product { columns, numbers, error, labels: locals, groups, starts, edges })
    }

    /// The edges from a state: local labels and targets.
    pub(crate) fn edges(&self, state: u32) -> &[(u32, u32)] {
        let state = state as usize;
        &self.edges[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The reachable states.
    pub(crate) fn states(&self) -> u32 {
        self.error.len() as u32
    }

    /// The distance of every reachable state to the error.
    pub(crate) fn distances(&self) -> Vec<Cost> {
        distances(&self.error, self.all_edges())
    }

    /// All edges: source, target and cost.
    pub(crate) fn all_edges(&self) -> impl Iterator<Item = (u32, u32, Cost)> + Clone {
        self.steps().map(|(from, label, to)| (from, to, self.labels[label as usize].cost))
    }

    /// All edges: source, local label and target.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (u32, u32, u32)> + Clone {
        let from = |state: u32| self.edges(state).iter().map(move |(l, to)| (state, *l, *to));
        (0..self.states()).flat_map(from)
    }
}

/// Relations of both factors that happen together; [`NONE`] where a factor
/// does not take part.
type Combination = (u32, u32);

/// The labels of two processes, as seen from their product.
struct Alphabet {
    locals: Vec<LocalLabel>,
    groups: Vec<(Cost, Parts, u32)>,
    /// For every relation of the first factor, what it combines with: a
    /// relation of the second or [`NONE`], and a local label; ascending.
    left: Vec<Vec<(u32, u32)>>,
    /// For every relation of the second factor that happens without the
    /// first, the local labels.
    right: Vec<Vec<u32>>,
}

impl Alphabet {
    fn new(processes: &Processes, first: u32, second: Option<u32>) -> Alphabet {
        let relations =
            |number: Option<u32>| number.map_or(0, |number| processes.get(number).relations.len());
        let mut alphabet = Alphabet {
            locals: vec![],
            groups: vec![],
            left: vec![vec![]; relations(Some(first))],
            right: vec![vec![]; relations(second)],
        };
        // What happens in the two processes, by what happens elsewhere.
        let mut numbers: FixedMap<(Cost, Parts), usize> = FixedMap::default();
        let mut grouped: Vec<((Cost, Parts), Vec<Combination>)> = vec![];
        for (cost, parts) in &processes.labels {
            homing_budget::checkpoint();
            let relation = |number: Option<u32>| {
                let part = parts.iter().find(|(process, _)| Some(*process) == number);
                part.map_or(NONE, |(_, relation)| *relation)
            };
            let combination = (relation(Some(first)), relation(second));
            if combination == (NONE, NONE) {
                continue;
            }
            let is_outside = |(p, _): &&(u32, u32)| *p != first && Some(*p) != second;
            let outside: Parts = parts.iter().filter(is_outside).copied().collect();
            let key = (*cost, outside);
            let group = *numbers.entry(key.clone()).or_insert_with(|| {
                grouped.push((key, vec![]));
                grouped.len() - 1
            });
            grouped[group].1.push(combination);
        }
        alphabet.localise(grouped);
        alphabet
    }

    /// Labels that do the same in the two processes are one local label.
    fn localise(&mut self, grouped: Vec<((Cost, Parts), Vec<Combination>)>) {
        let mut known: FixedMap<(LocalLabel, Vec<Combination>), u32> = FixedMap::default();
        for ((cost, outside), mut combinations) in grouped {
            combinations.sort_unstable();
            combinations.dedup();
            let local = LocalLabel { cost, internal: outside.is_empty() };
            let next = self.locals.len() as u32;
            let number = *known.entry((local, combinations.clone())).or_insert(next);
            if number == next {
                self.locals.push(local);
                for (left, right) in combinations {
                    homing_budget::checkpoint();
                    match left {
                        NONE => self.right[right as usize].push(number),
                        _ => self.left[left as usize].push((right, number)),
                    }
                }
            }
            self.groups.push((cost, outside, number));
        }
        self.left.iter_mut().for_each(|combined| combined.sort_unstable());
    }
}

/// The steps of a process by state: relation and target, ascending.
struct Steps {
    starts: Vec<u32>,
    steps: Vec<(u32, u32)>,
}

impl Steps {
    fn new(process: &Process) -> Steps {
        let relations = process.relations.iter().zip(0_u32..);
        let mut all: Vec<(u32, u32, u32)> = relations
            .flat_map(|(relation, n)| relation.pairs.iter().map(move |(from, to)| (*from, n, *to)))
            .collect();
        all.sort_unstable();
        let starts = (0..=process.states)
            .map(|state| all.partition_point(|(from, ..)| *from < state) as u32)
            .collect();
        Steps { starts, steps: all.into_iter().map(|(_, relation, to)| (relation, to)).collect() }
    }
}

struct Explorer<'a> {
    alphabet: &'a Alphabet,
    left: Steps,
    right: Steps,
    columns: u32,
    numbers: Vec<u32>,
    reached: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl<'a> Explorer<'a> {
    fn new(left: &Process, right: &Process, alphabet: &'a Alphabet) -> Explorer<'a> {
        let mut explorer = Explorer {
            alphabet,
            left: Steps::new(left),
            right: Steps::new(right),
            columns: right.states,
            numbers: vec![NONE; left.states as usize * right.states as usize],
            reached: vec![],
            starts: vec![0],
            edges: vec![],
        };
        explorer.reach(left.initial * right.states + right.initial);
        explorer
    }

    fn explore(&mut self, limits: Limits) -> Result<(), TooLarge> {
        let mut next = 0;
        while next < self.reached.len() {
            let pair = self.reached[next];
            next += 1;
            let start = self.edges.len();
            self.expand(pair / self.columns, pair % self.columns);
            homing_budget::checkpoints((self.edges.len() - start) as u64 + 1);
            if self.edges.len() > limits.edges {
                return Err(TooLarge);
            }
            self.edges[start..].sort_unstable();
            dedup_from(&mut self.edges, start);
            self.starts.push(self.edges.len() as u32);
        }
        Ok(())
    }

    fn expand(&mut self, p: u32, q: u32) {
        let alphabet = self.alphabet;
        for i in self.left.starts[p as usize]..self.left.starts[p as usize + 1] {
            let (relation, to) = self.left.steps[i as usize];
            let mut combined = alphabet.left[relation as usize].as_slice();
            let mut at = self.right.starts[q as usize];
            let end = self.right.starts[q as usize + 1];
            // Both lists ascend by the second factor's relation.
            while let [(other, local), rest @ ..] = combined {
                if *other == NONE {
                    self.edge(*local, to, q);
                } else {
                    let steps = &self.right.steps[at as usize..end as usize];
                    at += steps.partition_point(|(relation, _)| relation < other) as u32;
                    let mut step = at;
                    while step < end && self.right.steps[step as usize].0 == *other {
                        self.edge(*local, to, self.right.steps[step as usize].1);
                        step += 1;
                    }
                }
                combined = rest;
            }
        }
        for i in self.right.starts[q as usize]..self.right.starts[q as usize + 1] {
            let (relation, to) = self.right.steps[i as usize];
            for local in &alphabet.right[relation as usize] {
                self.edge(*local, p, to);
            }
        }
    }

    fn edge(&mut self, local: u32, p: u32, q: u32) {
        let target = self.reach(p * self.columns + q);
        self.edges.push((local, target));
    }

    fn reach(&mut self, pair: u32) -> u32 {
        let number = &mut self.numbers[pair as usize];
        if *number == NONE {
            *number = self.reached.len() as u32;
            self.reached.push(pair);
        }
        *number
    }
}

/// Removes repetitions among the items from `start` on.
fn dedup_from<T: PartialEq + Copy>(items: &mut Vec<T>, start: usize) {
    let mut kept = start;
    for i in start..items.len() {
        if i == start || items[i] != items[kept - 1] {
            items[kept] = items[i];
            kept += 1;
        }
    }
    items.truncate(kept);
}
