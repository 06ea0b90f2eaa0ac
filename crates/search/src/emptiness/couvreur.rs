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
//!
//! What is needed of a component are all sets, and whatever else its states request
//! (see `streett`, which goes on where components are complete). Without pairs, that is
//! nothing.

use homing_core::{Id, StopReason, Watch};

use super::base::CURRENT;
use super::rounds::report_component;
use super::walk::{Event, Walk};

/// A component that may still grow, by the state it was entered at.
struct Root {
    id: Id,
    /// The acceptance sets of the steps known to be within it.
    sets: u64,
    /// The sets that must be among them.
    needed: u64,
    /// Those of the step into it.
    into: u64,
    /// Whether there are any steps within it.
    cyclic: bool,
}

/// A component that is complete, and has steps within.
pub(crate) struct Component<'a> {
    /// The state it was entered at: of its states that of the least number.
    pub root: Id,
    /// Its states, which are the current ones from `root` on.
    pub states: &'a [Id],
    /// The sets of the steps within.
    pub sets: u64,
    /// The sets that are needed.
    pub needed: u64,
}

pub(crate) fn couvreur(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    components(walk, watch, |_, _, _| Ok(()))
}

/// The search; `complete` is told of components in which nothing was found.
pub(crate) fn components<'a>(
    walk: &mut Walk<'a>,
    watch: &mut Watch,
    mut complete: impl FnMut(&mut Walk<'a>, &Component<'_>, &mut Watch) -> Result<(), StopReason>,
) -> Result<(), StopReason> {
    let mut roots: Vec<Root> = Vec::new();
    let mut active: Vec<Id> = Vec::new();
    while let Some(event) = walk.next(watch)? {
        match event {
            Event::Entered { id, marks } => {
                walk.base.note(id, CURRENT);
                let needed = walk.base.all | walk.base.batch.requested();
                roots.push(Root { id, sets: 0, needed, into: marks, cyclic: false });
                active.push(id);
                walk.books =
                    active.capacity() * size_of::<Id>() + roots.capacity() * size_of::<Root>();
            }
            Event::Met { id, marks, .. } if walk.base.has(id, CURRENT) => {
                merge(&mut roots, id, marks);
                let Some(root) = roots.last() else { continue };
                if root.needed & !root.sets == 0 && walk.base.wants_lasso() {
                    report_component(walk, root.id, root.needed)?;
                }
            }
            Event::Met { .. } => {}
            Event::Finished { id, .. } => {
                let Some(root) = roots.pop_if(|root| root.id == id) else { continue };
                let start = active.iter().rposition(|state| *state == id).unwrap_or(0);
                let states = &active[start..];
                if root.cyclic && walk.base.wants_lasso() {
                    let Root { id, sets, needed, .. } = root;
                    complete(walk, &Component { root: id, states, sets, needed }, watch)?;
                }
                states.iter().for_each(|state| walk.base.forget(*state, CURRENT));
                active.truncate(start);
            }
        }
    }
    Ok(())
}

/// A step in the sets `marks` leads back to the current state `to`: all components
/// from that of `to` on are one, the last of the roots.
fn merge(roots: &mut Vec<Root>, to: Id, marks: u64) {
    let (mut sets, mut needed) = (marks, 0);
    while let Some(root) = roots.pop() {
        sets |= root.sets;
        needed |= root.needed;
        if root.id <= to {
            roots.push(Root { sets, needed, cyclic: true, ..root });
            return;
        }
        sets |= root.into;
    }
}
