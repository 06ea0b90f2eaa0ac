//! What the project's test models say of themselves, in comments on top:
//!
//! ```text
//! // expect: states 12
//! // expect: deadlock violated, length 4
//! // expect: assertion holds
//! // expect: error violated, length 3
//! // expect: goal 'x == 3' violated, length 7
//! // expect-ltl: '[] <> x == 3' violated, fair holds
//! // expect-ltl: '[] <> x == 4' violated, fair violated, strongly fair holds
//! ```
//! Included by the tests of several crates, each of which asks another engine.
#![allow(dead_code, reason = "not every crate asks for all of it")]
#![allow(clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// What an expectation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The number of reachable states.
    States,
    /// States without any step.
    Deadlock,
    /// Assertions that are false, or fail.
    Assertion,
    /// Steps that fail.
    Error,
    /// An expression of the model's language.
    Goal(String),
}

/// One line of a model.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What it is about.
    pub subject: Subject,
    /// What is expected, as [`verdict`] writes it, or a number.
    pub expected: String,
}

impl Expectation {
    /// The least number of steps to a violation; `None` where there is none.
    pub fn length(&self) -> Option<u32> {
        let length = self.expected.strip_prefix("violated, length ");
        length.map(|length| length.parse().expect("a length is a number"))
    }
}

/// `holds`, or `violated, length 3`.
pub fn verdict(length: Option<u32>) -> String {
    length.map_or("holds".to_string(), |length| format!("violated, length {length}"))
}

/// What the text of a model says of itself, in comments of its language.
pub fn expectations(text: &str) -> Vec<Expectation> {
    let comment = |line: &'_ str| {
        let said = line.strip_prefix("// ").or_else(|| line.strip_prefix("# "));
        said.and_then(|said| said.strip_prefix("expect: ")).map(read)
    };
    text.lines().filter_map(comment).collect()
}

/// A formula of a model, and whether every run satisfies it, every weakly fair one, and
/// every strongly fair one: where nothing is said of those, as the weakly fair.
pub fn formulas(text: &str) -> Vec<(String, [bool; 3])> {
    let said = |line: &'_ str| {
        let line = line.strip_prefix("// expect-ltl: '")?;
        let (formula, expected) = line.rsplit_once("' ").expect("something is expected of it");
        let expected = match expected {
            "holds, fair holds" => [true, true, true],
            "violated, fair holds" => [false, true, true],
            "violated, fair violated" => [false, false, false],
            "violated, fair violated, strongly fair holds" => [false, false, true],
            other => panic!("unknown expectation: {other}"),
        };
        Some((formula.into(), expected))
    };
    text.lines().filter_map(said).collect()
}

fn read(line: &str) -> Expectation {
    // A goal's text may contain blanks, never a quote.
    let end = match line.rfind('\'') {
        Some(quote) => quote + 1,
        None => line.find(' ').expect("something is expected of it"),
    };
    let (subject, expected) = line.split_at(end);
    let subject = match subject {
        "states" => Subject::States,
        "deadlock" => Subject::Deadlock,
        "assertion" => Subject::Assertion,
        "error" => Subject::Error,
        _ => {
            let goal = subject.strip_prefix("goal '").and_then(|goal| goal.strip_suffix('\''));
            Subject::Goal(goal.unwrap_or_else(|| panic!("unknown expectation: {line}")).into())
        }
    };
    Expectation { subject, expected: expected.trim().into() }
}

/// The project's test models of a language, or of a folder within it: files
/// whose name ends like the language's folder, such as `dve` for `dve/bad`, or as
/// the language's own tool wants it.
pub fn models(folder: &str) -> Vec<PathBuf> {
    let language = folder.split('/').next().unwrap_or(folder);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let entries = fs::read_dir(root.join(folder)).expect("there are models");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| match language {
                "uppaal" => ["xml", "xta", "ta"].contains(&ending),
                "aiger" => ending == "aag",
                other => ending == other,
            })
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "the models were not found");
    files
}
