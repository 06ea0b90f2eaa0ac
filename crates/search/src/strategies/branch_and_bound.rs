//! Depth-first branch and bound.
//!
//! Lawler, Wood, "Branch-and-Bound Methods: A Survey" (Operations Research
//! 14(4), 1966); as a way to adjust the bound it is in section 4 of the
//! survey: "decreasing U to the largest value smaller than the latest cost
//! value obtained".
//!
//! ```text
//! U := the user's bound, if any
//! search depth-first, least f first, without what has f = g × h above U,
//!   until a goal is found; no state is opened again
//! if none was found and nothing was cut: done
//! search again, opening states again that are reached at less cost:
//!   on finding a goal at cost g: keep the path, U := the greatest cost below g
//! the path kept last is a best one
//! ```
//! The first search is a quick way to some U: without any, a search that opens
//! states again would follow every way that is shorter than one it took before.
//!
//! Where several things are looked for, U falls only once each was found, to
//! below the worst of them.
//!
//! The memory is that of iterative-deepening A*: a table, a stack, and a watch
//! over cycles on the path. So it ends on every finite space; but where the
//! table is much smaller than the space, states are entered again and again,
//! and without a good bound from the start that can take exponentially long.
//! A state for which the stack has no room is not expanded; unless all such
//! states turn out to lie above U, nothing is proven.
//!
//! An estimate that is not admissible only orders successors and cuts nothing,
//! so the last path is a best one with any estimate. Ended early, the search
//! answers the best path so far.

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::{Price, StopReason};

use super::iterative_deepening::{Frugal, TABLE};
use crate::costs::{Costs, Priced, Steps};
use crate::depth_first::{Manner, Order, Search};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::Outcome;

/// Depth-first branch and bound.
pub const BRANCH_AND_BOUND: Row<StrategyBuilder> = Row {
    name: "branch-and-bound",
    kind: Kind::Strategy,
    about: "depth-first branch and bound: every trace found is the bound for the next, better one; on spaces much larger than its table it may take very long",
    cite: "Lawler, Wood 1966",
    parameters: &[ESTIMATE, TABLE],
    needs: &[],
    gives: &[
        Capability::Complete,
        Capability::Shortest,
        Capability::Directed,
        Capability::Optimal,
        Capability::MemoryBounded,
        Capability::Costs,
    ],
    uses: &[],
    build: |call, _| directed(call, &[TABLE.name], Improving { memory: Frugal::read(call)? }),
};

#[derive(Debug)]
struct Improving {
    memory: Frugal,
}

impl Algorithm for Improving {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        match run.task.pricing {
            None => self.improve(run, Steps),
            Some(pricing) => self.improve(run, Priced::new(pricing)),
        }
    }
}

impl Improving {
    fn improve<C: Costs>(&self, run: Context<'_, '_>, costs: C) -> Outcome
    where
        C::Value: Into<Price>,
    {
        let Context { task, guide, watch, .. } = run;
        let guide = &mut guide.instance();
        let table = match self.memory.table(task.space.width(), watch.limits()) {
            Ok(table) => table,
            Err(reason) => return Outcome::stopped(reason),
        };
        let stack = self.memory.stack(watch.limits());
        let manner = Manner { order: Order::Best, trusting: false, improving: false, stack };
        let mut search = Search::new(task, manner, table, guide, watch, costs);
        search.memory.start_round(false);
        let mut early = search.run(watch).err();
        // Then what was not found is not there, within the limits.
        let settled = !search.is_blurred() && !search.overflown;
        let beyond = search.beyond();
        // Without a bound for it, a second search would overflow as well.
        let hopeless = !search.is_complete() && search.overflown;
        if early.is_none() && !hopeless && !(settled && search.best().is_none()) {
            search.improve(settled);
            search.memory.start_round(true);
            early = search.run(watch).err();
        }
        let complete = search.is_complete();
        let beyond = if settled { beyond } else { search.beyond() };
        let stopped = early.or(beyond).filter(|_| !complete);
        let optimal = early.is_none() && search.is_exhaustive();
        let open = match stopped {
            None => Price::MAX,
            Some(StopReason::Bound) => search.above().unwrap_or(0),
            Some(_) => search.at_least(),
        };
        let at_least = match search.best() {
            _ if !optimal => search.at_least(),
            best => best.map_or(open, |best| best.min(open)),
        };
        search.outcome(stopped, optimal, at_least)
    }
}
