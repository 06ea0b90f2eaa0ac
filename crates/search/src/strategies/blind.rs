//! Searches that ask nobody: breadth-first and depth-first.

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::expression::Call;

use super::best::Ordered;
use crate::best_first::Rank;
use crate::depth_first::depth_first;
use crate::strategy::{Algorithm, Context, PREFER, SEED, Strategy, StrategyBuilder, blind, seeded};
use crate::task::Outcome;

/// Breadth-first search.
pub const BREADTH: Row<StrategyBuilder> = Row {
    name: "breadth",
    kind: Kind::Strategy,
    about: "breadth-first search: level by level; the first trace is a shortest one",
    cite: "Moore 1959",
    parameters: &[PREFER],
    needs: &[],
    gives: &[Capability::Complete, Capability::Shortest, Capability::Reduces],
    uses: &[],
    build: |call, _| blind(call, &[], Ordered::by(Rank::Depth)),
};

/// Depth-first search.
pub const DEPTH: Row<StrategyBuilder> = Row {
    name: "depth",
    kind: Kind::Strategy,
    about: "depth-first search: along one path as long as its states are new",
    cite: "Tarjan 1972",
    parameters: &[PREFER],
    needs: &[],
    gives: &[Capability::Complete, Capability::Reduces],
    uses: &[],
    build: |call, _| blind(call, &[], Depth { seed: None }),
};

/// Depth-first search in random order.
pub const RANDOM_DEPTH: Row<StrategyBuilder> = Row {
    name: "random-depth",
    kind: Kind::Strategy,
    about: "depth-first search that takes successors in random order",
    cite: "Dwyer, Elbaum, Person, Purandare 2007",
    parameters: &[SEED],
    needs: &[],
    gives: &[Capability::Complete, Capability::Reduces],
    uses: &[],
    build: random_depth,
};

fn random_depth(call: &Call, seed: u64) -> Result<Strategy, String> {
    call.allow_named(&[SEED.name])?;
    let (call, seed) = seeded(call, seed)?;
    blind(&call, &[SEED.name], Depth { seed: Some(seed) })
}

/// Depth-first search, in random order where there is a seed.
#[derive(Debug)]
struct Depth {
    seed: Option<u64>,
}

impl Algorithm for Depth {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        // A preference has several queues, not one stack that is a path.
        if run.guide.preference.is_some() {
            return Ordered::by(Rank::Newest).run(run);
        }
        depth_first(run.task, self.seed, run.stores, &mut run.guide.instance(), run.watch)
    }
}
