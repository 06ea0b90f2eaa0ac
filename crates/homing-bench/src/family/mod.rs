//! The model families of the papers on directed model checking, written anew.
//!
//! | family | systems | from |
//! |---|---|---|
//! | `A2`–`A6`  | arbiter trees with a faulty client | Dräger, Finkbeiner, Podelski, *Directed model checking with distance-preserving abstractions*, STTT 2009, section 7 |
//! | `H3`–`H10` | towers of Hanoi, one process a disk | the same; Wehrle, Kupferschmid, *Context-enhanced directed model checking*, SPIN 2010, section 5 |
//! | `R5`–`R10` | random systems, fifteen seeds each | the first |
//! | `F5`, `F10`, `F15` | Fischer's protocol with a short wait | the second |
//! | `M1`–`M4`, `N1`–`N4` | real-time mutual exclusion by polling | both |
//! | `D2`–`D32` | rings for mutual exclusion with a broken gate (`E2`–`E32`: as they should be) | Reffel, Edelkamp, *Error detection with directed symbolic model checking*, FM 1999, section 6 |
//! | `T3`–`T63` | tree arbiters without cross-gating | the same |
//! | `S1`–`S9`, or `C1`–`C9` | a tramway's single-tracked line segment | both |
//!
//! The papers describe these models in a few sentences and do not print them.
//! Each file here is **our reconstruction**, calibrated by the figures the papers
//! give; its header says which of them it meets.
//!
//! All families are automata that meet in pairs on channels without a buffer, or
//! move alone: the papers' form of a system. `automata` holds those without time and
//! writes them as DVE (circuits, which share wires, are written at once: `tree_arbiter`, `dme_ring`); `timed` those with clocks and integers, and writes them for
//! UPPAAL and for TChecker.

mod arbiter;
mod automata;
mod command;
mod dme_ring;
mod explore;
mod fischer;
mod hanoi;
mod mutex;
mod random;
mod timed;
mod tramway;
mod tree_arbiter;

pub(crate) use random::Random;

use std::fmt;
use std::ops::RangeInclusive;

pub use command::{Options, run};

use mutex::Variant;

/// Seeds of the random systems the papers' tables average over.
pub const SEEDS: RangeInclusive<u64> = 1..=15;

/// A model of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The model in DVE, or for UPPAAL; a comment on top repeats the goal.
    pub text: String,
    /// How the name of its file ends: `dve` or `xta`.
    pub extension: &'static str,
    /// The error to look for, an expression for `--goal`.
    pub goal: String,
    /// The same timed model for TChecker.
    pub twin: Option<Twin>,
}

/// A timed model in TChecker's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The model.
    pub text: String,
    /// The labels to look for, as `tck-reach -l` wants them.
    pub labels: String,
}

/// A name that no model has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel(String);

impl fmt::Display for UnknownModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no model `{}`; there are A1 to A8, H1 to H16, R3 to R12, F2 to F30, M1 to \
             M4, N1 to N4, S1 to S9, T3 to T63, D2 to D32 and E2 to E32",
            self.0
        )
    }
}

impl std::error::Error for UnknownModel {}

/// The models without time of the papers' tables, smallest first.
pub fn names() -> Vec<String> {
    family('A', 2..=6).chain(family('H', 3..=10)).chain(family('R', 5..=10)).collect()
}

/// The timed models of the papers' tables, smallest first.
pub fn timed_names() -> Vec<String> {
    let fischer = [5, 10, 15].into_iter().flat_map(|size| family('F', size..=size));
    let polling = family('M', 1..=4).chain(family('N', 1..=4));
    fischer.chain(polling).chain(family('S', 1..=9)).collect()
}

fn family(letter: char, sizes: RangeInclusive<u32>) -> impl Iterator<Item = String> {
    sizes.map(move |size| format!("{letter}{size}"))
}

/// The model called `name`, such as `A4`, `H5`, `R7` or `M2`. The seed chooses among
/// the random systems and does not matter to the others.
pub fn model(name: &str, seed: u64) -> Result<Model, UnknownModel> {
    let made = made(name, seed).ok_or_else(|| UnknownModel(name.to_string()))?;
    let header = |comment: &str, goal: &str| {
        format!(
            "{comment} {}\n{comment} Our reconstruction, made by `homing-bench family`.\n\
             {comment} goal: {goal}\n",
            made.0
        )
    };
    Ok(match &made.1 {
        System::Untimed(system) => {
            let goal = system.goal_text();
            let text = header("//", &goal) + &system.to_dve();
            Model { text, extension: "dve", goal, twin: None }
        }
        System::Written(text, goal) => {
            let text = header("//", goal) + text;
            Model { text, extension: "dve", goal: goal.clone(), twin: None }
        }
        System::Timed(system) => {
            let (goal, labels) = (system.goal_text(), system.labels().join(","));
            let text = header("//", &goal) + &system.to_xta();
            let twin = header("#", &format!("-l {labels}")) + &system.to_tck(name);
            let twin = Some(Twin { text: twin, labels });
            Model { text, extension: "xta", goal, twin }
        }
    })
}

/// The automata of a model.
enum System {
    Untimed(automata::System),
    Timed(timed::System),
    /// Its text and its goal.
    Written(String, String),
}

/// What the model is, and its automata.
fn made(name: &str, seed: u64) -> Option<(String, System)> {
    let size: usize = name.get(1..)?.parse().ok()?;
    let untimed = |what: String, system| Some((format!("{name}: {what}"), System::Untimed(system)));
    let timed = |what: String, system| Some((format!("{name}: {what}"), System::Timed(system)));
    match (name.get(..1)?, size) {
        ("A", 1..=8) => untimed(
            format!("arbiter tree of height {size} with a faulty client"),
            arbiter::system(size),
        ),
        ("H", 1..=16) => untimed(format!("towers of Hanoi, {size} disks"), hanoi::system(size)),
        ("R", 3..=12) => untimed(
            format!("random system of {size} processes, seed {seed}"),
            random::system(size, seed),
        ),
        ("T", 3..=63) => {
            let (text, goal) = tree_arbiter::system(size);
            let what = format!("{name}: tree arbiter with {size} cells, without cross-gating");
            Some((what, System::Written(text, goal)))
        }
        ("D" | "E", 2..=32) => {
            let broken = name.starts_with('D');
            let (text, goal) = dme_ring::system(size, broken);
            let gate = if broken { "a broken gate each" } else { "all gates as they should be" };
            let what = format!("{name}: ring for mutual exclusion, {size} cells, {gate}");
            Some((what, System::Written(text, goal)))
        }
        ("F", 2..=30) => timed(
            format!("Fischer's protocol with {size} processes that wait too little"),
            fischer::system(size),
        ),
        (letter @ ("M" | "N"), 1..=4) => {
            let wishes = [[false, false], [true, false], [false, true], [true, true]][size - 1];
            let variant = Variant { settled: letter == "N", wishes };
            timed("mutual exclusion by polling, with a slow side".into(), mutex::system(variant))
        }
        ("S" | "C", 1..=9) => timed(
            "single-tracked line segment with a short delay".into(),
            tramway::system(tramway::inputs(size)),
        ),
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
        for size in [3, 4, 15, 63] {
            let model = model(&format!("T{size}"), 1).expect("a tree arbiter");
            assert!(model.text.contains(&model.goal));
            assert_eq!(model.text.matches("process User").count(), size + 1);
        }
    }

    #[test]
    fn every_timed_name_has_a_model_in_both_languages() {
        // The second paper's 27 instances are these and the towers H3 to H9.
        assert_eq!(timed_names().len() + 7, 27);
        for name in timed_names() {
            let model = model(&name, 1).expect("a model of the papers");
            assert!(model.text.contains(&model.goal), "{name}");
            let twin = model.twin.expect("a timed model");
            let labelled = |label: &str| twin.text.contains(&format!("labels:{label}"));
            assert!(twin.labels.split(',').all(labelled), "{name}");
            // The same edges in both.
            let edges = model.text.matches(" -> ").count();
            assert_eq!(edges, twin.text.matches("\nedge:").count(), "{name}");
        }
        assert_eq!(model("C4", 1).expect("S4").goal, model("S4", 1).expect("C4").goal);
    }

    #[test]
    fn other_names_have_none() {
        for name in [
            "", "A", "A0", "A9", "B3", "H17", "R2", "H-3", "é4", "F1", "M5", "N0", "S10", "T2",
            "D1", "E33",
        ] {
            assert!(model(name, 1).is_err(), "{name}");
        }
    }
}
