//! Emptiness by strongly connected components, for generalised acceptance.
//!
//! Couvreur, "On-the-Fly Verification of Linear Temporal Logic" (FM 1999), in the
//! version of Gaiser, Schwoon, "Comparison of Algorithms for Checking Emptiness on
//! Büchi Automata" (MEMICS 2009).
//!
//! ```text
//! search(s):
//!   number s, s is current
//!   push (s, ∅) on roots, s on active
//!   for every successor t of s:
//!     if t has no number: search(t)
//!     else if t is current:
//!       B := sets of the step from s to t
//!       repeat
//!         (u, C) := pop roots, B := B ∪ C                       and, unless u is the last,
//!       until u's number ≤ t's number                            the sets of the step into u
//!       push (u, B) on roots
//!       if B are all sets: found, in the component of u
//!   if s is the root on top:
//!     pop roots
//!     repeat pop u from active, u is not current any more until u = s
//! ```
//! A component is found accepted as soon as the walk has closed cycles through all
//! sets in it, before it is complete. Every state is expanded once.
//!
//! Deviation: the number of a state is that of the store, which numbers states in
//! the order in which they are entered. So a state takes one bit more than in a
//! plain search, and what is active an entry in a list.

use homing_core::{Id, StopReason, Watch};

use super::ground::CURRENT;
use super::rounds::report_component;
use super::walk::{Event, Walk};

/// A component that may still grow, by the state it was entered at.
struct Root {
    id: Id,
    /// The acceptance sets of the steps known to be within it.
    sets: u64,
    /// Those of the step into it.
    into: u64,
}

pub(crate) fn couvreur(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let mut roots: Vec<Root> = Vec::new();
    let mut active: Vec<Id> = Vec::new();
    while let Some(event) = walk.next(watch)? {
        match event {
            Event::Entered { id, marks } => {
                walk.ground.note(id, CURRENT);
                roots.push(Root { id, sets: 0, into: marks });
                active.push(id);
                walk.books =
                    active.capacity() * size_of::<Id>() + roots.capacity() * size_of::<Root>();
            }
            Event::Met { id, marks, .. } if walk.ground.has(id, CURRENT) => {
                let (root, sets) = merge(&mut roots, id, marks);
                if walk.ground.accepts(sets) && walk.ground.wants_lasso() {
                    report_component(walk, root)?;
                }
            }
            Event::Met { .. } => {}
            Event::Finished { id, .. } if roots.last().is_some_and(|root| root.id == id) => {
                roots.pop();
                while let Some(state) = active.pop() {
                    walk.ground.forget(state, CURRENT);
                    if state == id {
                        break;
                    }
                }
            }
            Event::Finished { .. } => {}
        }
    }
    Ok(())
}

/// A step in the sets `marks` leads back to the current state `to`: all components
/// from that of `to` on are one. Answers its root and its sets.
fn merge(roots: &mut Vec<Root>, to: Id, marks: u64) -> (Id, u64) {
    let mut sets = marks;
    while let Some(mut root) = roots.pop() {
        sets |= root.sets;
        if root.id <= to {
            root.sets = sets;
            let id = root.id;
            roots.push(root);
            return (id, sets);
        }
        sets |= root.into;
    }
    (to, sets)
}
