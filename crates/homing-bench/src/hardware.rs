//! `homing-bench hardware`: the circuits of the corpus, by every engine asked for.
//!
//! What is expected is what the files are called: folders `safe` and `unsafe`, and names that
//! end in `true`, `false`, `safe` or have `_true` or `_false`. A file of several
//! specifications counts as violated if one is, as holding if all do. The run fails on any
//! verdict that is not the expected one.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::Setting;
use crate::corpus::{File, files};
use crate::homing::Check;
use crate::measure::{Limits, Measured, measure};
use crate::parallel::in_parallel;
use crate::table::{Report, cell};

/// Arguments of `homing-bench hardware`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// The engines, as `--engine` names them; after a colon a strategy
    #[arg(long, default_value = "auto", value_delimiter = ',')]
    engines: Vec<String>,
    /// The limit on time, in seconds
    #[arg(long, default_value_t = 60)]
    time: u64,
    /// The limit on memory
    #[arg(long, default_value = "4G")]
    memory: String,
    /// Only files whose names contain this
    #[arg(long)]
    only: Option<String>,
    /// Files run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The table to write
    #[arg(long, default_value = "bench/results/hardware.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] =
    &["model", "engine", "verdict", "expected", "length", "cpu_seconds", "peak_mib", "reason"];

/// The endings of circuits.
const ENDINGS: &[&str] = &["aag", "aig", "btor", "btor2"];

/// Runs all; fails with exit code 1 on a wrong verdict.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut models = files(options.setting.corpus()?.root(), ENDINGS)?;
    models.retain(|file| options.only.as_ref().is_none_or(|part| file.name.contains(part)));
    if models.is_empty() {
        bail!("there are no such models");
    }
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut wrong = 0;
    for engine in &options.engines {
        let rows = in_parallel(options.jobs, &models, |model| {
            let measured = measure(
                homing.program(),
                &options.arguments(model, engine),
                None,
                Limits::default(),
            );
            row(model, engine, measured.as_ref().ok())
        });
        rows.iter().try_for_each(|row| report.row(row))?;
        let asked = rows.iter().filter(|row| row[2] != "nothing" && row[2] != "refused").count();
        let decided = rows.iter().filter(|row| row[2] == "holds" || row[2] == "violated").count();
        let mistaken = rows.iter().filter(|row| is_wrong(&row[2], &row[3])).count();
        let known = rows.iter().filter(|row| row[3] != "-").count();
        let summary = format!(
            "{engine}: {decided} of {asked} decided within {} s, {mistaken} wrong of {known} known",
            options.time
        );
        report.remark(&summary)?;
        println!("{summary}");
        wrong += mistaken;
    }
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

impl Options {
    fn arguments(&self, model: &File, engine: &str) -> Vec<std::ffi::OsString> {
        let (engine, strategy) = match engine.split_once(':') {
            Some((engine, strategy)) => (engine, Some(strategy)),
            None => (engine, None),
        };
        let time = format!("{}s", self.time);
        let mut arguments: Vec<std::ffi::OsString> =
            vec!["check".into(), model.path.clone().into()];
        let given = ["--json", "--engine", engine, "--time", &time, "--memory", &self.memory];
        arguments.extend(given.map(Into::into));
        arguments.extend(strategy.into_iter().flat_map(|name| ["--strategy".into(), name.into()]));
        arguments
    }
}

fn row(model: &File, engine: &str, measured: Option<&Measured>) -> Vec<String> {
    let check = measured.and_then(|one| serde_json::from_str::<Check>(&one.stdout).ok());
    let (verdict, length, reason) = match (&check, measured) {
        (Some(check), _) => summed(check),
        (None, Some(one)) if one.code == Some(2) => ("refused", None, one.complaint()),
        (None, Some(one)) => ("none", None, one.complaint()),
        (None, None) => ("none", None, "it could not be run".into()),
    };
    let expected = expected(&model.name);
    if is_wrong(verdict, expected.unwrap_or("-")) {
        println!("{}: {verdict}", model.name);
    }
    vec![
        model.name.clone(),
        engine.into(),
        verdict.into(),
        cell(expected),
        cell(length),
        cell(measured.map(|one| format!("{:.2}", one.cpu_seconds))),
        cell(measured.map(|one| one.peak_bytes >> 20)),
        reason,
    ]
}

/// What all specifications of a file come to.
fn summed(check: &Check) -> (&'static str, Option<u64>, String) {
    let of = |verdict: &str| check.results.iter().find(|one| one.verdict == verdict);
    let violated = of("violated").map(|one| ("violated", one));
    let unknown = of("unknown").map(|one| ("unknown", one));
    let holds = of("holds").map(|one| ("holds", one));
    match violated.or(unknown).or(holds) {
        None => ("nothing", None, "the file specifies nothing".into()),
        Some((verdict, one)) => {
            (verdict, one.trace.as_ref().map(|trace| trace.length), one.reason.clone())
        }
    }
}

/// What a file's name says of it.
fn expected(name: &str) -> Option<&'static str> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let has = |part: &str| name.contains(part) || stem.ends_with(part.trim_end_matches('-'));
    let is_one_of = |parts: &[&str]| parts.iter().any(|part| has(part));
    match (is_one_of(VIOLATED), is_one_of(HOLDS)) {
        (true, _) => Some("violated"),
        (false, true) => Some("holds"),
        (false, false) => None,
    }
}

/// What stands in the names of files whose verdict is known.
const VIOLATED: &[&str] = &["/unsafe/", "_false", "-false"];
const HOLDS: &[&str] = &["/safe/", "_true", "-true", "-safe-"];

fn is_wrong(verdict: &str, expected: &str) -> bool {
    matches!((verdict, expected), ("holds", "violated") | ("violated", "holds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_expected() {
        assert_eq!(expected("a/mann/unsafe/fifo.btor2"), Some("violated"));
        assert_eq!(expected("a/safe/fifo.btor2"), Some("holds"));
        assert_eq!(expected("k/adder-cfg-safe.btor2"), Some("holds"));
        assert_eq!(expected("r/hw1_false.aag"), Some("violated"));
        assert_eq!(expected("s/counter-true.btor"), Some("holds"));
        assert_eq!(expected("s/counter.btor"), None);
    }
}
