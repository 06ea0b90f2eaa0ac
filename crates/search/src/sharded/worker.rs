//! What one thread has for itself: its expander, its estimate, and what it found.

use std::sync::atomic::{AtomicBool, Ordering};

use homing_core::{Batch, Expander, Fault, Price, Pricing, Progress, Space, StopReason, Watch};

use super::post::{Owners, Post};
use super::{Candidate, Judge, Place};
use crate::best_first::{Bound, FIRST, Lead, Promise, Rank};
use crate::costs::Costs;
use crate::open::Fifo;
use crate::recent::Recent;
use crate::task::{Statistics, Task};

/// The part of a task that threads share.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    space: &'a dyn Space,
    conditions: u64,
    deadlock: bool,
    fault: bool,
    count: u64,
    pricing: Option<&'a dyn Pricing>,
}

impl<'a> Common<'a> {
    pub fn of(task: &Task<'a>) -> Common<'a> {
        let Task { space, conditions, deadlock, fault, count, pricing, .. } = *task;
        Common { space, conditions, deadlock, fault, count, pricing }
    }

    /// A task of one thread's own.
    pub fn task(self) -> Task<'a> {
        let Common { space, conditions, deadlock, fault, count, pricing } = self;
        Task { conditions, deadlock, fault, count, pricing, ..Task::explore(space) }
    }
}

/// What is still to be found when a round begins.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Wanted {
    pub conditions: u64,
    pub deadlock: bool,
    pub fault: bool,
}

/// Something that a worker found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub what: What,
    pub place: Place,
}

/// What a worker may find.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// A state that satisfies these conditions.
    Conditions(u64),
    /// A state without any step.
    Deadlock,
    /// A step that fails.
    Fault(Fault),
}

/// What a worker did in a round.
#[derive(Default)]
pub(super) struct Report {
    pub statistics: Statistics,
    /// In the order of the search.
    pub found: Vec<Found>,
    pub stopped: Option<StopReason>,
    /// Whether a path was followed whose cost may stand for a greater one.
    pub saturated: bool,
    /// The key and the path of the first state that it expanded.
    pub first: Option<(u64, Price)>,
    /// What its estimate took since the search began.
    pub estimated: u64,
    /// What lies beyond a limit, since the search began.
    pub bound: Option<Bound>,
}

/// One thread's part of a search.
pub(super) struct Worker<'a, 'l, 'g, C> {
    task: Task<'a>,
    expander: Box<dyn Expander + 'a>,
    lead: Lead<'l, 'g, Fifo>,
    costs: C,
    owners: &'a Owners,
    recent: Option<Recent>,
    /// What lies beyond a limit, and whether anything did.
    pub bound: Bound,
    wanted: Wanted,
    pub report: Report,
    /// Whose successors are estimated.
    announced: Place,
    /// Set by whoever finds that the search must end.
    stop: &'a AtomicBool,
    /// What all did before this round, as the leader knows.
    before: Progress,
    /// Of the one who leads.
    pub watch: Option<&'a mut Watch>,
}

impl<'a, 'l, 'g, C: Costs> Worker<'a, 'l, 'g, C> {
    pub fn new(
        common: Common<'a>,
        lead: Lead<'l, 'g, Fifo>,
        costs: C,
        bound: Bound,
        (owners, stop): (&'a Owners, &'a AtomicBool),
    ) -> Self {
        let (task, width) = (common.task(), common.space.width());
        let passes_over = lead.manner.rank == Rank::Depth && bound.cost.is_none();
        let recent = (passes_over && width > 0).then(|| Recent::new(width));
        Worker {
            expander: common.space.expander(),
            task,
            lead,
            costs,
            owners,
            recent,
            bound,
            wanted: Wanted::default(),
            report: Report::default(),
            announced: Place::NONE,
            stop,
            before: Progress::default(),
            watch: None,
        }
    }

    /// A round begins.
    pub fn begin(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// Notes why the search must end, if it must.
    pub fn stopped(&mut self, done: Result<(), StopReason>) {
        if let Err(reason) = done {
            self.report.stopped.get_or_insert(reason);
        }
    }

    /// Looks at the watch, if there is one.
    pub fn look(&mut self, progress: &Progress) -> Result<(), StopReason> {
        self.before = *progress;
        self.watch.as_mut().map_or(Ok(()), |watch| watch.check(progress))
    }

    /// Says what is promised once this state was expanded.
    pub fn promises(&self, promise: &mut Promise, (key, path): (u64, Price)) {
        promise.expanding(&self.costs, key, self.costs.of_key(path), true);
    }

    /// The work that estimates took so far.
    pub fn estimating(&self) -> u64 {
        self.lead.estimating()
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.lead.bytes()
    }

    /// Whether the search must end. The leader looks at the watch.
    #[inline]
    fn stops(&mut self) -> bool {
        if let Some(watch) = &mut self.watch
            && watch.due()
            && let Err(reason) = watch.check(&Progress {
                expanded: self.before.expanded + self.report.statistics.progress.expanded,
                generated: self.before.generated + self.report.statistics.progress.generated,
                ..self.before
            })
        {
            self.report.stopped.get_or_insert(reason);
            self.stop.store(true, Ordering::Relaxed);
        }
        self.stop.load(Ordering::Relaxed)
    }

    /// Expands all states taken.
    pub fn expand(&mut self, post: &mut Post) {
        for i in 0..post.taken.len() {
            if self.stops() || self.expand_one(i, post) {
                break;
            }
        }
    }

    /// Answers whether nothing is left to find, as far as this worker knows.
    fn expand_one(&mut self, i: usize, post: &mut Post) -> bool {
        let (place, path) = (post.taken.place(i), self.costs.of_key(post.taken.path(i)));
        let statistics = &mut self.report.statistics;
        self.report.saturated |= self.costs.is_saturated(path);
        let steps = C::steps(path);
        if let Some(depth) = steps {
            statistics.levels = statistics.levels.max(depth);
            statistics.progress.depth = depth;
        }
        if self.lead.manner.rank.is_sum() && self.test(post.taken.state(i), place) {
            return true;
        }
        if self.bound.ends(steps, |most| self.task.behind_limit(Some(most))) {
            return false;
        }
        self.report.first.get_or_insert((post.taken.key(i), post.taken.path(i)));
        let (first, faults) = (post.batch.len(), post.batch.faults().len());
        self.expander.expand(post.taken.state(i), &mut post.batch);
        self.note(&post.batch, (first, faults), place);
        self.costs.leaving(post.taken.state(i));
        let (costs, bound) = (&mut self.costs, &mut self.bound);
        let which = first..post.batch.len();
        post.post(which, Some(i), self.owners, &mut self.recent, |batch, successor| {
            let path = costs.after(path, batch.edge(successor));
            let cost = costs.ahead(path, 0);
            (bound.cost.is_none() || !bound.cuts(cost)).then(|| path.into())
        });
        false
    }

    /// Notes what was seen when a state was expanded.
    fn note(&mut self, batch: &Batch, (first, faults): (usize, usize), place: Place) {
        let Report { statistics, found, .. } = &mut self.report;
        statistics.progress.expanded += 1;
        statistics.progress.generated += (batch.len() - first) as u64;
        if batch.deadlock() {
            statistics.deadlocks += 1;
            if std::mem::take(&mut self.wanted.deadlock) {
                found.push(Found { what: What::Deadlock, place });
            }
        }
        if let [fault, more @ ..] = &batch.faults()[faults..] {
            statistics.faults += 1 + more.len() as u64;
            if std::mem::take(&mut self.wanted.fault) {
                found.push(Found { what: What::Fault(*fault), place });
            }
        }
    }

    /// Tests a state. Answers whether nothing is left to find.
    fn test(&mut self, state: &[u64], place: Place) -> bool {
        let open = self.wanted.conditions;
        if open == 0 {
            return false;
        }
        let violated = self.expander.violated(state) & open;
        if violated == 0 {
            return false;
        }
        self.report.found.push(Found { what: What::Conditions(violated), place });
        self.wanted.conditions &= !violated;
        self.wanted.conditions == 0 && !self.wanted.deadlock && !self.wanted.fault
    }
}

impl<C: Costs> Judge for Worker<'_, '_, '_, C> {
    fn is_guided(&self) -> bool {
        self.lead.is_guided()
    }

    #[inline]
    fn key(&mut self, candidate: &Candidate<'_>) -> Option<u64> {
        let path = self.costs.of_key(candidate.path);
        if !self.lead.is_guided() {
            return Some(self.lead.key(&self.costs, path, 0, FIRST));
        }
        if self.stops() {
            return None;
        }
        let estimate = self.estimate(candidate)?;
        let statistics = &mut self.report.statistics;
        let best = &mut statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        if self.bound.counts_estimate && self.bound.cuts(self.costs.ahead(path, estimate)) {
            return None;
        }
        Some(self.lead.key(&self.costs, path, estimate, FIRST))
    }

    #[inline]
    fn is_new(&mut self, candidate: &Candidate<'_>, place: Place) {
        if self.task.count != 0 && self.expander.violated(candidate.state) & self.task.count != 0 {
            self.report.statistics.counted += 1;
        }
        if !self.lead.manner.rank.is_sum() {
            self.test(candidate.state, place);
        }
    }
}

impl<C: Costs> Worker<'_, '_, '_, C> {
    /// The estimate of a successor; none where it is a dead end.
    fn estimate(&mut self, candidate: &Candidate<'_>) -> Option<u32> {
        let Some(estimate) = &mut self.lead.estimate else { return Some(0) };
        let via = (candidate.from != Place::NONE).then_some(candidate.edge);
        if via.is_some() && self.announced != candidate.from {
            estimate.heuristic.expanding(candidate.source);
            self.announced = candidate.from;
        }
        let estimate = estimate.heuristic.estimate(candidate.state, via);
        if estimate == homing_core::DEAD_END {
            self.report.statistics.dead_ends += 1;
            return None;
        }
        Some(estimate)
    }
}

/// Adds what a worker did in a round.
pub(super) fn add(sum: &mut Statistics, one: &Statistics) {
    sum.progress.expanded += one.progress.expanded;
    sum.progress.generated += one.progress.generated;
    sum.progress.depth = one.progress.depth.max(sum.progress.depth);
    let best = [sum.progress.best, one.progress.best];
    sum.progress.best = best.into_iter().flatten().min();
    sum.deadlocks += one.deadlocks;
    sum.faults += one.faults;
    sum.dead_ends += one.dead_ends;
    sum.counted += one.counted;
    sum.levels = sum.levels.max(one.levels);
}
