//! Models as data.
//!
//! A front end makes a [`Network`]: processes, channels, variables, every one
//! of them with the [`Span`] of the text it came from. [`flatten`](mod@flatten) turns it into a
//! [`System`], the (V, T) of directed model checking: scalar slots and the
//! parts of transitions, with what each part reads and writes. Everything
//! downstream of `System` is independent of the language.
//!
//! [`interp`] is the reference interpreter. It executes the `Network` itself,
//! slowly and obviously, and shares no code with what is compiled from the
//! `System`; every counterexample is replayed by it before it is shown.
//!
//! # Modules
//!
//! - `network`: what a front end makes. Its header defines what a network means.
//! - `source`, `diagnostic`: texts, spans, messages.
//! - `wellformed`: the invariants everything behind the front end relies on, and
//!   `Feature`, the constructs an engine may refuse.
//! - `interp`: the reference interpreter. Its header fixes the order of steps and of
//!   evaluation.
//! - `trace`: runs, by edges. `written`: expressions in words, where their text does not say
//!   what is meant.
//! - `relation`: synchronous models, which the languages of hardware become, with a reference
//!   interpreter of their own.
//! - `system`: slots, parts, terms, commands. `flatten` makes it from a network. `prepared`:
//!   a system with layout and moves, made once and shared by code, spaces and estimates.
//! - `timing`: what a system says of clocks. `evaluate`: terms, one by one, in packed
//!   states; for estimates, prices and zones, not part of the interpreter.
//! - `moves`: every way parts can move together, numbered.
//! - `temporal`, `automaton`: formulas and the automata that products are made with;
//!   `components`: the strongly connected components of an automaton. `alike`: expressions
//!   that differ in their spans at most.
//! - `dependence`: which labels accord with each other, and which may make a condition true:
//!   tables by label, finer than footprints (`condition`: what a write can do to a condition
//!   of one slot; `reach`: what a step reads and writes, all that may happen while control is
//!   held included).
//! - `symmetry`: which processes are interchangeable. Exchanges are read off the parts side
//!   by side (`matching`), values that may be names are found by sorts (`sorts`), and an
//!   exchange counts only if every part, joint and condition has its image (`image`, `check`)
//!   and the exchanges of neighbours satisfy the relations of the symmetric group
//!   (`relations`); what is said of clocks has its image too (`clocks`). `Symmetry::after`: from
//!   the first choice on. What a model declares (`Network::interchangeable`) is told about and
//!   never relied on.
//! - `footprint`: what parts read and write, implicit reads included. `independence`:
//!   which steps commute, and the Foata normal form of runs.
//! - `interval`, `passes`: interval arithmetic and the passes that use it.
//! - `layout`: where in a state's words each slot lies.
//! - `balanced`: long chains as trees of little depth.
//! - `builder`, `random`: networks for tests, by hand and at random (feature
//!   `random`). `random::config` says how many networks a test draws and by which seed:
//!   the same in every run, others with `HOMING_FRESH` and `HOMING_SEED`.

pub mod alike;
pub mod automaton;
mod balanced;
#[cfg(any(test, feature = "random"))]
pub mod builder;
pub mod components;
#[cfg(any(test, feature = "random"))]
pub mod counter;
pub mod dependence;
pub mod diagnostic;
pub mod evaluate;
pub mod flatten;
pub mod footprint;
mod ids;
pub mod independence;
pub mod interp;
pub mod interval;
pub mod layout;
pub mod moves;
pub mod network;
pub mod passes;
pub mod prepared;
#[cfg(any(test, feature = "random"))]
pub mod random;
pub mod relation;
pub mod source;
pub mod symmetry;
pub mod system;
pub mod temporal;
pub mod timing;
pub mod trace;
pub mod wellformed;
mod written;

pub use balanced::balanced;
pub use diagnostic::{Diagnostic, Severity};
pub use flatten::flatten;
pub use network::Network;
pub use prepared::Prepared;
pub use relation::Relation;
pub use source::{Source, SourceId, Sources, Span};
pub use system::System;
pub use trace::{Step, Trace};
