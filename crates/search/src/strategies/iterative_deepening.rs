//! Iterative-deepening A* with a transposition table.
//!
//! Korf, "Depth-first iterative-deepening: an optimal admissible tree search"
//! (Artificial Intelligence 27, 1985); the table is that of Reinefeld,
//! Marsland, "Enhanced Iterative-Deepening Search" (1994).
//!
//! ```text
//! U := 1
//! loop:
//!   search depth-first, without what has f = g × h above U
//!   if everything was found, or nothing was cut: done
//!   U := the least f that was cut
//! ```
//! A round sees all that costs at most U, so what the first successful round
//! finds is a best one, if h is admissible. Rounds that differ in one step
//! repeat each other, which costs little where every level is several times
//! larger than the one before, and much where levels do not grow.
//!
//! The memory is the table and the stack, both bounded: a state for which the
//! stack has no room ends the search without an answer. The table may forget,
//! so a state on the path is never entered again; together with the table this
//! ends cycles, those that cost nothing too.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Limits, Price, StopReason};

use crate::costs::{Costs, Priced, Steps};
use crate::depth_first::table::Table;
use crate::depth_first::{Manner, Order, Search, counts_apart, keeps_order};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::Outcome;

/// Iterative-deepening A*.
pub const IDASTAR: Row<StrategyBuilder> = Row {
    name: "idastar",
    kind: Kind::Strategy,
    about: "iterative-deepening A*: depth-first rounds, each up to the least sum of path and estimate that the one before cut; a table and a stack are all its memory",
    cite: "Korf 1985; Reinefeld, Marsland 1994",
    parameters: &[ESTIMATE, TABLE],
    needs: &[],
    gives: &[
        Capability::Complete,
        Capability::Directed,
        Capability::Optimal,
        Capability::MemoryBounded,
        Capability::Costs,
    ],
    uses: &[],
    build: |call, _| directed(call, &[TABLE.name], Deepening { memory: Frugal::read(call)? }),
};

/// The parameter of searches that have a table instead of a store.
pub(crate) const TABLE: Parameter = Parameter {
    name: "table",
    about: "the megabytes of the table of states entered lately",
    default: "32",
};

const MEGABYTE: usize = 1 << 20;

/// What the stack of such a search may use. It takes up to twice that much,
/// because its vectors double. With the table, the model and its compiled code
/// that stays below 64 MB.
const STACK: usize = 9 * MEGABYTE;

/// The memory of a search that has a table instead of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frugal {
    table: usize,
}

impl Frugal {
    pub(crate) fn read(call: &Call) -> Result<Frugal, String> {
        let megabytes = TABLE.at_least(call, 1)? as usize;
        Ok(Frugal { table: megabytes.saturating_mul(MEGABYTE) })
    }

    /// The table; under a limit on memory at most half of that.
    pub(crate) fn table(self, width: usize, limits: &Limits) -> Result<Table, StopReason> {
        let most = limits.memory.map_or(usize::MAX, |memory| memory / 2);
        Table::new(width, self.table.min(most))
    }

    /// What the stack may use; under a limit on memory at most a fifth, since
    /// it may take twice that much.
    pub(crate) fn stack(self, limits: &Limits) -> usize {
        limits.memory.map_or(STACK, |memory| STACK.min(memory / 5))
    }
}

#[derive(Debug)]
struct Deepening {
    memory: Frugal,
}

impl Algorithm for Deepening {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        match run.task.pricing {
            None => self.deepen(run, Steps),
            Some(pricing) => self.deepen(run, Priced::new(pricing)),
        }
    }
}

impl Deepening {
    fn deepen<C: Costs>(&self, run: Context<'_, '_>, costs: C) -> Outcome
    where
        C::Value: Into<Price>,
    {
        let Context { task, guide, watch, .. } = run;
        let guide = &mut guide.instance();
        let mut table = match self.memory.table(task.space.width(), watch.limits()) {
            Ok(table) => table,
            Err(reason) => return Outcome::stopped(reason),
        };
        table.set_growing(keeps_order(task) && !counts_apart::<C>(watch));
        let stack = self.memory.stack(watch.limits());
        let manner = Manner { order: Order::Best, trusting: true, improving: false, stack };
        let mut threshold: Price = costs.one().into();
        let mut search = Search::new(task, manner, table, guide, watch, costs);
        let stopped = loop {
            search.memory.start_round(true);
            search.threshold = Some(threshold);
            if let Err(reason) = search.run(watch) {
                break Some(reason);
            }
            if search.is_complete() {
                break None;
            }
            match search.cut {
                // More rounds would not see more.
                _ if search.overflown => break Some(StopReason::Memory),
                None => break search.beyond(),
                Some(cut) => threshold = cut,
            }
        };
        let complete = search.is_complete();
        let optimal = search.is_admissible() && search.is_exhaustive();
        let at_least = match stopped {
            _ if !optimal => 0,
            None if !complete => Price::MAX,
            _ => search.best().map_or(threshold, |best| best.min(threshold)),
        };
        search.outcome(stopped.filter(|_| !complete), optimal, at_least)
    }
}
