//! What all workers share: the store, what was found, what was done, and whether to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use homing_core::{Fault, Limits, Pricing, Progress, SharedStore, Space, StopReason, Watch};

use super::super::base::all_sets;
use crate::path::{Lasso, Path};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// What all workers share.
pub(super) struct Common<'c> {
    pub space: &'c dyn Space,
    pub store: &'c dyn SharedStore,
    /// All acceptance sets.
    pub all: u64,
    /// States after so many steps are not expanded, and why.
    deepest: Option<(u32, StopReason)>,
    /// The expansions that each worker may make.
    pub most: u64,
    states: Option<u64>,
    wanted: Wanted,
    pricing: Option<&'c dyn Pricing>,
    over: AtomicBool,
    /// Workers that have not come to the end of their searches.
    running: AtomicUsize,
    /// Whether a lasso is still looked for.
    hunting: AtomicBool,
    /// Whether not everything is seen, although the search goes to its end.
    cut: AtomicBool,
    /// Conditions, deadlocks and faults that are still looked for.
    open: Mutex<Known>,
    before: Statistics,
    counts: Counts,
}

/// What the task looks for.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub conditions: u64,
    pub count: u64,
    pub deadlock: bool,
    pub fault: bool,
    lasso: bool,
}

/// What is known so far.
struct Known {
    findings: Findings,
    stopped: Option<StopReason>,
}

/// What was done, by all.
#[derive(Default)]
struct Counts {
    expanded: AtomicU64,
    generated: AtomicU64,
    deadlocks: AtomicU64,
    faults: AtomicU64,
    counted: AtomicU64,
    levels: AtomicU64,
    bytes: AtomicUsize,
}

/// What a worker did since it told last.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub expanded: u64,
    pub generated: u64,
    pub deadlocks: u64,
    pub faults: u64,
    pub counted: u64,
    pub levels: u64,
}

/// What a state shows, lassos aside.
pub(super) struct Shown {
    pub conditions: u64,
    pub deadlock: bool,
    pub fault: Option<Fault>,
}

/// A worker, until dropped. One that panics stops the others.
pub(super) struct Member<'c>(&'c Common<'c>);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.finish();
        }
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<'c> Common<'c> {
    pub(super) fn new(
        task: &Task<'c>,
        store: &'c dyn SharedStore,
        workers: usize,
        limits: &Limits,
        before: Statistics,
    ) -> Common<'c> {
        let steps = |bound: u64| (bound.min(u64::from(u32::MAX)) as u32, StopReason::Bound);
        let depth = limits.depth.map(|depth| (depth, StopReason::Depth));
        let Task { space, conditions, count, deadlock, fault, lasso, pricing, .. } = *task;
        Common {
            space,
            store,
            all: all_sets(space),
            deepest: depth.into_iter().chain(limits.bound.map(steps)).min_by_key(|limit| limit.0),
            most: limits.expansions.map_or(u64::MAX, |most| most / workers as u64),
            states: limits.states,
            wanted: Wanted { conditions, count, deadlock, fault, lasso },
            pricing,
            over: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            hunting: AtomicBool::new(lasso),
            cut: AtomicBool::new(false),
            open: Mutex::new(Known { findings: Findings::default(), stopped: None }),
            before,
            counts: Counts::default(),
        }
    }

    /// Whether to stop.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Somebody begins to search.
    pub(super) fn member(&'c self) -> Member<'c> {
        self.running.fetch_add(1, Ordering::AcqRel);
        Member(self)
    }

    /// Whether others search than the one who asks.
    pub(super) fn are_others_running(&self) -> bool {
        self.running.load(Ordering::Acquire) > 1
    }

    /// Everything was found, or there is a reason to stop.
    pub(super) fn finish(&self) {
        self.over.store(true, Ordering::Release);
    }

    /// A limit was met. The first that is counts.
    pub(super) fn stop(&self, reason: StopReason) {
        let mut known = self.known();
        if !self.is_over() {
            known.stopped = Some(reason);
        }
        self.finish();
    }

    /// Whether states after so many steps are not expanded; noted, if so.
    pub(super) fn cuts(&self, depth: u32) -> bool {
        let cut = self.deepest.is_some_and(|(most, _)| depth >= most);
        if cut {
            self.cut.store(true, Ordering::Release);
        }
        cut
    }

    /// Whether some state was not expanded.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Acquire)
    }

    /// Why a state that has no room is not stored.
    pub(super) fn full(&self) -> StopReason {
        match self.states.is_some() && self.store.is_full() {
            true => StopReason::States,
            false => StopReason::StoreFull,
        }
    }

    /// What is looked for beside lassos.
    pub(super) fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// Adds what was found at the end of a path, of what is not known yet.
    pub(super) fn found(&self, shown: &Shown, path: &Path) {
        let mut known = self.known();
        let open = self.wanted.conditions & shown.conditions;
        let fresh = (0..64)
            .filter(|bit| open >> bit & 1 == 1)
            .filter(|bit| !matches!(known.findings.conditions.get(*bit as usize), Some(Some(_))));
        let fresh = fresh.fold(0, |set, bit| set | 1 << bit);
        if fresh != 0 {
            known.findings.found(fresh, path);
        }
        let finding = |fault| Some(Finding { path: path.clone(), fault });
        if shown.deadlock && known.findings.deadlock.is_none() {
            known.findings.deadlock = finding(None);
        }
        if shown.fault.is_some() && known.findings.fault.is_none() {
            known.findings.fault = finding(shown.fault);
        }
        self.finish_if_complete(&known);
    }

    /// Adds a lasso, if none is known yet.
    pub(super) fn found_lasso(&self, path: Path, back: usize) {
        let mut known = self.known();
        known.findings.lasso.get_or_insert(Lasso { path, back: Some(back) });
        self.hunting.store(false, Ordering::Release);
        self.finish_if_complete(&known);
    }

    /// Whether a lasso is still looked for.
    pub(super) fn wants_lasso(&self) -> bool {
        self.hunting.load(Ordering::Acquire)
    }

    fn finish_if_complete(&self, known: &Known) {
        if known.findings.complete(&self.task()) {
            self.finish();
        }
    }

    fn task(&self) -> Task<'c> {
        let Wanted { conditions, count, deadlock, fault, lasso } = self.wanted;
        let (space, pricing) = (self.space, self.pricing);
        Task { space, conditions, count, deadlock, fault, lasso, pricing, goes_on: None }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what a worker did.
    pub(super) fn add(&self, done: Done) {
        let Counts { expanded, generated, deadlocks, faults, counted, levels, .. } = &self.counts;
        for (sum, more) in [
            (expanded, done.expanded),
            (generated, done.generated),
            (deadlocks, done.deadlocks),
            (faults, done.faults),
            (counted, done.counted),
        ] {
            sum.fetch_add(more, Ordering::Relaxed);
        }
        levels.fetch_max(done.levels, Ordering::Relaxed);
    }

    /// Adds memory that a worker takes, or gives back.
    pub(super) fn takes(&self, before: usize, now: usize) {
        self.counts.bytes.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }

    /// Looks at the limits, by what all have done.
    pub(super) fn look(&self, watch: &mut Watch) -> Result<(), StopReason> {
        watch.check(&self.progress())
    }

    fn progress(&self) -> Progress {
        let Counts { expanded, generated, levels, bytes, .. } = &self.counts;
        let before = self.before.progress;
        Progress {
            stored: self.store.len() as u64,
            expanded: before.expanded + expanded.load(Ordering::Relaxed),
            generated: before.generated + generated.load(Ordering::Relaxed),
            depth: levels.load(Ordering::Relaxed) as u32,
            bytes: before.bytes.max(self.store.bytes() + bytes.load(Ordering::Relaxed)),
            ..before
        }
    }

    /// What was done and found.
    pub(super) fn outcome(self) -> Outcome {
        let Counts { deadlocks, faults, counted, levels, .. } = &self.counts;
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let statistics = Statistics {
            progress: self.progress(),
            deadlocks: self.before.deadlocks + count(deadlocks),
            faults: self.before.faults + count(faults),
            counted: self.before.counted + count(counted),
            levels: self.before.levels.max(count(levels) as u32),
            ..self.before
        };
        let beyond = self.deepest.map(|(_, reason)| reason).filter(|_| self.is_cut());
        let task = self.task();
        let known = self.open.into_inner().unwrap_or_else(PoisonError::into_inner);
        let done = known.findings.complete(&task);
        Outcome {
            stopped: known.stopped.or(beyond).filter(|_| !done),
            findings: known.findings,
            statistics,
            optimal: false,
            at_least: 0,
            notices: Vec::new(),
        }
    }
}
