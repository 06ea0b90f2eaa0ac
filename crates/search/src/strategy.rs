//! Strategies by name: the catalogue, and how each is run.

use homing_core::catalogue::{self, Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::{Open, Store, Watch};

use crate::best_first::{Guide, Rank, best_first};
use crate::depth_first::depth_first;
use crate::open::{Buckets, Fifo, Heap, Levels, Lifo};
use crate::task::{Outcome, Task};

/// A strategy, ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Strategy {
    /// The order in which states are looked at.
    pub order: Order,
    /// The estimate that directs it.
    pub estimate: Option<Call>,
    /// The preference among transitions around it.
    pub prefer: Option<Call>,
}

/// An order in which states are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Level by level.
    Breadth,
    /// Along one path as long as it is new; with a seed, in random order.
    Depth(Option<u64>),
    /// By an estimate alone.
    Greedy,
    /// By depth and estimate together.
    AStar,
}

/// Makes a strategy from its call and the seed of the run.
pub type StrategyBuilder = fn(&Call, u64) -> Result<Strategy, String>;

const ESTIMATE: Parameter = Parameter {
    name: "estimate",
    about: "the estimate that directs the search",
    default: "goal-count",
};

const PREFER: Parameter = Parameter {
    name: "prefer",
    about: "the preference among transitions, as in `prefer=contexts`",
    default: "none",
};

/// All strategies. The first is the default.
pub const STRATEGIES: &[Row<StrategyBuilder>] = &[
    Row {
        name: "breadth",
        kind: Kind::Strategy,
        about: "breadth-first search: level by level; the first trace is a shortest one",
        cite: "Moore 1959",
        parameters: &[PREFER],
        needs: &[],
        gives: &[Capability::Complete, Capability::Shortest],
        build: |call, _| blind(call, Order::Breadth),
    },
    Row {
        name: "depth",
        kind: Kind::Strategy,
        about: "depth-first search: along one path as long as its states are new",
        cite: "Tarjan 1972",
        parameters: &[PREFER],
        needs: &[],
        gives: &[Capability::Complete],
        build: |call, _| blind(call, Order::Depth(None)),
    },
    Row {
        name: "random-depth",
        kind: Kind::Strategy,
        about: "depth-first search that takes successors in random order",
        cite: "Dwyer, Elbaum, Person, Purandare 2007",
        parameters: &[Parameter {
            name: "seed",
            about: "the seed; that of the run where none is given",
            default: "seed of the run",
        }],
        needs: &[],
        gives: &[Capability::Complete],
        build: random_depth,
    },
    Row {
        name: "greedy",
        kind: Kind::Strategy,
        about: "greedy best-first search: whatever the estimate says is nearest to the goal",
        cite: "Doran, Michie 1966; Pearl 1984",
        parameters: &[ESTIMATE, PREFER],
        needs: &[],
        gives: &[Capability::Complete, Capability::Directed],
        build: |call, _| directed(call, Order::Greedy),
    },
    Row {
        name: "astar",
        kind: Kind::Strategy,
        about: "A*: by depth and estimate together; with an admissible estimate the first trace is a shortest one",
        cite: "Hart, Nilsson, Raphael 1968",
        parameters: &[ESTIMATE, PREFER],
        needs: &[Capability::KeepsStates, Capability::Exact],
        gives: &[Capability::Complete, Capability::Directed],
        build: |call, _| directed(call, Order::AStar),
    },
];

fn blind(call: &Call, order: Order) -> Result<Strategy, String> {
    call.allow_named(&["prefer"])?;
    Ok(Strategy { order, estimate: None, prefer: preference(call)? })
}

fn random_depth(call: &Call, seed: u64) -> Result<Strategy, String> {
    call.allow_named(&["seed"])?;
    let order = Order::Depth(Some(call.number("seed", seed)?));
    Ok(Strategy { order, estimate: None, prefer: None })
}

/// A directed strategy: its estimate is an argument, by name or not.
fn directed(call: &Call, order: Order) -> Result<Strategy, String> {
    call.allow(&["estimate", "prefer"])?;
    let given: Vec<&Expression> =
        call.named("estimate").into_iter().chain(call.unnamed()).collect();
    let estimate = match given[..] {
        [] => Call { name: ESTIMATE.default.into(), arguments: Vec::new() },
        [estimate] => estimate.as_call()?.clone(),
        _ => return Err(format!("`{}` takes one estimate", call.name)),
    };
    Ok(Strategy { order, estimate: Some(estimate), prefer: preference(call)? })
}

fn preference(call: &Call) -> Result<Option<Call>, String> {
    match call.named("prefer") {
        None => Ok(None),
        Some(prefer) => {
            let prefer = prefer.as_call()?.clone();
            Ok((prefer.name != PREFER.default).then_some(prefer))
        }
    }
}

/// The strategy that `call` names, with its row.
pub fn build(call: &Call, seed: u64) -> Result<(Strategy, &'static Row<StrategyBuilder>), String> {
    let row = catalogue::find(STRATEGIES, Kind::Strategy, &call.name)?;
    Ok(((row.build)(call, seed)?, row))
}

impl Strategy {
    /// Whether it is made for one goal: directed by an estimate, or by a
    /// preference that looks at the goal.
    pub fn is_directed(&self) -> bool {
        self.estimate.is_some() || self.prefer.is_some()
    }

    /// Searches for `task`.
    pub fn run(
        &self,
        task: &Task,
        store: &mut dyn Store,
        guide: Guide<'_>,
        watch: &mut Watch,
    ) -> Outcome {
        match self.order {
            Order::Breadth => search::<Fifo>(task, Rank::Depth, store, guide, watch),
            // A preference has several queues, not one stack that is a path.
            Order::Depth(_) if guide.preference.is_some() => {
                search::<Lifo>(task, Rank::Newest, store, guide, watch)
            }
            Order::Depth(seed) => depth_first(task, seed, store, watch),
            Order::Greedy => search::<Buckets>(task, Rank::Estimate, store, guide, watch),
            Order::AStar => search::<Heap>(task, Rank::Sum, store, guide, watch),
        }
    }
}

/// A best-first search with one open list, or one a queue of the preference.
fn search<O: Open + Default>(
    task: &Task,
    rank: Rank,
    store: &mut dyn Store,
    guide: Guide<'_>,
    watch: &mut Watch,
) -> Outcome {
    match guide.preference {
        None => best_first(task, rank, store, &mut O::default(), guide, watch),
        Some(_) => best_first(task, rank, store, &mut Levels::<O>::default(), guide, watch),
    }
}
