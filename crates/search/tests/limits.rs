//! Searches that are cut short say so, and why; searches that are not, do not.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use homing_core::catalogue::{Capability, Row};
use homing_core::{Limits, Space, StopReason, Watch};
use homing_search::{Outcome, STRATEGIES, Task};
use support::{STORES, Toy, go, goal, stores, unclaimed};

/// Every strategy with every store that it may use.
fn combinations() -> Vec<(&'static str, &'static str)> {
    // Lossy strategies leave out what they please, and those that keep layers
    // have no store: see `layered.rs`.
    let layered = ["frontier", "breadth-heuristic", "beam-stack"];
    let rows = STRATEGIES
        .iter()
        .filter(|row| row.gives(Capability::Complete) && !layered.contains(&row.name));
    let all = rows.flat_map(|row| STORES.map(|store| (row, store)));
    let kept = |store: &str| ["exact", "tree"].contains(&store);
    let asks = |row: &Row<_>| row.needs.iter().any(|need| need.is_of_stores());
    all.filter(|(row, store)| !asks(row) || kept(store))
        .map(|(row, store)| (row.name, store))
        .collect()
}

/// Those that fill a store, and memory, if they may.
fn hungry() -> Vec<(&'static str, &'static str)> {
    let bounded = |name| {
        let mut rows = STRATEGIES.iter();
        rows.any(|row| row.name == name && row.gives(Capability::MemoryBounded))
    };
    combinations().into_iter().filter(|(strategy, _)| !bounded(*strategy)).collect()
}

/// Looks for what is not there, in a tree without end.
fn search_forever(strategy: &str, store_name: &str, watch: &mut Watch) -> Outcome {
    search(&Toy::binary_tree(), strategy, store_name, None, watch)
}

fn search(
    toy: &Toy,
    strategy: &str,
    store_name: &str,
    memory: Option<usize>,
    watch: &mut Watch,
) -> Outcome {
    let task = Task { conditions: 1, deadlock: true, fault: true, ..Task::explore(toy) };
    let mut stores = stores(store_name, toy.width(), memory);
    go(strategy, &task, &mut stores, unclaimed(|node| (node % 5) as u32), watch)
}

fn expect_stop(limits: &Limits, reason: StopReason) {
    expect_stops(&combinations(), limits, reason);
}

fn expect_stops(searches: &[(&str, &str)], limits: &Limits, reason: StopReason) {
    for (strategy, store_name) in searches {
        let mut watch = Watch::new(limits.clone());
        let outcome = search_forever(strategy, store_name, &mut watch);
        assert_eq!(outcome.stopped, Some(reason), "{strategy} with {store_name}");
        assert!(goal(&outcome).is_none());
    }
}

#[test]
fn states_are_limited() {
    expect_stop(&Limits { states: Some(10_000), ..Limits::default() }, StopReason::States);
}

#[test]
fn expansions_are_limited() {
    expect_stop(&Limits { expansions: Some(5_000), ..Limits::default() }, StopReason::Expansions);
}

#[test]
fn depth_is_limited() {
    let limits = Limits { depth: Some(8), ..Limits::default() };
    expect_stop(&limits, StopReason::Depth);
    for (strategy, store_name) in combinations() {
        let outcome = search_forever(strategy, store_name, &mut Watch::new(limits.clone()));
        assert_eq!(outcome.statistics.progress.stored, 511, "{strategy} with {store_name}");
        assert!(outcome.statistics.progress.expanded >= 255, "{strategy} with {store_name}");
    }
}

#[test]
fn a_goal_at_the_depth_limit_is_found() {
    for (strategy, store_name) in combinations() {
        let toy = Toy::chain(1000).with_goal(|node| node == 8);
        let reach = |depth| {
            let task = Task { conditions: 1, ..Task::explore(&toy) };
            let mut watch = Watch::new(Limits { depth: Some(depth), ..Limits::default() });
            let mut stores = stores(store_name, 1, None);
            go(strategy, &task, &mut stores, unclaimed(|_| 0), &mut watch)
        };
        let found = reach(8);
        assert_eq!(goal(&found).map(|finding| finding.length()), Some(8), "{strategy}");
        assert_eq!(found.stopped, None, "all that was wanted was found");
        let missed = reach(7);
        assert!(goal(&missed).is_none());
        assert_eq!(missed.stopped, Some(StopReason::Depth), "{strategy} with {store_name}");
    }
}

#[test]
fn a_depth_limit_beyond_the_deepest_state_is_none() {
    for (strategy, store_name) in combinations() {
        let limits = Limits { depth: Some(1_000), ..Limits::default() };
        let toy = Toy::chain(999);
        let outcome = search(&toy, strategy, store_name, None, &mut Watch::new(limits));
        assert_eq!(outcome.stopped, None, "{strategy} with {store_name}");
    }
}

#[test]
fn cancelling_ends_the_search() {
    for (strategy, store_name) in combinations() {
        let mut watch = Watch::unlimited().with_cancel(Arc::new(AtomicBool::new(true)));
        let outcome = search_forever(strategy, store_name, &mut watch);
        assert_eq!(outcome.stopped, Some(StopReason::Cancelled), "{strategy} with {store_name}");
    }
}

/// The clock advances by a second each time somebody looks at it.
#[test]
fn time_is_limited() {
    for (strategy, store_name) in combinations() {
        let looks = AtomicU64::new(0);
        let clock = move || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
        let mut watch = Watch::new(limits).with_clock(clock);
        let outcome = search_forever(strategy, store_name, &mut watch);
        assert_eq!(outcome.stopped, Some(StopReason::Time), "{strategy} with {store_name}");
    }
}

#[test]
fn a_full_store_ends_the_search() {
    let memory = Some(1 << 20);
    for (strategy, store_name) in hungry() {
        if store_name.starts_with("bitstate") {
            continue;
        }
        let toy = Toy::binary_tree().with_width(5);
        let outcome = search(&toy, strategy, store_name, memory, &mut Watch::unlimited());
        assert_eq!(outcome.stopped, Some(StopReason::StoreFull), "{strategy} with {store_name}");
        assert!(outcome.statistics.progress.stored > 1000, "{strategy} with {store_name}");
    }
}

#[test]
fn memory_is_limited() {
    let limits = Limits { memory: Some(8 << 20), ..Limits::default() };
    expect_stops(&hungry(), &limits, StopReason::Memory);
}

/// What was found before the limit was met is kept.
#[test]
fn findings_outlive_limits() {
    for (strategy, store_name) in combinations() {
        let toy = Toy::binary_tree().with_goal(|node| node == 1).with_width(2);
        let limits = Limits { states: Some(5_000), ..Limits::default() };
        let outcome = search(&toy, strategy, store_name, None, &mut Watch::new(limits));
        assert_eq!(outcome.stopped, Some(StopReason::States), "{strategy} with {store_name}");
        assert!(
            goal(&outcome).is_some_and(|found| found.length() == 1) || strategy == "random-depth"
        );
    }
}

/// Limits that are never met do not make a search incomplete.
#[test]
fn searches_within_their_limits_are_complete() {
    let limits = Limits {
        memory: Some(1 << 30),
        time: Some(Duration::from_secs(3600)),
        states: Some(1_000_000),
        depth: Some(1_000_000),
        bound: None,
        expansions: Some(10_000_000),
    };
    for (strategy, store_name) in combinations() {
        let toy = Toy::grid(60);
        let outcome = search(&toy, strategy, store_name, None, &mut Watch::new(limits.clone()));
        assert_eq!(outcome.stopped, None, "{strategy} with {store_name}");
        assert_eq!(outcome.statistics.progress.stored, 3600, "{strategy} with {store_name}");
    }
}

/// Progress is told while the search runs, and never falls.
#[test]
fn progress_is_reported() {
    for (strategy, store_name) in combinations() {
        let goes_round = ["idastar", "branch-and-bound", "threshold"].contains(&strategy);
        let (stored, reports) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (last, count) = (Arc::clone(&stored), Arc::clone(&reports));
        let limits = Limits { states: Some(20_000), ..Limits::default() };
        let mut watch = Watch::new(limits).with_report(move |progress, _| {
            let before = last.swap(progress.stored, Ordering::Relaxed);
            // Rounds begin with an empty store, and expand states again.
            assert!(goes_round || progress.stored >= before);
            assert!(goes_round || progress.expanded <= progress.stored);
            assert!(progress.bytes > 0);
            count.fetch_add(1, Ordering::Relaxed);
        });
        search_forever(strategy, store_name, &mut watch);
        assert!(reports.load(Ordering::Relaxed) > 1, "{strategy} with {store_name}");
        assert!(stored.load(Ordering::Relaxed) >= 20_000, "{strategy} with {store_name}");
    }
}
