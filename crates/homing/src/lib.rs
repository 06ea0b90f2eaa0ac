//! homing, a directed model checker, as a library.
//!
//! [`load`] reads a model, [`check`] looks for violations of its properties,
//! [`stats`] explores all of it and counts, [`accuracy`] holds estimates beside
//! exact distances, [`compare`] holds strategies beside each other, [`tune`](tune())
//! finds the best of them for some models, [`explain_plan`] says what the planner did, [`replay`]
//! executes a trace with the reference interpreter, [`shorten()`] makes one
//! shorter, [`Simulator`] walks through a model step by step, [`export_sas`]
//! writes the search as a planning task, [`automaton()`] shows what becomes of a
//! formula.
//! Configuration (strategies, stores, estimates, languages)
//! are chosen by name from the [`catalogue()`].
//!
//! ```
//! use homing::{Hooks, Options};
//!
//! let text = "byte x;
//!     process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }
//!     system async;";
//! let model = homing::parse("counter.dve", text).unwrap();
//! let options = Options { goals: vec!["x == 3".into()], ..Options::default() };
//! let checked = homing::check(&model, &options, Hooks::default()).unwrap();
//! let trace = checked.outcome.results[0].trace.as_ref().unwrap();
//! assert_eq!(trace.length, 3);
//! ```
//!
//! # Modules
//!
//! - `load`: files to models. `question`: what can be asked, one file each. `check`: answers;
//!   see "The walk of one check" in ARCHITECTURE.md. `parts`: the catalogue, concatenated.
//! - `run`: the choice of parts, one search under the limits. `searched`: the compiled space,
//!   with zones around it where there are clocks, and what leaves something out of it.
//!   `symmetric`: findings among representatives are turned into runs before anybody sees them.
//! - `auto`: the planner of searches for states; `check/turns`: of searches for lassos.
//! - `temporal`: automata of what runs must not do. `stages`: what an automaton waits for,
//!   for estimates in products. `automaton`: formulas shown.
//! - `minimise`: what traces cost; prices are conditions of the space that are there for
//!   their values, so that slicing keeps what they read, and each cost shown is computed
//!   again by the interpreter. `fastest`: `--minimise time`. `times`: edges to times.
//! - `stats`, `accuracy`, `compare`, `tune`, `export`: a command each. `record`: what the
//!   planner does, noted while it does it (`search::turns`), for `explain_plan`. `shorten`: a
//!   trace made shorter. `different`: further traces, told apart by their Foata normal forms.
//!   `simulate`: a walk with the interpreter; where an estimate guides it, the compiled space
//!   walks along, edge by edge.
//! - `relational`: models of hardware: the file's own specifications, engine by engine.
//! - `typed`: models written in Rust, as spaces; who executes their runs again is a `Witness`.
//!   `memory`: the memory limit where none is given. `disk`: searches that go to disk;
//!   `checkpoint`: those that are kept in a file; `elsewhere`: either.

mod accuracy;
mod auto;
mod automaton;
mod check;
mod checkpoint;
mod compare;
mod different;
mod disk;
mod elsewhere;
mod export;
mod fastest;
mod load;
mod memory;
mod minimise;
mod options;
mod parts;
mod planner;
mod question;
mod record;
mod relational;
mod run;
mod searched;
mod shorten;
mod simulate;
mod stages;
mod stats;
mod symbolic;
mod symmetric;
mod temporal;
mod terms;
mod threads;
mod times;
mod tune;
pub mod typed;

pub use accuracy::{ACCURACY_STATES, AccuracyOptions, accuracy};
pub use automaton::{
    AUTOMATON_FORMATS, AutomatonOptions, WriteAutomaton, automaton, automaton_of_hoa,
};
pub use check::{Checked, ENGINES, Engine, check, explain_plan};
pub use checkpoint::InFile;
pub use compare::{CompareOptions, check_strategy, compare};
pub use disk::OnDisk;
pub use elsewhere::started_on_disk;
pub use export::export_sas;
pub use homing_budget as budget;
pub use homing_core::{Crew, DEAD_END, Limits, Progress, catalogue};
pub use homing_guide::ground::sas;
pub use homing_ir as ir;
pub use homing_ir::passes::Passes;
pub use homing_report as report;
pub use homing_space::Execution;
pub use homing_space::reduction::Reduction;
pub use homing_space::zones::{Extrapolation, Subsumption};
pub use homing_witness as witness;
pub use homing_witness::Fairness;
pub use load::{LoadError, MAX_BYTES, Model, Reading, load, load_with, parse, settled};
pub use memory::default_limit as default_memory_limit;
pub use options::{
    FAIRNESS, Options, PassSelection, USE_ENGINES, UseEngine, UseReduction, UseSymmetry,
};
pub use parts::catalogue;
pub use question::NeedKind;
pub use run::{Board, Hooks, UsageError, cut};
pub use searched::{EXTRAPOLATIONS, REDUCTIONS, SUBSUMPTIONS, Zones};
pub use shorten::{SHORTEN_EXPANSIONS, Shortened, shorten};
pub use simulate::{SimulateOptions, Simulation, Simulator, Walk};
pub use stats::stats;
pub use symbolic::SYMBOLIC;
pub use threads::default_threads;
pub use tune::{TuneFor, TuneOptions, tune};

use homing_ir::Trace;
use homing_ir::interp::Interpreter;
use homing_witness::outcome::TraceOutcome;
use homing_witness::why::explained;

/// Executes a trace with the reference interpreter and says what it shows: why
/// it violates `property` (a property's name, or the text of a goal) where it
/// does, and otherwise what is wrong at its end, if anything.
pub fn replay(model: &Model, trace: &Trace, property: &str) -> Result<TraceOutcome, String> {
    let interpreter = Interpreter::new(&model.network)
        .map_err(|_| "the reference interpreter cannot execute this model".to_string())?;
    let question = question::named(model, property).ok();
    let claim = question.as_ref().and_then(|question| question.claim());
    let explained = claim.map(|claim| explained(&interpreter, trace, claim));
    if let Some(Ok(explained)) = explained {
        return Ok(explained);
    }
    let replayed =
        homing_witness::replay::replay(&interpreter, trace).map_err(|e| e.to_string())?;
    let cause = homing_witness::replay::observe(&interpreter, &replayed.end);
    Ok(replayed.into_outcome(cause))
}
