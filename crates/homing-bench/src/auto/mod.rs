//! `homing-bench auto`: does the planner find errors as soon as whoever knew the best
//! search before, and cost next to nothing where there is nothing to find?
//!
//! | part       | question | table |
//! |------------|----------|-------|
//! | `errors`   | how long until the first error, beside every plain search? | `auto.tsv`, `auto-plain.tsv` |
//! | `holds`    | how much longer than breadth-first search where there is no error? | `auto-holds.tsv` |
//! | `shortest` | are traces proven shortest within the default's own budget? | `auto-shortest.tsv` |
//!
//! Each part writes its table, and then the page `auto.md` is made anew from all
//! tables there are. Without a part all are measured. The run fails on any wrong
//! answer.

mod errors;
mod holds;
pub(crate) mod page;
mod plain;
mod shortest;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench auto`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// Processor seconds a search may take; a plain one at most ten times what the best takes
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Memory a search may take
    #[arg(long, default_value = "4G")]
    memory: String,
    /// Runs of each search whose time is measured, of which the least counts; until errors,
    /// of those below half a second
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Of the models, take every so many-th
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The table of plain searches: what it has is not run again, what it lacks is added
    /// [default: auto-plain.tsv in the folder of the tables]
    #[arg(long, value_name = "FILE")]
    plain: Option<PathBuf>,
    /// Of models that hold, at least so many states
    #[arg(long, default_value_t = 100_000)]
    least: u64,
    /// And at most so many
    #[arg(long, default_value_t = 60_000_000)]
    most: u64,
    /// Count instructions by valgrind, of models that hold up to so many states
    #[arg(long, value_name = "STATES", num_args = 0..=1, default_missing_value = "400000")]
    instructions: Option<u64>,
}

const EXAMPLES: &str = "\
While tuning, keep the tables that are committed and the plain searches that they have:
  homing-bench auto errors --plain bench/results/auto-plain.tsv --out DIR
  ... --only H8                    models whose name contains H8
  ... --only . --every 3           every third goal of BEEM (their names have a full stop)
  ... --seconds 10 --runs 1        quick: one run of ten seconds a model
  homing-bench auto holds --least 1000000 --runs 1 --out DIR
  homing-bench auto holds --most 400000 --instructions --runs 1 --out DIR";

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Time until the first error, beside plain searches
    Errors,
    /// What it costs where nothing is to be found, beside breadth-first search
    Holds,
    /// Traces proven shortest
    Shortest,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 3] =
        [(Part::Errors, errors::run), (Part::Holds, holds::run), (Part::Shortest, shortest::run)];
    parts::run(options, &options.common, &parts, page::write)
}

impl Options {
    /// Those of some models that are wanted.
    fn wanted<T>(&self, all: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
        let named = all.into_iter().filter(|one| self.common.names(name(one)));
        named.step_by(self.every.max(1)).collect()
    }
}
