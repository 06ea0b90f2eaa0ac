//! Local searches from plateaus: where the least estimate has not fallen for a while, the
//! best state that waits is searched from alone, for a while.
//!
//! Xie, Müller, Holte, "Adding Local Exploration to Greedy Best-First Search in
//! Satisficing Planning" (AAAI 2014), GBFS-LS: the local search is greedy, too.
//!
//! ```text
//! GBFS-LS:  h_min := ∞, stalled := 0, tries := 0
//!   while open is not empty:
//!     take s of least h from open and expand it
//!     if h(t) < h_min for a successor t:  h_min := h(t), stalled := 0, tries := 0
//!     otherwise:  stalled := stalled + 1
//!     if stalled = STALL_SIZE and tries < MAX_LOCAL_TRY:
//!       stalled := 0, tries := tries + 1
//!       take s of least h from open;  LocalGBFS(s)
//!
//! LocalGBFS(s):  local_open := {s}
//!   while local_open is not empty, h_min does not fall, for at most LSSIZE expansions:
//!     take s of least h from local_open, expand it, insert its successors there
//!   open := open ∪ local_open
//! ```
//! The visited set is one, so that nothing is expanded twice; what a local search leaves
//! goes back to all others, so that nothing is lost.

use homing_core::Open;

use super::KEY_BITS;

/// How long local searches are, and when they start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stalling {
    /// STALL_SIZE: expansions without progress before one starts.
    pub stall: u64,
    /// LSSIZE: the expansions of one.
    pub size: u64,
    /// MAX_LOCAL_TRY: how many there are without progress.
    pub tries: u64,
}

/// The list of a greedy search, and that of the local one while there is any. Within
/// each, states leave as they do there.
#[derive(Debug)]
pub struct Local<O> {
    open: O,
    local_open: O,
    stalling: Stalling,
    /// The least key, the queue left out.
    h_min: u64,
    /// Whether it fell since the last state left.
    improved: bool,
    stalled: u64,
    tries: u64,
    /// The expansions that a local search has left; none where there is no such search.
    left: Option<u64>,
}

impl<O: Open + Default> Local<O> {
    /// Empty lists.
    pub fn new(stalling: Stalling) -> Local<O> {
        Local {
            open: O::default(),
            local_open: O::default(),
            stalling,
            h_min: u64::MAX,
            improved: false,
            stalled: 0,
            tries: 0,
            left: None,
        }
    }

    /// Ends a local search.
    fn merge(&mut self) {
        while let Some((entry, key)) = self.local_open.pop() {
            self.open.push(entry, key);
        }
        self.left = None;
    }

    /// Judges the expansion of the state that left last.
    fn judge(&mut self) {
        let improved = std::mem::take(&mut self.improved);
        if improved {
            (self.stalled, self.tries) = (0, 0);
        }
        match &mut self.left {
            Some(left) => {
                *left -= 1;
                if improved || *left == 0 || self.local_open.is_empty() {
                    self.merge();
                }
            }
            None if !improved => self.stalled += 1,
            None => {}
        }
    }
}

impl<O: Open + Default> Open for Local<O> {
    fn push(&mut self, entry: u32, key: u64) {
        let h = key & ((1 << KEY_BITS) - 1);
        if h < self.h_min {
            self.h_min = h;
            self.improved = true;
        }
        match self.left {
            Some(_) => self.local_open.push(entry, key),
            None => self.open.push(entry, key),
        }
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        self.judge();
        if self.left.is_some() {
            return self.local_open.pop();
        }
        let next = self.open.pop()?;
        if self.stalled >= self.stalling.stall && self.tries < self.stalling.tries {
            self.stalled = 0;
            self.tries += 1;
            self.left = Some(self.stalling.size);
        }
        Some(next)
    }

    fn least(&mut self) -> Option<u64> {
        let local = self.local_open.least();
        local.into_iter().chain(self.open.least()).min()
    }

    fn clear(&mut self) {
        self.open.clear();
        self.local_open.clear();
        self.left = None;
    }

    fn len(&self) -> usize {
        self.open.len() + self.local_open.len()
    }

    fn bytes(&self) -> usize {
        self.open.bytes() + self.local_open.bytes()
    }
}
