//! Greedy search and A*, with estimates that are known to be perfect, merely
//! admissible, or blind.

use crate::support;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use homing_core::{Cost, DEAD_END, Watch, Word};
use homing_search::Task;
use proptest::prelude::*;
use support::{Toy, admissible, find, goal, run, store, unclaimed};

/// The steps behind the trap.
const CORRIDOR: Word = 10;

/// The trap of Martelli (1977) with unit costs: node 4 is reached first by
/// the long way 0-2-3-4, whose estimates are low, and only later by the short
/// way 0-1-4, whose estimate is true. From there a corridor leads to the goal.
fn trap() -> Toy {
    let mut edges = vec![(0, 1), (0, 2), (1, 4), (2, 3), (3, 4)];
    edges.extend((4..4 + CORRIDOR).map(|node| (node, node + 1)));
    Toy::graph(&edges).with_goal(|node| node == 4 + CORRIDOR)
}

/// Never above the true distance, but falls by far more than one from node 1
/// to node 4.
fn inconsistent(node: Word) -> Cost {
    if node == 1 { 1 + CORRIDOR as Cost } else { 0 }
}

/// A* as the textbook has it; `reopens` says whether closed nodes are opened
/// again. The length of the path it finds.
fn textbook(
    toy: &Toy,
    goal: impl Fn(Word) -> bool,
    estimate: impl Fn(Word) -> Cost,
    reopens: bool,
) -> Option<Cost> {
    let mut depths: HashMap<Word, Cost> = HashMap::from([(0, 0)]);
    let mut closed: HashMap<Word, Cost> = HashMap::new();
    let mut open = BinaryHeap::from([Reverse((estimate(0), 0, 0))]);
    while let Some(Reverse((_, depth, node))) = open.pop() {
        if closed.get(&node).is_some_and(|known| !reopens || *known <= depth) {
            continue;
        }
        if goal(node) {
            return Some(depth);
        }
        closed.insert(node, depth);
        for successor in toy.successors(node) {
            let better = depths.get(&successor).is_none_or(|known| depth + 1 < *known);
            if better {
                depths.insert(successor, depth + 1);
                open.push(Reverse((depth + 1 + estimate(successor), depth + 1, successor)));
            }
        }
    }
    None
}

#[test]
fn astar_reopens_closed_states() {
    let toy = trap();
    let at_goal = |node| node == 4 + CORRIDOR;
    let shortest = 2 + CORRIDOR as Cost;
    assert_eq!(textbook(&toy, at_goal, inconsistent, false), Some(shortest + 1));
    assert_eq!(textbook(&toy, at_goal, inconsistent, true), Some(shortest));

    let outcome = find("astar", &toy, admissible(inconsistent));
    let path = &goal(&outcome).expect("there is a way").path;
    let mut expected = vec![0, 1];
    expected.extend(4..=4 + CORRIDOR);
    assert_eq!(toy.nodes(path), expected);
    assert!(outcome.optimal);
    let twice = toy.expanded().iter().filter(|node| **node == 4).count();
    assert_eq!(twice, 2, "node 4 is expanded again");
}

#[test]
fn astar_claims_only_what_its_estimate_does() {
    let outcome = find("astar", &trap(), unclaimed(inconsistent));
    assert!(goal(&outcome).is_some() && !outcome.optimal);
    let greedy = find("greedy", &trap(), admissible(inconsistent));
    assert!(goal(&greedy).is_some() && !greedy.optimal);
}

/// The distance from a cell to the far corner of a grid.
fn to_far_corner(side: Word) -> impl Fn(Word) -> Cost {
    move |node| (2 * (side - 1) - node % side - node / side) as Cost
}

#[test]
fn a_perfect_estimate_leads_straight_to_the_goal() {
    let side = 300;
    let toy = Toy::grid(side).with_goal(move |node| node == side * side - 1);
    let distance = 2 * (side - 1);
    for (strategy, expansions) in [("greedy", distance), ("astar", distance)] {
        let outcome = find(strategy, &toy, admissible(to_far_corner(side)));
        let path = &goal(&outcome).expect("there is a way").path;
        assert_eq!(toy.nodes(path).len() as Word, distance + 1, "{strategy}");
        assert_eq!(outcome.statistics.progress.expanded, expansions, "{strategy}");
        assert_eq!(outcome.statistics.progress.best, Some(0));
    }
    let blind = find("astar", &toy, admissible(|_| 0));
    assert!(blind.statistics.progress.expanded > side * side / 2);
    assert_eq!(goal(&blind).expect("there is a way").length() as Word, distance);
}

/// Two corridors: one to the goal at 100, one into a large grid without it.
fn fork(has_goal: bool) -> Toy {
    const SIDE: Word = 100;
    Toy::new(0, move |node| match node {
        0 => vec![1, 1000],
        1..100 if has_goal || node < 99 => vec![node + 1],
        1000.. => {
            let (x, y) = ((node - 1000) % SIDE, (node - 1000) / SIDE);
            let right = (x + 1 < SIDE).then_some(node + 1);
            let down = (y + 1 < SIDE).then_some(node + SIDE);
            right.into_iter().chain(down).collect()
        }
        _ => vec![],
    })
    .with_goal(|node| node == 100)
}

fn dead_beyond_the_fork(node: Word) -> Cost {
    if node >= 1000 { DEAD_END } else { 0 }
}

#[test]
fn dead_ends_are_not_expanded_and_verdicts_stay() {
    for strategy in ["greedy", "astar"] {
        let toy = fork(true);
        let outcome = find(strategy, &toy, admissible(dead_beyond_the_fork));
        assert_eq!(goal(&outcome).map(|found| found.length()), Some(100), "{strategy}");
        assert_eq!(outcome.stopped, None);
        assert!(toy.expanded().iter().all(|node| *node < 1000), "{strategy}");

        let without = fork(false);
        let outcome = find(strategy, &without, admissible(dead_beyond_the_fork));
        assert!(goal(&outcome).is_none());
        assert_eq!(outcome.stopped, None, "{strategy} looked at all that may lead to the goal");
        assert_eq!(outcome.statistics.progress.expanded, 100, "{strategy}");
    }
}

#[test]
fn a_dead_end_from_the_start_ends_the_search() {
    for strategy in ["greedy", "astar"] {
        let outcome = find(strategy, &fork(false), admissible(|_| DEAD_END));
        assert!(goal(&outcome).is_none());
        assert_eq!(outcome.statistics.progress.expanded, 0);
    }
}

#[test]
fn huge_estimates_do_not_overflow() {
    for strategy in ["greedy", "astar"] {
        let toy = Toy::chain(50).with_goal(|node| node == 50);
        let outcome = find(strategy, &toy, unclaimed(|node| DEAD_END - 1 - node as Cost % 3));
        assert_eq!(goal(&outcome).map(|found| found.length()), Some(50), "{strategy}");
    }
}

/// The true distance of every node to the goal, backwards from it.
fn distances(toy: &Toy, nodes: Word, at_goal: impl Fn(Word) -> bool) -> Vec<Cost> {
    let mut distance: Vec<Cost> =
        (0..nodes).map(|node| if at_goal(node) { 0 } else { DEAD_END }).collect();
    loop {
        let mut changed = false;
        for node in 0..nodes {
            let nearest = toy.successors(node).iter().map(|s| distance[*s as usize]).min();
            let through = nearest.unwrap_or(DEAD_END).saturating_add(1);
            if through < distance[node as usize] {
                distance[node as usize] = through;
                changed = true;
            }
        }
        if !changed {
            return distance;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever admissible estimate it is given, however inconsistent, A*
    /// finds a shortest path, and finds one exactly where there is one.
    #[test]
    fn oracle_astar_on_random_graphs(nodes in 2u64..300, degree in 1u64..5, seed: u64) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let distance = distances(&toy, nodes, |node| node == target);
        let estimate = |node: Word| {
            let noise = homing_core::hash::hash_words(&[seed, node]);
            let true_one = distance[node as usize];
            match noise % 3 {
                _ if true_one == DEAD_END && noise & 1 == 0 => DEAD_END,
                _ if true_one == DEAD_END => noise as Cost % 20,
                0 => 0,
                _ => (noise % (u64::from(true_one) + 1)) as Cost,
            }
        };
        let expected = (distance[0] != DEAD_END).then_some(distance[0] as usize);
        for (strategy, store_name) in [("astar", "exact"), ("astar", "tree"), ("greedy", "exact")] {
            let task = Task { conditions: 1, ..Task::explore(&toy) };
            let mut store = store(store_name, 1, None);
            let heuristic = admissible(estimate);
            let outcome = run(strategy, &task, &mut *store, heuristic, &mut Watch::unlimited());
            let found = goal(&outcome).map(|finding| toy.nodes(&finding.path).len() - 1);
            prop_assert_eq!(found.is_some(), expected.is_some(), "{}", strategy);
            prop_assert_eq!(outcome.stopped, None);
            if strategy == "astar" {
                prop_assert_eq!(found, expected);
            } else {
                prop_assert!(found >= expected);
            }
        }
    }
}
