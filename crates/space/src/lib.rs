//! State spaces.
//!
//! [`CompiledSpace`] runs compiled code over packed states. [`InterpretedSpace`]
//! wraps the reference interpreter in the same role, so that every strategy
//! and store can be compared with it.

mod atomic;
mod between;
mod compiled;
mod interpreted;
mod joints;
mod participants;
mod remembering;
mod restricted;
mod symmetry;
mod watched;
pub mod zones;

pub use between::Between;
pub use compiled::{CompiledExpander, CompiledSpace, SpaceError};
pub use interpreted::InterpretedSpace;
pub use participants::Participants;
pub use remembering::Remembering;
pub use restricted::{Restricted, Restriction};
pub use symmetry::{ORDERS, Representatives, Symmetric};
pub use watched::{Automaton, Watched};
