//! How to check a model: what users say.

use std::path::PathBuf;

use homing_core::catalogue::nearest;
use homing_core::{Crew, Limits};
use homing_ir::passes::Passes;
use homing_space::Execution;
use homing_space::reduction::Reduction;
use homing_witness::Fairness;

use crate::checkpoint::InFile;
use crate::disk::OnDisk;
use crate::run::UsageError;
use crate::searched::Zones;

/// How to check a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// States that must not be reached, in the model's own language.
    pub goals: Vec<String>,
    /// Formulas of linear temporal logic that every run must satisfy, over
    /// expressions in the model's own language.
    pub formulas: Vec<String>,
    /// Files with automata (HOA) that must accept no run; their atoms are
    /// expressions in the model's own language.
    pub automata: Vec<PathBuf>,
    /// Which runs count, of those without an end.
    pub fairness: Fairness,
    /// Properties to check, by name. Where nothing of all this is given: assertions, deadlocks, run-time errors and the properties in the
    /// model.
    pub properties: Vec<String>,
    /// Properties not to check, by name, where neither goals nor properties
    /// are given.
    pub without: Vec<String>,
    /// The strategy, as an expression. Without, `auto`, and `breadth` where all
    /// states are to be explored.
    pub strategy: Option<String>,
    /// An estimate of the user's own, in the model's own language: the value
    /// that directed strategies make small. Without a strategy, greedy search.
    pub estimate: Option<String>,
    /// What the trace is to cost least of: `steps`, `switches`, an expression
    /// in the model's own language for the price of a step, and more. Without,
    /// the number of steps.
    pub minimise: Option<String>,
    /// The store, as an expression. Without, `exact`, and `covering` where the
    /// model has clocks.
    pub store: Option<String>,
    /// What searches states, and how.
    pub engine: UseEngine,
    /// How zones are made and compared, where the model has clocks.
    pub zones: Zones,
    /// Whether and how interleavings that do not matter are left out.
    pub reduction: UseReduction,
    /// Whether states that differ only in which of some interchangeable processes
    /// is where count as one.
    pub symmetry: UseSymmetry,
    /// Expansions of the first turn, where several searches share the limits or the planner
    /// may make a long one lighter; the turns to come are each eight times as long.
    pub first_turn: u64,
    /// When to stop.
    pub limits: Limits,
    /// How many threads search, and from when on.
    pub crew: Crew,
    /// Where states go, if they go to disk.
    pub disk: Option<OnDisk>,
    /// Where a search in memory is kept, if it is.
    pub checkpoint: Option<InFile>,
    /// The seed of everything random.
    pub seed: u64,
    /// Passes to switch on or off.
    pub passes: PassSelection,
    /// How many different counterexamples to look for, at most.
    pub different: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            goals: Vec::new(),
            formulas: Vec::new(),
            automata: Vec::new(),
            fairness: Fairness::default(),
            properties: Vec::new(),
            without: Vec::new(),
            strategy: None,
            estimate: None,
            minimise: None,
            store: None,
            engine: UseEngine::default(),
            zones: Zones::default(),
            reduction: UseReduction::Auto,
            symmetry: UseSymmetry::Auto,
            first_turn: 8_000,
            limits: Limits::default(),
            crew: Crew::default(),
            disk: None,
            checkpoint: None,
            seed: 1,
            passes: PassSelection::default(),
            different: 1,
        }
    }
}

/// Which runs without an end count, by name.
pub const FAIRNESS: &[(&str, Fairness)] =
    &[("none", Fairness::None), ("weak", Fairness::Weak), ("strong", Fairness::Strong)];

/// How states are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UseEngine {
    /// By the first engine that answers what is asked.
    #[default]
    Auto,
    /// One by one, successors being computed so.
    Explicit(Execution),
    /// As sets.
    Symbolic,
    /// By a solver for satisfiability.
    Sat,
}

/// The ways to search states, by name.
pub const USE_ENGINES: &[(&str, UseEngine)] = &[
    ("auto", UseEngine::Auto),
    ("compiled", UseEngine::Explicit(Execution::Compiled)),
    ("interpreter", UseEngine::Explicit(Execution::Interpreted)),
    ("symbolic", UseEngine::Symbolic),
    ("sat", UseEngine::Sat),
];

impl Options {
    /// How successors are computed where states are searched one by one.
    pub fn execution(&self) -> Execution {
        match self.engine {
            UseEngine::Explicit(execution) => execution,
            _ => Execution::default(),
        }
    }
}

/// Whether and how interleavings that do not matter are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UseReduction {
    /// As the planner decides: in searches that turn out to be long, where it is sound
    /// and pays. `stats` counts everything.
    #[default]
    Auto,
    /// Not at all.
    Never,
    /// So.
    By(Reduction),
}

impl UseReduction {
    /// What was asked for.
    pub(crate) fn asked(self) -> Option<Reduction> {
        match self {
            UseReduction::By(reduction) => Some(reduction),
            _ => None,
        }
    }
}

/// Whether states that differ only in which of some interchangeable processes is where
/// count as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UseSymmetry {
    /// As the planner decides: in searches that turn out to be long, where there is enough
    /// to gain. `stats` counts everything.
    #[default]
    Auto,
    /// They do not.
    Never,
    /// They do.
    Always,
}

/// Passes to switch, by name, against what a command does by itself.
#[derive(Clone, Debug, Default)]
pub struct PassSelection {
    /// To switch on.
    pub on: Vec<String>,
    /// To switch off.
    pub off: Vec<String>,
}

impl PassSelection {
    /// `passes` with these switched; all of them go by the name `all`.
    pub(crate) fn apply(&self, mut passes: Passes) -> Result<Passes, UsageError> {
        for (names, on) in [(&self.on, true), (&self.off, false)] {
            for name in names {
                if name == "all" {
                    passes = if on { Passes::ALL } else { Passes::NONE };
                } else if !passes.switch(name, on) {
                    let hint = match nearest(name, Passes::NAMES) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("there are: {}, all", Passes::NAMES.join(", ")),
                    };
                    return Err(UsageError::Sentence(format!("there is no pass `{name}`; {hint}")));
                }
            }
        }
        Ok(passes)
    }
}
