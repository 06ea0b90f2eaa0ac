//! Searches for paths of least cost, compared with Bellman's equations, in
//! every cost algebra.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use homing_core::algebra::{Algebra, Lexicographic, Scalar};
use homing_core::catalogue::Capability;
use homing_core::hash::hash_words;
use homing_core::{
    CostAlgebra, Edge, Limits, Price, Pricing, Space, StepCosts, StopReason, Watch, Word,
};
use homing_search::{Outcome, STRATEGIES, Task};
use proptest::prelude::*;
use support::{Toy, admissible, go, goal, stores, unclaimed};

type Values = Box<dyn Fn(Word, u32) -> [i64; 2] + Sync>;

/// What steps cost: two numbers for each node and label, of which the algebra
/// uses what it needs.
struct Costs {
    algebra: Box<dyn CostAlgebra>,
    encode: fn(&Costs, [i64; 2]) -> Price,
    factors: [Algebra; 2],
    values: Values,
}

impl Costs {
    fn single(algebra: Algebra, values: impl Fn(Word, u32) -> i64 + Sync + 'static) -> Costs {
        Costs {
            algebra: Box::new(Scalar::new(algebra)),
            encode: |costs, [value, _]| Scalar::new(costs.factors[0]).encode(value),
            factors: [algebra; 2],
            values: Box::new(move |node, label| [values(node, label); 2]),
        }
    }

    fn pair(
        factors: [Algebra; 2],
        values: impl Fn(Word, u32) -> [i64; 2] + Sync + 'static,
    ) -> Costs {
        Costs {
            algebra: Box::new(Lexicographic::new(factors[0], factors[1])),
            encode: |costs, [first, second]| {
                let [a, b] = Lexicographic::new(costs.factors[0], costs.factors[1]).factors();
                Lexicographic::join(a.encode(first), b.encode(second))
            },
            factors,
            values: Box::new(values),
        }
    }

    fn step(&self, node: Word, label: u32) -> Price {
        (self.encode)(self, (self.values)(node, label))
    }

    /// The cost of a path, step by step.
    fn along(&self, path: &homing_search::Path) -> Price {
        let one = self.algebra.one();
        path.steps().fold(one, |cost, (state, edge)| {
            self.algebra.combine(cost, self.step(state[0], edge.label))
        })
    }

    /// The least cost of every node by Bellman's equations; `None` where they
    /// have no solution.
    fn bellman(&self, toy: &Toy, nodes: Word) -> Option<Vec<Option<Price>>> {
        let mut least = vec![None; nodes as usize];
        least[0] = Some(self.algebra.one());
        for _ in 0..=nodes {
            let before = least.clone();
            for node in 0..nodes {
                let Some(cost) = least[node as usize] else { continue };
                for (label, next) in toy.successors(node).into_iter().enumerate() {
                    let through = self.algebra.combine(cost, self.step(node, label as u32));
                    let known = &mut least[next as usize];
                    *known = Some(known.map_or(through, |known: Price| known.min(through)));
                }
            }
            if least == before {
                return Some(least);
            }
        }
        None
    }
}

impl Pricing for Costs {
    fn algebra(&self) -> &dyn CostAlgebra {
        &*self.algebra
    }

    fn meter(&self) -> Box<dyn StepCosts + '_> {
        Box::new(CostMeter { costs: self, node: 0 })
    }
}

struct CostMeter<'a> {
    costs: &'a Costs,
    node: Word,
}

impl StepCosts for CostMeter<'_> {
    fn leaving(&mut self, state: &[Word]) {
        self.node = state[0];
    }

    fn step(&mut self, edge: Edge) -> Price {
        self.costs.step(self.node, edge.label)
    }
}

/// The strategies that find the least of any costs, with an estimate that is
/// not too high.
fn priced() -> impl Iterator<Item = &'static str> {
    let best = [Capability::Shortest, Capability::Optimal];
    let priced = STRATEGIES.iter().filter(|row| row.gives(Capability::Costs));
    priced.filter(move |row| best.iter().any(|one| row.gives(*one))).map(|row| row.name)
}

fn is_directed(name: &str) -> bool {
    STRATEGIES.iter().any(|row| row.name == name && row.gives(Capability::Directed))
}

fn find(name: &str, toy: &Toy, costs: &Costs, limits: Limits) -> Outcome {
    find_by(name, toy, costs, limits, |_| 0)
}

fn find_by(
    name: &str,
    toy: &Toy,
    costs: &Costs,
    limits: Limits,
    estimate: impl Fn(Word) -> u32 + Send + Sync,
) -> Outcome {
    let task = Task { conditions: 1, pricing: Some(costs), ..Task::explore(toy) };
    let heuristic = is_directed(name).then(|| admissible(estimate)).flatten();
    let mut made = stores("exact", toy.width(), None);
    go(name, &task, &mut made, heuristic, &mut Watch::new(limits))
}

const NODES: Word = 12;

fn random(seed: Word) -> Toy {
    let target = hash_words(&[seed, 99]) % NODES;
    Toy::random(NODES, 4, seed).with_goal(move |node| node == target)
}

fn target(toy: &Toy) -> usize {
    use homing_core::Space;
    let mut expander = toy.expander();
    (0..NODES).find(|node| expander.violated(&[*node]) != 0).unwrap() as usize
}

/// Compares every strategy that takes costs with Bellman's equations.
fn compare(seed: Word, costs: &Costs) -> Result<(), TestCaseError> {
    let toy = random(seed);
    let Some(least) = costs.bellman(&toy, NODES) else {
        prop_assert!(false, "no solution");
        return Ok(());
    };
    let expected = least[target(&toy)];
    for name in priced() {
        if !costs.algebra.is_monotone() && name != "rounds" {
            continue;
        }
        let outcome = find(name, &toy, costs, Limits::default());
        let found = goal(&outcome).map(|found| costs.along(&found.path));
        prop_assert_eq!(found, expected, "{}", name);
        prop_assert_eq!(outcome.stopped, None);
        prop_assert!(outcome.optimal, "{} of {:?}", name, costs.algebra);
        match expected {
            Some(cost) => prop_assert!(outcome.at_least <= cost, "{}", name),
            None => prop_assert_eq!(outcome.at_least, Price::MAX),
        }
    }
    Ok(())
}

fn draw(seed: Word, node: Word, label: u32, below: u64) -> i64 {
    (hash_words(&[seed, node, label.into(), 7]) % below) as i64
}

const SINGLE: [Algebra; 5] = [
    Algebra::Additive { least: 0 },
    Algebra::Bottleneck,
    Algebra::MaxMin,
    Algebra::Probability { of: 8 },
    Algebra::Fuzzy { of: 8 },
];

proptest! {
    #[test]
    fn differential_every_algebra_gives_the_least_cost(seed: u64, which in 0..5usize) {
        compare(seed, &Costs::single(SINGLE[which], move |node, label| draw(seed, node, label, 9)))?;
    }

    #[test]
    fn differential_pairs_give_the_least_cost(seed: u64, which in 0..5usize, least in 0..2i64) {
        let factors = [Algebra::Additive { least }, SINGLE[which]];
        compare(seed, &Costs::pair(factors, move |node, label| {
            let drawn = draw(seed, node, label, 81);
            [drawn % 3 + least, drawn / 9]
        }))?;
    }

    /// Differences of potentials make costs negative but leave no cycle that
    /// is.
    #[test]
    fn differential_negative_costs_without_a_negative_cycle(seed: u64) {
        let potential = move |node: Word| draw(seed, node, 1000, 50);
        let toy = Toy::random(NODES, 4, seed);
        let costs = Costs::single(Algebra::Additive { least: -100 }, move |node, label| {
            let next = toy.successors(node)[label as usize];
            draw(seed, node, label, 5) + potential(next) - potential(node)
        });
        compare(seed, &costs)?;
    }

    /// Whatever cycles there are, it ends, knows what it does not know, and
    /// what it finds is a path.
    #[test]
    fn differential_any_negative_costs(seed: u64) {
        let costs = Costs::single(Algebra::Additive { least: -3 }, move |node, label| {
            draw(seed, node, label, 12) - 3
        });
        let toy = random(seed);
        let outcome = find("rounds", &toy, &costs, Limits::default());
        let least = costs.bellman(&toy, NODES);
        prop_assert_eq!(outcome.stopped, None);
        prop_assert_eq!(outcome.optimal, least.is_some());
        match least {
            Some(least) => {
                let found = goal(&outcome).map(|found| costs.along(&found.path));
                prop_assert_eq!(found, least[target(&toy)]);
            }
            None => {
                let blind = find("breadth", &toy, &costs, Limits::default());
                prop_assert_eq!(goal(&outcome).is_some(), goal(&blind).is_some());
            }
        }
        if let Some(found) = goal(&outcome) {
            toy.nodes(&found.path);
        }
    }

    /// Estimates that are too low, and not consistent.
    #[test]
    fn differential_astar_with_estimates_in_costs(seed: u64) {
        let value = move |node, label| draw(seed, node, label, 9);
        let costs = Costs::single(Algebra::Additive { least: 0 }, value);
        let toy = random(seed);
        let mut left = vec![u32::MAX / 2; NODES as usize];
        left[target(&toy)] = 0;
        for _ in 0..NODES {
            for node in 0..NODES {
                for (label, next) in toy.successors(node).into_iter().enumerate() {
                    let through = left[next as usize] + value(node, label as u32) as u32;
                    left[node as usize] = left[node as usize].min(through);
                }
            }
        }
        let estimate = |node: Word| left[node as usize] / (1 + (hash_words(&[seed, node]) % 3) as u32);
        let expected = costs.bellman(&toy, NODES).unwrap()[target(&toy)];
        for name in priced().filter(|name| is_directed(name)) {
            let outcome = find_by(name, &toy, &costs, Limits::default(), estimate);
            let found = goal(&outcome).map(|found| costs.along(&found.path));
            prop_assert_eq!(found, expected, "{}", name);
            prop_assert!(outcome.optimal);
        }
    }

    /// What costs more than the bound is not found; what costs that much is.
    #[test]
    fn differential_bounds_are_costs(seed: u64, which in 0..5usize) {
        let costs = Costs::single(SINGLE[which], move |node, label| draw(seed, node, label, 9));
        let toy = random(seed);
        let Some(least) = costs.bellman(&toy, NODES).unwrap()[target(&toy)] else { return Ok(()) };
        for name in priced() {
            let within = Limits { bound: Some(least), ..Limits::default() };
            let outcome = find(name, &toy, &costs, within);
            let found = goal(&outcome).map(|found| costs.along(&found.path));
            prop_assert_eq!(found, Some(least), "{}", name);
            if least > costs.algebra.one() {
                let below = Limits { bound: Some(least - 1), ..Limits::default() };
                let outcome = find(name, &toy, &costs, below);
                prop_assert!(goal(&outcome).is_none());
                prop_assert_eq!(outcome.stopped, Some(StopReason::Bound), "{}", name);
            }
        }
    }
}

/// Of two steps between the same states, the cheaper is the one of the path.
#[test]
fn parallel_steps_are_told_apart() {
    let toy = Toy::graph(&[(0, 1), (0, 1), (1, 2), (1, 2), (1, 2)]).with_goal(|node| node == 2);
    let costs = Costs::single(Algebra::Additive { least: 0 }, |node, label| match (node, label) {
        (0, 1) | (1, 1) => 2,
        _ => 5,
    });
    for name in priced() {
        let outcome = find(name, &toy, &costs, Limits::default());
        let found = goal(&outcome).unwrap();
        assert_eq!(costs.algebra.show(costs.along(&found.path)), "4", "{name}");
    }
}

#[test]
fn cycles_without_cost_end() {
    let toy = Toy::graph(&[(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)]).with_goal(|node| node == 3);
    let costs = Costs::single(Algebra::Additive { least: 0 }, |_, _| 0);
    for name in priced() {
        let outcome = find(name, &toy, &costs, Limits::default());
        assert_eq!(goal(&outcome).unwrap().path.len(), 3, "{name}");
        assert!(outcome.optimal);
    }
}

#[test]
fn a_goal_at_the_start_costs_nothing() {
    let toy = Toy::graph(&[(0, 1)]).with_goal(|node| node == 0);
    for algebra in SINGLE {
        let costs = Costs::single(algebra, |_, _| 3);
        for name in priced() {
            let outcome = find(name, &toy, &costs, Limits::default());
            assert_eq!(costs.along(&goal(&outcome).unwrap().path), costs.algebra.one(), "{name}");
            assert!(outcome.optimal);
        }
    }
}

/// A state that is reached at once at high cost, and late at a low one; what
/// lies behind must be found by the cheap way.
#[test]
fn late_but_cheap_ways_count() {
    let toy =
        Toy::graph(&[(0, 4), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]).with_goal(|node| node == 5);
    let costs = Costs::single(Algebra::Additive { least: 0 }, |node, label| {
        if (node, label) == (0, 0) { 100 } else { 1 }
    });
    for name in priced() {
        let outcome = find(name, &toy, &costs, Limits::default());
        assert_eq!(goal(&outcome).unwrap().path.len(), 5, "{name}");
    }
}

#[test]
fn costs_that_overflow_end_the_claim() {
    let toy = Toy::chain(4).with_goal(|node| node == 4);
    let costs = Costs::single(Algebra::Additive { least: 0 }, |_, _| i64::MAX);
    for name in priced() {
        let outcome = find(name, &toy, &costs, Limits::default());
        let found = goal(&outcome).unwrap();
        assert!(costs.algebra.is_saturated(costs.along(&found.path)));
        assert!(!outcome.optimal, "{name}");
    }
    // What is found before anything overflows is not touched.
    let near = Toy::chain(4).with_goal(|node| node == 1);
    for name in priced().filter(|name| *name != "rounds") {
        assert!(find(name, &near, &costs, Limits::default()).optimal, "{name}");
    }
}

/// With (min, +), which is not isotone, nobody claims to have found the best.
#[test]
fn without_isotonicity_nothing_is_claimed() {
    let toy = Toy::graph(&[(0, 1), (0, 1), (1, 2)]).with_goal(|node| node == 2);
    let factors = [Algebra::MaxMin, Algebra::Additive { least: 0 }];
    let costs = Costs::pair(factors, |node, label| match (node, label) {
        (0, 0) => [4, 2],
        _ => [3, 1],
    });
    for name in priced() {
        assert!(!find(name, &toy, &costs, Limits::default()).optimal, "{name}");
    }
}

/// Deadlocks and failing steps are found by cheapest ways, too.
#[test]
fn deadlocks_and_failures_are_found_at_least_cost() {
    let toy = Toy::graph(&[(0, 1), (0, 2), (2, 3), (3, 4)]).with_failure(3);
    let costs =
        Costs::single(
            Algebra::Additive { least: 0 },
            |node, label| {
                if (node, label) == (0, 0) { 50 } else { 1 }
            },
        );
    for name in priced() {
        let task =
            Task { deadlock: true, fault: true, pricing: Some(&costs), ..Task::explore(&toy) };
        let mut made = stores("exact", toy.width(), None);
        let heuristic = is_directed(name).then(|| unclaimed(|_| 0)).flatten();
        let outcome = go(name, &task, &mut made, heuristic, &mut Watch::unlimited());
        let deadlock = outcome.findings.deadlock.as_ref().unwrap();
        assert_eq!(toy.nodes(&deadlock.path), [0, 2, 3, 4], "{name}");
        let fault = outcome.findings.fault.as_ref().unwrap();
        assert_eq!(toy.nodes(&fault.path), [0, 2, 3], "{name}");
    }
}

/// A cycle that pays each time: the states behind it are found all the same.
#[test]
fn a_cycle_that_pays_is_noticed() {
    let toy = Toy::graph(&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 5)])
        .with_conditions(|node| u64::from(node == 5) | u64::from(node == 3) << 1);
    let costs = Costs::single(Algebra::Additive { least: -1 }, |_, _| -1);
    let task = Task { conditions: 3, pricing: Some(&costs), ..Task::explore(&toy) };
    let mut made = stores("exact", 1, None);
    let outcome = go("rounds", &task, &mut made, None, &mut Watch::unlimited());
    assert_eq!((outcome.stopped, outcome.optimal), (None, false));
    for (bit, node) in [(0, 5), (1, 3)] {
        let found = outcome.findings.conditions[bit].as_ref().unwrap();
        assert_eq!(toy.nodes(&found.path).last(), Some(&node));
    }
}

#[test]
fn rounds_stop_where_they_are_told_to() {
    let toy = Toy::grid(30).with_goal(|node| node == 899);
    let costs =
        Costs::single(Algebra::Additive { least: 0 }, |node, label| draw(5, node, label, 9));
    let limits = Limits { expansions: Some(100), ..Limits::default() };
    let outcome = find("rounds", &toy, &costs, limits);
    assert_eq!(outcome.stopped, Some(StopReason::Expansions));
    assert!(!outcome.optimal && goal(&outcome).is_none());
}
