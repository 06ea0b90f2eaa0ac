//! Products of many relations, with variables quantified as soon as nothing more needs them.
//!
//! Burch, Clarke, Long, "Symbolic Model Checking with Partitioned Transition Relations"
//! (VLSI 1991); the order after Ranjan, Aziz, Brayton, Plessier, Pixley, "Efficient BDD
//! Algorithms for FSM Synthesis and Verification" (IWLS 1995):
//!
//! ```text
//! order(parts):  again and again the part p of greatest benefit comes next:
//!   6 (variables to be quantified that occur in p alone) / (those that occur in p)
//!   + (those that occur in p) / (those left)
//!   + 1 - (variables that stay and occur in p) / (those left)
//!   + 6 (lowest of those to be quantified in p) / (lowest of those left)
//! cluster:       parts that follow each other are joined while they are small; what occurs
//!                in no other part is quantified at once, if the set does not have it
//! product(set):  for each cluster: set := exists its last variables: set and cluster
//! ```
//! What occurs in no part at all is quantified first.

use std::collections::{BTreeMap, BTreeSet};

use homing_budget::checkpoint;

use crate::diagram::{Diagrams, Made, Set};

/// The most nodes of a cluster of several parts.
const CLUSTER: usize = 2_500;
/// With more parts, benefits are not computed: parts come by their lowest variables.
const MOST: usize = 400;

/// Relations in order, each with the variables that can be quantified with it.
pub(super) struct Schedule {
    first: Set,
    steps: Vec<(Set, Set)>,
}

impl Schedule {
    /// The product of these parts, from which the variables of some levels are quantified.
    /// Those that only parts have, and no set, are told as well.
    pub(super) fn new(
        d: &Diagrams,
        parts: &[Set],
        quantified: &BTreeSet<u32>,
        of_parts: &BTreeSet<u32>,
    ) -> Made<Schedule> {
        let supports: Vec<BTreeSet<u32>> = parts.iter().map(|part| d.support(part)).collect();
        let order = ordered(&supports, quantified);
        let mut clusters = Vec::new();
        let mut last: Option<Set> = None;
        for at in order {
            checkpoint();
            let joined = match &last {
                Some(last) => Some(d.and(last, &parts[at])?).filter(|set| d.size(set) <= CLUSTER),
                None => Some(parts[at].clone()),
            };
            match joined {
                Some(joined) => last = Some(joined),
                None => clusters.extend(last.replace(parts[at].clone())),
            }
        }
        clusters.extend(last);
        Schedule::of_clusters(d, clusters, quantified, of_parts)
    }

    fn of_clusters(
        d: &Diagrams,
        clusters: Vec<Set>,
        quantified: &BTreeSet<u32>,
        of_parts: &BTreeSet<u32>,
    ) -> Made<Schedule> {
        let mut supports: Vec<BTreeSet<u32>> = clusters.iter().map(|one| d.support(one)).collect();
        let mut own = Vec::new();
        for (at, cluster) in clusters.into_iter().enumerate() {
            let alone = |level: &&u32| {
                let others = supports.iter().enumerate();
                let mut others = others.filter(|(other, _)| *other != at);
                of_parts.contains(level) && !others.any(|(_, other)| other.contains(level))
            };
            let gone: Vec<u32> = supports[at].iter().filter(alone).copied().collect();
            own.push(d.exists(&cluster, &d.cube(&gone)?)?);
            gone.iter().for_each(|level| _ = supports[at].remove(level));
        }
        let mut left = quantified.clone();
        let mut steps = Vec::new();
        for (cluster, support) in own.into_iter().zip(supports).rev() {
            let gone: Vec<u32> = support.intersection(&left).copied().collect();
            gone.iter().for_each(|level| _ = left.remove(level));
            steps.push((cluster, d.cube(&gone)?));
        }
        steps.reverse();
        let first = d.cube(&left.into_iter().collect::<Vec<_>>())?;
        Ok(Schedule { first, steps })
    }

    /// Where a set and all parts hold, for some values of what is quantified.
    pub(super) fn product(&self, d: &Diagrams, set: &Set) -> Made<Set> {
        let mut product = d.exists(set, &self.first)?;
        for (cluster, gone) in &self.steps {
            checkpoint();
            product = d.and_exists(&product, cluster, gone)?;
        }
        Ok(product)
    }

    /// How many clusters there are.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }
}

fn ordered(supports: &[BTreeSet<u32>], quantified: &BTreeSet<u32>) -> Vec<usize> {
    let lowest = |support: &BTreeSet<u32>| support.intersection(quantified).last().copied();
    if supports.len() > MOST {
        let mut order: Vec<usize> = (0..supports.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(lowest(&supports[*at])));
        return order;
    }
    let mut occurs: BTreeMap<u32, usize> = BTreeMap::new();
    supports.iter().flatten().for_each(|level| *occurs.entry(*level).or_default() += 1);
    let mut left: Vec<usize> = (0..supports.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        checkpoint();
        let all = occurs.keys().filter(|level| quantified.contains(level)).count().max(1) as f64;
        let staying = (occurs.len() as f64 - all).max(1.0);
        let deepest = f64::from(
            occurs.keys().copied().rfind(|one| quantified.contains(one)).unwrap_or(0).max(1),
        );
        let benefit = |at: usize| {
            let support = &supports[at];
            let mine = support.iter().filter(|level| quantified.contains(level));
            let (mut many, mut alone) = (0.0, 0.0);
            for level in mine {
                many += 1.0;
                alone += f64::from(u8::from(occurs[level] == 1));
            }
            let stays = support.len() as f64 - many;
            let low = f64::from(lowest(support).unwrap_or(0));
            6.0 * alone / many.max(1.0) + many / all + 1.0 - stays / staying + 6.0 * low / deepest
        };
        let values: Vec<f64> = left.iter().map(|at| benefit(*at)).collect();
        let best =
            (0..left.len()).reduce(|best, at| if values[at] > values[best] { at } else { best });
        let next = left.remove(best.unwrap_or(0));
        for level in &supports[next] {
            if let Some(count) = occurs.get_mut(level) {
                *count -= 1;
                if *count == 0 {
                    occurs.remove(level);
                }
            }
        }
        order.push(next);
    }
    order
}
