//! Successor functions compiled with Cranelift.
//!
//! The only crate that knows Cranelift, and one of the places where `unsafe`
//! may live: [`Code`] turns the terms of a [`homing_ir::System`] into machine
//! code when they are first needed, and hands out safe calls.
//!
//! What is one function: all moves that one component leads from one location.
//! A function a transition is ten times slower; a function for the whole
//! system is no faster (measured, see ARCHITECTURE.md) and cannot be compiled
//! piece by piece.

#![allow(unsafe_code)]

mod code;
mod effects;
mod emitter;
mod machine;
mod successors;
mod terms;

pub use code::{Code, Outcome, Ready};
pub use machine::JitError;
pub use successors::Phase;
