//! What `homing accuracy` takes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::shared::{ModelFile, Preparation};
use crate::quantity::{duration, size};

pub(super) const ACCURACY_EXAMPLES: &str = "\
Examples:
  homing accuracy mutex.dve --goal 'P_0.CS and P_1.CS' --estimate goal-count
  homing accuracy mutex.dve --goal 'x == 3' --estimate hamming --estimate 'expression(\"3 - x\")' --plot mutex.svg";

/// Arguments of `homing accuracy`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("aim").required(true).args(["goal", "property"])))]
pub struct Accuracy {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// The goal, in the model's own language
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Option<String>,

    /// Instead of a goal, a property by name, whose violation is the goal: deadlock, or one of the model
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,

    /// An estimate as `homing parts` lists them; may be repeated
    ///
    /// An expression of your own over the model's variables is written as
    /// `expression('EXPR')`.
    #[arg(long, value_name = "EXPR", required = true)]
    pub estimate: Vec<String>,

    /// Give up at this much memory, as in 4G or 512M
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub memory: Option<usize>,

    /// Give up after this long, as in 60s, 5m or 1h
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_negative_numbers = true)]
    pub time: Option<Duration>,

    /// Give up where there are more states than this
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = homing::ACCURACY_STATES)]
    pub states: u64,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

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
