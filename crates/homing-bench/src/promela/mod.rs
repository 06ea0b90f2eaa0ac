//! `homing-bench promela`: everything about Promela, beside SPIN.
//!
//! | part     | question | table |
//! |----------|----------|-------|
//! | `counts` | on every model of the corpus: the same states, the same verdicts? | `promela.tsv` |
//! | `speed`  | how many times faster and smaller than `pan`? | `promela-speed.tsv` |
//! | `quick`  | from file to verdict, the C compiler included? | `promela-quick.tsv` |
//! | `errors` | how many states until the first error, how long a trace? | `promela-errors.tsv` |
//! | `refusals` | which models are not read, why, and does SPIN read them? | `refusals-promela.tsv` |
//!
//! Each part writes its table, and then the page `promela.md` is made anew from
//! all tables there are. Without a part all are measured. The run fails if a
//! count or a verdict differs that is not among the explained ones.

mod counts;
mod errors;
mod explained;
pub(crate) mod models;
pub(crate) mod page;
mod quick;
mod reference;
mod refusals;
mod speed;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench promela`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// Runs of each program whose time is measured, of which the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// States and verdicts of the corpus
    Counts,
    /// Transitions a second and bytes a state on large models
    Speed,
    /// From file to verdict on small models
    Quick,
    /// States until the first error, and the length of its trace
    Errors,
    /// Models that are not read, by reason
    Refusals,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 on an unexplained difference.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 5] = [
        (Part::Counts, counts::run),
        (Part::Speed, |options| speed::run(options).map(|()| 0)),
        (Part::Quick, |options| quick::run(options).map(|()| 0)),
        (Part::Errors, |options| errors::run(options).map(|()| 0)),
        (Part::Refusals, |options| refusals::run(options).map(|()| 0)),
    ];
    parts::run(options, &options.common, &parts, page::write)
}

impl Options {
    /// The models wanted.
    fn models(&self) -> Result<Vec<models::File>> {
        let mut all = models::all(&self.common.setting.corpus()?.promela_folder())?;
        all.retain(|model| self.common.names(&model.name));
        Ok(all)
    }
}
