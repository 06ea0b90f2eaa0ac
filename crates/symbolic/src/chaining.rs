//! Chaining: the moves of one relation after the other, each from all that those before it
//! have added.
//!
//! Roig, Cortadella, Pastor, "Verification of Asynchronous Circuits by BDD-based Model Checking
//! of Petri Nets" (1995):
//!
//! ```text
//! reached := initial
//! until a whole round adds nothing:
//!   for every relation T: reached := reached or successors of reached by T
//! ```
//! A round takes moves of many components at once, so there are fewer rounds than layers, and
//! what is reached in between is often simpler than a layer of breadth-first search. Nothing is
//! known of distances. The way back goes by pieces, a relation each.
//!
//! Where control is held, one more relation a round is that of all steps.

use crate::diagram::Made;
use crate::pieces::Pieces;
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::Steps;

/// Searches until all that is sought was found or everything was reached.
pub fn chaining(steps: &Steps, sought: &Sought, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = run(&mut search, told).err();
    search.outcome
}

fn run(search: &mut Search, told: &mut Told) -> Made<()> {
    let steps = search.steps;
    let d = steps.encoding().diagrams();
    let mut pieces = Pieces::new(steps);
    pieces.add(search, d.constant(false), steps.encoding().initial().clone())?;
    let mut idle = 0;
    for link in (0..steps.links()).cycle() {
        let reached = search.outcome.reached.clone();
        let new = d.minus(&steps.next_link(link, &reached)?, &reached)?;
        idle = if new.is_empty() { idle + 1 } else { 0 };
        if !new.is_empty() {
            pieces.add(search, reached, new.clone())?;
        }
        search.tell(&new, told)?;
        if search.is_done() || idle == steps.links() {
            break;
        }
    }
    Ok(())
}
