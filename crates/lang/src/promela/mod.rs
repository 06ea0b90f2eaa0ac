//! Promela, the language of SPIN.

mod parse;
mod preprocess;
mod read;
pub mod syntax;
#[cfg(test)]
mod tests;
mod token;

#[allow(unused_imports, reason = "the lowering calls them")]
pub(crate) use read::{read, read_expression};
