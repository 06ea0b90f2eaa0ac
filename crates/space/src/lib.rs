//! State spaces.
//!
//! [`CompiledSpace`] runs compiled code over packed states. [`InterpretedSpace`]
//! wraps the reference interpreter in the same role, so that every strategy
//! and store can be compared with it.

mod atomic;
mod between;
mod compiled;
mod degeneralised;
mod fairness;
mod interpreted;
mod joints;
mod liveness_to_safety;
mod observer;
mod participants;
mod product;
pub mod reduction;
mod remembering;
mod restricted;
mod symmetry;
pub mod zones;

pub use between::Between;
pub use compiled::{CompiledExpander, CompiledSpace, SpaceError};
pub use degeneralised::Degeneralised;
pub use fairness::Fairness;
pub use interpreted::InterpretedSpace;
pub use liveness_to_safety::LivenessToSafety;
pub use observer::Observer;
pub use participants::Participants;
pub use product::Product;
pub use remembering::Remembering;
pub use restricted::{Restricted, Restriction};
pub use symmetry::{ORDERS, Representatives, Symmetric, beginning};
