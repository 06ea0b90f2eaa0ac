//! Taking states from the open list and expanding them into the batch, a
//! window at a time.

use homing_core::{DEAD_END, Open, Store, Taken};

use super::window::{Source, WINDOW};
use super::{Explored, Lead, Rank};
use crate::costs::Costs;
use crate::nodes::Origin;
use crate::open::KEY_BITS;

impl<S, C> Explored<'_, S, C>
where
    S: Store + ?Sized,
    C: Costs,
{
    /// Expands states into the batch, as many as make a window. Answers
    /// whether there was any.
    ///
    /// A window holds states of one depth and queue, as long as what they lead
    /// to waits behind them all: it ends with a state that has a successor for
    /// an earlier queue.
    pub(super) fn fill_window<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>) -> bool {
        self.window.clear();
        let Some(first) = lead.open.least() else { return false };
        if lead.manner.rank != Rank::Depth {
            self.fill_jointly(lead);
            return true;
        }
        let queue = (first >> KEY_BITS) as u16;
        while self.window.pending.len() < WINDOW && lead.open.least() == Some(first) {
            let Some((entry, key)) = lead.open.pop() else { break };
            let start = self.window.pending.len();
            if self.expand(lead, entry, key) && self.goes_before(lead, queue, start) {
                break;
            }
        }
        true
    }

    /// Expands the k best states; a beam forgets all others.
    fn fill_jointly<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>) {
        while self.window.expanded.len() < lead.manner.jointly {
            let Some((entry, key)) = lead.open.pop() else { break };
            if self.expand(lead, entry, key) {
                if self.findings.complete(self.task) {
                    return;
                }
                if lead.manner.jointly > 1 {
                    self.window.sources.extend_from_slice(&self.window.source.state);
                }
            }
        }
        if lead.manner.beam && !lead.open.is_empty() {
            lead.open.clear();
            self.bound.forget();
        }
    }

    /// Whether one of the successors from `start` on in `pending` may wait in
    /// a queue before this one.
    fn goes_before<O: Open>(&self, lead: &Lead<'_, '_, O>, queue: u16, start: usize) -> bool {
        if queue == 0 {
            return false;
        }
        // Those that may be left out are not among them.
        if self.window.expanded.last().is_some_and(|expanded| !expanded.rest.is_empty()) {
            return true;
        }
        let Some(preferred) = &lead.preference else { return false };
        let Source { state, mark, .. } = &self.window.source;
        self.window.pending[start..].iter().any(|successor| {
            let edge = self.window.batch.edge(*successor);
            let taken = Taken { from: state, mark: *mark, edge, estimate: 0 };
            preferred.preference.level(&taken, None).queue < queue
        })
    }

    /// Expands one state into the batch. Answers whether it did.
    fn expand<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>, entry: u32, key: u64) -> bool {
        if self.is_stale(lead, entry, key) {
            return false;
        }
        let again = lead.bit != 0 && self.closing.is_settled(entry);
        let path = self.closing.path(entry).unwrap_or_else(|| self.costs.of_key(key));
        self.promise.following(&self.costs, path);
        let origin = self.nodes.take(&*self.store, entry, &mut self.window.source.state);
        let steps = C::steps(path);
        if let Some(depth) = steps {
            self.statistics.levels = self.statistics.levels.max(depth);
            self.statistics.progress.depth = depth;
        }
        if lead.manner.rank.is_sum() && self.test(origin) {
            return true;
        }
        if self.bound.ends(steps, |most| self.task.behind_limit(Some(most))) {
            return false;
        }
        if !self.announce(lead, entry, key, path) {
            return false;
        }
        self.closing.settle(entry, true);
        self.promise.expanding(&self.costs, key, path, self.window.expanded.is_empty());
        self.generate(origin, path, lead.bit == 0, again);
        true
    }

    /// Adds the state at hand and its successors to the window; those seen just now if
    /// that matters, since another search may have seen them. What it is was noted before, if
    /// it is expanded `again`.
    #[inline(always)]
    fn generate(&mut self, origin: Origin, path: C::Value, alone: bool, again: bool) {
        let batch = &mut self.window.batch;
        let (first, faults) = (batch.len(), batch.faults().len());
        self.expander.expand(&self.window.source.state, batch);
        self.statistics.progress.expanded += 1;
        let (all, deadlock) = (batch.len(), batch.deadlock());
        let enough = self.proviso.as_ref().and(batch.ample()).unwrap_or(all);
        self.statistics.progress.generated += (enough - first) as u64;
        if again {
            self.repeated += (enough - first) as u64;
        } else if deadlock {
            self.note_deadlock(origin);
        }
        if self.window.batch.faults().len() > faults && !again {
            self.note_faults(faults, origin);
        }
        self.store.prefetch(self.window.hash(first..enough, alone && enough == all));
        self.window.push(origin, path, enough);
    }

    /// Tests a state at its expansion. Answers whether nothing is left to find.
    #[inline(always)]
    fn test(&mut self, origin: Origin) -> bool {
        let open = self.findings.open_conditions(self.task);
        let state = &self.window.source.state;
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            self.found(violated, origin);
        }
        self.findings.complete(self.task)
    }

    /// Whether the state was expanded after it was queued, or is preferred
    /// elsewhere.
    #[inline]
    fn is_stale<O: Open>(&self, lead: &Lead<'_, '_, O>, entry: u32, key: u64) -> bool {
        lead.bit == 0 && self.closing.is_settled(entry)
            || !lead.open.is_several()
                && lead.preference.as_ref().is_some_and(|preferred| preferred.is_stale(entry, key))
            || self.store.is_dropped(homing_core::Id(entry))
    }

    /// Tells those who guide the search which state is expanded next. Answers
    /// whether to expand it at all: a lazy estimate may refuse it, or put it
    /// back to wait longer.
    #[inline]
    fn announce<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        entry: u32,
        key: u64,
        path: C::Value,
    ) -> bool {
        let source = &mut self.window.source;
        if let Some(preferred) = &lead.preference {
            source.mark = preferred.mark(entry);
        }
        self.costs.leaving(&source.state);
        let Some(estimate) = &mut lead.estimate else { return true };
        if !estimate.lazy {
            estimate.heuristic.expanding(&source.state);
            return true;
        }
        source.estimate = estimate.heuristic.estimate(&source.state, None);
        if source.estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return false;
        }
        let Rank::Sum(weights) = lead.manner.rank else { return true };
        let now = self.costs.key(weights, path, source.estimate, 0);
        let waits = C::sum(key) < C::sum(now);
        if waits {
            let queue = if lead.preference.is_some() { key >> KEY_BITS << KEY_BITS } else { 0 };
            lead.open.push(entry, queue | now);
        }
        !waits
    }

    #[cold]
    fn note_deadlock(&mut self, origin: Origin) {
        self.statistics.deadlocks += 1;
        if self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(origin, None));
        }
    }

    #[cold]
    fn note_faults(&mut self, first: usize, origin: Origin) {
        let faults = &self.window.batch.faults()[first..];
        self.statistics.faults += faults.len() as u64;
        if self.task.fault && self.findings.fault.is_none() {
            self.findings.fault = Some(self.finding(origin, faults.first().copied()));
        }
    }
}
