//! Tarjan's search for strongly connected components, and which of them accept.
//!
//! Tarjan, "Depth-First Search and Linear Graph Algorithms" (SIAM Journal on
//! Computing 1, 1972).
//!
//! ```text
//! search(s):
//!   number s, low(s) := number of s, sets(s) := ∅, push s on active
//!   for every successor t of s:
//!     if t has no number:
//!       search(t)
//!       if t is active still: low(s) := min(low(s), low(t)), add sets(t) and those of the step
//!     else if t is active: low(s) := min(low(s), number of t), add the sets of the step
//!   if low(s) = number of s:
//!     pop the component of s from active
//!     if a step within it was seen and sets(s) are all sets: found
//! ```
//! The plain way, for comparison: nothing is reported before a component is complete,
//! so that a search may see the whole space first.
//!
//! Deviations: as in `couvreur`, the number of a state is that of the store. `low` and
//! the sets are kept of states on the path only; nobody asks for others.

use homing_core::{Id, StopReason, Watch};

use super::base::CURRENT;
use super::rounds::report_component;
use super::walk::{Event, Walk};

/// What is known of a state on the path.
struct Frame {
    /// The least number of an active state known to be reached.
    low: Id,
    /// The acceptance sets of the steps behind it that stay in its component.
    sets: u64,
    /// Whether there are any such steps.
    cyclic: bool,
}

impl Frame {
    /// A step in these sets stays in the component, and reaches this number.
    fn reach(&mut self, low: Id, sets: u64) {
        self.low = self.low.min(low);
        self.sets |= sets;
        self.cyclic = true;
    }
}

pub(crate) fn tarjan(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut active: Vec<Id> = Vec::new();
    while let Some(event) = walk.next(watch)? {
        match event {
            Event::Entered { id, .. } => {
                walk.base.note(id, CURRENT);
                frames.push(Frame { low: id, sets: 0, cyclic: false });
                active.push(id);
                walk.books =
                    active.capacity() * size_of::<Id>() + frames.capacity() * size_of::<Frame>();
            }
            Event::Met { id, marks, .. } if walk.base.has(id, CURRENT) => {
                if let Some(top) = frames.last_mut() {
                    top.reach(id, marks);
                }
            }
            Event::Met { .. } => {}
            Event::Finished { id, marks } => {
                let Some(frame) = frames.pop() else { break };
                if frame.low < id {
                    if let Some(below) = frames.last_mut() {
                        below.reach(frame.low, frame.sets | marks);
                    }
                    continue;
                }
                if frame.cyclic && walk.base.accepts(frame.sets) && walk.base.wants_lasso() {
                    report_component(walk, id, walk.base.all)?;
                }
                while let Some(state) = active.pop() {
                    walk.base.forget(state, CURRENT);
                    if state == id {
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}
