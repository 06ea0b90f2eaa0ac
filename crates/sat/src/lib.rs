//! Circuits checked by a solver for satisfiability: is there a run at whose end this is true?
//!
//! ```text
//! Problem ──Unrolling──▶ Graph ──Solver──▶ Trace, or the proof that there is none
//! ```
//! A [`Problem`] is a circuit and what is looked for. Each way to find it can be interrupted
//! when its share is used up ([`Effort`]), and goes on where it was.
//!
//! # Modules
//!
//! - `effort`: how much may still be done. `solver`: clauses of gates. `unrolling`: copies of
//!   a circuit.
//! - `bmc`, `induction`, `pdr`: one algorithm each. `certificate`: proofs are checked.
//! - `lasso`: runs without an end. `failures`: terms that have no value.

mod bmc;
mod certificate;
mod effort;
mod failures;
mod induction;
mod lasso;
mod pdr;
mod solver;
mod unrolling;

pub use bmc::{Bmc, Bounded};
pub use certificate::Uncertified;
pub use effort::{Effort, Interrupted};
pub use failures::failing;
pub use induction::{Induction, Proof};
pub use lasso::Lassos;
pub use pdr::{Bit, Pdr, Reached, Unproven};
pub use unrolling::{Problem, Trace};
