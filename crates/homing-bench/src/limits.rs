//! `homing-bench limits`: every model of the corpus under tight limits.
//!
//! Each file is checked with little time and little memory, as a user would who cannot
//! wait. What it says does not matter here, only that it ends in time, within its memory,
//! with a proper answer: an exit code that is documented, and JSON where that was asked
//! for. The run fails on any excess.
//!
//! On a machine that others use too the time on the wall is not the command's fault:
//! processor time decides, and the wall only where nobody would have waited that long.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::Setting;
use crate::corpus::{Corpus, File, files};
use crate::measure::{Limits, Measured, measure};
use crate::parallel::in_parallel;
use crate::table::{Report, cell};

/// Arguments of `homing-bench limits`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// The limit on time, in seconds
    #[arg(long, default_value_t = 1.0)]
    time: f64,
    /// The limit on memory, in MiB
    #[arg(long, default_value_t = 256)]
    memory: u64,
    /// Only so many files: the largest, and others here and there
    #[arg(long)]
    sample: Option<usize>,
    /// Only files whose names contain this
    #[arg(long)]
    only: Option<String>,
    /// Files run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The table to write
    #[arg(long, default_value = "bench/results/limits.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &["model", "exit", "seconds", "cpu_seconds", "peak_mib", "excess"];

/// The endings of model files.
const ENDINGS: &[&str] = &[
    "dve", "pml", "pm", "prom", "spin", "xml", "xta", "ta", "tck", "aag", "aig", "btor", "btor2",
    "smv",
];

/// What one run may take.
#[derive(Clone, Copy)]
struct Bars {
    seconds: f64,
    bytes: u64,
}

/// Beyond this the wall counts, whatever else the machine did.
const PATIENCE: f64 = 20.0;

/// Runs all; fails with exit code 1 on any excess.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let models = options.models(&options.setting.corpus()?)?;
    if models.is_empty() {
        bail!("there are no such models");
    }
    let bars = options.bars();
    let rows = in_parallel(options.jobs, &models, |model| {
        let arguments = options.arguments(model);
        let measured = measure(homing.program(), &arguments, None, Limits::default());
        let row = row(model, &measured, bars);
        if row[5] != "-" {
            println!("{}: {}", row[0], row[5]);
        }
        row
    });
    let mut report = Report::create(&options.out, COLUMNS)?;
    rows.iter().try_for_each(|row| report.row(row))?;
    let excesses = rows.iter().filter(|row| row[5] != "-").count();
    let summary = format!("{} models, {excesses} beyond their limits", rows.len());
    report.remark(&summary)?;
    println!("{summary}");
    Ok(ExitCode::from(u8::from(excesses > 0)))
}

impl Options {
    fn models(&self, corpus: &Corpus) -> Result<Vec<File>> {
        let mut models = files(corpus.root(), ENDINGS)?;
        let known = ["dve", "promela", "timed", "aiger", "btor", "smv"];
        models.retain(|file| known.iter().any(|folder| file.name.starts_with(folder)));
        models.retain(|file| !file.name.ends_with(".stat.xml"));
        models.retain(|file| self.only.as_ref().is_none_or(|part| file.name.contains(part)));
        Ok(match self.sample {
            Some(count) => sample(models, count),
            None => models,
        })
    }

    fn arguments(&self, model: &File) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["check".into(), model.path.clone().into()];
        arguments.extend(["--json", "--time"].map(OsString::from));
        arguments.push(format!("{}s", self.time).into());
        arguments.push("--memory".into());
        arguments.push(format!("{}M", self.memory).into());
        arguments
    }

    /// Half a second and a twentieth more time, 64 MiB or a tenth more memory.
    fn bars(&self) -> Bars {
        let limit = self.memory << 20;
        Bars { seconds: self.time * 1.05 + 0.5, bytes: limit + (limit / 10).max(64 << 20) }
    }
}

/// The largest files, a third of `count`, and others evenly spread.
fn sample(mut models: Vec<File>, count: usize) -> Vec<File> {
    let size = |file: &File| file.path.metadata().map_or(0, |data| data.len());
    models.sort_by_key(|file| std::cmp::Reverse(size(file)));
    let rest = models.split_off((count / 3).min(models.len()));
    let step = (rest.len() / (count - models.len()).max(1)).max(1);
    let wanted = count - models.len().min(count);
    models.extend(rest.into_iter().step_by(step).take(wanted));
    models
}

fn row(model: &File, measured: &Result<Measured>, bars: Bars) -> Vec<String> {
    let measured = measured.as_ref().ok();
    let number = |of: fn(&Measured) -> f64| cell(measured.map(|one| format!("{:.2}", of(one))));
    let excess = measured.map_or(Some("it could not be run".into()), |one| excess(one, bars));
    vec![
        model.name.clone(),
        cell(measured.and_then(|one| one.code)),
        number(|one| one.seconds),
        number(|one| one.cpu_seconds),
        cell(measured.map(|one| one.peak_bytes >> 20)),
        excess.unwrap_or_else(|| "-".into()),
    ]
}

/// What a run did that it may not do.
fn excess(one: &Measured, bars: Bars) -> Option<String> {
    let answered = matches!(one.code, Some(0 | 1 | 3));
    let told = || serde_json::from_str::<serde_json::Value>(&one.stdout).is_ok();
    if !answered && one.code != Some(2) {
        Some(format!("no answer: {}", one.complaint()))
    } else if one.cpu_seconds > bars.seconds || one.seconds > bars.seconds + PATIENCE {
        Some("time".into())
    } else if one.peak_bytes > bars.bytes {
        Some("memory".into())
    } else if answered && !told() {
        Some("what it printed is no JSON".into())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARS: Bars = Bars { seconds: 1.55, bytes: 320 << 20 };

    fn ran(seconds: f64, mebibytes: u64, code: i32) -> Measured {
        Measured {
            seconds,
            cpu_seconds: seconds,
            peak_bytes: mebibytes << 20,
            code: Some(code),
            stdout: "{}\n".into(),
            stderr: String::new(),
        }
    }

    #[test]
    fn what_goes_beyond_its_limits_is_named() {
        let told = |one: &Measured| excess(one, BARS).unwrap_or_default();
        assert_eq!(told(&ran(1.5, 319, 3)), "");
        assert_eq!(told(&ran(1.6, 10, 3)), "time");
        assert_eq!(told(&ran(0.1, 321, 0)), "memory");
        assert!(told(&ran(0.1, 10, 70)).starts_with("no answer"));
        let waited = Measured { seconds: 5.0, ..ran(1.0, 10, 3) };
        assert_eq!(told(&waited), "", "others may have had the processor");
        let halved = Measured { stdout: "{\"results\": [".into(), ..ran(1.0, 10, 3) };
        assert_eq!(told(&halved), "what it printed is no JSON");
        let refused = Measured { stdout: String::new(), ..ran(0.1, 10, 2) };
        assert_eq!(told(&refused), "");
    }

    #[test]
    fn a_sample_is_as_large_as_asked() {
        let file = |n: usize| File { name: format!("dve/{n}"), path: PathBuf::new() };
        for count in [1, 3, 10, 50] {
            assert_eq!(sample((0..100).map(file).collect(), count).len(), count);
        }
        assert_eq!(sample((0..5).map(file).collect(), 10).len(), 5);
    }
}
