//! The states that wait, in memory: buckets of equal key, the least first, each first in,
//! first out.

use std::collections::{BTreeMap, VecDeque};

use homing_core::Price;

use super::Place;

/// A state that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub place: Place,
    pub path: Price,
    pub key: u64,
}

/// States that wait under one key. Where the key says what paths cost, paths are not kept.
#[derive(Debug, Default)]
struct Queue {
    places: VecDeque<Place>,
    paths: VecDeque<Price>,
}

/// All states that wait.
#[derive(Debug)]
pub(super) struct Front {
    queues: BTreeMap<u64, Queue>,
    /// Whether keys are what paths cost.
    keys_are_costs: bool,
    length: usize,
    /// Queues that were emptied, to be used again.
    spare: Vec<Queue>,
}

impl Front {
    pub fn new(keys_are_costs: bool) -> Front {
        Front { queues: BTreeMap::new(), keys_are_costs, length: 0, spare: Vec::new() }
    }

    /// Lets states wait behind those that wait under the same keys.
    pub fn extend(&mut self, entries: &[Entry]) {
        for run in entries.chunk_by(|a, b| a.key == b.key) {
            let spare = &mut self.spare;
            let queue =
                self.queues.entry(run[0].key).or_insert_with(|| spare.pop().unwrap_or_default());
            queue.places.extend(run.iter().map(|entry| entry.place));
            if !self.keys_are_costs {
                queue.paths.extend(run.iter().map(|entry| entry.path));
            }
        }
        self.length += entries.len();
    }

    /// The first of all.
    pub fn first(&self) -> Option<Entry> {
        let (key, queue) = self.queues.first_key_value()?;
        let path = queue.paths.front().copied().unwrap_or(*key);
        Some(Entry { place: *queue.places.front()?, path, key: *key })
    }

    /// Moves up to so many of the first to `round`, those that are in one group with the
    /// first.
    pub fn cut(&mut self, most: usize, group: impl Fn(u64) -> u64, round: &mut Vec<Entry>) {
        let Some(Entry { key: first, .. }) = self.first() else { return };
        while round.len() < most
            && let Some(mut least) = self.queues.first_entry()
            && group(*least.key()) == group(first)
        {
            let (key, queue) = (*least.key(), least.get_mut());
            let count = queue.places.len().min(most - round.len());
            if self.keys_are_costs {
                round.extend(queue.places.drain(..count).map(|place| Entry {
                    place,
                    path: key,
                    key,
                }));
            } else {
                let places = queue.places.drain(..count).zip(queue.paths.drain(..count));
                round.extend(places.map(|(place, path)| Entry { place, path, key }));
            }
            self.length -= count;
            if queue.places.is_empty() {
                // One is kept: levels take turns.
                let empty = least.remove();
                if self.spare.is_empty() {
                    self.spare.push(empty);
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn bytes(&self) -> usize {
        let of = |queue: &Queue| {
            queue.places.capacity() * size_of::<Place>()
                + queue.paths.capacity() * size_of::<Price>()
        };
        self.queues.values().chain(&self.spare).map(of).sum()
    }
}
