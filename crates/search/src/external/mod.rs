//! External search: breadth-first search and A* over states on disk.
//!
//! Edelkamp, Jabbar, Schrödl, "External A*" (KI 2004); survey (Edelkamp et al. 2008),
//! section 7 and Fig. 5; Korf, "Best-First Frontier Search with Delayed Duplicate Detection"
//! (AAAI 2004).
//!
//! ```text
//! Open(h(s), 0) := {s}
//! for the least f = g + h for which an Open(g, h) is not empty, and then the least g:
//!   merge the sorted runs of Open(g, h), each state once
//!   subtract what Closed(0 … g, h) holds; what is left is the layer (g, h)
//!   if a state of it is wanted: GeneratePath
//!   write the layer to Closed(g, h); read it again, state by state, and expand:
//!     every successor t goes to a buffer; when it is full, it is sorted
//!     and goes to one more run of Open(g + 1, h(t)) for each h(t)
//! ```
//! Breadth-first search is the same with h = 0. What is held in memory is the buffer and a
//! block of each run that is being read, however many states there are.
//!
//! *Paths.* Sixteen bits of the hash of its predecessor are saved with a state ([`Tag`]). To
//! go one step back, the layers of the depth before are read; of states with these bits, the
//! first counts that has the state among its successors (`backwards`).
//!
//! *It begins in memory*, as other searches do, and leaves when a part of the memory is taken
//! (`begun`).
//!
//! *Whenever the process ends*, the manifest of the folder describes a moment of the search
//! from which it goes on: some time after a buffer went to disk (`saved`).
//!
//! *Others may help* to expand a layer (`parts`, `working`).
//!
//! Deviations. The survey subtracts as many layers as a proven bound on how far steps lead
//! back demands; in a directed graph nobody knows one, so all earlier layers of the same
//! estimate are subtracted. Of a state in several buckets, later ones count where they are
//! nearer (re-opening): an estimate need not be consistent. States that the estimate calls
//! dead ends are left out, and not stored; they are counted each time they are generated. An
//! estimate above 65,534 counts as that. Wanted states are looked for when a layer is merged,
//! which is as early as they are known to be new.

mod backwards;
mod begun;
mod closed;
mod expand;
mod layer;
mod parts;
mod saved;
mod working;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use homing_core::hash::hash_words;
use homing_core::{Batch, Expander, Fault, Heuristic, Price, StopReason, Watch, Word};
use homing_external::{Candidates, Directory, Filter, Run, Settings, Tag, Trouble};

use self::closed::Closed;
use self::parts::Lead;
pub use self::working::{Work, Worked, work};
use crate::guide::Guide;
use crate::path::Path;
use crate::recent::Recent;
use crate::strategy::Context;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// In which order states on disk are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By depth.
    Breadth,
    /// By depth and estimate together.
    AStar,
}

/// Where a search goes on disk, and what it left there.
#[derive(Debug)]
pub struct Disk {
    /// The folder; how many words a state has is known by the search.
    pub settings: Settings,
    /// Whether what is in the folder is this search, to go on with.
    pub goes_on: bool,
    /// The limit on memory up to which the search is in memory; none if it is on disk from
    /// the beginning.
    pub memory: Option<usize>,
    /// The bytes in which candidates are sorted; a share of the memory where nothing is said.
    pub buffer: Option<usize>,
    /// The bytes that were on disk at the end, and the most that ever were; none where memory
    /// was enough.
    pub bytes: RefCell<Option<(u64, u64)>>,
}

/// Searches on disk. What went wrong there is an error, unless the disk is full, which is a
/// reason to stop.
pub fn external(order: Order, disk: &Disk, run: Context<'_, '_>) -> Result<Outcome, Trouble> {
    let settings = Settings { width: run.task.space.width(), ..disk.settings.clone() };
    let (directory, saved) = match disk.goes_on && Directory::holds_search(&settings.path) {
        true => Directory::resume(settings).map(|(directory, saved)| (directory, Some(saved)))?,
        false => (Directory::create(settings)?, None),
    };
    let buffer = disk.buffer.unwrap_or(Candidates::share(run.watch.limits().memory));
    let Context { task, stores, guide, watch } = run;
    let mut search = External::new(order, &directory, buffer, (task, guide), watch);
    let begun = match saved {
        Some(saved) => search.restore(&saved).map(|()| None),
        None => search.begin(stores, guide, disk.memory),
    };
    let ended = match begun {
        Ok(Some(outcome)) => return Ok(outcome),
        Ok(None) => search.lead(unique()).and_then(|()| search.run()),
        Err(ended) => Err(ended),
    };
    search.end_lead();
    disk.bytes.replace(Some(directory.bytes()));
    match ended {
        Ok(()) => Ok(search.outcome(None)),
        Err(Ended::Stopped(reason)) => Ok(search.outcome(Some(reason))),
        Err(Ended::Trouble(trouble)) if trouble.is_full() => {
            let mut outcome = search.outcome(Some(StopReason::Disk));
            outcome.notices.push(trouble.to_string());
            Ok(outcome)
        }
        Err(Ended::Trouble(trouble)) => Err(trouble),
    }
}

/// A number that tells processes apart, also those of different machines.
fn unique() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    hash_words(&[since.as_nanos() as u64, std::process::id().into()])
}

/// Why a search ended early.
#[derive(Debug)]
enum Ended {
    Stopped(StopReason),
    Trouble(Trouble),
}

impl From<StopReason> for Ended {
    fn from(reason: StopReason) -> Ended {
        Ended::Stopped(reason)
    }
}

impl From<Trouble> for Ended {
    fn from(trouble: Trouble) -> Ended {
        Ended::Trouble(trouble)
    }
}

/// States of one depth and one estimate, by when they are expanded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bucket {
    /// f = g + h.
    sum: u64,
    /// g.
    depth: u32,
    /// h.
    estimate: u16,
}

impl Bucket {
    /// That of a state with this estimate at this depth.
    fn of(estimate: u16, depth: u32) -> Bucket {
        Bucket { sum: u64::from(depth) + u64::from(estimate), depth, estimate }
    }
}

/// A bucket without duplicates, and the range of its states that is expanded here: all, unless
/// others help.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layer {
    bucket: Bucket,
    run: Run,
    /// The next state to expand, and the one behind the last.
    done: u64,
    end: u64,
}

/// What was found, as it is saved: enough to find the way again.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Target {
    what: What,
    state: Vec<Word>,
    tag: Tag,
}

/// What can be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Goal(u64),
    Deadlock,
    Fault(Fault),
}

struct External<'a, 'd> {
    order: Order,
    task: &'a Task<'a>,
    directory: &'d Directory,
    watch: &'a mut Watch,
    expander: Box<dyn Expander + 'a>,
    heuristic: Option<Box<dyn Heuristic + 'a>>,
    /// Whether the estimate is never too high, as none at all.
    admissible: bool,
    open: BTreeMap<Bucket, Vec<Run>>,
    closed: BTreeMap<u16, Closed>,
    /// What is not in it.
    filter: Filter,
    /// What is being expanded. It is in `closed` as well.
    layer: Option<Layer>,
    candidates: Candidates,
    recent: Recent,
    batch: Batch,
    findings: Findings,
    targets: Vec<Target>,
    statistics: Statistics,
    /// No way that is still to be found is shorter.
    reached: Price,
    /// What was left out at the user's request.
    left_out: Option<StopReason>,
    /// When the manifest is to be written again.
    due: Duration,
    /// What is known of others who work on the search.
    lead: Option<Lead>,
    /// Whether another process leads: nothing is saved here.
    is_worker: bool,
}

impl<'a, 'd> External<'a, 'd> {
    fn new(
        order: Order,
        directory: &'d Directory,
        buffer: usize,
        (task, guide): (&'a Task<'a>, &'a Guide<'_>),
        watch: &'a mut Watch,
    ) -> External<'a, 'd> {
        let width = task.space.width();
        let heuristic = match order {
            Order::Breadth => None,
            Order::AStar => guide.instance().heuristic,
        };
        External {
            order,
            task,
            directory,
            expander: task.space.expander(),
            admissible: heuristic.as_ref().is_none_or(|heuristic| heuristic.claims().admissible),
            heuristic,
            open: BTreeMap::new(),
            closed: BTreeMap::new(),
            filter: Filter::new(buffer / 2),
            layer: None,
            candidates: Candidates::new(width, buffer),
            recent: Recent::new(width),
            batch: Batch::new(width),
            findings: Findings::default(),
            targets: Vec::new(),
            statistics: Statistics::default(),
            reached: 0,
            left_out: None,
            due: watch.elapsed(),
            lead: None,
            is_worker: false,
            watch,
        }
    }

    /// Begins with the initial states.
    fn start(&mut self) -> Result<(), Ended> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        let batch = std::mem::replace(&mut self.batch, Batch::new(0));
        for i in 0..batch.len() {
            if let Some(estimate) = self.estimate(batch.state(i), None) {
                self.candidates.push(batch.state(i), Tag::new(estimate, 0, 0));
            }
        }
        self.batch = batch;
        self.flush()?;
        self.save()
    }

    fn run(&mut self) -> Result<(), Ended> {
        while !self.findings.complete(self.task) {
            if self.layer.is_some() {
                self.expand_layer()?;
                self.layer = None;
                continue;
            }
            let Some(bucket) = self.next_bucket()? else { break };
            self.take(bucket)?;
        }
        Ok(())
    }

    /// The bucket that is taken next. Candidates of another go to disk; those of this one,
    /// which fit the buffer, need not.
    fn next_bucket(&mut self) -> Result<Option<Bucket>, Ended> {
        let first = self.open.keys().next().copied();
        let only = self.candidates.only().map(|(estimate, depth)| Bucket::of(estimate, depth));
        if only.is_some_and(|only| first.is_none_or(|first| only <= first)) {
            return Ok(only);
        }
        self.flush()?;
        self.save_if_due()?;
        Ok(self.open.keys().next().copied())
    }

    /// Sends what is in the buffer to the buckets.
    fn flush(&mut self) -> Result<(), Ended> {
        if self.candidates.is_empty() {
            return Ok(());
        }
        for run in self.candidates.flush(self.directory)? {
            let bucket = Bucket::of(run.partition, run.depths.0);
            self.open.entry(bucket).or_default().push(run);
        }
        Ok(())
    }

    /// Looks at the watch.
    fn look(&mut self) -> Result<(), Ended> {
        let frontier = self.open.values().flatten().map(|run| run.count).sum::<u64>();
        let layer = self.layer.as_ref().map_or(0, |layer| layer.end - layer.done);
        let tables = self.heuristic.as_ref().map_or(0, |heuristic| heuristic.bytes());
        let progress = &mut self.statistics.progress;
        progress.frontier = layer + frontier + self.candidates.len() as u64;
        progress.bytes = progress.bytes.max(self.candidates.bytes() + self.filter.bytes() + tables);
        self.watch.check(progress)?;
        self.beat()
    }

    /// Whether something of this kind is still looked for.
    fn is_wanted(&self, what: What) -> bool {
        match what {
            What::Goal(conditions) => self.findings.open_conditions(self.task) & conditions != 0,
            What::Deadlock => self.task.deadlock && self.findings.deadlock.is_none(),
            What::Fault(_) => self.task.fault && self.findings.fault.is_none(),
        }
    }

    /// Notes what was found, with the way to it.
    fn found(&mut self, what: What, state: &[Word], tag: Tag) -> Result<(), Ended> {
        let path = self.way_to(state, tag)?;
        match what {
            What::Goal(conditions) => self.findings.found(conditions, &path),
            What::Deadlock => self.findings.deadlock = Some(Finding { path, fault: None }),
            What::Fault(fault) => self.findings.fault = Some(Finding { path, fault: Some(fault) }),
        }
        self.targets.push(Target { what, state: state.to_vec(), tag });
        Ok(())
    }

    /// The way to a state that was met with this tag. One that cannot be found again is left
    /// empty; replaying it will not confirm the finding.
    fn way_to(&mut self, state: &[Word], tag: Tag) -> Result<Path, Ended> {
        let states = self.states_to(state, tag)?;
        Ok(Path::along(&states, &mut *self.expander, None).unwrap_or_default())
    }

    fn outcome(self, stopped: Option<StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        let stopped = match stopped {
            _ if complete => None,
            None => self.left_out,
            other => other,
        };
        let limits = self.watch.limits();
        let behind = limits.bound.map_or(Price::MAX, |bound| bound.saturating_add(1));
        let behind = behind.min(self.task.behind_limit(limits.depth));
        let at_least = match stopped {
            None if !complete => Price::MAX,
            _ if self.admissible => self.reached.min(behind),
            _ => 0,
        };
        Outcome {
            findings: self.findings,
            statistics: Statistics {
                estimated: self.statistics.estimated
                    + self.heuristic.map_or(0, |heuristic| heuristic.work()),
                ..self.statistics
            },
            stopped,
            optimal: self.admissible,
            at_least,
            notices: Vec::new(),
        }
    }
}
