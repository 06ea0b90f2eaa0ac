//! The general search: some of what is open is expanded, then some more.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed Model Checking"
//! (MoChArt 2008), Fig. 2, with sets of states:
//!
//! ```text
//! Closed := none; Open := I
//! while Open is not empty:
//!   S := Select(Open)
//!   Open := Open minus S; Closed := Closed or S
//!   if S meets B: return the way to it
//!   Succ := successors of S, minus Closed
//!   Open := Open or Succ
//! ```
//! What is selected is all that these searches differ in: an [`Open`] each, in files of their
//! own (`greedy`, `density`, `hints`, `splitting`).
//!
//! **Deviation.** States are looked at as soon as they are found, not when they are selected:
//! none of these searches promises a shortest way, so nothing is gained by waiting.
//!
//! The way back goes by pieces: what was expanded, and what that led to for the first time.
//! The expanded states of a piece were all found by earlier ones, so it ends.

use crate::diagram::{Made, Set};
use crate::reach::{Corridor, Search, Told, Which};
use crate::steps::Steps;

/// States that wait to be expanded.
pub(crate) trait Open {
    /// Adds states that were never added before.
    fn put(&mut self, new: Set) -> Made<()>;
    /// Takes states to be expanded next, some wherever there are any.
    fn take(&mut self) -> Made<Option<Set>>;
}

/// What was expanded, and what was found by that.
struct Piece {
    expanded: Set,
    found: Set,
}

/// The pieces of a search, in order.
pub(crate) struct Pieces<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    pieces: Vec<Piece>,
}

/// Searches until all that is sought was found, or only this one of it, or everything was
/// reached.
pub(crate) fn run(
    search: &mut Search,
    open: &mut dyn Open,
    only: Option<Which>,
    told: &mut Told,
) -> Made<()> {
    let steps = search.steps;
    let d = steps.encoding().diagrams();
    let mut pieces = Pieces::new(steps);
    search.outcome.reached = d.constant(false);
    let mut expanded = d.constant(false);
    let mut new = steps.encoding().initial().clone();
    loop {
        pieces.add(search, expanded, new.clone())?;
        search.tell(&new, told)?;
        if search.is_done() || only.is_some_and(|which| !search.open().contains(&which)) {
            return Ok(());
        }
        open.put(new)?;
        let Some(taken) = open.take()? else { return Ok(()) };
        search.outcome.layers.push(taken.clone());
        new = d.minus(&steps.next(&taken)?, &search.outcome.reached)?;
        expanded = taken;
    }
}

impl<'r, 'e, 's> Pieces<'r, 'e, 's> {
    pub(crate) fn new(steps: &'r Steps<'e, 's>) -> Self {
        Pieces { steps, pieces: Vec::new() }
    }

    /// Adds states that were found for the first time, by a step from `expanded`, and looks
    /// for what is sought among them.
    pub(crate) fn add(&mut self, search: &mut Search, expanded: Set, found: Set) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        search.outcome.reached = d.or(&search.outcome.reached, &found)?;
        self.pieces.push(Piece { expanded, found: found.clone() });
        for (which, hit) in search.hits(&found)? {
            let corridor = self.way(hit)?;
            search.outcome.progress.depth = corridor.len() as u32 - 1;
            search.outcome.found.push((which, corridor));
        }
        Ok(())
    }

    /// The way to states that were found. They were found once each, so those before them are
    /// in an earlier piece.
    fn way(&self, mut last: Set) -> Made<Corridor> {
        let d = self.steps.encoding().diagrams();
        let mut corridor = Vec::new();
        for piece in self.pieces.iter().rev() {
            let here = d.and(&last, &piece.found)?;
            if !here.is_empty() {
                last = d.and(&self.steps.previous(&here)?, &piece.expanded)?;
                corridor.push(here);
            }
        }
        corridor.reverse();
        Ok(corridor)
    }
}
