//! Frontier search, breadth-first heuristic search and beam-stack search,
//! against distances by plain breadth-first search.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use homing_core::hash::hash_words;
use homing_core::{
    Batch, Cost, DEAD_END, Edge, Expander, HeuristicFactory, Limits, Price, Space, StopReason,
    Watch, Word,
};
use homing_search::{Outcome, Task};
use proptest::prelude::*;
use support::{Toy, admissible, go, goal, stores, unclaimed};

/// Every form of these searches.
const FORMS: &[&str] = &[
    "frontier",
    "frontier(locality=1)",
    "frontier(locality=2, relay=3)",
    "frontier(locality=3, relay=1)",
    "frontier(relay=7)",
    "breadth-heuristic",
    "breadth-heuristic(bound=9)",
    "beam-stack",
    "beam-stack(width=20)",
];

/// Beams so narrow that they go back very often.
const NARROW: &[&str] = &["beam-stack(width=1)", "beam-stack(width=2)", "beam-stack(width=5)"];

fn search<'a>(
    strategy: &str,
    task: &Task<'a>,
    heuristic: Option<Box<dyn HeuristicFactory + 'a>>,
    watch: &mut Watch,
) -> Outcome {
    go(strategy, task, &mut stores("exact", task.space.width(), None), heuristic, watch)
}

/// The distance of every node that can be reached.
fn reach(toy: &Toy, initial: &[Word]) -> BTreeMap<Word, Cost> {
    let mut distance: BTreeMap<Word, Cost> = initial.iter().map(|node| (*node, 0)).collect();
    let mut layer: Vec<Word> = distance.keys().copied().collect();
    for depth in 1.. {
        let mut next = Vec::new();
        for successor in layer.iter().flat_map(|node| toy.successors(*node)) {
            distance.entry(successor).or_insert_with(|| {
                next.push(successor);
                depth
            });
        }
        if next.is_empty() {
            break;
        }
        layer = next;
    }
    distance
}

/// A toy that starts from several nodes.
struct Several<'a> {
    toy: &'a Toy,
    initial: Vec<Word>,
}

impl Space for Several<'_> {
    fn width(&self) -> usize {
        self.toy.width()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(SeveralExpander { of: self, toy: self.toy.expander() })
    }
}

struct SeveralExpander<'a> {
    of: &'a Several<'a>,
    toy: Box<dyn Expander + 'a>,
}

impl Expander for SeveralExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        for (label, node) in self.of.initial.iter().enumerate() {
            out.push(&self.of.toy.state(*node), Edge { label: label as u32, choice: 0 });
        }
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.toy.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.toy.violated(state)
    }
}

/// `nodes` in a row with shortcuts, and steps back by up to `back`: the
/// locality is at most one more, and there are cycles of any length.
fn with_steps_back(nodes: Word, back: Word, seed: Word) -> Toy {
    Toy::new(0, move |node| {
        let draw = |i: Word| hash_words(&[seed, node, i]);
        let mut all = Vec::new();
        all.extend((node + 1 < nodes).then_some(node + 1));
        all.extend((draw(0) % 3 == 0 && node + 2 < nodes).then_some(node + 2));
        all.extend((draw(1) % 4 == 0).then(|| node - draw(2) % (back.min(node) + 1)));
        all
    })
}

/// Steps to the goal, or fewer.
fn lower(truth: &BTreeMap<Word, Cost>, seed: Word) -> impl Fn(Word) -> Cost {
    move |node| {
        let noise = hash_words(&[seed, node]);
        match truth.get(&node) {
            None if noise & 1 == 0 => DEAD_END,
            None => noise as Cost % 20,
            Some(distance) => (noise % (u64::from(*distance) + 1)) as Cost,
        }
    }
}

/// The true distance to the target of all nodes that have one.
fn distances(toy: &Toy, nodes: Word, target: Word) -> BTreeMap<Word, Cost> {
    let mut truth = BTreeMap::from([(target, 0)]);
    let mut changed = true;
    while changed {
        changed = false;
        for node in 0..nodes {
            let next = toy.successors(node).iter().filter_map(|s| truth.get(s)).min().copied();
            let Some(through) = next.map(|next| next + 1) else { continue };
            if truth.get(&node).is_none_or(|known| through < *known) {
                truth.insert(node, through);
                changed = true;
            }
        }
    }
    truth
}

/// Finds what breadth-first search finds: with an estimate that is anywhere
/// below the truth, and without a promise.
fn compare(forms: &[&str], toy: &Toy, nodes: Word, seed: Word) -> Result<(), TestCaseError> {
    let target = nodes - 1;
    let truth = distances(toy, nodes, target);
    let expected = truth.get(&0).map(|length| *length as usize);
    let task = Task { conditions: 1, ..Task::explore(toy) };
    for form in forms {
        let low = lower(&truth, seed);
        let heuristic = if form.starts_with("frontier") { None } else { admissible(&low) };
        let outcome = search(form, &task, heuristic, &mut Watch::unlimited());
        let found = goal(&outcome).map(|finding| toy.nodes(&finding.path).len() - 1);
        prop_assert_eq!(found, expected, "{}", form);
        prop_assert_eq!(outcome.stopped, None, "{}", form);
        prop_assert!(outcome.optimal, "{}", form);
        let at_least = expected.map_or(Price::MAX, |length| length as Price);
        prop_assert_eq!(outcome.at_least, at_least, "{}", form);
        if let Some(finding) = goal(&outcome) {
            prop_assert_eq!(toy.nodes(&finding.path).last().copied(), Some(target));
        }
        if heuristic_is_used(form) {
            let wild = |node| hash_words(&[node, seed]) as Cost % 30;
            let outcome = search(form, &task, unclaimed(wild), &mut Watch::unlimited());
            let found = goal(&outcome).map(|finding| toy.nodes(&finding.path).len() - 1);
            prop_assert_eq!(found.is_some(), expected.is_some(), "{} without promise", form);
            prop_assert!(found >= expected && !outcome.optimal && outcome.stopped.is_none());
        }
    }
    Ok(())
}

fn heuristic_is_used(form: &str) -> bool {
    !form.starts_with("frontier")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn oracle_random_graphs(nodes in 2u64..200, degree in 1u64..5, seed: u64) {
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == nodes - 1);
        compare(FORMS, &toy, nodes, seed)?;
    }

    #[test]
    fn oracle_narrow_beams(nodes in 2u64..14, degree in 1u64..4, seed: u64) {
        let toy = Toy::random(nodes, degree, seed).with_goal(move |node| node == nodes - 1);
        compare(NARROW, &toy, nodes, seed)?;
    }

    /// Localities from 1 to 10 and beyond, the goal there or not.
    #[test]
    fn oracle_cycles_of_every_length(
        nodes in 20u64..400, back in 0u64..60, seed: u64, reachable: bool,
    ) {
        let toy = with_steps_back(nodes, back, seed);
        let toy = toy.with_goal(move |node| reachable && node == nodes - 1);
        let length = reach(&toy, &[0]).get(&(nodes - 1)).copied().filter(|_| reachable);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        for form in FORMS {
            let heuristic = heuristic_is_used(form).then(|| admissible(|_| 0)).flatten();
            let outcome = search(form, &task, heuristic, &mut Watch::unlimited());
            let found = goal(&outcome).map(|finding| toy.nodes(&finding.path).len() as Cost - 1);
            prop_assert_eq!(found, length, "{}", form);
            prop_assert_eq!(outcome.stopped, None, "{}", form);
        }
    }

    /// Several conditions, deadlock and fault at once, from several nodes.
    #[test]
    fn oracle_everything_at_once(nodes in 3u64..150, degree in 1u64..4, seed: u64) {
        let failing = seed % nodes;
        let toy = Toy::random(nodes, degree, seed)
            .with_conditions(move |node| u64::from(node == nodes - 1) | u64::from(node % 7 == 5) << 3)
            .with_failure(failing);
        let several = Several { toy: &toy, initial: vec![0, nodes / 2, nodes / 3, 0] };
        let distance = reach(&toy, &several.initial);
        let nearest = |is: &dyn Fn(Word) -> bool| {
            distance.iter().filter(|(node, _)| is(**node)).map(|(_, depth)| *depth as usize).min()
        };
        let blocked = |node: Word| toy.successors(node).is_empty() && node != failing;
        let expected = [
            nearest(&|node| node == nodes - 1),
            nearest(&|node| node % 7 == 5),
            nearest(&blocked),
            nearest(&|node| node == failing).map(|length| length + 1),
        ];
        let task = Task { conditions: 9, deadlock: true, fault: true, ..Task::explore(&several) };
        for form in FORMS {
            let heuristic = heuristic_is_used(form).then(|| admissible(|_| 0)).flatten();
            let outcome = search(form, &task, heuristic, &mut Watch::unlimited());
            let findings = &outcome.findings;
            let of = |bit: usize| findings.conditions.get(bit).and_then(Option::as_ref);
            let found = [of(0), of(3), findings.deadlock.as_ref(), findings.fault.as_ref()];
            prop_assert_eq!(found.map(|one| one.map(|one| one.length())), expected, "{}", form);
            prop_assert_eq!(outcome.stopped, None, "{}", form);
            for finding in found.into_iter().flatten() {
                let at = |steps| toy.node(finding.path.state(steps));
                prop_assert!(several.initial.contains(&at(0)));
                for (step, (_, edge)) in finding.path.steps().enumerate() {
                    let taken = toy.successors(at(step))[edge.label as usize];
                    prop_assert_eq!(taken, at(step + 1), "{}", form);
                }
            }
        }
    }
}

#[test]
fn a_goal_at_the_start_needs_no_step() {
    let toy = Toy::binary_tree().with_goal(|node| node == 0);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for form in FORMS {
        let outcome = search(form, &task, admissible(|_| 0), &mut Watch::unlimited());
        assert_eq!(goal(&outcome).map(|finding| finding.length()), Some(0), "{form}");
        assert_eq!((outcome.at_least, outcome.optimal), (0, true), "{form}");
        assert_eq!(outcome.statistics.progress.expanded, 0, "{form}");
    }
}

/// A long way through a grid, most of which is forgotten.
#[test]
fn few_states_are_held_and_the_path_is_found_again() {
    let side = 400;
    let toy = Toy::grid(side).with_goal(move |node| node == side * side - 1);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for form in ["frontier", "frontier(locality=2)", "breadth-heuristic"] {
        let heuristic = heuristic_is_used(form).then(|| admissible(|_| 0)).flatten();
        let outcome = search(form, &task, heuristic, &mut Watch::unlimited());
        let path = &goal(&outcome).expect("there is a way").path;
        assert_eq!(toy.nodes(path).len() as Word, 2 * side - 1, "{form}");
        let held = outcome.statistics.progress.stored;
        assert!(held < side * side / 10, "{form} holds {held}");
        assert!(outcome.notices.is_empty(), "{form}: {:?}", outcome.notices);
    }
}

/// A ring that is longer than the locality: the search ends, and says what it
/// met.
#[test]
fn too_small_a_locality_is_noticed_and_the_search_ends() {
    let ring = |node: Word| match node {
        0 => vec![1],
        1..=40 => vec![node % 40 + 1],
        _ => vec![],
    };
    let toy = Toy::new(0, ring);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    let outcome = search("frontier(locality=2, relay=30)", &task, None, &mut Watch::unlimited());
    assert_eq!((outcome.stopped, outcome.at_least), (None, Price::MAX));
    assert!(outcome.notices[0].contains("too small"), "{:?}", outcome.notices);
    assert!(outcome.statistics.progress.expanded > 41, "states were searched again");
    let outcome = search("frontier(locality=40, relay=30)", &task, None, &mut Watch::unlimited());
    assert!(outcome.notices.is_empty());
    assert_eq!(outcome.statistics.progress.expanded, 41);
}

/// Many waves that go round at different speeds.
#[test]
fn rings_of_all_lengths_end() {
    // Node (r, i) is at place i of ring r; a ring leads on to the next.
    let toy = Toy::new(1000, |node| {
        let (ring, place) = (node / 1000, node % 1000);
        let length = 3 + 7 * ring;
        let mut all = vec![ring * 1000 + (place + 1) % length];
        if place == length / 2 && ring < 20 {
            all.push((ring + 1) * 1000);
        }
        all
    });
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for form in FORMS {
        let heuristic = heuristic_is_used(form).then(|| admissible(|_| 0)).flatten();
        let outcome = search(form, &task, heuristic, &mut Watch::unlimited());
        assert_eq!(outcome.stopped, None, "{form}");
    }
}

/// A beam that is far too narrow finds a way at once, and a shortest at last.
#[test]
fn beam_stack_improves_until_it_is_proven() {
    let side = 8;
    let toy = Toy::grid(side).with_goal(move |node| node == side * side - 1);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    // Draws along one edge of the grid.
    let edge = |node: Word| u32::from(!node.is_multiple_of(side) && node != side * side - 1);
    let mut lengths = Vec::new();
    for most in [40, 100, 100_000_000] {
        let limits = Limits { expansions: Some(most), ..Limits::default() };
        let mut watch = Watch::new(limits);
        let outcome = search("beam-stack(width=4)", &task, admissible(edge), &mut watch);
        lengths.push(goal(&outcome).map(|finding| toy.nodes(&finding.path).len() - 1));
        assert_eq!(outcome.optimal, most == 100_000_000, "{most} expansions");
    }
    assert!(lengths.is_sorted_by(|a, b| b.is_none_or(|b| a.is_none_or(|a| a >= b))), "{lengths:?}");
    assert_eq!(lengths.last(), Some(&Some(14)));
}

/// The stop reasons of searches that would never end.
#[test]
fn limits_end_every_form() {
    let reasons = [
        (Limits { states: Some(3_000), ..Limits::default() }, StopReason::States),
        (Limits { expansions: Some(3_000), ..Limits::default() }, StopReason::Expansions),
        (Limits { memory: Some(1 << 20), ..Limits::default() }, StopReason::Memory),
        (Limits { depth: Some(7), ..Limits::default() }, StopReason::Depth),
        (Limits { bound: Some(7), ..Limits::default() }, StopReason::Bound),
    ];
    for form in FORMS {
        for (limits, reason) in &reasons {
            let toy = Toy::binary_tree();
            let task = Task { conditions: 1, deadlock: true, ..Task::explore(&toy) };
            let mut watch = Watch::new(limits.clone());
            let outcome = search(form, &task, admissible(|_| 0), &mut watch);
            assert_eq!(outcome.stopped, Some(*reason), "{form}");
            assert!(goal(&outcome).is_none());
        }
    }
}

/// Time runs out, or somebody interrupts, in the middle of a search or of
/// finding a path again: what is said is true.
#[test]
fn interruptions_anywhere_are_no_harm() {
    let side = 30;
    let toy = Toy::grid(side).with_goal(move |node| node == side * side - 1);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for form in FORMS {
        let mut found = 0;
        for looks in (0..60).map(|i| i * i / 4) {
            let cancel = Arc::new(AtomicBool::new(false));
            let (stop, count) = (Arc::clone(&cancel), AtomicU64::new(0));
            let mut watch = Watch::unlimited().with_cancel(cancel).with_report(move |_, _| {
                if count.fetch_add(1, Ordering::Relaxed) == looks {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            let outcome = search(form, &task, admissible(|_| 0), &mut watch);
            match goal(&outcome) {
                None => assert_eq!(outcome.stopped, Some(StopReason::Cancelled), "{form}"),
                Some(finding) => {
                    assert_eq!(toy.nodes(&finding.path).len(), 2 * side as usize - 1, "{form}");
                    found += 1;
                }
            }
            assert!(outcome.at_least <= 2 * side - 2, "{form}");
        }
        assert!(found > 0, "{form}");
    }
    let clock = AtomicU64::new(0);
    let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
    let mut watch = Watch::new(limits)
        .with_clock(move || Duration::from_secs(clock.fetch_add(1, Ordering::Relaxed)));
    let outcome = search("frontier", &task, None, &mut watch);
    assert_eq!(outcome.stopped, Some(StopReason::Time));
}

/// A bound of the user's: what is further away is not there.
#[test]
fn bounds_are_kept() {
    let toy = Toy::chain(1000).with_goal(|node| node == 20);
    let task = Task { conditions: 1, ..Task::explore(&toy) };
    for form in FORMS {
        for (limit, reason) in [(19, Some(StopReason::Bound)), (20, None)] {
            let limits = Limits { bound: Some(limit), ..Limits::default() };
            let heuristic = admissible(|node| (20 - node.min(20)) as Cost / 2);
            let outcome = search(form, &task, heuristic, &mut Watch::new(limits));
            assert_eq!(outcome.stopped, reason, "{form} within {limit}");
            assert_eq!(goal(&outcome).is_some(), reason.is_none(), "{form} within {limit}");
        }
    }
}
