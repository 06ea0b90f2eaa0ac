//! `homing-bench liveness`: formulas of linear temporal logic, beside known
//! answers and SPIN.
//!
//! | part       | question | table |
//! |------------|----------|-------|
//! | `verdicts` | on every formula of the corpus: the known answer? | `liveness.tsv` |
//! | `spin`     | on every `ltl` block and claim in Promela: `pan -a`'s answer? how fast? | `liveness-spin.tsv` |
//! | `speed`    | on large products: how fast beside `pan -a`? | `liveness-speed.tsv` |
//! | `found`    | how soon is a violated formula found, how long is the run shown? | `liveness-found.tsv` |
//!
//! Each part writes its table, and then the page `liveness.md` is made anew from
//! all tables there are. The run fails if an answer is wrong.

pub mod formulas;
mod found;
pub(crate) mod page;
mod speed;
mod spin;
mod verdicts;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::measure::Limits;
use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench liveness`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// Only every so many-th formula
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Seconds a search may take
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// States a search may store: a limit that is the same on a busy machine
    #[arg(long)]
    states: Option<u64>,
    /// Of verdicts, only those again that are not decided in the table that is there
    #[arg(long)]
    again: bool,
}

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Verdicts of the formulas for BEEM's models
    Verdicts,
    /// Verdicts and speed of the formulas and claims in Promela
    Spin,
    /// Speed on large products, beside SPIN
    Speed,
    /// Time to a violation, and the length of its run
    Found,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 on a wrong answer.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 4] = [
        (Part::Verdicts, verdicts::run),
        (Part::Spin, spin::run),
        (Part::Speed, speed::run),
        (Part::Found, |options| found::run(options).map(|()| 0)),
    ];
    parts::run(options, &options.common, &parts, page::write)
}

impl Options {
    /// The formulas wanted.
    fn formulas(&self) -> Result<Vec<formulas::Known>> {
        let mut all = formulas::all(&self.common.setting.corpus()?)?;
        all.retain(|known| self.common.names(&known.name));
        Ok(all.into_iter().step_by(self.every.max(1)).collect())
    }

    /// What a run is ended by from outside, should it not end itself.
    fn limits(&self) -> Limits {
        Limits { memory: Some(6 << 30), seconds: Some(self.seconds + 20) }
    }

    /// The limits that a run is told.
    fn told(&self) -> Vec<String> {
        let mut told = vec!["--time".into(), format!("{}s", self.seconds)];
        told.extend(["--memory", "4G"].map(String::from));
        told.extend(self.states.iter().flat_map(|most| ["--states".into(), most.to_string()]));
        told
    }
}
