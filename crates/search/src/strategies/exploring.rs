//! Greedy searches that do not trust one estimate alone: alternation between open lists,
//! type-based buckets, ε-greedy exploration, local searches.
//!
//! | strategy | open list |
//! |---|---|
//! | `alternate` | one for each estimate and, with a preference, one for each of preferred states (Helmert 2006; Röger, Helmert 2010; Richter, Westphal 2010) |
//! | `type-based` | the same, and one of types in turn with them (Xie, Müller, Holte, Imai 2014): Type-GBFS with one estimate, Type-LAMA with several and a preference |
//! | `epsilon-greedy` | one, by the estimate, from which any state is taken with probability ε (Valenzano, Sturtevant, Schaeffer, Xie 2014) |
//! | `greedy-local` | one, and one of its own for each greedy search from a plateau (Xie, Müller, Holte 2014) |
//!
//! All are the best-first kernel over another open list; the pseudo-code stands there:
//! `open::Alternation`, `open::Types`, `open::Epsilon`, `open::Local`. Wherever states leave from, every
//! one is expanded at last, so that nothing is lost. In an alternation states wait in several lists; who
//! is expanded is skipped by the others, which takes a store that numbers states.
//!
//! Deviations: an alternation prefers states of the first queue of the preference, however
//! many it has. A state that is reached again by a preferred step stays where it is, as in
//! the eager search of Fast Downward. Deferred evaluation is `lazy(…)` around an estimate.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};

use crate::best_first::{Manner, Rank, best_first};
use crate::open::{Alternation, Buckets, Epsilon, Levels, Local, Stalling, Types};
use crate::strategy::{
    Algorithm, Context, ESTIMATE, PREFER, SEED, Strategy, StrategyBuilder, directed, seeded,
};
use crate::task::Outcome;

const ESTIMATES: Parameter = Parameter {
    name: "estimate",
    about: "the estimate that directs the search, or a list of several, each with an open list of its own",
    default: "goal-count",
};

const BOOST: Parameter = Parameter {
    name: "boost",
    about: "by how many turns lists of preferred states are put ahead when an estimate falls",
    default: "1000",
};

/// Alternation.
pub const ALTERNATE: Row<StrategyBuilder> = Row {
    name: "alternate",
    kind: Kind::Strategy,
    about: "greedy search with an open list for each estimate, and for each of preferred states, which take turns: `alternate([a, b], prefer=helpful)`",
    cite: "Helmert 2006; Röger, Helmert 2010; Richter, Westphal 2010",
    parameters: &[ESTIMATES, PREFER, BOOST],
    needs: &[Capability::KeepsStates],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let boost = BOOST.number(call)?;
        each(call, &[PREFER.name, BOOST.name], Alternate { boost, types: None })
    },
};

/// Type-based exploration.
pub const TYPE_BASED: Row<StrategyBuilder> = Row {
    name: "type-based",
    kind: Kind::Strategy,
    about: "alternation with one more list, from which states of every depth and estimate leave alike: explores plateaus",
    cite: "Xie, Müller, Holte, Imai 2014",
    parameters: &[ESTIMATES, PREFER, BOOST, SEED],
    needs: &[Capability::KeepsStates],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, seed| {
        let (call, seed) = seeded(call, seed)?;
        let boost = BOOST.number(&call)?;
        let names = &[PREFER.name, BOOST.name, SEED.name];
        each(&call, names, Alternate { boost, types: Some(seed) })
    },
};

const EPSILON: Parameter = Parameter {
    name: "epsilon",
    about: "how often any state is expanded, in percent",
    default: "20",
};

/// ε-greedy exploration.
pub const EPSILON_GREEDY: Row<StrategyBuilder> = Row {
    name: "epsilon-greedy",
    kind: Kind::Strategy,
    about: "greedy search that now and then expands any state that waits, instead of one of least estimate",
    cite: "Valenzano, Sturtevant, Schaeffer, Xie 2014",
    parameters: &[ESTIMATE, PREFER, EPSILON, SEED],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: epsilon_greedy,
};

const STALL: Parameter = Parameter {
    name: "stall",
    about: "expansions without progress before a local search (STALL_SIZE)",
    default: "1000",
};

const SIZE: Parameter = Parameter {
    name: "size",
    about: "the expansions of a local search, at most (LSSIZE)",
    default: "1000",
};

const TRIES: Parameter = Parameter {
    name: "tries",
    about: "how many local searches there are without progress (MAX_LOCAL_TRY)",
    default: "100",
};

/// Local searches from plateaus.
pub const GREEDY_LOCAL: Row<StrategyBuilder> = Row {
    name: "greedy-local",
    kind: Kind::Strategy,
    about: "greedy search that, where the least estimate does not fall, searches from its best state alone for a while (GBFS-LS)",
    cite: "Xie, Müller, Holte 2014",
    parameters: &[ESTIMATE, PREFER, STALL, SIZE, TRIES],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let (stall, size) = (STALL.at_least(call, 1)?, SIZE.at_least(call, 1)?);
        let stalling = Stalling { stall, size, tries: TRIES.number(call)? };
        let names = &[PREFER.name, STALL.name, SIZE.name, TRIES.name];
        directed(call, names, GreedyLocal(stalling))
    },
};

fn epsilon_greedy(call: &Call, seed: u64) -> Result<Strategy, String> {
    let (call, seed) = seeded(call, seed)?;
    let epsilon = EPSILON.number(&call)?;
    if epsilon > 100 {
        return Err(format!("`epsilon` of `{}` is a percentage, {epsilon} is not", call.name));
    }
    directed(&call, &[PREFER.name, EPSILON.name, SEED.name], EpsilonGreedy { epsilon, seed })
}

/// A directed strategy that may have a list of estimates.
pub(crate) fn each(
    call: &Call,
    more: &[&str],
    algorithm: impl Algorithm + 'static,
) -> Result<Strategy, String> {
    let mut apart = call.clone();
    for (name, argument) in &mut apart.arguments {
        let estimates = name.as_deref().is_none_or(|name| name == ESTIMATES.name);
        if estimates && let Expression::List(_) = argument {
            let arguments = vec![(None, argument.clone())];
            *argument = Expression::Call(Call { name: "each".into(), arguments });
        }
    }
    Ok(Strategy { call: call.clone(), ..directed(&apart, more, algorithm)? })
}

#[derive(Debug)]
struct Alternate {
    boost: u64,
    /// The seed of a list of types, where there is one.
    types: Option<u64>,
}

impl Algorithm for Alternate {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let open = Alternation::boosting(self.boost);
        let open = match self.types {
            None => open,
            Some(seed) => open.and(Types::new(seed)),
        };
        greedily(run, open)
    }
}

#[derive(Debug)]
struct EpsilonGreedy {
    epsilon: u64,
    seed: u64,
}

impl Algorithm for EpsilonGreedy {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        greedily(run, Epsilon::new(self.epsilon, self.seed))
    }
}

#[derive(Debug)]
struct GreedyLocal(Stalling);

impl Algorithm for GreedyLocal {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        match run.guide.preference {
            None => greedily(run, Local::<Buckets>::new(self.0)),
            Some(_) => greedily(run, Local::<Levels<Buckets>>::new(self.0)),
        }
    }
}

/// A greedy search over this open list.
fn greedily(run: Context<'_, '_>, open: impl homing_core::Open) -> Outcome {
    let Context { task, stores, guide, watch } = run;
    let manner = Manner::by(Rank::Estimate);
    match stores.fresh() {
        Err(reason) => Outcome::stopped(reason),
        Ok(store) => best_first(task, manner, store, open, &mut guide.instance(), watch),
    }
}
