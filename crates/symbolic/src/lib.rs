//! Symbolic search: sets of states at once, as decision diagrams.
//!
//! # Modules
//!
//! - `diagram`: decision diagrams: nodes, operations, images.
//! - `bits`: arithmetic on numbers whose bits are functions.
//! - `order`: which variables stand together.
//! - `encode`: a system in bits: terms, effects, moves, who may move when.
//! - `steps`: images and preimages of sets, relation by relation.
//! - `reach`: breadth-first search, forward and backward, and chaining.
//! - `relational`: synchronous models: reachability, CTL, LTL, fairness.
//! - `estimate`: the estimate inferred from a goal; `bdda_star`: A* by it.

pub mod bdda_star;
mod bits;
pub mod diagram;
pub mod encode;
pub mod estimate;
pub mod order;
pub mod reach;
pub mod relational;
pub mod steps;

pub use diagram::{Diagrams, Set};
pub use encode::{Encoding, Trouble};
pub use estimate::Estimate;
pub use order::{ORDERS, Order};
pub use steps::Steps;
