//! State spaces.
//!
//! [`CompiledSpace`] runs compiled code over packed states. [`InterpretedSpace`]
//! wraps the reference interpreter in the same role, so that every strategy
//! and store can be compared with it.

mod atomic;
mod between;
mod compiled;
mod degeneralised;
mod interpreted;
mod joints;
mod participants;
pub mod reduction;
mod remembering;
mod restricted;
mod watched;
pub mod zones;

pub use between::Between;
pub use compiled::{CompiledExpander, CompiledSpace, SpaceError};
pub use degeneralised::Degeneralised;
pub use interpreted::InterpretedSpace;
pub use participants::Participants;
pub use remembering::Remembering;
pub use restricted::{Restricted, Restriction};
pub use watched::{Automaton, Watched};
