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
pub use source::{Source, SourceId, Sources, Span};
pub use system::System;
pub use trace::{Step, Trace};
