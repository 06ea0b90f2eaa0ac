//! A* with a matrix of sets, by costs and estimate: the directed search of the survey.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed Model Checking"
//! (MoChArt 2008), Fig. 5; here for any costs of steps:
//!
//! ```text
//! Open(i, j) := none; Open(0, j) := I and H(j)
//! while some Open(i, j) is not empty:
//!   f := the least i + j of these; g := the least i with Open(i, f - i) not empty
//!   Min := Open(g, f - g) minus Open(g - k, f - g) for all k up to the locality L
//!   if Min meets B: return the way
//!   for every cost c of steps, for every j:
//!     Open(g + c, j) := Open(g + c, j) or (successors of Min at cost c, and H(j))
//! ```
//! Successors are found as in breadth-first search and then told apart by their estimate;
//! `set_a_star` has relations for that. The queue itself is `buckets`.
//!
//! **Costs.** An estimate counts steps. Where every step costs at least `m`, `m` times the
//! estimate is a lower bound of the costs, and consistent; with free steps it is zero.
//! Steps are told apart by the cost of their move, so systems in which one step is several
//! moves (control that is held) are searched with costs of one only.

use std::collections::BTreeMap;

use crate::buckets::{Buckets, Expand, Next, Options};
use crate::diagram::{Made, Set};
use crate::estimate::{Estimate, Make};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::{Costs, Part, Steps};

/// Searches for all that is sought, one after the other, each by the estimate that is made
/// for it. Costs are one where none are given.
pub fn matrix(
    steps: &Steps,
    sought: &Sought,
    options: Options,
    costs: Option<&Costs>,
    estimate: &Make,
    told: &mut Told,
) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = each(&mut search, options, costs, estimate, told).err();
    search.outcome
}

fn each(
    search: &mut Search,
    options: Options,
    costs: Option<&Costs>,
    make: &Make,
    told: &mut Told,
) -> Made<()> {
    let steps = search.steps;
    let parts = match costs {
        Some(costs) if !steps.has_control() => Some(steps.by_cost(costs)?),
        _ => None,
    };
    for which in search.open() {
        let (goal, mut estimate) = search.estimate(which, make)?;
        if let Some(parts) = &parts {
            estimate = scaled(steps, &estimate, parts)?;
        }
        search.outcome.reached = steps.encoding().diagrams().constant(false);
        let rows = Rows { steps, estimate: &estimate, parts: parts.as_ref() };
        Buckets::new(steps, &estimate, options, &rows)?.run(search, (which, &goal), told)?;
    }
    Ok(())
}

/// An estimate of steps as one of costs: times what the cheapest step costs.
fn scaled(steps: &Steps, estimate: &Estimate, parts: &BTreeMap<u64, Part>) -> Made<Estimate> {
    let least = parts.keys().next().copied().unwrap_or(0);
    estimate.times(steps, usize::try_from(least).unwrap_or(usize::MAX))
}

/// Successors by their cost, told apart by their estimate.
struct Rows<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    estimate: &'r Estimate,
    parts: Option<&'r BTreeMap<u64, Part>>,
}

impl Rows<'_, '_, '_> {
    fn told_apart(&self, cost: u64, image: &Set, all: &mut Vec<Next>) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        for (value, layer) in self.estimate.layers().iter().enumerate() {
            let states = d.and(image, layer)?;
            if !states.is_empty() {
                all.push(Next { cost, value, states });
            }
        }
        Ok(())
    }
}

impl Expand for Rows<'_, '_, '_> {
    fn next(&self, states: &Set, _: usize) -> Made<Vec<Next>> {
        let mut all = Vec::new();
        match self.parts {
            None => self.told_apart(1, &self.steps.next(states)?, &mut all)?,
            Some(parts) => {
                for (cost, part) in parts {
                    self.told_apart(*cost, &self.steps.next_by(part, states)?, &mut all)?;
                }
            }
        }
        Ok(all)
    }

    fn previous(&self, states: &Set, cost: u64) -> Made<Set> {
        match self.parts.map(|parts| parts.get(&cost)) {
            None => self.steps.previous(states),
            Some(Some(part)) => self.steps.previous_by(part, states),
            Some(None) => Ok(self.steps.encoding().diagrams().constant(false)),
        }
    }
}
