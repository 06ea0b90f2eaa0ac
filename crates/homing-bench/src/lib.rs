//! Models that are made rather than read, for benchmarks and tests.
//!
//! The program `homing-bench` measures from outside; what stands here is the
//! part of it that other benchmarks use too.

pub mod family;
mod pen;
pub mod random_dve;
pub mod random_promela;
pub mod random_timed;
