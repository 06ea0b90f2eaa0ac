//! Promela, the language of SPIN.

mod flow;
mod lower;
mod scope;
pub mod syntax;
