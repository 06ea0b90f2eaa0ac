//! What the planner tries before its long searches, where the model has clocks.
//!
//! A step between zones takes ten times as long as one between plain states, so the
//! blind part of the plan is long, and errors of timed models are often deep:
//!
//! ```text
//! breadth-first, LEVELS expansions           small models end here, with a proof
//! for each goal:   what its row offers for such a goal (Job), DIRECTED expansions
//! depth-first, DEEP expansions, for what is left
//! ```
//! Each on a store of its own, of which only what was found is kept: the plan
//! begins anew with what was not. Budgets are counted in expansions, so that all
//! runs do the same.
//!
//! Greedy search with useless transitions last finds the errors of the tramway
//! family (S7, S9) in half a second where blind search takes minutes; depth-first
//! search those of the mutual exclusion protocols that have many.

use homing_core::StopReason;
use homing_core::catalogue::Job;
use homing_guide::Target;
use homing_search::alternating::Sought;
use homing_search::{Findings, Outcome, Task};
use homing_space::CompiledSpace;

use crate::planner::{first, made};
use crate::run::{Aim, Configuration, Ran, Runner};

/// Expansions of the breadth-first search.
const LEVELS: u64 = 10_000;

/// Expansions of a greedy search.
const DIRECTED: u64 = 10_000;

/// Expansions of the depth-first search.
const DEEP: u64 = 30_000;

/// The goals that greedy searches are made for, at most.
const MOST_AIMS: usize = 4;

/// What was found before the plan begins, and what the plan should know of it.
pub(crate) struct Early {
    /// What was found and how; the statistics are of all searches.
    pub outcome: Outcome,
    /// Whether nothing is left to do.
    pub done: bool,
    /// What was done.
    pub phases: Vec<String>,
}

/// Tries; nothing where the model has no clocks, or limits leave no room.
pub(crate) fn early(
    runner: &Runner,
    parts: &Configuration,
    space: &CompiledSpace,
    task: &Task,
    aims: &[(Sought, Aim)],
) -> Option<Early> {
    let limits = runner.limits();
    let room = runner.most_expansions().is_none_or(|most| most > LEVELS + DIRECTED + DEEP)
        && limits.states.is_none();
    if task.space.cover().is_none() || aims.is_empty() || !room {
        return None;
    }
    let mut tries = Tries { runner, parts, space, phases: Vec::new() };
    let Ran { outcome, .. } = tries.search("breadth", task, &Aim::default(), LEVELS)?;
    let mut early = Early { outcome, done: true, phases: Vec::new() };
    if early.outcome.stopped == Some(StopReason::Expansions) {
        early.outcome.optimal = false;
        tries.directed(task, aims, &mut early.outcome);
        tries.deep(task, &mut early.outcome);
        early.done = early.outcome.findings.complete(task)
            || !matches!(early.outcome.stopped, None | Some(StopReason::Expansions));
        if early.outcome.findings.complete(task) {
            early.outcome.stopped = None;
        }
    }
    early.phases = tries.phases;
    Some(early)
}

/// What is still to be found.
pub(crate) fn left<'a>(task: &Task<'a>, findings: &Findings) -> Task<'a> {
    Task {
        conditions: findings.open_conditions(task),
        deadlock: task.deadlock && findings.deadlock.is_none(),
        fault: task.fault && findings.fault.is_none(),
        ..*task
    }
}

/// Adds what was found elsewhere, of what is not known yet.
pub(crate) fn join(findings: &mut Findings, others: Findings) {
    for (bit, other) in others.conditions.into_iter().enumerate() {
        let known = findings.conditions.get(bit).is_some_and(Option::is_some);
        if let Some(other) = other.filter(|_| !known) {
            findings.found(1 << bit, &other.path);
        }
    }
    findings.deadlock = findings.deadlock.take().or(others.deadlock);
    findings.fault = findings.fault.take().or(others.fault);
}

struct Tries<'a> {
    runner: &'a Runner,
    parts: &'a Configuration,
    space: &'a CompiledSpace,
    phases: Vec<String>,
}

impl Tries<'_> {
    /// One search; nothing where it cannot be made.
    fn search(&mut self, strategy: &str, task: &Task, aim: &Aim, most: u64) -> Option<Ran> {
        let strategy = made(strategy, self.parts.seed())?;
        let ran =
            self.runner.round(&strategy, self.parts.store(), self.space, task, aim, Some(most));
        let ran = ran.ok()?;
        let expanded = ran.outcome.statistics.progress.expanded;
        self.phases.push(format!("{}: {expanded} expansions", strategy.call));
        Some(ran)
    }

    fn directed(&mut self, task: &Task, aims: &[(Sought, Aim)], so_far: &mut Outcome) {
        for (sought, aim) in aims.iter().take(MOST_AIMS) {
            let missing = left(task, &so_far.findings);
            let one = Task {
                conditions: missing.conditions & sought.conditions,
                deadlock: missing.deadlock && sought.deadlock,
                fault: false,
                ..*task
            };
            if one.conditions == 0 && !one.deadlock {
                continue;
            }
            let strategy = first(match aim.target {
                Some(Target::Deadlock) => Job::FindTimedDeadlock,
                _ => Job::FindTimedState,
            });
            let ran = strategy.and_then(|strategy| self.search(strategy, &one, aim, DIRECTED));
            self.take(ran, so_far);
        }
    }

    fn deep(&mut self, task: &Task, so_far: &mut Outcome) {
        let missing = left(task, &so_far.findings);
        if missing.conditions != 0 || missing.deadlock {
            let ran = self.search("depth", &missing, &Aim::default(), DEEP);
            self.take(ran, so_far);
        }
    }

    fn take(&self, ran: Option<Ran>, so_far: &mut Outcome) {
        let Some(ran) = ran else { return };
        join(&mut so_far.findings, ran.outcome.findings);
        so_far.statistics.add(&ran.outcome.statistics);
        // Time, memory and whoever interrupts end everything.
        let ended = ran.outcome.stopped.filter(|why| *why != StopReason::Expansions);
        let ends = |why: &StopReason| {
            matches!(why, StopReason::Time | StopReason::Memory | StopReason::Cancelled)
        };
        so_far.stopped = ended.filter(ends).or(so_far.stopped);
    }
}
