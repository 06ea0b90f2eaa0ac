//! Searches on disk against the same in memory, with buffers of a few states.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use homing_core::hash::hash_words;
use homing_core::{Cost, DEAD_END, Limits, StopReason, Watch, Word};
use homing_external::{Directory, Settings, Trouble};
use homing_search::external::{Disk, Order, external};
use homing_search::{Context, Guide, Outcome, Statistics, Task};
use proptest::prelude::*;
use support::{Factory, Toy, admissible, go, goal, stores, unclaimed};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Folder(std::env::temp_dir().join(format!("homing-search-{}-{number}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Searches on disk in a folder.
#[derive(Clone, Copy)]
struct Search {
    order: Order,
    memory: usize,
    buffer: usize,
    limit: Option<u64>,
    goes_on: bool,
}

const BREADTH: Search =
    Search { order: Order::Breadth, memory: 0, buffer: 500, limit: None, goes_on: false };
const ASTAR: Search = Search { order: Order::AStar, ..BREADTH };

impl Search {
    fn run(
        self,
        folder: &Folder,
        task: &Task,
        heuristic: Factory<'_>,
        limits: Limits,
    ) -> Result<Outcome, Trouble> {
        let Search { order, memory, buffer, limit, goes_on } = self;
        let settings = Settings { path: folder.0.clone(), limit, ..Settings::default() };
        let (memory, buffer) = ((memory > 0).then_some(memory), Some(buffer));
        let disk = Disk { settings, goes_on, memory, buffer, bytes: None.into() };
        let guide = Guide { heuristic, ..Guide::default() };
        let mut stores = stores("exact", task.space.width(), None);
        let watch = &mut Watch::new(limits);
        external(order, &disk, Context { task, stores: &mut stores, guide: &guide, watch })
    }

    fn whole(self, task: &Task, heuristic: Factory<'_>) -> Outcome {
        self.run(&Folder::new(), task, heuristic, Limits::default()).unwrap()
    }
}

fn in_memory(strategy: &str, task: &Task, heuristic: Factory<'_>, limits: Limits) -> Outcome {
    let mut stores = stores("exact", task.space.width(), None);
    go(strategy, task, &mut stores, heuristic, &mut Watch::new(limits))
}

/// What must not depend on where states are.
fn counts(outcome: &Outcome) -> [u64; 7] {
    let Statistics { progress, deadlocks, faults, counted, levels, .. } = outcome.statistics;
    let (stored, expanded, generated) = (progress.stored, progress.expanded, progress.generated);
    [stored, expanded, generated, deadlocks, faults, counted, levels.into()]
}

fn length(outcome: &Outcome) -> Option<usize> {
    goal(outcome).map(|finding| finding.length())
}

fn toy(kind: u8, nodes: Word, seed: Word, width: usize) -> Toy {
    let toy = match kind {
        0 => Toy::random(nodes, 3, seed),
        1 => Toy::grid(2 + nodes % 40),
        2 => Toy::chain(nodes % 300),
        // Long steps back: what is subtracted lies far behind.
        _ => Toy::new(0, move |node| {
            let back = hash_words(&[seed, node]) % (node + 1);
            if node < nodes { vec![node + 1, back, (node + 7).min(nodes)] } else { vec![back] }
        }),
    };
    toy.with_width(width)
}

/// Steps from every node to the target.
fn distances(toy: &Toy, nodes: Word, target: Word) -> Vec<Option<Cost>> {
    let mut truth = vec![None; nodes as usize + 1];
    truth[target as usize] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for node in 0..=nodes {
            let next = toy.successors(node).into_iter().filter_map(|s| truth[s as usize]).min();
            let through = next.map(|next: Cost| next + 1);
            if through.is_some() && truth[node as usize].is_none_or(|known| Some(known) > through) {
                truth[node as usize] = through;
                changed = true;
            }
        }
    }
    truth
}

/// The memory in which a search begins, mostly too little for it.
fn in_memory_first() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), 1..200_000usize]
}

/// Whatever it is that is still in memory when memory ends, the counts are the same.
#[test]
fn a_search_leaves_memory_at_any_moment() {
    let toy = Toy::random(9_000, 3, 5).with_conditions(|node| u64::from(node % 5 == 0));
    let task = Task { count: 1, ..Task::explore(&toy) };
    let known = in_memory("breadth", &task, None, Limits::default());
    let mut began = [0, 0];
    for memory in (0..19).map(|bits| 1 << bits) {
        let folder = Folder::new();
        let search = Search { memory, buffer: 9_000, ..BREADTH };
        let outcome = search.run(&folder, &task, None, Limits::default()).unwrap();
        assert_eq!(counts(&outcome), counts(&known), "{memory}");
        began[usize::from(Directory::holds_search(&folder.0))] += 1;
    }
    assert!(began[0] > 1 && began[1] > 8, "{began:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// All counts are those of breadth-first search in memory.
    #[test]
    fn oracle_counts(kind in 0..4u8, nodes in 1..3_000u64, seed: u64, width in 1..4usize, buffer in 1..40_000usize, memory in in_memory_first()) {
        let toy = toy(kind, nodes, seed, width).with_conditions(|node| u64::from(node % 5 == 0));
        let task = Task { count: 1, ..Task::explore(&toy) };
        let known = in_memory("breadth", &task, None, Limits::default());
        let outcome = Search { buffer, memory, ..BREADTH }.whole(&task, None);
        prop_assert_eq!(counts(&outcome), counts(&known));
        prop_assert_eq!((outcome.stopped, outcome.at_least), (None, known.at_least));
    }

    /// The first trace is a shortest one, and it is a run.
    #[test]
    fn oracle_shortest(kind in 0..4u8, nodes in 2..2_000u64, seed: u64, width in 1..4usize, buffer in 1..20_000usize, memory in in_memory_first()) {
        let target = hash_words(&[seed]) % nodes;
        let toy = toy(kind, nodes, seed, width).with_goal(move |node| node == target);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let known = in_memory("breadth", &task, None, Limits::default());
        let outcome = Search { buffer, memory, ..BREADTH }.whole(&task, None);
        prop_assert_eq!(length(&outcome), length(&known));
        prop_assert!(outcome.optimal);
        if let Some(finding) = goal(&outcome) {
            prop_assert!(toy.nodes(&finding.path).last() == Some(&target));
            prop_assert!(outcome.at_least <= finding.length() as u64);
        } else {
            prop_assert_eq!(counts(&outcome), counts(&known));
        }
    }

    /// A* with any estimate below the truth, which may fall by more than a step costs.
    #[test]
    fn oracle_astar(kind in 0..4u8, nodes in 2..700u64, seed: u64, buffer in 1..20_000usize, even: bool, memory in in_memory_first()) {
        let toy = toy(kind, nodes, seed, 1);
        let last = if kind == 1 { (2 + nodes % 40) * (2 + nodes % 40) - 1 } else { nodes };
        let target = hash_words(&[seed]) % last;
        let truth = distances(&toy, last, target);
        let toy = toy.with_goal(move |node| node == target);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let told = |node: Word| {
            let noise = hash_words(&[seed, node]);
            match truth[node as usize] {
                None if noise & 1 == 0 => DEAD_END,
                None => noise as Cost % 20,
                Some(distance) if even => distance / 2,
                Some(distance) => (noise % (u64::from(distance) + 1)) as Cost,
            }
        };
        let outcome = Search { buffer, memory, ..ASTAR }.whole(&task, admissible(told));
        prop_assert_eq!(length(&outcome).map(|length| length as Cost), truth[0]);
        prop_assert!(outcome.optimal && outcome.stopped.is_none());
        prop_assert!(length(&outcome).is_none_or(|length| outcome.at_least <= length as u64));
        // An estimate that promises nothing finds something if there is anything.
        let outcome = Search { buffer, memory, ..ASTAR }.whole(&task, unclaimed(|node| told(node).saturating_mul(3)));
        prop_assert_eq!(length(&outcome).is_some(), truth[0].is_some());
        prop_assert!(!outcome.optimal && goal(&outcome).is_none_or(|it| toy.nodes(&it.path).last() == Some(&target)));
    }

    /// A search that is stopped again and again comes to what one that is not comes to.
    #[test]
    fn oracle_going_on(kind in 0..4u8, nodes in 2..1_500u64, seed: u64, buffer in 1..20_000usize, astar: bool, most in 1..400u64, memory in in_memory_first()) {
        let target = hash_words(&[seed]) % nodes;
        let toy = toy(kind, nodes, seed, 1).with_conditions(move |node| u64::from(node == target) | (2 * u64::from(node == nodes + 1)));
        // The second condition is never met: the whole is searched.
        let task = Task { conditions: 3, ..Task::explore(&toy) };
        let form = Search { buffer, ..if astar { ASTAR } else { BREADTH } };
        let told = move |node: Word| (hash_words(&[seed, node]) % 5) as Cost;
        let known = form.whole(&task, admissible(told));
        let folder = Folder::new();
        let mut goes_on = false;
        let (mut expansions, mut rounds) = (0, 0);
        let outcome = loop {
            // Not too often: whatever is saved is made safe, which takes long.
            expansions += 1 + hash_words(&[seed, rounds]) % most + 200 * (rounds / 6);
            rounds += 1;
            let limits = Limits { expansions: Some(expansions), ..Limits::default() };
            let outcome = Search { goes_on, memory, ..form }.run(&folder, &task, admissible(told), limits).unwrap();
            if outcome.stopped != Some(StopReason::Expansions) {
                break outcome;
            }
            prop_assert_eq!(outcome.statistics.progress.expanded, expansions);
            goes_on = true;
        };
        prop_assert_eq!(counts(&outcome), counts(&known));
        prop_assert_eq!(length(&outcome), length(&known));
        prop_assert_eq!((outcome.stopped, outcome.at_least, outcome.optimal), (known.stopped, known.at_least, known.optimal));
        if let Some(finding) = goal(&outcome) {
            prop_assert!(toy.nodes(&finding.path).last() == Some(&target));
        }
    }

    /// Limits of steps and of costs leave out what they leave out in memory.
    #[test]
    fn oracle_limits(kind in 0..4u8, nodes in 2..1_500u64, seed: u64, most in 0..30u32, memory in in_memory_first()) {
        let target = hash_words(&[seed]) % nodes;
        let toy = toy(kind, nodes, seed, 1).with_goal(move |node| node == target);
        let task = Task { conditions: 1, ..Task::explore(&toy) };
        let truth = length(&in_memory("breadth", &task, None, Limits::default()));
        let depth = Limits { depth: Some(most), ..Limits::default() };
        let bound = Limits { bound: Some(most.into()), ..Limits::default() };
        for limits in [depth, bound] {
            let known = in_memory("breadth", &task, None, limits.clone());
            let outcome = Search { memory, ..BREADTH }.run(&Folder::new(), &task, None, limits.clone()).unwrap();
            prop_assert_eq!(length(&outcome), length(&known));
            prop_assert_eq!(outcome.stopped, known.stopped);
            if length(&known).is_none() {
                prop_assert_eq!(counts(&outcome)[..4].to_vec(), counts(&known)[..4].to_vec());
            }
            prop_assert!(truth.is_none_or(|truth| outcome.at_least <= truth as u64), "{}", outcome.at_least);
            let outcome = Search { memory, ..ASTAR }.run(&Folder::new(), &task, admissible(|_| 0), limits).unwrap();
            prop_assert_eq!((length(&outcome), outcome.stopped), (length(&known), known.stopped));
        }
    }
}

#[test]
fn deadlocks_and_failing_steps_are_found_at_their_distance() {
    let toy = Toy::binary_tree_of(9).with_failure(900);
    let task = Task { deadlock: true, fault: true, ..Task::explore(&toy) };
    let known = in_memory("breadth", &task, None, Limits::default());
    let outcome = BREADTH.whole(&task, None);
    let lengths = |outcome: &Outcome| {
        let findings = &outcome.findings;
        [&findings.deadlock, &findings.fault].map(|it| it.as_ref().map(|it| it.length()))
    };
    assert_eq!(lengths(&outcome), lengths(&known));
    assert_eq!(lengths(&outcome), [Some(9), Some(10)]);
    let fault = outcome.findings.fault.unwrap();
    assert_eq!(fault.fault, known.findings.fault.unwrap().fault);
    assert_eq!(toy.nodes(&fault.path).last(), Some(&900));
}

#[test]
fn a_search_that_has_no_room_goes_on_when_there_is_some() {
    let toy = Toy::grid(120);
    let task = Task::explore(&toy);
    let known = in_memory("breadth", &task, None, Limits::default());
    let folder = Folder::new();
    let search = |limit, goes_on| {
        let form = Search { limit: Some(limit), goes_on, buffer: 2_000, ..BREADTH };
        form.run(&folder, &task, None, Limits::default()).unwrap()
    };
    let full = search(15_000, false);
    assert_eq!(full.stopped, Some(StopReason::Disk));
    assert!(full.notices[0].contains("15000 bytes"), "{:?}", full.notices);
    assert_eq!(search(20_000, true).stopped, Some(StopReason::Disk));
    let outcome = search(3_000_000, true);
    assert_eq!((counts(&outcome), outcome.stopped), (counts(&known), None));
}

#[test]
fn thousands_of_thin_layers_become_few_runs() {
    let toy = Toy::chain(3_000);
    let task = Task::explore(&toy);
    let folder = Folder::new();
    let outcome = BREADTH.run(&folder, &task, None, Limits::default()).unwrap();
    assert_eq!(outcome.statistics.progress.stored, 3_001);
    assert!(fs::read_dir(&folder.0).unwrap().count() < 100);
}

#[test]
fn damage_is_an_error_that_names_the_file() {
    let toy = Toy::grid(60);
    let task = Task::explore(&toy);
    let folder = Folder::new();
    let limits = Limits { expansions: Some(2_000), ..Limits::default() };
    BREADTH.run(&folder, &task, None, limits).unwrap();
    let files = fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().path());
    let runs: Vec<PathBuf> = files.filter(|path| path.extension().is_some()).collect();
    let largest = runs.into_iter().max_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
    let mut bytes = fs::read(&largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&largest, bytes).unwrap();
    let again = Search { goes_on: true, ..BREADTH };
    let ended = again.run(&folder, &task, None, Limits::default());
    assert!(matches!(&ended, Err(Trouble::Damaged(path, _)) if *path == largest), "{ended:?}");
}
