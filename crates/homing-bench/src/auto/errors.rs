//! Time until the first error, beside plain searches.
//!
//! On models of the papers' families and on BEEM's reachable goals: `auto(improve=0)`
//! as the user types it, which ends with the first error, and every search that somebody
//! might have chosen who knew the model: blind ones, and greedy ones with one estimate.
//! Time is that of the processor, for the whole command.

use anyhow::Result;
use homing_bench::family;

use super::Options;
use super::plain::{self, Plain, Runs};
use crate::searches::{Run, Searches};
use crate::table::{Report, cell};
use crate::tasks::{Task, of_beem, of_families, seeded};

pub const TABLE: &str = "auto.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "source",
    "cpu_seconds",
    "expanded",
    "length",
    "best_seconds",
    "soonest",
    "best_expanded",
    "fewest",
    "most_seconds",
    "seconds_ratio",
    "expanded_ratio",
];

/// Measures every model; answers how many answers are wrong.
pub fn run(options: &Options) -> Result<usize> {
    let folder = std::env::temp_dir().join(format!("homing-auto-{}", std::process::id()));
    let measured = tasks(options, &folder).and_then(|tasks| measure(options, &tasks));
    // A folder left behind in the temporary folder harms nobody.
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

/// The families, then BEEM's goals.
fn tasks(options: &Options, folder: &std::path::Path) -> Result<Vec<Task>> {
    let names = family::timed_names().into_iter().chain(family::names());
    let mut tasks = of_families(folder, seeded(names))?;
    tasks.extend(of_beem(&options.common.setting.corpus()?.beem()?));
    tasks.retain(|task| task.reachable == Some(true));
    Ok(options.wanted(tasks, |task| &task.name))
}

fn measure(options: &Options, tasks: &[Task]) -> Result<usize> {
    let kept = options.plain.clone().unwrap_or_else(|| options.common.out.join(plain::TABLE));
    let mut plain = Plain::open(&kept)?;
    let (homing, memory) = (options.common.setting.homing()?, options.memory.clone());
    let mut searches = Searches { homing, memory, runs: options.runs, wrong: 0 };
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    for task in tasks {
        let others = plain.runs(task, &mut searches, options.seconds)?;
        let ours = searches.find(task, options.seconds)?;
        report.told(&row(task, &ours, &others))?;
    }
    Ok(searches.wrong)
}

/// The planner's run, and the best of the others by either measure.
fn row(task: &Task, ours: &Run, others: &Runs) -> Vec<String> {
    let least = |of: fn(&Run) -> Option<f64>| {
        let found = others.iter().filter_map(|(name, run)| Some((*name, of(run)?)));
        found.min_by(|one, other| one.1.total_cmp(&other.1))
    };
    let (soonest, fewest) = (least(Run::found), least(Run::states));
    let most = others.iter().map(|(_, run)| run).chain([ours]).filter_map(|run| run.seconds);
    // Where the error was not found, the time spent is less than what it would take.
    let seconds = soonest.and_then(|(_, least)| Some(ours.seconds? / least));
    let expanded = fewest.and_then(|(_, least)| Some(ours.states()? / least));
    let mut row = vec![task.name.clone(), task.source.name().to_owned()];
    row.extend(ours.cells());
    row.push(cell(soonest.map(|(_, least)| format!("{least:.4}"))));
    row.push(cell(soonest.map(|(name, _)| name)));
    row.push(cell(fewest.map(|(_, least)| least)));
    row.push(cell(fewest.map(|(name, _)| name)));
    row.push(cell(most.reduce(f64::max).map(|most| format!("{most:.4}"))));
    row.push(cell(seconds.map(|ratio| format!("{ratio:.2}"))));
    row.push(cell(expanded.map(|ratio| format!("{ratio:.2}"))));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Source;

    #[test]
    fn a_row_names_the_best_by_either_measure() {
        let task = Task { name: "H3".into(), ..Task::of(Source::Families) };
        let run = |seconds, expanded, length| Run {
            seconds: Some(seconds),
            expanded: Some(expanded),
            length,
        };
        let others = vec![
            ("depth", run(0.02, 900, Some(40))),
            ("breadth", run(0.5, 30, Some(7))),
            ("greedy(fsm-sum)", run(0.001, 1, None)),
        ];
        let told = row(&task, &run(0.03, 60, Some(7)), &others).join(" ");
        let expected = "H3 families 0.0300 60 7 0.0200 depth 30 breadth 0.5000 1.50 2.00";
        assert_eq!(told, expected);
        // Not found: at least so many times as long; of states nothing is known.
        let told = row(&task, &run(60.0, 5, None), &others).join(" ");
        let expected = "H3 families 60.0000 5 - 0.0200 depth 30 breadth 60.0000 3000.00 -";
        assert_eq!(told, expected);
        // No other finds it: there is nothing to compare with.
        let told = row(&task, &run(0.03, 60, Some(7)), &others[2..].to_vec()).join(" ");
        assert_eq!(told, "H3 families 0.0300 60 7 - - - - 0.0300 - -");
    }
}
