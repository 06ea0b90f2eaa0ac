//! Depth-first search is depth-first search: a state is marked when the search
//! goes on to it, and the stack is a path.

use crate::support;

use std::collections::BTreeSet;

use homing_core::{Watch, Word};
use homing_search::Task;
use proptest::prelude::*;
use support::{STORES, Toy, find, goal, run, store};

/// The order in which the textbook's recursive search enters nodes, and the
/// path on which it first meets the goal.
#[derive(Default)]
struct Textbook {
    order: Vec<Word>,
    visited: BTreeSet<Word>,
    stack: Vec<Word>,
    path: Option<Vec<Word>>,
}

impl Textbook {
    /// The graphs it is used on are small enough to recurse.
    fn search(&mut self, toy: &Toy, node: Word, at_goal: &dyn Fn(Word) -> bool) {
        if !self.visited.insert(node) {
            return;
        }
        self.order.push(node);
        self.stack.push(node);
        if at_goal(node) && self.path.is_none() {
            self.path = Some(self.stack.clone());
        }
        for successor in toy.successors(node) {
            self.search(toy, successor, at_goal);
        }
        self.stack.pop();
    }
}

/// What a best-first search with a last-in-first-out open list would find: it
/// marks nodes when they are generated. Successors are pushed in reverse, so
/// that the first is taken first.
fn last_in_first_out(toy: &Toy, at_goal: impl Fn(Word) -> bool) -> Option<Vec<Word>> {
    let mut marked = BTreeSet::from([0]);
    let mut open = vec![vec![0]];
    while let Some(path) = open.pop() {
        let node = path[path.len() - 1];
        if at_goal(node) {
            return Some(path);
        }
        let fresh: Vec<Word> = toy
            .successors(node)
            .into_iter()
            .filter(|successor| marked.insert(*successor))
            .collect();
        for successor in fresh.into_iter().rev() {
            open.push([path.as_slice(), &[successor]].concat());
        }
    }
    None
}

#[test]
fn states_are_marked_when_entered() {
    // Node 2 is generated from node 0 before it is entered from node 1.
    let toy = Toy::graph(&[(0, 1), (0, 2), (1, 2), (2, 3)]).with_goal(|node| node == 3);
    assert_eq!(last_in_first_out(&toy, |node| node == 3), Some(vec![0, 2, 3]));
    let outcome = find("depth", &toy, None);
    let path = &goal(&outcome).expect("there is a way").path;
    assert_eq!(toy.nodes(path), [0, 1, 2, 3]);
    assert!(!outcome.optimal);
}

#[test]
fn seeds_decide_the_order() {
    let order = |strategy: &str| {
        let toy = Toy::grid(20);
        let mut store = store("exact", 1, None);
        run(strategy, &Task::explore(&toy), &mut *store, None, &mut Watch::unlimited());
        toy.expanded()
    };
    assert_eq!(order("random-depth(seed=1)"), order("random-depth(seed=1)"));
    assert_eq!(order("random-depth"), order("random-depth(seed=1)"), "the seed of the run");
    assert_ne!(order("random-depth(seed=1)"), order("random-depth(seed=2)"));
    assert_ne!(order("random-depth(seed=1)"), order("depth"));
    let sorted = |strategy| BTreeSet::from_iter(order(strategy));
    assert_eq!(sorted("random-depth(seed=2)"), sorted("depth"), "all states, in another order");
}

/// Some seed takes each of the successors first.
#[test]
fn every_successor_may_come_first() {
    let toy = Toy::graph(&[(0, 1), (0, 2), (0, 3), (0, 4)]);
    let first = |seed: u64| {
        let mut store = store("exact", 1, None);
        let strategy = format!("random-depth(seed={seed})");
        run(&strategy, &Task::explore(&toy), &mut *store, None, &mut Watch::unlimited());
        toy.expanded()[1]
    };
    assert_eq!(BTreeSet::from_iter((0..64).map(first)), BTreeSet::from([1, 2, 3, 4]));
}

const MILLION: Word = 1_000_000;

#[test]
fn a_million_steps_are_found() {
    for strategy in ["breadth", "depth", "random-depth", "greedy", "astar"] {
        let toy = Toy::chain(MILLION).with_goal(|node| node == MILLION);
        let outcome = find(strategy, &toy, support::unclaimed(|_| 1));
        let found = goal(&outcome).expect("there is a way");
        assert_eq!(found.length() as Word, MILLION, "{strategy}");
        assert_eq!(found.path.state(found.path.len()), [MILLION]);
    }
}

#[test]
fn a_million_steps_to_a_deadlock_or_a_failure() {
    for strategy in ["breadth", "depth"] {
        for store_name in STORES {
            let toy = Toy::chain(MILLION / 10).with_failure(MILLION / 20);
            let task = Task { deadlock: true, fault: true, ..Task::explore(&toy) };
            let mut store = store(store_name, 1, None);
            let outcome = run(strategy, &task, &mut *store, None, &mut Watch::unlimited());
            let length = |finding: Option<&homing_search::Finding>| {
                let finding = finding.expect("it is there");
                toy.nodes(&finding.path);
                finding.length() as Word
            };
            assert_eq!(length(outcome.findings.deadlock.as_ref()), MILLION / 10);
            let fault = outcome.findings.fault.as_ref();
            assert_eq!(length(fault), MILLION / 20 + 1, "the failing step counts");
            assert_eq!(fault.and_then(|fault| fault.fault).map(|fault| fault.site), Some(7));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn oracle_random_graphs(nodes in 1u64..300, degree in 1u64..6, seed: u64, width in 1usize..4) {
        let target = nodes / 2;
        let toy = Toy::random(nodes, degree, seed)
            .with_width(width)
            .with_goal(move |node| node == target);
        let mut expected = Textbook::default();
        expected.search(&toy, 0, &|node| node == target);
        for store_name in STORES {
            let mut whole = store(store_name, width, None);
            run("depth", &Task::explore(&toy), &mut *whole, None, &mut Watch::unlimited());
            prop_assert_eq!(&toy.expanded(), &expected.order, "{}", store_name);

            let task = Task { conditions: 1, ..Task::explore(&toy) };
            let mut seen = store(store_name, width, None);
            let outcome = run("depth", &task, &mut *seen, None, &mut Watch::unlimited());
            let path = goal(&outcome).map(|finding| toy.nodes(&finding.path));
            prop_assert_eq!(&path, &expected.path, "{}", store_name);
        }
    }
}
