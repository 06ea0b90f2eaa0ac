//! High-density reachability: of a frontier whose diagram is large only a dense part is
//! expanded, many states in few nodes.
//!
//! Ravi, Somenzi, "High-Density Reachability Analysis" (ICCAD 1995); what is left out is kept
//! apart, one of the ways in which Ravi, Somenzi, "Efficient Fixpoint Computation for Invariant
//! Checking" (ICCD 1999) recover it:
//!
//! ```text
//! reached, frontier := initial; pruned := none
//! until frontier and pruned are empty:
//!   if frontier is empty: frontier, pruned := pruned, none          a dead end
//!   dense := a dense subset of frontier, if that is large, else frontier
//!   pruned := pruned or frontier minus dense
//!   frontier := successors of dense, minus reached
//!   reached := reached or frontier
//! ```
//! The dense subset keeps the heavy branch ([`Diagrams::dense`]): from the root on, the half
//! with fewer states is given up until what is left is small enough.
//!
//! Ways are not shortest. The dead ends are recovered, so everything is reached in the end.

use crate::diagram::{Diagrams, Made, Set};
use crate::pieces::{self, Open};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::Steps;

/// Searches for all that is sought; of a frontier of more nodes than `most` a part of at most
/// so many is expanded.
pub fn density(steps: &Steps, sought: &Sought, most: usize, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    let d = steps.encoding().diagrams();
    let [frontier, pruned] = [(); 2].map(|()| d.constant(false));
    let mut open = Dense { diagrams: d, most, frontier, pruned };
    search.outcome.stopped = pieces::run(&mut search, &mut open, None, told).err();
    search.outcome
}

struct Dense<'d> {
    diagrams: &'d Diagrams,
    most: usize,
    frontier: Set,
    pruned: Set,
}

impl Open for Dense<'_> {
    fn put(&mut self, new: Set) -> Made<()> {
        self.frontier = new;
        Ok(())
    }

    fn take(&mut self) -> Made<Option<Set>> {
        let d = self.diagrams;
        if self.frontier.is_empty() {
            self.frontier = std::mem::replace(&mut self.pruned, d.constant(false));
        }
        if self.frontier.is_empty() {
            return Ok(None);
        }
        let frontier = std::mem::replace(&mut self.frontier, d.constant(false));
        let dense = d.dense(&frontier, self.most)?;
        self.pruned = d.or(&self.pruned, &d.minus(&frontier, &dense)?)?;
        Ok(Some(dense))
    }
}
