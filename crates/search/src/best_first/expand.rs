//! Taking states from the open list and expanding them into the batch, a
//! window at a time.

use std::ops::Range;

use homing_core::hash::hash_words;
use homing_core::{DEAD_END, Id, Open, StopReason, Store, Taken, Watch};

use super::{Expanded, Rank, Search, Source, WINDOW};
use crate::costs::Costs;
use crate::keys::Weights;
use crate::nodes::Origin;
use crate::open::KEY_BITS;

impl<S, O, C> Search<'_, '_, S, O, C>
where
    S: Store + ?Sized,
    O: Open,
    C: Costs,
{
    /// Expands states into the batch, as many as make a window. Answers
    /// whether there was any.
    ///
    /// A window holds states of one depth and queue, as long as what they lead
    /// to waits behind them all: it ends with a state that has a successor for
    /// an earlier queue.
    pub(super) fn fill_window(&mut self, watch: &Watch) -> bool {
        self.batch.clear();
        self.pending.clear();
        self.hashes.clear();
        self.window.clear();
        self.further.clear();
        self.sources.clear();
        let Some(first) = self.open.least() else { return false };
        if self.manner.rank != Rank::Depth {
            self.fill_jointly(watch);
            return true;
        }
        let queue = (first >> KEY_BITS) as u16;
        while self.pending.len() < WINDOW && self.open.least() == Some(first) {
            let Some((entry, key)) = self.open.pop() else { break };
            let start = self.pending.len();
            if self.expand(entry, key, watch) && self.goes_before(queue, start) {
                break;
            }
        }
        true
    }

    /// Expands the k best states; a beam forgets all others.
    pub(super) fn fill_jointly(&mut self, watch: &Watch) {
        while self.window.len() < self.manner.jointly {
            let Some((entry, key)) = self.open.pop() else { break };
            if self.expand(entry, key, watch) {
                if self.findings.complete(self.task) {
                    return;
                }
                if self.manner.jointly > 1 {
                    self.sources.extend_from_slice(&self.source.state);
                }
            }
        }
        if self.manner.beam && !self.open.is_empty() {
            self.open.clear();
            self.beyond = Some(StopReason::Pruned);
        }
    }

    /// Whether one of the successors from `start` on in `pending` may wait in
    /// a queue before this one.
    pub(super) fn goes_before(&mut self, queue: u16, start: usize) -> bool {
        if queue == 0 {
            return false;
        }
        // Those that may be left out are not among them.
        if self.window.last().is_some_and(|expanded| !expanded.rest.is_empty()) {
            return true;
        }
        let Some(preference) = &mut self.guide.preference else { return false };
        let Source { state, mark, .. } = &self.source;
        self.pending[start..].iter().any(|successor| {
            let edge = self.batch.edge(*successor);
            let taken = Taken { from: state, mark: *mark, edge, estimate: 0 };
            preference.level(&taken, None).queue < queue
        })
    }

    /// Expands one state into the batch. Answers whether it did.
    pub(super) fn expand(&mut self, entry: u32, key: u64, watch: &Watch) -> bool {
        if self.is_stale(entry, key) {
            return false;
        }
        let path = self.path_of(entry, key);
        self.saturated |= self.costs.is_saturated(path);
        let origin = self.nodes.take(&*self.store, entry, &mut self.source.state);
        if let Some(depth) = C::steps(path) {
            self.statistics.levels = self.statistics.levels.max(depth);
            self.statistics.progress.depth = depth;
        }
        if self.manner.rank.is_sum() && self.test(origin) {
            return true;
        }
        let deepest = watch.limits().depth;
        if deepest.is_some_and(|most| C::steps(path).is_some_and(|depth| depth >= most)) {
            self.beyond.get_or_insert(StopReason::Depth);
            self.behind = self.task.behind_limit(deepest);
            return false;
        }
        if !self.announce(entry, key, path) {
            return false;
        }
        if let Some(settled) = &mut self.settled {
            settled.set(Id(entry), true);
        }
        self.note_bound(key, path);
        let first = self.batch.len();
        let faults = self.batch.faults().len();
        self.expander.expand(&self.source.state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.deadlocks += u64::from(self.batch.deadlock());
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(origin, None));
        }
        if self.batch.faults().len() > faults {
            self.note_faults(faults, origin);
        }
        let all = self.batch.len();
        let enough = self.proviso.as_ref().and(self.batch.ample()).unwrap_or(all);
        self.statistics.progress.generated += (enough - first) as u64;
        self.hash_from(first..enough, enough == all);
        let known = self.further.len();
        if enough < all {
            self.further.extend_from_slice(self.batch.further());
        }
        let further = known..self.further.len();
        let (end, mark) = (self.pending.len(), self.source.mark);
        self.window.push(Expanded { origin, path, end, mark, rest: enough..all, further });
        true
    }

    /// The cost of the path to a state that waited with this key.
    pub(super) fn path_of(&self, entry: u32, key: u64) -> C::Value {
        match &self.paths {
            None => self.costs.of_key(key),
            Some(paths) => paths.get(Id(entry)),
        }
    }

    /// Notes what every path to be found from now on costs at least.
    pub(super) fn note_bound(&mut self, key: u64, path: C::Value) {
        match self.manner.rank {
            // What a level leads to was looked at, but for what is only seen
            // when a state is expanded.
            Rank::Depth if self.levels => {
                let unseen = u64::from(!(self.task.deadlock || self.task.fault));
                self.at_least = self.costs.ahead(path, 0) + unseen;
            }
            // Of several taken together, only the first was the least.
            Rank::Sum(Weights::EQUAL) if self.admissible && self.window.is_empty() => {
                self.at_least = self.at_least.max(C::sum(key));
            }
            _ => {}
        }
    }

    /// Whether the state was expanded after it was queued, or is preferred
    /// elsewhere.
    pub(super) fn is_stale(&self, entry: u32, key: u64) -> bool {
        let cheaper = self.settled.as_ref().is_some_and(|settled| settled.get(Id(entry)));
        let preferred = match (&self.marks, &self.guide.preference) {
            (Some(marks), Some(preference)) => {
                preference.is_stale(marks.get(Id(entry)), (key >> KEY_BITS) as u16)
            }
            _ => false,
        };
        cheaper || preferred || self.store.is_dropped(Id(entry))
    }

    /// Tells those who guide the search which state is expanded next. Answers
    /// whether to expand it at all: a lazy estimate may refuse it, or put it
    /// back to wait longer.
    pub(super) fn announce(&mut self, entry: u32, key: u64, path: C::Value) -> bool {
        if let Some(marks) = &self.marks {
            self.source.mark = marks.get(Id(entry));
        }
        self.costs.leaving(&self.source.state);
        let Some(heuristic) = &mut self.guide.heuristic else { return true };
        if !heuristic.is_lazy() {
            heuristic.expanding(&self.source.state);
            return true;
        }
        let estimate = heuristic.estimate(&self.source.state, None);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return false;
        }
        self.source.estimate = estimate;
        let Rank::Sum(weights) = self.manner.rank else { return true };
        let now = self.costs.key(weights, path, estimate, 0);
        let waits = C::sum(key) < C::sum(now);
        if waits {
            let queue = if self.marks.is_some() { key >> KEY_BITS << KEY_BITS } else { 0 };
            self.open.push(entry, queue | now);
        }
        !waits
    }

    pub(super) fn note_faults(&mut self, first: usize, origin: Origin) {
        self.statistics.faults += (self.batch.faults().len() - first) as u64;
        if self.task.fault && self.findings.fault.is_none() {
            let fault = self.batch.faults()[first];
            self.findings.fault = Some(self.finding(origin, Some(fault)));
        }
    }

    /// Hashes these successors and prefetches their places in the store, those
    /// seen just now left out; but for successors that may be enough: of those it
    /// matters whether they are closed.
    pub(super) fn hash_from(&mut self, which: Range<usize>, all: bool) {
        let new = self.hashes.len();
        // Short states are hashed and compared in code made for their width:
        // this is where a quarter of the time goes.
        match self.batch.width() {
            1 => self.pend::<1>(which, all),
            2 => self.pend::<2>(which, all),
            3 => self.pend::<3>(which, all),
            4 => self.pend::<4>(which, all),
            _ => self.pend::<0>(which, all),
        }
        self.store.prefetch(&self.hashes[new..]);
    }

    /// As [`Self::hash_from`], for states of `WIDTH` words; of any number where
    /// that is zero.
    pub(super) fn pend<const WIDTH: usize>(&mut self, which: Range<usize>, all: bool) {
        for i in which {
            let state = self.batch.state(i);
            let state = if WIDTH == 0 { state } else { &state[..WIDTH] };
            let hash = hash_words(state);
            if all && self.recent.as_mut().is_some_and(|recent| recent.seen(state, hash)) {
                continue;
            }
            self.pending.push(i);
            self.hashes.push(hash);
        }
    }
}
