//! Symbolic search: sets of states at once, as decision diagrams.
//!
//! # Modules
//!
//! - `diagram`: decision diagrams: nodes, operations, images.
//! - `bits`: arithmetic on numbers whose bits are functions.
//! - `order`: which variables stand together.
//! - `encode`: a system in bits: terms, effects, moves, who may move when.
//! - `steps`: images and preimages of sets, relation by relation.
//! - `reach`: breadth-first search, forward and backward; `chaining`: relation by relation.
//! - `relational`: synchronous models: reachability, CTL, LTL, fairness.
//! - `estimate`: the estimate inferred from a goal; `database`: distances in projections;
//!   `lookup`: either, looked up for single states.
//! - Directed searches, a file each: `bdda_star`, `greedy`, `matrix`, `set_a_star`; `buckets` is
//!   the queue of the last two.
//! - Partial ones: `density`, `hints`, `splitting`; `pieces` is what they have in common with `greedy`.
//! - `bidirectional`: from both ends, and target enlargement.

pub mod bdda_star;
pub mod bidirectional;
mod bits;
pub mod buckets;
pub mod chaining;
pub mod database;
pub mod density;
pub mod diagram;
pub mod encode;
pub mod estimate;
pub mod greedy;
pub mod hints;
mod lookup;
pub mod matrix;
pub mod order;
mod pieces;
pub mod reach;
pub mod relational;
pub mod set_a_star;
pub mod splitting;
pub mod steps;

pub use diagram::{Diagrams, Set};
pub use encode::{Encoding, Trouble};
pub use estimate::Estimate;
pub use lookup::Lookup;
pub use order::{ORDERS, Order};
pub use steps::Steps;
