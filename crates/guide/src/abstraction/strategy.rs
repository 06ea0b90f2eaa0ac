//! The composition strategy S of section 6: which two processes are composed
//! next.
//!
//! *Ranking*: among the pairs of which at least one has a non-trivial error
//! condition, one whose joint labels happen nearest the error, so that around
//! the error an area grows where no more synchronisation is needed:
//!
//! ```text
//! r(P, a) = min {d_P(q) | ∃q': q' →a q}
//! weight of (P, P') = min {max {r(P, a), r(P', a)} | a ∈ Σ ∩ Σ'}
//! ```
//!
//! Of pairs of equal weight, one with the process made last is taken, so that
//! the area grows rather than several; and of these the smallest product, which
//! loses least. (On the towers of Hanoi that halves the states explored.)
//!
//! *Default*: the order of definition.

use std::cmp::Reverse;

use homing_core::{Cost, DEAD_END};

use super::distance::distances;
use super::processes::{Process, Processes};
use super::{Compose, trace};

/// What is minimised: weight, the process made last, size, the pair itself.
type Key = (Cost, Reverse<u32>, u64, (u32, u32));

/// Chooses two processes.
pub(crate) struct Strategy {
    compose: Compose,
    /// For every process and each of its relations, r(P, a).
    ranks: Vec<Option<Vec<Cost>>>,
}

impl Strategy {
    pub(crate) fn new(compose: Compose) -> Strategy {
        Strategy { compose, ranks: vec![] }
    }

    /// Chooses two of `candidates`, of which there are at least two, given in
    /// the order of definition.
    pub(crate) fn choose(
        &mut self,
        processes: &Processes,
        candidates: &[u32],
    ) -> Option<(u32, u32)> {
        match self.compose {
            Compose::Default => Some((candidates[0], candidates[1])),
            Compose::Ranking => Some(self.nearest(processes, candidates)),
            Compose::Trace => trace::choose(processes, candidates),
        }
    }

    fn nearest(&mut self, processes: &Processes, candidates: &[u32]) -> (u32, u32) {
        self.ranks.resize(processes.all.len(), None);
        let mut trivial = vec![true; processes.all.len()];
        for number in candidates {
            let process = processes.get(*number);
            trivial[*number as usize] = process.is_trivial();
            self.ranks[*number as usize].get_or_insert_with(|| ranks(process));
        }
        let rank = |(process, relation): (u32, u32)| {
            let ranks = self.ranks[process as usize].as_ref();
            ranks.map_or(DEAD_END, |ranks| ranks[relation as usize])
        };
        let size = |first: u32, second: u32| {
            u64::from(processes.get(first).states) * u64::from(processes.get(second).states)
        };
        let pairs = processes.labels.iter().flat_map(|(_, parts)| {
            parts
                .iter()
                .enumerate()
                .flat_map(move |(i, first)| parts[..i].iter().map(move |second| (*second, *first)))
        });
        let wanted =
            pairs.filter(|((p, _), (q, _))| !trivial[*p as usize] || !trivial[*q as usize]);
        let weighted =
            wanted.map(|(first, second)| (rank(first).max(rank(second)), first.0, second.0));
        let mut best: Option<Key> = None;
        for (weight, first, second) in weighted {
            if best.is_none_or(|(least, ..)| weight <= least) {
                let last = Reverse(first.max(second));
                let key = (weight, last, size(first, second), (first, second));
                best = Some(best.map_or(key, |best| best.min(key)));
            }
        }
        best.map_or_else(|| unrelated(&trivial, candidates), |(.., pair)| pair)
    }
}

/// Two processes that share no label: with error conditions, where possible.
fn unrelated(trivial: &[bool], candidates: &[u32]) -> (u32, u32) {
    let mut sorted = candidates.to_vec();
    sorted.sort_by_key(|number| trivial[*number as usize]);
    (sorted[0].min(sorted[1]), sorted[0].max(sorted[1]))
}

fn ranks(process: &Process) -> Vec<Cost> {
    let edges = process
        .relations
        .iter()
        .flat_map(|relation| relation.pairs.iter().map(|(from, to)| (*from, *to, relation.cost)));
    let distances = distances(&process.error, edges);
    let rank = |pairs: &[(u32, u32)]| pairs.iter().map(|(_, to)| distances[*to as usize]).min();
    process.relations.iter().map(|r| rank(&r.pairs).unwrap_or(DEAD_END)).collect()
}
