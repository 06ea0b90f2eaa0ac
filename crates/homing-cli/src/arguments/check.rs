//! What `homing check` takes.

use std::path::PathBuf;

use clap::Args;
use homing::{Fairness, UseReduction, UseSymmetry};

use super::disk::Disk;
use super::shared::{
    Charts, Engine, Limits, ModelFile, Named, Output, Preparation, Threads, Trail, Zones, fairness,
    one_of,
};

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  homing check mutex.dve
  homing check mutex.dve --goal 'P_0.CS and P_1.CS'
  homing check mutex.dve --property deadlock --strategy breadth --trace deadlock.json
  homing check mutex.dve --goal 'P_0.CS' --minimise steps,switches
  homing check mutex.dve --ltl '[] (P_0.try -> <> P_0.CS)' --fairness weak
  homing check leader.pml -DN=5 --no-assertions --trail --chart text
  homing check large.dve --store 'bitstate(bits=34)' --memory 4G --time 10m --json";

/// Arguments of `homing check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// A state that must not be reached, in the model's own language; may be repeated
    ///
    /// Without --goal and --property, assertions, deadlocks, run-time errors
    /// and the properties written in the model are checked; of models in UPPAAL's
    /// or TChecker's language the queries and run-time errors, and deadlocks where
    /// there are no queries.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Vec<String>,

    /// A property of the model by name, or a question that `homing parts` lists; may be repeated
    ///
    /// Such as `deadlock`, `progress` (there is no cycle without a progress location) or
    /// `sup('x + y')` (how large does the value get?).
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// A formula that every run must satisfy, in linear temporal logic; may be repeated
    ///
    /// Its atoms are expressions in the model's own language. Operators:
    /// `[] <> X U W R` (also `G F V`), `! && || -> <->`. A run that comes to an end
    /// stays in its last state for ever.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,

    /// A file with an automaton (HOA) that must accept no run; may be repeated
    ///
    /// Its propositions are expressions in the model's own language.
    #[arg(long, value_name = "FILE")]
    pub hoa: Vec<PathBuf>,

    /// Which runs without an end count: none, weak, strong
    ///
    /// With weak fairness, those on which no process could move all the time from
    /// some state on, and never does. With strong fairness, those on which none could
    /// move again and again, and from some state on never does: `auto` and `streett`
    /// decide that.
    #[arg(long, value_name = "KIND", value_parser = fairness, default_value = "none")]
    pub fairness: Fairness,

    /// Look for invalid end states, that is deadlocks: the same as --property deadlock
    #[arg(long, conflicts_with = "no_end_states")]
    pub end_states: bool,

    /// Do not look for invalid end states
    #[arg(long)]
    pub no_end_states: bool,

    /// Look for violated assertions: the same as --property assertions
    #[arg(long, conflicts_with = "no_assertions")]
    pub assertions: bool,

    /// Do not look for violated assertions
    #[arg(long)]
    pub no_assertions: bool,

    /// The order in which states are looked at: see `homing parts`
    ///
    /// Or the name of a strategy in `homing.toml`, as `homing tune` writes them, with or
    /// without `@` before it.
    #[arg(long, value_name = "EXPR")]
    pub strategy: Option<String>,

    /// Where named strategies are
    #[command(flatten)]
    pub named: Named,

    /// Your own estimate of the distance to the goal, in the model's own language
    ///
    /// Directed strategies look at states of small value first; without
    /// --strategy, the search is greedy.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub estimate: Option<String>,

    /// What the trace is to cost least of: steps, switches, time, or the price of a step
    ///
    /// The price is an expression in the model's own language over the state
    /// that a step leaves; `P: EXPR; EXPR` is one for the steps of process P
    /// and one for all others. Prices are summed up; `highest('PRICE')`,
    /// `lowest('PRICE')`, `probability('PRICE', of=N)` and `fuzzy('PRICE', of=N)`
    /// take the least highest, the greatest lowest, product and lowest fraction.
    /// In models with clocks, `time` is the time that passes.
    /// A second cost, after a comma, decides among traces equal in the first,
    /// as in `steps, switches`: of the shortest traces one in which the moving
    /// process changes least often.
    #[arg(long, value_name = "COST", allow_hyphen_values = true)]
    pub minimise: Option<String>,

    /// How states are remembered: see `homing parts`
    #[arg(long, value_name = "EXPR")]
    pub store: Option<String>,

    /// Leave out interleavings that do not matter: auto, none, static, stubborn, goal
    ///
    /// Partial-order reduction: not at all (none), by tables alone (static), by a look at
    /// every state (stubborn), or so that shortest traces are kept (goal). By itself
    /// (auto), the planner does so in searches that turn out to be long, where it is
    /// sound and pays.
    #[arg(long, value_name = "NAME", value_parser = use_reduction, default_value = "auto")]
    pub reduction: UseReduction,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// Search one state for all that differ only in which of some interchangeable processes is where
    ///
    /// Which processes are interchangeable is found out; nothing needs to be
    /// declared. Not for costs, preferences and properties of infinite
    /// runs. By itself (auto), the planner does so in searches that turn out to be long.
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = use_symmetry,
        num_args = 0..=1,
        default_value = "auto",
        default_missing_value = "always"
    )]
    pub symmetry: UseSymmetry,

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

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// How the model is prepared
    #[command(flatten)]
    pub preparation: Preparation,

    /// Look for up to this many different counterexamples of each property
    ///
    /// They differ in more than the order of independent steps: in the steps
    /// that matter, or in the order of steps that depend on each other.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub different: u16,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,

    /// Write the trace to this file, for `homing replay`
    ///
    /// Written where something is violated. If several properties are, or
    /// several traces are asked for, the first trace goes here and the others
    /// into files beside it, with the property's name before the extension.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Whether a trail is written
    #[command(flatten)]
    pub trails: Trail,

    /// How the run is drawn
    #[command(flatten)]
    pub charts: Charts,
}

fn use_reduction(text: &str) -> Result<UseReduction, String> {
    let own = [("auto", UseReduction::Auto), ("none", UseReduction::Never)];
    let named = homing::REDUCTIONS.iter().map(|(name, one)| (*name, UseReduction::By(*one)));
    one_of(&own.into_iter().chain(named).collect::<Vec<_>>(), text)
}

fn use_symmetry(text: &str) -> Result<UseSymmetry, String> {
    let all = [
        ("auto", UseSymmetry::Auto),
        ("none", UseSymmetry::Never),
        ("always", UseSymmetry::Always),
    ];
    one_of(&all, text)
}
