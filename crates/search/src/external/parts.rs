//! A layer in parts, some of which others expand: the side of who leads.
//!
//! ```text
//! expand the layer; when workers are there, divide what is left of it into parts
//! until all parts are done:
//!   take a part that nobody has taken, and expand it
//!   whatever was handed in and is of the attempt that counts: count it, send its runs to the
//!     buckets
//!   a part whose worker has not been heard of: its next attempt counts, whoever makes it
//!   nothing left to take: wait; a part that takes very long is tried again
//! ```
//! What is done is noted where everything is noted: in the manifest. What comes of one attempt
//! is taken in once, and what it counted with it; so it does not matter who was killed when.
//!
//! Merging and subtracting are done by the one who leads.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use homing_external::{Attempt, Board, Desk, Found, Manifest, Parts};

use super::saved::{OPEN, Saved};
use super::{Bucket, Ended, External, Layer};

/// The time between two looks at the desk.
const LOOK: Duration = Duration::from_millis(50);

/// The time between two lines on the board that say that somebody leads.
const BEAT: Duration = Duration::from_millis(500);

/// A worker that was not heard of for so long has ended, as far as anybody knows.
const SILENT: Duration = Duration::from_secs(3);

/// A part that takes others so many times what the longest took here is tried again.
const SLOW: u32 = 4;

/// Records of a part: few enough that all have work, so many that taking it is worth it.
const LEAST: u64 = 2_048;
const MOST: u64 = 1 << 18;

/// Parts a worker.
const EACH: u64 = 8;

/// The leader's own number, as a worker.
const LEADER: u64 = 0;

/// Who leads, and what is known of those who work.
#[derive(Debug)]
pub(super) struct Lead {
    desk: Desk,
    epoch: u64,
    beat: u64,
    /// When the desk was looked at, and the board written.
    looked: Duration,
    wrote: Duration,
    /// By worker: the number that grows, and when it last did.
    workers: BTreeMap<u64, (u64, Duration)>,
    /// Since when parts are taken, by their number.
    taken: BTreeMap<usize, Duration>,
    /// The longest that a part took here.
    longest: Duration,
    /// The parts of the layer, and which of them is expanded here.
    pub(super) parts: Option<Parts>,
    pub(super) mine: Option<usize>,
    /// When it was begun.
    began: Duration,
}

impl Lead {
    pub(super) fn new(desk: Desk, epoch: u64) -> Lead {
        let never = Duration::ZERO;
        Lead {
            desk,
            epoch,
            beat: 0,
            looked: never,
            wrote: never,
            workers: BTreeMap::new(),
            taken: BTreeMap::new(),
            longest: never,
            parts: None,
            mine: None,
            began: never,
        }
    }

    /// Writes the board.
    fn post(&mut self, now: Duration, ended: bool) -> Result<(), Ended> {
        self.beat += 1;
        self.wrote = now;
        let Lead { epoch, beat, .. } = *self;
        Ok(self.desk.write(&Board { epoch, beat, ended, layer: self.parts.clone() })?)
    }

    fn attempt(&self, part: usize) -> Option<Attempt> {
        let parts = self.parts.as_ref()?;
        let number = (*parts.attempts.get(part)?)?;
        Some(Attempt { epoch: self.epoch, layer: parts.run.number, part: part as u64, number })
    }

    /// Notes who is there.
    fn hear(&mut self, found: &Found, now: Duration) {
        self.workers.retain(|worker, _| found.workers.contains_key(worker));
        for (worker, beat) in &found.workers {
            let known = self.workers.entry(*worker).or_insert((*beat, now));
            if known.0 != *beat {
                *known = (*beat, now);
            }
        }
    }

    fn is_alive(&self, worker: u64, now: Duration) -> bool {
        let heard = self.workers.get(&worker).map(|(_, heard)| *heard);
        worker == LEADER || heard.is_some_and(|heard| now.saturating_sub(heard) < SILENT)
    }

    fn alive(&self, now: Duration) -> usize {
        self.workers.keys().filter(|worker| self.is_alive(**worker, now)).count()
    }

    /// Lets parts be taken again whose workers have ended, or are very slow while there is
    /// nothing else to do.
    fn expire(&mut self, found: &Found, idle: bool, now: Duration) -> bool {
        let mut any = false;
        for claim in &found.claims {
            let part = claim.part as usize;
            if self.attempt(part) != Some(*claim) || self.mine == Some(part) {
                continue;
            }
            let since = *self.taken.entry(part).or_insert(now);
            let waited = now.saturating_sub(since);
            let gone = match self.desk.claimant(claim) {
                Some(worker) => !self.is_alive(worker, now),
                None => waited > SILENT,
            };
            let slow = idle && waited > SILENT.max(SLOW * self.longest);
            if gone || slow {
                self.taken.remove(&part);
                any |= self.again(part);
            }
        }
        any
    }

    /// The next attempt at a part counts.
    fn again(&mut self, part: usize) -> bool {
        let attempts = self.parts.iter_mut().flat_map(|parts| parts.attempts.get_mut(part));
        attempts.flatten().map(|number| *number += 1).count() > 0
    }
}

impl External<'_, '_> {
    /// Says that the search is led from here.
    pub(super) fn lead(&mut self, epoch: u64) -> Result<(), Ended> {
        let desk = self.directory.desk();
        desk.open()?;
        let restored = self.lead.take().and_then(|lead| lead.parts);
        let mut lead = Lead::new(desk, epoch);
        (lead.mine, lead.parts) = (self.own_part(restored.as_ref()), restored);
        lead.post(self.watch.elapsed(), false)?;
        self.lead = Some(lead);
        Ok(())
    }

    /// Says that the search has ended.
    pub(super) fn end_lead(&mut self) {
        let now = self.watch.elapsed();
        if let Some(lead) = &mut self.lead {
            // Who is not told notices that nobody leads.
            let _ = lead.post(now, true);
        }
    }

    /// The part of which the layer's own range is the rest.
    fn own_part(&self, parts: Option<&Parts>) -> Option<usize> {
        let (parts, layer) = (parts?, self.layer.as_ref()?);
        let last = layer.end.checked_sub(1)?;
        let part = last.checked_sub(parts.from)? / parts.size.max(1);
        usize::try_from(part).ok()
    }

    /// Says that somebody leads, where the board has not said so for a while.
    pub(super) fn beat(&mut self) -> Result<(), Ended> {
        let now = self.watch.elapsed();
        match &mut self.lead {
            Some(lead) if now.saturating_sub(lead.wrote) >= BEAT => lead.post(now, false),
            _ => Ok(()),
        }
    }

    /// Looks at the desk, if that was some time ago: takes in what was handed in, and divides
    /// the layer if somebody is there to help.
    pub(super) fn attend(&mut self, idle: bool) -> Result<(), Ended> {
        let now = self.watch.elapsed();
        let Some(lead) = &mut self.lead else { return Ok(()) };
        if !idle && now.saturating_sub(lead.looked) < LOOK {
            return Ok(());
        }
        lead.looked = now;
        let found = lead.desk.look()?;
        lead.hear(&found, now);
        let changed = match lead.parts {
            Some(_) => self.take_in(&found)? | self.expire(&found, idle, now),
            None => self.divide(),
        };
        match &mut self.lead {
            Some(lead) if changed => lead.post(now, false),
            _ => Ok(()),
        }
    }

    /// Divides the layer from the beginning, where somebody is known to be there.
    pub(super) fn share(&mut self) -> Result<(), Ended> {
        let now = self.watch.elapsed();
        let is_whole = self.lead.as_ref().is_some_and(|lead| lead.parts.is_none());
        let is_divided = is_whole && self.divide();
        match &mut self.lead {
            Some(lead) if is_divided => lead.post(now, false),
            _ => Ok(()),
        }
    }

    /// Divides what is left of the layer, if there is enough of it and somebody to help.
    fn divide(&mut self) -> bool {
        let now = self.watch.elapsed();
        let (Some(lead), Some(layer)) = (&mut self.lead, &mut self.layer) else { return false };
        let workers = lead.alive(now) as u64;
        let left = layer.run.count - layer.done;
        if workers == 0 || left < 2 * LEAST {
            return false;
        }
        let size = (left / (EACH * (workers + 1))).clamp(LEAST, MOST);
        let from = layer.done + size;
        let count = (layer.run.count - from).div_ceil(size);
        layer.end = from;
        lead.taken.clear();
        let attempts = vec![Some(0); count as usize];
        lead.parts = Some(Parts { run: layer.run.clone(), from, size, attempts });
        (lead.mine, lead.began) = (None, now);
        true
    }

    /// Takes in what was handed in. Answers whether there was anything.
    fn take_in(&mut self, found: &Found) -> Result<bool, Ended> {
        let mut any = false;
        for attempt in &found.done {
            let Some(lead) = &mut self.lead else { break };
            let part = attempt.part as usize;
            if lead.attempt(part) != Some(*attempt) || lead.mine == Some(part) {
                continue;
            }
            let Some(manifest) = lead.desk.take_in(attempt)? else { continue };
            if let Some(parts) = &mut lead.parts {
                parts.attempts[part] = None;
            }
            lead.desk.clear(attempt)?;
            self.count(&manifest)?;
            any = true;
        }
        Ok(any)
    }

    /// Counts what a worker did, and sends its runs to the buckets.
    fn count(&mut self, manifest: &Manifest) -> Result<(), Ended> {
        let Saved { statistics, left_out, targets, .. } = Saved::of(manifest);
        let (ours, theirs) = (&mut self.statistics, statistics);
        ours.progress.expanded += theirs.progress.expanded;
        ours.progress.generated += theirs.progress.generated;
        ours.progress.best = [ours.progress.best, theirs.progress.best].into_iter().flatten().min();
        ours.deadlocks += theirs.deadlocks;
        ours.faults += theirs.faults;
        ours.dead_ends += theirs.dead_ends;
        self.left_out = self.left_out.or(left_out);
        for entry in manifest.entries.iter().filter(|entry| entry.role == OPEN) {
            self.directory.adopt(&entry.run)?;
            let bucket = Bucket::of(entry.run.partition, entry.run.depths.0);
            self.open.entry(bucket).or_default().push(entry.run.clone());
        }
        for target in &targets {
            if self.is_wanted(target.what) {
                self.found(target.what, &target.state, target.tag)?;
            }
        }
        Ok(())
    }

    fn expire(&mut self, found: &Found, idle: bool, now: Duration) -> bool {
        self.lead.as_mut().is_some_and(|lead| lead.expire(found, idle, now))
    }

    /// What is expanded here is done. Turns to the next part, if one is left; waits until all
    /// others are done.
    pub(super) fn next_part(&mut self) -> Result<bool, Ended> {
        self.own_part_is_done()?;
        loop {
            self.attend(true)?;
            let Some(lead) = &self.lead else { return Ok(false) };
            let Some(parts) = &lead.parts else { return Ok(false) };
            let is_over = parts.attempts.iter().all(Option::is_none);
            if is_over || self.findings.complete(self.task) {
                return self.forget_parts();
            }
            if self.take_part()? {
                return Ok(true);
            }
            self.look_and_save()?;
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn own_part_is_done(&mut self) -> Result<(), Ended> {
        let now = self.watch.elapsed();
        let Some(lead) = &mut self.lead else { return Ok(()) };
        lead.longest = lead.longest.max(now.saturating_sub(lead.began));
        let Some(mine) = lead.mine.take() else { return Ok(()) };
        if let Some(attempt) = lead.attempt(mine) {
            lead.desk.clear(&attempt)?;
        }
        if let Some(parts) = &mut lead.parts {
            parts.attempts[mine] = None;
        }
        Ok(())
    }

    fn forget_parts(&mut self) -> Result<bool, Ended> {
        let now = self.watch.elapsed();
        if let Some(lead) = &mut self.lead {
            (lead.parts, lead.mine) = (None, None);
            lead.post(now, false)?;
        }
        Ok(false)
    }

    /// Takes a part that nobody has taken. Answers whether there was one.
    fn take_part(&mut self) -> Result<bool, Ended> {
        let now = self.watch.elapsed();
        let (Some(lead), Some(layer)) = (&mut self.lead, &mut self.layer) else { return Ok(false) };
        let count = lead.parts.as_ref().map_or(0, |parts| parts.attempts.len());
        for part in 0..count {
            let Some(attempt) = lead.attempt(part) else { continue };
            if lead.desk.claim(&attempt, LEADER)? {
                let range = lead.parts.as_ref().map(|parts| parts.range(part)).unwrap_or_default();
                (layer.done, layer.end) = (range.start, range.end);
                (lead.mine, lead.began) = (Some(part), now);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A layer that is expanded here, as a whole if nobody helps.
    pub(super) fn whole(bucket: Bucket, run: homing_external::Run) -> Layer {
        Layer { bucket, end: run.count, run, done: 0 }
    }
}
