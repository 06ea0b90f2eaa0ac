//! Searches that are not in memory alone: on disk, or kept in a file.

use std::path::Path;
use std::rc::Rc;

use homing_core::hash::hash_words;
use homing_core::{StopReason, Word};
use homing_external::{Checkpoint, Home, Trouble};
use homing_search::{Context, Outcome, Strategy};

use crate::checkpoint::Checkpoints;
use crate::disk::Disks;
use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, UsageError};

/// What a folder, or a file, says that is searched there.
pub fn started_on_disk(place: &Path) -> Result<String, UsageError> {
    let about = if place.is_file() { Checkpoint::about(place) } else { Home::about(place) };
    about.map_err(wrong)
}

/// Where the searches of a run are.
#[derive(Debug)]
pub(crate) enum Elsewhere {
    OnDisk(Disks),
    InFile(Checkpoints),
}

impl Elsewhere {
    /// Where the options say, if this can be searched there.
    pub(crate) fn open(
        model: &Model,
        options: &Options,
        parts: &Configuration,
    ) -> Result<Option<Rc<Elsewhere>>, UsageError> {
        let elsewhere = match (&options.disk, &options.checkpoint) {
            (None, None) => return Ok(None),
            (Some(place), None) => Elsewhere::OnDisk(Disks::open(place, model, options, parts)?),
            (None, Some(place)) => {
                Elsewhere::InFile(Checkpoints::open(place, model, options, parts)?)
            }
            _ => {
                let both = "a search is on disk or kept in a file, not both";
                return Err(UsageError::Sentence(both.into()));
            }
        };
        Ok(Some(Rc::new(elsewhere)))
    }

    /// Searches there. Answers also how many bytes the states take, if they are on disk.
    pub(crate) fn search(
        &self,
        strategy: &Strategy,
        context: Context<'_, '_>,
    ) -> Result<(Outcome, Option<u64>), UsageError> {
        match self {
            Elsewhere::OnDisk(disks) => disks.search(strategy, context),
            Elsewhere::InFile(file) => Ok((file.search(strategy, context)?, None)),
        }
    }

    /// How to go on with a search that was stopped.
    pub(crate) fn how_to_go_on(&self) -> Option<String> {
        match self {
            Elsewhere::OnDisk(disks) => disks.how_to_go_on(),
            Elsewhere::InFile(file) => file.how_to_go_on(),
        }
    }

    /// Removes everything, unless there is something to go on with.
    pub(crate) fn end(&self, error: Option<&UsageError>) -> Result<(), UsageError> {
        match self {
            Elsewhere::OnDisk(disks) => disks.end(error),
            Elsewhere::InFile(file) => file.end(error),
        }
    }
}

/// Whether a search that stopped for this reason has more to look at, if it may.
pub(crate) fn could_go_on(stopped: StopReason) -> bool {
    !matches!(stopped, StopReason::Depth | StopReason::Bound | StopReason::Pruned)
}

pub(crate) fn wrong(trouble: Trouble) -> UsageError {
    UsageError::Sentence(trouble.to_string())
}

/// What tells this run from runs of other models and with other options: a number.
pub(crate) fn fingerprint(model: &Model, options: &Options) -> u64 {
    let limits = homing_core::Limits {
        depth: options.limits.depth,
        bound: options.limits.bound,
        ..Default::default()
    };
    let asked = Options {
        limits,
        disk: None,
        checkpoint: None,
        crew: Options::default().crew,
        ..options.clone()
    };
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
