//! Several estimates that stay apart.
//!
//! A search with several open lists orders each of them by another estimate (Röger,
//! Helmert, "The More, the Merrier: Combining Heuristic Estimators for Satisficing
//! Planning", ICAPS 2010). To any other search this is the first of them, and a dead end
//! of one is a dead end. A step is helpful if one of them finds it so; what the goal is
//! away without a step is asked of the first.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use super::{Instance, LIST, Several};
use crate::arguments::inners;
use crate::{EstimateBuilder, Factory};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "each",
    kind: Kind::Estimate,
    about: "several estimates that stay apart, for searches with an open list for each; \
            elsewhere the first of them: `each([a, b])`",
    cite: "Röger, Helmert 2010",
    parameters: &[LIST],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[])?;
        Ok(Box::new(Each { parts: Several(inners(goal, call)?), estimates: Vec::new() }))
    },
};

pub(super) struct Each<P> {
    pub parts: Several<P>,
    /// Those of the state estimated last.
    pub estimates: Vec<Cost>,
}

impl HeuristicFactory for Each<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        let parts = self.parts.instances();
        Box::new(Each { estimates: vec![0; parts.0.len()], parts })
    }
}

impl Heuristic for Each<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.parts.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        self.estimates.clear();
        self.estimates.extend(self.parts.estimates(state, via));
        let dead = self.estimates.contains(&DEAD_END);
        if dead { DEAD_END } else { self.estimates.first().copied().unwrap_or(0) }
    }

    fn parts(&self) -> &[Cost] {
        &self.estimates
    }

    fn claims(&self) -> Claims {
        self.parts.0.first().map(|first| first.claims()).unwrap_or_default()
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.parts.0.first_mut()?.without(state, label)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.parts.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.parts.any_lazy()
    }

    fn work(&self) -> u64 {
        self.parts.work()
    }

    fn bytes(&self) -> usize {
        self.parts.bytes()
    }
}
