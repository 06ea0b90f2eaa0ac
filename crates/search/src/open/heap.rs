//! A binary heap: an open list for any keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_core::Open;

/// Least key first; equal keys first in, first out.
#[derive(Debug, Default)]
pub struct Heap {
    entries: BinaryHeap<Reverse<(u64, u64, u32)>>,
    pushed: u64,
}

impl Open for Heap {
    fn push(&mut self, entry: u32, key: u64) {
        self.entries.push(Reverse((key, self.pushed, entry)));
        self.pushed += 1;
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        self.entries.pop().map(|Reverse((key, _, entry))| (entry, key))
    }

    fn least(&mut self) -> Option<u64> {
        self.entries.peek().map(|Reverse((key, ..))| *key)
    }

    fn clear(&mut self) {
        self.entries.clear();
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Reverse<(u64, u64, u32)>>()
    }
}
