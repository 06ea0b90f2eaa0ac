//! What `homing tune` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{Asked, Budget, Output, Preparation, Reading, Zones};

pub(super) const TUNE_EXAMPLES: &str = "\
Examples:
  homing tune mutex.dve --goal 'P_0.CS and P_1.CS'
  homing tune small.dve middle.dve --property deadlock --time 5m
  homing tune protocol.pml --for length --name short --out protocol/homing.toml
  homing check large.dve --property deadlock --strategy @tuned";

/// What came of the race is told; the exit code says whether it went to its end.
pub(super) const TUNE_EXIT_CODES: &str = "\
Exit codes:
   0  the race went to its end, and its best configuration is written
   2  the command line, a model or another file is wrong
   3  a limit or an interrupt ended the race, or nothing was solved: it is said what is known
  70  an error in homing itself: also where runs contradict each other
 130  interrupted twice";

/// Arguments of `homing tune`.
#[derive(Debug, Args)]
pub struct Tune {
    /// The models: such as those the strategy is to be used on, and quick to check
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,

    /// How they are read
    #[command(flatten)]
    pub reading: Reading,

    /// What is asked of each
    #[command(flatten)]
    pub asked: Asked,

    /// What is best: the least work until something is found, or the shortest traces
    #[arg(long = "for", value_name = "WHAT", default_value = "work")]
    pub best: Best,

    /// The file that the best configuration is written to; all else in it is kept
    #[arg(long, value_name = "FILE", default_value = crate::settings::FILE)]
    pub out: PathBuf,

    /// The name that it is given there
    #[arg(long, value_name = "NAME", default_value = "tuned")]
    pub name: String,

    /// What the whole race may use
    #[command(flatten)]
    pub budget: Budget,

    /// The work of one run, at most, in successors of a blind search
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub work: Option<u64>,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// How the models are prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,
}

/// What is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Best {
    /// The least work.
    Work,
    /// The shortest traces, then the least work.
    Length,
}
