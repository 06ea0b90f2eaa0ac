//! States until the first error, and the length of its trace.
//!
//! On every model of the counts whose first error in SPIN is a violated
//! assertion or an invalid end state: the planner until the first error of that
//! kind, against `pan` depth-first and breadth-first (`-DBFS`), without reductions.
//! `pan` stores the states it looks at; homing's are those it expands, which are more
//! than it stores where searches of several orders meet. `pan`'s depth counts elementary steps, those within atomic
//! sequences too; ours counts a sequence as one step. So its depth is at least
//! ours on the same path.

use anyhow::{Context, Result};

use super::Options;
use super::counts;
use super::models::File;
use crate::homing::{FINDING, Homing};
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan};
use crate::table::{Report, Table, cell};

pub const TABLE: &str = "promela-errors.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "error",
    "homing_expanded",
    "homing_stored",
    "homing_length",
    "dfs_states",
    "dfs_length",
    "bfs_states",
    "bfs_length",
];

const LIMITS: Limits = Limits { memory: Some(4 << 30), seconds: Some(60) };

/// Measures every model with an error.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let models = options.models()?;
    let counted = Table::read(&options.common.out.join(counts::TABLE))?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    for row in counted.rows() {
        let Some(error) = row.text("spin_error") else { continue };
        let property = match error {
            "invalid end state" => "deadlock",
            _ if error.starts_with("assertion violated") => "assertions",
            _ => continue,
        };
        let model = models.iter().find(|model| Some(model.name.as_str()) == row.text("file"));
        let Some(model) = model else { continue };
        let cells = measure(&homing, model, error, property);
        report.measured(&model.name, cells.map(|cells| vec![cells]))?;
    }
    Ok(())
}

fn measure(homing: &Homing, model: &File, error: &str, property: &str) -> Result<Vec<String>> {
    // Only this kind of error, in both.
    let other = if property == "deadlock" { "-A" } else { "-E" };
    let search = |flags: &[&str]| {
        let pan = Pan::make_with(&model.path, PLAIN, flags, LIMITS)?;
        Ok::<_, anyhow::Error>(pan.search(&[other, "-m5000000"], LIMITS)?.0)
    };
    let depth_first = search(&["-O1", "-DNOREDUCE"])?;
    let breadth_first = search(&["-O1", "-DNOREDUCE", "-DBFS"])?;
    let limits = ["--time", "60s", "--memory", "3G"];
    let options = [&["--property", property, "--strategy", FINDING], &limits[..]].concat();
    let checked = homing.check(&model.path, &options)?;
    let result = checked.results.first().context("no result")?;
    let found = result.trace.as_ref();
    Ok(vec![
        model.name.clone(),
        error.to_owned(),
        cell(found.map(|_| result.statistics.expanded)),
        cell(found.map(|_| result.statistics.stored)),
        cell(found.map(|trace| trace.length)),
        cell(depth_first.states.filter(|_| depth_first.error.is_some())),
        cell(depth_first.error_depth),
        cell(breadth_first.states.filter(|_| breadth_first.error.is_some())),
        cell(breadth_first.error_depth),
    ])
}
