//! Searches in memory that are kept in a file, to go on with: what all of them need.
//!
//! A run may consist of several searches, one after the other. The file holds what came of
//! those that are done, and where the one at hand stands ([`Keep`]). How a search says where it
//! stands is its own business: `best_first::keeping`.

use std::cell::Cell;
use std::time::{Duration, Instant};

use homing_core::{Edge, Fault, Progress, StopReason};
use homing_external::{Checkpoint, Loader, Saver, Trouble};

use crate::path::Path;
use crate::task::{Finding, Findings, Outcome, Statistics};

/// Questions between two looks at the clock.
const PATIENCE: u32 = 256;

/// Where a search is kept, and from where it goes on.
pub struct Keep<'k> {
    checkpoint: &'k Checkpoint,
    fingerprint: u64,
    about: &'k str,
    /// What is saved before the search itself.
    before: &'k dyn Fn(&mut Saver) -> Result<(), Trouble>,
    every: Duration,
    loader: Option<Loader>,
    /// When it was saved last, and how long that took.
    last: (Instant, Duration),
    wait: Cell<u32>,
    /// Whether, of equal keys, what came last leaves first.
    pub(crate) newest: bool,
    /// The bytes of the file, if it was saved.
    pub bytes: Option<u64>,
    /// Why the search could not go on from where it stood.
    pub trouble: Option<Trouble>,
    /// Why the last checkpoint could not be written. Those before count.
    pub unsaved: Option<Trouble>,
}

impl<'k> Keep<'k> {
    /// Keeps a search there, each time that so much time has passed. It goes on from the
    /// loader, if there is one.
    pub fn new(
        checkpoint: &'k Checkpoint,
        (fingerprint, about): (u64, &'k str),
        before: &'k dyn Fn(&mut Saver) -> Result<(), Trouble>,
        every: Duration,
        loader: Option<Loader>,
    ) -> Keep<'k> {
        let last = (Instant::now(), Duration::ZERO);
        let (wait, newest, bytes, trouble) = (Cell::new(PATIENCE), false, None, None);
        Keep {
            checkpoint,
            fingerprint,
            about,
            before,
            every,
            loader,
            last,
            wait,
            newest,
            bytes,
            trouble,
            unsaved: None,
        }
    }

    pub(crate) fn take_loader(&mut self) -> Option<Loader> {
        self.loader.take()
    }

    /// Whether it is time to save. Saving takes no more than half of all time.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        let wait = self.wait.get() - 1;
        self.wait.set(if wait == 0 { PATIENCE } else { wait });
        let (last, took) = self.last;
        wait == 0 && last.elapsed() >= self.every.max(took)
    }

    /// Saves the search. Where that is not possible it goes on: perhaps it will be later.
    pub(crate) fn save(&mut self, what: impl FnOnce(&mut Saver) -> Result<(), Trouble>) {
        let began = Instant::now();
        let saved = self.checkpoint.save(self.fingerprint, self.about, |saver| {
            (self.before)(saver)?;
            what(saver)
        });
        match saved {
            Ok(bytes) => (self.bytes, self.unsaved) = (Some(bytes), None),
            Err(trouble) => self.unsaved = Some(trouble),
        }
        self.last = (Instant::now(), began.elapsed());
    }

    /// Something went wrong: why the search ends.
    pub(crate) fn fail(&mut self, trouble: Trouble) -> StopReason {
        self.trouble = Some(trouble);
        StopReason::Disk
    }
}

/// Why a search may stop; the numbers that stand for it begin with 1.
const REASONS: [StopReason; 10] = [
    StopReason::Memory,
    StopReason::Time,
    StopReason::States,
    StopReason::Depth,
    StopReason::Bound,
    StopReason::Expansions,
    StopReason::Pruned,
    StopReason::StoreFull,
    StopReason::Disk,
    StopReason::Cancelled,
];

/// The number of a reason; 0 of none.
pub(crate) fn of_reason(reason: Option<StopReason>) -> u64 {
    let place = reason.and_then(|reason| REASONS.iter().position(|one| *one == reason));
    place.map_or(0, |place| place as u64 + 1)
}

/// The reason of a number.
pub(crate) fn reason(number: u64) -> Option<StopReason> {
    REASONS.get((number as usize).checked_sub(1)?).copied()
}

/// Writes what came of a search.
pub fn save_outcome(saver: &mut Saver, outcome: &Outcome) -> Result<(), Trouble> {
    save_statistics(saver, &outcome.statistics)?;
    save_findings(saver, &outcome.findings)?;
    saver.number(of_reason(outcome.stopped))?;
    saver.number(outcome.optimal.into())?;
    saver.number(outcome.at_least)?;
    saver.number(outcome.notices.len() as u64)?;
    outcome.notices.iter().try_for_each(|notice| saver.text(notice))
}

/// Reads what came of a search over states of so many words.
pub fn load_outcome(loader: &mut Loader, width: usize) -> Result<Outcome, Trouble> {
    let statistics = load_statistics(loader)?;
    let findings = load_findings(loader, width)?;
    let stopped = reason(loader.number()?);
    let (optimal, at_least) = (loader.below(2)? == 1, loader.number()?);
    let mut notices = Vec::new();
    for _ in 0..loader.number()? {
        notices.push(loader.text()?);
    }
    Ok(Outcome { findings, statistics, stopped, optimal, at_least, notices })
}

/// Writes what a search did. How often queues were used is not kept: searches over several
/// are not.
pub(crate) fn save_statistics(saver: &mut Saver, statistics: &Statistics) -> Result<(), Trouble> {
    let Statistics { progress, deadlocks, faults, dead_ends, counted, .. } = *statistics;
    let Progress { stored, expanded, generated, frontier, depth, best, bytes } = progress;
    let numbers = [
        stored,
        expanded,
        generated,
        frontier,
        depth.into(),
        best.map_or(0, |best| u64::from(best) + 1),
        bytes as u64,
        deadlocks,
        faults,
        dead_ends,
        counted,
        statistics.levels.into(),
        statistics.reduced,
        statistics.estimated,
    ];
    numbers.into_iter().try_for_each(|number| saver.number(number))
}

/// Reads what a search did.
pub(crate) fn load_statistics(loader: &mut Loader) -> Result<Statistics, Trouble> {
    let progress = Progress {
        stored: loader.number()?,
        expanded: loader.number()?,
        generated: loader.number()?,
        frontier: loader.number()?,
        depth: loader.number()? as u32,
        best: loader.number()?.checked_sub(1).map(|best| best as u32),
        bytes: loader.number()? as usize,
    };
    Ok(Statistics {
        progress,
        deadlocks: loader.number()?,
        faults: loader.number()?,
        dead_ends: loader.number()?,
        counted: loader.number()?,
        levels: loader.number()? as u32,
        reduced: loader.number()?,
        estimated: loader.number()?,
        queues: None,
    })
}

/// What a finding is of, as a number: a condition by its bit, or one of these.
const DEADLOCK: u64 = 64;
const FAULT: u64 = 65;

/// Writes what was found.
pub(crate) fn save_findings(saver: &mut Saver, findings: &Findings) -> Result<(), Trouble> {
    let conditions = (0..).zip(&findings.conditions);
    let conditions = conditions.filter_map(|(bit, one)| Some((bit, one.as_ref()?)));
    let others = [(DEADLOCK, &findings.deadlock), (FAULT, &findings.fault)];
    let others = others.into_iter().filter_map(|(what, one)| Some((what, one.as_ref()?)));
    let all: Vec<(u64, &Finding)> = conditions.chain(others).collect();
    saver.number(all.len() as u64)?;
    for (what, finding) in all {
        saver.number(what)?;
        save_path(saver, &finding.path)?;
        let fault = finding.fault.map(|Fault { edge, site }| [edge.label, edge.choice, site]);
        saver.number(fault.is_some().into())?;
        fault.into_iter().flatten().try_for_each(|number| saver.number(number.into()))?;
    }
    Ok(())
}

/// Reads what was found among states of so many words.
pub(crate) fn load_findings(loader: &mut Loader, width: usize) -> Result<Findings, Trouble> {
    let mut findings = Findings::default();
    for _ in 0..loader.number()? {
        let what = loader.below(FAULT + 1)?;
        let path = load_path(loader, width)?;
        let fault = match loader.below(2)? {
            0 => None,
            _ => Some(Fault { edge: load_edge(loader)?, site: loader.number()? as u32 }),
        };
        match what {
            DEADLOCK => findings.deadlock = Some(Finding { path, fault }),
            FAULT => findings.fault = Some(Finding { path, fault }),
            bit => findings.found(1 << bit, &path),
        }
    }
    Ok(findings)
}

/// Writes a path. One that could not be found again has no state.
fn save_path(saver: &mut Saver, path: &Path) -> Result<(), Trouble> {
    saver.number(path.states() as u64)?;
    for step in 0..path.states() {
        saver.state(path.state(step))?;
    }
    for (_, edge) in path.steps() {
        saver.number(edge.label.into())?;
        saver.number(edge.choice.into())?;
    }
    Ok(())
}

fn load_path(loader: &mut Loader, width: usize) -> Result<Path, Trouble> {
    let count = loader.number()?;
    let mut states = Vec::new();
    for _ in 0..count {
        let mut state = vec![0; width];
        loader.state(&mut state)?;
        states.push(state);
    }
    let Some((first, others)) = states.split_first() else { return Ok(Path::default()) };
    let mut path = Path::starting_at(first);
    for state in others {
        path.push(load_edge(loader)?, state);
    }
    Ok(path)
}

fn load_edge(loader: &mut Loader) -> Result<Edge, Trouble> {
    Ok(Edge { label: loader.number()? as u32, choice: loader.number()? as u32 })
}
