//! Nested depth-first search by several threads, compared with brute force on small random
//! graphs and with Couvreur's search on larger ones, while threads rest at any moment.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::thread;

use homing_core::{Batch, Crew, Expander, Limits, Random, Space, StopReason, Watch, Word};
use homing_search::{Outcome, Task};
use homing_space::Degeneralised;
use support::graphs::{Edges, Graph};
use support::{go, stores};

/// A graph whose expanders rest now and then.
struct Slow<'g> {
    graph: &'g Graph,
    seed: u64,
}

struct Resting<'g> {
    edges: Edges<'g>,
    random: Random,
}

impl Space for Slow<'_> {
    fn width(&self) -> usize {
        1
    }

    fn acceptance_sets(&self) -> u32 {
        self.graph.sets
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Resting { edges: Edges(self.graph), random: Random::new(self.seed) })
    }
}

impl Expander for Resting<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.edges.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        match self.random.below(40) {
            0..8 => thread::yield_now(),
            8 => thread::sleep(std::time::Duration::from_micros(20)),
            _ => {}
        }
        self.edges.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.edges.violated(state)
    }
}

fn search(strategy: &str, task: &Task, threads: usize, limits: Limits) -> Outcome {
    let mut stores = stores("exact", task.space.width(), None);
    let mut watch = Watch::new(limits).with_crew(Crew::of(threads));
    go(strategy, task, &mut stores, None, &mut watch)
}

/// Searches for a lasso, which must be one if there should be any.
fn check(graph: &Graph, seed: u64, threads: usize, expected: bool) {
    let slow = Slow { graph, seed };
    let wrapped = Degeneralised::new(&slow);
    let space: &dyn Space = if graph.sets > 1 { &wrapped } else { &slow };
    let task = Task { lasso: true, ..Task::explore(space) };
    let outcome = search("cndfs(improve=0)", &task, threads, Limits::default());
    let about = format!("{threads} threads, seed {seed}");
    assert_eq!(outcome.stopped, None, "{about}");
    assert_eq!(outcome.findings.lasso.is_some(), expected, "{about}");
    if let Some(lasso) = &outcome.findings.lasso {
        graph.check(lasso, &about);
    }
}

#[test]
fn oracle_cndfs() {
    let mut found = 0;
    for threads in 1..=8 {
        for seed in 0..800 {
            let graph = Graph::random(seed + 1000 * threads as u64, [9, 20, 60][seed as usize % 3]);
            let expected = graph.accepts();
            check(&graph, seed, threads, expected);
            found += usize::from(expected);
        }
    }
    assert!((1_500..6_000).contains(&found), "{found} of 6,400 have lassos");
}

/// A graph of so many nodes in which few steps accept. Half of them lead back within layers
/// of some nodes only, so that there are components of all sizes.
fn large(seed: u64, nodes: u64) -> Graph {
    let mut random = Random::new(seed);
    let (layer, rare) = (2 + random.below(60), 4 + random.below(nodes / 2));
    let mut edges = Vec::new();
    for node in 0..nodes {
        let first = node - node % layer;
        for _ in 0..1 + random.below(3) {
            let to = match random.below(2) {
                0 => first + random.below(layer),
                _ => node + 1 + random.below(layer),
            };
            // Mostly it is steps out of a layer that accept.
            let accepts = random.below(if to >= first + layer { 2 } else { rare }) == 0;
            edges.push((node as usize, to.min(nodes - 1), u64::from(accepts && to < nodes)));
        }
    }
    Graph::new(1, &edges)
}

#[test]
fn differential_cndfs_on_larger_graphs() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..50 {
        let graph = large(seed, 200 + 60 * seed);
        let task = Task { lasso: true, ..Task::explore(&graph) };
        let expected = search("couvreur(improve=0)", &task, 1, Limits::default());
        let nested = search("ndfs(improve=0)", &task, 1, Limits::default());
        let expected = expected.findings.lasso.is_some();
        assert_eq!(nested.findings.lasso.is_some(), expected);
        *if expected { &mut found } else { &mut none } += 1;
        for threads in [1, 2, 3, 4, 8] {
            check(&graph, seed, threads, expected);
        }
    }
    assert!(found > 8 && none > 8, "{found} with lassos, {none} without");
}

/// Every step accepts and none leads back: all workers meet gates of others all the time, and
/// none waits for ever.
#[test]
fn nobody_waits_for_ever() {
    let mut random = Random::new(3);
    let steps = (0..1500).flat_map(|node| {
        let to = [node + 1, node + 1 + random.below(20), node + 1 + random.below(400)];
        to.map(|to| (node as usize, to.min(1500), 1))
    });
    let graph = Graph::new(1, &steps.collect::<Vec<_>>());
    for threads in [1, 2, 3, 8] {
        check(&graph, threads as u64, threads, false);
    }
    // Nor where some are never left, since nothing was expanded after so many steps.
    for threads in [1, 2, 4, 8] {
        for depth in [1, 7, 50] {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let slow = Slow { graph: &graph, seed: 1 };
            let task = Task { lasso: true, ..Task::explore(&slow) };
            let outcome = search("cndfs(improve=0)", &task, threads, limits);
            assert_eq!(outcome.stopped, Some(StopReason::Depth));
            assert!(outcome.findings.lasso.is_none());
        }
    }
}

#[test]
fn limits_stop_all_workers() {
    let edges: Vec<(usize, Word, u64)> = (0..5000).map(|n| (n, n as Word + 1, 1)).collect();
    let graph = Graph::new(1, &[&edges[..], &[(5000, 0, 0)]].concat());
    for threads in 1..=8 {
        for (limits, reason) in [
            (Limits { states: Some(1000), ..Limits::default() }, StopReason::States),
            (Limits { expansions: Some(1000), ..Limits::default() }, StopReason::Expansions),
            (Limits { memory: Some(1), ..Limits::default() }, StopReason::Memory),
            (Limits { depth: Some(1000), ..Limits::default() }, StopReason::Depth),
            (Limits { bound: Some(1000), ..Limits::default() }, StopReason::Bound),
        ] {
            let states = limits.states;
            let task = Task { lasso: true, ..Task::explore(&graph) };
            let config = homing_store::StoreConfig { width: 1, states, ..Default::default() };
            let mut stores = homing_store::Making::new(config, support::call("exact")).unwrap();
            let mut watch = Watch::new(limits).with_crew(Crew::of(threads));
            let outcome = go("cndfs(improve=0)", &task, &mut stores, None, &mut watch);
            assert_eq!(outcome.stopped, Some(reason), "{threads} threads");
            assert!(outcome.findings.lasso.is_none());
            let most = if reason == StopReason::Expansions { 1000 } else { 1_000_000 };
            assert!(outcome.statistics.progress.expanded <= most, "{threads} threads");
        }
    }
}

#[test]
fn conditions_are_found_too_and_states_are_counted_once() {
    for threads in [1, 2, 5, 8] {
        for seed in 0..200 {
            let mut graph = Graph::random(seed, 20);
            graph.goal = Some(0);
            if graph.sets > 1 {
                continue;
            }
            let reach = graph.reach();
            let from = |n: &Word| reach[*n as usize] | 1 << n;
            let reached = graph.initial.iter().fold(0, |all, n| all | from(n));
            let explore = Task::explore(&graph);
            let task = Task { lasso: true, conditions: 1, count: 1, deadlock: true, ..explore };
            let outcome = search("cndfs(improve=0)", &task, threads, Limits::default());
            let findings = &outcome.findings;
            let dead = |n: usize| reached >> n & 1 == 1 && graph.edges[n].is_empty();
            let deadlocks = (0..graph.edges.len()).filter(|n| dead(*n)).count();
            let expected = [graph.accepts(), reached & 1 == 1, deadlocks > 0];
            let goal = findings.conditions.first().is_some_and(Option::is_some);
            let found = [findings.lasso.is_some(), goal, findings.deadlock.is_some()];
            assert_eq!(found, expected, "{threads} threads, seed {seed}");
            if expected.contains(&false) {
                let statistics = &outcome.statistics;
                assert_eq!(statistics.deadlocks as usize, deadlocks, "{threads}, {seed}");
                assert_eq!(statistics.counted, reached & 1);
                let nodes = u64::from(reached.count_ones());
                assert_eq!(statistics.progress.stored, nodes, "{threads}, {seed}");
            }
        }
    }
}

#[test]
fn other_stores_are_refused() {
    let graph = Graph::new(1, &[(0, 0, 1)]);
    let task = Task { lasso: true, ..Task::explore(&graph) };
    let mut stores = stores("tree", 1, None);
    let outcome = go("cndfs", &task, &mut stores, None, &mut Watch::unlimited());
    assert!(outcome.stopped.is_some() && outcome.notices.len() == 1);
}
