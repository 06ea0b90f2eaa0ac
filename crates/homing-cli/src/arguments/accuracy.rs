//! What `homing accuracy` takes.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Aim, Budget, Engine, ModelFile, Output, Preparation};

pub(super) const ACCURACY_EXAMPLES: &str = "\
Examples:
  homing accuracy mutex.dve --goal 'P_0.CS and P_1.CS' --estimate goal-count
  homing accuracy mutex.dve --goal 'x == 3' --estimate hamming --estimate 'expression(\"3 - x\")' --plot mutex.svg";

/// Arguments of `homing accuracy`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("estimated").required(true).args(["goal", "property"])))]
pub struct Accuracy {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// What is estimated
    #[command(flatten)]
    pub aim: Aim,

    /// An estimate as `homing parts` lists them; may be repeated
    ///
    /// An expression of your own over the model's variables is written as
    /// `expression('EXPR')`.
    #[arg(long, value_name = "EXPR", required = true)]
    pub estimate: Vec<String>,

    /// How successors are computed
    #[command(flatten)]
    pub engine: Engine,

    /// What it may use
    #[command(flatten)]
    pub budget: Budget,

    /// Give up where there are more states than this
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = homing::ACCURACY_STATES)]
    pub states: u64,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,

    /// Draw the mean estimate over the exact distance into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Draw the mean relative error over the exact distance into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot_error: Option<PathBuf>,

    /// Draw what breadth-first and greedy search expand, over depth, into this SVG file
    #[arg(long, value_name = "FILE")]
    pub plot_expanded: Option<PathBuf>,
}
