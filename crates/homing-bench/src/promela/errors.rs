//! States until the first error, and the length of its trace.
//!
//! On every model of the counts whose first error in SPIN is a violated
//! assertion or an invalid end state: `homing check` as the user types it, for
//! that kind of error, against `pan` depth-first and breadth-first (`-DBFS`),
//! without reductions. `pan`'s depth counts elementary steps, those within atomic
//! sequences too; ours counts a sequence as one step. So its depth is at least
//! ours on the same path.

use anyhow::Result;

use super::Options;
use super::counts;
use super::models::File;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan};
use crate::table::{Report, Table, cell};

pub const TABLE: &str = "promela-errors.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "error",
    "homing_states",
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
            _ if error.starts_with("assertion violated") => "errors",
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
    let mut options = vec!["--property", property, "--time", "60s", "--memory", "3G"];
    if property == "errors" {
        options.extend(["--property", "assertions"]);
    }
    let checked = homing.check(&model.path, &options)?;
    let length = checked.results.iter().find_map(|result| Some(result.trace.as_ref()?.length));
    Ok(vec![
        model.name.clone(),
        error.to_owned(),
        checked.statistics.stored.to_string(),
        cell(length),
        cell(depth_first.states.filter(|_| depth_first.error.is_some())),
        cell(depth_first.error_depth),
        cell(breadth_first.states.filter(|_| breadth_first.error.is_some())),
        cell(breadth_first.error_depth),
    ])
}
