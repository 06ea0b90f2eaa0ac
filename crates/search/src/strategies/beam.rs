//! Beam search, and the iterative broadening that makes it complete again.
//!
//! Bisiani, "Beam search" (1987); Ginsberg, Harvey, "Iterative broadening"
//! (AIJ 1992); both as in section 4 of the survey:
//!
//! ```text
//! k-beam search:
//!   while open is not empty:
//!     take the k best states from open, expand them, forget the rest of open
//!     put their new successors into open
//! iterative broadening:
//!   for k := k₀, 2k₀, 4k₀, …: k-beam search from the start
//!   until it finds the goal or forgets nothing
//! ```
//!
//! A beam that forgot nothing has searched everything.

use homing_core::StopReason;
use homing_core::catalogue::{Capability, Kind, Parameter, Row};

use super::best::Ordered;
use crate::best_first::{Manner, Rank};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::{Outcome, Statistics};

const WIDTH: Parameter = Parameter {
    name: "k",
    about: "how many states are expanded together, and kept",
    default: "100",
};

/// k-beam search.
pub const BEAM: Row<StrategyBuilder> = Row {
    name: "beam",
    kind: Kind::Strategy,
    about: "k-beam search: only the k most promising states of each round are followed",
    cite: "Bisiani 1987",
    parameters: &[ESTIMATE, WIDTH],
    needs: &[],
    gives: &[Capability::Directed, Capability::Lossy, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let k = WIDTH.at_least(call, 1)? as usize;
        directed(call, &[WIDTH.name], beam(k))
    },
};

/// Iterative broadening.
pub const BROADENING: Row<StrategyBuilder> = Row {
    name: "broadening",
    kind: Kind::Strategy,
    about: "iterative broadening: beams of k, 2k, 4k, … states, until one finds the goal or forgets nothing",
    cite: "Ginsberg, Harvey 1992",
    parameters: &[ESTIMATE, WIDTH],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build: |call, _| {
        let k = WIDTH.at_least(call, 1)? as usize;
        directed(call, &[WIDTH.name], Broadening { k })
    },
};

fn beam(k: usize) -> Ordered {
    Ordered { manner: Manner { rank: Rank::Estimate, jointly: k, beam: true }, newest: false }
}

#[derive(Debug)]
struct Broadening {
    k: usize,
}

impl Algorithm for Broadening {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, stores, guide, watch } = run;
        let guide = &mut guide.instance();
        let mut before = Statistics::default();
        let mut k = self.k;
        loop {
            let store = match stores.fresh() {
                Ok(store) => store,
                Err(reason) => return Outcome::stopped(reason),
            };
            let mut outcome = beam(k).search(task, store, guide, watch);
            watch.end_round(&outcome.statistics.progress);
            outcome.statistics.add(&before);
            if outcome.stopped != Some(StopReason::Pruned) {
                return outcome;
            }
            before = outcome.statistics;
            k = k.saturating_mul(2);
        }
    }
}
