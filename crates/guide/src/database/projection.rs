//! The system seen through a pattern: only these variables are looked at, all
//! others may be anything. Explored from the initial state on, with the distance
//! of every state to the error in a table by the number of the state.

use homing_core::{Cost, DEAD_END};

use crate::abstraction::distance::distances;
use crate::abstraction::processes::{Parts, Processes};
use crate::hashing::FixedMap;

/// A table of distances.
pub(crate) struct Projection {
    /// The variables, ascending, and what the states of each are multiplied by
    /// to number the states of all.
    pub(crate) digits: Vec<(u32, u32)>,
    /// Distances by number; unreachable states are dead ends.
    pub(crate) distances: Vec<Cost>,
}

/// The most edges explored, whatever memory there is.
const MOST_EDGES: usize = 1 << 26;

impl Projection {
    /// The projection onto a pattern; none where it takes too many edges.
    pub(crate) fn new(processes: &Processes, pattern: &[u32]) -> Option<Projection> {
        let mut digits = vec![];
        let mut size = 1;
        for var in pattern {
            digits.push((*var, size));
            size *= processes.get(*var).states;
        }
        let mut explorer = Explorer::new(processes, digits, size);
        explorer.explore()?;
        let found = distances(&explorer.error, explorer.edges.iter().copied());
        let mut distances = vec![DEAD_END; size as usize];
        for (state, distance) in explorer.reached.iter().zip(found) {
            distances[*state as usize] = distance;
        }
        Some(Projection { digits: explorer.digits, distances })
    }
}

struct Explorer<'a> {
    processes: &'a Processes,
    digits: Vec<(u32, u32)>,
    labels: Vec<(Cost, Parts)>,
    /// For every digit and state of its variable, the labels whose first part
    /// can happen there.
    enabled: Vec<Vec<Vec<u32>>>,
    numbers: Vec<u32>,
    reached: Vec<u32>,
    error: Vec<bool>,
    edges: Vec<(u32, u32, Cost)>,
}

impl<'a> Explorer<'a> {
    fn new(processes: &'a Processes, digits: Vec<(u32, u32)>, size: u32) -> Explorer<'a> {
        let place = |var: u32| digits.binary_search_by_key(&var, |(var, _)| *var).ok();
        let labels = project(processes, |var| place(var).is_some());
        let mut enabled: Vec<Vec<Vec<u32>>> = digits
            .iter()
            .map(|(var, _)| vec![vec![]; processes.get(*var).states as usize])
            .collect();
        for (number, (_, parts)) in (0..).zip(&labels) {
            homing_budget::checkpoint();
            let (var, relation) = parts[0];
            let Some(place) = place(var) else { continue };
            let mut last = None;
            for (from, _) in &processes.get(var).relations[relation as usize].pairs {
                if last != Some(*from) {
                    enabled[place][*from as usize].push(number);
                    last = Some(*from);
                }
            }
        }
        let initial = digits.iter().map(|(var, radix)| processes.get(*var).initial * radix).sum();
        let mut explorer = Explorer {
            processes,
            digits,
            labels,
            enabled,
            numbers: vec![u32::MAX; size as usize],
            reached: vec![],
            error: vec![],
            edges: vec![],
        };
        explorer.reach(initial);
        explorer
    }

    fn explore(&mut self) -> Option<()> {
        let mut targets = vec![];
        let mut next = 0;
        while next < self.reached.len() {
            homing_budget::checkpoint();
            let state = self.reached[next];
            for place in 0..self.digits.len() {
                let value = self.value(state, place);
                for i in 0..self.enabled[place][value as usize].len() {
                    let label = self.enabled[place][value as usize][i];
                    self.targets(state, label, &mut targets);
                    let cost = self.labels[label as usize].0;
                    for target in targets.drain(..).filter(|target| *target != state) {
                        let to = self.reach(target);
                        self.edges.push((next as u32, to, cost));
                    }
                }
            }
            if self.edges.len() > MOST_EDGES {
                return None;
            }
            next += 1;
        }
        Some(())
    }

    /// All that a label may make of a state.
    fn targets(&self, state: u32, label: u32, targets: &mut Vec<u32>) {
        targets.clear();
        targets.push(state);
        for (var, relation) in &self.labels[label as usize].1 {
            let Ok(place) = self.digits.binary_search_by_key(var, |(var, _)| *var) else {
                continue;
            };
            let (from, radix) = (self.value(state, place), self.digits[place].1);
            let pairs = &self.processes.get(*var).relations[*relation as usize].pairs;
            let start = pairs.partition_point(|(before, _)| *before < from);
            let to = pairs[start..].iter().take_while(|(before, _)| *before == from);
            let others = targets.len();
            for (_, to) in to {
                for i in 0..others {
                    homing_budget::checkpoint();
                    targets.push(targets[i] - from * radix + to * radix);
                }
            }
            targets.drain(..others);
        }
    }

    fn value(&self, state: u32, place: usize) -> u32 {
        let (var, radix) = self.digits[place];
        state / radix % self.processes.get(var).states
    }

    fn reach(&mut self, state: u32) -> u32 {
        if self.numbers[state as usize] == u32::MAX {
            self.numbers[state as usize] = self.reached.len() as u32;
            self.reached.push(state);
            let error = |place: usize| {
                let (var, _) = self.digits[place];
                self.processes.get(var).error[self.value(state, place) as usize]
            };
            self.error.push((0..self.digits.len()).all(error));
        }
        self.numbers[state as usize]
    }
}

/// The labels as far as they concern some variables, each once; the part that
/// is possible in the fewest states first.
fn project(processes: &Processes, concerns: impl Fn(u32) -> bool) -> Vec<(Cost, Parts)> {
    let mut known: FixedMap<(Cost, Parts), ()> = FixedMap::default();
    let mut labels = vec![];
    for (cost, parts) in &processes.labels {
        let mut parts: Parts = parts.iter().filter(|(var, _)| concerns(*var)).copied().collect();
        parts.sort_by_key(|(var, relation)| {
            let process = processes.get(*var);
            let pairs = &process.relations[*relation as usize].pairs;
            pairs.chunk_by(|a, b| a.0 == b.0).count() * 1000 / process.states as usize
        });
        if !parts.is_empty() && known.insert((*cost, parts.clone()), ()).is_none() {
            labels.push((*cost, parts));
        }
    }
    labels
}
