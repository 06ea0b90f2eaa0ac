//! Guided traversal: everything that can be reached under a hint, then under the next.
//!
//! Ravi, Somenzi, "Hints to Accelerate Symbolic Traversal" (CHARME 1999):
//!
//! ```text
//! reached := initial
//! for hint in hints, and last of all no hint:
//!   until nothing is new: reached := reached or successors of (reached and hint)
//! ```
//! A hint constrains transitions, here by the states that they leave. It avoids at first what
//! makes diagrams large; the last round, without a hint, has little to add where hints were good.
//! Each state is expanded once, in the first round whose hint it satisfies.
//!
//! **Which hints.** Of one component's locations, it is at one at a time. So the hints say, one
//! after the other, that of the components only the first, the first two, and so on have left
//! the location they began at: the system of few components is traversed before that of many.
//! The choice is ours; the paper's hints come from the user.

use homing_budget::checkpoint;

use crate::diagram::{Diagrams, Made, Set};
use crate::pieces::{self, Open};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::Steps;

/// Searches for all that is sought under hints of its own.
pub fn hints(steps: &Steps, sought: &Sought, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = run(&mut search, told).err();
    search.outcome
}

fn run(search: &mut Search, told: &mut Told) -> Made<()> {
    let d = search.steps.encoding().diagrams();
    let mut open = Hinted { diagrams: d, waiting: d.constant(false), hints: of(search.steps)? };
    pieces::run(search, &mut open, None, told)
}

/// The hints for a system, the last one first.
fn of(steps: &Steps) -> Made<Vec<Set>> {
    let encoding = steps.encoding();
    let d = encoding.diagrams();
    let mut hints = vec![d.constant(true)];
    for beginning in encoding.beginnings()?.into_iter().rev() {
        checkpoint();
        let hint = d.and(&hints[hints.len() - 1], &beginning)?;
        hints.push(hint);
    }
    Ok(hints)
}

struct Hinted<'d> {
    diagrams: &'d Diagrams,
    waiting: Set,
    /// Those that still apply, the next one last.
    hints: Vec<Set>,
}

impl Open for Hinted<'_> {
    fn put(&mut self, new: Set) -> Made<()> {
        self.waiting = self.diagrams.or(&self.waiting, &new)?;
        Ok(())
    }

    fn take(&mut self) -> Made<Option<Set>> {
        while let Some(hint) = self.hints.last() {
            let taken = self.diagrams.and(&self.waiting, hint)?;
            if !taken.is_empty() {
                self.waiting = self.diagrams.minus(&self.waiting, hint)?;
                return Ok(Some(taken));
            }
            // Without a hint, nothing that waits is left.
            if self.hints.len() == 1 {
                return Ok(None);
            }
            self.hints.pop();
        }
        Ok(None)
    }
}
