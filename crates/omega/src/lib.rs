//! Linear temporal logic and automata on infinite words.
//!
//! [`translate()`] makes a small generalised Büchi automaton of a formula; the
//! [`Automaton`] itself is a plain data type of `ir`. The way of a formula:
//!
//! ```text
//! Formula ── formulas ──▶ negation normal form, one node a subformula
//!         ── simplify ──▶ the same, smaller
//!         ── tableau  ──▶ Automaton (transition-based, generalised Büchi)
//!         ── reduce   ──▶ prune ⇄ simulation until nothing changes
//!         ── degeneralise ─▶ Büchi, where one acceptance set is wanted
//! ```
//!
//! [`classify`] says what kind of property a formula or an automaton is; [`hoa`]
//! reads and writes the exchange format of automata, [`mod@never`] and [`dot`] write.
//!
//! # Modules
//!
//! A formula becomes a small generalised Büchi automaton: `formulas` (negation normal form,
//! one node a subformula; a negation is the mirror image, so every rule is written once),
//! `simplify`, `tableau` (Couvreur 1999), `prune` (components, needed acceptance sets),
//! `simulation` (direct and reverse), `reduce` (both in turns), `degeneralise` (levels).
//! `classify`: kinds of formulas, strength of automata. `component`: components and their
//! classes. `hoa` (reader and writer of our own: the library `hoars` panics at large numbers
//! and its errors have no places), `never`, `dot`, `print`. `word`: whether a word that
//! repeats is accepted, the oracle of all tests.

pub use homing_ir::automaton::{Automaton, Cube, Transition};
pub use homing_ir::temporal::{Connective, Formula};

pub mod classify;
pub mod component;
mod cubes;
pub mod degeneralise;
pub mod dot;
mod formulas;
mod guard;
pub mod hoa;
pub mod never;
pub mod print;
mod prune;
pub mod reduce;
mod simplify;
mod simulation;
mod tableau;
pub mod translate;
pub mod word;

pub use translate::{Error, Translation, translate};
