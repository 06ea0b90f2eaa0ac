//! The inner search of nested depth-first searches, the red one.
//!
//! ```text
//! red(s):
//!   colour s red
//!   for every successor t of s:
//!     if t is what is looked for: found, the stack is the way
//!     if t is not red: red(t)
//! ```
//! Red states stay red from one inner search to the next: an inner search that
//! fails leaves the space behind it without a way to any state on the path of the
//! outer one, then and later. States that the outer search never entered are left
//! alone. They can only lead on by way of its path, from where what is looked for is
//! reached along the path too.

use homing_core::hash::hash_words;
use homing_core::{Id, StopReason, Watch, Word};

use super::base::{Base, ENTERED, NO_EDGE, RED};
use crate::depth_first::stack::Stack;
use crate::path::Path;

/// Inner searches, one after the other.
pub(crate) struct Red {
    stack: Stack<()>,
    state: Vec<Word>,
}

impl Red {
    pub(crate) fn new(width: usize) -> Red {
        Red { stack: Stack::new(width), state: vec![0; width] }
    }

    /// Looks for a state that `found` names, from `start` on, whose number is `id`.
    /// Answers a way to it, and its number.
    pub(crate) fn search(
        &mut self,
        base: &mut Base<'_>,
        (start, id): (&[Word], Id),
        found: impl Fn(&Base<'_>, Id) -> bool,
        watch: &mut Watch,
    ) -> Result<Option<(Path, Id)>, StopReason> {
        self.stack.clear();
        self.stack.open(Id::NONE);
        self.stack.add(start, NO_EDGE, hash_words(start), (), None);
        if let Some(first) = self.stack.advance() {
            self.enter(base, first, id, watch)?;
        }
        while self.stack.frames() > 1 {
            let Some(successor) = self.stack.advance() else {
                self.stack.pop();
                continue;
            };
            let (state, hash) = (self.stack.state(successor), self.stack.hash(successor));
            let Some(id) = base.number(state, hash, self.stack.top())? else { continue };
            if found(base, id) {
                let mut path = self.stack.path();
                path.push(self.stack.edge(successor), state);
                return Ok(Some((path, id)));
            }
            if base.has(id, ENTERED) && !base.has(id, RED) {
                self.enter(base, successor, id, watch)?;
            }
        }
        Ok(None)
    }

    fn enter(
        &mut self,
        base: &mut Base<'_>,
        successor: usize,
        id: Id,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        base.note(id, RED);
        self.state.copy_from_slice(self.stack.state(successor));
        base.expand(&self.state);
        self.stack.open(id);
        for place in 0..base.chosen(id) {
            let state = base.batch.state(place);
            self.stack.add(state, base.batch.edge(place), hash_words(state), (), None);
        }
        base.store.prefetch(self.stack.top_hashes());
        base.look(watch, self.stack.frames(), || self.stack.bytes())
    }
}
