//! Last in, first out: the newest state first.

use homing_core::Open;

/// A stack. Keys are carried along and order nothing.
#[derive(Debug, Default)]
pub struct Lifo {
    entries: Vec<(u32, u64)>,
}

impl Open for Lifo {
    fn push(&mut self, entry: u32, key: u64) {
        self.entries.push((entry, key));
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        self.entries.pop()
    }

    fn least(&mut self) -> Option<u64> {
        self.entries.last().map(|(_, key)| *key)
    }

    fn clear(&mut self) {
        self.entries.clear();
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(u32, u64)>()
    }
}
