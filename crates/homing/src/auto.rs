//! The planner, `auto`: first a bug, then the shortest one, proven.
//!
//! ```text
//! 1. begin with an estimate that is made at once: how far processes are from where the
//!    goal wants them, how many can move; where there is none, search breadth-first for a
//!    moment
//! 2. make better ones, one after the other; directed searches, a dive and a blind search
//!    take turns: over one visited set (search::alternating), among zones
//!    each over its own (search::side_by_side)
//! 3. a trace found there is not proven shortest: look for shorter ones, half
//!    of the budget breadth-first, half by `shorten`, until there are none. The budget is
//!    in proportion to what finding it took
//! ```
//! At any time it is known how short a trace may be at best: no level searched
//! breadth-first held one.
//!
//! It gives up nothing: a property holds when everything was searched. Where a
//! depth limit, a bound or a lossy store is asked for, the plan is a plain
//! breadth-first search.

use std::cell::{OnceCell, RefCell};
use std::collections::VecDeque;
use std::time::Instant;

use homing_budget::{passed, within};
use homing_core::expression::Call;
use homing_core::{Sharded, StopReason, Stores};
use homing_guide::{ESTIMATES, Target};
use homing_report::outcome::First;
use homing_report::planned::PlannedImprovement;
use homing_report::style::counted;
use homing_search::alternating::{Aimed, Offer, Sought, alternate_with};
use homing_search::side_by_side::{MOST_SIDES, side_by_side};
use homing_search::turns::Log;
use homing_search::{Auto, Context, Finding, Findings, Guide, Outcome, Strategy, Task};
use homing_space::CompiledSpace;
use homing_store::{Making, StoreConfig};

use crate::planner::{jobs, made, strategies};
use crate::record::Record;
use crate::run::{Aim, Configuration, Ran, Runner, Shared, UsageError, store_config};

/// The first guides to each goal are made in haste.
const HASTY: usize = 4;

/// What is made at once takes no more work than this.
const AT_ONCE: u64 = 10_000;

/// The goals that guides are made for, at most: the others are met on the way.
const MOST_AIMS: usize = 4;

impl Runner {
    /// Carries the plan out.
    pub(crate) fn auto(
        &self,
        auto: Auto,
        parts: &Configuration,
        space: &CompiledSpace,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let limits = self.limits();
        let plain = limits.depth.is_some()
            || limits.bound.is_some()
            || task.pricing.is_some()
            || !parts.keeps_exact_states();
        if plain {
            return self.round(&parts.strategy, parts.store(), space, task, aim, None);
        }
        let started = Instant::now();
        let config = store_config(task.space, limits);
        let mut stores =
            Making::new(config, parts.store().clone()).map_err(UsageError::Sentence)?;
        let planner = Planner {
            runner: self,
            parts,
            space,
            aims: aims(task, aim.representatives),
            shared: Shared::default(),
            phases: RefCell::default(),
            record: RefCell::default(),
        };
        let mut outcome = planner.find(auto, task, &mut stores);
        let first = planner.first(auto, &outcome);
        planner.improve(auto, task, &mut stores, &mut outcome);
        self.name_the_limit(&mut outcome, stores.last());
        if let Some(error) = space.error() {
            return Err(UsageError::Sentence(error.to_string()));
        }
        let record = planner.record.take();
        Ok(Ran {
            proved: record.refuted(),
            outcome,
            seconds: started.elapsed().as_secs_f64(),
            coverage: None,
            store_bytes: stores.bytes(),
            notices: planner.shared.notices.take(),
            phases: planner.phases.take(),
            reduced: None,
            first,
            record: Some(record),
        })
    }
}

/// What a search may be directed at, one after the other.
fn aims(task: &Task, representatives: bool) -> Vec<(Sought, Aim)> {
    let at = |target| Aim { target: Some(target), representatives, ..Aim::default() };
    let nothing = Sought { conditions: 0, deadlock: false, fault: false };
    let bits = (0..64).filter(|bit| task.conditions >> bit & 1 == 1);
    let goals =
        bits.map(|bit| (Sought { conditions: 1 << bit, ..nothing }, at(Target::Condition(bit))));
    let deadlock =
        task.deadlock.then(|| (Sought { deadlock: true, ..nothing }, at(Target::Deadlock)));
    goals.chain(deadlock).collect()
}

/// A guide that may be made.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    /// What for.
    aimed: &'a (Sought, Aim),
    /// By which strategy of the catalogue.
    strategy: &'static str,
    /// Whether it is made in haste.
    hasty: bool,
    /// Whether it is made at once.
    at_once: bool,
}

/// A guide that was made.
struct Made<'a> {
    guide: Guide<'a>,
    /// The number of its estimate's row.
    kind: usize,
    /// Whether it takes, of states with equal estimates, the newest first.
    newest: bool,
}

/// The guides that are still to be made, each with the place where it will be kept.
struct Queue<'s, 'g> {
    waiting: VecDeque<(&'g Candidate<'s>, &'g OnceCell<Guide<'s>>)>,
    /// What guides were made for.
    led: Vec<Sought>,
    /// The expansions before the first, where none is made at once.
    probe: u64,
}

struct Planner<'a> {
    runner: &'a Runner,
    parts: &'a Configuration,
    space: &'a CompiledSpace,
    aims: Vec<(Sought, Aim)>,
    shared: Shared,
    phases: RefCell<Vec<String>>,
    record: RefCell<Record>,
}

impl Planner<'_> {
    fn say(&self, phase: String) {
        self.phases.borrow_mut().push(phase);
    }

    /// Parts 1 and 2: finds something, or searches everything.
    fn find(&self, auto: Auto, task: &Task, stores: &mut Making) -> Outcome {
        let (zones, threads) = (task.space.cover().is_some(), self.runner.crew().threads);
        // Among zones each search has states of its own.
        let alone = threads == 1 || zones;
        let made = match stores.sharded(if alone { 0 } else { threads }) {
            Ok(Some(made)) => made,
            Ok(None) => return Outcome::stopped(StopReason::Memory),
            Err(reason) => return Outcome::stopped(reason),
        };
        let Sharded { first: store, shards } = made;
        let candidates = self.candidates(zones);
        let plan = candidates.iter().map(|one| (one.strategy, one.aimed.0));
        self.record.borrow_mut().plans(plan, auto.shares, zones);
        let made: Vec<OnceCell<Guide>> = candidates.iter().map(|_| OnceCell::new()).collect();
        let waiting = candidates.iter().zip(&made).collect();
        let mut queue = Queue { waiting, led: Vec::new(), probe: auto.shares.probe };
        let mut direct = |sought: Sought, most: u64| self.offer(&mut queue, sought, most);
        let (mut log, watch) = (Log::default(), &mut self.runner.watch(None));
        if !zones {
            let parts = (store, shards);
            let outcome = alternate_with(task, parts, auto.shares, &mut direct, &mut log, watch);
            return self.record.borrow_mut().took_turns(log, outcome);
        }
        // Half of the memory is the blind search's.
        let config = store_config(task.space, self.runner.limits());
        let memory = config.memory.map(|memory| memory / (2 * MOST_SIDES));
        let config = StoreConfig { memory, ..config };
        let fresh = || homing_store::build(&config, self.parts.store()).ok();
        let outcome = side_by_side(task, store, &fresh, auto.shares, &mut direct, &mut log, watch);
        self.record.borrow_mut().took_turns(log, outcome)
    }

    /// The next guide to something of what is sought, made with so much work at most; one
    /// that is made at once where that is none.
    fn offer<'s, 'g>(&'s self, queue: &mut Queue<'s, 'g>, sought: Sought, most: u64) -> Offer<'g> {
        let began = passed();
        while let Some((candidate, place)) = queue.waiting.pop_front() {
            let at = candidate.aimed.0;
            if !at.meets(sought) || candidate.at_once && queue.led.contains(&at) {
                continue;
            }
            if most == 0 && !candidate.at_once {
                if queue.led.is_empty() {
                    self.say(format!("breadth-first, up to {} expansions", queue.probe));
                }
                queue.waiting.push_front((candidate, place));
                return Offer::None;
            }
            let most = if most == 0 { AT_ONCE } else { most };
            // Between two checkpoints pass 20 to 300 ns, measured on some sixty models,
            // most often about the 40 ns that a successor takes a blind search.
            match self.made(candidate, most.saturating_sub(passed() - began)) {
                None => {
                    // What others need is there by and by, and they may take less.
                    let behind = usize::from(self.record.borrow().has_any());
                    let behind = behind.min(queue.waiting.len());
                    queue.waiting.insert(behind, (candidate, place));
                    return Offer::TooLong;
                }
                Some(None) => {}
                Some(Some(Made { guide, kind, newest })) => {
                    queue.led.push(at);
                    let guide = place.get_or_init(|| guide);
                    return Offer::Made(Aimed { guide, at, kind, newest });
                }
            }
        }
        Offer::None
    }

    /// What was found first, and told at once.
    fn first(&self, auto: Auto, outcome: &Outcome) -> Option<First> {
        let Findings { conditions, deadlock, fault, .. } = &outcome.findings;
        let found = conditions.iter().chain([deadlock, fault]).flatten();
        let length = found.map(Finding::length).min()? as u64;
        let first = First {
            seconds: self.runner.elapsed().as_secs_f64(),
            expanded: outcome.statistics.progress.expanded,
            length,
            at_least: outcome.at_least.min(length),
        };
        if !outcome.optimal && first.at_least < length && auto.effort(first.expanded) > 0 {
            self.runner.tell(&first);
        }
        Some(first)
    }

    /// The guides that may be made: those that are made at once; then for each goal the
    /// first that is good for such, then for each the second.
    fn candidates(&self, zones: bool) -> Vec<Candidate<'_>> {
        let aims = self.aims.iter().take(MOST_AIMS);
        let offered = aims.flat_map(move |aimed| {
            let jobs = aimed.1.target.map(|target| jobs(target, zones)).into_iter().flatten();
            jobs.enumerate().flat_map(move |(later, job)| {
                let candidate = move |(rank, strategy)| {
                    let (hasty, at_once) = (rank < HASTY, later == 0);
                    ((later, rank), Candidate { aimed, strategy, hasty, at_once })
                };
                strategies(job).into_iter().enumerate().map(candidate)
            })
        });
        let mut offered: Vec<_> = offered.collect();
        offered.sort_by_key(|(rank, _)| *rank);
        offered.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Whether there is such a guide already, and no better one.
    fn is_made(&self, candidate: &Candidate) -> bool {
        let coarse = self.runner.are_coarse(self.space);
        let before = self.record.borrow().has(candidate.strategy, candidate.aimed.0);
        before && (!coarse || candidate.hasty)
    }

    /// A guide; none inside where it cannot be made,
    /// none where that takes more than so many checkpoints.
    fn made<'a>(&'a self, candidate: &Candidate<'a>, most: u64) -> Option<Option<Made<'a>>> {
        if self.is_made(candidate) {
            return Some(None);
        }
        let Some(strategy) = made(candidate.strategy, self.parts.seed()) else {
            return Some(None);
        };
        let newest = strategy.algorithm.newest();
        let Strategy { estimate, prefer, .. } = strategy;
        let by = [&estimate, &prefer].into_iter().flatten().map(|call| call.to_string());
        let by = by.collect::<Vec<_>>().join(", ");
        let name = estimate.as_ref().map(|call| call.name.clone());
        let kind = ESTIMATES.iter().position(|row| Some(row.name) == name.as_deref());
        let began = Instant::now();
        self.shared.hasty.set(candidate.hasty);
        let told = self.shared.notices.borrow().len();
        let guide = within(most, || self.guide(estimate, prefer, &candidate.aimed.1))?;
        let complaint = self.shared.notices.borrow().get(told).cloned();
        let guide = match complaint.filter(|_| candidate.at_once) {
            Some(complaint) => {
                self.shared.notices.borrow_mut().truncate(told);
                Err(complaint)
            }
            None => guide,
        };
        let tried = (candidate.strategy, candidate.aimed.0);
        self.record.borrow_mut().tried(tried, began.elapsed(), guide.as_ref().err());
        let Ok(guide) = guide else { return Some(None) };
        self.say(format!("directed ({by}), diving and blind in turn"));
        Some(kind.map(|kind| Made { guide, kind, newest }))
    }

    fn guide<'a>(
        &'a self,
        estimate: Option<Call>,
        prefer: Option<Call>,
        aim: &'a Aim,
    ) -> Result<Guide<'a>, String> {
        let strategy = Strategy { estimate, prefer, ..self.parts.strategy.clone() };
        self.runner.guide(&strategy, self.space, aim, &self.shared)
    }

    /// Part 3, its first half: looks for shorter traces than those found,
    /// breadth-first.
    fn improve(&self, auto: Auto, task: &Task, stores: &mut Making, outcome: &mut Outcome) {
        let turn = outcome.stopped.is_some_and(|reason| self.runner.turn_ends(reason));
        let enough = self.runner.limits().states.is_some();
        let ended = |reason| enough || reason != StopReason::StoreFull;
        if !turn && outcome.stopped.is_some_and(ended) {
            return;
        }
        let unproven = unproven(task, outcome);
        let Some(longest) = longest(&unproven, &outcome.findings) else { return };
        let effort = auto.effort(outcome.statistics.progress.expanded);
        if effort == 0 {
            return;
        }
        // By as much as there is of it, not by the turn.
        let mut watch = self.runner.bounded(None, None).watch(None);
        let limits = watch.limits_mut();
        limits.bound = Some(longest as u64 - 1);
        if let Some(time) = &mut limits.time {
            // The rest is for searches that are directed at the trace.
            *time /= 2;
        }
        let spent = outcome.statistics.progress.expanded;
        let left = limits.expansions.map_or(u64::MAX, |most| most.saturating_sub(spent));
        limits.expansions = Some(left.min(effort));
        let better = self.parts.strategy.algorithm.run(Context {
            task: &unproven,
            stores,
            guide: &Guide::default(),
            watch: &mut watch,
        });
        let ended = matches!(better.stopped, None | Some(StopReason::Bound));
        let searched = if ended { longest as u64 } else { better.at_least };
        outcome.at_least = outcome.at_least.max(searched);
        outcome.statistics.add(&better.statistics);
        take_shorter(&mut outcome.findings, better.findings);
        let expanded = better.statistics.progress.expanded;
        let result = match ended {
            true => "shortest".into(),
            false => format!("at least {}", counted(outcome.at_least, "step")),
        };
        self.record.borrow_mut().improved = Some(PlannedImprovement {
            below: longest as u64,
            expanded,
            at_least: outcome.at_least,
            complete: ended,
        });
        let (steps, effort) = (counted(longest as u64, "step"), counted(expanded, "expansion"));
        self.say(format!("breadth-first below {steps}, {effort}: {result}"));
    }
}

/// What was found and may be found shorter.
fn unproven<'a>(task: &Task<'a>, outcome: &Outcome) -> Task<'a> {
    let Outcome { findings, at_least, optimal, .. } = outcome;
    let open = |finding: &Option<Finding>| {
        !optimal && finding.as_ref().is_some_and(|one| one.length() as u64 > *at_least)
    };
    let bits = findings.conditions.iter().enumerate().filter(|(_, finding)| open(finding));
    Task {
        conditions: bits.map(|(bit, _)| 1 << bit).sum(),
        deadlock: open(&findings.deadlock),
        fault: open(&findings.fault),
        count: 0,
        ..*task
    }
}

/// The longest of the traces found for `task`.
fn longest(task: &Task, findings: &Findings) -> Option<usize> {
    let bits = findings.conditions.iter().enumerate();
    let conditions = bits.filter(|(bit, _)| task.conditions >> bit & 1 == 1);
    let deadlock = findings.deadlock.as_ref().filter(|_| task.deadlock);
    let fault = findings.fault.as_ref().filter(|_| task.fault);
    conditions
        .filter_map(|(_, finding)| finding.as_ref())
        .chain(deadlock)
        .chain(fault)
        .map(Finding::length)
        .max()
}

fn take_shorter(findings: &mut Findings, better: Findings) {
    let shorter = |new: &Finding, old: &Option<Finding>| {
        old.as_ref().is_some_and(|old| new.length() < old.length())
    };
    for (old, new) in findings.conditions.iter_mut().zip(better.conditions) {
        if let Some(new) = new.filter(|new| shorter(new, old)) {
            *old = Some(new);
        }
    }
    if let Some(new) = better.deadlock.filter(|new| shorter(new, &findings.deadlock)) {
        findings.deadlock = Some(new);
    }
    if let Some(new) = better.fault.filter(|new| shorter(new, &findings.fault)) {
        findings.fault = Some(new);
    }
}
