//! Abstractions and databases against exact distances, on random networks.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::BTreeMap;

use homing_core::expression::{Expression, parse};
use homing_core::{Batch, Cost, DEAD_END, Edge, Space, Word};
use homing_guide::ground::Ground;
use homing_guide::{Goal, build};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use proptest::prelude::*;

/// Networks with more states are left to others.
const LIMIT: usize = 1000;

/// All that is reachable.
struct Graph {
    states: Vec<Vec<Word>>,
    goal: Vec<bool>,
    edges: Vec<(usize, Edge, usize)>,
    /// Whether some step fails. The ground form does not know that.
    faults: bool,
}

/// Explores a space; none where it is too large.
fn explore(space: &CompiledSpace) -> Option<Graph> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut graph =
        Graph { states: vec![batch.state(0).to_vec()], goal: vec![], edges: vec![], faults: false };
    let mut numbers = BTreeMap::from([(graph.states[0].clone(), 0)]);
    while graph.goal.len() < graph.states.len() {
        let from = graph.goal.len();
        let state = graph.states[from].clone();
        graph.goal.push(expander.violated(&state) & 1 == 1);
        batch.clear();
        expander.expand(&state, &mut batch);
        graph.faults |= !batch.faults().is_empty();
        for i in 0..batch.len() {
            let next = graph.states.len();
            let to = *numbers.entry(batch.state(i).to_vec()).or_insert(next);
            if to == next {
                graph.states.push(batch.state(i).to_vec());
            }
            graph.edges.push((from, batch.edge(i), to));
        }
        if graph.states.len() > LIMIT {
            return None;
        }
    }
    Some(graph)
}

impl Graph {
    /// Exact distances, by relaxing edges until nothing changes.
    fn distances(&self, cost: impl Fn(u32) -> Cost) -> Vec<Cost> {
        let mut distances: Vec<Cost> =
            self.goal.iter().map(|goal| if *goal { 0 } else { DEAD_END }).collect();
        loop {
            let mut changed = false;
            for (from, edge, to) in self.edges.iter().rev() {
                if distances[*to] != DEAD_END {
                    let through = distances[*to] + cost(edge.label);
                    if through < distances[*from] {
                        distances[*from] = through;
                        changed = true;
                    }
                }
            }
            if !changed {
                return distances;
            }
        }
    }
}

/// What came of a comparison.
#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    reachable: usize,
    exact: usize,
    proved: usize,
    unreachable: usize,
}

/// Admissible, consistent, no dead end with a path, and the same by both ways
/// of looking up.
fn compare(
    space: &CompiledSpace,
    text: &str,
    costs: Option<&[Cost]>,
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let Some(graph) = explore(space) else { return Ok(()) };
    let notices = RefCell::new(vec![]);
    let goal = Goal { costs, ..Goal::condition(space.prepared(), space, 0, &notices) };
    let Ok(Expression::Call(call)) = parse(text) else { panic!("{text}") };
    let factory = build(&goal, &call).unwrap();
    let mut estimate = factory.instance();
    let claims = estimate.claims();
    // Along traces only admissibility is claimed.
    prop_assert!(
        claims.admissible && claims.consistent != text.contains("compose=trace"),
        "{}",
        text
    );
    let distances = graph.distances(|label| goal.step_cost(label));
    let estimates: Vec<Cost> =
        graph.states.iter().map(|state| estimate.estimate(state, None)).collect();
    for (estimate, distance) in estimates.iter().zip(&distances) {
        prop_assert!(estimate <= distance, "{} > {} by {}", estimate, distance, text);
    }
    let mut expanded = usize::MAX;
    for (from, edge, to) in &graph.edges {
        if *from != expanded {
            estimate.expanding(&graph.states[*from]);
            expanded = *from;
        }
        let after = estimates[*to].saturating_add(goal.step_cost(edge.label));
        prop_assert!(!claims.consistent || estimates[*from] <= after, "inconsistent by {}", text);
        let incremental = estimate.estimate(&graph.states[*to], Some(*edge));
        prop_assert_eq!(incremental, estimates[*to], "looked up by edge, by {}", text);
    }
    let reachable = usize::from(distances[0] != DEAD_END);
    tally.compared += 1;
    tally.reachable += reachable;
    tally.exact += usize::from(estimates[0] == distances[0]) * reachable;
    tally.unreachable += 1 - reachable;
    tally.proved += usize::from(estimates[0] == DEAD_END);
    Ok(())
}

/// Everything but loops (an endless one takes its million rounds in every
/// state), either with run-time errors or with channels as values.
fn knobs(faults: bool) -> Knobs {
    let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
    let kept = |feature: &Feature| *feature != Feature::Loops && *feature != left_out;
    let features: Vec<Feature> = SUPPORTED.iter().copied().filter(kept).collect();
    Knobs { faults, ..Knobs::with(&features) }
}

fn samples() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    any::<bool>().prop_flat_map(|faults| networks_with_goals(knobs(faults), 1))
}

fn space(network: &Network, goal: &Expr) -> CompiledSpace {
    CompiledSpace::new(network, &[Wanted::goal(goal.clone())], Passes::ALL)
        .expect("a supported network")
}

const VARIANTS: [&str; 12] = [
    "abstraction(states=2)",
    "abstraction(states=5, order=far)",
    "abstraction(states=20, compose=default)",
    "abstraction(states=10, keep=labels)",
    "abstraction(states=10, compose=trace)",
    "abstraction(states=100, compose=trace, keep=labels)",
    "abstraction",
    "abstraction(states=2000)",
    "database(states=10)",
    "database",
    "russian-doll(states=20)",
    "russian-doll",
];

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, ..config(200) })]

    #[test]
    fn differential_distances((network, goals) in samples()) {
        let space = space(&network, &goals[0]);
        for text in VARIANTS {
            compare(&space, text, None, &mut Tally::default())?;
        }
    }

    #[test]
    fn differential_costs((network, goals) in samples(), seed in 0_u32..7) {
        let space = space(&network, &goals[0]);
        let labels = space.moves().list.len() as u32;
        let costs: Vec<Cost> = (0..labels).map(|label| (label * 5 + seed) % 4).collect();
        for text in VARIANTS {
            compare(&space, text, Some(&costs), &mut Tally::default())?;
        }
    }
}

/// With room for everything, only what the ground form lost is lost.
#[test]
fn large_abstractions_are_mostly_exact() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut all = Tally::default();
    let mut exact = Tally::default();
    for _ in 0..300 {
        let (network, goals) = samples().new_tree(&mut runner).unwrap().current();
        let space = space(&network, &goals[0]);
        let ground = Ground::of(space.prepared(), &space.system().conditions[0].term).split(64);
        let precise = ground.goals_exact && ground.operators.iter().all(|o| o.exact);
        let tally = if precise && !space.system().has_commitment() { &mut exact } else { &mut all };
        compare(&space, "abstraction(states=5000)", None, tally).unwrap();
    }
    println!("exact ground forms {exact:?}, others {all:?}");
    assert!(exact.compared > 20);
    assert!(exact.exact * 20 > exact.reachable * 19, "{exact:?}");
    assert!(exact.proved * 20 > exact.unreachable * 19, "{exact:?}");
    assert!(all.exact * 2 > all.reachable, "{all:?}");
}

/// Tables that do not fit are made smaller, with a notice.
#[test]
fn little_memory_makes_small_tables() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut smaller = [0, 0];
    for _ in 0..100 {
        let (network, goals) = samples().new_tree(&mut runner).unwrap().current();
        let space = space(&network, &goals[0]);
        let notices = RefCell::new(vec![]);
        let goal = Goal { memory: 4000, ..Goal::condition(space.prepared(), &space, 0, &notices) };
        for (i, text) in ["abstraction(states=1000)", "database"].into_iter().enumerate() {
            let Ok(Expression::Call(call)) = parse(text) else { panic!() };
            notices.borrow_mut().clear();
            if let Ok(estimate) = build(&goal, &call) {
                smaller[i] += notices.borrow().len();
                assert!(i == 0 || estimate.instance().bytes() < 2 * goal.memory);
            }
        }
    }
    assert!(smaller[0] > 0 && smaller[1] > 0, "{smaller:?}");
}

#[test]
fn wrong_parameters_are_refused() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (network, goals) = samples().new_tree(&mut runner).unwrap().current();
    let space = space(&network, &goals[0]);
    let notices = RefCell::new(vec![]);
    for text in [
        "abstraction(states=1)",
        "abstraction(states=65535)",
        "abstraction(order=up)",
        "abstraction(compose=3)",
        "abstraction(5)",
        "database(states=1)",
        "russian-doll(order=near)",
    ] {
        let Ok(Expression::Call(call)) = parse(text) else { panic!() };
        assert!(
            build(&Goal::condition(space.prepared(), &space, 0, &notices), &call).is_err(),
            "{text}"
        );
    }
}
