//! Searches that go to disk, where the user names a folder.
//!
//! A run may need several searches, one after the other (for several questions, for
//! different traces). Each has a folder of its own in that of the run, by its number; since
//! a run that is repeated makes the same searches in the same order, one that goes on finds
//! each where it was.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;

use homing_budget::heap;
use homing_core::hash::hash_words;
use homing_core::{StopReason, Word};
use homing_external::{Directory, Home, Settings, Trouble};
use homing_report::style::bytes;
use homing_search::external::{Disk, Order, external};
use homing_search::{Context, Outcome, Plan, Strategy};

use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, UsageError};

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
    /// What is searched, for whoever goes on: kept in the folder as it is
    /// ([`started_on_disk`]).
    pub about: String,
}

/// What a folder is said to be [about](OnDisk::about).
pub fn started_on_disk(folder: &std::path::Path) -> Result<String, UsageError> {
    Home::about(folder).map_err(wrong)
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
    /// Opens the folder, if there is to be one and this can be searched there.
    pub(crate) fn open(
        model: &Model,
        options: &Options,
        parts: &Configuration,
    ) -> Result<Option<Rc<Disks>>, UsageError> {
        let Some(place) = &options.disk else { return Ok(None) };
        fits(model, options, parts).map_err(UsageError::Sentence)?;
        let home = match place.goes_on {
            true => Home::resume(&place.folder),
            false => Home::create(&place.folder, &place.about),
        };
        Ok(Some(Rc::new(Disks {
            home: RefCell::new(Some(home.map_err(wrong)?)),
            place: place.clone(),
            fingerprint: fingerprint(model, options),
            count: Cell::new(0),
            stopped: Cell::new(false),
        })))
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
        let mut outcome = external(order, &disk, context).map_err(wrong)?;
        let taken = disk.bytes.take();
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
        Ok((outcome, taken.map(|(now, _)| now)))
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
        if keeps {
            return Ok(());
        }
        let Some(home) = self.home.take() else { return Ok(()) };
        for number in 1..=self.count.get() {
            Directory::remove_search(&home.search(number)).map_err(wrong)?;
        }
        home.remove().map_err(wrong)
    }
}

/// Whether a search that stopped for this reason has more to look at, if it may.
fn could_go_on(stopped: StopReason) -> bool {
    !matches!(stopped, StopReason::Depth | StopReason::Bound | StopReason::Pruned)
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

fn wrong(trouble: Trouble) -> UsageError {
    UsageError::Sentence(trouble.to_string())
}

/// What tells this run from runs of other models and with other options: a number.
fn fingerprint(model: &Model, options: &Options) -> u64 {
    let limits = homing_core::Limits {
        depth: options.limits.depth,
        bound: options.limits.bound,
        ..Default::default()
    };
    let asked = Options { limits, disk: None, crew: Options::default().crew, ..options.clone() };
    let sources = &model.network.sources;
    let texts = (0..sources.count()).map(|id| &sources.get(homing_ir::SourceId(id as u16)).text);
    let processes = model.network.processes.len();
    let asked = format!("{} {processes} {asked:?}", env!("CARGO_PKG_VERSION"));
    let of = |text: &str| {
        let words: Vec<Word> = text.bytes().map(Word::from).collect();
        hash_words(&words)
    };
    let parts: Vec<Word> = texts.map(|text| of(text)).chain([of(&asked)]).collect();
    hash_words(&parts)
}
