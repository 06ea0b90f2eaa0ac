//! Nested depth-first search, improved.
//!
//! Schwoon, Esparza, "A Note on On-the-Fly Verification Algorithms" (TACAS 2005);
//! Gaiser, Schwoon, "Comparison of Algorithms for Checking Emptiness on Büchi
//! Automata" (MEMICS 2009).
//!
//! ```text
//! blue(s):                                           colours: white at first
//!   colour s cyan                                    on the path
//!   for every successor t of s:
//!     if t is cyan and a step of the cycle is known to accept: found
//!     if t is white: blue(t)
//!     if the step from s to t accepts and t is not red: red(t)
//!   colour s red if all t are, else blue
//!
//! red(s):
//!   colour s red
//!   for every successor t of s:
//!     if t is cyan: found
//!     if t is blue: red(t)
//! ```
//! Four colours, two bits a state. Against the search of 1992: a cycle is found as
//! soon as it closes if its last or its last but one step accepts; the inner search
//! ends at *any* state on the path, since from there the path leads on to s; and
//! states that lead to red ones only are red without an inner search.
//!
//! Deviation: here steps accept, not states. The inner search for a step from s to t
//! starts when t is left, not only when s is. That is late enough: what it visits
//! without meeting the path was left by then, with all that lies behind.

use homing_core::{Id, StopReason, Watch, Word};

use super::base::{Base, ON_PATH, RED};
use super::red::Red;
use super::walk::{Event, Walk};
use crate::path::Path;

pub(crate) fn ndfs(walk: &mut Walk<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let width = walk.base.task.space.width();
    improved(walk, Red::new(width), watch)
}

/// The inner search, and what is known of cycles beforehand.
pub(crate) trait Inner {
    /// Looks for a way from a state that was left to any state on the path. The step
    /// to it leaves `seed`, which is on the path.
    fn search(
        &mut self,
        base: &mut Base<'_>,
        start: (&[Word], Id),
        seed: &[Word],
        watch: &mut Watch,
    ) -> Result<Option<(Path, Id)>, StopReason>;

    /// Whether every cycle through a state is accepted, whatever its steps say.
    fn accepts_all(&self, _state: &[Word]) -> bool {
        false
    }

    /// Whether no accepted cycle goes from one state to the other.
    fn parts(&self, _from: &[Word], _to: &[Word]) -> bool {
        false
    }
}

impl Inner for Red {
    fn search(
        &mut self,
        base: &mut Base<'_>,
        start: (&[Word], Id),
        _seed: &[Word],
        watch: &mut Watch,
    ) -> Result<Option<(Path, Id)>, StopReason> {
        Red::search(self, base, start, |base, id| base.has(id, ON_PATH), watch)
    }
}

/// The search with an inner one.
pub(crate) fn improved(
    walk: &mut Walk<'_>,
    inner: impl Inner,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    let width = walk.base.task.space.width();
    let (state, seed) = (vec![0; width], vec![0; width]);
    let mut search = Improved { inner, state, seed, frames: Vec::new() };
    while let Some(event) = walk.next(watch)? {
        search.follow(walk, event, watch)?;
    }
    Ok(())
}

/// What is known of a state on the path.
struct Frame {
    /// Whether the step by which it was entered accepts.
    accepting: bool,
    /// Whether all successors looked at so far are red.
    all_red: bool,
}

struct Improved<I> {
    inner: I,
    /// A state to start the inner search in, and the one before it.
    state: Vec<Word>,
    seed: Vec<Word>,
    frames: Vec<Frame>,
}

impl<I: Inner> Improved<I> {
    fn follow(
        &mut self,
        walk: &mut Walk<'_>,
        event: Event,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        match event {
            Event::Entered { marks, .. } => {
                let accepting = walk.base.accepts(marks);
                self.frames.push(Frame { accepting, all_red: true });
                Ok(())
            }
            Event::Met { id, marks, successor } if walk.base.has(id, ON_PATH) => {
                self.close(walk, id, marks, successor);
                Ok(())
            }
            Event::Met { id, marks, successor } => self.step(walk, id, marks, successor, watch),
            Event::Finished { id, marks } => {
                if self.frames.pop().is_some_and(|frame| frame.all_red) {
                    walk.base.note(id, RED);
                }
                let Some(entered_by) = walk.stack.taken().next_back() else { return Ok(()) };
                self.step(walk, id, marks, entered_by, watch)
            }
        }
    }

    /// A step closes a cycle.
    fn close(&mut self, walk: &mut Walk<'_>, id: Id, marks: u64, successor: usize) {
        let Some(top) = self.frames.last_mut() else { return };
        top.all_red = false;
        let accepted = walk.base.accepts(marks)
            || top.accepting && id != walk.stack.top()
            || self.inner.accepts_all(walk.stack.state(successor));
        if accepted && walk.base.wants_lasso() {
            let path = walk.path_over(successor);
            walk.base.report_path(&path, walk.stack.position(id));
        }
    }

    /// A step leads to a state that was left.
    fn step(
        &mut self,
        walk: &mut Walk<'_>,
        id: Id,
        marks: u64,
        successor: usize,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let Some(top) = self.frames.last_mut() else { return Ok(()) };
        let starts = walk.base.accepts(marks) && walk.base.wants_lasso() && !walk.base.has(id, RED);
        if starts && let Some(seed) = walk.source() {
            self.seed.copy_from_slice(seed);
            self.state.copy_from_slice(walk.stack.state(successor));
            let found = match self.inner.parts(&self.seed, &self.state) {
                true => None,
                false => {
                    let start = (&self.state[..], id);
                    self.inner.search(&mut walk.base, start, &self.seed, watch)?
                }
            };
            if let Some((way, back)) = found {
                let path = walk.path_by(successor).and(&way);
                walk.base.report_path(&path, walk.stack.position(back));
            }
        }
        top.all_red &= walk.base.has(id, RED);
        Ok(())
    }
}
