//! The greatest of several estimates.
//!
//! The maximum of admissible estimates is admissible, that of consistent ones
//! consistent. A dead end of one is a dead end.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::{Instance, LIST, Several};
use crate::arguments::inners;
use crate::{EstimateBuilder, Factory};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "max",
    kind: Kind::Estimate,
    about: "the greatest of several estimates: `max([a, b])`",
    cite: "",
    parameters: &[LIST],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[])?;
        Ok(Box::new(Max(Several(inners(goal, call)?))))
    },
};

pub(super) struct Max<P>(pub(super) Several<P>);

impl HeuristicFactory for Max<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Max(self.0.instances()))
    }
}

impl Heuristic for Max<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.0.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        self.0.estimates(state, via).fold(0, Cost::max)
    }

    fn claims(&self) -> Claims {
        Claims {
            admissible: self.0.all(|part| part.claims().admissible),
            consistent: self.0.all(|part| part.claims().consistent),
        }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.0.without(state, label, Cost::max)
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
