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
//! - `effort`: how much may still be done. `cdcl`: the solver of clauses; `independent`:
//!   another one, for proofs. `solver`: clauses of gates. `unrolling`: copies of a circuit.
//! - `bmc`, `induction`, `pdr`: one algorithm each. `certificate`: proofs are checked.
//! - `correspondence`: latches that are equal become one.
//! - `lasso`: runs without an end. `failures`: terms that have no value.

mod bmc;
mod cdcl;
mod certificate;
mod correspondence;
mod effort;
mod failures;
mod independent;
mod induction;
mod lasso;
mod pdr;
mod solver;
mod unrolling;

pub use bmc::{Bmc, Bounded};
pub use certificate::{Uncertified, Unproven};
pub use correspondence::Corresponding;
pub use effort::{Effort, Interrupted};
pub use failures::failing;
pub use induction::{Induction, Proof, Steps};
pub use lasso::Lassos;
pub use pdr::{Bit, Pdr, Reached};
pub use unrolling::{Problem, Trace};
