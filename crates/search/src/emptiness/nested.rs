//! Nested depth-first search, as published.
//!
//! Courcoubetis, Vardi, Wolper, Yannakakis, "Memory-Efficient Algorithms for the
//! Verification of Temporal Properties" (Formal Methods in System Design 1, 1992).
//!
//! ```text
//! blue(s):
//!   colour s blue
//!   for every successor t of s: if t is not blue: blue(t)
//!   if s is accepting: seed := s, red(s)           finds seed again, or fails
//! ```
//! The inner search starts when s is *left*: only then was everything behind s left
//! that does not lead back to the path, and what earlier inner searches coloured red
//! can be relied on. Started when s is entered, a failed inner search would colour
//! states red that lead to the path, and later ones would stop there.
//!
//! Deviation: here steps accept, not states. The inner search from s starts with the
//! accepting steps of s only; where s is accepting that is all of them. There may be
//! one acceptance set, or none, which accepts every cycle.

use homing_core::{Id, StopReason, Watch, Word};

use super::base::RED;
use super::red::Red;
use super::walk::{Event, Walk};
use crate::path::Path;

pub(crate) fn nested(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let width = walk.base.task.space.width();
    let (mut red, mut state) = (Red::new(width), vec![0; width]);
    while let Some(event) = walk.next(watch)? {
        if let Event::Finished { id, .. } = event
            && walk.base.wants_lasso()
            && let Some((path, back)) = round(walk, id, &mut red, &mut state, watch)?
        {
            walk.base.report_path(&path, walk.stack.position(back));
        }
    }
    Ok(())
}

/// The way to the top, whose number is `seed`, and on to it again by a step that is
/// accepting.
fn round(
    walk: &mut Walk<'_>,
    seed: Id,
    red: &mut Red,
    state: &mut [Word],
    watch: &mut Watch,
) -> Result<Option<(Path, Id)>, StopReason> {
    for successor in walk.stack.successors() {
        if !walk.base.accepts(walk.stack.path_to(successor)) {
            continue;
        }
        state.copy_from_slice(walk.stack.state(successor));
        let hash = walk.stack.hash(successor);
        let Some(id) = walk.base.number(state, hash, seed)? else { continue };
        if id == seed {
            return Ok(Some((walk.path_over(successor), seed)));
        }
        if walk.base.has(id, RED) {
            continue;
        }
        let found = red.search(&mut walk.base, (state, id), |_, next| next == seed, watch)?;
        if let Some((way, _)) = found {
            return Ok(Some((walk.path_over(successor).and(&way), seed)));
        }
    }
    Ok(None)
}
