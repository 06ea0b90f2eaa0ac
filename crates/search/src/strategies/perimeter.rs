//! Perimeter search, or target enlargement.
//!
//! Dillenburg, Nelson, "Perimeter search" (AIJ 1994); Yang, Dill, "Validation
//! with Guided Search of the State Space" (DAC 1998); sections 2 and 4 of the
//! survey.
//!
//! ```text
//! P := the states at most K steps from the goal, by regression from it
//! A* with h(s) := the distance of s to the goal if s ∈ P, else K + 1
//! ```
//!
//! Outside the perimeter all states are estimated alike, so that the search is
//! breadth-first towards the enlarged target; inside it follows the distances.
//! The perimeter itself is an estimate, `perimeter`, made by those who know the
//! model, and can be combined with others.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};

use super::best::Ordered;
use crate::best_first::Rank;
use crate::keys::Weights;
use crate::strategy::{Strategy, StrategyBuilder, blind};

const DEPTH: Parameter = Parameter { name: "depth", about: "by how many steps, K", default: "8" };

const MOST: Parameter = Parameter {
    name: "most",
    about: "the most sets of states that the enlarged target is made of",
    default: "5000",
};

/// The row.
pub const PERIMETER: Row<StrategyBuilder> = Row {
    name: "perimeter",
    kind: Kind::Strategy,
    about: "perimeter search: breadth-first towards a target enlarged backwards by some steps, then straight to the goal",
    cite: "Dillenburg, Nelson 1994; Yang, Dill 1998",
    parameters: &[DEPTH, MOST],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Directed, Capability::Optimal, Capability::Reduces],
    uses: &[],
    build,
};

fn build(call: &Call, _: u64) -> Result<Strategy, String> {
    call.allow_named(&["depth", "most"])?;
    let strategy = Ordered::by(Rank::Sum(Weights::EQUAL));
    let mut estimate = Call { name: PERIMETER.name.into(), arguments: Vec::new() };
    for parameter in [DEPTH, MOST] {
        let value = Expression::Number(parameter.number(call)?);
        estimate.arguments.push((Some(parameter.name.into()), value));
    }
    let strategy = blind(call, &["depth", "most"], strategy)?;
    Ok(Strategy { estimate: Some(estimate), ..strategy })
}
