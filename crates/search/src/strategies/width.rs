//! Best-first width search: what is new first.
//!
//! Lipovetzky, Geffner, "Best-First Width Search: Exploration and Exploitation in
//! Classical Planning" (AAAI 2017).
//!
//! ```text
//! BFWS(f), f = ⟨w_{h₁, h₂, …}, h₁⟩: greedy search, f in lexicographic order
//! ```
//! w is the novelty of a state, 1, 2 or more, among the states generated before it that
//! have the same h₁, h₂, …: the estimate `novelty`, of which this is a greedy search. No
//! state is left out, however little is new about it, so that the search is complete; the
//! pruned variants k-BFWS are not here.
//!
//! Deviation: f₅ of the paper, ⟨w_{#g, #r}, #g⟩, counts in #r what the path to a state
//! achieved of a relaxed plan. Estimates know states, not paths; here #g = `goal-count`
//! stands alone, or with any other estimate.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};

use super::best::Ordered;
use crate::strategy::{Strategy, StrategyBuilder, directed};

/// Best-first width search.
pub const BFWS: Row<StrategyBuilder> = Row {
    name: "bfws",
    kind: Kind::Strategy,
    about: "best-first width search: first the states with facts that were never together before, among those of the same estimates: `bfws([goal-count, a])`",
    cite: "Lipovetzky, Geffner 2017",
    parameters: &[
        Parameter {
            name: "estimate",
            about: "the estimate, or a list of several, by which states are told apart; the first orders what is equally new",
            default: "goal-count",
        },
        Parameter { name: "width", about: "the most facts in a set, 1 or 2", default: "2" },
        Parameter {
            name: "bits",
            about: "what was seen is remembered in a table of 2^bits bits",
            default: "26",
        },
    ],
    needs: &[],
    gives: &[Capability::Complete, Capability::Directed, Capability::Reduces],
    uses: &[],
    build,
};

const OF_NOVELTY: [&str; 2] = ["width", "bits"];

fn build(call: &Call, _: u64) -> Result<Strategy, String> {
    let is_own = |name: &Option<String>| name.as_deref().is_some_and(|n| OF_NOVELTY.contains(&n));
    let mut ordered = call.clone();
    ordered.arguments.retain(|(name, _)| !is_own(name));
    // One estimate or a list of them.
    let given = ordered
        .arguments
        .iter_mut()
        .find(|(name, _)| name.as_deref().is_none_or(|name| name == "estimate"));
    let mut novelty = Call { name: "novelty".into(), arguments: Vec::new() };
    novelty.arguments.extend(call.arguments.iter().filter(|(name, _)| is_own(name)).cloned());
    let estimates = match &given {
        None => vec![Expression::Call(Call { name: "goal-count".into(), arguments: Vec::new() })],
        Some((_, Expression::List(list))) => list.clone(),
        Some((_, one)) => vec![one.clone()],
    };
    novelty.arguments.insert(0, (None, Expression::List(estimates)));
    match given {
        Some((_, estimate)) => *estimate = Expression::Call(novelty),
        None => ordered.arguments.push((None, Expression::Call(novelty))),
    }
    call.allow(&["estimate", OF_NOVELTY[0], OF_NOVELTY[1]])?;
    Ok(Strategy { call: call.clone(), ..directed(&ordered, &[], Ordered::GREEDY)? })
}
