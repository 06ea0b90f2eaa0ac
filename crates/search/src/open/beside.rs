//! The open list of a directed search beside a blind one over the same states.
//! Everything waits in the blind one's queue, so that it misses nothing; what was
//! estimated waits in both.

use homing_core::Open;

use super::Fifo;

/// A list of its own, and the queue of the blind search. Any number of directed searches
/// may stand beside one queue.
#[derive(Debug)]
pub struct Beside<'a, O> {
    /// What was estimated.
    pub own: &'a mut O,
    /// Everything.
    pub blind: &'a mut Fifo,
    /// Whether what the estimate gives up is left to the blind search: it is a dead end
    /// for what this search looks for, but more than that is sought.
    pub leaves: bool,
}

impl<O: Open> Open for Beside<'_, O> {
    fn push(&mut self, entry: u32, key: u64) {
        self.own.push(entry, key);
        self.blind.push(entry, 0);
    }

    fn push_again(&mut self, entry: u32, key: u64) {
        self.own.push(entry, key);
    }

    fn give_up(&mut self, entry: u32) {
        if self.leaves {
            self.blind.push(entry, 0);
        }
    }

    /// Its keys say nothing of depth, so they stay here.
    fn pop(&mut self) -> Option<(u32, u64)> {
        self.own.pop().map(|(entry, _)| (entry, 0))
    }

    fn least(&mut self) -> Option<u64> {
        self.own.least()
    }

    fn clear(&mut self) {
        self.own.clear();
        self.blind.clear();
    }

    fn len(&self) -> usize {
        self.blind.len()
    }

    fn bytes(&self) -> usize {
        self.own.bytes() + self.blind.bytes()
    }
}
