//! SetA*: A* by relations that are told apart by how they change the estimate.
//!
//! Jensen, Bryant, Veloso, "SetA*: An Efficient BDD-Based Heuristic Search Algorithm"
//! (AAAI 2002):
//!
//! ```text
//! T(d) := those steps (s, s') with Heuristic(s') - Heuristic(s) = d
//! frontier := {(Start, 0, Heuristic(Start))}
//! while frontier is not empty:
//!   S, g, h := the node with the least g + h; nodes with equal g and h are one
//!   if S meets Goal: return the way
//!   S := S minus what was expanded
//!   for every d: frontier += (successors of S by T(d), g + 1, h + d)
//! ```
//! So no estimate is computed while the search runs: where a step leads to says its relation.
//! The price is more relations, and more nodes for them; `matrix` intersects instead.
//!
//! **Deviations.** States of the initial set with different estimates are nodes of their own.
//! What was expanded with the same estimate is subtracted, which is right for consistent
//! estimates (the paper leaves it to the user). In systems where one step is several moves
//! (control that is held) a step has no one relation: there successors are told apart
//! afterwards.

use std::collections::BTreeMap;

use homing_budget::checkpoint;

use crate::buckets::{Buckets, Expand, Next, Options};
use crate::diagram::{Made, Set};
use crate::estimate::{Estimate, Make};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::{Part, Steps};

/// Searches for all that is sought, one after the other, each by the estimate that is made
/// for it.
pub fn set_a_star(
    steps: &Steps,
    sought: &Sought,
    options: Options,
    estimate: &Make,
    told: &mut Told,
) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = each(&mut search, options, estimate, told).err();
    search.outcome
}

fn each(search: &mut Search, options: Options, make: &Make, told: &mut Told) -> Made<()> {
    let steps = search.steps;
    for which in search.open() {
        let (goal, estimate) = search.estimate(which, make)?;
        search.outcome.reached = steps.encoding().diagrams().constant(false);
        let relations = Relations::new(steps, &estimate)?;
        Buckets::new(steps, &estimate, options, &relations)?.run(search, (which, &goal), told)?;
    }
    Ok(())
}

/// Steps by how they change the estimate.
struct Relations<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    estimate: &'r Estimate,
    by_change: BTreeMap<i64, Part>,
}

impl<'r, 'e, 's> Relations<'r, 'e, 's> {
    fn new(steps: &'r Steps<'e, 's>, estimate: &'r Estimate) -> Made<Self> {
        let mut by_change = BTreeMap::<i64, Part>::new();
        let layers = estimate.layers();
        // A consistent estimate falls by one at most.
        for (before, from) in layers.iter().enumerate().filter(|_| !steps.has_control()) {
            for (after, to) in layers.iter().enumerate().skip(before.saturating_sub(1)) {
                checkpoint();
                let part = steps.between(from, to)?;
                match by_change.get_mut(&(after as i64 - before as i64)) {
                    Some(all) => steps.join_parts(all, &part)?,
                    None => {
                        by_change.insert(after as i64 - before as i64, part);
                    }
                }
            }
        }
        Ok(Relations { steps, estimate, by_change })
    }
}

impl Expand for Relations<'_, '_, '_> {
    fn next(&self, states: &Set, value: usize) -> Made<Vec<Next>> {
        let d = self.steps.encoding().diagrams();
        let mut all = Vec::new();
        if self.steps.has_control() {
            let image = self.steps.next(states)?;
            for (value, layer) in self.estimate.layers().iter().enumerate() {
                all.push(Next { cost: 1, value, states: d.and(&image, layer)? });
            }
            return Ok(all);
        }
        for (change, part) in &self.by_change {
            let Ok(value) = usize::try_from(value as i64 + change) else { continue };
            let states = self.steps.next_by(part, states)?;
            if !states.is_empty() {
                all.push(Next { cost: 1, value, states });
            }
        }
        Ok(all)
    }

    fn previous(&self, states: &Set, _: u64) -> Made<Set> {
        self.steps.previous(states)
    }
}
