//! What `homing parts` and `homing schema` take.

use clap::{Args, ValueEnum};

/// Arguments of `homing parts`.
#[derive(Debug, Args)]
pub struct Parts {
    /// Only the part of this name
    pub name: Option<String>,

    /// Print a JSON list
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,

    /// Print the manual's reference
    #[arg(long)]
    pub markdown: bool,
}

/// Arguments of `homing schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// Only of this
    pub of: Option<SchemaOf>,
}

/// What there is a schema of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SchemaOf {
    /// What `homing check --json` prints.
    Check,
    /// What `homing stats --json` prints.
    Stats,
    /// What `homing replay --json` prints.
    Replay,
    /// What `homing accuracy --json` prints.
    Accuracy,
    /// What `homing compare --json` prints.
    Compare,
    /// What `homing shorten --json` prints.
    Shorten,
    /// What `homing tune --json` prints.
    Tune,
    /// What `homing explain-plan --json` prints.
    ExplainPlan,
    /// The file `homing check --trace` writes.
    Trace,
}
