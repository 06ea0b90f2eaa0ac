//! Several threads find what one finds: the same traces and counts where the order of the
//! search is fixed, the same lengths and proofs everywhere.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::time::Duration;

use homing_core::hash::hash_words;
use homing_core::{Batch, Crew, Edge, Expander, Limits, Price, Space, StopReason, Watch, Word};
use homing_search::{Findings, Outcome, Task};
use proptest::prelude::*;
use support::prices::{Algebra, Prices};
use support::{Factory, Toy, admissible, go, stores, unclaimed};

/// So many threads; they share even the smallest rounds.
fn crew(threads: usize, after: u64) -> Crew {
    Crew { threads, after, alone: 0 }
}

fn search<'a>(
    strategy: &str,
    task: &Task<'a>,
    store: &str,
    heuristic: Factory<'a>,
    (crew, limits): (Crew, Limits),
) -> Outcome {
    let mut stores = stores(store, task.space.width(), None);
    let mut watch = Watch::new(limits).with_crew(crew);
    go(strategy, task, &mut stores, heuristic, &mut watch)
}

/// What was found, as text: paths and all.
fn found(findings: &Findings) -> String {
    format!("{:?} {:?} {:?}", findings.conditions, findings.deadlock, findings.fault)
}

fn lengths(findings: &Findings) -> Vec<Option<usize>> {
    let all = findings.conditions.iter().chain([&findings.deadlock, &findings.fault]);
    all.map(|finding| finding.as_ref().map(|finding| finding.length())).collect()
}

/// What is proven.
fn proven(outcome: &Outcome) -> (Option<StopReason>, bool, Price) {
    (outcome.stopped, outcome.optimal, outcome.at_least)
}

/// The counts that say the same whatever the order.
fn counts(outcome: &Outcome) -> [u64; 7] {
    let statistics = &outcome.statistics;
    let progress = &statistics.progress;
    [
        progress.stored,
        progress.expanded,
        progress.generated,
        statistics.deadlocks,
        statistics.faults,
        statistics.counted,
        statistics.levels.into(),
    ]
}

/// Searches level by level, or cost by cost, are those of one thread, state by state.
fn compare_ordered(strategy: &str, task: &Task, store: &str, limits: &Limits, about: &str) {
    let run = |crew| search(strategy, task, store, None, (crew, limits.clone()));
    let one = run(Crew::default());
    for threads in [2, 3, 8] {
        for after in [0, 7] {
            let many = run(crew(threads, after));
            let about = format!("{strategy}, {store}, {threads} threads after {after}, {about}");
            assert_eq!(found(&many.findings), found(&one.findings), "{about}");
            assert_eq!(proven(&many), proven(&one), "{about}");
            if !one.findings.complete(task) {
                assert_eq!(counts(&many), counts(&one), "{about}");
            }
        }
    }
}

fn with_conditions(toy: Toy, nodes: Word, seed: Word) -> Toy {
    toy.with_conditions(move |node| {
        let bits = (0..5).filter(|bit| hash_words(&[seed, *bit, node]) % nodes < 2);
        bits.fold(0, |set, bit| set | 1 << bit)
    })
}

fn tasks<'t>(toy: &'t Toy, pricing: Option<&'t dyn homing_core::Pricing>) -> [Task<'t>; 5] {
    let explore = || Task { pricing, ..Task::explore(toy) };
    [
        Task { count: 1, ..explore() },
        Task { conditions: 1, ..explore() },
        Task { conditions: 31, ..explore() },
        Task { deadlock: true, ..explore() },
        Task { fault: true, deadlock: true, conditions: 3, ..explore() },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..support_config() })]

    #[test]
    fn ordered_searches_are_the_same(
        seed in any::<Word>(), nodes in 1..400u64, degree in 1..5u64, width in 1..4usize,
        depth in 0..12u32,
    ) {
        let toy = with_conditions(Toy::random(nodes, degree, seed), nodes, seed)
            .with_failure(seed % nodes).with_width(width);
        let depth = (depth > 0).then_some(depth);
        let limits = Limits { depth, ..Limits::default() };
        for store in ["exact", "tree"] {
            for task in tasks(&toy, None) {
                compare_ordered("breadth", &task, store, &limits, &format!("seed {seed}"));
                compare_ordered("dijkstra", &task, store, &Limits::default(), &format!("seed {seed}"));
            }
        }
    }

    #[test]
    fn cheapest_paths_are_the_same(
        seed in any::<Word>(), nodes in 1..200u64, degree in 1..5u64, greatest in any::<bool>(),
        bound in 0..20u64,
    ) {
        let toy = with_conditions(Toy::random(nodes, degree, seed), nodes, seed);
        let algebra = if greatest { Algebra::Greatest } else { Algebra::Sum };
        let price = |node: Word, label: u32| hash_words(&[seed, node, label.into()]) % 4;
        let prices = Prices { toy: &toy, algebra, price };
        let bound = (bound > 0).then_some(bound);
        for task in tasks(&toy, Some(&prices)) {
            let limits = Limits { bound, ..Limits::default() };
            compare_ordered("dijkstra", &task, "exact", &limits, &format!("seed {seed}"));
        }
    }

    /// Directed searches take states together that one thread takes one by one: what they
    /// prove is the same, and all else for any number of threads.
    #[test]
    fn directed_searches_prove_the_same(
        seed in any::<Word>(), nodes in 1..300u64, degree in 1..5u64, bound in 0..20u64,
    ) {
        let toy = with_conditions(Toy::random(nodes, degree, seed), nodes, seed);
        let bound = (bound > 0).then_some(bound);
        let limits = Limits { bound, ..Limits::default() };
        let goals: Vec<Word> =
            (0..nodes).filter(|node| hash_words(&[seed, 0, *node]) % nodes < 2).collect();
        let steps = support::prices::steps(&toy, nodes, |_, _| 1);
        let distances = support::prices::to_goal(&steps, &goals, Algebra::Sum);
        let low = |node: Word| match distances.get(&node) {
            None => homing_core::DEAD_END,
            Some(distance) => (hash_words(&[seed, node]) % (distance + 1)) as u32,
        };
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        for strategy in ["astar", "greedy", "weighted(alpha=60)", "weighted"] {
            let run = |crew| {
                let estimate = if strategy == "greedy" { unclaimed(low) } else { admissible(low) };
                search(strategy, &task, "exact", estimate, (crew, limits.clone()))
            };
            let (one, two) = (run(Crew::default()), run(crew(2, 0)));
            prop_assert_eq!(one.stopped, two.stopped, "{}", strategy);
            prop_assert_eq!(one.optimal, two.optimal, "{}", strategy);
            prop_assert_eq!(one.findings.is_empty(), two.findings.is_empty(), "{}", strategy);
            if one.optimal {
                prop_assert_eq!(lengths(&one.findings), lengths(&two.findings), "{}", strategy);
                prop_assert_eq!(one.at_least, two.at_least, "{}", strategy);
            }
            for threads in [3, 8] {
                let many = run(crew(threads, 0));
                prop_assert_eq!(found(&many.findings), found(&two.findings), "{}", strategy);
                prop_assert_eq!(counts(&many), counts(&two), "{}", strategy);
                prop_assert_eq!(proven(&many), proven(&two), "{}", strategy);
            }
        }
    }
}

fn support_config() -> ProptestConfig {
    ProptestConfig::default()
}

/// Rounds of some thousand states, windows in the stores, stores that grow.
#[test]
fn wide_levels_are_the_same() {
    for (toy, name) in [(Toy::random(60_000, 16, 3), "random"), (Toy::grid(200), "grid")] {
        let toy = with_conditions(toy, 50_000, 7);
        for task in tasks(&toy, None) {
            compare_ordered("breadth", &task, "exact", &Limits::default(), name);
        }
        let crew = Crew::of(2);
        let explore = Task::explore(&toy);
        let [one, two] = [Crew::default(), Crew { after: 1_000, ..crew }]
            .map(|crew| search("dijkstra", &explore, "tree", None, (crew, Limits::default())));
        assert_eq!(counts(&one), counts(&two), "{name}");
    }
}

#[test]
fn a_limit_on_expansions_is_met_exactly_and_by_any_number_of_threads() {
    let toy = Toy::random(60_000, 8, 5).with_goal(|node| node == 59_999);
    for strategy in ["breadth", "dijkstra", "greedy", "astar"] {
        for most in [500, 7_777, 20_000] {
            let limits = Limits { expansions: Some(most), ..Limits::default() };
            let task = Task { conditions: 2, ..Task::explore(&toy) };
            let run = |threads| {
                let estimate = admissible(|node| (node % 5) as u32);
                search(strategy, &task, "exact", estimate, (crew(threads, 100), limits.clone()))
            };
            let two = run(2);
            assert_eq!(two.stopped, Some(StopReason::Expansions), "{strategy}");
            assert_eq!(two.statistics.progress.expanded, most, "{strategy}");
            for threads in [3, 8] {
                assert_eq!(counts(&run(threads)), counts(&two), "{strategy}, {threads} threads");
            }
        }
    }
}

#[test]
fn other_limits_end_all_threads() {
    let toy = Toy::binary_tree();
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let time = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    let memory = Limits { memory: Some(20 << 20), ..Limits::default() };
    for (limits, reason) in [(time, StopReason::Time), (memory, StopReason::Memory)] {
        for strategy in ["breadth", "astar"] {
            let estimate = admissible(|_| 0);
            let outcome = search(strategy, &task, "exact", estimate, (crew(3, 0), limits.clone()));
            assert_eq!(outcome.stopped, Some(reason), "{strategy}");
        }
    }
    let mut stores = stores("exact", 1, Some(3 << 20));
    let mut watch = Watch::unlimited().with_crew(crew(3, 0));
    let outcome = go("breadth", &task, &mut stores, None, &mut watch);
    assert_eq!(outcome.stopped, Some(StopReason::StoreFull));
    assert!(outcome.at_least >= 10, "{}", outcome.at_least);
}

/// A shard that is full answers no more; nobody takes the answers of the round before for
/// those of this one.
#[test]
fn what_is_found_while_a_shard_fills_up_is_true() {
    let (mut full, mut met) = (0, 0);
    for goal in (20..80).map(|n| 5_000 * n) {
        let toy = Toy::binary_tree().with_goal(move |node| node >= goal);
        let task = Task { conditions: 3, ..Task::explore(&toy) };
        let mut stores = stores("exact", 1, Some(3 << 20));
        let mut watch = Watch::unlimited().with_crew(crew(3, 0));
        let outcome = go("breadth", &task, &mut stores, None, &mut watch);
        full += usize::from(outcome.stopped == Some(StopReason::StoreFull));
        if let Some(finding) = support::goal(&outcome) {
            met += 1;
            assert!(*toy.nodes(&finding.path).last().unwrap() >= goal);
        }
    }
    assert!(full == 60 && met > 5 && met < 60, "{full} full, {met} found");
}

/// A space whose expanders are late, each as its own luck has it.
struct Late<'a>(&'a Toy);

struct LateExpander<'a>(Box<dyn Expander + 'a>, u64);

impl Space for Late<'_> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Box::new(LateExpander(self.0.expander(), now.subsec_nanos().into()))
    }
}

impl Expander for LateExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.0.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.1 = hash_words(&[self.1]);
        if self.1.is_multiple_of(16) {
            std::thread::sleep(Duration::from_micros(self.1 >> 32 & 0xff));
        }
        self.0.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        if self.1 % 64 == 1 {
            std::thread::yield_now();
        }
        self.0.violated(state)
    }
}

/// Who is late changes nothing.
#[test]
fn delays_change_nothing() {
    let toy = with_conditions(Toy::random(3_000, 4, 11), 3_000, 11).with_failure(77);
    let late = Late(&toy);
    for strategy in ["breadth", "dijkstra", "astar"] {
        for conditions in [0, 31] {
            let estimate = || admissible(|node: Word| (node % 3) as u32);
            let run = |space: &dyn Space, threads| {
                let task = Task { conditions, ..Task::explore(space) };
                let setting = (crew(threads, 0), Limits::default());
                search(strategy, &task, "exact", estimate(), setting)
            };
            let first = run(&toy, 2);
            for threads in [2, 5] {
                let outcome = run(&late, threads);
                assert_eq!(found(&outcome.findings), found(&first.findings), "{strategy}");
                assert_eq!(counts(&outcome), counts(&first), "{strategy}");
            }
        }
    }
}

/// What unwinds one thread ends all, and is told to whoever waits for them.
#[test]
fn a_panic_in_a_thread_reaches_the_caller() {
    let toy = Toy::new(0, |node| {
        assert!(node < 5_000, "as far as this goes");
        vec![2 * node + 1, 2 * node + 2]
    });
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search("breadth", &Task::explore(&toy), "exact", None, (crew(3, 0), Limits::default()))
    }));
    assert!(ended.is_err());
}

#[test]
fn edges_are_those_of_the_space() {
    let toy = Toy::grid(30).with_goal(|node| node == 899);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let outcome = search("breadth", &task, "tree", None, (crew(4, 50), Limits::default()));
    let finding = support::goal(&outcome).expect("the far corner is reached");
    assert_eq!(toy.nodes(&finding.path).len(), 59);
    assert!(finding.path.steps().all(|(_, edge)| edge != Edge { label: 9, choice: 0 }));
}
