//! Verdicts, traces and diagnostics, for people and for programs.
//!
//! [`outcome`] is what a run found, as plain data with a published JSON
//! schema; [`text`] writes it for people. [`diagnostics`] shows what is wrong
//! with a model and where. [`replay`] executes traces before they are shown;
//! [`why`] says why they are violations, [`trace_file`] keeps them in files,
//! [`trail`] in SPIN's. [`chart`] draws their messages.
//! [`compare`] makes tables of runs, [`simulation`] shows a state and its
//! steps. [`plot`] draws lines, [`automata`] the processes of a model.

pub mod accuracy;
pub mod automata;
pub mod chart;
pub mod compare;
pub mod diagnostics;
pub mod infinite;
pub mod moves;
pub mod observed;
pub mod outcome;
pub mod plot;
pub mod replay;
pub mod schema;
pub mod simulation;
pub mod style;
#[cfg(test)]
mod testing;
pub mod text;
pub mod timeline;
pub mod trace_file;
pub mod trail;
pub mod uppaal_trace;
pub mod why;

pub use outcome::{
    Binding, BlockedOutcome, CauseKind, CauseOutcome, Change, CheckOutcome, DifferentOutcome,
    GainOutcome, HoldsOutcome, Location, MessageOutcome, MessageWay, Move, MoveOutcome,
    OtherOutcome, Plan, PropertyOutcome, Queues, ShortenOutcome, Statistics, StatsOutcome,
    StepOutcome, TimeOutcome, TraceOutcome, Value, Verdict, WhyOutcome,
};
