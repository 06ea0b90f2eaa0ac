//! Partial-order reduction: reduced searches of random networks against full ones,
//! and the literature's counterexamples to provisos that are too weak.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeMap;

use homing_core::{Batch, Edge, Expander, HeuristicFactory, Space, Watch, Word};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::wellformed::Feature;
use homing_search::{Finding, Outcome, Task};
use homing_space::CompiledSpace;
use homing_space::reduction::{Asked, Reduced, Reduction};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use support::{admissible, go, stores, unclaimed};

/// States of a network beyond which it is left out.
const LIMIT: usize = 800;

/// The shortest ways to what may be asked for.
#[derive(Default, Debug)]
struct Shortest {
    conditions: [Option<usize>; 2],
    deadlock: Option<usize>,
    fault: Option<usize>,
}

/// Breadth-first search as in the textbook; `None` where there are too many states.
fn explore(space: &CompiledSpace) -> Option<(Shortest, usize)> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut depth: BTreeMap<Vec<Word>, usize> = BTreeMap::new();
    let mut queue = vec![batch.state(0).to_vec()];
    depth.insert(queue[0].clone(), 0);
    let mut shortest = Shortest::default();
    let mut next = 0;
    while next < queue.len() {
        let (state, here) = (queue[next].clone(), depth[&queue[next]]);
        next += 1;
        for (bit, found) in shortest.conditions.iter_mut().enumerate() {
            if expander.violated(&state) >> bit & 1 == 1 {
                found.get_or_insert(here);
            }
        }
        batch.clear();
        expander.expand(&state, &mut batch);
        if batch.deadlock() {
            shortest.deadlock.get_or_insert(here);
        }
        if !batch.faults().is_empty() {
            shortest.fault.get_or_insert(here + 1);
        }
        for i in 0..batch.len() {
            let to = batch.state(i).to_vec();
            if !depth.contains_key(&to) {
                depth.insert(to.clone(), here + 1);
                queue.push(to);
            }
        }
        if queue.len() > LIMIT {
            return None;
        }
    }
    Some((shortest, queue.len()))
}

/// A guess at distances that is no good, and differs from state to state.
fn guess(seed: u64) -> Option<Box<dyn HeuristicFactory>> {
    unclaimed(move |word| (homing_core::hash::hash_words(&[seed, word]) % 7) as u32)
}

/// Strategies, each with its estimate; those of the second half simply take all
/// successors where there is a proviso to keep.
const STRATEGIES: &[(&str, bool)] = &[
    ("breadth", false),
    ("depth", false),
    ("random-depth", false),
    ("dijkstra", false),
    ("greedy", true),
    ("greedy(newest=1)", true),
    ("astar", true),
    ("weighted(alpha=20)", true),
    ("k-best(k=3)", true),
    ("broadening(k=2)", true),
    ("alternate", true),
    ("type-based", true),
    ("epsilon-greedy", true),
    ("greedy-local(stall=2, size=3)", true),
    ("frontier", false),
    ("idastar", true),
    ("threshold", true),
];

/// What is asked for, one thing after the other and all at once.
fn questions() -> Vec<Asked> {
    let ask = |conditions, deadlock, fault| Asked { conditions, deadlock, fault, lasso: false };
    vec![
        ask(0b01, false, false),
        ask(0b10, false, false),
        ask(0, true, false),
        ask(0, false, true),
        ask(0b11, true, true),
    ]
}

fn check_path(space: &CompiledSpace, finding: &Finding) {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    let path = &finding.path;
    for (i, (state, edge)) in path.steps().enumerate() {
        batch.clear();
        expander.expand(state, &mut batch);
        let found = (0..batch.len())
            .any(|at| batch.edge(at) == edge && batch.state(at) == path.state(i + 1));
        assert!(found, "step {i} is none of the space");
    }
}

fn compare(
    about: &str,
    space: &CompiledSpace,
    shortest: &Shortest,
    asked: Asked,
    outcome: &Outcome,
    keeps: bool,
) -> Result<(), TestCaseError> {
    let findings = &outcome.findings;
    let condition = |bit: usize| findings.conditions.get(bit).and_then(Option::as_ref);
    let mut pairs = Vec::new();
    for bit in (0..2).filter(|bit| asked.conditions >> bit & 1 == 1) {
        pairs.push((format!("condition {bit}"), condition(bit), shortest.conditions[bit]));
    }
    if asked.deadlock {
        pairs.push(("a deadlock".into(), findings.deadlock.as_ref(), shortest.deadlock));
    }
    if asked.fault {
        pairs.push(("a fault".into(), findings.fault.as_ref(), shortest.fault));
    }
    let one = pairs.len() == 1;
    for (what, found, expected) in pairs {
        prop_assert_eq!(found.is_some(), expected.is_some(), "{}: {}", about, what);
        let (Some(found), Some(expected)) = (found, expected) else { continue };
        check_path(space, found);
        prop_assert!(found.length() >= expected, "{about}: {what}");
        if outcome.optimal && one {
            prop_assert_eq!(found.length(), expected, "{} claims too much: {}", about, what);
        }
        // Of something found, that it is no nearer is all that is said.
        let claimed = outcome.at_least.min(found.length() as u64);
        prop_assert!(claimed <= expected as u64, "{about}: {what} is nearer");
        if keeps {
            prop_assert_eq!(found.length(), expected, "{}: lengths of {}", about, what);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    full: usize,
    networks: usize,
    reduced: BTreeMap<String, usize>,
    searches: BTreeMap<String, usize>,
}

fn check(
    network: &Network,
    goals: &[Expr],
    passes: Passes,
    counts: &mut Counts,
) -> Result<(), TestCaseError> {
    let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
    let passes = Passes { slice: false, ..passes };
    let space = CompiledSpace::new(network, &wanted, passes).expect("a supported network");
    let Some((shortest, states)) = explore(&space) else { return Ok(()) };
    counts.full += states;
    counts.networks += 1;
    for reduction in [Reduction::Static, Reduction::Stubborn, Reduction::Goal] {
        for asked in questions() {
            let Ok(reduced) = Reduced::new(&space, reduction, asked) else { return Ok(()) };
            let keeps = !reduced.needs_proviso();
            for (strategy, directed) in STRATEGIES {
                let compressed = matches!(*strategy, "breadth" | "depth" | "astar");
                for store in ["exact", "tree"].into_iter().take(1 + usize::from(compressed)) {
                    let task = Task {
                        conditions: asked.conditions,
                        deadlock: asked.deadlock,
                        fault: asked.fault,
                        ..Task::explore(&reduced)
                    };
                    let about = format!("{strategy}, {store}, {reduction:?}, {asked:?}");
                    let heuristic = match (*directed, *strategy) {
                        (false, _) => None,
                        (true, "astar" | "idastar" | "threshold") => admissible(|_| 0),
                        (true, _) => guess(states as u64),
                    };
                    let before = reduced.reduced();
                    let mut stores = stores(store, space.width(), None);
                    let outcome =
                        go(strategy, &task, &mut stores, heuristic, &mut Watch::unlimited());
                    let shortest_way =
                        keeps && matches!(*strategy, "breadth" | "dijkstra" | "astar" | "frontier");
                    compare(&about, &space, &shortest, asked, &outcome, shortest_way)?;
                    let count = match keeps {
                        true => reduced.reduced() - before,
                        false => outcome.statistics.reduced,
                    };
                    let key = format!(
                        "{strategy} {reduction:?} {}",
                        if keeps { "freely" } else { "proviso" }
                    );
                    *counts.reduced.entry(key.clone()).or_default() += count as usize;
                    *counts.searches.entry(key).or_default() += 1;
                }
            }
        }
    }
    Ok(())
}

/// What must have reduced something, so that something is shown.
const ALL: [&str; 4] = ["Static proviso", "Stubborn proviso", "Stubborn freely", "Goal freely"];

fn run(cases: u32, knobs: Knobs, passes: Passes, expected: &[&str]) -> Counts {
    let counts = std::sync::Mutex::new(Counts::default());
    let networks = networks_with_goals(knobs, 2);
    TestRunner::new(config(cases))
        .run(&networks, |(network, goals)| {
            check(&network, &goals, passes, &mut counts.lock().unwrap())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let counts = counts.into_inner().unwrap();
    for (what, count) in &counts.reduced {
        eprintln!("{what}: {count} expansions reduced in {} searches", counts.searches[what]);
    }
    eprintln!("{} networks, {} states", counts.networks, counts.full);
    for strategy in ["breadth", "depth", "greedy", "astar"] {
        for what in expected {
            let key = format!("{strategy} {what}");
            assert!(counts.reduced[&key] > 0, "{key} never reduced anything");
        }
    }
    counts
}

fn everything() -> Vec<Feature> {
    let refused = [Feature::Timeout, Feature::Synchronous];
    SUPPORTED.iter().copied().filter(|feature| !refused.contains(feature)).collect()
}

#[test]
fn reduced_searches_of_plain_networks_find_what_full_ones_find() {
    run(60, Knobs::default(), Passes::ALL, &ALL);
}

#[test]
fn reduced_searches_of_networks_without_faults_find_what_full_ones_find() {
    run(60, Knobs { faults: false, variables: 5, ..Knobs::default() }, Passes::ALL, &ALL);
}

#[test]
fn reduced_searches_of_networks_with_everything_find_what_full_ones_find() {
    // Where channels may be misused everywhere, tables alone leave nothing out.
    run(80, Knobs { polls: true, ..Knobs::with(&everything()) }, Passes::NONE, &ALL[1..]);
}

/// A graph of which the first successors of some nodes are an ample set.
struct Putting {
    /// For every node its successors, and how many of them are an ample set.
    nodes: Vec<(Vec<Word>, Option<usize>)>,
    goal: Word,
}

impl Space for Putting {
    fn width(&self) -> usize {
        1
    }

    fn needs_proviso(&self) -> bool {
        true
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(PuttingExpander { space: self })
    }
}

struct PuttingExpander<'a> {
    space: &'a Putting,
}

impl Expander for PuttingExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&[0], Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let first = out.len();
        let (successors, enough) = &self.space.nodes[state[0] as usize];
        for (label, to) in (0..).zip(successors) {
            out.push(&[*to], Edge { label, choice: 0 });
        }
        out.set_deadlock(successors.is_empty());
        out.set_ample(enough.map(|enough| first + enough));
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        u64::from(state[0] == self.space.goal)
    }
}

/// Searches for the goal by every strategy that leaves successors out.
fn find(space: &Putting) -> Vec<(&'static str, Outcome)> {
    let strategies = STRATEGIES.iter().take(14);
    let find = |(strategy, directed): &(&'static str, bool)| {
        let task = Task { conditions: 1, ..Task::explore(space) };
        let heuristic = directed.then(|| guess(1)).flatten();
        let mut stores = stores("exact", 1, None);
        let outcome = go(strategy, &task, &mut stores, heuristic, &mut Watch::unlimited());
        (*strategy, outcome)
    };
    strategies.map(find).collect()
}

/// The ignoring problem (Valmari 1989): a process that goes round for ever is
/// always enough, and the step of another to the goal is put off in each state of
/// the cycle.
#[test]
fn a_step_is_not_put_off_round_a_cycle() {
    let space = Putting {
        nodes: vec![
            (vec![1, 4], Some(1)),
            (vec![2, 4], Some(1)),
            (vec![0, 4], Some(1)),
            (vec![], None),
            (vec![], None),
        ],
        goal: 4,
    };
    for (strategy, outcome) in find(&space) {
        assert!(support::goal(&outcome).is_some(), "{strategy}");
        // Some state of the cycle could be left with one successor.
        assert!(outcome.statistics.reduced > 0, "{strategy}");
        assert!(!outcome.optimal && outcome.at_least == 0, "{strategy}");
    }
}

/// A step back to where it starts: the state is closed before its own test.
#[test]
fn a_step_is_not_put_off_by_a_loop_on_the_state_itself() {
    let space = Putting { nodes: vec![(vec![0, 1], Some(1)), (vec![], None)], goal: 1 };
    for (strategy, outcome) in find(&space) {
        assert!(support::goal(&outcome).is_some(), "{strategy}");
        assert_eq!(outcome.statistics.reduced, 0, "{strategy}");
    }
}

/// Two states that point at each other, met in breadth-first order from both: that
/// one waits in the open list is enough for one of them, not for both.
#[test]
fn two_states_do_not_put_off_a_step_to_each_other() {
    let space = Putting {
        nodes: vec![
            (vec![1, 2], None),
            (vec![2, 3], Some(1)),
            (vec![1, 3], Some(1)),
            (vec![], None),
        ],
        goal: 3,
    };
    for (strategy, outcome) in find(&space) {
        assert!(support::goal(&outcome).is_some(), "{strategy}");
    }
}

/// A* opens state 2 again, reached by a shorter way than at first. By then the
/// states behind it are closed; it is expanded as it was the first time.
#[test]
fn a_state_is_expanded_again_as_it_was() {
    let nodes = vec![
        (vec![1, 2], None),
        (vec![3], None),
        (vec![4, 5], Some(1)),
        (vec![2], None),
        (vec![2, 5], Some(1)),
        (vec![], None),
    ];
    let space = Putting { nodes, goal: 5 };
    // State 2 seems far by the short way, so that it is reached by the long one
    // first; both estimates are admissible.
    let task = Task { conditions: 1, ..Task::explore(&space) };
    for strategy in ["astar", "greedy", "weighted(alpha=90)"] {
        let heuristic = admissible(|node| if node == 2 { 1 } else { 0 });
        let mut stores = stores("exact", 1, None);
        let outcome = go(strategy, &task, &mut stores, heuristic, &mut Watch::unlimited());
        assert!(support::goal(&outcome).is_some(), "{strategy}");
        assert!(outcome.statistics.reduced <= 1, "{strategy}: counted again");
    }
}

/// Random graphs whose first successors are said to be enough, which they are not:
/// whatever the order, a step that every state has to the goal is found, because it
/// cannot be ignored for ever.
#[test]
fn a_step_possible_everywhere_is_taken_somewhere() {
    for seed in 0..500u64 {
        let draw = |node: u64, i: u64| homing_core::hash::hash_words(&[seed, node, i]) % 20;
        let node = |node: u64| {
            let mut successors: Vec<Word> =
                (0..1 + draw(node, 9) % 3).map(|i| draw(node, i)).collect();
            let enough = successors.len();
            successors.push(20);
            (successors, Some(enough))
        };
        let nodes = (0..20).map(node).chain([(vec![], None)]).collect();
        let space = Putting { nodes, goal: 20 };
        for (strategy, outcome) in find(&space) {
            assert!(support::goal(&outcome).is_some(), "{strategy}, seed {seed}");
        }
    }
}
