//! `homing-bench compile`: seconds homing compiles a model, by its size.
//!
//! Each model is compiled, explored for a moment so that functions compiled when
//! first needed are counted too, and dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::Setting;
use crate::table::Report;

/// Arguments of `homing-bench compile`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Runs of each model, of which the quickest counts: what other work on the
    /// machine adds is not homing's
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// States to explore of each model
    #[arg(long, default_value_t = 1000)]
    states: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/compile.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &["instance", "transitions_written", "compile_ms", "cpu_ms", "allowed_ms"];

/// Compiles every BEEM base instance; exit code 1 if one takes longer than
/// allowed.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let states = options.states.to_string();
    let (mut models, mut late, mut longest) = (0, 0, 0.0_f64);
    for instance in options.setting.corpus()?.beem()? {
        let transitions = transitions_written(&instance.model)?;
        let (mut milliseconds, mut cpu) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..options.runs.max(1) {
            let (stats, measured) = homing
                .glance(&instance.model, &["--states", &states])
                .with_context(|| instance.name.clone())?;
            milliseconds = milliseconds.min(stats.compile_seconds * 1e3);
            cpu = cpu.min(measured.cpu_seconds * 1e3);
        }
        let allowed = allowed_milliseconds(transitions);
        models += 1;
        longest = longest.max(milliseconds);
        if milliseconds > allowed {
            late += 1;
            println!("{:24} {transitions:5} transitions, {milliseconds:.1} ms", instance.name);
        }
        report.row(&[
            instance.name,
            transitions.to_string(),
            format!("{milliseconds:.1}"),
            format!("{cpu:.1}"),
            format!("{allowed:.0}"),
        ])?;
    }
    let summary = format!("{models} models, {late} later than allowed, longest {longest:.1} ms");
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::from(u8::from(late > 0)))
}

/// What the project has set itself: see the section on speed in the README.
fn allowed_milliseconds(transitions: usize) -> f64 {
    if transitions <= 250 { 100.0 } else { 300.0 }
}

fn transitions_written(model: &Path) -> Result<usize> {
    let text = fs::read(model).with_context(|| format!("cannot read {}", model.display()))?;
    Ok(count_arrows(&String::from_utf8_lossy(&text)))
}

/// Transitions as written, `from -> to { … }`. An arrow before anything but a
/// name and a brace is the reading of another process's variable.
fn count_arrows(text: &str) -> usize {
    let name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
        .split("->")
        .skip(1)
        .map(|after| after.trim_start().trim_start_matches(name).trim_start())
        .filter(|rest| rest.starts_with('{'))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_to_variables_and_in_comments_do_not_count() {
        let text = "trans a -> b { guard P->x == 1; },\n // a -> c {}\n -> c {};";
        assert_eq!(count_arrows(text), 2);
    }
}
