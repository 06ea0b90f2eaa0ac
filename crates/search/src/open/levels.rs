//! Several open lists, each used only while all before it are empty: the
//! multi-queue of "Context-Enhanced Directed Model Checking" (Wehrle,
//! Kupferschmid 2010, Fig. 2), q_0 … q_N.

use homing_core::{Accesses, Open, QUEUES};

/// The bits of a key below the number of the queue.
pub const KEY_BITS: u32 = 48;

/// One open list a queue. The queue stands in the highest bits of the key.
#[derive(Debug, Default)]
pub struct Levels<O> {
    queues: Vec<O>,
    /// No queue before this one holds anything.
    least: usize,
    length: usize,
    accesses: Accesses,
}

impl<O: Open + Default> Open for Levels<O> {
    fn push(&mut self, entry: u32, key: u64) {
        let queue = (key >> KEY_BITS) as usize;
        if self.queues.len() <= queue {
            self.queues.resize_with(queue + 1, O::default);
        }
        self.queues[queue].push(entry, key & ((1 << KEY_BITS) - 1));
        self.least = self.least.min(queue);
        self.length += 1;
        self.accesses.pushed[queue.min(QUEUES - 1)] += 1;
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        self.least()?;
        let (entry, key) = self.queues[self.least].pop()?;
        self.length -= 1;
        self.accesses.popped[self.least.min(QUEUES - 1)] += 1;
        self.accesses.last = self.accesses.last.max(self.least as u64);
        Some((entry, (self.least as u64) << KEY_BITS | key))
    }

    fn least(&mut self) -> Option<u64> {
        while self.queues.get(self.least)?.is_empty() {
            self.least += 1;
        }
        let key = self.queues[self.least].least()?;
        Some((self.least as u64) << KEY_BITS | key)
    }

    fn clear(&mut self) {
        self.queues.iter_mut().for_each(Open::clear);
        self.length = 0;
    }

    fn accesses(&self) -> Option<Accesses> {
        Some(self.accesses)
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.queues.iter().map(Open::bytes).sum()
    }
}
