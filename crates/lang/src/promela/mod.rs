//! Promela, the language of SPIN.

// Until the lowering calls `read`.
#![allow(dead_code)]

mod parse;
mod preprocess;
mod read;
pub mod syntax;
#[cfg(test)]
mod tests;
mod token;

#[allow(unused_imports)]
pub(crate) use read::{read, read_expression};
