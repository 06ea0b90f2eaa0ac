//! Abstraction-directed model checking (Edelkamp et al., "Survey on Directed
//! Model Checking", 2008, Fig. 1).
//!
//! ```text
//! N := states, budget := patience
//! loop:
//!   abstract the system with at most N states
//!   if the goal cannot be reached in the abstraction: it holds, by abstraction
//!   search the system, directed by the abstraction, for `budget` expansions
//!   if the goal is found, or everything was searched: done
//!   N := 2 N (at most `most`), budget := 2 budget (without end at the last N)
//! ```
//!
//! The rounds are made by whoever can build estimates; a round is a greedy
//! search.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};

use super::best::Ordered;
use crate::strategy::{PREFER, Plan, Strategy, StrategyBuilder, blind};

const STATES: Parameter =
    Parameter { name: "states", about: "the states of the first abstraction", default: "100" };

const MOST: Parameter =
    Parameter { name: "most", about: "the states of the finest abstraction", default: "6400" };

const PATIENCE: Parameter = Parameter {
    name: "patience",
    about: "expansions before the first refinement; twice as many before the next",
    default: "50000",
};

/// The row.
pub const REFINING: Row<StrategyBuilder> = Row {
    name: "refining",
    kind: Kind::Strategy,
    about: "abstraction-directed: an abstraction that proves the property, or directs a greedy search, and is made finer while that finds nothing",
    cite: "Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, Fig. 1",
    parameters: &[STATES, MOST, PATIENCE, PREFER],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build,
};

/// How the rounds grow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refine {
    /// The states of the first abstraction.
    pub states: u64,
    /// The states of the last.
    pub most: u64,
    /// The expansions of the first search.
    pub patience: u64,
}

fn build(call: &Call, _: u64) -> Result<Strategy, String> {
    let refine = Refine {
        states: STATES.at_least(call, 2)?,
        most: MOST.number(call)?,
        patience: PATIENCE.at_least(call, 1)?,
    };
    if refine.most < refine.states {
        return Err("`most` of `refining` is at least `states`".into());
    }
    let strategy = blind(call, &["states", "most", "patience"], Ordered::GREEDY)?;
    let estimate = Some(refine.estimate(refine.states));
    Ok(Strategy { estimate, plan: Plan::Refine(refine), ..strategy })
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
