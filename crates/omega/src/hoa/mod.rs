//! The exchange format of automata.
//!
//! Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller, Parker and Strejček,
//! "The Hanoi omega-automata format" (2015), version 1. Read are generalised Büchi
//! automata with acceptance on states or transitions, labels on either, implicit
//! labels and aliases; what is alternating or has another acceptance condition is
//! refused.
//!
//! The reader is our own because a file may contain anything, and the one on the
//! shelf panics at large numbers and aliases and has no places in its errors.

mod read;
mod token;
mod write;

use homing_ir::automaton::Automaton;

pub use read::read;
pub use write::write;

/// An automaton of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hoa {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The automaton.
    pub automaton: Automaton,
    /// What its atoms stand for.
    pub atoms: Vec<String>,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Problem {
    /// One sentence, without a full stop.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in it, from 1, in characters.
    pub column: usize,
    /// The place, in bytes.
    pub at: usize,
}

#[cfg(test)]
mod tests;
