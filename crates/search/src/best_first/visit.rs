//! Visiting successors: what is new, or reached more cheaply, goes to the open
//! list.

use homing_core::hash::hash_words;
use homing_core::{Cost, DEAD_END, Edge, Id, Open, StopReason, Store, Visit};

use super::lead::FIRST;
use super::window::Expanded;
use super::{Explored, Lead};
use crate::costs::Costs;
use crate::nodes::Origin;
use crate::proviso::Proviso;

impl<S, C> Explored<'_, S, C>
where
    S: Store + ?Sized,
    C: Costs,
{
    /// Visits the successors of the window, in order.
    pub(super) fn visit_window<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
    ) -> Result<(), StopReason> {
        self.store.prefetch_states(&self.window.hashes);
        let mut next = 0;
        for n in 0..self.window.expanded.len() {
            let Expanded { origin, path, end, mark, mut rest, mut further } =
                self.window.expanded[n].clone();
            self.window.source.mark = mark;
            self.turn_to(lead, n);
            let id = origin.id(&self.nodes);
            let before = self.proviso.as_mut().map(|proviso| proviso.begin(id, !rest.is_empty()));
            while next < end {
                let (successor, hash) = (self.window.pending[next], self.window.hashes[next]);
                self.visit(lead, successor, hash, origin, path)?;
                next += 1;
            }
            while !rest.is_empty()
                && let (Some(proviso), Some(before)) = (&mut self.proviso, before)
                && !proviso.holds(id, before)
            {
                let end = further.next().map_or(rest.end, |place| self.window.further[place]);
                self.statistics.progress.generated += (end - rest.start) as u64;
                for successor in rest.start..end {
                    let hash = hash_words(self.window.batch.state(successor));
                    self.visit(lead, successor, hash, origin, path)?;
                }
                rest.start = end;
            }
        }
        Ok(())
    }

    /// Shows those who look at it the next of several states that were
    /// expanded jointly.
    fn turn_to<O: Open>(&mut self, lead: &mut Lead<'_, '_, O>, n: usize) {
        if self.window.sources.is_empty() {
            return;
        }
        let Some(state) = self.window.jointly(n) else { return };
        self.costs.leaving(state);
        let estimate = lead.estimate.as_mut().and_then(|estimate| match estimate.lazy {
            true => Some(estimate.heuristic.estimate(state, None)),
            false => {
                estimate.heuristic.expanding(state);
                None
            }
        });
        self.window.look_at(n, estimate);
    }

    /// Visits a successor of a state that was reached by `from`; initial states
    /// are reached by that path itself.
    fn visit<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        hash: u64,
        origin: Origin,
        from: C::Value,
    ) -> Result<(), StopReason> {
        let path = match origin == Origin::NONE {
            true => from,
            false => self.costs.after(from, self.window.batch.edge(successor)),
        };
        if self.bound.cost.is_some() && self.bound.cuts(self.costs.ahead(path, 0)) {
            return Ok(());
        }
        if let Some(preferred) = &lead.preference
            && let Some(edge) = self.edge_to(successor, origin)
            && preferred.prunes(self.window.source.mark, edge)
        {
            return Ok(());
        }
        let state = self.window.batch.state(successor);
        let cost = self.covering.told(self.costs.ahead(path, 0));
        match self.store.visit(state, hash, origin.id(&self.nodes), cost) {
            Visit::New(id) => {
                self.proviso.iter_mut().for_each(Proviso::new_state);
                self.open_new(lead, successor, id, origin, path);
            }
            Visit::Known(id) => {
                self.proviso.iter_mut().for_each(|proviso| proviso.known(id));
                match lead.bit != 0 && self.closing.meet(id, lead.bit) {
                    true => self.meet(lead, successor, id, origin, path),
                    false => self.reopen(lead, successor, id, origin, path),
                }
            }
            Visit::Covered(id) => self.open_cover(lead, successor, id, origin, path),
            Visit::Full => return Err(StopReason::StoreFull),
        }
        Ok(())
    }

    /// The step to a successor; none to an initial state.
    #[inline]
    fn edge_to(&self, successor: usize, origin: Origin) -> Option<Edge> {
        (origin != Origin::NONE).then(|| self.window.batch.edge(successor))
    }

    #[inline]
    fn open_new<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let state = self.window.batch.state(successor);
        let entry = self.nodes.add(id, state, origin, self.window.batch.edge(successor));
        if lead.bit != 0 {
            self.closing.meet(id, lead.bit);
        }
        if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
            self.statistics.counted += 1;
        }
        let open = self.findings.open_conditions(self.task);
        if !lead.manner.rank.is_sum() && open != 0 {
            let violated = self.expander.violated(state) & open;
            if violated != 0 {
                self.found(violated, self.nodes.origin_of(entry));
            }
        }
        if lead.preference.is_some() {
            let edge = self.edge_to(successor, origin);
            let from = self.window.source.mark;
            lead.preference.iter_mut().for_each(|it| it.mark_new(entry, from, edge));
        }
        self.enqueue(lead, successor, entry, origin, path);
    }

    /// Lets a state wait for this search that another reached before.
    fn meet<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let edge = self.edge_to(successor, origin);
        let Some(estimate) = self.estimate(lead, successor, edge) else { return };
        let level = lead.level(&self.window.source, edge, estimate);
        lead.open.push_again(id.0, lead.key(&self.costs, path, estimate, level));
    }

    /// Lets a state wait that is reached by this path.
    #[inline]
    fn enqueue<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        entry: u32,
        origin: Origin,
        path: C::Value,
    ) {
        self.closing.note(entry, path);
        if !lead.is_guided() {
            lead.open.push(entry, lead.key(&self.costs, path, 0, FIRST));
            return;
        }
        let edge = self.edge_to(successor, origin);
        let Some(estimate) = self.estimate(lead, successor, edge) else {
            lead.open.give_up(entry);
            return;
        };
        if self.bound.counts_estimate && self.bound.cuts(self.costs.ahead(path, estimate)) {
            return;
        }
        let level = lead.level(&self.window.source, edge, estimate);
        lead.push(entry, &self.costs, path, estimate, level);
    }

    /// The estimate of a successor; `None` where it is a dead end.
    #[inline]
    fn estimate<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        via: Option<Edge>,
    ) -> Option<Cost> {
        let Some(guide) = &mut lead.estimate else { return Some(0) };
        let estimate = match guide.lazy && via.is_some() {
            false => guide.heuristic.estimate(self.window.batch.state(successor), via),
            // One step takes at most one off the distance.
            true if lead.manner.rank.is_sum() => C::rest(self.window.source.estimate),
            true => self.window.source.estimate,
        };
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate)
    }

    /// Re-opens a state that was reached at greater cost before, or by a step
    /// that the preference judged otherwise.
    #[inline]
    fn reopen<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let cheaper = self.closing.is_cheaper(id, path);
        let mark = self.window.source.mark;
        let merge = lead
            .preference
            .as_ref()
            .and_then(|preferred| preferred.merge(id, mark, self.edge_to(successor, origin)));
        if !cheaper && merge.is_none() {
            return;
        }
        if let (Some(preferred), Some(merge)) = (&mut lead.preference, merge) {
            preferred.remark(id, merge.mark);
        }
        self.closing.settle(id.0, false);
        if cheaper || merge.is_some_and(|merge| merge.better) {
            let batch = &self.window.batch;
            let entry = self.nodes.add(id, batch.state(successor), origin, batch.edge(successor));
            self.enqueue(lead, successor, entry, origin, path);
        } else {
            self.enqueue_again(lead, successor, id, origin, path);
        }
    }

    /// Opens a state again that covers the successor, where steps were pruned
    /// behind it that may not be pruned behind the successor. The way to it stays
    /// as it was: the successor's does not lead to it.
    fn open_cover<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let Some(preferred) = &mut lead.preference else { return };
        let edge = self.edge_to(successor, origin);
        // A better way to the one is none to the other.
        let merge = preferred.merge(id, self.window.source.mark, edge);
        let Some(merge) = merge.filter(|merge| !merge.better) else { return };
        preferred.remark(id, merge.mark);
        self.closing.settle(id.0, false);
        self.enqueue_again(lead, successor, id, origin, path);
    }

    /// Opens a stored state again, the way to it as it was.
    fn enqueue_again<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        successor: usize,
        id: Id,
        origin: Origin,
        path: C::Value,
    ) {
        let path = self.closing.path(id.0).unwrap_or(path);
        self.enqueue(lead, successor, id.0, origin, path);
    }
}
