//! Depth-first searches under bounds: what they find is what the textbook says
//! is there, and a best one where they say so.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use homing_core::hash::hash_words;
use homing_core::{
    Cost, DEAD_END, HeuristicFactory, Limits, Price, Pricing, StopReason, Watch, Word,
};
use homing_search::{Finding, Outcome, Task};
use proptest::prelude::*;
use support::prices::{Algebra, Prices, Steps, from_start, steps, to_goal};
use support::{STORES, Toy, admissible, find, go, goal, stores, unclaimed};

fn search<'a>(
    strategy: &str,
    store: &str,
    task: &Task<'a>,
    heuristic: Option<Box<dyn HeuristicFactory + 'a>>,
    limits: Limits,
) -> Outcome {
    let mut stores = stores(store, task.space.width(), None);
    go(strategy, task, &mut stores, heuristic, &mut Watch::new(limits))
}

fn below_bound(bound: Price) -> Limits {
    Limits { bound: Some(bound), ..Limits::default() }
}

fn below_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Depth-first search under a bound on the depth that never enters a node
/// twice: does it find the goal?
fn naive(toy: &Toy, node: Word, depth: u32, seen: &mut BTreeSet<Word>, target: Word) -> bool {
    seen.insert(node)
        && (node == target
            || depth > 0
                && toy
                    .successors(node)
                    .iter()
                    .any(|next| naive(toy, *next, depth - 1, seen, target)))
}

/// The smallest graph of the survey's pitfall: node 2 is first reached by the
/// long way and cut off there. The goal, two steps away by the short way, lies
/// behind it.
#[test]
fn states_reached_cheaper_are_opened_again() {
    let graph = || Toy::graph(&[(0, 1), (1, 2), (0, 2), (2, 3)]).with_goal(|node| node == 3);
    let toy = graph();
    assert!(!naive(&toy, 0, 2, &mut BTreeSet::new(), 3), "the pitfall is there");
    assert!(naive(&toy, 0, 3, &mut BTreeSet::new(), 3));
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for limits in [below_depth(2), below_bound(2)] {
        for strategy in
            ["depth", "random-depth(seed=3)", "idastar", "branch-and-bound", "threshold"]
        {
            for store in ["exact", "tree", "hash-compact"] {
                let outcome = search(strategy, store, &task, None, limits.clone());
                let found = goal(&outcome).unwrap_or_else(|| panic!("{strategy} with {store}"));
                assert_eq!(toy.nodes(&found.path), [0, 2, 3], "{strategy} with {store}");
                assert_eq!(outcome.stopped, None);
            }
        }
    }
}

/// A table of bits cannot tell at which cost a state was reached: the search
/// falls into the pitfall, and says so.
#[test]
fn a_store_without_numbers_never_claims_to_have_seen_everything_below_a_bound() {
    let toy = Toy::graph(&[(0, 1), (1, 2), (0, 2), (2, 3)]).with_goal(|node| node == 3);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for limits in [below_depth(2), below_bound(2)] {
        let outcome = search("depth", "bitstate(bits=24)", &task, None, limits);
        assert_eq!((goal(&outcome).is_none(), outcome.stopped), (true, Some(StopReason::Pruned)));
    }
    let whole = search("depth", "bitstate(bits=24)", &task, None, below_bound(4));
    assert!(goal(&whole).is_some());
}

/// A limit on steps beside costs: node 2 is reached cheaply in two steps, or
/// dearly in one. Only the dear way leaves a step to the goal.
#[test]
fn fewer_steps_open_a_state_again_too() {
    let toy = Toy::graph(&[(0, 1), (1, 2), (0, 2), (2, 3)]).with_goal(|node| node == 3);
    let price = |node: Word, label: u32| if (node, label) == (0, 1) { 5 } else { 1 };
    let prices = Prices { toy: &toy, algebra: Algebra::Sum, price };
    let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
    for bound in [None, Some(100)] {
        let limits = Limits { depth: Some(2), bound, ..Limits::default() };
        for strategy in ["depth", "idastar", "branch-and-bound", "threshold"] {
            let outcome = search(strategy, "exact", &task, None, limits.clone());
            let found = goal(&outcome).unwrap_or_else(|| panic!("{strategy}"));
            assert_eq!(toy.nodes(&found.path), [0, 2, 3], "{strategy}");
            assert!(!outcome.optimal, "{strategy}: deeper there is a cheaper way");
        }
    }
}

#[test]
fn nothing_within_the_bound_is_not_nothing() {
    let toy = Toy::chain(9).with_goal(|node| node == 8);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for strategy in ["depth", "random-depth", "idastar", "branch-and-bound", "threshold"] {
        let missed = search(strategy, "exact", &task, unclaimed(|_| 3), below_bound(7));
        assert_eq!(missed.stopped, Some(StopReason::Bound), "{strategy}");
        assert!(goal(&missed).is_none(), "{strategy}");
        let found = search(strategy, "exact", &task, unclaimed(|_| 3), below_bound(8));
        assert_eq!((found.stopped, goal(&found).is_some()), (None, true), "{strategy}");
        // By an estimate that is right, the bound is hopeless at once.
        let estimate = |node: Word| if node <= 8 { 8 - node as Cost } else { DEAD_END };
        let hopeless = search(strategy, "exact", &task, admissible(estimate), below_bound(7));
        assert_eq!(hopeless.stopped, Some(StopReason::Bound), "{strategy}");
        assert_eq!(hopeless.statistics.progress.expanded, 0, "{strategy}");
    }
}

const OPTIMAL: [&str; 3] = ["idastar", "branch-and-bound", "threshold"];

#[test]
fn a_goal_at_the_start_costs_nothing() {
    for strategy in OPTIMAL {
        let toy = Toy::grid(4).with_goal(|node| node == 0);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let outcome = search(strategy, "exact", &task, unclaimed(|_| 2), Limits::default());
        assert_eq!(goal(&outcome).map(Finding::length), Some(0), "{strategy}");
        assert_eq!(outcome.stopped, None, "{strategy}");
    }
}

#[test]
fn a_single_state_holds_or_is_a_deadlock() {
    for strategy in OPTIMAL {
        let toy = Toy::chain(0);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let holds = search(strategy, "exact", &task, None, Limits::default());
        assert_eq!((holds.stopped, holds.at_least), (None, Price::MAX), "{strategy}");
        let task = Task { deadlock: true, ..Task::explore(&toy) };
        let deadlock = search(strategy, "exact", &task, None, Limits::default());
        assert_eq!(deadlock.findings.deadlock.map(|found| found.length()), Some(0), "{strategy}");
        assert!(deadlock.optimal, "{strategy}");
    }
}

/// A ring of steps that cost nothing, with one exit that costs something.
#[test]
fn cycles_that_cost_nothing_end() {
    for strategy in ["depth", "idastar", "branch-and-bound", "threshold"] {
        for exit in [true, false] {
            let toy = Toy::new(0, move |node| match node {
                99 if exit => vec![0, 100],
                0..100 => vec![(node + 1) % 100, (node + 99) % 100],
                _ => vec![],
            })
            .with_goal(|node| node == 100);
            let price = |node: Word, label: u32| if (node, label) == (99, 1) { 3 } else { 0 };
            let prices = Prices { toy: &toy, algebra: Algebra::Sum, price };
            let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
            let outcome = search(strategy, "exact", &task, None, Limits::default());
            assert_eq!(goal(&outcome).is_some(), exit, "{strategy}");
            assert_eq!(outcome.stopped, None, "{strategy}");
            assert_eq!(outcome.optimal && exit, exit && strategy != "depth", "{strategy}");
        }
    }
}

/// Costs that do not fit end the claim, not the search.
#[test]
fn saturated_costs_are_not_said_to_be_least() {
    for strategy in OPTIMAL {
        let toy = Toy::chain(3).with_goal(|node| node == 3);
        let price = |_: Word, _: u32| Price::MAX / 2;
        let prices = Prices { toy: &toy, algebra: Algebra::Sum, price };
        let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
        let outcome = search(strategy, "exact", &task, None, Limits::default());
        assert_eq!(goal(&outcome).map(Finding::length), Some(3), "{strategy}");
        assert!(!outcome.optimal, "{strategy}");
    }
}

/// The memory is the table and the stack, however large the space.
#[test]
fn memory_stays_bounded() {
    for strategy in ["idastar", "branch-and-bound"] {
        let toy = Toy::binary_tree().with_width(4);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let limits = Limits { expansions: Some(2_000_000), ..Limits::default() };
        let outcome = search(strategy, "exact", &task, unclaimed(|_| 0), limits);
        let progress = outcome.statistics.progress;
        assert!(progress.bytes <= 64 << 20, "{strategy}: {} bytes", progress.bytes);
        assert_eq!(outcome.stopped, Some(StopReason::Expansions), "{strategy}");
        let limits =
            Limits { expansions: Some(300_000), memory: Some(4 << 20), ..Limits::default() };
        let outcome = search(strategy, "exact", &task, unclaimed(|_| 0), limits);
        assert!(outcome.statistics.progress.bytes <= 4 << 20, "{strategy}");
        assert_eq!(outcome.stopped, Some(StopReason::Expansions), "{strategy}: it fits");
    }
}

/// A path longer than the stack: without an answer, unless what is found makes
/// all that was not expanded too dear anyway.
#[test]
fn too_long_a_path_is_no_proof() {
    const LAST: Word = 400_000;
    let forked = |target: Word| {
        let successors = |node| match node {
            0 => vec![1, LAST + 1],
            LAST.. => vec![],
            _ => vec![node + 1],
        };
        Toy::new(0, successors).with_goal(move |node| node == target)
    };
    let deep_first = |node: Word| if node > LAST { 9 } else { 0 };
    let holds = find("branch-and-bound", &forked(Word::MAX), unclaimed(deep_first));
    assert_eq!(holds.stopped, Some(StopReason::Memory));
    let far = find("branch-and-bound", &forked(LAST), unclaimed(deep_first));
    assert_eq!((goal(&far).is_none(), far.stopped), (true, Some(StopReason::Memory)));
    let near = find("branch-and-bound", &forked(LAST + 1), unclaimed(deep_first));
    assert_eq!(goal(&near).map(Finding::length), Some(1));
    assert!(near.optimal && near.stopped.is_none());
    assert!(near.statistics.progress.bytes <= 64 << 20);
}

/// Ended early, branch and bound has the best trace so far, and the gap.
#[test]
fn the_best_so_far_is_kept() {
    let toy = Toy::grid(40).with_goal(|node| node == 39 * 40 + 39);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let estimate = |node: Word| (39 - node % 40) as Cost;
    for strategy in ["branch-and-bound", "threshold"] {
        let whole = search(strategy, "exact", &task, admissible(estimate), Limits::default());
        assert_eq!(goal(&whole).map(Finding::length), Some(78), "{strategy}");
        assert!(whole.optimal && whole.at_least == 78, "{strategy}");
    }
    let limits = Limits { expansions: Some(1_500), ..Limits::default() };
    let early = search("branch-and-bound", "exact", &task, admissible(estimate), limits);
    assert!(goal(&early).is_some_and(|found| found.length() >= 78));
    assert_eq!((early.stopped, early.optimal, early.at_least), (None, false, 39));
}

/// A random problem: what is looked for, what steps cost, and what the
/// textbook says.
struct Problem {
    nodes: Word,
    seed: u64,
    /// By their costs: zero is one a step.
    dearest: Price,
    algebra: Algebra,
    steps: Steps,
    costs: BTreeMap<Word, Price>,
}

fn drawn(seed: u64, salt: u64, node: Word) -> u64 {
    hash_words(&[seed, salt, node])
}

fn price(seed: u64, dearest: Price, node: Word, label: u32) -> Price {
    match dearest {
        0 => 1,
        _ => drawn(seed, 3 + u64::from(label), node) % (dearest + 1),
    }
}

impl Problem {
    fn new(toy: &Toy, nodes: Word, seed: u64, dearest: Price, algebra: Algebra) -> Problem {
        let steps = steps(toy, nodes, |node, label| price(seed, dearest, node, label));
        let costs = from_start(&steps, algebra);
        Problem { nodes, seed, dearest, algebra, steps, costs }
    }

    /// The least cost of what satisfies `wanted`.
    fn least(&self, wanted: impl Fn(Word) -> bool) -> Option<Price> {
        self.costs.iter().filter(|(node, _)| wanted(**node)).map(|(_, cost)| *cost).min()
    }

    /// What the path costs.
    fn cost(&self, nodes: &[Word], finding: &Finding) -> Price {
        let steps = finding.path.steps().zip(nodes);
        steps.fold(0, |cost, ((_, edge), node)| {
            let step = price(self.seed, self.dearest, *node, edge.label);
            homing_core::CostAlgebra::combine(&self.algebra, cost, step)
        })
    }

    /// An estimate for the way to these nodes: admissible but not consistent,
    /// or anything at all, or none.
    fn heuristic<'a>(
        &self,
        kind: u32,
        wanted: impl Fn(Word) -> bool,
    ) -> Option<Box<dyn HeuristicFactory + 'a>> {
        let goals: Vec<Word> = (0..self.nodes).filter(|node| wanted(*node)).collect();
        let exact = to_goal(&self.steps, &goals, self.algebra);
        let seed = self.seed;
        let sums = self.algebra == Algebra::Sum;
        match kind {
            0 => None,
            1 => admissible(move |node| match exact.get(&node) {
                Some(cost) if sums => (drawn(seed, 1, node) % (cost + 1)) as Cost,
                Some(_) => 0,
                None => DEAD_END,
            }),
            2 => admissible(move |node| exact.get(&node).map_or(DEAD_END, |cost| *cost as Cost)),
            _ => unclaimed(move |node| (drawn(seed, 2, node) % 30) as Cost),
        }
    }
}

/// Checks an outcome against the least cost of what was looked for.
fn agree(
    what: &str,
    problem: &Problem,
    toy: &Toy,
    outcome: &Outcome,
    found: Option<&Finding>,
    expected: Option<Price>,
    proven: bool,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(outcome.stopped, None, "{}", what);
    let cost = found.map(|finding| problem.cost(&toy.nodes(&finding.path), finding));
    prop_assert_eq!(cost.is_some(), expected.is_some(), "{}", what);
    prop_assert!(outcome.at_least <= expected.unwrap_or(Price::MAX), "{}", what);
    if proven {
        prop_assert_eq!(cost, expected, "{}", what);
        prop_assert!(outcome.optimal, "{}", what);
        prop_assert_eq!(outcome.at_least, expected.unwrap_or(Price::MAX), "{}", what);
    }
    prop_assert!(!outcome.optimal || cost == expected, "{}", what);
    Ok(())
}

/// A table so small for such wide states that it forgets most of them.
const TIGHT: usize = 3000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn oracle_best_traces(
        nodes in 1u64..60,
        degree in 1u64..5,
        seed: u64,
        dearest in prop_oneof![Just(0u64), Just(1), Just(7), Just(1000)],
        sums in any::<bool>(),
        kind in 0u32..4,
        tight in any::<bool>(),
    ) {
        let target = nodes / 2;
        let width = if tight { TIGHT } else { 1 };
        let toy = Toy::random(nodes, degree, seed)
            .with_width(width)
            .with_goal(move |node| node == target)
            .with_failure(nodes / 3);
        let failing = nodes / 3;
        let algebra = if sums || dearest == 0 { Algebra::Sum } else { Algebra::Greatest };
        let problem = Problem::new(&toy, nodes, seed, dearest, algebra);
        let pricing =
            Prices { toy: &toy, algebra, price: |node, label| price(seed, dearest, node, label) };
        let pricing = (dearest > 0).then_some(&pricing as &dyn Pricing);
        let blocked = |node: Word| toy.successors(node).is_empty() && node != failing;
        let base = Task { pricing, ..Task::explore(&toy) };
        for strategy in ["idastar(table=1)", "branch-and-bound(table=1)", "threshold"] {
            let proven = kind < 3 || !strategy.starts_with("ida");
            let what = format!("{strategy}, estimate {kind}");
            let run = |task: &Task<'_>, heuristic| {
                let mut stores = stores("exact", width, None);
                go(strategy, task, &mut stores, heuristic, &mut Watch::unlimited())
            };

            let task = Task { conditions: 1, ..base_of(&base) };
            let outcome = run(&task, problem.heuristic(kind, |node| node == target));
            let expected = problem.costs.get(&target).copied();
            agree(&what, &problem, &toy, &outcome, goal(&outcome), expected, proven)?;

            let task = Task { deadlock: true, ..base_of(&base) };
            let outcome = run(&task, problem.heuristic(kind, blocked));
            let found = outcome.findings.deadlock.as_ref();
            agree(&what, &problem, &toy, &outcome, found, problem.least(blocked), proven)?;

            let task = Task { fault: true, ..base_of(&base) };
            let outcome = run(&task, problem.heuristic(kind, |node| node == failing));
            let found = outcome.findings.fault.as_ref();
            let expected = problem.costs.get(&failing).copied();
            agree(&what, &problem, &toy, &outcome, found, expected, proven)?;
        }
    }

    /// Several things at once: each is found at least cost.
    #[test]
    fn oracle_several_goals(nodes in 1u64..60, degree in 1u64..5, seed: u64, dearest in 0u64..5) {
        let toy = Toy::random(nodes, degree, seed)
            .with_conditions(|node| 1 << (node % 8))
            .with_failure(nodes / 3);
        let problem = Problem::new(&toy, nodes, seed, dearest, Algebra::Sum);
        let pricing = Prices {
            toy: &toy,
            algebra: Algebra::Sum,
            price: |node, label| price(seed, dearest, node, label),
        };
        let pricing = (dearest > 0).then_some(&pricing as &dyn Pricing);
        let task =
            Task { conditions: 0xff, deadlock: true, fault: true, pricing, ..Task::explore(&toy) };
        for strategy in OPTIMAL {
            let outcome = search(strategy, "exact", &task, None, Limits::default());
            prop_assert!(outcome.optimal && outcome.stopped.is_none(), "{}", strategy);
            let cost = |finding: Option<&Finding>| {
                finding.map(|found| problem.cost(&toy.nodes(&found.path), found))
            };
            for bit in 0..8 {
                let found = outcome.findings.conditions.get(bit as usize);
                let expected = problem.least(|node| node % 8 == bit);
                prop_assert_eq!(cost(found.and_then(Option::as_ref)), expected, "{}", strategy);
            }
            let expected = problem.costs.get(&(nodes / 3)).copied();
            prop_assert_eq!(cost(outcome.findings.fault.as_ref()), expected, "{}", strategy);
        }
    }

    /// Under a bound, a search finds what costs no more, and only that; where
    /// it finds nothing it says whether there may be more.
    #[test]
    fn oracle_bounds(
        nodes in 1u64..60,
        degree in 1u64..5,
        seed: u64,
        dearest in 0u64..5,
        kind in 0u32..4,
        bound in 0u64..12,
    ) {
        let target = nodes / 2;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let problem = Problem::new(&toy, nodes, seed, dearest, Algebra::Sum);
        let pricing = Prices {
            toy: &toy,
            algebra: Algebra::Sum,
            price: |node, label| price(seed, dearest, node, label),
        };
        let pricing = (dearest > 0).then_some(&pricing as &dyn Pricing);
        let task = Task { conditions: 1, pricing, ..Task::explore(&toy) };
        let expected = problem.costs.get(&target).copied();
        let within = expected.filter(|cost| *cost <= bound);
        for strategy in ["depth", "random-depth", "idastar", "branch-and-bound", "threshold"] {
            for store in ["exact", "tree", "hash-compact"] {
                let heuristic = problem.heuristic(kind, |node| node == target);
                let outcome = search(strategy, store, &task, heuristic, below_bound(bound));
                let what = format!("{strategy} with {store}, estimate {kind}");
                let found = goal(&outcome).map(|found| problem.cost(&toy.nodes(&found.path), found));
                prop_assert_eq!(found.is_some(), within.is_some(), "{}", what);
                prop_assert!(found.is_none_or(|cost| cost <= bound), "{}", what);
                match (found, expected) {
                    (Some(_), _) => prop_assert_eq!(outcome.stopped, None, "{}", what),
                    (None, Some(_)) => {
                        prop_assert_eq!(outcome.stopped, Some(StopReason::Bound), "{}", what);
                        prop_assert!(outcome.at_least <= expected.unwrap(), "{}", what);
                    }
                    (None, None) => {
                        let bounded = [None, Some(StopReason::Bound)].contains(&outcome.stopped);
                        prop_assert!(bounded, "{}", what);
                    }
                }
            }
        }
    }

    /// A limit on steps, whatever they cost: what lies within is found.
    #[test]
    fn oracle_depths(
        nodes in 1u64..40,
        degree in 1u64..5,
        seed: u64,
        dearest in 0u64..5,
        depth in 0u32..8,
    ) {
        let target = nodes / 2;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let lengths = from_start(&steps(&toy, nodes, |_, _| 1), Algebra::Sum);
        let pricing = Prices {
            toy: &toy,
            algebra: Algebra::Sum,
            price: |node, label| price(seed, dearest, node, label),
        };
        let pricing = (dearest > 0).then_some(&pricing as &dyn Pricing);
        let task = Task { conditions: 1, pricing, ..Task::explore(&toy) };
        let within = lengths.get(&target).is_some_and(|length| *length <= depth.into());
        for strategy in ["depth", "random-depth", "idastar", "branch-and-bound", "threshold"] {
            for store in STORES {
                if store.starts_with("bitstate") {
                    continue;
                }
                let outcome = search(strategy, store, &task, None, below_depth(depth));
                let found = goal(&outcome);
                prop_assert_eq!(found.is_some(), within, "{} with {}", strategy, store);
                prop_assert!(found.is_none_or(|found| found.length() <= depth as usize));
                if !within && lengths.contains_key(&target) {
                    prop_assert_eq!(outcome.stopped, Some(StopReason::Depth), "{}", strategy);
                }
            }
        }
    }
}

/// The same task, to be changed.
fn base_of<'a>(task: &Task<'a>) -> Task<'a> {
    Task { ..*task }
}
