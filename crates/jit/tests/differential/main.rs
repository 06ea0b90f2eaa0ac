//! Compiled code, and what runs where nothing may be compiled, against a plain evaluation of
//! the same systems.
//!
//! - `reference` evaluates terms, commands and moves over one integer a slot; it shares
//!   nothing with either but the definition of [`homing_ir::System`].
//! - `comparison` holds every function that [`homing_jit::Code`] has against it.
//! - `networks` draws networks and lays them out narrow and wide.
//! - `operators` puts every operator and every integer type before its boundary values.
//! - `terms` draws terms and effects that no front end would write.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod comparison;
mod networks;
mod operators;
mod reference;
mod small;
mod terms;
