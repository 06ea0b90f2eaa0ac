//! Successor functions compiled with Cranelift.
//!
//! The only crate that knows Cranelift, and one of the places where `unsafe`
//! may live: [`Code`] turns the terms of a [`homing_ir::System`] into machine
//! code when they are first needed, and hands out safe calls.
//!
//! What is one function: all moves of a small system; of a larger one, or
//! where components are committed, all moves that one component leads from one
//! location, compiled when first needed. A function a transition is ten times
//! slower.

#![allow(unsafe_code)]

mod code;
mod effects;
mod emitter;
mod fused;
mod machine;
mod parts;
mod successors;
mod terms;

pub use code::{Code, Outcome, Ready};
pub use fused::{FUSED, Path};
pub use machine::JitError;
pub use parts::Phase;
