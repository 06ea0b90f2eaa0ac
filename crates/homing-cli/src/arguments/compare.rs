//! What `homing compare` takes.

use clap::Args;
use homing::report::compare::{FORMATS, Tabulate};
use homing::report::format::{Format, listed, named};

use super::shared::{Asked, Engine, Limits, ModelFile, Named, Preparation, Zones};

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  homing compare mutex.dve --goal 'P_0.CS and P_1.CS' --strategies 'breadth; greedy(fsm-sum); astar(fsm-max)'
  homing compare mutex.dve --property deadlock --strategies 'breadth; greedy(active)' --time 60s --format markdown
  homing compare mutex.dve --strategies 'breadth; depth' --stores 'exact; tree; bitstate(bits=30)' --format csv";

/// The verdicts are in the table; the exit code says whether it is whole.
pub(super) const COMPARE_EXIT_CODES: &str = "\
Exit codes:
   0  every run was made, whatever the verdicts; a limit that ended one is in the table
   2  the command line, the model or another file is wrong
   3  a run did not fit its property or store, or was interrupted: the table says which
  70  an error in homing itself: also where the runs contradict each other
 130  interrupted twice";

/// Arguments of `homing compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// What is asked
    #[command(flatten)]
    pub asked: Asked,

    /// The strategies, with semicolons between them: see `homing parts`
    #[arg(long, value_name = "EXPRS", required = true)]
    pub strategies: String,

    /// Where named strategies are
    #[command(flatten)]
    pub named: Named,

    /// The stores, likewise; every strategy is run with each of them
    #[arg(long, value_name = "EXPRS")]
    pub stores: Option<String>,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// How successors are computed
    #[command(flatten)]
    pub engine: Engine,

    /// The limits of each run
    #[command(flatten)]
    pub limits: Limits,

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = table,
          help = format!("What the table is written as: {}", listed(FORMATS)))]
    pub format: &'static Format<Tabulate>,

    /// Print one JSON object instead of text: the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

fn table(text: &str) -> Result<&'static Format<Tabulate>, String> {
    named(FORMATS, text)
}
