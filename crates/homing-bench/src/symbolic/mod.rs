//! `homing-bench symbolic`: do searches over sets of states find errors where breadth-first
//! search does not, and do they count what there is?
//!
//! | part   | question | table |
//! |--------|----------|-------|
//! | `tree` | tree arbiters: every symbolic search beside breadth-first search, and the paper's Table 4 | `symbolic-tree.tsv` |
//! | `ring` | rings for mutual exclusion: the same, and Table 5 | `symbolic-ring.tsv` |
//! | `beem` | BEEM: are states, deadlocks and levels those that are known? | `symbolic-beem.tsv` |
//!
//! The paper is Reffel, Edelkamp, "Error Detection with Directed Symbolic Model Checking"
//! (FM 1999). Each part writes its table, and then the page `symbolic.md` is made anew from all
//! tables there are. The run fails on any wrong answer.

mod beem;
mod errors;
mod page;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::parts::{self, Common, Measure};

/// Arguments of `homing-bench symbolic`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    common: Common<Part>,
    /// Seconds a search may take
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Memory a search may take
    #[arg(long, default_value = "4G")]
    memory: String,
    /// Of BEEM, instances of at most so many states
    #[arg(long, default_value_t = 200_000)]
    most: u64,
}

/// A part of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Tree arbiters without cross-gating
    Tree,
    /// Rings for mutual exclusion with a broken gate
    Ring,
    /// States of BEEM's instances
    Beem,
    /// Nothing: make the page from the tables
    Page,
}

/// Runs the parts; exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let parts: [(Part, Measure<Options>); 3] =
        [(Part::Tree, errors::tree), (Part::Ring, errors::ring), (Part::Beem, beem::run)];
    parts::run(options, &options.common, &parts, page::write)
}
