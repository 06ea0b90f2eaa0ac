//! What `homing automaton` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(super) const AUTOMATON_EXAMPLES: &str = "\
Examples:
  homing automaton '[] (request -> <> answer)'
  homing automaton '[] (request -> <> answer)' --negate --format never
  homing automaton 'G F a && G F b' --format dot | dot -Tpdf > automaton.pdf
  homing automaton --file automaton.hoa --buchi --format hoa";

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
