//! Verdicts, traces and diagnostics, for people and for programs.
//!
//! [`outcome`] is what a run found, as plain data with a published JSON
//! schema; [`text`] writes it for people. [`diagnostics`] shows what is wrong
//! with a model and where. [`replay`] executes traces before they are shown;
//! [`trace_file`] keeps them in files. [`compare`] makes tables of runs,
//! [`simulation`] shows a state and its steps. [`plot`] draws lines.

pub mod accuracy;
pub mod compare;
pub mod diagnostics;
pub mod moves;
pub mod outcome;
pub mod plot;
pub mod replay;
pub mod schema;
pub mod simulation;
pub mod style;
#[cfg(test)]
mod testing;
pub mod text;
pub mod trace_file;

pub use outcome::{
    Binding, CauseKind, CauseOutcome, Change, CheckOutcome, Location, Move, Plan, PropertyOutcome,
    Statistics, StatsOutcome, StepOutcome, TraceOutcome, Value, Verdict,
};
