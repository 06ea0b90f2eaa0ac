//! What came of a race of configurations: the object that `homing tune` prints.

use std::io::{self, Write};

use homing_witness::outcome::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::Verdict;
use crate::style::{Palette, counted, seconds};
use crate::text::Layout;

/// What came of a race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TuneOutcome {
    /// The models' files.
    pub models: Vec<String>,
    /// The command that repeats the race.
    pub command: String,
    /// The seed of everything random.
    pub seed: u64,
    /// What is best: the least `work`, or the least `length` of traces.
    pub best_for: String,
    /// The name of the strategy that was written.
    pub name: String,
    /// The file it was written to.
    pub file: String,
    /// Whether it was written.
    pub written: bool,
    /// The best configuration over all; none where nothing was solved.
    pub best: Option<String>,
    /// One entry a property of a model.
    pub instances: Vec<TunedInstance>,
    /// The configurations that solved something, the best one first.
    pub configurations: Vec<TunedConfiguration>,
    /// How many configurations fit nothing that is asked.
    pub unfit: u64,
    /// How many runs were made.
    pub runs: u64,
    /// Whether the race went to its end.
    pub complete: bool,
    /// How it ended.
    pub reason: String,
    /// What must not happen: where homing itself failed, or contradicts itself.
    pub internal_errors: Vec<String>,
}

/// What came of a property of a model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TunedInstance {
    /// The model's file.
    pub model: String,
    /// The property's name, or the text of a goal.
    pub property: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The configuration that was best here.
    pub winner: Option<String>,
    /// Its work until the verdict.
    pub work: Option<u64>,
    /// The steps of its trace.
    pub length: Option<u64>,
    /// The work of the configuration that is best over all.
    pub best_work: Option<u64>,
    /// The work of `auto`, until something is found.
    pub auto_work: Option<u64>,
}

/// What came of a configuration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TunedConfiguration {
    /// The strategy.
    pub strategy: String,
    /// How many instances it solved.
    pub solved: u64,
    /// The geometric mean of its work; where it did not solve, what was spent counts.
    pub work: Option<f64>,
    /// The geometric mean of the steps of its traces.
    pub length: Option<f64>,
    /// The seconds of its last runs, the making of tables included.
    pub seconds: f64,
    /// Why it was out before the end; empty where it was not.
    pub out: String,
}

/// The configurations that are shown where somebody reads.
const SHOWN: usize = 12;

/// Writes what came of a race.
pub fn text(out: &mut dyn Write, outcome: &TuneOutcome, layout: &Layout) -> io::Result<()> {
    let Palette { strong, faint, unsure, .. } = layout.palette;
    for instance in &outcome.instances {
        writeln!(out, "{}", line(instance, &layout.palette))?;
    }
    if !outcome.configurations.is_empty() {
        table(out, outcome)?;
    }
    writeln!(out)?;
    match &outcome.best {
        Some(best) => {
            let so_far = if outcome.complete { "best" } else { "best so far" };
            writeln!(out, "{strong}{so_far}: {best}{strong:#}")?;
        }
        None => writeln!(out, "{unsure}no configuration solved anything{unsure:#}")?,
    }
    match outcome.written {
        true => writeln!(
            out,
            "written as `{name}` to {}: use it with --strategy @{name}",
            outcome.file,
            name = outcome.name
        )?,
        false => writeln!(out, "nothing was written to {}", outcome.file)?,
    }
    let (runs, unfit) = (counted(outcome.runs, "run"), outcome.unfit);
    writeln!(
        out,
        "{faint}{runs}, {unfit} configurations fit nothing; {}{faint:#}",
        outcome.reason
    )?;
    writeln!(out, "{faint}repeat with: {}{faint:#}", outcome.command)
}

/// What won here, and what others took.
fn line(instance: &TunedInstance, palette: &Palette) -> String {
    let style = match instance.verdict {
        Verdict::Holds => palette.good,
        Verdict::Violated => palette.bad,
        Verdict::Unknown => palette.unsure,
    };
    let (model, property) = (&instance.model, one_line(&instance.property));
    let start = format!("{model}, {property}: {style}{}{style:#}", instance.verdict);
    let (Some(winner), Some(work)) = (&instance.winner, instance.work) else {
        return format!("{start}, nobody solved it");
    };
    let length = instance.length.map(|length| format!(", {}", counted(length, "step")));
    let other = |name: &str, work: Option<u64>| match work {
        Some(work) => format!("; {name}: {work}"),
        None => format!("; {name}: out before it solved it"),
    };
    format!(
        "{start} by {winner}, work {work}{}{}{}",
        length.unwrap_or_default(),
        other("the best over all", instance.best_work),
        other("auto", instance.auto_work)
    )
}

fn table(out: &mut dyn Write, outcome: &TuneOutcome) -> io::Result<()> {
    let shown = &outcome.configurations[..outcome.configurations.len().min(SHOWN)];
    let width = shown.iter().map(|one| one.strategy.len()).max().unwrap_or(0).max(8);
    writeln!(
        out,
        "\n{:<width$} {:>6} {:>12} {:>8} {:>8}  out",
        "strategy", "solved", "work", "length", "time"
    )?;
    for one in shown {
        let number = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.0}"));
        writeln!(
            out,
            "{:<width$} {:>6} {:>12} {:>8} {:>8}  {}",
            one.strategy,
            one.solved,
            number(one.work),
            number(one.length),
            seconds(one.seconds),
            if one.out.is_empty() { "-" } else { &one.out }
        )?;
    }
    match outcome.configurations.len() - shown.len() {
        0 => Ok(()),
        more => writeln!(out, "and {more} more"),
    }
}
