//! Expanding a layer, state by state.

use homing_core::hash::hash_words;
use homing_core::{DEAD_END, Edge, StopReason, Word};
use homing_external::{Reader, Tag};

use super::{Ended, External, Layer, Order, What};

/// The greatest estimate that is told apart.
const MOST: u32 = u16::MAX as u32 - 1;

impl External<'_, '_> {
    /// Expands what is left of the layer, with whoever helps.
    pub(super) fn expand_layer(&mut self) -> Result<(), Ended> {
        let Some(Layer { bucket, .. }) = self.layer else { return Ok(()) };
        if self.watch.limits().depth.is_some_and(|most| bucket.depth >= most) {
            self.left_out = Some(StopReason::Depth);
            return Ok(());
        }
        self.statistics.levels = self.statistics.levels.max(bucket.depth);
        self.statistics.progress.depth = bucket.depth;
        self.share()?;
        loop {
            self.expand_range(&mut |search| search.attend(false))?;
            if self.findings.complete(self.task) || !self.next_part()? {
                return Ok(());
            }
        }
    }

    /// Expands the range of the layer that is to be expanded here; every now and then something
    /// else is done.
    pub(super) fn expand_range(
        &mut self,
        else_do: &mut dyn FnMut(&mut Self) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let Some(Layer { run, done, .. }) = self.layer.clone() else { return Ok(()) };
        let mut reader = Reader::open(self.directory, &run)?;
        reader.pass_over(done)?;
        loop {
            if self.watch.due() || self.watch.limits().expansions.is_some() {
                self.look_and_save()?;
                else_do(self)?;
            }
            if self.layer.as_ref().is_none_or(|layer| layer.done >= layer.end)
                || !reader.advance()?
            {
                return Ok(());
            }
            let full = self.expand(reader.state(), reader.tag())?;
            self.layer.iter_mut().for_each(|layer| layer.done += 1);
            if self.findings.complete(self.task) {
                return Ok(());
            }
            if full {
                self.flush()?;
                self.save_if_due()?;
            }
        }
    }

    /// Looks at the watch; if it says to stop, saves what was done where that is quick.
    pub(super) fn look_and_save(&mut self) -> Result<(), Ended> {
        /// Bytes of candidates that are saved at the end. What is more is generated again.
        const QUICK: usize = 1 << 24;
        let looked = self.look();
        if looked.is_err() && self.candidates.bytes() <= QUICK {
            self.flush()?;
            self.save()?;
        }
        looked
    }

    /// Expands a state. Answers whether the buffer is full.
    fn expand(&mut self, state: &[Word], tag: Tag) -> Result<bool, Ended> {
        self.batch.clear();
        self.expander.expand(state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
        if self.batch.deadlock() {
            self.statistics.deadlocks += 1;
            if self.task.deadlock && self.findings.deadlock.is_none() {
                self.found(What::Deadlock, state, tag)?;
            }
        }
        if let Some(fault) = self.batch.faults().first().copied() {
            self.statistics.faults += self.batch.faults().len() as u64;
            if self.task.fault && self.findings.fault.is_none() {
                self.found(What::Fault(fault), state, tag)?;
            }
        }
        Ok(self.send_successors(state, tag.depth() + 1))
    }

    /// Puts the successors of a state, which have this depth, into the buffer. Answers
    /// whether it is full.
    fn send_successors(&mut self, state: &[Word], depth: u32) -> bool {
        if self.batch.is_empty() || self.is_beyond(u64::from(depth)) {
            return false;
        }
        let batch = std::mem::replace(&mut self.batch, homing_core::Batch::new(0));
        if let Some(heuristic) = &mut self.heuristic {
            heuristic.expanding(state);
        }
        let mark = if self.task.wants_anything() { Tag::mark_of(state) } else { 0 };
        let mut full = false;
        for i in 0..batch.len() {
            let successor = batch.state(i);
            if self.recent.seen(successor, hash_words(successor)) {
                continue;
            }
            let Some(estimate) = self.estimate(successor, Some(batch.edge(i))) else { continue };
            let least = u64::from(depth) + if self.admissible { u64::from(estimate) } else { 0 };
            if !self.is_beyond(least) {
                full |= self.candidates.push(successor, Tag::new(estimate, depth, mark));
            }
        }
        self.batch = batch;
        full
    }

    /// Whether paths that cost so much are not followed.
    fn is_beyond(&mut self, cost: u64) -> bool {
        let beyond = self.watch.limits().bound.is_some_and(|bound| cost > bound);
        if beyond {
            self.left_out = Some(StopReason::Bound);
        }
        beyond
    }

    /// The estimate of a state, which is reached by this edge from the state that was
    /// expanded last; none where it is a dead end.
    pub(super) fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Option<u16> {
        let Some(heuristic) = &mut self.heuristic else { return Some(0) };
        debug_assert!(self.order == Order::AStar);
        let estimate = heuristic.estimate(state, via);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate.min(MOST) as u16)
    }
}
