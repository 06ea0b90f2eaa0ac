//! Promela, the language of SPIN.

pub mod syntax;
