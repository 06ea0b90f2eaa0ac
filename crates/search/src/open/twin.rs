//! Two open lists for two searches over one visited set: one blind, one
//! directed. Everything waits in the blind one, so that it misses nothing;
//! what was estimated waits in both.

use homing_core::Open;

use super::{Buckets, Fifo, Levels};

/// A queue, and buckets beside it. Which of them is used is set from outside.
#[derive(Debug, Default)]
pub struct Twin {
    blind: Fifo,
    directed: Levels<Buckets>,
    directs: bool,
}

impl Twin {
    /// Uses the directed list from now on, or the blind one.
    pub fn direct(&mut self, directs: bool) {
        self.directs = directs;
    }

    /// Adds an entry of the blind list to the directed one.
    pub fn also(&mut self, entry: u32, key: u64) {
        self.directed.push(entry, key);
    }

    /// Forgets the directed list.
    pub fn forget(&mut self) {
        self.directed.clear();
    }

    /// Up to `most` entries of the blind list, from all over it.
    pub fn sample(&self, most: usize) -> Vec<u32> {
        self.blind.sample(most)
    }
}

impl Open for Twin {
    fn push(&mut self, entry: u32, key: u64) {
        if self.directs {
            // What the estimate gives up is left to the blind search.
            if key != u64::MAX {
                self.directed.push(entry, key);
            }
            self.blind.push(entry, 0);
        } else {
            self.blind.push(entry, key);
        }
    }

    /// Keys of the directed list say nothing of depth, so they stay here.
    fn pop(&mut self) -> Option<(u32, u64)> {
        match self.directs {
            true => self.directed.pop().map(|(entry, _)| (entry, 0)),
            false => self.blind.pop(),
        }
    }

    fn least(&mut self) -> Option<u64> {
        if self.directs { self.directed.least() } else { self.blind.least() }
    }

    fn clear(&mut self) {
        self.blind.clear();
        self.directed.clear();
    }

    fn len(&self) -> usize {
        self.blind.len()
    }

    fn bytes(&self) -> usize {
        self.blind.bytes() + self.directed.bytes()
    }
}
