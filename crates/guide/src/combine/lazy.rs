//! An estimate that is made of a state only once it is expanded.
//!
//! Until then a state counts as its parent does, as in the lazy search of
//! Helmert's Fast Downward (2006): of many successors, few are ever expanded.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::Instance;
use crate::arguments::inner;
use crate::{EstimateBuilder, Factory};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "lazy",
    kind: Kind::Estimate,
    about: "an estimate that is made of a state only once it is expanded: `lazy(a)`",
    cite: "Helmert 2006",
    parameters: &[],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[])?;
        Ok(Box::new(Lazy(inner(goal, call)?)))
    },
};

pub(super) struct Lazy<P>(pub(super) P);

impl HeuristicFactory for Lazy<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Lazy(self.0.instance()))
    }
}

impl Heuristic for Lazy<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.0.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        self.0.estimate(state, via)
    }

    fn has_ties(&self) -> bool {
        self.0.has_ties()
    }

    fn tie(&self) -> Cost {
        self.0.tie()
    }

    fn parts(&self) -> &[Cost] {
        self.0.parts()
    }

    fn claims(&self) -> Claims {
        self.0.claims()
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.0.without(state, label)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.0.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        true
    }

    fn work(&self) -> u64 {
        self.0.work()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
