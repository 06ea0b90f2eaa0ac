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
        Options { goals: vec![made.goal], strategy: Some("breadth".into()), ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("the goal is read");
    let trace = checked.outcome.results[0].trace.as_ref();
    (trace.map(|trace| trace.length as u64), checked.outcome.statistics.expanded)
}

#[test]
fn all_models_are_read_without_a_warning() {
    for name in family::names() {
        let made = family::model(&name, 1).expect("the family has this model");
        let mut model =
            homing::parse(&format!("{name}.dve"), &made.text).expect("the model is DVE");
        assert!(model.warnings.is_empty(), "{name}: {:?}", model.warnings);
        let goal = (model.language.expression)(&mut model.network, &made.goal, "goal");
        assert!(goal.is_ok(), "{name}: {}", made.goal);
    }
}

/// Rings exclude users from each other, and serve each of them, unless a gate is broken.
#[test]
fn rings_fail_by_their_broken_gate_only() {
    for (name, shortest) in [("D2", 15), ("D4", 24)] {
        assert_eq!(breadth_first(name, 1).0, Some(shortest), "{name}");
    }
    for cells in 2..=4 {
        let name = format!("E{cells}");
        assert_eq!(breadth_first(&name, 1).0, None, "{name}");
        let made = family::model(&name, 1).expect("the family has this model");
        let model = homing::parse("ring.dve", &made.text).expect("the model is DVE");
        let goals = (1..=cells).map(|cell| format!("ua{cell} == 1")).collect();
        let options = Options { goals, ..Options::default() };
        let checked = homing::check(&model, &options, Hooks::default()).expect("goals are read");
        assert!(checked.outcome.results.iter().all(|one| one.trace.is_some()), "{name}");
    }
}

/// Steps to the error of a timed model by breadth-first search, none if there is no
/// way to it, in both languages.
fn timed(name: &str, change: impl Fn(String) -> String) -> Option<u64> {
    let made = family::model(name, 1).expect("the family has this model");
    let twin = made.twin.expect("a timed model").text;
    let lengths = [(made.extension, made.text), ("tck", twin)].map(|(extension, text)| {
        let file = format!("{name}.{extension}");
        let model = homing::parse(&file, &change(text)).expect("the model is read");
        assert!(model.warnings.is_empty(), "{file}: {:?}", model.warnings);
        let options = Options {
            goals: vec![made.goal.clone()],
            strategy: Some("breadth".into()),
            ..Options::default()
        };
        let checked = homing::check(&model, &options, Hooks::default()).expect("the goal is read");
        let trace = checked.outcome.results[0].trace.as_ref();
        trace.map(|trace| trace.length as u64)
    });
    assert_eq!(lengths[0], lengths[1], "{name}: UPPAAL's and TChecker's form differ");
    lengths[0]
}

#[test]
fn timed_models_fail_as_soon_as_in_the_papers() {
    let shortest = [("F5", 6), ("F10", 6), ("S1", 54), ("S3", 54), ("M1", 47), ("N1", 49)];
    for (name, steps) in shortest {
        assert_eq!(timed(name, |text| text), Some(steps), "{name}");
    }
}

/// The one bound that is wrong, put right.
#[test]
fn timed_models_without_their_fault_have_no_error() {
    let repairs = [
        ("F3", ">= 1", "> 2"),
        ("M1", "Side2_cycle <= 1001", "Side2_cycle <= 1000"),
        ("S1", " 19", " 20"),
    ];
    for (name, wrong, right) in repairs {
        let repaired = |text: String| {
            assert!(text.contains(wrong), "{name}: no `{wrong}`");
            text.replace(wrong, right)
        };
        assert_eq!(timed(name, repaired), None, "{name}");
    }
}

#[test]
fn all_timed_models_are_read_without_a_warning() {
    for name in family::timed_names() {
        let made = family::model(&name, 1).expect("the family has this model");
        let twin = made.twin.expect("a timed model").text;
        for (extension, text) in [("xta", made.text), ("tck", twin)] {
            let file = format!("{name}.{extension}");
            let mut model = homing::parse(&file, &text).expect("the model is read");
            assert!(model.warnings.is_empty(), "{file}: {:?}", model.warnings);
            let goal = (model.language.expression)(&mut model.network, &made.goal, "goal");
            assert!(goal.is_ok(), "{file}: {}", made.goal);
        }
    }
}

/// A search that looks at successors at once ends on the last level but one, one
/// that looks at states in turn on the last: the bounds are where these begin and end.
#[test]
fn towers_of_hanoi_take_as_long_as_in_the_papers() {
    let solutions = [("H3", 22, 371..=447), ("H4", 52, 4039..=4371), ("H5", 114, 40763..=42455)];
    for (name, steps, expanded) in solutions {
        let found = breadth_first(name, 1);
        assert_eq!(found.0, Some(steps), "{name}");
        assert!(expanded.contains(&found.1), "{name}: {} states expanded", found.1);
    }
}

#[test]
fn arbiter_trees_fail_as_soon_as_in_the_paper() {
    assert_eq!(breadth_first("A2", 1).0, Some(12));
    assert_eq!(breadth_first("A3", 1).0, Some(17));
}

#[test]
fn random_systems_have_errors_of_moderate_length() {
    for seed in family::SEEDS {
        let (length, _) = breadth_first("R5", seed);
        assert!(length.is_some_and(|length| length >= 10), "seed {seed}: {length:?}");
    }
}

#[test]
fn models_are_written_with_their_goals() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("family");
    let program = || Command::new(env!("CARGO_BIN_EXE_homing-bench"));
    let out = folder.to_string_lossy();
    let status = program().args(["family", "R5", "--out", &out]).status().expect("it starts");
    assert!(status.success());
    let goals = fs::read_to_string(folder.join("goals.tsv")).expect("there is a table of goals");
    assert_eq!(goals.lines().count(), 16);
    for line in goals.lines().skip(1) {
        let (name, goal) = line.split_once('\t').expect("two columns");
        let text = fs::read_to_string(folder.join(format!("{name}.dve"))).expect("a model");
        assert!(text.contains(&format!("// goal: {goal}\n")), "{name}");
    }
    let printed = program().args(["family", "R5", "--seed", "3"]).output().expect("it starts");
    let third = fs::read(folder.join("R5-03.dve")).expect("the third model");
    assert_eq!(printed.stdout, third);
}

#[test]
fn unknown_models_are_told() {
    for (arguments, sentence) in
        [(vec!["family", "A99"], "there is no model `A99`"), (vec!["family"], "name a model")]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_homing-bench"))
            .args(arguments)
            .output()
            .expect("homing-bench starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(sentence));
    }
}
