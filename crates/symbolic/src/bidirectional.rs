//! Breadth-first search from both ends: from the initial state and from the goal.
//!
//! Pohl, "Bi-directional Search" (1971), with sets of states; target enlargement: Yang, Dill,
//! "Validation with Guided Search of the State Space" (DAC 1998).
//!
//! ```text
//! layers, targets := [initial], [goal]
//! until the last layer meets the last target:
//!   on the side that is chosen:
//!     layers:  add successors of the last layer, minus all layers
//!     targets: add predecessors of the last target, minus all targets
//!   if there are none: the goal is out of reach
//! ```
//! Both ends grow by one step at a time, so layers and targets meet as soon as their depths
//! together are the distance, and the way is a shortest one.
//!
//! | side chosen | |
//! |---|---|
//! | [`Turns::Smaller`] | whose last set has fewer nodes |
//! | [`Turns::Backward`] | the goal's, as long as it grows |
//! | [`Turns::Enlarge`] | the goal's, until its set has more nodes than that, then the other |
//!
//! Predecessors may be states that cannot be reached, and are not known to be: where there are
//! very many, the goal's side grows out of hand, which is why a side is chosen.

use crate::diagram::{Made, Set};
use crate::reach::{Corridor, Outcome, Search, Sought, Told, Which};

use crate::steps::Steps;

/// Which side goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// The one with fewer nodes.
    Smaller,
    /// The goal's.
    Backward,
    /// The goal's, as long as it has at most so many nodes.
    Enlarge(usize),
}

/// Searches for all that is sought, one after the other.
pub fn bidirectional(steps: &Steps, sought: &Sought, turns: Turns, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = each(&mut search, turns, told).err();
    search.outcome
}

fn each(search: &mut Search, turns: Turns, told: &mut Told) -> Made<()> {
    let d = search.steps.encoding().diagrams();
    for which in search.open() {
        search.outcome.reached = d.constant(false);
        let goal = search.goal(which)?;
        let forward = Side::new(search.steps.encoding().initial())?;
        let backward = Side::new(&goal)?;
        let mut ends = Ends { steps: search.steps, turns, enlarging: true, forward, backward };
        ends.run(search, which, told)?;
    }
    Ok(())
}

/// Layers around one end.
struct Side {
    layers: Vec<Set>,
    all: Set,
}

impl Side {
    fn new(first: &Set) -> Made<Side> {
        Ok(Side { layers: vec![first.clone()], all: first.clone() })
    }

    fn last(&self) -> &Set {
        &self.layers[self.layers.len() - 1]
    }
}

struct Ends<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    turns: Turns,
    /// Whether the goal's side has been small until now.
    enlarging: bool,
    forward: Side,
    backward: Side,
}

impl Ends<'_, '_, '_> {
    fn run(&mut self, search: &mut Search, which: Which, told: &mut Told) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        loop {
            search.outcome.reached = self.forward.all.clone();
            let depth = self.forward.layers.len() + self.backward.layers.len() - 2;
            search.outcome.progress.depth = depth as u32;
            let met = d.and(self.forward.last(), self.backward.last())?;
            if !met.is_empty() {
                search.outcome.found.push((which, self.way(met)?));
            }
            let frontier = self.forward.last().clone();
            search.note_failing(&frontier)?;
            search.tell(&frontier, told)?;
            let found = search.outcome.found.iter().any(|(found, _)| *found == which);
            if found || !self.grow(search.sought.whole)? {
                return Ok(());
            }
        }
    }

    /// Adds a layer on one side; answers whether they may still meet. Where all must be seen,
    /// the initial side goes on alone.
    fn grow(&mut self, whole: bool) -> Made<bool> {
        let encoding = self.steps.encoding();
        let d = encoding.diagrams();
        let back = !self.backward.last().is_empty() && self.goes_back();
        let (side, next) = match back {
            true => {
                let before = self.steps.previous(self.backward.last())?;
                (&mut self.backward, d.and(&before, encoding.valid())?)
            }
            false => {
                let next = self.steps.next(self.forward.last())?;
                (&mut self.forward, next)
            }
        };
        let new = d.minus(&next, &side.all)?;
        side.all = d.or(&side.all, &new)?;
        let any = !new.is_empty();
        side.layers.push(new);
        Ok(any || back && whole)
    }

    fn goes_back(&mut self) -> bool {
        let d = self.steps.encoding().diagrams();
        let size = d.size(self.backward.last());
        match self.turns {
            Turns::Backward => true,
            Turns::Smaller => size < d.size(self.forward.last()),
            Turns::Enlarge(most) => {
                self.enlarging &= size <= most;
                self.enlarging
            }
        }
    }

    /// The way through states where both sides meet.
    fn way(&self, met: Set) -> Made<Corridor> {
        let d = self.steps.encoding().diagrams();
        let mut corridor = vec![met.clone()];
        for layer in self.forward.layers.iter().rev().skip(1) {
            let before = self.steps.previous(&corridor[corridor.len() - 1])?;
            corridor.push(d.and(&before, layer)?);
        }
        corridor.reverse();
        // Every state of a target has a step into the next, so the walk goes on from any.
        let targets = self.backward.layers.iter().rev().skip(1);
        corridor.extend(targets.cloned());
        Ok(corridor)
    }
}
