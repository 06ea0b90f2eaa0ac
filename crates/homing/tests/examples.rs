//! What the README says of the bundled examples.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use homing::report::Verdict;
use homing::{Hooks, Options};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn verdicts(name: &str) -> Vec<(String, Verdict, Option<usize>)> {
    let model = homing::load(&example(name)).unwrap();
    let checked = homing::check(&model, &Options::default(), Hooks::default()).unwrap();
    let results = checked.outcome.results.into_iter();
    results.map(|r| (r.property, r.verdict, r.trace.map(|trace| trace.length))).collect()
}

#[test]
fn the_crossing_is_wrong() {
    let expected = [
        ("assertions".to_string(), Verdict::Violated, Some(12)),
        ("deadlock".to_string(), Verdict::Holds, None),
        ("errors".to_string(), Verdict::Holds, None),
    ];
    assert_eq!(verdicts("crossing.dve"), expected);
}

#[test]
fn the_mended_crossing_is_right() {
    let all = verdicts("crossing-fixed.dve");
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|(_, verdict, trace)| *verdict == Verdict::Holds && trace.is_none()));
}
