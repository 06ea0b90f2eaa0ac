//! From a bucket to a layer: merging, subtracting, and looking for what is wanted.

use std::collections::btree_map::Entry;

use homing_external::{Candidates, FAN_IN, Merge, Run, Sorted, Subtract, Writer, merge_all};

use super::{Bucket, Ended, External, What};
use crate::recent::Recent;

/// Records that are merged and subtracted at a time.
const BATCH: usize = 1 << 12;

impl External<'_, '_> {
    /// Makes the layer of a bucket and turns to it, if there is anything new in it. Nothing
    /// waits in the buffer, or what does is of this bucket.
    pub(super) fn take(&mut self, bucket: Bucket) -> Result<(), Ended> {
        if self.admissible {
            self.reached = self.reached.max(bucket.sum);
        }
        self.gather(bucket)?;
        self.tidy(bucket)?;
        self.sharpen(bucket)?;
        let runs = self.open.get(&bucket).cloned().unwrap_or_default();
        let mut candidates = std::mem::replace(&mut self.candidates, Candidates::new(0, 0));
        candidates.sort();
        let written = self.write_layer(bucket, &runs, &candidates);
        self.candidates = candidates;
        let Some(run) = written? else { return Ok(()) };
        self.candidates.clear();
        self.open.remove(&bucket);
        runs.into_iter().for_each(|run| self.directory.drop_run(run));
        if run.count == 0 {
            self.directory.drop_run(run);
            return self.save_if_due();
        }
        self.closed.entry(bucket.estimate).or_default().add(run.clone());
        self.layer = Some(Self::whole(bucket, run));
        // A state that was seen just now may be reached at less depth from here.
        if self.heuristic.is_some() {
            self.recent = Recent::new(self.directory.width());
        } else if !(self.task.deadlock || self.task.fault) {
            self.reached = self.reached.max(bucket.sum + 1);
        }
        self.save_if_due()
    }

    /// Merges, subtracts and writes what is left; none if everything was found.
    fn write_layer(
        &mut self,
        bucket: Bucket,
        runs: &[Run],
        candidates: &Candidates,
    ) -> Result<Option<Run>, Ended> {
        let mut merge = Merge::new(self.directory, runs, Some(candidates), true)?;
        let closed = self.closed.get(&bucket.estimate).map_or(&[][..], |closed| &closed.runs);
        let mut subtract = Subtract::new(self.directory, closed.iter().rev())?;
        let mut writer = Writer::new(self.directory, bucket.estimate)?;
        let mut batch = Sorted::new(self.directory.width());
        loop {
            merge.fill(&mut batch, BATCH)?;
            if batch.is_empty() {
                return Ok(Some(writer.finish()?));
            }
            subtract.from(&mut batch, &mut self.filter)?;
            for i in (0..batch.len()).filter(|i| !batch.is_known(*i)) {
                writer.push(batch.state(i), batch.tag(i))?;
            }
            self.test(&batch)?;
            if self.findings.complete(self.task) {
                return Ok(None);
            }
            self.look()?;
        }
    }

    /// Counts the new states of a batch, and looks for what is wanted among them.
    fn test(&mut self, batch: &Sorted) -> Result<(), Ended> {
        for i in (0..batch.len()).filter(|i| batch.is_new(*i)) {
            let state = batch.state(i);
            self.statistics.progress.stored += 1;
            if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
                self.statistics.counted += 1;
            }
            let open = self.findings.open_conditions(self.task);
            if open == 0 {
                continue;
            }
            let violated = self.expander.violated(state) & open;
            if violated != 0 {
                self.found(What::Goal(violated), state, batch.tag(i))?;
            }
        }
        Ok(())
    }

    /// Merges runs of a bucket until they can be merged at once.
    fn gather(&mut self, bucket: Bucket) -> Result<(), Ended> {
        while let Entry::Occupied(mut entry) = self.open.entry(bucket)
            && entry.get().len() > FAN_IN
        {
            // The shortest first, so that nothing is copied more often than it must be.
            entry.get_mut().sort_by_key(|run| run.count);
            let most = FAN_IN.min(entry.get().len() - FAN_IN + 1);
            let one = merge_all(self.directory, &entry.get()[..most], true)?;
            let merged: Vec<_> = entry.get_mut().splice(..most, [one]).collect();
            merged.into_iter().for_each(|run| self.directory.drop_run(run));
            self.look()?;
        }
        Ok(())
    }

    /// Keeps the number of runs small that must be subtracted.
    fn tidy(&mut self, bucket: Bucket) -> Result<(), Ended> {
        let Some(closed) = self.closed.get_mut(&bucket.estimate) else { return Ok(()) };
        while closed.is_untidy() {
            closed.tidy(self.directory)?;
        }
        Ok(())
    }

    /// Makes the filter larger, if what is expanded next may be too much for it; or makes it,
    /// where a search goes on.
    fn sharpen(&mut self, bucket: Bucket) -> Result<(), Ended> {
        let closed = || self.closed.values().flat_map(|closed| &closed.runs);
        let next = self.open.get(&bucket).into_iter().flatten();
        let states: u64 = closed().chain(next).map(|run| run.count).sum();
        let states = states + self.candidates.len() as u64;
        if !self.filter.is_small(states) {
            return Ok(());
        }
        self.filter.renew(states);
        for run in closed() {
            self.filter.add_run(self.directory, run)?;
        }
        Ok(())
    }
}
