//! `homing-bench accuracy`: every estimate beside exact distances, on the BEEM
//! instances small enough to know these.
//!
//! `homing accuracy` explores the whole space, computes the exact distance of
//! every state, and compares. A row a goal and estimate; the run fails where an
//! estimate breaks what it promises, calls a state a dead end that is none, or
//! disagrees with the known shortest length.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use homing_report::accuracy::EstimateOutcome;

use crate::Setting;
use crate::corpus::{Goal, Instance};
use crate::homing::Homing;
use crate::table::{Report, cell};

/// Arguments of `homing-bench accuracy`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out instances with more states
    #[arg(long, default_value_t = 50_000)]
    max_states: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/accuracy.tsv")]
    out: PathBuf,
}

/// The estimates for goals, each in the forms that promise most.
const ESTIMATES: &[&str] = &[
    "goal-count",
    "hamming",
    "formula",
    "fsm-max",
    "fsm-sum",
    "relaxed-layers",
    "relaxed-trace",
    "hadd",
    "hff",
    "lmcut",
    "landmarks",
    "abstraction(states=100)",
    "abstraction(states=1000)",
    "database",
    "russian-doll",
    "max([relaxed-layers, abstraction, database])",
];

const COLUMNS: &[&str] = &[
    "instance",
    "goal",
    "estimate",
    "states",
    "shortest",
    "initial",
    "mean_error_percent",
    "exact_percent",
    "dead_ends",
    "dead_ends_seen",
    "above",
    "admissible",
    "consistent",
    "build_seconds",
];

/// Runs the comparison; fails with exit code 1 where a promise is broken.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let (mut compared, mut wrong) = (0, 0);
    for instance in options.setting.corpus()?.beem()? {
        if instance.states.is_none_or(|states| states > options.max_states) {
            continue;
        }
        for goal in &instance.goals {
            compared += 1;
            match compare(&homing, &instance, goal) {
                Ok(rows) => rows.iter().try_for_each(|row| report.row(row))?,
                Err(error) => {
                    wrong += 1;
                    let line = format!("{} {}: {error:#}", instance.name, goal.id);
                    println!("WRONG {line}");
                    report.remark(&format!("wrong: {}", line.replace(['\t', '\n'], " ")))?;
                }
            }
        }
    }
    let summary = format!("{compared} goals, {} estimates each, {wrong} wrong", ESTIMATES.len());
    report.remark(&summary)?;
    println!("{summary}");
    Ok(ExitCode::from(u8::from(wrong > 0 || compared == 0)))
}

fn compare(homing: &Homing, instance: &Instance, goal: &Goal) -> Result<Vec<Vec<String>>> {
    let mut options = vec!["--goal", &goal.expression];
    options.extend(ESTIMATES.iter().flat_map(|estimate| ["--estimate", estimate]));
    let outcome = homing.accuracy(&instance.model, &options)?;
    let reachable = outcome.shortest.is_some();
    if goal.reachable.is_some_and(|known| known != reachable) {
        anyhow::bail!("the goal is reachable: {reachable}, known is otherwise");
    }
    if goal.steps.is_some() && goal.steps != outcome.shortest.map(u64::from) {
        anyhow::bail!("{:?} steps, known are {:?}", outcome.shortest, goal.steps);
    }
    let row = |estimate: &EstimateOutcome| {
        let share = 100.0 * estimate.exact as f64 / outcome.states.max(1) as f64;
        vec![
            instance.name.clone(),
            goal.id.clone(),
            estimate.estimate.clone(),
            outcome.states.to_string(),
            cell(outcome.shortest),
            cell(estimate.initial),
            cell(estimate.mean_error.map(|error| format!("{error:.1}"))),
            format!("{share:.1}"),
            outcome.dead_ends.to_string(),
            estimate.dead_ends.to_string(),
            estimate.above.to_string(),
            promised(estimate.admissible),
            promised(estimate.consistent),
            format!("{:.3}", estimate.build_seconds),
        ]
    };
    Ok(outcome.estimates.iter().map(row).collect())
}

fn promised(claim: bool) -> String {
    if claim { "yes" } else { "-" }.into()
}
