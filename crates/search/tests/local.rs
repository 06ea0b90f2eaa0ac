//! Memory-limited A*, enforced hill climbing and guided walks, compared with
//! exact distances on graphs, however little memory, patience or luck they have.

use crate::support;

use std::collections::{BTreeMap, VecDeque};

use homing_core::hash::hash_words;
use homing_core::{
    Cost, CostAlgebra, DEAD_END, HeuristicFactory, Limits, Price, Space, StopReason, Watch, Word,
};
use homing_search::{Finding, Outcome, Task};
use proptest::prelude::*;
use support::prices::{Algebra, Prices, from_start, steps};
use support::{Toy, admissible, find, go, goal, stores, unclaimed};

/// The distance of every node of a graph to a target, by steps backwards.
fn distances(toy: &Toy, nodes: Word, target: Word) -> Vec<Cost> {
    let mut before: BTreeMap<Word, Vec<Word>> = BTreeMap::new();
    for node in 0..nodes {
        for successor in toy.successors(node) {
            before.entry(successor).or_default().push(node);
        }
    }
    let mut distance = vec![DEAD_END; nodes as usize];
    distance[target as usize] = 0;
    let mut open = VecDeque::from([target]);
    while let Some(node) = open.pop_front() {
        for parent in before.get(&node).into_iter().flatten() {
            if distance[*parent as usize] == DEAD_END {
                distance[*parent as usize] = distance[node as usize] + 1;
                open.push_back(*parent);
            }
        }
    }
    distance
}

/// An estimate that is never above the true one, and falls as it likes.
fn noisy(distance: &[Cost], seed: u64) -> impl Fn(Word) -> Cost + '_ {
    move |node| match distance[node as usize] {
        DEAD_END => DEAD_END,
        exact => (hash_words(&[seed, node]) % (u64::from(exact) + 1)) as Cost,
    }
}

/// Looks for condition 0 with as many stores as it takes.
fn seek<'a>(
    expression: &str,
    toy: &'a Toy,
    heuristic: Option<Box<dyn HeuristicFactory + 'a>>,
    limits: Limits,
) -> Outcome {
    let task = Task { conditions: 1, ..Task::explore(toy) };
    let mut stores = stores("exact", toy.width(), None);
    go(expression, &task, &mut stores, heuristic, &mut Watch::new(limits))
}

/// The length of what was found, its steps checked.
fn length(toy: &Toy, outcome: &Outcome) -> Option<Cost> {
    goal(outcome).map(|found| toy.nodes(&found.path).len() as Cost - 1)
}

/// What a trace costs.
fn cost_of(
    toy: &Toy,
    found: &Finding,
    algebra: Algebra,
    price: impl Fn(Word, u32) -> Price,
) -> Price {
    let steps = found.path.steps().map(|(state, edge)| price(toy.node(state), edge.label));
    steps.fold(0, |path, step| algebra.combine(path, step))
}

#[test]
fn memory_limited_search_needs_no_more_than_a_path() {
    // A grid has many paths to every state; two paths' worth of memory.
    let side = 6;
    let last = side * side - 1;
    let toy = Toy::grid(side).with_goal(move |node| node == last);
    let exact = distances(&toy, side * side, last);
    for states in [11, 12, 15, 20, 36, 100] {
        let blind =
            seek(&format!("sma(states={states})"), &toy, admissible(|_| 0), Limits::default());
        assert_eq!(length(&toy, &blind), Some(10), "{states}");
        assert!(blind.statistics.progress.stored <= states);
        assert!(blind.optimal && blind.stopped.is_none());
        assert_eq!(blind.at_least, 10);
        let told = seek(
            &format!("sma(states={states})"),
            &toy,
            admissible(noisy(&exact, states)),
            Limits::default(),
        );
        assert_eq!(length(&toy, &told), Some(10), "{states}");
    }
}

#[test]
fn too_little_memory_is_said() {
    let toy = Toy::chain(50).with_goal(|node| node == 20);
    let fits = seek("sma(states=21)", &toy, admissible(|_| 0), Limits::default());
    assert_eq!((length(&toy, &fits), fits.stopped, fits.optimal), (Some(20), None, true));
    let small = seek("sma(states=20)", &toy, admissible(|_| 0), Limits::default());
    assert_eq!((length(&toy, &small), small.stopped), (None, Some(StopReason::Pruned)));
    assert_eq!(small.at_least, 20, "what does not fit has so many steps");
    assert!(small.notices[0].contains("do not fit 20 states"), "{:?}", small.notices);
}

/// The cheap way is long and does not fit; the dear one is one step.
#[test]
fn what_was_cut_ends_the_claim_of_optimality() {
    let toy = Toy::graph(&[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]).with_goal(|node| node == 4);
    // Steps cost one: the direct step is found, whatever was cut before.
    let outcome = seek("sma(states=2)", &toy, admissible(|_| 0), Limits::default());
    assert_eq!((length(&toy, &outcome), outcome.optimal), (Some(1), true));
    let price = |node, label| if node == 0 && label == 1 { 9 } else { 1 };
    let prices = Prices { toy: &toy, algebra: Algebra::Sum, price };
    let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
    for (states, cost, optimal) in [(5, 4, true), (4, 9, false)] {
        let outcome = go(
            &format!("sma(states={states})"),
            &task,
            &mut stores("exact", 1, None),
            admissible(|_| 0),
            &mut Watch::unlimited(),
        );
        let found = goal(&outcome).expect("there is a way");
        assert_eq!(cost_of(&toy, found, Algebra::Sum, price), cost, "{states}");
        assert_eq!(outcome.optimal, optimal, "{states}");
    }
}

#[test]
fn an_exhausted_space_is_known_to_hold_nothing() {
    let toy = Toy::grid(5);
    let search = |states: u64| {
        let limits = Limits { expansions: Some(3_000_000), ..Limits::default() };
        seek(&format!("sma(states={states})"), &toy, admissible(|_| 0), limits)
    };
    // The far corner is eight steps away; with a little more memory, longer
    // ways to states that were forgotten may not fit.
    for (states, expected) in [(8, Some(StopReason::Pruned)), (25, None), (100, None)] {
        let outcome = search(states);
        assert!(goal(&outcome).is_none());
        assert_eq!(outcome.stopped, expected, "{states}");
    }
    for states in 9..25 {
        assert_ne!(search(states).stopped, Some(StopReason::Expansions), "{states}");
    }
}

#[test]
fn deadlocks_and_faults_are_found() {
    for strategy in [
        "sma",
        "sma(states=12)",
        "hill-climbing",
        "guided-walk(seed=3)",
        "monte-carlo-walk(length=3, seed=2)",
    ] {
        let toy = Toy::graph(&[(0, 1), (1, 2), (2, 0), (1, 3), (3, 1), (3, 4)]).with_failure(3);
        let task = Task { conditions: 0, deadlock: true, fault: true, ..Task::explore(&toy) };
        let heuristic = unclaimed(|node| 4 - node as Cost);
        let outcome =
            go(strategy, &task, &mut stores("exact", 1, None), heuristic, &mut Watch::unlimited());
        let fault = outcome.findings.fault.as_ref().expect("node 3 fails");
        assert_eq!(toy.nodes(&fault.path), [0, 1, 3], "{strategy}");
        assert_eq!(fault.fault.map(|fault| fault.site), Some(7));
        let deadlock = outcome.findings.deadlock.as_ref().expect("node 4 has no step");
        assert_eq!(toy.nodes(&deadlock.path), [0, 1, 3, 4], "{strategy}");
        assert_eq!(outcome.stopped, None);
    }
}

#[test]
fn a_goal_at_the_start_takes_no_step() {
    for strategy in ["sma", "hill-climbing", "guided-walk", "monte-carlo-walk"] {
        let toy = Toy::chain(3).with_goal(|node| node == 0);
        let outcome = seek(strategy, &toy, admissible(|_| 0), Limits::default());
        assert_eq!(length(&toy, &outcome), Some(0), "{strategy}");
        assert_eq!(outcome.stopped, None);
    }
}

#[test]
fn dead_ends_at_the_start_prove_that_there_is_nothing() {
    for strategy in ["sma", "hill-climbing", "guided-walk", "monte-carlo-walk"] {
        let toy = Toy::chain(3).with_goal(|node| node == 9);
        let outcome = seek(strategy, &toy, admissible(|_| DEAD_END), Limits::default());
        assert!(goal(&outcome).is_none());
        assert_eq!(outcome.stopped, None, "{strategy}");
        assert_eq!(outcome.statistics.progress.expanded, 0);
        assert!(outcome.statistics.dead_ends > 0);
    }
}

#[test]
fn hill_climbing_crosses_plateaus_and_leaves_loops_out() {
    // The estimate is flat but for every tenth node; each phase crosses one.
    let toy = Toy::new(0, |node| vec![node.saturating_sub(1), node + 1]);
    let toy = toy.with_goal(|node| node == 95);
    let outcome =
        seek("hill-climbing", &toy, admissible(|node| 9 - (node / 10) as Cost), Limits::default());
    assert_eq!(length(&toy, &outcome), Some(95));
    assert!(outcome.statistics.progress.expanded < 1000);
    assert!(!outcome.optimal);
}

/// The way to the next better state leads back through one that an earlier
/// phase went through.
#[test]
fn phases_that_cross_leave_no_loop() {
    let toy = Toy::graph(&[(0, 1), (1, 2), (2, 1), (1, 3), (3, 4)]).with_goal(|node| node == 4);
    let estimate = |node| [5, 5, 4, 5, 0][node as usize];
    let outcome = seek("hill-climbing", &toy, unclaimed(estimate), Limits::default());
    let path = &goal(&outcome).expect("there is a way").path;
    assert_eq!(toy.nodes(path), [0, 1, 3, 4]);
    for store in support::STORES {
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let outcome = go(
            "hill-climbing",
            &task,
            &mut stores(store, 1, None),
            unclaimed(estimate),
            &mut Watch::unlimited(),
        );
        assert_eq!(length(&toy, &outcome), Some(3), "{store}");
    }
}

#[test]
fn hill_climbing_never_says_more_than_it_knows() {
    // The better state leads nowhere; the goal lies behind the other.
    let toy = Toy::graph(&[(0, 1), (0, 2), (2, 3)]).with_goal(|node| node == 3);
    let lured =
        seek("hill-climbing", &toy, unclaimed(|n| [5, 1, 6, 0][n as usize]), Limits::default());
    assert_eq!((goal(&lured).is_none(), lured.stopped), (true, Some(StopReason::Pruned)));
    assert!(lured.notices[0].starts_with("after 1 phases no state"), "{:?}", lured.notices);
    // Without any better state the first phase sees all.
    let nothing = Toy::grid(10);
    let all = seek("hill-climbing", &nothing, unclaimed(|_| 3), Limits::default());
    assert_eq!((all.stopped, all.statistics.progress.stored), (None, 100));
    // Unless it was not allowed to.
    for limits in [
        Limits { depth: Some(5), ..Limits::default() },
        Limits { bound: Some(5), ..Limits::default() },
    ] {
        let cut = seek("hill-climbing", &nothing, unclaimed(|_| 3), limits);
        assert_eq!(cut.stopped, Some(StopReason::Pruned));
    }
}

#[test]
fn walks_repeat_by_their_seed() {
    let toy = Toy::grid(12).with_goal(|node| node == 143);
    let walk = |seed: u64, greed: u64| {
        let expression = format!("guided-walk(length=200, walks=500, greed={greed}, seed={seed})");
        let outcome =
            find(&expression, &toy, unclaimed(|node| (22 - node % 12 - node / 12) as Cost));
        (length(&toy, &outcome), outcome.statistics.progress.expanded)
    };
    assert_eq!(walk(1, 50), walk(1, 50));
    assert_ne!(walk(1, 50), walk(2, 50));
    // Greed alone climbs straight up where the estimate is perfect.
    assert_eq!(walk(1, 100), (Some(22), 22));
    assert!(walk(1, 0).1 > walk(1, 50).1, "what is told helps");
}

/// Short walks that jump to their best end reach what single walks of any length do not.
#[test]
fn walks_jump_to_the_best_end() {
    const SIDE: Word = 200;
    let toy = Toy::grid(SIDE).with_goal(|node| node == SIDE * SIDE - 1);
    let far = |node: Word| (2 * SIDE - 2 - node % SIDE - node / SIDE) as Cost;
    let walk = |expression: &str| find(expression, &toy, unclaimed(far));
    let jumping = walk("monte-carlo-walk(walks=20)");
    assert!(length(&toy, &jumping).is_some() && jumping.stopped.is_none());
    assert!(jumping.statistics.progress.expanded < 100_000);
    let again = walk("monte-carlo-walk(walks=20)");
    assert_eq!(again.statistics, jumping.statistics);
    let single = walk("guided-walk(greed=0, length=1000, walks=100)");
    assert!(goal(&single).is_none());
}

#[test]
fn walks_have_no_loops_and_never_say_holds() {
    let toy = Toy::grid(4).with_goal(|node| node == 15);
    let found = find("guided-walk(greed=0, length=500)", &toy, unclaimed(|_| 0));
    let mut nodes = toy.nodes(&goal(&found).expect("it is near").path);
    let steps = nodes.len();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), steps, "a state occurs twice");
    for toy in [Toy::grid(3), Toy::chain(2)] {
        let nothing = find("guided-walk(walks=50, length=20)", &toy, unclaimed(|_| 0));
        assert_eq!(nothing.stopped, Some(StopReason::Pruned));
        assert!(nothing.statistics.progress.expanded <= 50 * 20);
    }
}

#[test]
fn walks_stay_within_limits() {
    let toy = Toy::chain(100).with_goal(|node| node == 60);
    for limits in [
        Limits { depth: Some(59), ..Limits::default() },
        Limits { bound: Some(59), ..Limits::default() },
    ] {
        for strategy in ["guided-walk(walks=5)", "monte-carlo-walk(walks=5, restarts=2)"] {
            let outcome = seek(strategy, &toy, unclaimed(|n| 99 - n as Cost), limits.clone());
            let stopped = outcome.stopped;
            assert_eq!((goal(&outcome).is_none(), stopped), (true, Some(StopReason::Pruned)));
        }
    }
    let limits = Limits { expansions: Some(30), ..Limits::default() };
    let outcome = seek("guided-walk", &toy, unclaimed(|_| 0), limits);
    assert_eq!(outcome.stopped, Some(StopReason::Expansions));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// With any memory that holds the path, memory-limited A* finds a shortest
    /// one; with less, it does not say that there is none.
    #[test]
    fn oracle_memory_limited(nodes in 2u64..24, degree in 1u64..4, seed: u64, spare in 0u64..20) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let exact = distances(&toy, nodes, target);
        for memory in [2 + spare / 3, 2 + spare, nodes + 1, 1000] {
            let limits = Limits { expansions: Some(200_000), ..Limits::default() };
            let heuristic = admissible(noisy(&exact, seed));
            let outcome = seek(&format!("sma(states={memory})"), &toy, heuristic, limits);
            prop_assert_ne!(outcome.stopped, Some(StopReason::Expansions));
            prop_assert!(outcome.statistics.progress.stored <= memory);
            let expected = (exact[0] != DEAD_END).then_some(exact[0]);
            let found = length(&toy, &outcome);
            match expected {
                Some(exact) if u64::from(exact) < memory => {
                    prop_assert_eq!(found, Some(exact));
                    prop_assert!(outcome.optimal && outcome.at_least <= Price::from(exact));
                }
                Some(_) => {
                    prop_assert_eq!(found, None);
                    prop_assert_eq!(outcome.stopped, Some(StopReason::Pruned));
                    prop_assert!(outcome.at_least <= Price::from(exact[0]));
                }
                None => {
                    prop_assert_eq!(found, None);
                    prop_assert!(outcome.stopped.is_none(), "dead ends are known");
                }
            }
        }
    }

    /// The same without any help, on graphs where the target may be out of
    /// reach and everything has to be searched.
    #[test]
    fn oracle_memory_limited_blind(nodes in 2u64..14, degree in 1u64..3, seed: u64, spare in 0u64..14) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let exact = distances(&toy, nodes, target);
        for memory in [2 + spare, nodes + 1, 1000] {
            let limits = Limits { expansions: Some(500_000), ..Limits::default() };
            let outcome =
                seek(&format!("sma(states={memory})"), &toy, admissible(|_| 0), limits);
            prop_assert_ne!(outcome.stopped, Some(StopReason::Expansions));
            let fits = exact[0] != DEAD_END && u64::from(exact[0]) < memory;
            prop_assert_eq!(length(&toy, &outcome), fits.then_some(exact[0]));
            if exact[0] != DEAD_END && !fits {
                prop_assert_eq!(outcome.stopped, Some(StopReason::Pruned));
            }
            if memory > nodes {
                prop_assert_eq!(outcome.stopped, None);
            }
        }
    }

    /// Costs of any size, zero included, that add up or of which the greatest
    /// counts.
    #[test]
    fn oracle_memory_limited_costs(
        nodes in 2u64..20, degree in 1u64..4, seed: u64, spare in 0u64..20, most in 1u64..9,
    ) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let price = |node, label: u32| hash_words(&[seed, node, label.into()]) % most;
        for algebra in [Algebra::Sum, Algebra::Greatest] {
            let prices = Prices { toy: &toy, algebra, price };
            let least = from_start(&steps(&toy, nodes, price), algebra).get(&target).copied();
            for memory in [nodes, nodes + spare, 1000, 2 + spare / 2] {
                let task = Task { conditions: 1, pricing: Some(&prices), ..Task::explore(&toy) };
                let limits = Limits { expansions: Some(500_000), ..Limits::default() };
                let outcome = go(
                    &format!("sma(states={memory})"),
                    &task,
                    &mut stores("exact", 1, None),
                    admissible(|_| 0),
                    &mut Watch::new(limits),
                );
                prop_assert_ne!(outcome.stopped, Some(StopReason::Expansions));
                let cost = goal(&outcome).map(|found| cost_of(&toy, found, algebra, price));
                if memory >= nodes {
                    prop_assert_eq!(cost, least, "{}", memory);
                    prop_assert_eq!(outcome.stopped, None);
                    prop_assert!(outcome.optimal);
                } else if outcome.optimal && cost.is_some() {
                    prop_assert_eq!(cost, least, "{}", memory);
                } else if cost.is_none() && least.is_some() {
                    prop_assert_eq!(outcome.stopped, Some(StopReason::Pruned));
                }
            }
        }
    }

    /// Under a bound, exactly what is within it is found.
    #[test]
    fn oracle_memory_limited_bound(nodes in 2u64..20, degree in 1u64..4, seed: u64, bound in 0u64..8) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let exact = distances(&toy, nodes, target);
        let within = u64::from(exact[0]) <= bound;
        for limits in [
            Limits { bound: Some(bound), ..Limits::default() },
            Limits { depth: Some(bound as u32), ..Limits::default() },
        ] {
            for memory in [nodes, nodes + 3] {
                let strategy = format!("sma(states={memory})");
                let outcome = seek(&strategy, &toy, admissible(|_| 0), limits.clone());
                prop_assert_eq!(length(&toy, &outcome), within.then_some(exact[0]));
                if exact[0] != DEAD_END && !within {
                    let reason = limits.bound.map_or(StopReason::Depth, |_| StopReason::Bound);
                    prop_assert_eq!(outcome.stopped, Some(reason));
                }
            }
        }
    }

    /// The local searches find true paths, and never say that there is none
    /// where there is one.
    #[test]
    fn oracle_local_searches(nodes in 2u64..60, degree in 1u64..4, seed: u64) {
        let target = nodes - 1;
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == target);
        let exact = distances(&toy, nodes, target);
        for strategy in ["hill-climbing", "guided-walk(walks=20, length=50)", "guided-walk(walks=9, greed=0)", "monte-carlo-walk(walks=3, length=4, restarts=5)"] {
            for perfect in [false, true] {
                let told = |node: Word| match perfect {
                    true => exact[node as usize],
                    false => (hash_words(&[seed, node]) % 7) as Cost,
                };
                let outcome = seek(strategy, &toy, unclaimed(told), Limits::default());
                match length(&toy, &outcome) {
                    Some(steps) => {
                        prop_assert!(steps >= exact[0]);
                        prop_assert_eq!(outcome.stopped, None);
                    }
                    None if outcome.stopped.is_none() => prop_assert_eq!(exact[0], DEAD_END),
                    None => prop_assert_eq!(outcome.stopped, Some(StopReason::Pruned)),
                }
                if perfect && exact[0] != DEAD_END && strategy == "hill-climbing" {
                    prop_assert_eq!(length(&toy, &outcome), Some(exact[0]));
                }
            }
        }
    }
}
