//! `homing-bench timed`: timed automata, beside TChecker.
//!
//! | part       | question | table |
//! |------------|----------|-------|
//! | `tchecker` | TChecker's own tests: reachable and stored as it expects? | `timed-tchecker.tsv` |
//! | `speed`    | how many zones a second, how many bytes a zone? | `timed-speed.tsv` |
//! | `verdicts` | which files are read, are known outcomes met? | `timed-verdicts.tsv` |
//! | `refusals` | which files are not read, and why? | `refusals-timed.tsv` |
//! | `errors`   | states, time and steps to reachable goals? | `timed-errors.tsv` |
//!
//! Each part writes its table, and then the page `timed.md` is made anew from
//! all tables there are. Without a part all are measured. The run fails if
//! something is reachable that must not be, or the other way round, and no
//! reason is known.

mod counts;
mod errors;
mod explained;
mod models;
pub(crate) mod page;
mod refusals;
mod speed;
mod tchecker;
mod verdicts;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench timed`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// Folder of TChecker's programs [default: $TCHECKER, else where the PATH finds them]
    #[arg(long, value_name = "DIR")]
    tchecker: Option<PathBuf>,
    /// Of the rows of TChecker's tests, take every so many-th
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Runs of each program whose time is measured, of which the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seconds for the verdicts of one model
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Seconds of processor time for a search to a goal
    #[arg(long, default_value_t = 60)]
    limit: u64,
}

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// What TChecker expects of its own tests
    Tchecker,
    /// Zones a second and bytes a zone
    Speed,
    /// Files read, and outcomes known
    Verdicts,
    /// Files not read, by reason
    Refusals,
    /// States, time and steps to reachable goals
    Errors,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 on an unexplained difference.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 5] = [
        (Part::Tchecker, counts::run),
        (Part::Speed, |options| speed::run(options).map(|()| 0)),
        (Part::Verdicts, verdicts::run),
        (Part::Refusals, |options| refusals::run(options).map(|()| 0)),
        (Part::Errors, errors::run),
    ];
    parts::run(options, &options.common, &parts, page::write)
}

impl Options {
    /// The folder of timed models.
    fn folder(&self) -> Result<PathBuf> {
        Ok(self.common.setting.corpus()?.timed_folder())
    }

    /// The models wanted.
    fn models(&self) -> Result<Vec<models::File>> {
        let mut all = models::all(&self.folder()?)?;
        all.retain(|model| self.common.names(&model.name));
        Ok(all)
    }

    fn tchecker(&self) -> tchecker::TChecker {
        let folder = self.tchecker.clone().or_else(|| std::env::var_os("TCHECKER").map(Into::into));
        tchecker::TChecker::find(folder.as_deref())
    }
}
