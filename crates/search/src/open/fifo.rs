//! First in, first out: the open list of breadth-first search.

use std::collections::VecDeque;

use homing_core::Open;

/// A queue that stores runs: consecutive entries of one key take the room of
/// one. Over a store that numbers states in order of insertion, the store
/// itself is then the queue.
///
/// Keys are carried along and order nothing: where they must come out in
/// order, they must not fall from one push to the next.
#[derive(Debug, Default)]
pub struct Fifo {
    runs: VecDeque<Run>,
    length: usize,
}

#[derive(Debug)]
struct Run {
    next: u32,
    end: u32,
    key: u64,
}

impl Fifo {
    /// The entry that comes next.
    pub(crate) fn front(&self) -> Option<u32> {
        self.runs.front().map(|run| run.next)
    }

    /// Up to `most` entries, evenly from front to back.
    pub(crate) fn sample(&self, most: usize) -> Vec<u32> {
        let apart = self.length.div_ceil(most.max(1)).max(1);
        let mut sample = Vec::with_capacity(self.length / apart + 1);
        let mut skip = 0;
        for run in &self.runs {
            let length = (run.end - run.next) as usize;
            while skip < length {
                sample.push(run.next + skip as u32);
                skip += apart;
            }
            skip -= length;
        }
        sample
    }
}

impl Open for Fifo {
    fn push(&mut self, entry: u32, key: u64) {
        self.length += 1;
        match self.runs.back_mut() {
            Some(run) if run.key == key && run.end == entry => run.end += 1,
            _ => self.runs.push_back(Run { next: entry, end: entry + 1, key }),
        }
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        let run = self.runs.front_mut()?;
        let popped = (run.next, run.key);
        run.next += 1;
        if run.next == run.end {
            self.runs.pop_front();
        }
        self.length -= 1;
        Some(popped)
    }

    fn least(&mut self) -> Option<u64> {
        self.runs.front().map(|run| run.key)
    }

    fn clear(&mut self) {
        self.runs.clear();
        self.length = 0;
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Run>()
    }
}
