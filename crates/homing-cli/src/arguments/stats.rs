//! What `homing stats` takes.

use clap::Args;
use homing::Reduction;

use super::disk::Disk;
use super::shared::{Engine, Limits, ModelFile, Output, Threads, Zones, one_of};

/// Arguments of `homing stats`.
#[derive(Debug, Args)]
pub struct Stats {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// How states are remembered: see `homing parts`
    #[arg(long, value_name = "EXPR")]
    pub store: Option<String>,

    /// Leave out interleavings that do not matter: static, stubborn, goal
    ///
    /// Partial-order reduction: by tables alone (static), by a look at every state
    /// (stubborn), or so that shortest traces are kept (goal).
    #[arg(long, value_name = "NAME", value_parser = reduction)]
    pub reduction: Option<Reduction>,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// Count states that differ only in which of some interchangeable processes is where as one
    ///
    /// Which processes are interchangeable is found out; nothing needs to be
    /// declared.
    #[arg(long)]
    pub symmetry: bool,

    /// How successors are computed
    #[command(flatten)]
    pub engine: Engine,

    /// The limits
    #[command(flatten)]
    pub limits: Limits,

    /// Who searches
    #[command(flatten)]
    pub crew: Threads,

    /// Whether states go to disk, or the search is kept
    #[command(flatten)]
    pub disk: Disk,

    /// Run this pass over the model first; may be repeated
    ///
    /// Without, the state space is the model's own.
    #[arg(long, value_name = "NAME")]
    pub pass: Vec<String>,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,
}

fn reduction(text: &str) -> Result<Reduction, String> {
    one_of(homing::REDUCTIONS, text)
}
