//! Restarting weighted A* and ARA* on random graphs: every trace against the shortest, and
//! every bound against it, whenever the search is ended.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use homing_core::hash::hash_words;
use homing_core::{Cost, Limits, StopReason, Watch, Word};
use homing_search::{Finding, Outcome, Task};
use proptest::prelude::*;
use support::{Toy, admissible, find, go, goal, stores, unclaimed};

const NODES: Word = 80;

/// Three conditions, some deadlocks and a step that fails.
fn toy(seed: Word) -> Toy {
    Toy::random(NODES, 3, seed)
        .with_conditions(|node| u64::from(node % 19 == 5) | u64::from(node % 13 == 7) << 2)
        .with_failure(seed % NODES)
}

fn task(toy: &Toy, which: u64) -> Task<'_> {
    let (deadlock, fault) = (which & 2 != 0, which & 4 != 0);
    let conditions = if which & 1 != 0 || !(deadlock || fault) { 0b101 } else { 0 };
    Task { conditions, deadlock, fault, ..Task::explore(toy) }
}

fn search(strategy: &str, task: &Task, estimate: support::Factory, limits: Limits) -> Outcome {
    let mut stores = stores("exact", 1, None);
    // The estimate lives as long as the call.
    go(strategy, task, &mut stores, estimate, &mut Watch::new(limits))
}

/// The lengths of what was found, each apart.
fn lengths(outcome: &Outcome) -> Vec<Option<usize>> {
    let length = |finding: &Option<Finding>| finding.as_ref().map(Finding::length);
    let findings = &outcome.findings;
    let mut all: Vec<_> = findings.conditions.iter().map(length).collect();
    all.resize(64, None);
    all.extend([length(&findings.deadlock), length(&findings.fault)]);
    all
}

const STRATEGIES: &[&str] =
    &["rwa", "rwa(weights=[6, 2])", "rwa(weights=1)", "ara", "ara(weights=[9])", "ara(weights=1)"];

fn noise(seed: Word) -> impl Fn(Word) -> Cost + Clone {
    move |node| (hash_words(&[seed, node]) % 12) as Cost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Left to themselves they find of everything a shortest way, with an estimate that is
    /// anything but admissible, too.
    #[test]
    fn whatever_the_estimate_the_last_trace_is_shortest(seed: u64, which in 0u64..8) {
        let toy = toy(seed);
        let task = task(&toy, which);
        let shortest = search("breadth", &task, None, Limits::default());
        for strategy in STRATEGIES {
            let outcome = search(strategy, &task, unclaimed(noise(seed)), Limits::default());
            prop_assert_eq!(lengths(&outcome), lengths(&shortest), "{}", strategy);
            prop_assert_eq!(outcome.stopped, None);
            prop_assert!(outcome.optimal);
        }
    }

    /// Ended early, the best so far is told, and what no trace is shorter than; never
    /// more than the truth.
    #[test]
    fn a_search_that_is_ended_keeps_what_it_has(seed: u64, most in 1u64..60) {
        let toy = Toy::random(NODES, 3, seed).with_goal(|node| node % 19 == 5);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let distances = distances(&toy);
        let low = |node: Word| {
            let far = distances[node as usize].unwrap_or(9);
            (hash_words(&[seed, node]) % (far + 1)) as Cost
        };
        for strategy in STRATEGIES {
            let limits = Limits { expansions: Some(most), ..Limits::default() };
            let outcome = search(strategy, &task, admissible(low), limits);
            let found = goal(&outcome).map(|finding| finding.length() as u64);
            let shortest = distances[0];
            prop_assert!(shortest.is_none_or(|shortest| outcome.at_least <= shortest));
            prop_assert!(found.is_none_or(|found| Some(found) >= shortest));
            prop_assert!(!outcome.optimal || found == shortest, "{}", strategy);
            prop_assert!(found.is_some() || shortest.is_none() || outcome.stopped.is_some());
        }
    }

    /// The same where several things are looked for: what is proven holds of each.
    #[test]
    fn what_is_proven_holds_of_everything_sought(seed: u64, which in 0u64..8, most in 1u64..60) {
        let toy = toy(seed);
        let task = task(&toy, which);
        let shortest = lengths(&search("breadth", &task, None, Limits::default()));
        for strategy in STRATEGIES {
            let limits = Limits { expansions: Some(most), ..Limits::default() };
            let outcome = search(strategy, &task, admissible(|_| 0), limits);
            let found = lengths(&outcome);
            for (found, shortest) in found.iter().zip(&shortest) {
                prop_assert!(found.is_none_or(|found| shortest.is_some_and(|one| one <= found)));
                prop_assert!(!outcome.optimal || found == shortest, "{}", strategy);
                let proven = shortest.is_none_or(|one| outcome.at_least <= one as u64);
                prop_assert!(proven, "{}: at least {}", strategy, outcome.at_least);
            }
        }
    }

    /// What lies within a bound, and nothing else, is found; what is missing is longer.
    #[test]
    fn bounds_and_depths_are_kept(seed: u64, most in 0u64..8, deep: bool) {
        let toy = Toy::random(NODES, 3, seed).with_goal(|node| node % 19 == 5);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let shortest = distances(&toy)[0];
        let limits = match deep {
            true => Limits { depth: Some(most as u32), ..Limits::default() },
            false => Limits { bound: Some(most), ..Limits::default() },
        };
        for strategy in STRATEGIES {
            let outcome = search(strategy, &task, unclaimed(noise(seed)), limits.clone());
            let found = goal(&outcome).map(|finding| finding.length() as u64);
            let within = shortest.filter(|shortest| *shortest <= most);
            prop_assert_eq!(found, within, "{}", strategy);
            prop_assert!(shortest.is_none_or(|shortest| outcome.at_least <= shortest));
            if found.is_none() && shortest.is_some() {
                let reason = if deep { StopReason::Depth } else { StopReason::Bound };
                prop_assert_eq!(outcome.stopped, Some(reason));
            }
        }
    }
}

/// The distance of every node to a goal.
fn distances(toy: &Toy) -> Vec<Option<u64>> {
    let mut distance: Vec<Option<u64>> =
        (0..NODES).map(|node| (node % 19 == 5).then_some(0)).collect();
    for _ in 0..NODES {
        for node in 0..NODES {
            let next = toy.successors(node).into_iter().filter_map(|to| distance[to as usize]);
            let through = next.min().map(|next| next + 1);
            let known = distance[node as usize];
            distance[node as usize] = [known, through].into_iter().flatten().min();
        }
    }
    distance
}

/// On a grid whose estimate is misleading, traces become shorter from weight to weight, and
/// what is proven of them better.
#[test]
fn traces_become_shorter_and_bounds_better() {
    const SIDE: Word = 40;
    let toy = Toy::grid(SIDE).with_goal(|node| node == SIDE * SIDE - 1);
    // Half of the truth, and less in the middle: the detour round it looks better.
    let low = |node: Word| {
        let (x, y) = (node % SIDE, node / SIDE);
        let far = (2 * (SIDE - 1) - x - y) as Cost;
        if x.abs_diff(y) < 6 { far } else { far / 2 }
    };
    for strategy in ["rwa", "ara"] {
        let outcome = find(strategy, &toy, admissible(low));
        assert!(outcome.optimal && outcome.at_least == 2 * (SIDE - 1), "{strategy}");
        let told = &outcome.notices;
        assert!(told.len() >= 2, "{told:?}");
        assert!(told[0].starts_with("weight 5: ") && told[0].contains("at least"), "{told:?}");
        let steps = |notice: &String| notice.split(' ').nth(2).unwrap().parse::<u64>().unwrap();
        assert!(told.iter().map(steps).is_sorted_by(|a, b| a >= b), "{told:?}");
    }
}

/// What was estimated is not estimated again after a restart.
#[test]
fn estimates_are_kept() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let asked = AtomicUsize::new(0);
    let toy = Toy::random(NODES, 3, 11).with_goal(|node| node == 77);
    let counting = |node: Word| {
        asked.fetch_add(1, Ordering::Relaxed);
        noise(3)(node)
    };
    for strategy in ["rwa", "ara"] {
        asked.store(0, Ordering::Relaxed);
        let outcome = find(strategy, &toy, unclaimed(counting));
        let stored = outcome.statistics.progress.stored as usize;
        assert_eq!(asked.load(Ordering::Relaxed), stored, "{strategy}");
    }
}

#[test]
fn weights_must_fall() {
    use homing_search::strategy::build;
    for wrong in ["rwa(weights=[2, 3])", "ara(weights=[])", "rwa(weights=0)", "ara(weights=x)"] {
        assert!(build(&support::call(wrong), 1).is_err(), "{wrong}");
    }
}
