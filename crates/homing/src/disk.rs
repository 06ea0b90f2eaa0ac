//! Searches that go to disk, where the user names a folder.
//!
//! A run may need several searches, one after the other (for several questions, for
//! different traces). Each has a folder of its own in that of the run, by its number; since
//! a run that is repeated makes the same searches in the same order, one that goes on finds
//! each where it was.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use homing_budget::heap;
use homing_core::hash::hash_words;
use homing_external::{Directory, Home, Saver, Settings, Trouble, load_alone, save_alone};
use homing_report::style::bytes;
use homing_search::external::{Disk, Order, Work, Worked, external, work};
use homing_search::kept::{load_outcome, save_outcome};
use homing_search::{Context, Outcome, Plan, Strategy};

use crate::elsewhere::{could_go_on, fingerprint, wrong};
use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, UsageError, stop_reason};

/// How long who leads a run waits for those who helped, and they for what came of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where states go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OnDisk {
    /// The folder.
    pub folder: PathBuf,
    /// How many bytes a search may hold there.
    pub limit: Option<u64>,
    /// The bytes of memory in which a search begins before it goes there (0: at once); a share
    /// of the memory where nothing is said.
    pub after: Option<usize>,
    /// Whether what is in the folder is this run, to go on with.
    pub goes_on: bool,
    /// Whether another process leads the run, and is helped.
    pub works: bool,
    /// What is searched, for whoever goes on: kept in the folder as it is
    /// ([`started_on_disk`](crate::started_on_disk)).
    pub about: String,
}

/// The searches of a run that go to disk.
#[derive(Debug)]
pub(crate) struct Disks {
    place: OnDisk,
    home: RefCell<Option<Home>>,
    fingerprint: u64,
    /// Searches so far.
    count: Cell<u64>,
    /// Whether one of them was stopped.
    stopped: Cell<bool>,
}

impl Disks {
    /// Opens the folder, if this can be searched there.
    pub(crate) fn open(
        place: &OnDisk,
        model: &Model,
        options: &Options,
        parts: &Configuration,
    ) -> Result<Disks, UsageError> {
        fits(model, options, parts).map_err(UsageError::Sentence)?;
        let home = match (place.works, place.goes_on) {
            (true, _) => Home::join(&place.folder),
            (_, true) => Home::resume(&place.folder),
            _ => Home::create(&place.folder, &place.about),
        };
        Ok(Disks {
            home: RefCell::new(Some(home.map_err(wrong)?)),
            place: place.clone(),
            fingerprint: fingerprint(model, options),
            count: Cell::new(0),
            stopped: Cell::new(false),
        })
    }

    /// Searches on disk. Answers also how many bytes the states take there.
    pub(crate) fn search(
        &self,
        strategy: &Strategy,
        context: Context<'_, '_>,
    ) -> Result<(Outcome, Option<u64>), UsageError> {
        let (Some(order), Some(home)) = (strategy.algorithm.on_disk(), &*self.home.borrow()) else {
            return Err(UsageError::Sentence(refused(strategy)));
        };
        let number = self.count.get() + 1;
        self.count.set(number);
        let settings = Settings {
            path: home.search(number),
            limit: self.place.limit,
            fingerprint: hash_words(&[self.fingerprint, number]),
            width: 0,
        };
        let goes_on = self.place.goes_on;
        let memory = self.memory(context.watch.limits().memory);
        let disk = Disk { settings, goes_on, memory, buffer: None, bytes: RefCell::default() };
        if self.place.works {
            return Ok((self.work(home, number, (order, &disk), context)?, None));
        }
        // What came of it when it was stopped before does not count any more.
        let _ = fs::remove_file(home.outcome(number));
        let outcome = external(order, &disk, context).map_err(wrong)?;
        let outcome = self.told(order, &disk, outcome);
        let saved = |saver: &mut Saver| save_outcome(saver, &outcome);
        // Where it cannot be written, on a full disk, those who help are told less.
        let _ = save_alone(&home.outcome(number), self.fingerprint, saved);
        Ok((outcome, disk.bytes.take().map(|(now, _)| now)))
    }

    /// Works for the search of this number, and answers what came of it.
    fn work(
        &self,
        home: &Home,
        number: u64,
        (order, disk): (Order, &Disk),
        context: Context<'_, '_>,
    ) -> Result<Outcome, UsageError> {
        let folder = self.place.folder.display();
        let is_there = || home.is_there() && !home.outcome(number).exists();
        let (width, limits) = (context.task.space.width(), context.watch.limits().clone());
        let Work { worked, parts, expanded } =
            work(order, disk, context, &is_there).map_err(wrong)?;
        let why = match worked {
            Worked::Alone => format!(
                "nobody leads the search in `{folder}` any more; `homing resume {folder}` does"
            ),
            Worked::Stopped(reason) => stop_reason(reason, &limits),
            Worked::Ended | Worked::Gone => {
                if let Some(mut outcome) = self.outcome(home, number, width).map_err(wrong)? {
                    let worked = format!("expanded {expanded} states of it here, in {parts} parts");
                    outcome.notices.push(worked);
                    return Ok(outcome);
                }
                format!("the search in `{folder}` is over; what came of it was told where it began")
            }
        };
        Err(UsageError::Stopped(why))
    }

    /// What came of a search that another process led, if that can still be read.
    fn outcome(&self, home: &Home, number: u64, width: usize) -> Result<Option<Outcome>, Trouble> {
        let (path, began) = (home.outcome(number), Instant::now());
        while home.is_there() && !path.exists() && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        let loader = load_alone(&path, self.fingerprint)?;
        loader.map(|mut loader| load_outcome(&mut loader, width)).transpose()
    }

    /// What came of a search, with what is to be told of the disk.
    fn told(&self, order: Order, disk: &Disk, mut outcome: Outcome) -> Outcome {
        let taken = *disk.bytes.borrow();
        let order = match order {
            Order::Breadth => "breadth-first",
            Order::AStar => "by path and estimate",
        };
        outcome.notices.push(match taken {
            Some((_, most)) => format!("searched on disk, {order}: {} at most", bytes(most)),
            None => "memory was enough: nothing went to disk".into(),
        });
        if outcome.stopped.is_some_and(could_go_on) {
            self.stopped.set(true);
            outcome.notices.extend(self.how_to_go_on());
        }
        outcome
    }

    /// The limit on memory up to which a search with this limit is in memory. What it takes to
    /// leave, and what is needed on disk from the beginning, is about as much again; and what
    /// is in memory only when the process is killed is some tens of seconds of work.
    fn memory(&self, limit: Option<usize>) -> Option<usize> {
        const MOST: usize = 1 << 30;
        let used = if heap::is_metered() { heap::in_use() } else { 0 };
        let room = limit.map_or(usize::MAX, |limit| limit.saturating_sub(used));
        let after = self.place.after.unwrap_or((room / 10 * 3).min(MOST));
        (after > 0).then(|| used.saturating_add(after))
    }

    /// How to go on with a search that was stopped.
    pub(crate) fn how_to_go_on(&self) -> Option<String> {
        let folder = self.place.folder.display();
        self.stopped.get().then(|| format!("`homing resume {folder}` goes on from there"))
    }

    /// Removes everything, unless there is something to go on with.
    pub(crate) fn end(&self, error: Option<&UsageError>) -> Result<(), UsageError> {
        let keeps = match error {
            // All begins anew.
            Some(UsageError::More(_)) => false,
            Some(_) => self.count.get() > 0 || self.place.goes_on,
            None => self.stopped.get(),
        };
        if keeps || self.place.works {
            return Ok(());
        }
        let Some(home) = self.home.take() else { return Ok(()) };
        for number in 1..=self.count.get() {
            let path = home.search(number);
            // Who helped learns what came of it.
            Directory::dismiss(&path, PATIENCE);
            Directory::remove_search(&path).map_err(wrong)?;
            let _ = fs::remove_file(home.outcome(number));
        }
        home.remove().map_err(wrong)
    }
}

/// Whether this can be searched on disk; else why not.
fn fits(model: &Model, options: &Options, parts: &Configuration) -> Result<(), String> {
    let refusal = if model.network.is_timed() {
        "states of models with clocks are zones, which cannot be sorted for what covers what"
    } else if options.minimise.is_some() {
        "searches on disk count steps, not other costs"
    } else if options.store.is_some() {
        "on disk all states are kept as they are; there is no store to choose"
    } else if !goes_to_disk(&parts.strategy) {
        return Err(refused(&parts.strategy));
    } else {
        return Ok(());
    };
    Err(format!("`--disk`: {refusal}"))
}

fn goes_to_disk(strategy: &Strategy) -> bool {
    let once = matches!(strategy.plan, Plan::Once);
    once && strategy.prefer.is_none() && strategy.algorithm.on_disk().is_some()
}

fn refused(strategy: &Strategy) -> String {
    format!(
        "`--disk`: states go to disk by `breadth`, `dijkstra` or `astar` without a preference, \
         not by `{}`",
        strategy.call
    )
}
