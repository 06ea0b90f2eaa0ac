//! What can be written on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use homing::{Extrapolation, Reduction, Subsumption, UseReduction, UseSymmetry};

use crate::drawing::{Drawing, drawing};
use crate::quantity::{duration, size};

const EXIT_CODES: &str = "\
Exit codes:
   0  everything asked for holds, and everything was looked at
   1  something is violated
   2  the command line, the model or another file is wrong
   3  not known, or not everything was looked at
  70  an error in homing itself
 130  interrupted twice
If several apply: 1 before 2 before 3.";

const CHECK_EXAMPLES: &str = "\
Examples:
  homing check mutex.dve
  homing check mutex.dve --goal 'P_0.CS and P_1.CS'
  homing check mutex.dve --property deadlock --strategy breadth --trace deadlock.json
  homing check mutex.dve --goal 'P_0.CS' --minimise steps,switches
  homing check mutex.dve --ltl '[] (P_0.try -> <> P_0.CS)' --fairness weak
  homing check leader.pml -DN=5 --no-assertions --trail --chart text
  homing check large.dve --store 'bitstate(bits=34)' --memory 4G --time 10m --json";

const ACCURACY_EXAMPLES: &str = "\
Examples:
  homing accuracy mutex.dve --goal 'P_0.CS and P_1.CS' --estimate goal-count
  homing accuracy mutex.dve --goal 'x == 3' --estimate hamming --estimate 'expression(\"3 - x\")' --plot mutex.svg";
const COMPARE_EXAMPLES: &str = "\
Examples:
  homing compare mutex.dve --goal 'P_0.CS and P_1.CS' --strategies 'breadth; greedy(fsm-sum); astar(fsm-max)'
  homing compare mutex.dve --property deadlock --strategies 'breadth; greedy(active)' --time 60s --format markdown
  homing compare mutex.dve --strategies 'breadth; depth' --stores 'exact; tree; bitstate(bits=30)' --format csv";

/// The verdicts are in the table; the exit code says whether it is whole.
const COMPARE_EXIT_CODES: &str = "\
Exit codes:
   0  every run was made, whatever the verdicts; a limit that ended one is in the table
   2  the command line, the model or another file is wrong
   3  a run did not fit its property or store, or was interrupted: the table says which
  70  an error in homing itself: also where the runs contradict each other
 130  interrupted twice";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  homing simulate mutex.dve
  homing simulate mutex.dve --from deadlock.json
  homing simulate mutex.dve --random 100 --seed 7 --trace walk.json
  homing simulate mutex.dve --goal 'P_0.CS and P_1.CS' --guided 50 --estimate fsm-sum";

/// A walk proves nothing, so what it meets is not in its exit code.
const SIMULATE_EXIT_CODES: &str = "\
Exit codes:
   0  the walk was made, whatever it met
   2  the command line, the model, a command or another file is wrong
  70  an error in homing itself
 130  interrupted twice";

const SHORTEN_EXAMPLES: &str = "\
Examples:
  homing check mutex.dve --strategy depth --trace long.json
  homing shorten mutex.dve long.json --trace short.json
  homing shorten leader.pml leader.pml.trail --trail=short.trail";

const SHORTEN_EXIT: &str = "\
Exit codes:
   0  the trace shown is a shortest one
   2  the command line, the model or the trace is wrong
   3  there may be a shorter one";

const EXPORT_EXAMPLES: &str = "\
Examples:
  homing export --sas mutex.dve --goal 'P_0.CS and P_1.CS' --out mutex.sas
  downward --search 'astar(hmax())' < mutex.sas
  homing export --svg train-gate.xml --out train-gate.svg
  homing export --dot mutex.dve | dot -Tpdf > mutex.pdf";

const AUTOMATON_EXAMPLES: &str = "\
Examples:
  homing automaton '[] (request -> <> answer)'
  homing automaton '[] (request -> <> answer)' --negate --format never
  homing automaton 'G F a && G F b' --format dot | dot -Tpdf > automaton.pdf
  homing automaton --file automaton.hoa --buchi --format hoa";

/// Finds errors in models of concurrent systems, or proves that there are none.
#[derive(Debug, Parser)]
#[command(name = "homing", version, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Whether to use colours
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_possible_values = false
    )]
    pub color: Color,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On terminals, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search a model for violations of its properties
    #[command(after_help = CHECK_EXAMPLES, after_long_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
    Check(Check),
    /// Count the states of a model
    #[command(after_long_help = EXIT_CODES)]
    Stats(Stats),
    /// Compare estimates with the exact distance of every state to a goal
    #[command(after_help = ACCURACY_EXAMPLES, after_long_help = format!("{ACCURACY_EXAMPLES}\n\n{EXIT_CODES}"))]
    Accuracy(Accuracy),
    /// Run several strategies on the same property, and show a table of what each took
    #[command(after_help = COMPARE_EXAMPLES, after_long_help = format!("{COMPARE_EXAMPLES}\n\n{COMPARE_EXIT_CODES}"))]
    Compare(Compare),
    /// Walk through a model step by step
    #[command(after_help = SIMULATE_EXAMPLES, after_long_help = format!("{SIMULATE_EXAMPLES}\n\n{}\n{SIMULATE_EXIT_CODES}", crate::commands::simulate::HELP))]
    Simulate(Simulate),
    /// Execute a trace, step by step, and show it
    #[command(after_long_help = EXIT_CODES)]
    Replay(Replay),
    /// Make a trace shorter
    #[command(after_help = SHORTEN_EXAMPLES, after_long_help = format!("{SHORTEN_EXAMPLES}\n\n{SHORTEN_EXIT}"))]
    Shorten(Shorten),
    /// Write the search for a goal as a task for another tool, or draw the model
    #[command(after_help = EXPORT_EXAMPLES, after_long_help = format!("{EXPORT_EXAMPLES}\n\n{EXIT_CODES}"))]
    Export(Export),
    /// Translate a formula of linear temporal logic to an automaton, and show it
    #[command(after_help = AUTOMATON_EXAMPLES)]
    Automaton(Automaton),
    /// List the parts a search can be put together from
    Parts(Parts),
    /// Print the JSON schema of what `--json` prints
    Schema(Schema),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// A model, and how it is to be read.
#[derive(Debug, Args)]
pub struct ModelFile {
    /// The model
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,

    /// Define a macro before the model is read; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Reading")]
    pub define: Vec<String>,

    /// Look for included files in this folder too; may be repeated
    #[arg(short = 'I', value_name = "DIR", help_heading = "Reading")]
    pub include: Vec<String>,

    /// Messages sent to a full channel are lost; without, the sender waits
    #[arg(long, help_heading = "Reading")]
    pub lossy: bool,

    /// Read queries from this file too, for models in UPPAAL's language
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub queries: Option<PathBuf>,
}

/// How zones are made and compared, in models with clocks.
#[derive(Debug, Args)]
pub struct Zones {
    /// How zones are widened, so that there are finitely many: none, m, m+, lu, lu+
    ///
    /// By the greatest constants that clocks are compared with (m), or by the
    /// greatest lower and upper bounds (lu); those with a plus widen more. With
    /// none, a search may not end.
    #[arg(long, value_name = "NAME", help_heading = "Clocks",
          value_parser = extrapolation)]
    pub extrapolation: Option<Extrapolation>,

    /// Whose constants zones are widened by: those of each location, or of the whole model
    #[arg(long, value_name = "WHOSE", help_heading = "Clocks")]
    pub bounds: Option<Bounds>,

    /// When one zone makes another superfluous: inclusion, am, alu
    ///
    /// Where it holds all of it; or where it simulates all of it by the greatest
    /// constants (am), or by the greatest lower and upper bounds (alu). Needs the
    /// store `covering`.
    #[arg(long, value_name = "NAME", help_heading = "Clocks",
          value_parser = subsumption)]
    pub subsumption: Option<Subsumption>,

    /// Whose constants zones are compared by; without, as --bounds
    #[arg(long, value_name = "WHOSE", help_heading = "Clocks")]
    pub subsumption_bounds: Option<Bounds>,

    /// Store zones as a step leads to them, and not with the time that may pass behind it
    ///
    /// More and smaller zones; for comparison with tools that do so.
    #[arg(long, help_heading = "Clocks")]
    pub arriving: bool,
}

impl Zones {
    /// What the library is told.
    pub fn asked(&self) -> homing::Zones {
        homing::Zones {
            extrapolation: self.extrapolation,
            local: self.bounds.map(|bounds| bounds == Bounds::Local),
            subsumption: self.subsumption,
            compare_local: self.subsumption_bounds.map(|bounds| bounds == Bounds::Local),
            arriving: self.arriving,
        }
    }
}

/// Which runs without an end count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Fairness {
    /// All.
    None,
    /// Those that are weakly fair to every process.
    Weak,
    /// Those that are strongly fair to every process.
    Strong,
}

/// Whose constants zones are widened by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Bounds {
    /// The same for all states.
    Global,
    /// Those of the locations of a state.
    Local,
}

fn reduction(text: &str) -> Result<Reduction, String> {
    one_of(homing::REDUCTIONS, text)
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

fn extrapolation(text: &str) -> Result<Extrapolation, String> {
    one_of(homing::EXTRAPOLATIONS, text)
}

fn subsumption(text: &str) -> Result<Subsumption, String> {
    one_of(homing::SUBSUMPTIONS, text)
}

fn one_of<T: Copy>(all: &[(&str, T)], text: &str) -> Result<T, String> {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let found = all.iter().find(|(name, _)| *name == text).map(|(_, one)| *one);
    found.ok_or_else(|| format!("there are: {}", names.join(", ")))
}

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

    /// A property by name: assertions, deadlock, errors, or one of the model; may be repeated
    ///
    /// Also `progress`: there is no cycle without a progress location; and
    /// `acceptance`: there is none through an accepting location.
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
    #[arg(long, value_name = "KIND", default_value = "none")]
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
    #[arg(long, value_name = "EXPR")]
    pub strategy: Option<String>,

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

    /// The limits
    #[command(flatten)]
    pub limits: Limits,

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,

    /// Look for up to this many different counterexamples of each property
    ///
    /// They differ in more than the order of independent steps: in the steps
    /// that matter, or in the order of steps that depend on each other.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub different: u16,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write the trace to this file, for `homing replay`
    ///
    /// Written where something is violated. If several properties are, or
    /// several traces are asked for, the first trace goes here and the others
    /// into files beside it, with the property's name before the extension.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Write the trail of the run, for `spin -t`, beside the model or to this file
    ///
    /// For models in Promela. Beside `x.pml` it is `x.pml.trail`; further ones
    /// are `x.pml1.trail` (`spin -t1`) and so on. Where SPIN is installed, it
    /// is asked whether it numbers the statements alike.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub trail: Option<Option<PathBuf>>,

    /// Draw the messages of the run as a chart: text, mermaid or svg; or when each process is
    /// where: timeline or timeline-svg; or write states, delays and transitions as UPPAAL does:
    /// uppaal
    ///
    /// On standard output, or with `=FILE` in a file. May be given several times.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = drawing)]
    pub chart: Vec<Drawing>,
}

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

    /// The limits
    #[command(flatten)]
    pub limits: Limits,

    /// Run this pass over the model first; may be repeated
    ///
    /// Without, the state space is the model's own.
    #[arg(long, value_name = "NAME")]
    pub pass: Vec<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

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

    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,

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

/// Arguments of `homing compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// A state that must not be reached, in the model's own language; may be repeated
    ///
    /// Without --goal and --property, every strategy is run on assertions,
    /// deadlocks, run-time errors and the properties written in the model, one
    /// by one.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Vec<String>,

    /// A property by name: assertions, deadlock, errors, or one of the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,

    /// The strategies, with semicolons between them: see `homing parts`
    #[arg(long, value_name = "EXPRS", required = true)]
    pub strategies: String,

    /// The stores, likewise; every strategy is run with each of them
    #[arg(long, value_name = "EXPRS")]
    pub stores: Option<String>,

    /// How zones are made
    #[command(flatten)]
    pub zones: Zones,

    /// The limits of each run
    #[command(flatten)]
    pub limits: Limits,

    /// The seed of everything random
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,

    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,

    /// What the table is written as
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Print one JSON object instead of text: the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// What a table is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Aligned columns.
    Text,
    /// A table for a page.
    Markdown,
    /// Comma-separated values, for spreadsheets and programs.
    Csv,
    /// One JSON object.
    Json,
}

/// Arguments of `homing simulate`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("aim").args(["goal", "property"])))]
#[command(group(clap::ArgGroup::new("walk").args(["random", "guided"])))]
pub struct Simulate {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// A state to be reached, in the model's own language
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Option<String>,

    /// Instead of a goal, a property by name, whose violation is looked for
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,

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

/// What may stop a search before it is done.
#[derive(Debug, Args)]
pub struct Limits {
    /// Stop at this much memory, as in 4G or 512M
    ///
    /// Without, at four fifths of what the machine or its container has
    /// available, so that the search ends with what it learned instead of
    /// being killed.
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub memory: Option<usize>,

    /// Stop after this long, as in 60s, 5m or 1h
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_negative_numbers = true)]
    pub time: Option<Duration>,

    /// Stop after storing this many states
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub states: Option<u64>,

    /// Do not look further than this many steps from the initial state
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub depth: Option<u32>,

    /// Follow no path that costs more; nothing found then holds on these paths only (exit 3)
    ///
    /// The cost is what --minimise names, by default the number of steps; an
    /// admissible estimate leaves out what cannot end within the bound
    #[arg(long, value_name = "COST", allow_negative_numbers = true)]
    pub bound: Option<u64>,

    /// Stop after expanding this many states; unlike --time, every run stops at the same place
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub expansions: Option<u64>,
}

/// Arguments of `homing replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// The trace, as written by `homing check --trace`, or a trail of SPIN's
    pub trace: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Draw the messages of the run as a chart: text, mermaid or svg; or when each process is
    /// where: timeline or timeline-svg; or write states, delays and transitions as UPPAAL does:
    /// uppaal
    ///
    /// On standard output, or with `=FILE` in a file. May be given several times.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = drawing)]
    pub chart: Vec<Drawing>,
}

/// Arguments of `homing shorten`.
#[derive(Debug, Args)]
pub struct Shorten {
    /// The model
    #[command(flatten)]
    pub model: ModelFile,

    /// The trace to make shorter, as written by `homing check --trace`, or a trail of SPIN's
    #[arg(value_name = "TRACE")]
    pub long: PathBuf,

    /// What the trace violates, in the model's own language; without, what the trace itself says
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with = "property")]
    pub goal: Option<String>,

    /// The same as a property by name: assertions, deadlock, errors, or one of the model
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,

    /// The strategy that looks for shorter traces from the start: see `homing parts`
    #[arg(long, value_name = "EXPR")]
    pub strategy: Option<String>,

    /// Stop at this much memory, as in 4G or 512M
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub memory: Option<usize>,

    /// Stop after this long, as in 60s, 5m or 1h
    #[arg(long, value_name = "DURATION", value_parser = duration, allow_negative_numbers = true)]
    pub time: Option<Duration>,

    /// Stop after expanding this many states; a million where --time is not given, either
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub expansions: Option<u64>,

    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write the shorter trace to this file, for `homing replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Write the trail of the run, for `spin -t`, beside the model or to this file
    ///
    /// For models in Promela. Beside `x.pml` it is `x.pml.trail`; further ones
    /// are `x.pml1.trail` (`spin -t1`) and so on. Where SPIN is installed, it
    /// is asked whether it numbers the statements alike.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub trail: Option<Option<PathBuf>>,
}

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

    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,
}

/// Arguments of `homing automaton`.
#[derive(Debug, Args)]
pub struct Automaton {
    /// The formula: [] <> X U W R ! && || -> <->; its atoms are any other text
    #[arg(value_name = "FORMULA", allow_hyphen_values = true, required_unless_present = "file")]
    pub formula: Option<String>,

    /// Read an automaton from this file (HOA) instead of a formula
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "negate"])]
    pub file: Option<PathBuf>,

    /// How to write it: text, hoa, never, dot
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: AutomatonFormat,

    /// Take the negation of the formula: the automaton accepts the runs that violate it
    #[arg(long)]
    pub negate: bool,

    /// With accepting states, not acceptance sets of transitions
    #[arg(long)]
    pub buchi: bool,
}

/// How an automaton is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AutomatonFormat {
    /// For people.
    Text,
    /// The exchange format of automata.
    Hoa,
    /// A never claim of Promela.
    Never,
    /// A graph for Graphviz.
    Dot,
}

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
    /// The file `homing check --trace` writes.
    Trace,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_argument_is_explained() {
        for command in Arguments::command().get_subcommands() {
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn goals_may_start_with_a_minus() {
        let parsed = Arguments::try_parse_from(["homing", "check", "m.dve", "--goal", "-x == 1"]);
        let Command::Check(check) = parsed.unwrap().command else { panic!("not a check") };
        assert_eq!(check.goal, ["-x == 1"]);
    }
}
