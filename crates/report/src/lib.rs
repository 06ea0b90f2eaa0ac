//! Verdicts, traces and diagnostics, for people and for programs.
//!
//! [`outcome`] is what a run found, as plain data with a published JSON
//! schema; [`text`] writes it for people. [`diagnostics`] shows what is wrong
//! with a model and where. What is shown of a run was executed by
//! [`homing_witness`]; [`trace_file`] keeps traces in files, [`trail`] in SPIN's. [`chart`] draws their messages.
//! [`compare`] makes tables of runs, [`simulation`] shows a state and its
//! steps. [`mod@format`] has the output formats as tables. [`planned`] tells what the planner did,
//! [`tuned`] what came of a race. [`plot`] draws lines, [`automata`] the processes of a model.
//!
//! # Modules
//!
//! - `outcome`: what a command found, as data; `schema`: its published JSON schema.
//! - `compare`: tables of runs. `tuned`: what came of a race. `planned`: what the planner
//!   did, with a chart for terminals (`plot_text`). `simulation`: a state and its steps.
//!   `accuracy`: estimates beside exact distances.
//! - `hardware`: runs of models of hardware, as witnesses and waves.
//! - `text`, `style`, `diagnostics`: for people. `trace_file`: kept traces.
//!   `trail`: SPIN's trails, written and read; reading executes them. `chart`: message
//!   sequence charts. `timeline`: runs over time. `automata`: the processes of a model, drawn. `format`:
//!   output formats as tables of rows.
//! - `plot`: lines as SVG, written out here because the library of plots we looked at (kuva)
//!   is 95,000 lines and a minute of compile time for what takes 250 lines.

pub mod accuracy;
pub mod automata;
pub mod chart;
pub mod compare;
pub mod diagnostics;
pub mod format;
pub mod hardware;
pub mod outcome;
pub mod planned;
pub mod plot;
mod plot_text;
pub mod schema;
pub mod simulation;
pub mod style;
pub mod text;
pub mod timeline;
pub mod trace_file;
pub mod trail;
pub mod tuned;
pub mod uppaal_trace;

pub use outcome::{
    CheckOutcome, DifferentOutcome, GainOutcome, OtherOutcome, Plan, PropertyOutcome, Queues,
    ShortenOutcome, Statistics, StatsOutcome, ValueOutcome, Verdict,
};
