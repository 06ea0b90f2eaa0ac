//! The orders of the best-first kernel: greedy search, Dijkstra's algorithm,
//! A*, weighted A*, k-best-first search.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Open, Sharded, StopReason, Store, Watch};

use crate::best_first::{Helpers, Manner, Rank, best_first, kept, with_helpers};
use crate::external::Order;
use crate::guide::Guiding;
use crate::kept::Keep;
use crate::keys::Weights;
use crate::open::{Buckets, Fifo, Heap, Levels, Lifo, Matrix};
use crate::strategy::{
    Algorithm, Context, ESTIMATE, PREFER, Strategy, StrategyBuilder, blind, directed,
};
use crate::task::{Outcome, Task};

const NEWEST: Parameter = Parameter {
    name: "newest",
    about: "1: of states with equal estimates the newest first, which goes deep; 0: the oldest",
    default: "0",
};

/// Dijkstra's algorithm.
pub const DIJKSTRA: Row<StrategyBuilder> = Row {
    name: "dijkstra",
    kind: Kind::Strategy,
    about: "Dijkstra's algorithm: the cheapest path first; the first trace costs least",
    cite: "Dijkstra 1959",
    parameters: &[],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Shortest, Capability::Costs, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        call.allow_named(&[])?;
        blind(call, &[], Ordered::by(Rank::Sum(Weights::EQUAL)))
    },
};

/// Greedy best-first search.
pub const GREEDY: Row<StrategyBuilder> = Row {
    name: "greedy",
    kind: Kind::Strategy,
    about: "greedy best-first search: whatever the estimate says is nearest to the goal",
    cite: "Doran, Michie 1966; Pearl 1984",
    parameters: &[ESTIMATE, PREFER, NEWEST],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let newest = NEWEST.number(call)? != 0;
        directed(call, &[PREFER.name, NEWEST.name], Ordered { newest, ..Ordered::GREEDY })
    },
};

/// A*.
pub const ASTAR: Row<StrategyBuilder> = Row {
    name: "astar",
    kind: Kind::Strategy,
    about: "A*: by path and estimate together; with an admissible estimate the first trace is a best one",
    cite: "Hart, Nilsson, Raphael 1968",
    parameters: &[ESTIMATE, PREFER],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[
        Capability::Complete,
        Capability::Directed,
        Capability::Optimal,
        Capability::Costs,
        Capability::Reduces,
    ],
    uses: &[],
    build: |call, _| directed(call, &[PREFER.name], Ordered::by(Rank::Sum(Weights::EQUAL))),
};

const ALPHA: Parameter =
    Parameter { name: "alpha", about: "α in percent, from 1 to 100", default: "20" };

/// Weighted A*.
pub const WEIGHTED: Row<StrategyBuilder> = Row {
    name: "weighted",
    kind: Kind::Strategy,
    about: "weighted A*: f = αg + (1−α)h; below one half it is greedier, and its trace at most (1−α)/α times as long as a shortest",
    cite: "Pohl 1970",
    parameters: &[ESTIMATE, PREFER, ALPHA],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: weighted,
};

const K: Parameter =
    Parameter { name: "k", about: "how many are expanded together", default: "32" };

/// k-best-first search.
pub const K_BEST: Row<StrategyBuilder> = Row {
    name: "k-best",
    kind: Kind::Strategy,
    about: "k-best-first search: the k states of least path and estimate are expanded together",
    cite: "Felner, Kraus, Korf 2003",
    parameters: &[ESTIMATE, K],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let jointly = K.at_least(call, 1)? as usize;
        let manner = Manner { jointly, ..Manner::by(Rank::Sum(Weights::EQUAL)) };
        directed(call, &["k"], Ordered { manner, newest: false })
    },
};

fn weighted(call: &Call, _: u64) -> Result<Strategy, String> {
    let alpha = ALPHA.at_least(call, 1)?;
    if alpha > 100 {
        return Err(format!("`alpha` of `weighted` is a percentage, {alpha} is not"));
    }
    // In lowest terms, for small keys.
    let by = (1..=100).rev().find(|d| alpha % d == 0 && 100 % d == 0).unwrap_or(1);
    let weights = Weights { path: (alpha / by) as u32, estimate: ((100 - alpha) / by) as u32 };
    directed(call, &[PREFER.name, "alpha"], Ordered::by(Rank::Sum(weights)))
}

/// A best-first search over the open list that fits its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered {
    pub manner: Manner,
    /// Whether, of equal estimates, the newest comes first.
    pub newest: bool,
}

impl Ordered {
    pub(crate) const GREEDY: Ordered =
        Ordered { manner: Manner { rank: Rank::Estimate, jointly: 1, beam: false }, newest: false };

    pub(crate) fn by(rank: Rank) -> Ordered {
        Ordered { manner: Manner::by(rank), newest: false }
    }

    /// Searches with this store.
    pub(crate) fn search(
        &self,
        task: &Task,
        store: &mut dyn Store,
        guide: &mut Guiding<'_>,
        watch: &mut Watch,
    ) -> Outcome {
        self.search_with(task, store, guide, None, watch)
    }

    /// The same; others may help.
    fn search_with(
        &self,
        task: &Task,
        store: &mut dyn Store,
        guide: &mut Guiding<'_>,
        helpers: Option<Helpers<'_, '_>>,
        watch: &mut Watch,
    ) -> Outcome {
        let search = match self.manner.rank {
            Rank::Depth => search::<Fifo>,
            Rank::Newest => search::<Lifo>,
            Rank::Estimate if self.newest => search::<Buckets<true>>,
            Rank::Estimate => search::<Buckets<false>>,
            // Sums of other costs than steps can be any numbers.
            Rank::Sum(_) if task.pricing.is_some() => search::<Heap>,
            Rank::Sum(_) => search::<Matrix>,
        };
        search(task, self.manner, store, guide, helpers, watch)
    }

    /// The same by one thread, kept in a file.
    fn search_kept(
        &self,
        run: Context<'_, '_>,
        keep: &mut Keep<'_>,
    ) -> Result<Outcome, StopReason> {
        let Context { task, stores, guide, watch } = run;
        let (manner, guiding) = (self.manner, &mut guide.instance());
        keep.newest = self.newest || manner.rank == Rank::Newest;
        let search = match manner.rank {
            Rank::Depth => kept::<dyn Store, Fifo>,
            Rank::Newest => kept::<dyn Store, Lifo>,
            Rank::Estimate if self.newest => kept::<dyn Store, Buckets<true>>,
            Rank::Estimate => kept::<dyn Store, Buckets<false>>,
            Rank::Sum(_) if task.pricing.is_some() => kept::<dyn Store, Heap>,
            Rank::Sum(_) => kept::<dyn Store, Matrix>,
        };
        Ok(search(task, manner, stores.fresh()?, guiding, keep, watch))
    }

    /// Searches alone at first; others help where the search turns out long.
    fn search_sharded(&self, run: Context<'_, '_>) -> Result<Outcome, StopReason> {
        let Context { task, stores, guide, watch } = run;
        let mut guiding = guide.instance();
        let threads = watch.crew().threads;
        // Of equal ranks the newest first is an order for one.
        let alone = threads == 1 || self.newest;
        match stores.sharded(if alone { 0 } else { threads })? {
            Some(Sharded { first, shards }) => {
                let helpers = (!shards.is_empty()).then_some(Helpers { shards, guide });
                Ok(self.search_with(task, first, &mut guiding, helpers, watch))
            }
            None => Ok(self.search(task, stores.fresh()?, &mut guiding, watch)),
        }
    }
}

impl Algorithm for Ordered {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        self.search_sharded(run).unwrap_or_else(Outcome::stopped)
    }

    fn on_disk(&self) -> Option<Order> {
        let Manner { rank, jointly, beam } = self.manner;
        match rank {
            Rank::Depth => Some(Order::Breadth),
            Rank::Sum(weights) if weights == Weights::EQUAL => {
                (jointly == 1 && !beam).then_some(Order::AStar)
            }
            _ => None,
        }
    }

    fn run_kept(&self, run: Context<'_, '_>, keep: &mut Keep<'_>) -> Option<Outcome> {
        Some(self.search_kept(run, keep).unwrap_or_else(Outcome::stopped))
    }

    fn can_be_kept(&self) -> bool {
        true
    }

    fn newest(&self) -> bool {
        self.newest
    }
}

/// One open list, or one a queue of the preference.
fn search<O: Open + Default>(
    task: &Task,
    manner: Manner,
    store: &mut dyn Store,
    guide: &mut Guiding<'_>,
    helpers: Option<Helpers<'_, '_>>,
    watch: &mut Watch,
) -> Outcome {
    if guide.preference.is_some() {
        return best_first(task, manner, store, Levels::<O>::default(), guide, watch);
    }
    with_helpers(task, manner, store, O::default(), guide, helpers, watch)
}
