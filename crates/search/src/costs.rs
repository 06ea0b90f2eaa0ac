//! What paths cost: the cost algebra as a type parameter of the kernel, so
//! that counting steps, the common case, costs nothing.

use homing_core::{Cost, CostAlgebra, Edge, Price, Pricing, StepCosts, Word};

use crate::keys::Weights;

/// How the costs of paths are computed and ranked.
pub(crate) trait Costs {
    /// The cost of a path; the less, the better.
    type Value: Copy + Ord + Into<Price>;

    /// Worse than all.
    const WORST: Self::Value;

    /// The cost of the path without a step.
    fn one(&self) -> Self::Value;

    /// Announces the state whose steps come next.
    fn leaving(&mut self, state: &[Word]);

    /// The cost of a path and one more step.
    fn after(&mut self, path: Self::Value, edge: Edge) -> Self::Value;

    /// The cost of a path and what is at least still to pay.
    fn ahead(&self, path: Self::Value, estimate: Cost) -> Price;

    /// The number of steps, where that is the cost.
    fn steps(path: Self::Value) -> Option<u32>;

    /// The least that is still to pay after a step, where that much was before.
    fn rest(estimate: Cost) -> Cost;

    /// Whether the cost of a path may stand for a greater one.
    fn is_saturated(&self, path: Self::Value) -> bool;

    /// The cost of a path whose key is nothing but its cost.
    fn of_key(&self, key: u64) -> Self::Value;

    /// The key of A* and its kin.
    fn key(&self, weights: Weights, path: Self::Value, estimate: Cost, tie: Cost) -> u64;

    /// The sum that such a key starts with.
    fn sum(key: u64) -> Price;
}

/// Every step costs one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps;

impl Costs for Steps {
    type Value = u32;

    const WORST: u32 = u32::MAX;

    fn one(&self) -> u32 {
        0
    }

    fn leaving(&mut self, _: &[Word]) {}

    fn after(&mut self, path: u32, _: Edge) -> u32 {
        path.saturating_add(1)
    }

    fn ahead(&self, path: u32, estimate: Cost) -> Price {
        Price::from(path) + Price::from(estimate)
    }

    fn steps(path: u32) -> Option<u32> {
        Some(path)
    }

    fn rest(estimate: Cost) -> Cost {
        estimate.saturating_sub(1)
    }

    fn is_saturated(&self, path: u32) -> bool {
        path == u32::MAX
    }

    fn of_key(&self, key: u64) -> u32 {
        key as u32
    }

    fn key(&self, weights: Weights, path: u32, estimate: Cost, tie: Cost) -> u64 {
        weights.key(path, estimate, tie)
    }

    fn sum(key: u64) -> Price {
        Weights::sum(key)
    }
}

/// Steps cost what a [`Pricing`] says.
pub(crate) struct Priced<'a> {
    algebra: &'a dyn CostAlgebra,
    meter: Box<dyn StepCosts + 'a>,
}

impl<'a> Priced<'a> {
    pub(crate) fn new(pricing: &'a dyn Pricing) -> Priced<'a> {
        Priced { algebra: pricing.algebra(), meter: pricing.meter() }
    }
}

impl Costs for Priced<'_> {
    type Value = Price;

    const WORST: Price = Price::MAX;

    fn one(&self) -> Price {
        self.algebra.one()
    }

    fn leaving(&mut self, state: &[Word]) {
        self.meter.leaving(state);
    }

    fn after(&mut self, path: Price, edge: Edge) -> Price {
        self.algebra.combine(path, self.meter.step(edge))
    }

    fn ahead(&self, path: Price, estimate: Cost) -> Price {
        self.algebra.ahead(path, estimate)
    }

    fn steps(_: Price) -> Option<u32> {
        None
    }

    /// A step may cost more than the estimate falls by; nothing is certain.
    fn rest(_: Cost) -> Cost {
        0
    }

    fn is_saturated(&self, path: Price) -> bool {
        self.algebra.is_saturated(path)
    }

    fn of_key(&self, key: u64) -> Price {
        key
    }

    /// The whole key is the sum: costs need all of its bits.
    fn key(&self, _: Weights, path: Price, estimate: Cost, _: Cost) -> u64 {
        self.algebra.ahead(path, estimate)
    }

    fn sum(key: u64) -> Price {
        key
    }
}
