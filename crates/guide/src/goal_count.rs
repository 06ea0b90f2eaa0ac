//! Goal counting: how many conjuncts of the goal are not satisfied yet.
//!
//! Fikes and Nilsson's STRIPS measured progress so (1971). It is cheap and
//! blind to how far a conjunct is from being true. One step may satisfy
//! several conjuncts, so it is admissible only where the goal has just one, and
//! no step costs nothing.

use homing_core::catalogue::{Job, Kind, Row, Use};
use homing_core::{Claims, Cost, Edge, Heuristic, Word};
use homing_ir::network::Binary;
use homing_ir::source::Span;
use homing_ir::system::{Condition, Term};
use homing_space::CompiledSpace;

use crate::{EstimateBuilder, Goal, costs};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "goal-count",
    kind: Kind::Estimate,
    about: "the number of conjuncts of the goal that do not hold yet",
    cite: "Fikes, Nilsson 1971",
    parameters: &[],
    needs: &[],
    gives: &[],
    uses: &[Use::new(Job::Walk, 0, "greedy(goal-count)")],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(GoalCount::new(goal)?))
    },
};

/// The most conjuncts counted apart; the rest count as one.
const MOST: usize = 63;

struct GoalCount {
    /// The searched system, with the conjuncts as its first conditions.
    conjuncts: CompiledSpace,
    count: Cost,
    /// The least cost of a step.
    least_cost: Cost,
}

impl GoalCount {
    fn new(goal: &Goal) -> Result<GoalCount, String> {
        let mut system = goal.space.system().clone();
        let conjuncts = split(&goal.term("goal-count")?);
        let count = conjuncts.len() as Cost;
        let holds_on_failure = count == 1 && goal.holds_on_failure();
        let condition = |term| Condition { term, holds_on_failure, span: Span::default() };
        // What conditions index decides on the layout, so that all must stay.
        let old = std::mem::take(&mut system.conditions).into_iter().map(|old| old.term);
        let old = old.reduce(|a, b| Term::binary(Binary::Or, a, b));
        system.conditions = conjuncts.into_iter().chain(old).map(condition).collect();
        let conjuncts = CompiledSpace::of(system).map_err(|error| error.to_string())?;
        if conjuncts.layout().fields != goal.space.layout().fields {
            return Err("the goal's conjuncts change the layout of states".into());
        }
        Ok(GoalCount { conjuncts, count, least_cost: goal.least_cost() })
    }
}

/// The conjuncts, the last of them standing for all beyond [`MOST`].
///
/// An index may be in bounds only because an earlier conjunct holds, so a
/// conjunct that indexes or divides counts only where all before it hold.
fn split(goal: &Term) -> Vec<Term> {
    let all = goal.conjuncts();
    let guarded = |(i, conjunct): (usize, &&Term)| {
        let before = all[..i].iter().filter(|_| relies_on_others(conjunct));
        before.rev().fold((*conjunct).clone(), |rest, earlier| {
            Term::binary(Binary::And, (*earlier).clone(), rest)
        })
    };
    let mut conjuncts: Vec<Term> = all.iter().enumerate().map(guarded).collect();
    let rest = conjuncts.split_off(conjuncts.len().min(MOST - 1));
    conjuncts.extend(rest.into_iter().reduce(Term::and));
    conjuncts
}

fn relies_on_others(conjunct: &Term) -> bool {
    let mut relies = false;
    conjunct.walk(&mut |term| {
        relies |=
            matches!(term, Term::Element { .. } | Term::Binary(Binary::Div | Binary::Rem, ..));
    });
    relies
}

impl Heuristic for GoalCount {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let conjuncts = (1 << self.count) - 1;
        let holding = self.conjuncts.conditions(state) & conjuncts;
        let missing = self.count - holding.count_ones();
        costs::times(missing, self.least_cost.max(1))
    }

    fn claims(&self) -> Claims {
        let single = self.count <= 1 && self.least_cost >= 1;
        Claims { admissible: single, consistent: single }
    }
}
