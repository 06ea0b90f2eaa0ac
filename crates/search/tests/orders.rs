//! The orders of the best-first kernel on random graphs: what each finds,
//! proves and leaves out, against distances computed by the textbook.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use homing_core::catalogue::{Capability, Row};
use homing_core::hash::hash_words;
use homing_core::{
    Claims, Crew, Edge, Heuristic, HeuristicFactory, Level, Limits, Preference, Sharded,
    StopReason, Stores, Taken, Watch, Word,
};
use homing_search::alternating::{Aimed, Offer, Shares, Sought, alternate, alternate_with};
use homing_search::turns::{Log, Turn, Who};
use homing_search::{Guide, Outcome, STRATEGIES, Task};
use proptest::prelude::*;
use support::prices::{Algebra, steps, to_goal};
use support::{Toy, admissible, go, goal, store, stores, unclaimed};

const NODES: Word = 60;

fn toy(seed: Word) -> Toy {
    Toy::random(NODES, 3, seed).with_goal(|node| node % 17 == 5)
}

/// The distance of every node that can reach a goal.
fn distances(toy: &Toy) -> BTreeMap<Word, u64> {
    let goals: Vec<Word> = (0..NODES).filter(|node| node % 17 == 5).collect();
    to_goal(&steps(toy, NODES, |_, _| 1), &goals, Algebra::Sum)
}

/// Admissible, and as inconsistent as can be.
fn low(distances: &BTreeMap<Word, u64>, seed: Word) -> impl Fn(Word) -> u32 + '_ {
    move |node| match distances.get(&node) {
        None => (hash_words(&[seed, node]) % 9) as u32,
        Some(distance) => (hash_words(&[seed, node]) % (distance + 1)) as u32,
    }
}

fn search(strategy: &str, toy: &Toy, seed: Word, limits: Limits) -> Outcome {
    let distances = distances(toy);
    let task = Task { conditions: 1, ..Task::explore(toy) };
    let mut watch = Watch::new(limits);
    let mut stores = stores("exact", 1, None);
    go(strategy, &task, &mut stores, admissible(low(&distances, seed)), &mut watch)
}

fn length(outcome: &Outcome) -> Option<u64> {
    goal(outcome).map(|finding| finding.length() as u64)
}

/// What every outcome must keep: nothing found is shorter than it can be, what
/// is proven is true.
fn expect_sound(outcome: &Outcome, shortest: Option<u64>, about: &str) {
    match (length(outcome), shortest) {
        (None, Some(shortest)) => {
            assert!(outcome.stopped.is_some(), "{about}: missed without a reason");
            assert!(outcome.at_least <= shortest, "{about}: at least {}", outcome.at_least);
        }
        (Some(found), Some(shortest)) => {
            assert!(found >= shortest, "{about}: {found} steps");
            assert!(!outcome.optimal || found == shortest, "{about}: {found} said to be best");
            assert!(outcome.at_least <= shortest, "{about}: at least {}", outcome.at_least);
        }
        (None, None) => {}
        (Some(_), None) => panic!("{about}: a goal out of reach was found"),
    }
}

const COMPLETE: &[&str] = &[
    "breadth",
    "dijkstra",
    "greedy",
    "greedy(newest=1)",
    "astar",
    "weighted(alpha=20)",
    "weighted(alpha=50)",
    "weighted(alpha=90)",
    "weighted(alpha=100)",
    "k-best(k=1)",
    "k-best(k=7)",
    "broadening(k=1)",
    "broadening(k=3)",
    "alternate",
    "type-based",
    "type-based(seed=7)",
    "epsilon-greedy",
    "epsilon-greedy(epsilon=100)",
    "greedy-local",
    "greedy-local(stall=1, size=3)",
    "greedy-local(stall=2, size=1, tries=2)",
    "rwa",
    "rwa(weights=[7])",
    "ara",
    "ara(weights=[4, 4])",
];

const OPTIMAL: &[&str] =
    &["breadth", "dijkstra", "astar", "weighted(alpha=50)", "weighted(alpha=90)", "rwa", "ara"];

proptest! {
    #[test]
    fn complete_orders_agree_and_optimal_ones_are(seed in 0..5000u64) {
        let toy = toy(seed);
        let shortest = distances(&toy).get(&0).copied();
        for strategy in COMPLETE {
            let outcome = search(strategy, &toy, seed, Limits::default());
            let about = format!("{strategy}, seed {seed}");
            prop_assert_eq!(length(&outcome).is_some(), shortest.is_some(), "{}", about);
            prop_assert_eq!(outcome.stopped, None, "{}", about);
            expect_sound(&outcome, shortest, &about);
            if OPTIMAL.contains(strategy) {
                prop_assert_eq!(length(&outcome), shortest, "{}", about);
                prop_assert!(outcome.optimal || shortest.is_none(), "{}", about);
            }
        }
        // (1 − α)/α times the shortest is the most that weighted A* finds.
        let weighted = search("weighted(alpha=20)", &toy, seed, Limits::default());
        prop_assert!(length(&weighted).unwrap_or(0) <= 4 * shortest.unwrap_or(0));
    }

    /// A beam that finds nothing has forgotten something, or there is nothing.
    #[test]
    fn beams_say_what_they_forget(seed in 0..5000u64, k in 1..5u64) {
        let toy = toy(seed);
        let shortest = distances(&toy).get(&0).copied();
        let outcome = search(&format!("beam(k={k})"), &toy, seed, Limits::default());
        expect_sound(&outcome, shortest, &format!("beam {k}, seed {seed}"));
        prop_assert!(matches!(outcome.stopped, None | Some(StopReason::Pruned)));
    }

    /// A bound on the cost: what lies within it is found, and no more is said
    /// of the rest.
    #[test]
    fn bounds_cut_nothing_within_them(seed in 0..5000u64, bound in 0..9u64) {
        let toy = toy(seed);
        let shortest = distances(&toy).get(&0).copied();
        let within = shortest.filter(|shortest| *shortest <= bound);
        for strategy in COMPLETE {
            let limits = Limits { bound: Some(bound), ..Limits::default() };
            let outcome = search(strategy, &toy, seed, limits);
            let about = format!("{strategy}, seed {seed}, bound {bound}");
            prop_assert_eq!(length(&outcome).is_some(), within.is_some(), "{}", &about);
            prop_assert!(length(&outcome).is_none_or(|length| length <= bound), "{}", &about);
            if within.is_none() && shortest.is_some() {
                prop_assert_eq!(outcome.stopped, Some(StopReason::Bound), "{}", &about);
            }
            expect_sound(&outcome, shortest, &about);
        }
    }

    /// Blind and directed in turn: nothing is missed, whatever the shares, and
    /// no state is expanded twice by one of them.
    #[test]
    fn alternation_misses_nothing(
        seed in 0..5000u64,
        probe in 0..40u64,
        slice in 1..20u64,
        share in 1..200u64,
        head in 0..50u64,
        at_once in 0..3usize,
        lies: bool,
        threads in 0..4usize,
        after in 0..2u64,
    ) {
        let toy = toy(seed);
        let distances = distances(&toy);
        let shortest = distances.get(&0).copied();
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let shares = Shares {
            probe,
            share,
            head,
            slice: (slice, 2 * slice),
            sample: 3,
            first: 5,
        };
        let guides: Vec<Guide> = (0..3).map(|n| {
            let heuristic = match lies {
                true => unclaimed(move |node| (hash_words(&[seed + n, node]) % 50) as u32),
                false => admissible(low(&distances, seed + n)),
            };
            Guide { heuristic, ..Guide::default() }
        }).collect();
        // The first are made at once; each of the others takes seven units of work, of which
        // there are fewer at first.
        let mut next = guides.iter().enumerate().peekable();
        let mut direct = |at, most| match next.next_if(|(n, _)| *n < at_once || most >= 7) {
            Some((kind, guide)) => Offer::Made(Aimed { guide, at, kind, newest: kind == 1 }),
            None if next.peek().is_some() => Offer::TooLong,
            None => Offer::None,
        };
        let mut stores = stores("exact", 1, None);
        let Sharded { first, shards } = stores.sharded(threads).unwrap().unwrap();
        let crew = Crew { threads, after, alone: 2 };
        let (mut log, watch) = (Log::default(), &mut Watch::unlimited().with_crew(crew));
        let outcome =
            alternate_with(&task, (first, shards), shares, &mut direct, &mut log, watch);
        expect_told(&log, &outcome);
        prop_assert_eq!(length(&outcome).is_some(), shortest.is_some());
        prop_assert_eq!(outcome.stopped, None);
        let progress = outcome.statistics.progress;
        // By each search once at most: the first, the blind one, the dive, three guides.
        prop_assert!(progress.expanded <= 5 * progress.stored);
        expect_sound(&outcome, shortest, &format!("seed {seed}"));
    }
}

/// What the turns took is what was done; each begins where the one before ended, and what
/// was found, was found in the last.
fn expect_told(log: &Log, outcome: &Outcome) {
    let (turns, progress) = (log.turns(), outcome.statistics.progress);
    let sum = |of: fn(&Turn) -> u64| turns.iter().map(of).sum::<u64>();
    assert_eq!(sum(|turn| turn.expanded), progress.expanded);
    // Estimates of these tests take no work.
    assert_eq!(sum(|turn| turn.took), progress.generated);
    for pair in turns.windows(2) {
        assert_eq!(pair[0].began_at + pair[0].took, pair[1].began_at);
        assert!(!pair[0].found_something());
    }
    let guided = |turn: &&Turn| matches!(turn.who, Who::Guide(_));
    for turn in turns.iter().filter(guided) {
        let Who::Guide(number) = turn.who else { continue };
        assert!(log.guides()[number] <= turn.began_at);
    }
    let found = turns.last().is_some_and(Turn::found_something);
    assert_eq!(found, length(outcome).is_some());
}

/// Almost everything is done by the directed search.
const DIRECTED: Shares =
    Shares { probe: 0, share: 1_000_000, head: 1_000_000, slice: (1, 1), sample: 10, first: 1 };

/// A dead end for one thing that is sought is none for another.
#[test]
fn dead_ends_of_one_goal_are_no_dead_ends_of_another() {
    // The goal of condition 0 is behind node 1, that of condition 1 behind 2.
    let toy = Toy::graph(&[(0, 1), (0, 2), (1, 3), (2, 4)])
        .with_conditions(|node| u64::from(node == 3) | u64::from(node == 4) << 1);
    let task = Task { conditions: 3, ..Task::explore(&toy) };
    let heuristic =
        unclaimed(|node| if [2, 4].contains(&node) { homing_core::DEAD_END } else { 1 });
    let guide = Guide { heuristic, ..Guide::default() };
    let at = Sought { conditions: 1, deadlock: false, fault: false };
    let mut direct = |_, _| Offer::Made(Aimed { guide: &guide, at, kind: 0, newest: false });
    let mut store = store("exact", 1, None);
    let (log, watch) = (&mut Log::default(), &mut Watch::unlimited());
    let outcome = alternate(&task, &mut *store, DIRECTED, &mut direct, log, watch);
    assert!(outcome.findings.conditions[..2].iter().all(Option::is_some));
}

/// Where searches share states, a step that one of them prunes would be lost to all.
#[test]
fn a_preference_prunes_nothing_that_others_want() {
    struct Nothing;
    impl Preference for Nothing {
        fn initial(&self) -> u32 {
            0
        }

        fn mark(&self, _mark: u32, _edge: Edge) -> u32 {
            0
        }

        fn may_prune(&self) -> bool {
            true
        }

        fn prunes(&self, _mark: u32, _edge: Edge) -> bool {
            true
        }

        fn level(&self, _: &Taken, _: Option<&mut (dyn Heuristic + '_)>) -> Level {
            Level { queue: 0, tie: 0 }
        }
    }
    let toy =
        Toy::graph(&[(0, 1), (0, 2), (1, 3), (3, 4)]).with_conditions(|node| u64::from(node == 4));
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let (heuristic, preference) = (unclaimed(|_| 1), Some(Box::new(Nothing) as _));
    let guide = Guide { heuristic, preference, distance: None };
    let mut direct = |at, _| Offer::Made(Aimed { guide: &guide, at, kind: 0, newest: false });
    let mut store = store("exact", 1, None);
    let (log, watch) = (&mut Log::default(), &mut Watch::unlimited());
    let outcome = alternate(&task, &mut *store, DIRECTED, &mut direct, log, watch);
    assert_eq!(length(&outcome), Some(3));
}

/// An estimate that takes a unit of work each time it is asked.
struct Working<'a>(&'a AtomicU64);

struct Worked<'a> {
    all: &'a AtomicU64,
    own: u64,
}

impl HeuristicFactory for Working<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Worked { all: self.0, own: 0 })
    }
}

impl Heuristic for Worked<'_> {
    fn estimate(&mut self, state: &[u64], _: Option<Edge>) -> u32 {
        self.all.fetch_add(1, Ordering::Relaxed);
        self.own += 1;
        (hash_words(state) % 9) as u32
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn work(&self) -> u64 {
        self.own
    }
}

/// Whoever compares strategies by their work relies on it.
#[test]
fn every_directed_strategy_counts_what_estimates_take() {
    let takes = |row: &&Row<_>| row.parameters.iter().any(|one| one.name == "estimate");
    let rows = STRATEGIES.iter().filter(takes);
    for row in rows.filter(|row| !row.gives(Capability::Lassos)) {
        for seed in 0..20 {
            let toy = toy(seed);
            let task = Task { conditions: 1, ..Task::explore(&toy) };
            let (asked, watch) = (AtomicU64::new(0), &mut Watch::unlimited());
            watch.limits_mut().expansions = Some(10_000);
            let heuristic = Some(Box::new(Working(&asked)) as _);
            let outcome = go(row.name, &task, &mut stores("exact", 1, None), heuristic, watch);
            let estimated = outcome.statistics.estimated;
            assert_eq!(estimated, asked.load(Ordering::Relaxed), "{}, seed {seed}", row.name);
        }
    }
}
