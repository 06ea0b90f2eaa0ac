//! Buckets: an open list for small keys, in constant time an operation
//! (Dial, "Algorithm 360: Shortest-Path Forest with Topological Ordering",
//! CACM 1969).

use std::collections::{BTreeMap, VecDeque};

use homing_core::Open;

/// One queue a key below `DENSE`; greater keys share a sorted map. Equal keys
/// leave first in, first out; with `NEWEST`, last in, first out.
#[derive(Debug, Default)]
pub struct Buckets<const NEWEST: bool = false> {
    dense: Vec<VecDeque<u32>>,
    sparse: BTreeMap<u64, VecDeque<u32>>,
    /// No dense bucket before this one holds anything.
    least: usize,
    length: usize,
    bytes: usize,
}

/// Keys below this have a bucket of their own in an array.
const DENSE: u64 = 1024;

impl<const NEWEST: bool> Open for Buckets<NEWEST> {
    fn push(&mut self, entry: u32, key: u64) {
        let bucket = if key < DENSE {
            let key = key as usize;
            if self.dense.len() <= key {
                self.dense.resize_with(key + 1, VecDeque::new);
            }
            self.least = self.least.min(key);
            &mut self.dense[key]
        } else {
            self.sparse.entry(key).or_default()
        };
        let before = bucket.capacity();
        bucket.push_back(entry);
        self.bytes += (bucket.capacity() - before) * size_of::<u32>();
        self.length += 1;
    }

    fn least(&mut self) -> Option<u64> {
        while self.dense.get(self.least).is_some_and(VecDeque::is_empty) {
            self.least += 1;
        }
        if self.least < self.dense.len() {
            return Some(self.least as u64);
        }
        self.sparse.first_key_value().map(|(key, _)| *key)
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        let least = self.least()?;
        if least < DENSE {
            let entry = take::<NEWEST>(&mut self.dense[least as usize])?;
            self.length -= 1;
            return Some((entry, least));
        }
        let mut first = self.sparse.first_entry()?;
        let key = *first.key();
        let entry = take::<NEWEST>(first.get_mut())?;
        if first.get().is_empty() {
            let bucket = first.remove();
            self.bytes -= bucket.capacity() * size_of::<u32>();
        }
        self.length -= 1;
        Some((entry, key))
    }

    fn clear(&mut self) {
        self.dense.iter_mut().for_each(VecDeque::clear);
        self.sparse.clear();
        self.bytes = self.dense.iter().map(|bucket| bucket.capacity() * size_of::<u32>()).sum();
        self.length = 0;
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

fn take<const NEWEST: bool>(bucket: &mut VecDeque<u32>) -> Option<u32> {
    if NEWEST { bucket.pop_back() } else { bucket.pop_front() }
}
