//! Searches that are kept in a file and go on, as often as one likes, against the same in one
//! go: the same traces, counts and proofs.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use homing_core::hash::hash_words;
use homing_core::{Limits, StopReason, Watch, Word};
use homing_external::{Checkpoint, Trouble};
use homing_search::kept::Keep;
use homing_search::strategy::build;
use homing_search::{Context, Guide, Outcome, Task};
use proptest::prelude::*;
use support::prices::{Algebra, Prices};
use support::{Factory, Toy, admissible, call, go, stores, unclaimed};

/// A file that is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Place(std::env::temp_dir().join(format!("homing-kept-{}-{number}", std::process::id())))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Searches up to this many expansions, from where the file says if there is one.
fn part(
    (strategy, store): (&str, &str),
    place: &Place,
    task: &Task,
    heuristic: Factory<'_>,
    limits: Limits,
) -> Result<Outcome, Trouble> {
    let (checkpoint, loader) = match place.0.exists() {
        true => Checkpoint::resume(&place.0, 7).map(|(it, loader)| (it, Some(loader)))?,
        false => (Checkpoint::create(&place.0)?, None),
    };
    let before = |_: &mut _| Ok(());
    let mut keep = Keep::new(&checkpoint, (7, "a test"), &before, Duration::MAX, loader);
    let (strategy, _) = build(&call(strategy), 1).unwrap();
    let guide = Guide { heuristic, ..Guide::default() };
    let mut stores = stores(store, task.space.width(), None);
    let watch = &mut Watch::new(limits);
    let context = Context { task, stores: &mut stores, guide: &guide, watch };
    let outcome = strategy.algorithm.run_kept(context, &mut keep).unwrap();
    let trouble = keep.trouble.or(keep.unsaved);
    trouble.map_or(Ok(outcome), Err)
}

/// The whole search, stopped and begun again each so many expansions; and how often.
fn in_parts(
    what: (&str, &str),
    task: &Task,
    heuristic: impl Fn() -> Factory<'static>,
    limits: &Limits,
    each: u64,
) -> (Outcome, u32) {
    let (place, mut most, mut parts) = (Place::new(), 0, 0);
    loop {
        most += each;
        parts += 1;
        let limits = Limits { expansions: Some(most), ..limits.clone() };
        let outcome = part(what, &place, task, heuristic(), limits).unwrap();
        if outcome.stopped != Some(StopReason::Expansions) {
            return (outcome, parts);
        }
    }
}

/// All that a search says, but for the memory it took.
fn said(outcome: &Outcome) -> String {
    let mut outcome = outcome.clone();
    let progress = &mut outcome.statistics.progress;
    // What waited when somebody looked last depends on the clock.
    (progress.bytes, progress.frontier) = (0, 0);
    format!("{outcome:?}")
}

const STRATEGIES: [&str; 8] = [
    "breadth",
    "dijkstra",
    "astar",
    "greedy",
    "greedy(newest=1)",
    "weighted(alpha=20)",
    "k-best(k=3)",
    "weighted(alpha=70)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_search_that_goes_on_comes_to_the_same(
        (nodes, width, store) in (
            2u64..400,
            1usize..4,
            prop_oneof![Just("exact"), Just("tree")],
        ),
        (seed, strategy) in (any::<u64>(), 0..STRATEGIES.len()),
        (each, wants, bound) in (1u64..60, 0u64..4, prop::option::weighted(0.2, 1u64..40)),
        (claims, ends, depth) in (any::<bool>(), any::<bool>(), prop::option::weighted(0.2, 1u32..30)),
    ) {
        let toy = Toy::random(nodes, 2, seed)
            .with_conditions(move |node| {
                let h = hash_words(&[seed, node]);
                u64::from(h.is_multiple_of(97)) | u64::from(h % 89 == 1) << 1
            })
            .with_width(width);
        let toy = if ends { toy.with_failure(seed % nodes) } else { toy };
        let explore = Task { count: 2, fault: ends, deadlock: ends, ..Task::explore(&toy) };
        let task = Task { conditions: wants, ..explore };
        let estimate = move |node: Word| (hash_words(&[node, 3]) % 7) as u32;
        let heuristic = || match claims {
            true => admissible(|_| 1),
            false => unclaimed(estimate),
        };
        let strategy = STRATEGIES[strategy];
        let limits = Limits { bound, depth, ..Limits::default() };
        let mut whole_stores = stores(store, width, None);
        let watch = &mut Watch::new(limits.clone());
        let known = go(strategy, &task, &mut whole_stores, heuristic(), watch);
        let (outcome, parts) = in_parts((strategy, store), &task, heuristic, &limits, each);
        prop_assert_eq!(said(&outcome), said(&known), "{} in {} parts", strategy, parts);
    }

    /// Costs of their own: what waits, waits with other keys.
    #[test]
    fn costs_are_kept(nodes in 2u64..300, seed: u64, each in 1u64..40) {
        let toy = Toy::random(nodes, 3, seed).with_goal(move |node| node % 41 == seed % 41 && node > 0);
        let price = move |node, label: u32| hash_words(&[seed, node, label.into()]) % 9;
        let prices = Prices { toy: &toy, algebra: Algebra::Sum, price };
        let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
        let known = go("dijkstra", &task, &mut stores("exact", 1, None), None, &mut Watch::unlimited());
        let limits = Limits::default();
        let (outcome, _) = in_parts(("dijkstra", "exact"), &task, || None, &limits, each);
        prop_assert_eq!(said(&outcome), said(&known));
    }
}

/// Every cut and every flipped byte of a checkpoint is found; what was there counts again
/// afterwards.
#[test]
fn what_is_damaged_is_named() {
    let toy = Toy::grid(30).with_goal(|_| false).with_width(2);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let place = Place::new();
    let search = |expansions| {
        let limits = Limits { expansions: Some(expansions), ..Limits::default() };
        part(("breadth", "exact"), &place, &task, None, limits)
    };
    assert_eq!(search(100).unwrap().stopped, Some(StopReason::Expansions));
    let whole = fs::read(&place.0).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&place.0, bytes).unwrap();
        search(u64::MAX).unwrap_err().to_string()
    };
    for length in (0..whole.len()).step_by(7) {
        let told = damaged(&whole[..length]);
        assert!(told.contains("is damaged") || length < 28 && told.contains("no search"), "{told}");
    }
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let told = damaged(&bytes);
        let version = at < 28 && told.contains("another version");
        let kind = at < 28 && told.contains("no search");
        assert!(told.contains("is damaged") || version || kind, "{at}: {told}");
        assert!(told.contains("homing-kept-"), "{told}");
    }
    let longer = [&whole[..], &whole[28..]].concat();
    assert!(damaged(&longer).contains("more in it"), "what follows the end is not read as more");
    fs::write(&place.0, &whole).unwrap();
    assert_eq!(search(u64::MAX).unwrap().stopped, None);
}
