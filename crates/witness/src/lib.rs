//! Witnesses: runs that were executed again, and what they show.
//!
//! This is what homing can be trusted for. A search hands over edges of the network as it
//! was written; [`replay`](replay::replay) executes them with the reference interpreter,
//! and [`confirm`](replay::confirm_run) checks that the run really shows what is
//! [claimed](claim::Claim) of it. Nothing of this shares code with flattening, passes,
//! compilation, spaces or searches.
//!
//! - [`claim`]: what a run is said to show.
//! - [`replay`]: finite runs, and their ends. [`infinite`]: runs without an end.
//!   [`observed`]: observers.
//! - [`why`]: which conditions came to hold when, and which steps matter.
//! - [`outcome`]: a run as data, for reports. [`moves`]: its edges in words.
//!
//! # Modules
//!
//! - `claim`: what a run is said to show. `replay`: nothing is shown that did not come
//!   through here. `infinite`: runs without an end. `observed`: observers.
//! - `why`: which conjuncts became true when, which steps matter; what is said not to matter
//!   was left out and the rest replayed.
//! - `relational`: runs of relations, which have moments instead of edges.
//! - `outcome`: a run as data. `moves`: its edges in words.

pub mod claim;
pub mod infinite;
pub mod moves;
pub mod observed;
pub mod outcome;
pub mod relational;
pub mod replay;
pub mod why;

pub use claim::{Claim, Fairness, Forbidden, Meaning};
