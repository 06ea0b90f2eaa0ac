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

pub mod diagnostic;
pub mod network;
pub mod source;
pub mod trace;

pub use diagnostic::{Diagnostic, Severity};
pub use network::Network;
pub use source::{Source, SourceId, Sources, Span};
pub use trace::{Step, Trace};
