//! Searches in memory that are kept in a file, where the user names one.
//!
//! A run may need several searches, one after the other. The file holds what came of those
//! that are done, and where the one at hand stands. A run that goes on makes the same searches
//! in the same order: it is told what came of the first ones, and goes on in the next.
//!
//! Once a search was stopped by a limit, those behind it are not kept any more: who goes on
//! goes on in the one that was stopped, and makes the others again.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::time::Duration;

use homing_external::{Checkpoint, Loader, Saver, Trouble};
use homing_report::style::bytes;
use homing_search::kept::{Keep, load_outcome, save_outcome};
use homing_search::{Context, Outcome, Plan, Strategy};

use crate::elsewhere::{could_go_on, fingerprint, wrong};
use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, UsageError};

/// Where a search in memory is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InFile {
    /// The file.
    pub file: PathBuf,
    /// The time between two checkpoints.
    pub every: Duration,
    /// Whether what is in the file is this run, to go on with.
    pub goes_on: bool,
    /// What is searched, for whoever goes on: kept in the file as it is.
    pub about: String,
}

/// The searches of a run that are kept in a file.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    place: InFile,
    fingerprint: u64,
    checkpoint: RefCell<Option<Checkpoint>>,
    /// What is to be read, and of how many searches it says what came of them.
    saved: RefCell<Option<Loader>>,
    known: u64,
    /// Searches so far.
    count: Cell<u64>,
    /// What came of those that are done.
    done: RefCell<Vec<Outcome>>,
    /// Whether there is something to go on with, and whether a search was stopped.
    kept: Cell<bool>,
    stopped: Cell<bool>,
}

impl Checkpoints {
    /// Opens the file, if this can be kept in one.
    pub(crate) fn open(
        place: &InFile,
        model: &Model,
        options: &Options,
        parts: &Configuration,
    ) -> Result<Checkpoints, UsageError> {
        fits(model, options, parts).map_err(UsageError::Sentence)?;
        let fingerprint = fingerprint(model, options);
        let (checkpoint, mut saved) = match place.goes_on {
            true => {
                Checkpoint::resume(&place.file, fingerprint).map(|(it, saved)| (it, Some(saved)))
            }
            false => Checkpoint::create(&place.file).map(|it| (it, None)),
        }
        .map_err(wrong)?;
        let mut place = place.clone();
        if place.goes_on {
            // How it began, not how it goes on.
            place.about = Checkpoint::about(&place.file).map_err(wrong)?;
        }
        let known = saved.as_mut().map_or(Ok(0), Loader::number).map_err(wrong)?;
        Ok(Checkpoints {
            place,
            fingerprint,
            checkpoint: RefCell::new(Some(checkpoint)),
            kept: Cell::new(saved.is_some()),
            saved: RefCell::new(saved),
            known,
            count: Cell::default(),
            done: RefCell::default(),
            stopped: Cell::default(),
        })
    }

    /// Searches, and keeps what is searched.
    pub(crate) fn search(
        &self,
        strategy: &Strategy,
        context: Context<'_, '_>,
    ) -> Result<Outcome, UsageError> {
        let number = self.count.get() + 1;
        self.count.set(number);
        if number <= self.known {
            return self.remembered(context.task.space.width()).map_err(wrong);
        }
        let outcome = match &*self.checkpoint.borrow() {
            Some(checkpoint) if !self.stopped.get() => self.keep(strategy, context, checkpoint)?,
            _ => return Ok(strategy.algorithm.run(context)),
        };
        self.done.borrow_mut().push(outcome.clone());
        Ok(outcome)
    }

    /// What came of a search before, as the file says.
    fn remembered(&self, width: usize) -> Result<Outcome, Trouble> {
        let mut saved = self.saved.borrow_mut();
        let loader = saved.as_mut().ok_or_else(|| Trouble::Empty(self.place.file.clone()))?;
        let outcome = load_outcome(loader, width)?;
        self.done.borrow_mut().push(outcome.clone());
        Ok(outcome)
    }

    fn keep(
        &self,
        strategy: &Strategy,
        context: Context<'_, '_>,
        checkpoint: &Checkpoint,
    ) -> Result<Outcome, UsageError> {
        let before = |saver: &mut Saver| {
            let done = self.done.borrow();
            saver.number(done.len() as u64)?;
            done.iter().try_for_each(|outcome| save_outcome(saver, outcome))
        };
        let what = (self.fingerprint, &*self.place.about);
        let loader = self.saved.take();
        let mut keep = Keep::new(checkpoint, what, &before, self.place.every, loader);
        let outcome = strategy.algorithm.run_kept(context, &mut keep);
        let mut outcome = outcome.ok_or_else(|| UsageError::Sentence(refused(strategy)))?;
        if let Some(trouble) = keep.trouble {
            return Err(wrong(trouble));
        }
        if let Some(size) = keep.bytes {
            self.kept.set(true);
            outcome.notices.push(format!("kept in a file of {}", bytes(size)));
        }
        if let Some(trouble) = keep.unsaved {
            outcome.notices.push(format!("the last checkpoint could not be written: {trouble}"));
        }
        if outcome.stopped.is_some_and(could_go_on) {
            self.stopped.set(true);
            outcome.notices.extend(self.how_to_go_on());
        }
        Ok(outcome)
    }

    /// How to go on with a search that was stopped, if it can be.
    pub(crate) fn how_to_go_on(&self) -> Option<String> {
        let file = self.place.file.display();
        (self.stopped.get() && self.kept.get())
            .then(|| format!("`homing resume {file}` goes on from there"))
    }

    /// Removes the file, unless there is something to go on with.
    pub(crate) fn end(&self, error: Option<&UsageError>) -> Result<(), UsageError> {
        let Some(checkpoint) = self.checkpoint.take() else { return Ok(()) };
        let keeps = match error {
            // All begins anew.
            Some(UsageError::More(_)) => false,
            Some(_) => true,
            None => self.stopped.get(),
        };
        if keeps { Ok(()) } else { checkpoint.remove().map_err(wrong) }
    }
}

/// Whether this can be kept in a file; else why not.
fn fits(model: &Model, options: &Options, parts: &Configuration) -> Result<(), String> {
    let once = matches!(parts.strategy.plan, Plan::Once) && parts.strategy.prefer.is_none();
    let refusal = if model.network.is_timed() {
        "of models with clocks the zones that others cover are forgotten, and cannot be kept"
    } else if options.reduction.asked().is_some() {
        "a search that leaves out interleavings depends on more than its states; take \
         `--reduction none`"
    } else if !parts.keeps_exact_states() {
        "it needs a store that keeps all states"
    } else if !once || !parts.strategy.algorithm.can_be_kept() {
        return Err(refused(&parts.strategy));
    } else {
        return Ok(());
    };
    Err(format!("`--checkpoint`: {refusal}"))
}

fn refused(strategy: &Strategy) -> String {
    format!(
        "`--checkpoint`: searches by `breadth`, `dijkstra`, `astar`, `greedy`, `weighted` or \
         `k-best` without a preference can be kept, not by `{}`",
        strategy.call
    )
}
