//! What `homing simulate` takes.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Aim, Engine, ModelFile};

pub(super) const SIMULATE_EXAMPLES: &str = "\
Examples:
  homing simulate mutex.dve
  homing simulate mutex.dve --from deadlock.json
  homing simulate mutex.dve --random 100 --seed 7 --trace walk.json
  homing simulate mutex.dve --goal 'P_0.CS and P_1.CS' --guided 50 --estimate fsm-sum";

/// A walk proves nothing, so what it meets is not in its exit code.
pub(super) const SIMULATE_EXIT_CODES: &str = "\
Exit codes:
   0  the walk was made, whatever it met
   2  the command line, the model, a command or another file is wrong
  70  an error in homing itself
 130  interrupted twice";

/// Arguments of `homing simulate`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("walk").args(["random", "guided"])))]
pub struct Simulate {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// What is looked for
    #[command(flatten)]
    pub aim: Aim,

    /// How successors are computed
    #[command(flatten)]
    pub engine: Engine,

    /// The estimate that guides walks, as `homing parts` lists them
    ///
    /// Without, `goal-count` for goals and `active` for deadlocks.
    #[arg(long, value_name = "EXPR", requires = "aim")]
    pub estimate: Option<String>,

    /// The seed of random choices
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 1)]
    pub seed: u64,

    /// Start at the end of this trace, or trail of SPIN's
    #[arg(long, value_name = "TRACE")]
    pub from: Option<PathBuf>,

    /// Take so many random steps at once and print the trace
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub random: Option<usize>,

    /// Take so many guided steps at once and print the trace
    ///
    /// Every step leads to a successor that the estimate says is nearest to
    /// the goal; among equals, chance decides.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, requires = "aim")]
    pub guided: Option<usize>,

    /// With --random or --guided: print one JSON object instead of text
    #[arg(long, requires = "walk")]
    pub json: bool,

    /// With --random or --guided: write the trace to this file, for `homing replay`
    #[arg(long, value_name = "FILE", requires = "walk")]
    pub trace: Option<PathBuf>,
}
