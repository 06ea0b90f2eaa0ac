//! States and verdicts of every model of the corpus.
//!
//! ```text
//! homing explores up to a million states
//! not readable            → the reason, and what SPIN says of the model
//! more than a million     → not comparable; SPIN is not asked
//! else SPIN is asked      → counts compared, where pan finished without a
//!                           run-time error; first error against our verdicts
//! ```

use anyhow::Result;

use super::Options;
use super::explained::reason;
use super::models::File;
use super::reference::{Reference, Spin};
use crate::homing::{Check, Homing, Stats};
use crate::table::{Report, cell};

/// States beyond which models are not compared.
const MOST: u64 = 1_000_000;

pub const TABLE: &str = "promela.tsv";
pub const CACHE: &str = "promela-spin.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "result",
    "spin_states",
    "homing_states",
    "spin_error",
    "homing_verdict",
    "spin_default_states",
    "homing_reduced_states",
    "note",
];

/// Compares; returns the number of unexplained differences.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let folder = options.common.setting.corpus()?.promela_folder();
    let mut reference = Reference::open(&folder, options.common.out.join(CACHE))?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut wrong = 0;
    for model in options.models()? {
        let row = compare(&homing, &mut reference, &model)?;
        wrong += usize::from(row.result == "different" || row.result == "verdict");
        if !matches!(row.result, "equal" | "large") {
            println!("{:12} {}: {}", row.result, row.file, row.note);
        }
        report.row(&row.cells())?;
    }
    println!("{wrong} unexplained differences");
    Ok(wrong)
}

/// A model's row.
struct Compared {
    file: String,
    /// `equal`, `different`, `verdict`, `explained`, `error`, `large`, or who
    /// refuses the model.
    result: &'static str,
    spin: Spin,
    states: Option<u64>,
    reduced: Option<u64>,
    verdict: String,
    note: String,
}

impl Compared {
    fn new(file: &File, result: &'static str, spin: Spin, note: String) -> Compared {
        let file = file.name.clone();
        let verdict = "-".into();
        Compared { file, result, spin, states: None, reduced: None, verdict, note }
    }

    fn cells(&self) -> Vec<String> {
        let note = if self.note.is_empty() { "-" } else { &self.note };
        vec![
            self.file.clone(),
            self.result.to_owned(),
            cell(self.spin.states),
            cell(self.states),
            cell(self.spin.error.as_ref()),
            self.verdict.clone(),
            cell(self.spin.default_states),
            cell(self.reduced),
            note.replace(['\t', '\n'], " "),
        ]
    }
}

fn compare(homing: &Homing, reference: &mut Reference, model: &File) -> Result<Compared> {
    let most = (MOST + 1).to_string();
    let limits = ["--states", &most, "--time", "60s", "--memory", "3G"];
    let stats = match homing.glance(&model.path, &limits) {
        Ok((stats, _)) => stats,
        Err(error) => {
            let path = model.path.display().to_string();
            let note = format!("{error:#}").replace(&path, &model.name);
            let spin = reference.ask(model)?;
            let result = match spin.outcome.as_str() {
                "ok" if note.contains("embedded C") => "embedded C",
                "ok" => "refused",
                _ => "no model",
            };
            return Ok(Compared::new(model, result, spin, note));
        }
    };
    if !stats.complete {
        let spin = reference.known(&model.name).cloned().unwrap_or_default();
        let below = spin.states.is_some_and(|states| states <= MOST);
        let (result, note) = match (stats.states > MOST, below) {
            (_, true) => ("different", format!("homing stopped after {}", stats.states)),
            (true, false) => ("large", String::new()),
            (false, false) => ("limit", format!("homing stopped after {}", stats.states)),
        };
        return Ok(Compared {
            states: Some(stats.states),
            ..Compared::new(model, result, spin, note)
        });
    }
    let spin = reference.ask(model)?;
    let checked = homing.check(&model.path, &["--time", "60s", "--memory", "3G"])?;
    let reduced = reduced(homing, model);
    let (result, note) = judge(&model.name, &spin, &stats, &checked);
    Ok(Compared {
        states: Some(stats.states),
        reduced,
        verdict: told(&checked),
        ..Compared::new(model, result, spin, note)
    })
}

/// States with the passes that are on in a check. Not `slice`: where nothing
/// is asked it leaves nothing.
fn reduced(homing: &Homing, model: &File) -> Option<u64> {
    let passes = ["--pass", "ranges", "--pass", "constants", "--pass", "dead"];
    let (stats, _) = homing.glance(&model.path, &passes).ok()?;
    stats.complete.then_some(stats.states)
}

fn judge(name: &str, spin: &Spin, stats: &Stats, checked: &Check) -> (&'static str, String) {
    let explained = |result: &'static str, note: String| match reason(name) {
        Some(reason) => ("explained", reason.to_owned()),
        None => (result, note),
    };
    if spin.outcome != "ok" {
        return ("no figures", format!("SPIN: {}", spin.outcome));
    }
    if let Some(error) = wrong_verdict(spin, checked) {
        return explained("verdict", error);
    }
    if run_time_error(spin) {
        return ("error", "a run-time error in SPIN: verdicts only".into());
    }
    match spin.states {
        Some(states) if states == stats.states => ("equal", String::new()),
        Some(states) => {
            explained("different", format!("SPIN {states}, homing {} states", stats.states))
        }
        None => ("no figures", "SPIN did not finish".into()),
    }
}

/// Whether SPIN's first error is one of execution: what it does behind it is
/// its own affair.
fn run_time_error(spin: &Spin) -> bool {
    spin.error.as_ref().is_some_and(|error| {
        let assertion = error.starts_with("assertion violated") && !error.contains("invalid array");
        !assertion && !error.starts_with("invalid end state")
    })
}

/// How our verdicts contradict SPIN's first error.
fn wrong_verdict(spin: &Spin, checked: &Check) -> Option<String> {
    let verdict = |name: &str| {
        checked
            .results
            .iter()
            .find(|result| result.property == name)
            .map(|result| result.verdict.as_str())
    };
    let (deadlock, errors) = (verdict("deadlock")?, verdict("errors")?);
    let assertions = verdict("assertions")?;
    let errors = if assertions == "holds" { errors } else { assertions };
    let said = format!("deadlock {deadlock}, errors {errors}");
    match spin.error.as_deref() {
        None if deadlock == "violated" || errors == "violated" => {
            Some(format!("SPIN finds no error; {said}"))
        }
        Some("invalid end state") if deadlock == "holds" => {
            Some(format!("SPIN finds an invalid end state; {said}"))
        }
        Some(error) if error != "invalid end state" && errors == "holds" => {
            Some(format!("SPIN: {error}; {said}"))
        }
        _ => None,
    }
}

/// Violated properties, or `none`.
fn told(checked: &Check) -> String {
    let violated: Vec<_> = checked
        .results
        .iter()
        .filter(|result| result.verdict != "holds")
        .map(|result| format!("{} {}", result.property, result.verdict))
        .collect();
    if violated.is_empty() { "none".into() } else { violated.join(", ") }
}
