//! AbstractProcess, algorithm 3 of the paper: a quotient of a process with at
//! most N states.
//!
//! ```text
//! Q' := {q | d(q) < ∞ and q reachable};  the others become ⊥
//! ∼  := equal min(d, N − 1), which makes the buckets B_0 … B_{K−1};  R_i := ∼ on B_i
//! repeat
//!     for i = 0, …, K − 1:
//!         R*_i := {(q, q') ∈ R_i | ∀a {[r] | q →a r} = {[r'] | q' →a r'}}
//!         if that makes at most N classes:  R_i := R*_i
//! until nothing changes
//! ```
//!
//! Deviations:
//! - Buckets are numbered by the *rank* of their distance, which is the distance
//!   itself where every step costs one, and spends no class on distances that no
//!   state has where it does not. Error states have the first bucket for
//!   themselves, even if steps cost nothing.
//! - An internal step within a class is not looked at: it never changes a
//!   distance.
//! - A bucket is looked at again only when the classes of a successor changed,
//!   and never again once its split was refused: R*_i only gets finer, so it
//!   would be refused again.
//! - With `Keep::Labels`, the buckets are first divided by the distances to labels:
//!   see `labels`. Each part is then a bucket of its own.
//! - `Order::Far` looks at the last bucket first: the alternative of Fig. 6.

use homing_core::{Cost, DEAD_END};

use super::labels::by_labels;
use super::product::{NONE, Product};
use super::{Keep, Options, Order};
use crate::hashing::FixedMap;

/// P'/∼.
#[derive(Debug)]
pub(crate) struct Quotient {
    /// The number of classes.
    pub(crate) classes: u32,
    /// For every state its class, or [`NONE`] for ⊥. Nearer classes come
    /// first.
    pub(crate) gamma: Vec<u32>,
}

/// Computes the abstraction of a process, as a map from its reachable states.
pub(crate) fn abstract_process(process: &Product, options: &Options) -> Quotient {
    let Options { states: bound, order, keep, .. } = *options;
    let distances = process.distances();
    if distances.first().is_none_or(|initial| *initial == DEAD_END) {
        // No error is reachable, so all that is reachable is irrelevant.
        return Quotient { classes: 0, gamma: vec![NONE; distances.len()] };
    }
    let mut class = ranks(process, &distances, bound);
    if keep == Keep::Labels {
        class = by_labels(process, &distances, class, bound);
    }
    let mut refinement = Refinement::new(process, class, bound);
    let buckets = refinement.buckets.len();
    loop {
        homing_budget::checkpoint();
        let mut changed = false;
        for i in 0..buckets {
            let bucket = if order == Order::Near { i } else { buckets - 1 - i };
            changed |= refinement.split(bucket);
        }
        if !changed {
            return refinement.quotient();
        }
    }
}

struct Refinement<'a> {
    process: &'a Product,
    bound: u32,
    /// For every state its class: [`NONE`] for ⊥, else any number.
    class: Vec<u32>,
    /// The number of classes now, and of class numbers ever given.
    classes: u32,
    numbers: u32,
    /// The states of every bucket, and its number of classes.
    buckets: Vec<(Vec<u32>, u32)>,
    /// Pairs of a bucket and one with an edge into it, ascending.
    readers: Vec<(u32, u32)>,
    /// Buckets to be looked at.
    stale: Vec<bool>,
    refused: Vec<bool>,
    /// The new classes of the bucket at hand, by signature.
    split: FixedMap<Vec<u64>, u32>,
    signature: Vec<u64>,
}

impl<'a> Refinement<'a> {
    fn new(process: &'a Product, class: Vec<u32>, bound: u32) -> Refinement<'a> {
        let count = class.iter().filter(|class| **class != NONE).max().map_or(0, |last| last + 1);
        let mut buckets = vec![(vec![], 1); count as usize];
        for (state, bucket) in class.iter().enumerate() {
            if *bucket != NONE {
                buckets[*bucket as usize].0.push(state as u32);
            }
        }
        let readers = readers(process, &class);
        Refinement {
            process,
            bound,
            class,
            classes: count,
            numbers: count,
            stale: vec![true; buckets.len()],
            refused: vec![false; buckets.len()],
            buckets,
            readers,
            split: FixedMap::default(),
            signature: vec![],
        }
    }

    /// R_i := R*_i, if the bound allows. Whether that changed anything.
    fn split(&mut self, bucket: usize) -> bool {
        if !self.stale[bucket] || self.refused[bucket] {
            return false;
        }
        self.stale[bucket] = false;
        let before = self.buckets[bucket].1;
        let room = self.bound - (self.classes - before);
        let Some(split) = self.classes_by_successors(bucket, room) else {
            self.refused[bucket] = true;
            return false;
        };
        let after = self.split.len() as u32;
        if after == before {
            return false;
        }
        for (state, class) in self.buckets[bucket].0.iter().zip(split) {
            self.class[*state as usize] = self.numbers + class;
        }
        self.buckets[bucket].1 = after;
        self.numbers += after;
        self.classes += after - before;
        let readers = self.readers.partition_point(|(read, _)| (*read as usize) < bucket);
        for (_, reader) in
            self.readers[readers..].iter().take_while(|(read, _)| *read as usize == bucket)
        {
            self.stale[*reader as usize] = true;
        }
        true
    }

    /// R*_i as a number for every state of the bucket; none if these are more
    /// than `room`.
    fn classes_by_successors(&mut self, bucket: usize, room: u32) -> Option<Vec<u32>> {
        self.split.clear();
        let mut numbers = Vec::with_capacity(self.buckets[bucket].0.len());
        for state in &self.buckets[bucket].0 {
            homing_budget::checkpoints(self.process.edges(*state).len() as u64 + 1);
            let own = self.class[*state as usize];
            self.signature.clear();
            for (label, to) in self.process.edges(*state) {
                let class = self.class[*to as usize];
                let idle = class == own && self.process.labels[*label as usize].internal;
                if class != NONE && !idle {
                    self.signature.push(u64::from(*label) << 32 | u64::from(class));
                }
            }
            self.signature.sort_unstable();
            self.signature.dedup();
            self.signature.push(u64::from(own));
            let next = self.split.len() as u32;
            let number = match self.split.get(&self.signature) {
                Some(number) => *number,
                None if next == room => return None,
                None => *self.split.entry(self.signature.clone()).or_insert(next),
            };
            numbers.push(number);
        }
        Some(numbers)
    }

    /// Classes numbered in the order of the buckets.
    fn quotient(mut self) -> Quotient {
        let mut numbers = vec![NONE; self.numbers as usize];
        let mut next = 0;
        for state in self.buckets.iter().flat_map(|(states, _)| states) {
            let class = &mut self.class[*state as usize];
            let number = &mut numbers[*class as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            *class = *number;
        }
        Quotient { classes: next, gamma: self.class }
    }
}

/// The bucket of every state: the rank of its distance, at most N − 1.
fn ranks(process: &Product, distances: &[Cost], bound: u32) -> Vec<u32> {
    let key = |(distance, error): (&Cost, &bool)| (*distance, !error);
    let keys: Vec<(Cost, bool)> = distances.iter().zip(&process.error).map(key).collect();
    let mut occurring = keys.clone();
    occurring.sort_unstable();
    occurring.dedup();
    let rank = |key: &(Cost, bool)| match key {
        (DEAD_END, _) => NONE,
        _ => (occurring.partition_point(|other| other < key) as u32).min(bound - 1),
    };
    keys.iter().map(rank).collect()
}

fn readers(process: &Product, bucket: &[u32]) -> Vec<(u32, u32)> {
    let mut readers = vec![];
    for (state, own) in bucket.iter().enumerate() {
        for (_, to) in process.edges(state as u32) {
            let read = bucket[*to as usize];
            if *own != NONE && read != NONE && readers.last() != Some(&(read, *own)) {
                readers.push((read, *own));
            }
        }
        if readers.len() > 1 << 20 {
            readers.sort_unstable();
            readers.dedup();
        }
    }
    readers.sort_unstable();
    readers.dedup();
    readers
}
