//! Errors of the paper's families, found by every symbolic search.

use std::path::Path;

use anyhow::Result;

use super::Options;
use crate::homing::{Check, Homing};
use crate::measure::{Limits, Measured};
use crate::table::{Report, cell};
use crate::tasks::{Task, of_families};

pub(super) const COLUMNS: &[&str] = &[
    "model",
    "search",
    "verdict",
    "steps",
    "images",
    "relations",
    "nodes",
    "cpu_seconds",
    "peak_bytes",
    "reason",
];

/// The searches of the paper's tables, on every size.
const PUBLISHED: &[&str] = &[
    "breadth",
    "bdda-star(depth=4)",
    "bdda-star(depth=6)",
    "bdda-star(depth=6, weight=2)",
    "bdda-star(depth=6, visited=no)",
];

/// All others, on some sizes.
const OTHERS: &[&str] = &[
    "bdda-star(estimate=database)",
    "set-a-star(depth=6)",
    "matrix(depth=6)",
    "greedy(depth=6)",
    "backward",
    "bidirectional",
    "target-enlargement",
    "chaining",
    "hints",
    "high-density",
    "splitting",
];

/// Tree arbiters.
pub(super) fn tree(options: &Options) -> Result<usize> {
    let sizes = (15..=31).step_by(2).chain([47, 63]);
    measure(options, "symbolic-tree.tsv", sizes.map(|size| format!("T{size}")), &["T15", "T23"])
}

/// Rings for mutual exclusion.
pub(super) fn ring(options: &Options) -> Result<usize> {
    let sizes = [6, 8, 12, 16, 24, 32].into_iter();
    measure(options, "symbolic-ring.tsv", sizes.map(|size| format!("D{size}")), &["D6", "D16"])
}

fn measure(
    options: &Options,
    table: &str,
    names: impl Iterator<Item = String>,
    with_others: &[&str],
) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let folder = std::env::temp_dir().join(format!("homing-bench-symbolic-{}", std::process::id()));
    let wanted = names.filter(|name| options.common.names(name)).map(|name| (name, 1));
    let tasks = of_families(&folder, wanted)?;
    let mut report = Report::create(&options.common.out.join(table), COLUMNS)?;
    let mut wrong = 0;
    for task in &tasks {
        let others = if with_others.contains(&task.name.as_str()) { OTHERS } else { &[] };
        let mut shortest = None;
        for search in PUBLISHED.iter().chain(others) {
            wrong += one(&homing, task, search, options, &mut shortest, &mut report)?;
        }
    }
    remove(&folder);
    Ok(wrong)
}

fn remove(folder: &Path) {
    // What is left of it does no harm.
    let _ = std::fs::remove_dir_all(folder);
}

/// Measures one search; answers how many answers are wrong.
fn one(
    homing: &Homing,
    task: &Task,
    search: &str,
    options: &Options,
    shortest: &mut Option<u64>,
    report: &mut Report,
) -> Result<usize> {
    let time = format!("{}s", options.seconds);
    let arguments = [
        ["--engine", "symbolic"],
        ["--goal", &task.goal],
        ["--strategy", search],
        ["--time", &time],
        ["--memory", &options.memory],
    ]
    .concat();
    let limits = Limits { seconds: Some(4 * options.seconds + 10), memory: None };
    let (check, measured) = match homing.try_check(&task.model, &arguments, limits)? {
        Ok(found) => found,
        Err(why) => {
            report.left_out(&format!("{} {search}", task.name), &why)?;
            return Ok(0);
        }
    };
    report.told(&row(task, search, &check, &measured))?;
    let Some(verdict) = check.results.first() else { return Ok(1) };
    let length = verdict.trace.as_ref().map(|trace| trace.length);
    if verdict.optimal && shortest.is_none() {
        *shortest = length;
    }
    let mistake = verdict.mistake(true, *shortest);
    if let Some(mistake) = &mistake {
        report.remark(&format!("wrong: {} {search}: {mistake}", task.name))?;
    }
    Ok(usize::from(mistake.is_some()))
}

fn row(task: &Task, search: &str, check: &Check, measured: &Measured) -> Vec<String> {
    let verdict = check.results.first();
    let told = check.plan.phases.iter().find_map(|phase| figures(phase));
    let [images, relations, nodes] = told.map_or([None; 3], |told| told.map(Some));
    vec![
        task.name.clone(),
        search.to_owned(),
        cell(verdict.map(|verdict| &verdict.verdict)),
        cell(verdict.and_then(|verdict| verdict.trace.as_ref()).map(|trace| trace.length)),
        cell(images),
        cell(relations),
        cell(nodes),
        format!("{:.2}", measured.cpu_seconds),
        measured.peak_bytes.to_string(),
        cell(verdict.map(|verdict| verdict.reason.replace(['\t', '\n'], " "))),
    ]
}

/// Images, relations and nodes, as a plan tells them.
pub(super) fn figures(phase: &str) -> Option<[u64; 3]> {
    let (_, told) = phase.rsplit_once("`: ")?;
    let numbers: Vec<u64> = told.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    numbers.get(..3)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_a_plan() {
        let phase = "`bdda-star(depth=6)`: 172 images by 4 relations, 1048576 nodes at most";
        assert_eq!(figures(phase), Some([172, 4, 1_048_576]));
        let counted = "`breadth`: 9 images by 3 relations, 77 nodes at most, 5 of all states";
        assert_eq!(figures(counted), Some([9, 3, 77]));
        assert_eq!(figures("compiled"), None);
    }
}
