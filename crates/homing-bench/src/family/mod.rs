//! The untimed model families of the papers on directed model checking, written
//! anew.
//!
//! | family | systems | from |
//! |---|---|---|
//! | `A2`–`A6`  | arbiter trees with a faulty client | Dräger, Finkbeiner, Podelski, *Directed model checking with distance-preserving abstractions*, STTT 2009, section 7 |
//! | `H3`–`H10` | towers of Hanoi, one process a disk | the same; Wehrle, Kupferschmid, *Context-enhanced directed model checking*, SPIN 2010, section 5 |
//! | `R5`–`R10` | random systems, fifteen seeds each | the first |
//!
//! The papers describe these models in a few sentences and do not print them.
//! Each file here is **our reconstruction**, calibrated by the figures the papers
//! give; its header says which of them it meets.
//!
//! All families are finite automata that meet in pairs on channels without a
//! buffer, or move alone: the papers' form of a system, which `automata` holds and
//! writes as DVE.

mod arbiter;
mod automata;
mod command;
mod explore;
mod hanoi;
mod random;

pub(crate) use random::Random;

use std::fmt;

pub use command::{Options, run};

use automata::System;

/// Seeds of the random systems the papers' tables average over.
pub const SEEDS: std::ops::RangeInclusive<u64> = 1..=15;

/// A model of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The model in DVE; a comment on top repeats the goal.
    pub text: String,
    /// The error to look for, an expression for `--goal`.
    pub goal: String,
}

/// A name that no model has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel(String);

impl fmt::Display for UnknownModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no model `{}`; there are A1 to A8, H1 to H16 and R3 to R12", self.0)
    }
}

impl std::error::Error for UnknownModel {}

/// The models of the papers' tables, smallest first.
pub fn names() -> Vec<String> {
    let family = |letter: char, sizes: std::ops::RangeInclusive<u32>| {
        sizes.map(move |size| format!("{letter}{size}"))
    };
    family('A', 2..=6).chain(family('H', 3..=10)).chain(family('R', 5..=10)).collect()
}

/// The model called `name`, such as `A4`, `H5` or `R7`. The seed chooses among
/// the random systems and does not matter to the others.
pub fn model(name: &str, seed: u64) -> Result<Model, UnknownModel> {
    let (title, system) = system(name, seed).ok_or_else(|| UnknownModel(name.to_string()))?;
    let goal = system.goal_text();
    let header = format!(
        "// {title}\n// Our reconstruction, made by `homing-bench family`.\n// goal: {goal}\n"
    );
    Ok(Model { text: header + &system.to_dve(), goal })
}

/// What the model is, and its automata.
fn system(name: &str, seed: u64) -> Option<(String, System)> {
    let size: usize = name.get(1..)?.parse().ok()?;
    match (name.get(..1)?, size) {
        ("A", 1..=8) => Some((
            format!("{name}: arbiter tree of height {size} with a faulty client"),
            arbiter::system(size),
        )),
        ("H", 1..=16) => {
            Some((format!("{name}: towers of Hanoi, {size} disks"), hanoi::system(size)))
        }
        ("R", 3..=12) => Some((
            format!("{name}: random system of {size} processes, seed {seed}"),
            random::system(size, seed),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_model() {
        assert_eq!(names().len(), 5 + 8 + 6);
        // The random ones are made and looked at in `random`.
        for name in names().iter().filter(|name| !name.starts_with('R')) {
            let model = model(name, 1).expect("a model of the papers");
            assert!(model.text.contains(&model.goal), "{name}");
        }
    }

    #[test]
    fn other_names_have_none() {
        for name in ["", "A", "A0", "A9", "B3", "H17", "R2", "H-3", "é4"] {
            assert!(model(name, 1).is_err(), "{name}");
        }
    }
}
