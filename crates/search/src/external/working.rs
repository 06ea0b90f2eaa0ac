//! Working for a search on disk that another process leads.
//!
//! ```text
//! until the search has ended:
//!   read the board; take a part of the layer that nobody has taken
//!   expand it, as who leads does; candidates go to runs of one's own
//!   make the runs safe, and hand in what they are and what was counted
//! ```
//! Nothing that a worker writes counts before it was taken in: it may end at any moment.

use std::thread;
use std::time::Duration;

use homing_core::{StopReason, Watch};
use homing_external::{Attempt, Board, Candidates, Desk, Directory, Settings, Trouble};

use super::{Bucket, Disk, Ended, External, Layer, Order};
use crate::strategy::Context;
use crate::task::Statistics;

/// Between two looks at the board.
const PAUSE: Duration = Duration::from_millis(2);

/// Between two signs of life.
const BEAT: Duration = Duration::from_millis(200);

/// Nobody leads, if the board has not changed for so long.
const SILENT: Duration = Duration::from_secs(60);

/// How work for a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worked {
    /// The search has ended.
    Ended,
    /// It is not there any more.
    Gone,
    /// Nobody leads it any more.
    Alone,
    /// A limit of the worker's own.
    Stopped(StopReason),
}

/// What a worker did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// How it ended.
    pub worked: Worked,
    /// Parts that were handed in.
    pub parts: u64,
    /// States that were expanded.
    pub expanded: u64,
}

/// Works for the search in a folder until it ends. `is_there` says whether there may be one.
pub fn work(
    order: Order,
    disk: &Disk,
    run: Context<'_, '_>,
    is_there: &dyn Fn() -> bool,
) -> Result<Work, Trouble> {
    let settings = Settings { width: run.task.space.width(), ..disk.settings.clone() };
    let number = super::unique() & 0x7fff_fffe | 1;
    let mut work = Work { worked: Worked::Gone, parts: 0, expanded: 0 };
    let Context { task, guide, watch, .. } = run;
    let directory = loop {
        if let Some(stopped) = stops(watch) {
            return Ok(Work { worked: Worked::Stopped(stopped), ..work });
        }
        if !is_there() {
            return Ok(work);
        }
        match Directory::join(settings.clone(), number) {
            Ok(Some(directory)) => break directory,
            Ok(None) => thread::sleep(PAUSE),
            // It was there a moment ago.
            Err(_) if !is_there() => return Ok(work),
            Err(trouble) => return Err(trouble),
        }
    };
    let buffer = disk.buffer.unwrap_or(Candidates::share(watch.limits().memory));
    let mut search = External::new(order, &directory, buffer, (task, guide), watch);
    search.is_worker = true;
    let desk = directory.desk();
    let mut worker = Worker { desk, number, beat: 0, last: None, work: &mut work };
    let ended = worker.go(&mut search, is_there);
    worker.desk.leave(number);
    work.worked = match ended {
        Ok(worked) => worked,
        Err(Ended::Stopped(reason)) => Worked::Stopped(reason),
        Err(Ended::Trouble(_)) if !is_there() => Worked::Gone,
        Err(Ended::Trouble(trouble)) => return Err(trouble),
    };
    Ok(work)
}

fn stops(watch: &mut Watch) -> Option<StopReason> {
    watch.check(&Default::default()).err()
}

struct Worker<'w> {
    desk: Desk,
    number: u64,
    beat: u64,
    /// When it last gave a sign of life.
    last: Option<Duration>,
    work: &'w mut Work,
}

impl Worker<'_> {
    fn go(
        &mut self,
        search: &mut External<'_, '_>,
        is_there: &dyn Fn() -> bool,
    ) -> Result<Worked, Ended> {
        let mut seen = (Board::default(), search.watch.elapsed());
        loop {
            search.look()?;
            self.live(search.watch.elapsed())?;
            let now = search.watch.elapsed();
            match self.desk.read()? {
                None if !is_there() => return Ok(Worked::Gone),
                Some(board) if board.ended => return Ok(Worked::Ended),
                Some(board) => {
                    if self.take_one(search, &board)? {
                        seen.1 = search.watch.elapsed();
                        continue;
                    }
                    if board != seen.0 {
                        seen = (board, now);
                    }
                }
                None => {}
            }
            if now.saturating_sub(seen.1) > SILENT {
                return Ok(Worked::Alone);
            }
            thread::sleep(PAUSE);
        }
    }

    /// Gives a sign of life, if the last is some time ago.
    fn live(&mut self, now: Duration) -> Result<(), Ended> {
        if self.last.is_none_or(|last| now.saturating_sub(last) >= BEAT) {
            self.beat += 1;
            self.last = Some(now);
            self.desk.beat(self.number, self.beat)?;
        }
        Ok(())
    }

    /// Takes a part and expands it. Answers whether there was one.
    fn take_one(&mut self, search: &mut External<'_, '_>, board: &Board) -> Result<bool, Ended> {
        let Some(parts) = &board.layer else { return Ok(false) };
        // Who takes from behind seldom meets who leads.
        for (part, number) in parts.attempts.iter().enumerate().rev() {
            let Some(number) = *number else { continue };
            let (epoch, layer) = (board.epoch, parts.run.number);
            let attempt = Attempt { epoch, layer, part: part as u64, number };
            if !self.desk.claim(&attempt, self.number)? {
                continue;
            }
            let (range, run) = (parts.range(part), parts.run.clone());
            let bucket = Bucket::of(run.partition, run.depths.0);
            let layer = Layer { bucket, run, done: range.start, end: range.end };
            return match self.expand(search, layer, &attempt) {
                // The layer is there no more, if others were faster.
                Err(Ended::Trouble(_)) if self.is_over(&attempt) => Ok(true),
                expanded => expanded.map(|()| true),
            };
        }
        Ok(false)
    }

    fn is_over(&self, attempt: &Attempt) -> bool {
        let board = self.desk.read().ok().flatten();
        let layer = board.and_then(|board| {
            board
                .layer
                .filter(|layer| (board.epoch, layer.run.number) == (attempt.epoch, attempt.layer))
        });
        layer.is_none_or(|layer| {
            layer.attempts.get(attempt.part as usize).copied().flatten() != Some(attempt.number)
        })
    }

    fn expand(
        &mut self,
        search: &mut External<'_, '_>,
        layer: Layer,
        attempt: &Attempt,
    ) -> Result<(), Ended> {
        search.statistics = Statistics::default();
        search.open.clear();
        search.candidates.clear();
        search.targets.clear();
        search.findings = Default::default();
        search.recent = crate::recent::Recent::new(search.directory.width());
        search.layer = Some(layer);
        search.expand_range(&mut |search| self.live(search.watch.elapsed()))?;
        search.flush()?;
        search.directory.settle()?;
        search.layer = None;
        self.desk.hand_in(attempt, &search.manifest())?;
        self.work.parts += 1;
        self.work.expanded += search.statistics.progress.expanded;
        Ok(())
    }
}
