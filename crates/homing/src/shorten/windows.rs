//! Shorter ways between states of a run.

use std::cell::RefCell;
use std::collections::BTreeSet;

use homing_core::catalogue::Job;
use homing_core::{Edge, Space, Word};
use homing_guide::{Goal, Target};
use homing_search::{Context, Guide, Path, Task};
use homing_space::Between;
use homing_store::{Making, StoreConfig};

use super::Improving;
use super::run::Followed;
use crate::planner::{first, made};
use crate::run::parse;

/// The expansions of the search in one window.
const EXPANSIONS: u64 = 2_000;

/// The steps of the first windows.
const SMALLEST: usize = 4;

/// Looks through windows of growing length for shorter ways; the shorter run.
pub(super) fn shorten(improving: &mut Improving, _: usize) -> Followed {
    let mut run = improving.best.clone();
    let end = improving.spent.expanded.saturating_add(improving.share() / 2);
    let mut size = SMALLEST;
    loop {
        let mut at = 0;
        while at < run.edges.len() {
            if improving.spent.expanded >= end || improving.stopped().is_some() {
                return run;
            }
            let window = size.min(run.edges.len() - at);
            match between(improving, &run, at, window) {
                Some(way) => splice(&mut run, at, &way),
                None => at += size.div_ceil(2),
            }
        }
        if size >= run.edges.len() {
            return run;
        }
        size *= 2;
    }
}

/// A way from state `at` of the run to a state at least `window` steps behind
/// it, in fewer steps.
fn between(improving: &mut Improving, run: &Followed, at: usize, window: usize) -> Option<Path> {
    // One step cannot be made none: the states differ.
    if window < 2 {
        return None;
    }
    let (start, last) = (&run.states[at], &run.states[at + window]);
    let targets: BTreeSet<&[Word]> = run.states[at + window..].iter().map(Vec::as_slice).collect();
    let conditions = u64::from(improving.hit.bit().is_some());
    let space = Between::new(improving.space.space(), start, &targets, conditions);
    let task = Task { conditions: 1, ..Task::explore(&space) };
    let notices = RefCell::default();
    let goal = Goal {
        space: improving.space.discrete.prepared(),
        successors: improving.space.discrete,
        target: Target::State(improving.space.own(last)),
        costs: None,
        expressions: &[],
        memory: usize::MAX,
        notices: &notices,
        grounds: None,
        hasty: false,
    };
    // What this version cannot direct so is left as it is.
    let strategy = made(first(Job::Connect)?, improving.options.seed)?;
    let heuristic = homing_guide::build(&goal, strategy.estimate.as_ref()?).ok()?;
    let guide = Guide { heuristic: Some(heuristic), ..Guide::default() };
    let store = parse("exact", "store").ok()?;
    let bounded = improving.runner.bounded(Some(window as u64 - 1), Some(EXPANSIONS));
    let config = StoreConfig {
        width: space.width(),
        memory: bounded.limits().memory,
        states: None,
        cover: None,
    };
    let outcome = strategy.algorithm.run(Context {
        task: &task,
        stores: &mut Making::new(config, store).ok()?,
        guide: &guide,
        watch: &mut bounded.watch(None),
    });
    let found = outcome.findings.conditions.into_iter().next().flatten();
    improving.account(&outcome.statistics.progress);
    found.map(|finding| finding.path).filter(|path| path.len() < window)
}

/// Puts a shorter way into the run. It leads to a later state of the run, or to
/// a violation.
fn splice(run: &mut Followed, at: usize, way: &Path) {
    let reached = way.state(way.len());
    let later = run.states.iter().rposition(|state| state.as_slice() == reached);
    let (states, edges, fault) = match later.filter(|later| *later > at) {
        Some(later) => (run.states.split_off(later + 1), run.edges.split_off(later), run.fault),
        None => (Vec::new(), Vec::new(), None),
    };
    run.states.truncate(at + 1);
    run.edges.truncate(at);
    let taken: Vec<(Edge, Vec<Word>)> =
        way.steps().enumerate().map(|(i, (_, edge))| (edge, way.state(i + 1).to_vec())).collect();
    for (edge, state) in taken {
        run.edges.push(edge);
        run.states.push(state);
    }
    run.states.extend(states);
    run.edges.extend(edges);
    run.fault = fault;
}
