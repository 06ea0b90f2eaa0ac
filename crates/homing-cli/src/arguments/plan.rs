//! What `homing explain-plan` takes.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Asked, Limits, ModelFile, Named, Output, Preparation, Zones};

pub(super) const PLAN_EXAMPLES: &str = "\
Examples:
  homing explain-plan mutex.dve --goal 'P_0.CS and P_1.CS'
  homing explain-plan mutex.dve --property deadlock --dry-run
  homing explain-plan mutex.dve --goal 'P_0.CS' --strategy 'auto(share=20)' --svg estimate.svg";

/// The verdicts are told beside; the exit code says whether the plan was carried out.
pub(super) const PLAN_EXIT_CODES: &str = "\
Exit codes:
   0  the plan was carried out and is told, whatever the verdicts
   2  the command line, the model or another file is wrong
   3  something is not known, as where a limit or an interrupt ended it: what was done is told
  70  an error in homing itself
 130  interrupted twice";

/// Arguments of `homing explain-plan`.
#[derive(Debug, Args)]
pub struct ExplainPlan {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// What is asked
    #[command(flatten)]
    pub asked: Asked,

    /// `auto` with its parameters, or the name of a strategy that is one
    #[arg(long, value_name = "EXPR", default_value = "auto")]
    pub strategy: String,

    /// Where named strategies are
    #[command(flatten)]
    pub named: Named,

    /// Only say which guides would be tried, and search nothing
    #[arg(long)]
    pub dry_run: bool,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// The limits
    #[command(flatten)]
    pub limits: Limits,

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// Draw the best estimate over work into this file; of several searches, of the last
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub svg: Option<PathBuf>,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,
}
