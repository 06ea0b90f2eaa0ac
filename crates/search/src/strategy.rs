//! Strategies by name: the catalogue, and how each is run.

use homing_core::catalogue::{self, Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::{Heuristic, Store, Watch};

use crate::best_first::{Rank, best_first};
use crate::depth_first::depth_first;
use crate::open::{Buckets, Fifo, Heap};
use crate::task::{Outcome, Task};

/// A strategy, ready to run.
#[derive(Clone, PartialEq, Debug)]
pub enum Strategy {
    /// Level by level.
    Breadth,
    /// Along one path as long as it is new; with a seed, in random order.
    Depth(Option<u64>),
    /// By an estimate alone.
    Greedy(Call),
    /// By depth and estimate together.
    AStar(Call),
}

/// Makes a strategy from its call and the seed of the run.
pub type StrategyBuilder = fn(&Call, u64) -> Result<Strategy, String>;

const ESTIMATE: Parameter = Parameter {
    name: "estimate",
    about: "the estimate that directs the search",
    default: "goal-count",
};

/// All strategies. The first is the default.
pub const STRATEGIES: &[Row<StrategyBuilder>] = &[
    Row {
        name: "breadth",
        kind: Kind::Strategy,
        about: "breadth-first search: level by level; the first trace is a shortest one",
        cite: "Moore 1959",
        parameters: &[],
        needs: &[],
        gives: &[Capability::Complete, Capability::Shortest],
        build: |call, _| plain(call, Strategy::Breadth),
    },
    Row {
        name: "depth",
        kind: Kind::Strategy,
        about: "depth-first search: along one path as long as its states are new",
        cite: "Tarjan 1972",
        parameters: &[],
        needs: &[],
        gives: &[Capability::Complete],
        build: |call, _| plain(call, Strategy::Depth(None)),
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
        parameters: &[ESTIMATE],
        needs: &[],
        gives: &[Capability::Complete, Capability::Directed],
        build: |call, _| directed(call).map(Strategy::Greedy),
    },
    Row {
        name: "astar",
        kind: Kind::Strategy,
        about: "A*: by depth and estimate together; with an admissible estimate the first trace is a shortest one",
        cite: "Hart, Nilsson, Raphael 1968",
        parameters: &[ESTIMATE],
        needs: &[Capability::KeepsStates, Capability::Exact],
        gives: &[Capability::Complete, Capability::Directed],
        build: |call, _| directed(call).map(Strategy::AStar),
    },
];

fn plain(call: &Call, strategy: Strategy) -> Result<Strategy, String> {
    call.allow_named(&[])?;
    Ok(strategy)
}

fn random_depth(call: &Call, seed: u64) -> Result<Strategy, String> {
    call.allow_named(&["seed"])?;
    Ok(Strategy::Depth(Some(call.number("seed", seed)?)))
}

/// The estimate of a directed strategy: its argument, by name or not.
fn directed(call: &Call) -> Result<Call, String> {
    call.allow(&["estimate"])?;
    let given: Vec<&Expression> =
        call.named("estimate").into_iter().chain(call.unnamed()).collect();
    match given[..] {
        [] => Ok(Call { name: ESTIMATE.default.into(), arguments: Vec::new() }),
        [estimate] => estimate.as_call().cloned(),
        _ => Err(format!("`{}` takes one estimate", call.name)),
    }
}

/// The strategy that `call` names, with its row.
pub fn build(call: &Call, seed: u64) -> Result<(Strategy, &'static Row<StrategyBuilder>), String> {
    let row = catalogue::find(STRATEGIES, Kind::Strategy, &call.name)?;
    Ok(((row.build)(call, seed)?, row))
}

impl Strategy {
    /// The estimate it is directed by.
    pub fn estimate(&self) -> Option<&Call> {
        match self {
            Strategy::Greedy(estimate) | Strategy::AStar(estimate) => Some(estimate),
            Strategy::Breadth | Strategy::Depth(_) => None,
        }
    }

    /// Searches for `task`.
    pub fn run(
        &self,
        task: &Task,
        store: &mut dyn Store,
        heuristic: Option<Box<dyn Heuristic + '_>>,
        watch: &mut Watch,
    ) -> Outcome {
        match self {
            Strategy::Breadth => {
                best_first(task, Rank::Depth, store, &mut Fifo::default(), None, watch)
            }
            Strategy::Depth(seed) => depth_first(task, *seed, store, watch),
            Strategy::Greedy(_) => {
                best_first(task, Rank::Estimate, store, &mut Buckets::default(), heuristic, watch)
            }
            Strategy::AStar(_) => {
                best_first(task, Rank::Sum, store, &mut Heap::default(), heuristic, watch)
            }
        }
    }
}
