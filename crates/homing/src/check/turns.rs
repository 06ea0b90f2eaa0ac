//! The planner for runs that go on for ever: several searches in turns.
//!
//! No search finds all lassos soon. Breadth-first search with a state recorded finds those
//! of few steps; Couvreur's search those that lie on the way of a depth-first search;
//! directed nested search those in components of the automaton where every cycle will do,
//! and, when it may not go deep, those of some dozen steps that a depth-first search
//! passes by. What a search finds it mostly finds soon or not at all, so each has its
//! turn, with growing budgets:
//!
//! ```text
//! for budget in 4,000, 32,000, 256,000 expansions:
//!   breadth, a state recorded, by half the budget (in the first round)
//!   couvreur, by the budget
//!   directed-nested, by half of it
//!   directed-nested, not deeper than 10, 20, 40 steps, by half of it
//! couvreur, without a limit
//! ```
//! The first that finds something, or has looked at everything, is the last. If there is
//! nothing to find, all but the last cost about twice the last budget: up to three times
//! what it takes to look at a space just larger than that, and the less the larger it is.

use homing_core::StopReason;
use homing_space::Product;

use super::Check;
use super::refuted::Found;
use super::temporal::{Way, described, for_lasso, record};
use crate::run::{Aim, Before, Ran, UsageError};
use crate::searched::Searched;

/// The search that goes to the end.
pub(super) const LAST: &str = "couvreur";

/// Expansions a round, and how deep its last search goes.
const ROUNDS: &[(u64, u64)] = &[(4_000, 10), (32_000, 20), (256_000, 40)];

/// A turn.
#[derive(Clone, Copy)]
struct Turn {
    strategy: &'static str,
    way: Way,
    /// Expansions.
    budget: Option<u64>,
    /// Steps.
    bound: Option<u64>,
}

impl Turn {
    /// The strategy. What searches for lassos find is made shorter by more than the
    /// budget, and by as much as the user says.
    fn call(self, improve: Option<u64>) -> String {
        let within = self.budget.map(|budget| format!("within={budget}"));
        let improve = improve.map(|effort| format!("improve={effort}"));
        let parameters: Vec<String> = within.into_iter().chain(improve).collect();
        match self.way {
            Way::Lassos => format!("{}({})", self.strategy, parameters.join(", ")),
            _ => self.strategy.into(),
        }
    }

    fn told(self) -> String {
        let told = described(self.strategy, self.way);
        match self.bound {
            Some(bound) => format!("{told}, after at most {bound} steps"),
            None => told,
        }
    }
}

/// All turns, one after the other.
fn turns() -> impl Iterator<Item = Turn> {
    let lassos = |strategy, budget, bound| Turn { strategy, way: Way::Lassos, budget, bound };
    let recording =
        Turn { strategy: "breadth", way: Way::Safety, budget: Some(ROUNDS[0].0 / 2), bound: None };
    let rounds = ROUNDS.iter().flat_map(move |(budget, deep)| {
        [
            lassos(LAST, Some(*budget), None),
            lassos("directed-nested", Some(*budget / 2), None),
            lassos("directed-nested", Some(*budget / 2), Some(*deep)),
        ]
    });
    [recording].into_iter().chain(rounds).chain([lassos(LAST, None, None)])
}

impl Check<'_> {
    /// Searches the product in turns. Answers with what the last turn was.
    pub(super) fn in_turns(
        &self,
        searched: &Searched,
        product: &Product,
    ) -> Result<(Ran, Option<Found>, String), UsageError> {
        let limits = &self.options.limits;
        let call = &self.parts.strategy.call;
        let improve = call.named("improve").map(|_| call.number("improve", 0));
        let improve = improve.transpose().map_err(UsageError::Sentence)?;
        let fewest = |limit: Option<u64>, ours: Option<u64>| limit.into_iter().chain(ours).min();
        let mut before = Before::default();
        for turn in turns() {
            // The way back to a recorded state needs all steps.
            if turn.way == Way::Safety && searched.reduced().is_some() {
                continue;
            }
            let parts = self.chosen_for(turn.way, &turn.call(improve))?;
            let most = self.runner.most_expansions();
            let left = most.map(|most| most.saturating_sub(before.expanded()));
            let most = match turn.way {
                Way::Safety => fewest(left, turn.budget),
                _ => left,
            };
            let runner = self.runner.bounded(fewest(limits.bound, turn.bound), most);
            let aim = Aim::default();
            let (ran, found) = match turn.way {
                Way::Safety => record(&runner, &parts, searched, product, &aim)?,
                _ => for_lasso(&runner, &parts, searched, product, &aim)?,
            };
            let less = |ours: Option<u64>, limit: Option<u64>| {
                ours.is_some() && fewest(limit, ours) == ours
            };
            let ours = match ran.outcome.stopped {
                Some(StopReason::Expansions) => less(turn.budget, left),
                Some(StopReason::Bound) => less(turn.bound, limits.bound),
                _ => false,
            };
            if found.is_some() || !ours {
                return Ok((before.and(ran), found, turn.told()));
            }
            before.add(&parts.strategy, &ran);
        }
        Err(UsageError::Sentence("no search was left".into()))
    }
}
