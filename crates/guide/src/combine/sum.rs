//! The sum of several estimates.
//!
//! One step may bring several estimates down, so nothing is promised, unless
//! there is only one. A dead end of one is a dead end.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::{Instance, LIST, Several};
use crate::arguments::inners;
use crate::{EstimateBuilder, Factory, costs};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "sum",
    kind: Kind::Estimate,
    about: "the sum of several estimates: `sum([a, b])`",
    cite: "",
    parameters: &[LIST],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[])?;
        Ok(Box::new(Sum(Several(inners(goal, call)?))))
    },
};

pub(super) struct Sum<P>(pub(super) Several<P>);

impl HeuristicFactory for Sum<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Sum(self.0.instances()))
    }
}

impl Heuristic for Sum<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.0.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        self.0.estimates(state, via).fold(0, costs::add)
    }

    fn claims(&self) -> Claims {
        match &self.0.0[..] {
            [only] => only.claims(),
            _ => Claims::default(),
        }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.0.without(state, label, costs::add)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.0.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.0.any_lazy()
    }

    fn work(&self) -> u64 {
        self.0.work()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
