//! The known answers.
//!
//! `homing check MODEL --ltl FORMULA`, as a user types it, on every formula.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::Options;
use super::formulas::Known;
use crate::homing::Homing;
use crate::table::{Report, Table, cell};

pub const TABLE: &str = "liveness.tsv";

const COLUMNS: &[&str] =
    &["formula", "known", "verdict", "result", "stored", "length", "seconds", "note"];

/// Labels of the corpus that are wrong, by the beginning and the end of the name, and
/// why. Each of our runs was executed, and the formula evaluated along it.
const MISLABELLED: &[(&str, &str, &str)] = &[
    (
        "elevator2.",
        "_T_04",
        "the label is wrong: the cabin passes floor 1 on its way to floor 2 without opening",
    ),
    ("elevator2.2", "_T_02", SERVES_ANOTHER),
    ("elevator2.2", "_T_06", SERVES_ANOTHER),
    ("elevator2.2", "_T_08", SERVES_ANOTHER),
    ("elevator2.", "_T_10", "the label is wrong: BEEM's table has the property as violated"),
    ("rether.", "_T_04", "the label is wrong: BEEM's table has the property as violated"),
    ("rether.", "_T_06", "the label is wrong: BEEM's table has the property as violated"),
    (
        "szymanski.",
        "_T_03",
        "the label is wrong: on some run the process comes to its critical section again and again",
    ),
    (
        "driving_phils.",
        "_T_01",
        "the label is wrong: on some run the philosopher acquires nothing at all",
    ),
    (
        "driving_phils.",
        "_T_03",
        "the label is wrong: on some run the philosopher acquires again and again",
    ),
    (
        "at.",
        "_T_03",
        "the label is wrong: on some run the process comes to its critical section again and again",
    ),
];

/// Of the controller that takes any request.
const SERVES_ANOTHER: &str =
    "the label is wrong: floor 0 is asked for and served again and again, and no other";

/// Asks for every formula; answers how many answers are wrong.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let path = options.common.out.join(TABLE);
    let before = if options.again { decided(&path)? } else { BTreeMap::new() };
    let mut report = Report::create(&path, COLUMNS)?;
    // First, so that an interrupted run keeps them.
    before.values().try_for_each(|cells| report.row(cells))?;
    let mut wrong = 0;
    for known in options.formulas()?.iter().filter(|known| !before.contains_key(&known.name)) {
        let (cells, result) = ask(&homing, known, options)?;
        if result == "wrong" {
            wrong += 1;
            println!("wrong: {} {}", known.name, known.formula);
        }
        report.row(&cells)?;
    }
    Ok(wrong)
}

/// The rows of a table that are decided, by the formula's name.
fn decided(path: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let table = Table::read(path)?;
    let rows = table.rows().filter(|row| row.text("result") != Some("not decided"));
    let cells =
        rows.map(|row| COLUMNS.iter().map(|name| cell(row.text(name))).collect::<Vec<String>>());
    Ok(cells.map(|cells| (cells[0].clone(), cells)).collect())
}

fn ask(homing: &Homing, known: &Known, options: &Options) -> Result<(Vec<String>, &'static str)> {
    let told = options.told();
    let asked: Vec<&str> =
        ["--ltl", &known.formula].into_iter().chain(told.iter().map(String::as_str)).collect();
    let answer = homing.try_check(&known.model, &asked, options.limits())?;
    let expected = known.holds.map(|holds| if holds { "holds" } else { "violated" });
    let (verdict, took, note) = match answer {
        Ok((check, measured)) => {
            let verdict = check.results.into_iter().next();
            let note = verdict.as_ref().map_or(String::new(), |one| one.reason.clone());
            (verdict, Some(measured.cpu_seconds), note)
        }
        Err(sentence) => (None, None, sentence),
    };
    let mislabelled = MISLABELLED
        .iter()
        .find(|(start, end, _)| known.name.starts_with(start) && known.name.ends_with(end))
        .map(|(_, _, why)| (*why).to_owned());
    let said = verdict.as_ref().map_or("none", |one| one.verdict.as_str());
    let result = match (said, expected) {
        ("none", _) => "refused",
        ("unknown", _) => "not decided",
        (_, None) => "not known",
        (said, Some(expected)) if said == expected => "right",
        _ if mislabelled.is_some() => "explained",
        _ => "wrong",
    };
    let note = if result == "explained" { mislabelled.unwrap_or_default() } else { note };
    let note = if matches!(result, "right" | "not known") { String::new() } else { note };
    let cells = vec![
        known.name.clone(),
        cell(expected),
        said.to_owned(),
        result.to_owned(),
        cell(verdict.as_ref().map(|one| one.statistics.stored)),
        cell(verdict.as_ref().and_then(|one| one.trace.as_ref()).map(|trace| trace.length)),
        cell(took.map(|seconds| format!("{seconds:.2}"))),
        note.replace(['\n', '\t'], " "),
    ];
    Ok((cells, result))
}
