//! A round through all acceptance sets, within a component; and, where states request
//! pairs, through steps that grant those.
//!
//! The component is known to hold one; this finds it again.
//!
//! ```text
//! round(start):
//!   missing := all sets that are needed, s := start
//!   while sets are missing:
//!     from s go the shortest way within the component to a step in a missing set,
//!     and over it
//!   from s go the shortest way within the component to a step to start, and over it
//! ```
//! Short, but not the shortest: `improve` is for that. The limits of the search do
//! not count here, or what was found would be lost.

use homing_core::hash::hash_words;
use homing_core::{Id, StopReason, Word};

use super::ball::{Ball, NOWHERE};
use super::base::{Base, CURRENT, NO_EDGE};
use super::walk::Walk;
use crate::path::Path;

/// Reports the lasso through a component that accepts: its states are current, from
/// that of number `root` on, which is on the path of the walk. Its round goes through
/// the sets that are `needed`.
pub(crate) fn report_component(
    walk: &mut Walk<'_>,
    root: Id,
    needed: u64,
) -> Result<(), StopReason> {
    let Some(stem) = path_to(walk, root) else { return Ok(()) };
    let inside = |base: &Base<'_>, id: Id| id >= root && base.has(id, CURRENT);
    let round = round(&mut walk.base, stem.last(), needed, inside)?;
    walk.base.report(stem, round);
    Ok(())
}

/// The way to a state on the path of the walk.
pub(crate) fn path_to(walk: &Walk<'_>, id: Id) -> Option<Path> {
    walk.stack.position(id).map(|back| walk.stack.path().part(0, back))
}

/// A way from `start` to itself through all sets that are `needed`, over states that
/// are `inside`. `None` where there is none.
pub(crate) fn round(
    base: &mut Base<'_>,
    start: &[Word],
    needed: u64,
    inside: impl Fn(&Base<'_>, Id) -> bool,
) -> Result<Option<Path>, StopReason> {
    let mut path = Path::starting_at(start);
    let mut missing = needed;
    let mut ball = Ball::new(start.len());
    loop {
        let wanted = |_: &Base<'_>, _, state: &[Word], marks: u64| match missing {
            0 => state == start,
            missing => marks & missing != 0,
        };
        let Some((way, sets)) = nearest(base, &mut ball, path.last(), &inside, wanted)? else {
            return Ok(None);
        };
        path = path.and(&way);
        if missing & !sets == 0 && path.last() == start {
            return Ok(Some(path));
        }
        missing &= !sets;
    }
}

/// The shortest way from a state, over states that are `inside`, that ends with a step
/// that is `wanted` (by where it leads to, and its sets); and the sets on it.
pub(crate) fn nearest(
    base: &mut Base<'_>,
    ball: &mut Ball,
    start: &[Word],
    inside: impl Fn(&Base<'_>, Id) -> bool,
    wanted: impl Fn(&Base<'_>, Id, &[Word], u64) -> bool,
) -> Result<Option<(Path, u64)>, StopReason> {
    let mut state = start.to_vec();
    ball.clear();
    ball.add(start, NOWHERE, NO_EDGE, 0);
    let mut at = 0;
    while at < ball.len() {
        state.copy_from_slice(ball.state(at));
        base.expand(&state);
        for place in 0..base.batch.len() {
            state.copy_from_slice(base.batch.state(place));
            let (edge, marks) = (base.batch.edge(place), base.batch.marks(place));
            let Some(id) = base.number(&state, hash_words(&state), Id::NONE)? else { continue };
            if !inside(base, id) {
                continue;
            }
            if wanted(base, id, &state, marks) {
                let mut path = ball.path(at, start.len());
                path.push(edge, &state);
                return Ok(Some((path, ball.sets(at) | marks)));
            }
            ball.add(&state, at as u32, edge, marks);
        }
        at += 1;
    }
    Ok(None)
}
