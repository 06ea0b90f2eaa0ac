//! What `homing automaton` takes.

use std::path::PathBuf;

use clap::Args;
use homing::report::format::{Format, listed, named};
use homing::{AUTOMATON_FORMATS, WriteAutomaton};

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

    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = written,
          help = format!("How to write it: {}", listed(AUTOMATON_FORMATS)))]
    pub format: &'static Format<WriteAutomaton>,

    /// Take the negation of the formula: the automaton accepts the runs that violate it
    #[arg(long)]
    pub negate: bool,

    /// With accepting states, not acceptance sets of transitions
    #[arg(long)]
    pub buchi: bool,
}

fn written(text: &str) -> Result<&'static Format<WriteAutomaton>, String> {
    named(AUTOMATON_FORMATS, text)
}
