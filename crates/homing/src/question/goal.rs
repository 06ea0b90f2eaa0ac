//! States by an expression: one that must not be reached, and one that is to be.

use std::sync::Arc;

use homing_core::catalogue::{Parameter, Row};
use homing_ir::network::Expr;
use homing_ir::{Network, Sources};
use homing_report::Verdict;
use homing_witness::{Claim, Meaning};

use super::read::{parse_goal, text_of};
use super::{Build, Need, Question, Sought, row, with_opposite};

const EXPRESSION: &[Parameter] =
    &[Parameter { name: "of", about: "an expression in the model's own language", default: "" }];

pub(super) const GOAL: Row<Build> = row(
    "goal",
    "a state that satisfies the expression must not be reached",
    EXPRESSION,
    |model, call| Ok(Arc::new(parse_goal(model, &text_of(call)?)?)),
);

pub(super) const REACH: Row<Build> = row(
    "reach",
    "a state that satisfies the expression can be reached",
    EXPRESSION,
    |model, call| {
        let goal = parse_goal(model, &text_of(call)?)?;
        Ok(Arc::new(Goal { name: call.to_string(), found: Verdict::Holds, ..goal }))
    },
);

/// A state that satisfies an expression.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    pub name: String,
    pub expr: Expr,
    /// The texts that it is written in.
    pub sources: Sources,
    /// What it means that such a state is reached.
    pub meaning: Meaning,
    /// The verdict where it is.
    pub found: Verdict,
    /// What must hold in some state for the question to ask anything.
    pub antecedent: Option<Expr>,
}

impl Goal {
    /// A state that must not be reached.
    pub(crate) fn new(name: impl Into<String>, expr: Expr, sources: Sources) -> Goal {
        let (meaning, found, antecedent) = (Meaning::Goal, Verdict::Violated, None);
        Goal { name: name.into(), expr, sources, meaning, found, antecedent }
    }
}

impl Question for Goal {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::State(Sought::state(&self.expr))
    }

    fn claim(&self) -> Option<Claim<'_>> {
        Some(Claim::Goal(&self.expr, &self.sources, self.meaning))
    }

    fn verdicts(&self) -> (Verdict, Verdict) {
        with_opposite(self.found)
    }

    fn antecedent(&self) -> Option<&Expr> {
        self.antecedent.as_ref()
    }
}
