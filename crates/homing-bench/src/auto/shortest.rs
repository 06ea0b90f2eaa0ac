//! Are traces proven shortest, by the default and within its own budget?
//!
//! Every reachable goal of BEEM is searched for by breadth-first search and by
//! `auto`, under the same limits. A wrong answer is one that contradicts what is known of
//! the goal: whether it can be reached, and in how many steps.

use anyhow::{Context, Result};

use super::Options;
use crate::homing::Verdict;
use crate::table::{Report, cell};
use crate::tasks::{Task, of_beem};

pub const TABLE: &str = "auto-shortest.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "breadth",
    "breadth_length",
    "breadth_seconds",
    "auto",
    "auto_length",
    "at_least",
    "proven",
    "auto_explored",
    "auto_seconds",
];

/// Measures every goal; answers how many answers are wrong.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut tasks = of_beem(&options.common.setting.corpus()?.beem()?);
    tasks.retain(|task| task.reachable == Some(true));
    let mut wrong = 0;
    for task in options.wanted(tasks, |task| &task.name) {
        let search = |strategy| {
            let (seconds, memory) = (options.seconds, options.memory.as_str());
            homing
                .look_for(&task.model, &task.goal, strategy, seconds, memory)
                .with_context(|| format!("{} with {strategy}", task.name))
        };
        let (breadth, auto) = (search("breadth")?, search("auto")?);
        for (strategy, found) in [("breadth", &breadth), ("auto", &auto)] {
            if let Some(error) = found.mistake(true, task.steps) {
                println!("WRONG: {}, {strategy}: {error}", task.name);
                wrong += 1;
            }
        }
        report.told(&row(&task, &breadth, &auto))?;
    }
    Ok(wrong)
}

fn row(task: &Task, breadth: &Verdict, auto: &Verdict) -> Vec<String> {
    let length = |found: &Verdict| cell(found.trace.as_ref().map(|trace| trace.length));
    vec![
        task.name.clone(),
        breadth.verdict.clone(),
        length(breadth),
        format!("{:.3}", breadth.statistics.seconds),
        auto.verdict.clone(),
        length(auto),
        cell(auto.at_least),
        if auto.optimal { "yes" } else { "no" }.into(),
        auto.statistics.expanded.to_string(),
        format!("{:.3}", auto.statistics.seconds),
    ]
}
