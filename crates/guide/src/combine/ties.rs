//! A list of estimates of which the first decides and the others break ties.
//!
//! All but the first share the 32 bits of a tie equally, the earlier ones in
//! the higher bits; what does not fit counts as the greatest that does.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::{Instance, LIST, Several};
use crate::arguments::inners;
use crate::{EstimateBuilder, Factory};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "ties",
    kind: Kind::Estimate,
    about: "the first of several estimates; the others order states that it finds equal: \
            `ties([a, b])`",
    cite: "",
    parameters: &[LIST],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[])?;
        let parts = inners(goal, call)?;
        if parts.len() > 33 {
            return Err("`ties` takes 33 estimates at most".into());
        }
        Ok(Box::new(Ties { parts: Several(parts), tie: 0 }))
    },
};

pub(super) struct Ties<P> {
    pub parts: Several<P>,
    pub tie: Cost,
}

impl HeuristicFactory for Ties<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Ties { parts: self.parts.instances(), tie: 0 })
    }
}

impl Heuristic for Ties<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.parts.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        let others = self.parts.0.len() as u32 - 1;
        let mut estimates = self.parts.estimates(state, via);
        let first = estimates.next().unwrap_or(0);
        self.tie = estimates.fold(0, |known, other| join(known, other, 32 / others));
        first
    }

    fn has_ties(&self) -> bool {
        match &self.parts.0[..] {
            [only] => only.has_ties(),
            _ => true,
        }
    }

    fn tie(&self) -> Cost {
        match &self.parts.0[..] {
            [only] => only.tie(),
            _ => self.tie,
        }
    }

    fn claims(&self) -> Claims {
        self.parts.0.first().map(|first| first.claims()).unwrap_or_default()
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.parts.0.first_mut()?.without(state, label)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.parts.0.first_mut()?.helpful(state, label)
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

/// Appends an estimate in so many bits.
fn join(known: Cost, estimate: Cost, bits: u32) -> Cost {
    let most = Cost::MAX >> (32 - bits);
    let above = if bits == 32 { 0 } else { known << bits };
    above | estimate.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_estimates_come_first() {
        let tie = |a, b| join(join(0, a, 16), b, 16);
        assert!(tie(1, Cost::MAX) < tie(2, 0));
        assert!(tie(2, 0) < tie(2, 1));
        assert_eq!(join(0, Cost::MAX, 32), Cost::MAX);
    }
}
