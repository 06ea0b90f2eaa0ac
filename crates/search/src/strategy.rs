//! Strategies by name: the catalogue, and how each is run.
//!
//! A strategy is one file in `strategies` with its [`Row`], and one line in
//! [`STRATEGIES`].

use std::fmt;
use std::sync::Arc;

use homing_core::catalogue::{self, Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::{Stores, Watch};

use crate::external::Order;
use crate::guide::Guide;
use crate::kept::Keep;
use crate::strategies::*;
use crate::task::{Outcome, Task};

/// A strategy, ready to run.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The search.
    pub algorithm: Arc<dyn Algorithm>,
    /// The estimate that directs it.
    pub estimate: Option<Call>,
    /// The preference among transitions around it.
    pub prefer: Option<Call>,
    /// What is done around the search.
    pub plan: Plan,
    /// The call that says all this, the seed included.
    pub call: Call,
}

/// What is done around a search by those who know the model.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Nothing.
    Once,
    /// The estimate is made finer from one search to the next.
    Refine(refining::Refine),
    /// The planner decides.
    Auto(auto::Auto),
    /// Several at the same time, of which the first answer counts.
    Race(Arc<[Strategy]>),
}

/// A search algorithm.
pub trait Algorithm: fmt::Debug + Send + Sync {
    /// Searches.
    fn run(&self, run: Context<'_, '_>) -> Outcome;

    /// How many acceptance sets it copes with that looks for lassos. Spaces with more
    /// must be wrapped so that they have one.
    fn most_sets(&self) -> u32 {
        0
    }

    /// The order in which states are expanded that are on disk ([`external`](crate::external));
    /// none where it cannot go there.
    fn on_disk(&self) -> Option<Order> {
        None
    }

    /// Searches and is kept in a file; none where that is not possible. Whether it is does not
    /// depend on what is searched.
    fn run_kept(&self, _run: Context<'_, '_>, _keep: &mut Keep<'_>) -> Option<Outcome> {
        None
    }

    /// Whether it can be kept in a file.
    fn can_be_kept(&self) -> bool {
        false
    }

    /// Whether it takes, of states with equal estimates, the newest first.
    fn newest(&self) -> bool {
        false
    }

    /// The name of the distance between states that it is directed by
    /// ([`Guide::distance`]), where it is by another than Hamming's.
    fn distance(&self) -> Option<&'static str> {
        None
    }
}

/// What a search works with.
pub struct Context<'a, 'g> {
    /// What to look for.
    pub task: &'a Task<'a>,
    /// Where visited sets come from.
    pub stores: &'a mut dyn Stores,
    /// What directs it.
    pub guide: &'a Guide<'g>,
    /// The limits, and who is told of progress.
    pub watch: &'a mut Watch,
}

/// Makes a strategy from its call and the seed of the run.
pub type StrategyBuilder = fn(&Call, u64) -> Result<Strategy, String>;

/// The parameter that names the estimate of a directed strategy.
pub(crate) const ESTIMATE: Parameter = Parameter {
    name: "estimate",
    about: "the estimate that directs the search",
    default: "goal-count",
};

/// The parameter that names the preference around a strategy.
pub(crate) const PREFER: Parameter = Parameter {
    name: "prefer",
    about: "the preference among transitions, as in `prefer=contexts`",
    default: "none",
};

/// The parameter of whatever is random.
pub(crate) const SEED: Parameter = Parameter {
    name: "seed",
    about: "the seed; that of the run where none is given",
    default: "seed of the run",
};

/// All strategies.
pub const STRATEGIES: &[Row<StrategyBuilder>] = &[
    blind::BREADTH,
    blind::DEPTH,
    blind::RANDOM_DEPTH,
    best::DIJKSTRA,
    best::GREEDY,
    best::ASTAR,
    best::WEIGHTED,
    best::K_BEST,
    exploring::ALTERNATE,
    exploring::TYPE_BASED,
    exploring::EPSILON_GREEDY,
    exploring::GREEDY_LOCAL,
    width::BFWS,
    beam::BEAM,
    beam::BROADENING,
    frontier::FRONTIER,
    breadth_heuristic::BREADTH_HEURISTIC,
    beam_stack::BEAM_STACK,
    iterative_deepening::IDASTAR,
    branch_and_bound::BRANCH_AND_BOUND,
    threshold::THRESHOLD,
    anytime::RWA,
    anytime::ARA,
    refining::REFINING,
    memory_limited::MEMORY_LIMITED,
    perimeter::PERIMETER,
    hill_climbing::HILL_CLIMBING,
    guided_walk::GUIDED_WALK,
    guided_walk::MONTE_CARLO,
    rounds::ROUNDS,
    lassos::TARJAN,
    lassos::NESTED,
    lassos::NDFS,
    lassos::COUVREUR,
    lassos::STREETT,
    lassos::DIRECTED_NESTED,
    lassos::CNDFS,
    lassos::OWCTY,
    race::RACE,
    auto::AUTO,
];

/// A strategy without an estimate, whose parameters have these names besides
/// `prefer`.
pub(crate) fn blind(
    call: &Call,
    more: &[&str],
    algorithm: impl Algorithm + 'static,
) -> Result<Strategy, String> {
    call.allow_named(&[more, &["prefer"]].concat())?;
    Ok(Strategy {
        algorithm: Arc::new(algorithm),
        estimate: None,
        prefer: preference(call)?,
        plan: Plan::Once,
        call: call.clone(),
    })
}

/// A directed strategy: its estimate is an argument, by name or not. Its other
/// parameters have these names; `prefer` must be among them where it takes one.
pub(crate) fn directed(
    call: &Call,
    more: &[&str],
    algorithm: impl Algorithm + 'static,
) -> Result<Strategy, String> {
    call.allow(&[&[ESTIMATE.name], more].concat())?;
    let given: Vec<&Expression> =
        call.named(ESTIMATE.name).into_iter().chain(call.unnamed()).collect();
    let estimate = match given[..] {
        [] => Call { name: ESTIMATE.default.into(), arguments: Vec::new() },
        [estimate] => estimate.as_call()?.clone(),
        _ => return Err(format!("`{}` takes one estimate", call.name)),
    };
    Ok(Strategy {
        algorithm: Arc::new(algorithm),
        estimate: Some(estimate),
        prefer: preference(call)?,
        plan: Plan::Once,
        call: call.clone(),
    })
}

/// The call with its seed in it, and the seed: that of the run where none is given.
pub(crate) fn seeded(call: &Call, seed: u64) -> Result<(Call, u64), String> {
    let (mut call, seed) = (call.clone(), call.number(SEED.name, seed)?);
    if call.named(SEED.name).is_none() {
        call.arguments.push((Some(SEED.name.into()), Expression::Number(seed)));
    }
    Ok((call, seed))
}

pub(crate) fn preference(call: &Call) -> Result<Option<Call>, String> {
    match call.named(PREFER.name) {
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
    /// The searches it is made of: those of a race, else itself.
    pub fn searches(&self) -> &[Strategy] {
        match &self.plan {
            Plan::Race(all) => all,
            _ => std::slice::from_ref(self),
        }
    }

    /// Whether it is made for one goal: directed by an estimate, or by a
    /// preference that looks at the goal.
    pub fn is_directed(&self) -> bool {
        self.is_estimated() || self.prefers()
    }

    /// Whether an estimate directs it.
    pub fn is_estimated(&self) -> bool {
        self.searches().iter().any(|one| one.estimate.is_some())
    }

    /// Whether it follows a preference.
    pub fn prefers(&self) -> bool {
        self.searches().iter().any(|one| one.prefer.is_some())
    }

    /// Whether it promises something: of a race, whether all do; whether one does where that
    /// is what it lacks.
    pub fn gives(&self, capability: Capability) -> bool {
        let gives = |one: &Strategy| {
            STRATEGIES.iter().any(|row| row.name == one.call.name && row.gives(capability))
        };
        match capability {
            Capability::Lossy | Capability::MemoryBounded => self.searches().iter().any(gives),
            _ => self.searches().iter().all(gives),
        }
    }
}
