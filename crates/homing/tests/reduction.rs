//! Partial-order reduction from model to verdict: the same verdicts with it and
//! without, claims that hold, refusals that say why.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::PathBuf;

use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Hooks, Model, Options, REDUCTIONS, Reduction, UsageError, UseReduction, UseSymmetry};

fn models() -> Vec<(String, Model)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let mut models = Vec::new();
    for language in ["dve", "promela", "uppaal"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(root.join(language))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .collect();
        files.sort();
        for file in files {
            if let Ok(model) = homing::load(&file) {
                models.push((file.file_name().unwrap().to_string_lossy().into_owned(), model));
            }
        }
    }
    models
}

fn check(
    model: &Model,
    strategy: &str,
    reduction: Option<Reduction>,
    symmetry: UseSymmetry,
) -> Result<Vec<PropertyOutcome>, UsageError> {
    let reduction = reduction.map_or(UseReduction::Never, UseReduction::By);
    let strategy = Some(strategy.into());
    let options = Options { strategy, reduction, symmetry, ..Options::default() };
    Ok(homing::check(model, &options, Hooks::default())?.outcome.results)
}

fn length(outcome: &PropertyOutcome) -> Option<u64> {
    outcome.trace.as_ref().map(|trace| trace.length as u64)
}

#[test]
fn reduced_searches_of_models_come_to_the_same_verdicts() {
    reduced_searches(UseSymmetry::Auto, 20);
}

/// The same among representatives of interchangeable processes.
#[test]
fn reduced_searches_of_representatives_come_to_the_same_verdicts() {
    reduced_searches(UseSymmetry::Always, 20);
}

/// Compares with searches of everything; so many questions at least take fewer states.
fn reduced_searches(symmetry: UseSymmetry, least: usize) {
    let mut refused = 0;
    let mut fewer = 0;
    for (name, model) in models() {
        let whole = check(&model, "breadth", None, UseSymmetry::Never);
        let Ok(shortest) = whole else { continue };
        for strategy in ["breadth", "depth", "auto"] {
            for (reduction, asked) in REDUCTIONS {
                let about = format!("{name}, {strategy}, {reduction}");
                let found = match check(&model, strategy, Some(*asked), symmetry) {
                    Ok(found) => found,
                    Err(UsageError::Sentence(why)) => {
                        assert!(why.contains("no partial-order reduction here"), "{about}: {why}");
                        refused += 1;
                        continue;
                    }
                    Err(other) => panic!("{about}: {other}"),
                };
                for (expected, found) in shortest.iter().zip(&found) {
                    let about = format!("{about}, {}", found.property);
                    assert_eq!(found.verdict, expected.verdict, "{about}");
                    assert!(length(found) >= length(expected), "{about}");
                    let same = length(found) == length(expected);
                    assert!(same || !found.optimal, "{about} is not shortest");
                    let keeps = *asked == Reduction::Goal && strategy == "breadth";
                    assert!(same || !keeps, "{about}: lengths");
                    fewer += usize::from(found.statistics.stored < expected.statistics.stored);
                }
            }
        }
    }
    assert!(refused > 0 && fewer > least, "{refused} refused, {fewer} with fewer states");
}

/// The goals that a model's first lines speak of: verdict and shortest length.
fn goals(name: &str) -> Vec<(String, Verdict, Option<u64>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let folder = if name.ends_with(".dve") { "dve" } else { "promela" };
    let Ok(text) = std::fs::read_to_string(root.join(folder).join(name)) else {
        return Vec::new();
    };
    let expected = text.lines().filter_map(|line| line.split_once("expect: goal '"));
    let goal = |(_, rest): (&str, &str)| {
        let (goal, verdict) = rest.rsplit_once("' ")?;
        let holds = if verdict.starts_with("holds") { Verdict::Holds } else { Verdict::Violated };
        let length = verdict.split_once("length ").and_then(|(_, length)| length.parse().ok());
        Some((goal.to_owned(), holds, length))
    };
    expected.filter_map(goal).collect()
}

#[test]
fn directed_searches_and_preferences_come_to_the_same_verdicts() {
    let strategies = [
        "greedy",
        "astar(fsm-max)",
        "greedy(fsm-sum, prefer=contexts)",
        "greedy(relaxed-trace, prefer=useless)",
        "k-best(hamming)",
        "alternate([relaxed-trace, fsm-sum], prefer=helpful)",
        "bfws([goal-count, fsm-sum])",
        "idastar(fsm-max)",
    ];
    let mut runs = 0;
    for (name, model) in models() {
        for (goal, verdict, shortest) in goals(&name) {
            for strategy in strategies {
                for (reduction, asked) in REDUCTIONS {
                    let options = Options {
                        goals: vec![goal.clone()],
                        strategy: Some(strategy.into()),
                        reduction: UseReduction::By(*asked),
                        ..Options::default()
                    };
                    // Refused: no reduction here, or no proviso.
                    let Ok(checked) = homing::check(&model, &options, Hooks::default()) else {
                        continue;
                    };
                    let found = &checked.outcome.results[0];
                    let about = format!("{name}, `{goal}`, {strategy}, {reduction}");
                    // What lies behind a step that fails is not known.
                    let cut = verdict == Verdict::Holds && found.reason.contains("a step fails");
                    assert!(cut || found.verdict == verdict, "{about}");
                    if let (Some(shortest), true) = (shortest, found.optimal) {
                        assert_eq!(length(found), Some(shortest), "{about}");
                    }
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 300, "only {runs} runs");
}

#[test]
fn the_verdict_says_that_something_was_left_out() {
    let (_, model) = models().into_iter().find(|(name, _)| name == "wide.dve").unwrap();
    let found = check(&model, "breadth", Some(Reduction::Stubborn), UseSymmetry::Auto).unwrap();
    let holds = found.iter().filter(|one| one.verdict == Verdict::Holds);
    let reasons: Vec<&str> = holds.map(|one| one.reason.as_str()).collect();
    assert!(reasons.iter().any(|reason| reason.contains("partial-order reduction")), "{reasons:?}");
}

#[test]
fn strategies_without_the_proviso_say_so() {
    let (_, model) = models().into_iter().find(|(name, _)| name == "wide.dve").unwrap();
    let error =
        check(&model, "frontier", Some(Reduction::Stubborn), UseSymmetry::Auto).unwrap_err();
    assert!(error.to_string().contains("cannot keep the proviso"), "{error}");
    assert!(check(&model, "frontier", Some(Reduction::Goal), UseSymmetry::Auto).is_ok());
}
