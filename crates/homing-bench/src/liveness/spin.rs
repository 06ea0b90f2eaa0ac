//! Formulas and claims in Promela, beside `pan -a`.
//!
//! On every model of the corpus with `ltl` blocks, each of them: `pan -a -N NAME`
//! (made with `-o1 -o2 -o3 -DNOREDUCE`) and `homing check --property NAME`. Where
//! both searched everything, the product states each stores a processor second.

use anyhow::Result;

use super::Options;
use crate::homing::Homing;
use crate::pan::{PLAIN, Pan, Told};
use crate::promela::models::{self, File};
use crate::table::{Report, cell};

pub const TABLE: &str = "liveness-spin.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "formula",
    "pan",
    "homing",
    "result",
    "pan_states",
    "homing_states",
    "pan_seconds",
    "homing_seconds",
    "pan_length",
    "homing_length",
    "note",
];

/// Asks both about every formula; answers how often they disagree.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut wrong = 0;
    for model in models::all(&options.common.setting.corpus()?.promela_folder())? {
        if !options.common.names(&model.name) || !model.text()?.contains("ltl") {
            continue;
        }
        let flags = ["-O2", "-DNOREDUCE"];
        let (pan, names) = match Pan::make_live(&model.path, PLAIN, &flags, options.limits()) {
            Ok(made) => made,
            Err(error) => {
                let path = model.path.display().to_string();
                let why = format!("{error:#}").replace(&path, &model.name);
                report.left_out(&model.name, &why)?;
                continue;
            }
        };
        for name in names {
            let cells = compare(&homing, &pan, &model, &name, options)?;
            wrong += usize::from(cells[4] == "different");
            report.told(&cells)?;
        }
    }
    Ok(wrong)
}

fn compare(
    homing: &Homing,
    pan: &Pan,
    model: &File,
    name: &str,
    options: &Options,
) -> Result<Vec<String>> {
    let limits = options.limits();
    // SPIN makes assertions of formulas that finite runs violate, so the model's own must
    // not be passed over (`-A`) unless it has some.
    let has_own = model.text()?.contains("assert");
    let passed_over = has_own.then_some("-A");
    let asked = ["-a", "-m2000000", "-N", name].into_iter().chain(passed_over);
    let (told, theirs) = pan.search(&asked.collect::<Vec<_>>(), limits)?;
    let pan_verdict = verdict(&told);
    let limited = options.told();
    let asked: Vec<&str> =
        ["--property", name].into_iter().chain(limited.iter().map(String::as_str)).collect();
    let answer = homing.try_check(&model.path, &asked, limits)?;
    let (said, stored, length, seconds, note) = match answer {
        Ok((check, ours)) => {
            let one = check.results.into_iter().next();
            let length = one.as_ref().and_then(|one| one.trace.as_ref()).map(|trace| trace.length);
            let stored = one.as_ref().map(|one| one.statistics.stored);
            let (said, note) = one.map_or_else(Default::default, |one| (one.verdict, one.reason));
            (said, stored, length, Some(ours.cpu_seconds), note)
        }
        Err(sentence) => ("refused".to_owned(), None, None, None, sentence),
    };
    let result = match (pan_verdict, said.as_str()) {
        ("unknown", _) | (_, "unknown") => "not decided",
        (_, "refused") => "refused",
        (theirs, ours) if theirs == ours => "equal",
        ("holds", "violated") if has_own => "not decided",
        _ => "different",
    };
    Ok(vec![
        model.name.clone(),
        name.to_owned(),
        pan_verdict.to_owned(),
        said,
        result.to_owned(),
        cell(told.states),
        cell(stored),
        format!("{:.2}", theirs.cpu_seconds),
        cell(seconds.map(|seconds| format!("{seconds:.2}"))),
        cell(told.error_depth),
        cell(length),
        if result == "equal" { String::new() } else { note.replace(['\n', '\t'], " ") },
    ])
}

/// What `pan` says of a formula.
pub fn verdict(told: &Told) -> &'static str {
    match (told.errors, told.cut_short) {
        (Some(1..), _) => "violated",
        (Some(0), None) => "holds",
        _ => "unknown",
    }
}
