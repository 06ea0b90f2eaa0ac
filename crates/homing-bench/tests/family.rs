//! The papers' families as homing reads and searches them.
#![allow(clippy::expect_used, reason = "a test that cannot set itself up must fail")]

use std::fs;
use std::path::Path;
use std::process::Command;

use homing::{Hooks, Options};
use homing_bench::family;

/// Steps to the goal by breadth-first search, none if there is no way, and the
/// states it expanded.
fn breadth_first(name: &str, seed: u64) -> (Option<u64>, u64) {
    let made = family::model(name, seed).expect("the family has this model");
    let model = homing::parse(&format!("{name}.dve"), &made.text).expect("the model is DVE");
    assert!(model.warnings.is_empty(), "{name}: {:?}", model.warnings);
    let options =
        Options { goals: vec![made.goal], strategy: "breadth".into(), ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("the goal is read");
    let trace = checked.outcome.results[0].trace.as_ref();
    (trace.map(|trace| trace.length as u64), checked.outcome.statistics.expanded)
}
