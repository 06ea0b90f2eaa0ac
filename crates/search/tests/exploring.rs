//! Alternation between open lists, type-based buckets, ε-greedy exploration: against
//! greedy search where they must do the same, and on random graphs, where nothing that
//! can be reached may be lost.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeSet;

use homing_core::hash::hash_words;
use homing_core::{
    Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Level, Preference, Taken, Watch,
    Word,
};
use homing_search::{Context, Guide, Outcome, Task, strategy};
use proptest::prelude::*;
use support::{Toy, call, find, goal, run, store, stores, unclaimed};

/// Several estimates, each a function of the node.
struct Each(Vec<fn(Word) -> Cost>);

struct Parts<'a>(&'a Each, Vec<Cost>);

impl HeuristicFactory for Each {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Parts(self, Vec::new()))
    }
}

impl Heuristic for Parts<'_> {
    fn estimate(&mut self, state: &[Word], _: Option<Edge>) -> Cost {
        self.1 = self.0.0.iter().map(|estimate| estimate(state[0])).collect();
        if self.1.contains(&DEAD_END) { DEAD_END } else { self.1[0] }
    }

    fn parts(&self) -> &[Cost] {
        &self.1
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }
}

/// Prefers steps of label 0.
struct First;

impl Preference for First {
    fn initial(&self) -> u32 {
        0
    }

    fn mark(&self, _: u32, _: Edge) -> u32 {
        0
    }

    fn level(&self, taken: &Taken, _: Option<&mut (dyn Heuristic + '_)>) -> Level {
        Level { queue: u16::from(taken.edge.label != 0), tie: 0 }
    }
}

/// Looks for condition 0, directed by several estimates, steps of label 0 preferred or not.
fn search(expression: &str, toy: &Toy, estimates: Each, prefers: bool) -> Outcome {
    let (strategy, _) = strategy::build(&call(expression), 1).unwrap();
    let guide = Guide {
        heuristic: Some(Box::new(estimates)),
        preference: prefers.then(|| Box::new(First) as _),
        distance: None,
    };
    let task = Task { conditions: 1, ..Task::explore(toy) };
    let (mut stores, mut watch) = (stores("exact", 1, None), Watch::unlimited());
    strategy.algorithm.run(Context {
        task: &task,
        stores: &mut stores,
        guide: &guide,
        watch: &mut watch,
    })
}

fn noise(node: Word) -> Cost {
    hash_words(&[node]) as Cost % 20
}

/// The nodes that a search for nothing expands, in order.
fn order(expression: &str, seed: Word) -> Vec<Word> {
    let toy = Toy::random(80, 3, seed);
    let mut store = store("exact", 1, None);
    let heuristic = unclaimed(noise);
    run(expression, &Task::explore(&toy), &mut *store, heuristic, &mut Watch::unlimited());
    toy.expanded()
}

/// One estimate and no preference are one list, and without ε nothing is drawn: both are
/// greedy search.
#[test]
fn one_list_alone_is_greedy_search() {
    for seed in 0..50 {
        let greedy = order("greedy", seed);
        assert_eq!(order("alternate", seed), greedy);
        assert_eq!(order("epsilon-greedy(epsilon=0)", seed), greedy);
        assert_eq!(order("greedy-local(stall=1, tries=0)", seed), greedy);
    }
}

/// The same seed draws alike; another one does not.
#[test]
fn draws_can_be_repeated() {
    for strategy in ["type-based", "epsilon-greedy"] {
        let with = |seed: u64| order(&format!("{strategy}(seed={seed})"), 3);
        assert_eq!(with(5), with(5));
        assert!((6..12).any(|seed| with(seed) != with(5)), "{strategy}");
        assert_eq!(order(strategy, 3), with(1), "the seed of the run");
    }
}

/// A tree without end that the first estimate likes, and a corridor to the goal that the
/// second one does: alternation goes it at the cost of both.
#[test]
fn two_estimates_do_what_one_cannot() {
    let misled: fn(Word) -> Cost = |node| 1 + Cost::from(node >= FAR);
    let knows: fn(Word) -> Cost = |node| if node >= FAR { (FAR + 30 - node) as Cost } else { 50 };
    let both = search("alternate", &tree_and_corridor(), Each(vec![misled, knows]), false);
    assert!(goal(&both).is_some() && both.statistics.progress.expanded <= 65);
    assert!(!limited("alternate", misled) && limited("alternate", knows));
}

const FAR: Word = 1_000_000;

/// A binary tree without end, and beside it a corridor to the goal.
fn tree_and_corridor() -> Toy {
    Toy::new(0, |node| match node {
        0 => vec![1, FAR],
        FAR.. => vec![node + 1],
        _ => vec![2 * node, 2 * node + 1],
    })
    .with_goal(|node| node == FAR + 30)
}

/// Whether the goal is found there within 20,000 expansions.
fn limited(strategy: &str, estimate: fn(Word) -> Cost) -> bool {
    let toy = tree_and_corridor();
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let limits = homing_core::Limits { expansions: Some(20_000), ..Default::default() };
    let (mut store, mut watch) = (store("exact", 1, None), Watch::new(limits));
    goal(&run(strategy, &task, &mut *store, unclaimed(estimate), &mut watch)).is_some()
}

/// In a tree of two branches, where preferred steps lead to the goal and the estimate says
/// nothing but at the start, a boost keeps to them.
#[test]
fn preferred_states_are_put_ahead_while_an_estimate_falls() {
    let toy = || {
        Toy::new(1, |node| if node < 1 << 14 { vec![2 * node, 2 * node + 1] } else { vec![] })
            .with_goal(|node| node == 1 << 14)
    };
    // Falls by one on the way down, whatever way it is.
    let level: fn(Word) -> Cost = |node| 30 - node.ilog2();
    let flat: fn(Word) -> Cost = |node| 30 - node.ilog2().min(1);
    let expanded = |boost: u64, estimate, prefers| {
        let strategy = format!("alternate(boost={boost})");
        let outcome = search(&strategy, &toy(), Each(vec![estimate]), prefers);
        assert!(goal(&outcome).is_some());
        outcome.statistics.progress.expanded
    };
    // Of the preferred list every second state leaves anyway.
    assert!(expanded(0, level, true) <= 2 * 14);
    assert_eq!(expanded(1000, flat, true), 14);
    assert!(expanded(0, flat, true) > 20);
    assert!(expanded(1000, flat, false) > 1000);
}

/// A plateau that greedy search must empty, and a way out that is deep: types find it.
#[test]
fn types_leave_a_plateau() {
    let misled: fn(Word) -> Cost = |node| 1 + Cost::from(node >= FAR);
    assert!(!limited("greedy", misled) && !limited("alternate", misled));
    assert!(limited("type-based", misled));
}

#[test]
fn dead_ends_of_any_estimate_are_left_out() {
    let toy = Toy::grid(30).with_goal(|node| node == 899);
    let none: fn(Word) -> Cost = |_| 3;
    let dead: fn(Word) -> Cost = |node| if node % 30 > 4 { DEAD_END } else { 1 };
    for strategy in ["alternate", "type-based"] {
        let outcome = search(strategy, &toy, Each(vec![none, dead]), false);
        assert!(goal(&outcome).is_none() && outcome.stopped.is_none(), "{strategy}");
        assert_eq!(outcome.statistics.progress.expanded, 150, "{strategy}");
        let all_dead = find(strategy, &toy, unclaimed(|_| DEAD_END));
        assert_eq!(all_dead.statistics.progress.expanded, 0, "{strategy}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// With several estimates and a preference, over every store that fits, each state is
    /// expanded, and only once.
    #[test]
    fn every_state_is_expanded_once(nodes in 1u64..200, degree in 1u64..5, seed: u64) {
        for (name, store_name) in [
            ("alternate", "exact"),
            ("alternate(boost=3)", "tree"),
            ("type-based", "covering"),
            ("type-based(seed=9)", "tree"),
            ("epsilon-greedy", "exact"),
            ("greedy-local(stall=2, size=3)", "tree"),
        ] {
            for prefers in [false, true] {
                let toy = Toy::random(nodes, degree, seed);
                let (strategy, _) = strategy::build(&call(name), 1).unwrap();
                let guide = Guide {
                    heuristic: Some(Box::new(Each(vec![noise, |node| node as Cost % 7]))),
                    preference: prefers.then(|| Box::new(First) as _),
                    distance: None,
                };
                let (mut stores, mut watch) = (stores(store_name, 1, None), Watch::unlimited());
                let task = Task::explore(&toy);
                let outcome = strategy.algorithm.run(Context {
                    task: &task,
                    stores: &mut stores,
                    guide: &guide,
                    watch: &mut watch,
                });
                let mut expanded = toy.expanded();
                let all = reachable(&toy);
                prop_assert_eq!(outcome.stopped, None);
                prop_assert_eq!(expanded.len(), all.len(), "{} over {}", name, store_name);
                expanded.sort_unstable();
                prop_assert_eq!(expanded, all.into_iter().collect::<Vec<_>>());
            }
        }
    }
}

fn reachable(toy: &Toy) -> BTreeSet<Word> {
    let (mut all, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(node) = open.pop() {
        open.extend(toy.successors(node).into_iter().filter(|next| all.insert(*next)));
    }
    all
}

/// Lists of estimates become one estimate that keeps them apart.
#[test]
fn lists_of_estimates_are_read() {
    let estimate = |text: &str| {
        let (strategy, _) = strategy::build(&call(text), 1).unwrap();
        assert_eq!(strategy.call.name, call(text).name);
        strategy.estimate.map(|estimate| estimate.to_string()).unwrap()
    };
    assert_eq!(estimate("alternate([a, b(x=2)], boost=3)"), "each([a, b(x=2)])");
    assert_eq!(estimate("type-based(estimate=[a])"), "each([a])");
    assert_eq!(estimate("alternate(a)"), "a");
    assert_eq!(estimate("bfws"), "novelty([goal-count])");
    assert_eq!(estimate("bfws([a, b], width=1)"), "novelty([a, b], width=1)");
    assert_eq!(estimate("bfws(bits=20, estimate=a)"), "novelty([a], bits=20)");
    for wrong in [
        "bfws(a, b)",
        "bfws(a, prefer=p)",
        "bfws(x=3)",
        "bfws(a, estimate=b)",
        "alternate([a], [b])",
    ] {
        assert!(strategy::build(&call(wrong), 1).is_err(), "{wrong}");
    }
    for wrong in ["epsilon-greedy(epsilon=101)", "greedy-local(size=0)", "type-based(seed=x)"] {
        assert!(strategy::build(&call(wrong), 1).is_err(), "{wrong}");
    }
}
