//! Options that several commands have.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use homing::report::format::{RUNS, listed};
use homing::{Execution, Extrapolation, Fairness, Subsumption, UsageError, UseEngine};

use crate::drawing::{Drawing, drawing};
use crate::quantity::{duration, size};

/// A model, and how it is to be read.
#[derive(Debug, Args)]
pub struct ModelFile {
    /// The model
    #[arg(value_name = "MODEL")]
    pub path: PathBuf,

    /// How it is read
    #[command(flatten)]
    pub reading: Reading,
}

/// How models are to be read.
#[derive(Debug, Args)]
pub struct Reading {
    /// Define a macro before the model is read; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Reading")]
    pub define: Vec<String>,

    /// Give constants that the model leaves open their values; may be repeated
    #[arg(long = "const", value_name = "NAME=VALUE[,…]", help_heading = "Reading")]
    pub constants: Vec<String>,

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
    /// How zones are extrapolated, so that there are finitely many: none, m, m+, lu, lu+
    ///
    /// By the greatest constants that clocks are compared with (m), or by the
    /// greatest lower and upper bounds (lu); those with a plus extrapolate more. With
    /// none, a search may not end.
    #[arg(long, value_name = "NAME", help_heading = "Clocks",
          value_parser = extrapolation)]
    pub extrapolation: Option<Extrapolation>,

    /// Whose constants zones are extrapolated by: those of each location, or of the whole model
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

/// Whose constants zones are extrapolated by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Bounds {
    /// The same for all states.
    Global,
    /// Those of the locations of a state.
    Local,
}

fn extrapolation(text: &str) -> Result<Extrapolation, String> {
    one_of(homing::EXTRAPOLATIONS, text)
}

fn subsumption(text: &str) -> Result<Subsumption, String> {
    one_of(homing::SUBSUMPTIONS, text)
}

pub(super) fn one_of<T: Copy>(all: &[(&str, T)], text: &str) -> Result<T, String> {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let found = all.iter().find(|(name, _)| *name == text).map(|(_, one)| *one);
    found.ok_or_else(|| format!("there are: {}", names.join(", ")))
}

/// What is asked, by commands that ask any number of things.
#[derive(Debug, Args)]
pub struct Asked {
    /// A state that must not be reached, in the model's own language; may be repeated
    ///
    /// Without --goal and --property, assertions, deadlocks, run-time errors and the
    /// properties written in the model are asked, one by one where strategies are compared.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Vec<String>,

    /// A property by name: assertions, deadlock, errors, or one of the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
}

/// Where strategies are that the user named.
#[derive(Debug, Args)]
pub struct Named {
    /// The file with named strategies; without, `homing.toml` here or in a folder around
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// What is looked for, by commands that look for one thing.
#[derive(Debug, Args)]
#[group(id = "aim", multiple = false)]
pub struct Aim {
    /// The state to be reached, in the model's own language
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub goal: Option<String>,

    /// Instead, a property by name, whose violation is looked for: assertions, deadlock, errors, or one of the model
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
}

/// What a command may use.
#[derive(Debug, Args)]
pub struct Budget {
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
}

/// How results are printed.
#[derive(Debug, Args)]
pub struct Output {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// What may stop a search before it is done.
#[derive(Debug, Args)]
pub struct Limits {
    /// What it may use
    #[command(flatten)]
    pub budget: Budget,

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

/// Who searches.
#[derive(Debug, Args)]
pub struct Threads {
    /// How many threads search; without, as many as there are cores and memory allows
    ///
    /// They help where a search turns out long, and in `cndfs` and `race`. Verdicts, and traces
    /// of strategies that promise shortest ones, are the same for every number.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

impl Threads {
    /// What the library is told, with this limit on memory.
    pub fn asked(&self, memory: Option<usize>) -> usize {
        self.threads.map_or_else(|| homing::default_threads(memory), usize::from)
    }
}

/// How a run is drawn.
#[derive(Debug, Args)]
pub struct Charts {
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = drawing,
          help = format!("Draw the run: {}", listed(RUNS)),
          long_help = format!("Draw the run: {}\n\nOn standard output, or with `=FILE` in a file. \
                               May be given several times", listed(RUNS)))]
    pub chart: Vec<Drawing>,
}

/// Whether a trail for SPIN is written.
#[derive(Debug, Args)]
pub struct Trail {
    /// Write the trail of the run, for `spin -t`, beside the model or to this file
    ///
    /// For models in Promela. Beside `x.pml` it is `x.pml.trail`; further ones
    /// are `x.pml1.trail` (`spin -t1`) and so on. Where SPIN is installed, it
    /// is asked whether it numbers the statements alike.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub trail: Option<Option<PathBuf>>,
}

/// How states are searched.
#[derive(Debug, Args)]
pub struct Engine {
    /// How states are searched: auto, compiled, interpreter, symbolic, sat
    ///
    /// One by one, successors being computed by machine code that is compiled on the way, or,
    /// where no machine code may be made, by an interpreter, which is slower. Or as sets, by
    /// decision diagrams (`check` and `stats`, models without clocks). Or by a solver for
    /// satisfiability (`check`, models of hardware). By itself, the first
    /// that answers what is asked: see `homing parts`.
    #[arg(long, value_name = "NAME", value_parser = engine, default_value = "auto")]
    pub engine: UseEngine,
}

impl Engine {
    /// How successors are computed, for what needs states one by one.
    pub fn explicit(&self) -> Result<Execution, UsageError> {
        match self.engine {
            UseEngine::Auto => Ok(Execution::default()),
            UseEngine::Explicit(execution) => Ok(execution),
            UseEngine::Symbolic => Err(UsageError::Sentence(
                "the engine `symbolic` knows sets of states only, but here they are needed one by one".into(),
            )),
            UseEngine::Sat => Err(UsageError::Sentence(
                "the engine `sat` knows circuits only, but here states are needed one by one".into(),
            )),
        }
    }
}

pub(super) fn fairness(text: &str) -> Result<Fairness, String> {
    one_of(homing::FAIRNESS, text)
}

fn engine(text: &str) -> Result<UseEngine, String> {
    one_of(homing::USE_ENGINES, text)
}

/// What is left out of the preparation of a model.
#[derive(Debug, Args)]
pub struct Preparation {
    /// Do not run this pass over the model; may be repeated
    #[arg(long, value_name = "NAME")]
    pub no_pass: Vec<String>,
}
