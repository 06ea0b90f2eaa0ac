//! Greedy best-first search with sets of states: of all that is open, what the estimate says
//! is nearest.
//!
//! The selection of Edelkamp, Schuppan and others, "Survey on Directed Model Checking"
//! (MoChArt 2008), Fig. 2, by the estimate alone (Pearl, "Heuristics", 1984):
//!
//! ```text
//! Select(Open): Open and H(j), of the least j for which there are any
//! ```
//! Ways are not shortest. Nothing is expanded twice, so it ends; what the estimate proves to
//! be a dead end is not expanded at all.

use crate::diagram::{Diagrams, Made, Set};
use crate::estimate::{Estimate, Make};
use crate::pieces::{self, Open};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::Steps;

/// Searches for all that is sought, one after the other, each by the estimate that is made
/// for it.
pub fn greedy(steps: &Steps, sought: &Sought, estimate: &Make, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = each(&mut search, estimate, told).err();
    search.outcome
}

fn each(search: &mut Search, make: &Make, told: &mut Told) -> Made<()> {
    for which in search.open() {
        if !search.open().contains(&which) {
            continue;
        }
        let (_, estimate) = search.estimate(which, make)?;
        let mut open = Nearest::new(search.steps.encoding().diagrams(), &estimate);
        pieces::run(search, &mut open, Some(which), told)?;
    }
    Ok(())
}

/// Open states by their estimate.
struct Nearest<'d> {
    diagrams: &'d Diagrams,
    estimate: &'d Estimate,
    by_value: Vec<Set>,
}

impl<'d> Nearest<'d> {
    fn new(diagrams: &'d Diagrams, estimate: &'d Estimate) -> Self {
        let none = diagrams.constant(false);
        Nearest { diagrams, estimate, by_value: vec![none; estimate.layers().len()] }
    }
}

impl Open for Nearest<'_> {
    fn put(&mut self, new: Set) -> Made<()> {
        for (open, layer) in self.by_value.iter_mut().zip(self.estimate.layers()) {
            *open = self.diagrams.or(open, &self.diagrams.and(&new, layer)?)?;
        }
        Ok(())
    }

    fn take(&mut self) -> Made<Option<Set>> {
        let least = self.by_value.iter_mut().find(|open| !open.is_empty());
        Ok(least.map(|open| std::mem::replace(open, self.diagrams.constant(false))))
    }
}
