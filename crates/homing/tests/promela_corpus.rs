//! Models that real people wrote, against SPIN's own figures of them: the small
//! ones, so that it takes seconds. `homing-bench promela` compares them all.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Hooks, Limits, Options};

/// Models with more states are left to the benchmark.
const MOST_STATES: u64 = 20_000;

/// Models that SPIN reads and homing refuses: channels declared in records.
const REFUSED: &[&str] = &["conference/conference.pr", "fluke/"];

/// A row of SPIN's figures.
struct Known {
    file: String,
    states: u64,
    error: String,
}

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("HOMING_CORPUS").map_or_else(beside, PathBuf::from);
    let promela = corpus.join("promela");
    if !promela.join("spin-results.tsv").is_file() {
        println!("skipped: there are no figures of SPIN's at {}", corpus.display());
        return None;
    }
    Some(promela)
}

/// The models SPIN explored whole.
fn known(folder: &Path) -> Vec<Known> {
    let table = fs::read_to_string(folder.join("spin-results.tsv")).expect("it can be read");
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| row[1] == "ok")
        .filter_map(|row| {
            let states = row[2].parse().ok()?;
            Some(Known { file: row[0].into(), states, error: row[6].into() })
        })
        .filter(|known| known.states <= MOST_STATES)
        .filter(|known| !REFUSED.iter().any(|part| known.file.contains(part)))
        .collect()
}

/// Whether SPIN stopped at an error of execution; what it explores behind it
/// is its own affair.
fn fails(known: &Known) -> bool {
    let assertion = known.error.starts_with("assertion") && !known.error.contains("invalid array");
    !assertion && known.error != "-" && known.error != "invalid end state"
}

/// What is wrong with our answers.
fn mistake(folder: &Path, known: &Known) -> Option<String> {
    let model = match homing::load(&folder.join(&known.file)) {
        Ok(model) => model,
        Err(error) => {
            let error = format!("{error:?}");
            let refused = error.contains("embedded C");
            return (!refused).then(|| format!("refused: {error}"));
        }
    };
    let limits = Limits { states: Some(2 * MOST_STATES), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let stats = homing::stats(&model, &options, Hooks::default()).expect("it can be explored");
    if stats.states != known.states {
        return Some(format!("{} states, SPIN has {}", stats.states, known.states));
    }
    let checked = homing::check(&model, &options, Hooks::default()).expect("it can be checked");
    let violated = |result: &PropertyOutcome| result.verdict == Verdict::Violated;
    let names = checked.outcome.results.iter().filter(|result| violated(result));
    // SPIN was asked without claims.
    let asked = ["assertions", "deadlock", "errors"];
    let names = names.map(|result| result.property.as_str());
    let names: Vec<_> = names.filter(|name| asked.contains(name)).collect();
    let right = match known.error.as_str() {
        "-" => names.is_empty(),
        "invalid end state" => names.contains(&"deadlock"),
        _ => names.contains(&"errors") || names.contains(&"assertions"),
    };
    (!right).then(|| format!("violated: {names:?}, SPIN's first error: {}", known.error))
}

#[test]
fn models_of_the_corpus_are_what_spin_says() {
    let Some(folder) = corpus() else { return };
    let models: Vec<Known> = known(&folder).into_iter().filter(|known| !fails(known)).collect();
    let wrong: Vec<String> = models
        .iter()
        .filter_map(|known| Some(format!("{}: {}", known.file, mistake(&folder, known)?)))
        .collect();
    println!("{} models, {} wrong", models.len(), wrong.len());
    // SPIN's figures were to be had for some 80; fewer means they were not read.
    assert!(models.len() > 60, "{} models", models.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
