//! ε-greedy: now and then any state that waits, instead of one of least key.
//!
//! Valenzano, Sturtevant, Schaeffer, Xie, "A Comparison of Knowledge-Based GBFS
//! Enhancements and Knowledge-Free Exploration" (ICAPS 2014).
//!
//! ```text
//! pop:  with probability ε: a state drawn from all that wait, each as likely
//!       otherwise: a state of least key
//! ```
//! A binary heap from which any entry can be taken.

use homing_core::{Open, Random};

/// Least key first, equal keys first in, first out; but one pop in so many, any entry. The
/// same seed draws alike.
#[derive(Clone, Debug)]
pub struct Epsilon {
    /// Keys, the order in which entries came, and entries; no entry is less than that at
    /// half its place.
    heap: Vec<(u64, u64, u32)>,
    pushed: u64,
    /// ε in percent.
    percent: u64,
    random: Random,
}

impl Epsilon {
    /// An empty list with ε in percent, which draws by this seed.
    pub fn new(percent: u64, seed: u64) -> Epsilon {
        Epsilon { heap: Vec::new(), pushed: 0, percent, random: Random::new(seed) }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.heap[at] < self.heap[(at - 1) / 2] {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let below = (2 * at + 1..self.heap.len().min(2 * at + 3)).min_by_key(|i| self.heap[*i]);
            match below {
                Some(below) if self.heap[below] < self.heap[at] => self.heap.swap(at, below),
                _ => return,
            }
            at = below.unwrap_or(at);
        }
    }

    /// Takes the entry at a place.
    fn take(&mut self, at: usize) -> (u32, u64) {
        let (key, _, entry) = self.heap.swap_remove(at);
        if at < self.heap.len() {
            self.sink(at);
            self.rise(at);
        }
        (entry, key)
    }
}

impl Open for Epsilon {
    fn push(&mut self, entry: u32, key: u64) {
        self.heap.push((key, self.pushed, entry));
        self.pushed += 1;
        self.rise(self.heap.len() - 1);
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        if self.heap.is_empty() {
            return None;
        }
        let explores = self.random.below(100) < self.percent;
        let drawn = if explores { self.random.below(self.heap.len() as u64) } else { 0 };
        Some(self.take(drawn as usize))
    }

    fn least(&mut self) -> Option<u64> {
        self.heap.first().map(|(key, ..)| *key)
    }

    fn clear(&mut self) {
        self.heap.clear();
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<(u64, u64, u32)>()
    }
}
