//! Verdicts, traces and diagnostics, for people and for programs.
//!
//! [`outcome`] is what a run found, as plain data with a published JSON
//! schema.

pub mod diagnostics;
pub mod outcome;

pub use outcome::{
    Binding, CauseKind, CauseOutcome, Change, CheckOutcome, Location, Move, Plan, PropertyOutcome,
    Statistics, StatsOutcome, StepOutcome, TraceOutcome, Value, Verdict,
};
