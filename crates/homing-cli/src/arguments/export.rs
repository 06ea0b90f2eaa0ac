//! What `homing export` takes.

use std::path::PathBuf;

use clap::Args;

use super::shared::{ModelFile, Preparation};

pub(super) const EXPORT_EXAMPLES: &str = "\
Examples:
  homing export --sas mutex.dve --goal 'P_0.CS and P_1.CS' --out mutex.sas
  downward --search 'astar(hmax())' < mutex.sas
  homing export --svg train-gate.xml --out train-gate.svg
  homing export --dot mutex.dve | dot -Tpdf > mutex.pdf";

/// Arguments of `homing export`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("written").required(true).args(["sas", "dot", "svg"])))]
pub struct Export {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// As a planning task that Fast Downward's search component reads
    ///
    /// Every step costs one. Only what both tools understand alike is
    /// written: a model with committed locations, with steps that may fail or
    /// that compute with more values than can be listed is refused. A goal
    /// that is no conjunction becomes one more step, named `goal`, so that
    /// plans are one step longer than paths.
    #[arg(long, requires = "goal")]
    pub sas: bool,

    /// As a graph of the model's processes, for Graphviz
    #[arg(long)]
    pub dot: bool,

    /// As a drawing of the model's processes
    #[arg(long)]
    pub svg: bool,

    /// The state to be reached, in the model's own language
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with_all = ["dot", "svg"])]
    pub goal: Option<String>,

    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,
}
