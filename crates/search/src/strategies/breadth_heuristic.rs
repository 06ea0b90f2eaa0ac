//! Breadth-first heuristic search: frontier search that prunes.
//!
//! Zhou, Hansen, "Breadth-First Heuristic Search" (AIJ 2006), with iterative
//! deepening (breadth-first iterative-deepening A*):
//!
//! ```text
//! U := h(initial)
//! loop:
//!   search the layers, states with g + h > U left out
//!   if the goal is found, or nothing was left out: done
//!   U := the least g + h left out, or more
//! ```
//!
//! Deviation: where a round is less than twice as long as the one before, U
//! rises by more than to the least g + h left out, at each such round by twice
//! as much. A U above the length of the way costs memory, not optimality: the
//! layers are searched in order, so the first way found is a shortest one.
//! Without this, a weak estimate and a long way make as many rounds as steps.

use homing_core::Price;
use homing_core::StopReason;
use homing_core::catalogue::{Capability, Kind, Parameter, Row};

use crate::layered::{End, Keeping, Layered, Round};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::Outcome;

const BOUND: Parameter = Parameter {
    name: "bound",
    about: "the bound on path and estimate of the first round, such as the length of a trace that is known; 0: the estimate of the initial state",
    default: "0",
};

/// Breadth-first heuristic search.
pub const BREADTH_HEURISTIC: Row<StrategyBuilder> = Row {
    name: "breadth-heuristic",
    kind: Kind::Strategy,
    about: "breadth-first heuristic search: frontier search in rounds, each with a greater bound on path and estimate",
    cite: "Zhou, Hansen 2006",
    parameters: &[ESTIMATE, BOUND],
    needs: &[Capability::Exact],
    gives: &[
        Capability::Complete,
        Capability::Directed,
        Capability::Optimal,
        Capability::MemoryBounded,
    ],
    uses: &[],
    build: |call, _| {
        let bound = BOUND.number(call)?;
        directed(call, &[BOUND.name], BreadthHeuristic { bound })
    },
};

#[derive(Debug)]
struct BreadthHeuristic {
    bound: Price,
}

impl Algorithm for BreadthHeuristic {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let mut search = Layered::new(run);
        let end = self.rounds(&mut search);
        search.outcome(end)
    }
}

impl BreadthHeuristic {
    fn rounds(&self, search: &mut Layered) -> Result<End, StopReason> {
        let first = self.bound.max(search.first_estimate());
        let (mut bound, mut rise, mut spent) = (first, 1, 0);
        loop {
            let before = search.expanded();
            let round = Round { keeping: Keeping::MEASURED, bound: Some(bound), width: None };
            let least = match search.round(round)? {
                End::Pruned(least) => least,
                end => return Ok(end),
            };
            search.has_searched(least);
            let now = search.expanded() - before;
            rise = if now < 2 * spent { rise * 2 } else { (rise / 2).max(1) };
            spent = now;
            bound = least.max(bound.saturating_add(rise));
        }
    }
}
