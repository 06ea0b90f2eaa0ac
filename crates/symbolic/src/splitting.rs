//! Frontier splitting: what is found waits in parts of bounded size, the smallest of which is
//! expanded next.
//!
//! Fraer, Kamhi, Ziv, Vardi, Fix, "Prioritized Traversal: Efficient Reachability Analysis for
//! Verification and Falsification" (CAV 2000):
//!
//! ```text
//! queue := initial
//! while queue is not empty:
//!   F := the smallest diagram of the queue
//!   if F is larger than the threshold: put both halves of F back
//!   else: put what is new after F into the queue
//!
//! halves of F: F and x, F and not x, by that variable x for which the larger is smallest
//! ```
//! A set is not split where no variable makes both halves smaller. To choose a variable, at
//! most `TRIED` are tried, spread over all that the set depends on.
//!
//! What waits is no layer, so ways are not shortest; in exchange something of every depth is
//! expanded soon, as long as its diagram is small.

use crate::diagram::{Diagrams, Made, Set};
use crate::pieces::{self, Open};
use crate::reach::{Outcome, Search, Sought, Told};
use crate::steps::Steps;

/// Variables that are tried to split a set.
const TRIED: usize = 16;

/// Searches for all that is sought; parts of more nodes than `most` are split.
pub fn splitting(steps: &Steps, sought: &Sought, most: usize, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    let d = steps.encoding().diagrams();
    let mut open = Parts { diagrams: d, most, parts: Vec::new() };
    search.outcome.stopped = pieces::run(&mut search, &mut open, None, told).err();
    search.outcome
}

/// Parts of what is open, the largest first.
struct Parts<'d> {
    diagrams: &'d Diagrams,
    most: usize,
    parts: Vec<(usize, Set)>,
}

impl Open for Parts<'_> {
    fn put(&mut self, new: Set) -> Made<()> {
        if !new.is_empty() {
            let size = self.diagrams.size(&new);
            let at = self.parts.partition_point(|(other, _)| *other > size);
            self.parts.insert(at, (size, new));
        }
        Ok(())
    }

    fn take(&mut self) -> Made<Option<Set>> {
        while let Some((size, part)) = self.parts.pop() {
            match size > self.most {
                true => match self.halves(&part, size)? {
                    Some((one, other)) => {
                        self.put(one)?;
                        self.put(other)?;
                    }
                    None => return Ok(Some(part)),
                },
                false => return Ok(Some(part)),
            }
        }
        Ok(None)
    }
}

impl Parts<'_> {
    /// Both halves of a set, if they are smaller than it.
    fn halves(&self, part: &Set, size: usize) -> Made<Option<(Set, Set)>> {
        let d = self.diagrams;
        let support: Vec<u32> = d.support(part).into_iter().collect();
        let mut best = (size, None);
        for variable in support.iter().step_by(support.len().div_ceil(TRIED).max(1)) {
            let literal = d.variable(*variable)?;
            let (one, other) = (d.and(part, &literal)?, d.minus(part, &literal)?);
            let larger = d.size(&one).max(d.size(&other));
            if larger < best.0 && !one.is_empty() && !other.is_empty() {
                best = (larger, Some((one, other)));
            }
        }
        Ok(best.1)
    }
}
