//! An estimate times a weight.
//!
//! Pohl (1970): weighted A* trades the length of what it finds for the number
//! of states it looks at. Nothing is promised of a weight above one; with
//! weight zero only dead ends are left, which are sure.

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::Instance;
use crate::arguments::inner;
use crate::{EstimateBuilder, Factory, costs};

const BY: Parameter = Parameter { name: "by", about: "the weight, a whole number", default: "2" };

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "weight",
    kind: Kind::Estimate,
    about: "an estimate times a weight: `weight(a, by=3)`",
    cite: "Pohl 1970",
    parameters: &[BY],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&["by"])?;
        let by = BY.number(call)?;
        let by = Cost::try_from(by).map_err(|_| format!("the weight {by} is too large"))?;
        Ok(Box::new(Weight { inner: inner(goal, call)?, by }))
    },
};

pub(super) struct Weight<P> {
    pub inner: P,
    pub by: Cost,
}

impl HeuristicFactory for Weight<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Weight { inner: self.inner.instance(), by: self.by })
    }
}

impl Heuristic for Weight<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.inner.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        costs::times(self.inner.estimate(state, via), self.by)
    }

    fn has_ties(&self) -> bool {
        self.inner.has_ties()
    }

    fn tie(&self) -> Cost {
        self.inner.tie()
    }

    fn claims(&self) -> Claims {
        match self.by {
            0 => Claims { admissible: true, ..self.inner.claims() },
            1 => self.inner.claims(),
            _ => Claims::default(),
        }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.inner.without(state, label).map(|estimate| costs::times(estimate, self.by))
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.inner.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.inner.is_lazy()
    }

    fn work(&self) -> u64 {
        self.inner.work()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
