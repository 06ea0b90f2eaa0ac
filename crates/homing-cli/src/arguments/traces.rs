//! What `homing replay` and `homing shorten` take: commands about a trace.

use std::path::PathBuf;

use clap::Args;
use homing::Fairness;

use super::shared::{Aim, Budget, Charts, Engine, ModelFile, Output, Preparation, Trail, fairness};

pub(super) const SHORTEN_EXAMPLES: &str = "\
Examples:
  homing check mutex.dve --strategy depth --trace long.json
  homing shorten mutex.dve long.json --trace short.json
  homing shorten leader.pml leader.pml.trail --trail=short.trail";

pub(super) const SHORTEN_EXIT: &str = "\
Exit codes:
   0  the trace shown is a shortest one
   2  the command line, the model or the trace is wrong
   3  there may be a shorter one";

/// Arguments of `homing replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// The trace, as written by `homing check --trace`, or a trail of SPIN's
    pub trace: PathBuf,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,

    /// How the run is drawn
    #[command(flatten)]
    pub charts: Charts,
}

/// Arguments of `homing shorten`.
#[derive(Debug, Args)]
pub struct Shorten {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// The trace to make shorter, as written by `homing check --trace`, or a trail of SPIN's
    #[arg(value_name = "TRACE")]
    pub long: PathBuf,

    /// What the trace shows; without, what it says itself
    #[command(flatten)]
    pub aim: Aim,

    /// The strategy that looks for shorter traces from the start: see `homing parts`
    #[arg(long, value_name = "EXPR")]
    pub strategy: Option<String>,

    /// Which runs without an end count, where the trace is one: none, weak, strong
    #[arg(long, value_name = "KIND", value_parser = fairness, default_value = "none")]
    pub fairness: Fairness,

    /// How successors are computed
    #[command(flatten)]
    pub engine: Engine,

    /// What it may use
    #[command(flatten)]
    pub budget: Budget,

    /// Stop after expanding this many states; a million where --time is not given, either
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub expansions: Option<u64>,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,

    /// Write the shorter trace to this file, for `homing replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Whether a trail is written
    #[command(flatten)]
    pub trails: Trail,
}
