//! Automata and formulas against their meaning, on random words that repeat.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod draw;
mod stages;
mod words;
