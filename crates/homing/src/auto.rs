//! The planner, `auto`: first a bug, then the shortest one, proven.
//!
//! ```text
//! 0. with clocks: some short searches, see `early`
//! 1. search breadth-first for a while: small models end here, with a proof
//! 2. make an estimate from the model; search blindly and directed in turn,
//!    over one visited set (search::alternating); an estimate that leads
//!    nowhere makes room for another
//! 3. a trace found there is not proven shortest: look for shorter ones, half
//!    of the budget breadth-first, half by `shorten`, until there are none
//! ```
//! At any time it is known how short a trace may be at best: no level searched
//! breadth-first held one.
//!
//! It gives up nothing: a property holds when everything was searched. Where a
//! depth limit, a bound or a lossy store is asked for, the plan is a plain
//! breadth-first search.

use std::cell::RefCell;
use std::time::Instant;

use homing_core::catalogue::Job;
use homing_core::expression::Call;
use homing_core::{StopReason, Stores};
use homing_guide::Target;
use homing_search::alternating::{Sought, Turn, alternate};
use homing_search::{Auto, Context, Finding, Findings, Guide, Outcome, Strategy, Task};
use homing_space::CompiledSpace;
use homing_store::Making;

use crate::early::{Early, early, join, left};
use crate::planner::{made, strategies};
use crate::run::{Aim, Configuration, Ran, Runner, UsageError, store_config};

/// The work of the first guide before the next has its turn: a second or two.
/// From one round of guides to the next it is doubled.
const PATIENCE: u64 = 20_000_000;

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
            notices: RefCell::default(),
            phases: RefCell::default(),
        };
        let mut outcome = match early(self, parts, space, task, &planner.aims) {
            Some(Early { outcome, done, phases }) => {
                planner.phases.borrow_mut().extend(phases);
                if done { outcome } else { planner.rest(auto, task, &mut stores, outcome) }
            }
            None => planner.find(auto, task, &mut stores),
        };
        planner.improve(auto, task, &mut stores, &mut outcome);
        self.name_the_limit(&mut outcome, stores.last());
        if let Some(error) = space.error() {
            return Err(UsageError::Sentence(error.to_string()));
        }
        Ok(Ran {
            proved: false,
            outcome,
            seconds: started.elapsed().as_secs_f64(),
            coverage: None,
            store_bytes: stores.last().map_or(0, |store| store.bytes()),
            notices: planner.notices.take(),
            phases: planner.phases.take(),
            reduced: None,
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

struct Planner<'a> {
    runner: &'a Runner,
    parts: &'a Configuration,
    space: &'a CompiledSpace,
    aims: Vec<(Sought, Aim)>,
    notices: RefCell<Vec<String>>,
    phases: RefCell<Vec<String>>,
}

impl Planner<'_> {
    fn say(&self, phase: String) {
        self.phases.borrow_mut().push(phase);
    }

    /// Configuration 1 and 2, for what was not found before.
    fn rest(&self, auto: Auto, task: &Task, stores: &mut Making, before: Outcome) -> Outcome {
        let missing = left(task, &before.findings);
        let mut outcome = self.find(auto, &missing, stores);
        outcome.statistics.add(&before.statistics);
        let same = missing.conditions == task.conditions
            && missing.deadlock == task.deadlock
            && missing.fault == task.fault;
        // Of what was found before, less is proven.
        outcome.optimal &= same;
        outcome.at_least = match same {
            true => outcome.at_least.max(before.at_least),
            false => before.at_least,
        };
        join(&mut outcome.findings, before.findings);
        outcome
    }

    /// Configuration 1 and 2: finds something, or searches everything.
    fn find(&self, auto: Auto, task: &Task, stores: &mut Making) -> Outcome {
        let store = match stores.fresh() {
            Ok(store) => store,
            Err(reason) => return Outcome::stopped(reason),
        };
        let shares = auto.shares;
        self.say(format!("breadth-first, up to {} expansions", shares.probe));
        let mut turn = 0;
        let mut direct = |sought: Sought| self.direct(sought, &mut turn);
        alternate(task, store, shares, &mut direct, &mut self.runner.watch(None))
    }

    /// The next guide to the first of what is sought.
    fn direct(&self, sought: Sought, turn: &mut usize) -> Option<Turn<'_>> {
        let open = |one: &Sought| {
            one.conditions & sought.conditions != 0 || one.deadlock && sought.deadlock
        };
        let (_, aim) = self.aims.iter().find(|(one, _)| open(one))?;
        let candidates = strategies(match aim.target {
            Some(Target::Deadlock) => Job::FindDeadlock,
            _ => Job::FindState,
        });
        // Each is tried once; one that cannot be made is passed over.
        candidates.iter().find_map(|_| {
            let chosen = made(candidates[*turn % candidates.len()], self.parts.seed());
            let round = (*turn / candidates.len()).min(30);
            *turn += 1;
            let Strategy { estimate, prefer, .. } = chosen?;
            let by = [&estimate, &prefer].into_iter().flatten().map(|call| call.to_string());
            let by = by.collect::<Vec<_>>();
            let guide = self.guide(estimate, prefer, aim)?;
            self.say(format!("blind and directed ({}) in turn", by.join(", ")));
            Some(Turn { guide, patience: PATIENCE << round })
        })
    }

    fn guide<'a>(
        &'a self,
        estimate: Option<Call>,
        prefer: Option<Call>,
        aim: &'a Aim,
    ) -> Option<Guide<'a>> {
        let strategy = Strategy { estimate, prefer, ..self.parts.strategy.clone() };
        self.runner.guide(&strategy, self.space, aim, &self.notices).ok()
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
        // By as much as there is of it, not by the turn.
        let mut watch = self.runner.bounded(None, None).watch(None);
        let limits = watch.limits_mut();
        limits.bound = Some(longest as u64 - 1);
        match &mut limits.time {
            // The rest is for searches that are directed at the trace.
            Some(time) => *time /= 2,
            None => {
                let left = limits.expansions.map_or(u64::MAX, |most| {
                    most.saturating_sub(outcome.statistics.progress.expanded)
                });
                limits.expansions = Some(left.min(auto.improve));
            }
        }
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
            false => format!("at least {} steps", outcome.at_least),
        };
        self.say(format!("breadth-first below {longest} steps, {expanded} expansions: {result}"));
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
