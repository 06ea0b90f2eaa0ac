//! The house rules, as tests: what the compiler and clippy do not check.
//!
//! - `layering`: a crate uses only the crates it may use.
//! - `text`: where `unsafe` may stand, what no file may contain, how long a file
//!   may be.
//! - `pages`: the pages every reader looks for, and that the README starts with
//!   two commands.
//!
//! One more rule, that every row of the catalogue is exercised by a model, needs
//! the catalogue itself and is therefore a test of the crate `homing`.

#![allow(clippy::expect_used, reason = "a test that cannot read the project must fail")]

mod layering;
mod pages;
mod project;
mod text;
