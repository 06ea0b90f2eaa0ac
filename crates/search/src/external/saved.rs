//! What of a search is saved in the manifest, and how it goes on from there.

use std::time::Duration;

use homing_core::{Edge, Fault, Price, StopReason};
use homing_external::{Entry, Manifest, Parts, Run, Tag};

use super::parts::Lead;
use super::{Bucket, Ended, External, Layer, Target, What};
use crate::task::Statistics;

/// Between two manifests passes so many times what the last one took, so that saving takes
/// a small part of all time, however slow the disk is; and this much at least.
const SPARE: u32 = 20;
const LEAST: Duration = Duration::from_millis(100);

/// What runs are there for.
pub(super) const OPEN: &str = "open";
const CLOSED: &str = "closed";

impl External<'_, '_> {
    /// Saves where the search stands, unless it did so a moment ago. Nothing may wait in the
    /// buffer.
    pub(super) fn save_if_due(&mut self) -> Result<(), Ended> {
        if self.watch.elapsed() < self.due { Ok(()) } else { self.save() }
    }

    /// Saves where the search stands.
    pub(super) fn save(&mut self) -> Result<(), Ended> {
        debug_assert!(self.candidates.is_empty());
        if self.is_worker {
            return Ok(());
        }
        let began = self.watch.elapsed();
        self.directory.commit(self.manifest())?;
        let ended = self.watch.elapsed();
        self.due = ended + LEAST.max(SPARE * ended.saturating_sub(began));
        Ok(())
    }

    pub(super) fn manifest(&self) -> Manifest {
        let mut manifest = Manifest::default();
        let mut put = |name: &str, numbers: Vec<u64>| {
            manifest.numbers.insert(name.into(), numbers);
        };
        let statistics = &self.statistics;
        let progress = &statistics.progress;
        put("progress", vec![progress.stored, progress.expanded, progress.generated]);
        let found = [statistics.deadlocks, statistics.faults, statistics.dead_ends];
        put("found", [&found[..], &[statistics.counted, statistics.levels.into()]].concat());
        put("best", progress.best.iter().map(|best| u64::from(*best)).collect());
        put("reached", vec![self.reached]);
        put(
            "left-out",
            vec![match self.left_out {
                Some(StopReason::Depth) => 1,
                Some(_) => 2,
                None => 0,
            }],
        );
        if let Some(Layer { run, done, end, .. }) = &self.layer {
            put("layer", vec![run.number, *done, *end]);
        }
        if let Some(parts) = self.lead.as_ref().and_then(|lead| lead.parts.as_ref()) {
            let open = parts.attempts.iter().map(|attempt| attempt.is_some().into());
            put("parts", [parts.from, parts.size].into_iter().chain(open).collect());
        }
        for (at, target) in self.targets.iter().enumerate() {
            put(&format!("target-{at}"), target.numbers());
        }
        let entry = |role: &str, run: &Run| Entry { role: role.into(), run: run.clone() };
        let open = self.open.values().flatten().map(|run| entry(OPEN, run));
        let closed = self.closed.values().flat_map(|closed| &closed.runs);
        manifest.entries = open.chain(closed.map(|run| entry(CLOSED, run))).collect();
        manifest
    }

    /// Goes back to where the manifest was written.
    pub(super) fn restore(&mut self, manifest: &Manifest) -> Result<(), Ended> {
        let Saved { statistics, reached, left_out, targets } = Saved::of(manifest);
        (self.statistics, self.reached, self.left_out) = (statistics, reached, left_out);
        let numbers = |name: &str| manifest.numbers.get(name).map_or(&[][..], |it| &it[..]);
        for Entry { role, run } in &manifest.entries {
            self.take_back(role, run);
            match numbers("layer") {
                &[number, done, end] if number == run.number => {
                    let bucket = Bucket::of(run.partition, run.depths.0);
                    self.layer = Some(Layer { bucket, run: run.clone(), done, end });
                }
                _ => {}
            }
        }
        if let (&[from, size, ref open @ ..], Some(layer)) = (numbers("parts"), &self.layer) {
            let attempts = open.iter().map(|open| (*open != 0).then_some(0)).collect();
            let parts = Parts { run: layer.run.clone(), from, size, attempts };
            let lead = self.lead.insert(Lead::new(self.directory.desk(), 0));
            lead.parts = Some(parts);
        }
        targets.iter().try_for_each(|target| self.found(target.what, &target.state, target.tag))
    }

    fn take_back(&mut self, role: &str, run: &Run) {
        if role == OPEN {
            let bucket = Bucket::of(run.partition, run.depths.0);
            self.open.entry(bucket).or_default().push(run.clone());
        } else {
            self.closed.entry(run.partition).or_default().add(run.clone());
        }
    }
}

/// What a manifest says of a search, or of what a worker did, but for the files.
pub(super) struct Saved {
    pub statistics: Statistics,
    pub reached: Price,
    pub left_out: Option<StopReason>,
    pub targets: Vec<Target>,
}

impl Saved {
    pub(super) fn of(manifest: &Manifest) -> Saved {
        let numbers = |name: &str, at: usize| {
            manifest.numbers.get(name).and_then(|numbers| numbers.get(at)).copied().unwrap_or(0)
        };
        let mut statistics = Statistics::default();
        let progress = &mut statistics.progress;
        progress.stored = numbers("progress", 0);
        progress.expanded = numbers("progress", 1);
        progress.generated = numbers("progress", 2);
        progress.best = manifest.numbers.get("best").and_then(|it| it.first()).map(|it| *it as u32);
        statistics.deadlocks = numbers("found", 0);
        statistics.faults = numbers("found", 1);
        statistics.dead_ends = numbers("found", 2);
        statistics.counted = numbers("found", 3);
        statistics.levels = numbers("found", 4) as u32;
        let left_out = match numbers("left-out", 0) {
            1 => Some(StopReason::Depth),
            2 => Some(StopReason::Bound),
            _ => None,
        };
        let named = (0..).map_while(|at| manifest.numbers.get(&format!("target-{at}")));
        let targets = named.filter_map(|numbers| Target::of_numbers(numbers)).collect();
        Saved { statistics, reached: numbers("reached", 0), left_out, targets }
    }
}

impl Target {
    fn numbers(&self) -> Vec<u64> {
        let what = match self.what {
            What::Goal(conditions) => [0, conditions, 0, 0],
            What::Deadlock => [1, 0, 0, 0],
            What::Fault(Fault { edge, site }) => {
                [2, edge.label.into(), edge.choice.into(), site.into()]
            }
        };
        let tag = [self.tag.partition().into(), self.tag.depth().into(), self.tag.mark().into()];
        [&what[..], &tag[..], &self.state[..]].concat()
    }

    fn of_numbers(numbers: &[u64]) -> Option<Target> {
        let (&[kind, first, second, third, estimate, depth, mark], state) =
            numbers.split_first_chunk::<7>()?;
        let what = match kind {
            0 => What::Goal(first),
            1 => What::Deadlock,
            _ => {
                let edge = Edge { label: first as u32, choice: second as u32 };
                What::Fault(Fault { edge, site: third as u32 })
            }
        };
        let tag = Tag::new(estimate as u16, depth as u32, mark as u16);
        Some(Target { what, state: state.to_vec(), tag })
    }
}
