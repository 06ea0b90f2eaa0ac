//! Breadth-first search with its windows equals the textbook's without.

use crate::support;

use std::collections::{HashMap, VecDeque};

use homing_core::{Space, Watch, Word};
use homing_search::Task;
use proptest::prelude::*;
use support::{STORES, Toy, run, store, stored};

/// What the textbook's search finds: nodes in order of insertion, with depths.
struct Textbook {
    order: Vec<Word>,
    depths: HashMap<Word, u32>,
    transitions: u64,
    deadlocks: u64,
}

fn textbook(toy: &Toy, initial: Word) -> Textbook {
    let mut found = Textbook {
        order: vec![initial],
        depths: HashMap::from([(initial, 0)]),
        transitions: 0,
        deadlocks: 0,
    };
    let mut queue = VecDeque::from([initial]);
    while let Some(node) = queue.pop_front() {
        let successors = toy.successors(node);
        found.transitions += successors.len() as u64;
        found.deadlocks += u64::from(successors.is_empty());
        for successor in successors {
            let depth = found.depths[&node] + 1;
            if let std::collections::hash_map::Entry::Vacant(place) = found.depths.entry(successor)
            {
                place.insert(depth);
                found.order.push(successor);
                queue.push_back(successor);
            }
        }
    }
    found
}

/// Explores everything with `store` and compares.
fn compare(toy: &Toy, store_name: &str) {
    let expected = textbook(toy, 0);
    let mut store = store(store_name, toy.width(), None);
    let task = Task::explore(toy);
    let outcome = run("breadth", &task, &mut *store, None, &mut Watch::unlimited());
    let statistics = outcome.statistics;
    assert_eq!(outcome.stopped, None);
    assert_eq!(toy.expanded(), expected.order, "expansions with {store_name}");
    if store.keeps_states() {
        assert_eq!(stored(&*store, toy), expected.order, "numbers with {store_name}");
    }
    assert_eq!(statistics.progress.stored, expected.order.len() as u64);
    assert_eq!(statistics.progress.expanded, expected.order.len() as u64);
    assert_eq!(statistics.progress.generated, expected.transitions);
    assert_eq!(statistics.deadlocks, expected.deadlocks);
    assert_eq!(statistics.levels, expected.depths.values().copied().max().unwrap_or(0));
}

/// Looks for up to 64 of the nodes at once: each at its least distance.
fn compare_distances(toy: Toy, targets: &[Word], store_name: &str) {
    let expected = textbook(&toy, 0);
    let bits = targets.to_vec();
    let toy = toy.with_conditions(move |node| {
        let set = bits.iter().enumerate().filter(|(_, target)| **target == node);
        set.fold(0, |set, (bit, _)| set | 1 << bit)
    });
    let conditions = if targets.len() == 64 { u64::MAX } else { (1 << targets.len()) - 1 };
    let task = Task { conditions, ..Task::explore(&toy) };
    let mut store = store(store_name, toy.width(), None);
    let outcome = run("breadth", &task, &mut *store, None, &mut Watch::unlimited());
    assert_eq!(outcome.optimal, store.is_exact());
    for (bit, target) in targets.iter().enumerate() {
        let finding = outcome.findings.conditions.get(bit).and_then(Option::as_ref);
        let nodes = finding.map(|finding| toy.nodes(&finding.path));
        assert_eq!(
            nodes.as_ref().map(|nodes| nodes.len() as u32 - 1),
            expected.depths.get(target).copied(),
            "distance of {target} with {store_name}"
        );
        assert!(nodes.is_none_or(|nodes| nodes.last() == Some(target)));
    }
}

#[test]
fn windows_keep_the_order_on_a_grid() {
    for store_name in STORES {
        compare(&Toy::grid(150), store_name);
    }
}

#[test]
fn windows_keep_the_order_where_levels_are_wide() {
    // Six levels reach all of 50,000 nodes: windows are full, and end where a
    // level does.
    for store_name in STORES {
        compare(&Toy::random(50_000, 16, 3), store_name);
    }
}

#[test]
fn windows_keep_the_order_of_wide_states() {
    for store_name in STORES {
        for width in [2, 3, 7] {
            compare(&Toy::random(3_000, 6, 5).with_width(width), store_name);
        }
    }
}

/// Wide states whose words take few values each, as those of models do: what
/// the tree store shares, and must not mix up.
#[test]
fn windows_keep_the_order_of_states_that_share_words() {
    // So many states are beyond a small table of bits.
    for store_name in STORES.into_iter().filter(|name| !name.starts_with("bitstate")) {
        for (base, width) in [(2, 18), (3, 12), (7, 7), (60, 4), (400, 2)] {
            compare(&Toy::grid(350).with_digits(base, width), store_name);
            compare(&Toy::random(100_000, 5, base).with_digits(base, width), store_name);
        }
    }
}

#[test]
fn distances_on_a_grid_are_known() {
    let side = 40;
    let targets: Vec<Word> = (0..side).collect();
    for store_name in STORES {
        compare_distances(Toy::grid(side), &targets, store_name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn oracle_random_graphs(
        nodes in 1u64..2000,
        degree in 1u64..9,
        seed: u64,
        width in 1usize..5,
        targets in prop::collection::vec(0u64..2000, 1..=64),
    ) {
        for store_name in STORES {
            compare(&Toy::random(nodes, degree, seed).with_width(width), store_name);
            let toy = Toy::random(nodes, degree, seed).with_width(width);
            compare_distances(toy, &targets, store_name);
        }
    }
}
