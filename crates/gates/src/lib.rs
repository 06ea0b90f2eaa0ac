//! Synchronous models bit by bit: the circuit of a [`Relation`](homing_ir::Relation).
//!
//! ```text
//! Relation ──lowering, definitions──▶ Graph, Circuit ──▶ clauses, decision diagrams
//! ```
//! [`Circuit::new`] makes it; [`Circuit::bits`] says which literals a variable is,
//! [`Circuit::valuation`] what values literals stand for, [`Circuit::influence`] which
//! latches matter. Memory and time are those of the budget under which it is made.
//!
//! # Modules
//!
//! - `graph`: and-inverter graphs. `words`, `numbers`: arithmetic as gates. `encoding`: how
//!   bits stand for values.
//! - `lowering`: terms as gates. `definitions`: what a definition allows. `circuit`: the
//!   whole relation. `building`: how it is made. `substitution`: the same with latches left out.

mod building;
mod circuit;
mod definitions;
mod encoding;
mod graph;
mod lowering;
mod numbers;
mod substitution;
mod words;

pub use circuit::{Circuit, Condition, Latch, Leaf, Refusal};
pub use graph::{Graph, Literal, Node, value};
pub use substitution::Substituted;
