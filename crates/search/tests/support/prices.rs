//! Costs of the steps of toy spaces, and what the textbook says of them.

use std::collections::BTreeMap;

use homing_core::{Cost, CostAlgebra, Edge, Price, Pricing, StepCosts, Word};

use super::Toy;

/// How costs add up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algebra {
    /// Their sum.
    Sum,
    /// The greatest of them.
    Greatest,
}

impl CostAlgebra for Algebra {
    fn one(&self) -> Price {
        0
    }

    fn combine(&self, path: Price, step: Price) -> Price {
        match self {
            Algebra::Sum => path.saturating_add(step),
            Algebra::Greatest => path.max(step),
        }
    }

    fn ahead(&self, path: Price, estimate: Cost) -> Price {
        match self {
            Algebra::Sum => path.saturating_add(Price::from(estimate)),
            Algebra::Greatest => path,
        }
    }

    fn is_isotone(&self) -> bool {
        true
    }

    fn is_strictly_isotone(&self) -> bool {
        *self == Algebra::Sum
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn is_saturated(&self, price: Price) -> bool {
        *self == Algebra::Sum && price == Price::MAX
    }

    fn show(&self, price: Price) -> String {
        price.to_string()
    }
}

/// What the steps of a toy cost: step `label` of a node what `price` says.
pub struct Prices<'a, F> {
    /// The toy.
    pub toy: &'a Toy,
    /// How costs add up.
    pub algebra: Algebra,
    /// The cost of each step.
    pub price: F,
}

impl<F: Fn(Word, u32) -> Price + Sync> Pricing for Prices<'_, F> {
    fn algebra(&self) -> &dyn CostAlgebra {
        &self.algebra
    }

    fn meter(&self) -> Box<dyn StepCosts + '_> {
        Box::new(Reading { prices: self, node: 0 })
    }
}

struct Reading<'a, F> {
    prices: &'a Prices<'a, F>,
    node: Word,
}

impl<F: Fn(Word, u32) -> Price> StepCosts for Reading<'_, F> {
    fn leaving(&mut self, state: &[Word]) {
        self.node = self.prices.toy.node(state);
    }

    fn step(&mut self, edge: Edge) -> Price {
        (self.prices.price)(self.node, edge.label)
    }
}

/// What `cost` says of each step of each node below `nodes`.
pub type Steps = Vec<(Word, Word, Price)>;

/// All steps of a toy whose nodes are below `nodes`, with their costs.
pub fn steps(toy: &Toy, nodes: Word, price: impl Fn(Word, u32) -> Price) -> Steps {
    let of_node = |node| {
        let successors = toy.successors(node).into_iter().enumerate();
        let step = |(label, next)| (node, next, price(node, label as u32));
        successors.map(step).collect::<Vec<_>>()
    };
    (0..nodes).flat_map(of_node).collect()
}

/// The least cost of every node that can be reached from node 0 (Bellman,
/// Ford).
pub fn from_start(steps: &Steps, algebra: Algebra) -> BTreeMap<Word, Price> {
    settle(BTreeMap::from([(0, 0)]), steps.iter().copied(), algebra)
}

/// The least cost from every node that can reach a goal.
pub fn to_goal(steps: &Steps, goals: &[Word], algebra: Algebra) -> BTreeMap<Word, Price> {
    let known = goals.iter().map(|goal| (*goal, 0)).collect();
    settle(known, steps.iter().map(|(from, to, price)| (*to, *from, *price)), algebra)
}

fn settle(
    mut known: BTreeMap<Word, Price>,
    steps: impl Iterator<Item = (Word, Word, Price)> + Clone,
    algebra: Algebra,
) -> BTreeMap<Word, Price> {
    loop {
        let before = known.clone();
        for (from, to, price) in steps.clone() {
            if let Some(path) = known.get(&from) {
                let path = algebra.combine(*path, price);
                let least = known.entry(to).or_insert(path);
                *least = path.min(*least);
            }
        }
        if known == before {
            return known;
        }
    }
}
