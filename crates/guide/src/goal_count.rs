//! Goal counting: how many conjuncts of the goal are not satisfied yet.
//!
//! Fikes and Nilsson's STRIPS measured progress so (1971). It is cheap and
//! blind to how far a conjunct is from being true. One step may satisfy
//! several conjuncts, so it is admissible only where the goal has just one, and
//! no step costs nothing.

use homing_core::catalogue::{Job, Kind, Row, Use};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::evaluate::evaluate;
use homing_ir::layout::Field;
use homing_ir::network::Binary;
use homing_ir::system::Term;

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

struct GoalCount<'a> {
    conjuncts: Vec<Term>,
    fields: &'a [Field],
    /// Whether one that cannot be evaluated counts as holding.
    holds_on_failure: bool,
    /// The least cost of a step.
    least_cost: Cost,
}

impl<'a> GoalCount<'a> {
    fn new(goal: &Goal<'a>) -> Result<GoalCount<'a>, String> {
        let conjuncts = split(&goal.term("goal-count")?);
        let holds_on_failure = conjuncts.len() == 1 && goal.holds_on_failure();
        let fields = &goal.space.layout().fields[..];
        Ok(GoalCount { conjuncts, fields, holds_on_failure, least_cost: goal.least_cost() })
    }
}

/// The conjuncts.
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
    all.iter().enumerate().map(guarded).collect()
}

fn relies_on_others(conjunct: &Term) -> bool {
    let mut relies = false;
    conjunct.walk(&mut |term| {
        relies |=
            matches!(term, Term::Element { .. } | Term::Binary(Binary::Div | Binary::Rem, ..));
    });
    relies
}

impl HeuristicFactory for GoalCount<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &GoalCount<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let holds = |term: &Term| evaluate(term, self.fields, state).map(|value| value != 0);
        let missing = |term: &&Term| !holds(term).unwrap_or(self.holds_on_failure);
        let missing = self.conjuncts.iter().filter(missing).count() as Cost;
        costs::times(missing, self.least_cost.max(1))
    }

    fn claims(&self) -> Claims {
        let single = self.conjuncts.len() <= 1 && self.least_cost >= 1;
        Claims { admissible: single, consistent: single }
    }
}
