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
//!
//! Compiling a function takes about as long as evaluating its terms some hundred times. So where
//! nothing else is asked for ([`Execution::Gradual`]) each is evaluated that often first: most
//! errors are found before.
//!
//! Where no machine code may be made ([`Execution::Interpreted`]), and where a function is too
//! large to be compiled ([`Code::refused`]), the same calls evaluate terms one by one.
//!
//! # Modules
//!
//! - `machine`: Cranelift's module. `code`: compiled functions behind safe calls; `calls`: when
//!   they are worth compiling.
//! - `emitter`, `terms`, `effects`: terms and commands as machine code. A successor is made
//!   in registers; one of a wide state in memory, where only what changes is code.
//! - `successors`: which functions there are; `which`: which moves a function has. `fused`:
//!   sequences of moves compiled as one, within atomic blocks.
//! - `interpreted`: the same calls without machine code. `tests/differential` holds all of it
//!   against a plain evaluation of systems, on random networks and terms and at boundary
//!   values.

#![allow(unsafe_code)]

mod calls;
mod code;
mod effects;
mod emitter;
mod fused;
mod interpreted;
mod machine;
mod parts;
mod successors;
mod terms;
mod which;

pub use code::{Bounds, Code, Execution, Outcome, Ready};
pub use fused::{FUSED, Path};
pub use machine::JitError;
pub use parts::Phase;
