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

#[test]
fn a_long_way_to_the_crossing_is_made_short() {
    let model = homing::load(&example("crossing.dve")).unwrap();
    let options = Options {
        properties: vec!["assertions".into()],
        strategy: Some("depth".into()),
        ..Options::default()
    };
    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
    let (property, trace) = &checked.traces[0];
    assert_eq!(trace.steps.len(), 188);
    let options = Options::default();
    let short = homing::shorten(&model, &options, trace, property, Hooks::default()).unwrap();
    assert_eq!((short.trace.steps.len(), short.outcome.optimal), (12, true));
    let holds = &short.outcome.trace.why.as_ref().unwrap().holds;
    let since: Vec<(&str, usize)> =
        holds.iter().map(|one| (one.condition.as_str(), one.since)).collect();
    assert_eq!(since, [("Train_0 is at crossing", 8), ("not (cars == 0)", 12)]);
}

#[test]
fn accidents_differ() {
    let model = homing::load(&example("crossing.dve")).unwrap();
    let properties = vec!["assertions".into()];
    let options = Options { properties, different: 3, ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
    let different = checked.outcome.results[0].different.as_ref().unwrap();
    assert_eq!((different.others.len(), checked.traces.len()), (2, 3));
}
