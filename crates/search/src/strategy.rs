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
    /// Whether, and how, the estimate is made finer from one search to the
    /// next.
    pub refine: Option<Refine>,
}

/// How abstraction-directed model checking goes round (Edelkamp et al.,
/// "Survey on Directed Model Checking", 2008, Fig. 1).
///
/// ```text
/// N := states, budget := patience
/// loop:
///   abstract the system with at most N states
///   if the goal cannot be reached in the abstraction: it holds, by abstraction
///   search the system, directed by the abstraction, for `budget` expansions
///   if the goal is found, or everything was searched: done
///   N := 2 N (at most `most`), budget := 2 budget (without end at the last N)
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refine {
    /// The states of the first abstraction.
    pub states: u64,
    /// The states of the last.
    pub most: u64,
    /// The expansions of the first search.
    pub patience: u64,
}

/// An order in which states are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Level by level.
    Breadth,
    /// Along one path as long as it is new; with a seed, in random order.
    Depth(Option<u64>),
    /// By an estimate alone; among equals the oldest, or the newest.
    Greedy {
        /// Whether the newest of equals comes first.
        newest: bool,
    },
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

const NEWEST: Parameter = Parameter {
    name: "newest",
    about: "1: of states with equal estimates the newest first, which goes deep; 0: the oldest",
    default: "0",
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
        parameters: &[ESTIMATE, PREFER, NEWEST],
        needs: &[],
        gives: &[Capability::Complete, Capability::Directed],
        build: greedy,
    },
    Row {
        name: "astar",
        kind: Kind::Strategy,
        about: "A*: by depth and estimate together; with an admissible estimate the first trace is a shortest one",
        cite: "Hart, Nilsson, Raphael 1968",
        parameters: &[ESTIMATE, PREFER],
        needs: &[Capability::KeepsStates, Capability::Exact],
        gives: &[Capability::Complete, Capability::Directed],
        build: |call, _| directed(call, &[], Order::AStar),
    },
    Row {
        name: "refining",
        kind: Kind::Strategy,
        about: "abstraction-directed: an abstraction that proves the property, or directs a greedy search, and is made finer while that finds nothing",
        cite: "Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, Fig. 1",
        parameters: &[
            Parameter {
                name: "states",
                about: "the states of the first abstraction",
                default: "100",
            },
            Parameter {
                name: "most",
                about: "the states of the finest abstraction",
                default: "6400",
            },
            Parameter {
                name: "patience",
                about: "expansions before the first refinement; twice as many before the next",
                default: "50000",
            },
            PREFER,
        ],
        needs: &[],
        gives: &[Capability::Complete, Capability::Directed],
        build: refining,
    },
];

fn blind(call: &Call, order: Order) -> Result<Strategy, String> {
    call.allow_named(&["prefer"])?;
    Ok(Strategy { order, estimate: None, prefer: preference(call)?, refine: None })
}

fn random_depth(call: &Call, seed: u64) -> Result<Strategy, String> {
    call.allow_named(&["seed"])?;
    let order = Order::Depth(Some(call.number("seed", seed)?));
    Ok(Strategy { order, estimate: None, prefer: None, refine: None })
}

fn greedy(call: &Call, _: u64) -> Result<Strategy, String> {
    let newest = call.number(NEWEST.name, 0)? != 0;
    directed(call, &[NEWEST.name], Order::Greedy { newest })
}

/// A directed strategy: its estimate is an argument, by name or not.
fn directed(call: &Call, more: &[&str], order: Order) -> Result<Strategy, String> {
    call.allow(&[&["estimate", "prefer"], more].concat())?;
    let given: Vec<&Expression> =
        call.named("estimate").into_iter().chain(call.unnamed()).collect();
    let estimate = match given[..] {
        [] => Call { name: ESTIMATE.default.into(), arguments: Vec::new() },
        [estimate] => estimate.as_call()?.clone(),
        _ => return Err(format!("`{}` takes one estimate", call.name)),
    };
    Ok(Strategy { order, estimate: Some(estimate), prefer: preference(call)?, refine: None })
}

fn refining(call: &Call, _: u64) -> Result<Strategy, String> {
    call.allow_named(&["states", "most", "patience", "prefer"])?;
    let refine = Refine {
        states: call.number("states", 100)?,
        most: call.number("most", 6400)?,
        patience: call.number("patience", 50_000)?,
    };
    if refine.states < 2 || refine.most < refine.states || refine.patience == 0 {
        return Err("`refining` needs 2 ≤ states ≤ most and some patience".into());
    }
    let estimate = Some(refine.estimate(refine.states));
    let order = Order::Greedy { newest: false };
    Ok(Strategy { order, estimate, prefer: preference(call)?, refine: Some(refine) })
}

impl Refine {
    /// The abstraction with this many states.
    pub fn estimate(&self, states: u64) -> Call {
        let states = (Some("states".into()), Expression::Number(states));
        Call { name: "abstraction".into(), arguments: vec![states] }
    }

    /// The rounds: the estimate of each, and how many expansions it has; the
    /// last goes on to the end.
    pub fn rounds(self) -> impl Iterator<Item = (Call, Option<u64>)> {
        (0..).map_while(move |round: u32| {
            let states = self.states.checked_shl(round).unwrap_or(u64::MAX);
            let before = self.states.checked_shl(round.saturating_sub(1)).unwrap_or(u64::MAX);
            if round > 0 && before >= self.most {
                return None;
            }
            let budget =
                (states < self.most).then(|| self.patience.saturating_mul(1 << round.min(40)));
            Some((self.estimate(states.min(self.most)), budget))
        })
    }
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
            Order::Greedy { newest: false } => {
                search::<Buckets<false>>(task, Rank::Estimate, store, guide, watch)
            }
            Order::Greedy { newest: true } => {
                search::<Buckets<true>>(task, Rank::Estimate, store, guide, watch)
            }
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
