//! `homing-bench reduction`: partial-order reduction beside the whole state space and
//! SPIN's own.
//!
//! | part       | question | tables |
//! |------------|----------|--------|
//! | `states`   | how many states are left? what does the attempt cost where none is left out? | `reduction-promela.tsv`, `reduction-beem.tsv` |
//! | `verdicts` | does every reduced search come to the verdict of the whole one? | `reduction-verdicts.tsv` |
//!
//! Then the page `reduction.md` is made anew from all tables there are. The run fails
//! if a verdict differs.

pub(crate) mod page;
mod states;
mod verdicts;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench reduction`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// The least states a model has whose states are counted
    #[arg(long, default_value_t = 500)]
    least: u64,
    /// The most states it has
    #[arg(long, default_value_t = 600_000)]
    most: u64,
    /// Runs of each such model, of which the least time counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The most states of a model, or of its product with a formula, whose verdicts are
    /// compared
    #[arg(long, default_value_t = 20_000)]
    states: u64,
    /// Of the questions about verdicts, only every so many-th
    #[arg(long, default_value_t = 1)]
    every: usize,
}

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// States that are left, and what the attempt costs
    States,
    /// Verdicts of reduced searches
    Verdicts,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 where a verdict differs.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 2] = [
        (Part::States, |options| states::run(options).map(|()| 0)),
        (Part::Verdicts, |options| {
            let differences = verdicts::run(options)?;
            println!("{differences} differences");
            Ok(differences)
        }),
    ];
    parts::run(options, &options.common, &parts, page::write)
}

impl Options {
    /// Whether the states of a model are counted.
    fn counts(&self, name: &str, states: Option<u64>) -> bool {
        let fits = states.is_some_and(|states| (self.least..=self.most).contains(&states));
        fits && self.common.names(name)
    }
}
