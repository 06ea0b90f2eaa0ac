//! Visiting successors: what is new, or reached more cheaply, goes to the open
//! list.

use homing_core::hash::hash_words;
use homing_core::{Cost, DEAD_END, Id, Level, Open, StopReason, Store, Taken, Visit};

use super::{Expanded, Rank, Search};
use crate::costs::Costs;
use crate::nodes::Origin;
use crate::open::KEY_BITS;
use crate::proviso::Proviso;

impl<S, O, C> Search<'_, '_, S, O, C>
where
    S: Store + ?Sized,
    O: Open,
    C: Costs,
{
    /// Visits the successors of the window, in order.
    pub(super) fn visit_window(&mut self) -> Result<(), StopReason> {
        self.store.prefetch_states(&self.hashes);
        let initial = self.statistics.progress.expanded == 0;
        let mut next = 0;
        for window in 0..self.window.len() {
            let Expanded { origin, path, end, mark, mut rest, mut further } =
                self.window[window].clone();
            self.source.mark = mark;
            self.turn_to(window);
            let id = origin.id(&self.nodes);
            let before = self.proviso.as_mut().map(|proviso| proviso.begin(id, !rest.is_empty()));
            while next < end {
                let (successor, hash) = (self.pending[next], self.hashes[next]);
                self.visit_after(successor, hash, origin, path, initial)?;
                next += 1;
            }
            while !rest.is_empty()
                && let (Some(proviso), Some(before)) = (&mut self.proviso, before)
                && !proviso.is_enough(id, before)
            {
                let end = further.next().map_or(rest.end, |place| self.further[place]);
                self.statistics.progress.generated += (end - rest.start) as u64;
                for successor in rest.start..end {
                    let hash = hash_words(self.batch.state(successor));
                    self.visit_after(successor, hash, origin, path, initial)?;
                }
                rest.start = end;
            }
        }
        Ok(())
    }

    /// Visits a successor of a state that was reached by `path`; initial states
    /// are reached by that path itself.
    fn visit_after(
        &mut self,
        successor: usize,
        hash: u64,
        origin: Origin,
        path: C::Value,
        initial: bool,
    ) -> Result<(), StopReason> {
        let path = match initial {
            true => path,
            false => self.costs.after(path, self.batch.edge(successor)),
        };
        self.visit(successor, hash, origin, path)
    }

    /// Shows those who look at it the next of several states that were
    /// expanded jointly.
    pub(super) fn turn_to(&mut self, window: usize) {
        let width = self.batch.width();
        let Some(state) = self.sources.get(window * width..(window + 1) * width) else { return };
        if width == 0 || self.sources.is_empty() {
            return;
        }
        self.source.state.copy_from_slice(state);
        self.costs.leaving(state);
        if let Some(heuristic) = &mut self.guide.heuristic {
            if heuristic.is_lazy() {
                self.source.estimate = heuristic.estimate(state, None);
            } else {
                heuristic.expanding(state);
            }
        }
    }

    pub(super) fn visit(
        &mut self,
        successor: usize,
        hash: u64,
        origin: Origin,
        path: C::Value,
    ) -> Result<(), StopReason> {
        let initial = self.is_initial(origin);
        if self.is_beyond(path, 0) {
            return Ok(());
        }
        if let Some(preference) = self.guide.preference.as_ref().filter(|p| p.may_prune())
            && !initial
            && preference.prunes(self.source.mark, self.batch.edge(successor))
        {
            return Ok(());
        }
        let state = self.batch.state(successor);
        let from = origin.id(&self.nodes);
        let cost = if self.frugal { self.costs.ahead(path, 0) } else { 0 };
        match self.store.visit(state, hash, from, cost) {
            Visit::New(id) => {
                self.proviso.iter_mut().for_each(Proviso::new_state);
                self.open_new(successor, id, origin, path);
            }
            Visit::Known(id) => {
                self.proviso.iter_mut().for_each(|proviso| proviso.known(id));
                self.reopen(successor, id, origin, path);
            }
            Visit::Covered(id) => self.open_cover(successor, id, origin, path),
            Visit::Full => return Err(StopReason::StoreFull),
        }
        Ok(())
    }

    /// Whether a path, with what is at least still to pay, is above the bound.
    pub(super) fn is_beyond(&mut self, path: C::Value, estimate: Cost) -> bool {
        let Some(bound) = self.bound else { return false };
        let beyond = self.costs.ahead(path, estimate) > bound;
        if beyond {
            self.beyond.get_or_insert(StopReason::Bound);
        }
        beyond
    }

    pub(super) fn open_new(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let state = self.batch.state(successor);
        let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
        if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
            self.statistics.counted += 1;
        }
        if !self.manner.rank.is_sum() && self.findings.open_conditions(self.task) != 0 {
            let violated = self.expander.violated(state) & self.findings.open_conditions(self.task);
            if violated != 0 {
                self.found(violated, self.nodes.origin_of(entry));
            }
        }
        let mark = self.mark(successor, origin);
        if let Some(marks) = &mut self.marks {
            marks.set(Id(entry), mark);
        }
        self.enqueue(successor, entry, origin, path);
    }

    pub(super) fn is_initial(&self, origin: Origin) -> bool {
        origin == Origin::NONE
    }

    /// What the preference is to remember of a successor.
    pub(super) fn mark(&self, successor: usize, origin: Origin) -> u32 {
        match &self.guide.preference {
            None => 0,
            Some(preference) if self.is_initial(origin) => preference.initial(),
            Some(preference) => preference.mark(self.source.mark, self.batch.edge(successor)),
        }
    }

    pub(super) fn enqueue(&mut self, successor: usize, entry: u32, origin: Origin, path: C::Value) {
        if let Some(paths) = &mut self.paths {
            paths.set(Id(entry), path);
        }
        let Some(estimate) = self.estimate(successor, origin) else {
            if self.dead_ends {
                self.open.push(entry, u64::MAX);
            }
            return;
        };
        if self.bound.is_some() && self.admissible && self.is_beyond(path, estimate) {
            return;
        }
        let level = self.level(successor, origin, estimate);
        let tie = self.guide.heuristic.as_ref().map_or(0, |h| h.tie()).min(0xffff);
        let key = match self.manner.rank {
            Rank::Depth | Rank::Newest => self.costs.ahead(path, 0),
            Rank::Estimate if self.has_ties() => {
                u64::from(estimate.min(0xff_ffff)) << 24
                    | u64::from(tie) << 8
                    | u64::from(level.tie)
            }
            Rank::Estimate => u64::from(estimate),
            Rank::Sum(weights) => {
                self.costs.key(weights, path, estimate, tie.max(level.tie.into()))
            }
        };
        self.open.push(entry, u64::from(level.queue) << KEY_BITS | key);
    }

    pub(super) fn has_ties(&self) -> bool {
        self.guide.heuristic.as_ref().is_some_and(|heuristic| heuristic.has_ties())
            || self.guide.preference.as_ref().is_some_and(|preference| preference.has_ties())
    }

    /// The estimate of a successor; `None` where it is a dead end.
    pub(super) fn estimate(&mut self, successor: usize, origin: Origin) -> Option<Cost> {
        let initial = self.is_initial(origin);
        let Some(heuristic) = &mut self.guide.heuristic else { return Some(0) };
        let via = (!initial).then(|| self.batch.edge(successor));
        let estimate = match heuristic.is_lazy() && !initial {
            false => heuristic.estimate(self.batch.state(successor), via),
            // One step takes at most one off the distance.
            true if self.manner.rank.is_sum() => C::rest(self.source.estimate),
            true => self.source.estimate,
        };
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate)
    }

    /// How much the preference likes the step to a successor.
    pub(super) fn level(&mut self, successor: usize, origin: Origin, estimate: Cost) -> Level {
        let first = Level { queue: 0, tie: 0 };
        let initial = self.is_initial(origin);
        match &mut self.guide.preference {
            Some(preference) if !initial => {
                let taken = Taken {
                    from: &self.source.state,
                    mark: self.source.mark,
                    edge: self.batch.edge(successor),
                    estimate,
                };
                preference.level(&taken, self.guide.heuristic.as_deref_mut())
            }
            _ => first,
        }
    }

    /// Re-opens a state that was reached at greater cost before, or by a step
    /// that the preference judged otherwise.
    pub(super) fn reopen(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let cheaper = self.reopens && self.paths.as_ref().is_some_and(|paths| path < paths.get(id));
        let mark = self.mark(successor, origin);
        let merge = match (&self.marks, &self.guide.preference) {
            (Some(marks), Some(preference)) if preference.may_merge() && id != Id::NONE => {
                preference.merge(marks.get(id), mark)
            }
            _ => None,
        };
        if !cheaper && merge.is_none() {
            return;
        }
        if let (Some(marks), Some(merge)) = (&mut self.marks, merge) {
            marks.set(id, merge.mark);
        }
        if let Some(settled) = &mut self.settled {
            settled.set(id, false);
        }
        if cheaper || merge.is_some_and(|merge| merge.better) {
            let state = self.batch.state(successor);
            let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
            self.enqueue(successor, entry, origin, path);
        } else {
            self.enqueue_again(successor, id, origin, path);
        }
    }

    /// Opens a state again that covers the successor, where steps were pruned
    /// behind it that may not be pruned behind the successor. The way to it stays
    /// as it was: the successor's does not lead to it.
    pub(super) fn open_cover(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let mark = self.mark(successor, origin);
        let (Some(marks), Some(preference)) = (&mut self.marks, &self.guide.preference) else {
            return;
        };
        if !preference.may_merge() {
            return;
        }
        // A better way to the one is none to the other.
        let merge = preference.merge(marks.get(id), mark).filter(|merge| !merge.better);
        let Some(merge) = merge else { return };
        marks.set(id, merge.mark);
        if let Some(settled) = &mut self.settled {
            settled.set(id, false);
        }
        self.enqueue_again(successor, id, origin, path);
    }

    /// Opens a stored state again, the way to it as it was.
    pub(super) fn enqueue_again(
        &mut self,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let path = self.paths.as_ref().map_or(path, |paths| paths.get(id));
        self.enqueue(successor, id.0, origin, path);
    }
}
