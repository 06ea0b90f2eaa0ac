//! State spaces.
//!
//! [`CompiledSpace`] runs compiled code over packed states, or interprets the same systems
//! ([`Execution`]). All others are spaces around spaces.
//!
//! # Modules
//!
//! A wrapper names the space inside it and adds its words behind that one's; whoever has a
//! step of the outermost space asks `Space::project` for what the innermost one did.
//!
//! - `compiled`: the compiled space, or the interpreted one of the same system; puts joints
//!   together at run time. `atomic`: steps in which a component is within an atomic block.
//! - `relational`: relations, which have no processes: successors by trying inputs and
//!   choices.
//! - `product`: a space and an automaton, with stuttering, acceptance marks, ample sets.
//!   `observer`: observers as automata. `fairness`: weak fairness as acceptance
//!   sets, strong fairness as pairs of requests and grants.
//!   `liveness_to_safety`: a product that records a state, so that a loop is a goal.
//!   `degeneralised`: several acceptance sets counted through, one after the other.
//! - `reduction`: a space that knows where some successors are an ample set: `fixed` by tables,
//!   `stubborn` state by state, `trial`: whether a way of choosing pays, tried before the
//!   search. `symmetry`:
//!   representatives of orbits, of states with zones too (`orbits`, `representatives`,
//!   `clocks`); `runs` turns a path of them into a run by following the permutation;
//!   `beginning`: the states that every run starts with.
//! - `joints`: broadcasts, vectors, synchronous steps, put together state by state.
//!   `participants`: who takes part in a step, and who refrains.
//! - `zones`: discrete states, each with a zone.
//! - `remembering`: a space around a space, whose states know the step before.
//!   `restricted`: one without some steps and violations. `between`: one from another
//!   state, with others as goals.

mod atomic;
mod between;
mod compiled;
mod degeneralised;
mod fairness;
mod joints;
mod liveness_to_safety;
mod observer;
mod participants;
mod product;
pub mod reduction;
mod relational;
mod remembering;
mod restricted;
mod symmetry;
pub mod zones;

pub use between::Between;
pub use compiled::{CompiledExpander, CompiledSpace, SpaceError};
pub use degeneralised::Degeneralised;
pub use fairness::Fairness;
pub use homing_jit::Execution;
pub use liveness_to_safety::LivenessToSafety;
pub use observer::Observer;
pub use participants::Participants;
pub use product::Product;
pub use relational::{Condition, RelationSpace, TooLarge, Trouble};
pub use remembering::Remembering;
pub use restricted::{Restricted, Restriction};
pub use symmetry::{ORDERS, Representatives, Symmetric, beginning};
