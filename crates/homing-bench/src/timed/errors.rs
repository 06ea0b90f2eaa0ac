//! States, time and steps to reachable goals, beside TChecker's searches.
//!
//! TChecker looks for labels of locations. Where a model of the corpus has none,
//! or its goal is not reachable, both programs read the same changed copy:
//! labels added, or Fischer's bound weakened as in the papers on directed search
//! (`x > 10` becomes `x >= 10`).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::Options;
use super::models::{goal, labels};
use super::tchecker::TChecker;
use crate::homing::{FINDING, Homing};
use crate::measure::Limits;
use crate::table::{Report, cell};

pub const TABLE: &str = "timed-errors.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "goal",
    "homing_states",
    "homing_cpu_seconds",
    "homing_length",
    "homing_shortest",
    "search",
    "tchecker_states",
    "tchecker_cpu_seconds",
    "faster",
];

/// The searches of TChecker.
const SEARCHES: &[(&str, &str)] = &[
    ("reach", "bfs"),
    ("reach", "dfs"),
    ("covreach", "bfs"),
    ("covreach", "dfs"),
    ("aLU-covreach", "bfs"),
    ("aLU-covreach", "dfs"),
];

/// A goal, and what is changed of the model.
struct Instance {
    file: &'static str,
    /// Replaced everywhere.
    change: Option<(&'static str, &'static str)>,
    /// The locations that get labels, `process:location`.
    at: &'static [&'static str],
    /// The labels of the model that are asked for, where none are added; without,
    /// those it names itself.
    labels: &'static [&'static str],
}

const PLAIN: Instance = Instance { file: "", change: None, at: &[], labels: &[] };

const WEAKENED: Instance =
    Instance { change: Some((">10&&", ">=10&&")), labels: &["cs1", "cs2"], ..PLAIN };

const INSTANCES: &[Instance] = &[
    Instance { file: "ticktac-generated/tck/fischer_4.tck", ..WEAKENED },
    Instance { file: "ticktac-generated/tck/fischer_5.tck", ..WEAKENED },
    Instance { file: "ticktac-generated/tck/fischer_6.tck", ..WEAKENED },
    Instance { file: "ticktac-generated/tck/mutex_2.tck", at: &["A1:Done", "A2:Done"], ..PLAIN },
    Instance {
        file: "ticktac-generated/tck/mutex_3.tck",
        at: &["A1:Done", "A2:Done", "A3:Done"],
        ..PLAIN
    },
    Instance {
        file: "ticktac-generated/tck/mutex_4.tck",
        at: &["A1:Done", "A2:Done", "A3:Done", "A4:Done"],
        ..PLAIN
    },
    Instance {
        file: "ticktac-generated/tck/arbiter_tree_2.tck",
        at: &["Arbiter_0:req_second"],
        ..PLAIN
    },
    Instance {
        file: "ticktac-generated/tck/arbiter_tree_3.tck",
        at: &["Arbiter_0:req_second"],
        ..PLAIN
    },
    Instance {
        file: "ticktac-generated/tck/arbiter_tree_4.tck",
        at: &["Arbiter_0:req_second"],
        ..PLAIN
    },
    Instance { file: "ticktac-generated/tck/sts_2.tck", at: &["Ctrl:Fin2"], ..PLAIN },
    Instance { file: "ticktac-generated/tck/sts_3.tck", at: &["Ctrl:Fin3"], ..PLAIN },
    Instance { file: "ticktac-generated/tck/sts_4.tck", at: &["Ctrl:Fin4"], ..PLAIN },
    Instance { file: "tchecker-generated/corsso_2_2_10_1_2.tck", ..PLAIN },
    Instance { file: "tchecker-generated/job-shop_m2_j4_d5_mk20_s42.tck", ..PLAIN },
    Instance { file: "tchecker-generated/job-shop_m3_j4_d5_mk20_s42.tck", ..PLAIN },
    Instance { file: "tchecker-generated/job-shop_m4_j4_d5_mk20_s42.tck", ..PLAIN },
];

/// Measures every instance; returns how often a goal that TChecker reaches is
/// said not to be reachable, or the other way round.
pub fn run(options: &Options) -> Result<usize> {
    let (homing, tchecker) = (options.common.setting.homing()?, options.tchecker());
    let scratch = std::env::temp_dir().join(format!("homing-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch).context("cannot create a scratch folder")?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let (folder, mut wrong) = (options.folder()?, 0);
    for instance in INSTANCES.iter().filter(|instance| options.common.names(instance.file)) {
        let text = fs::read_to_string(folder.join(instance.file));
        let text = instance.changed(text.with_context(|| instance.file.to_owned())?);
        let model = scratch.join(Path::new(instance.file).file_name().unwrap_or_default());
        fs::write(&model, &text).context("cannot write a changed model")?;
        let added: Vec<String> = (1..=instance.at.len()).map(|k| format!("goal{k}")).collect();
        let wanted = match (added.is_empty(), instance.labels) {
            (false, _) => added.iter().map(String::as_str).collect(),
            (true, []) => labels(&text),
            (true, given) => given.to_vec(),
        };
        let rows = measure(&homing, &tchecker, &model, &wanted, options);
        let rows = rows.map(|(rows, contradictions)| {
            wrong += contradictions;
            let what = if instance.at.is_empty() { wanted } else { instance.at.to_vec() };
            let about = [instance.file.to_owned(), what.join(" ")];
            rows.into_iter().map(|cells| about.iter().cloned().chain(cells).collect()).collect()
        });
        report.measured(instance.file, rows)?;
    }
    fs::remove_dir_all(&scratch).context("cannot remove the scratch folder")?;
    Ok(wrong)
}

impl Instance {
    fn changed(&self, text: String) -> String {
        let mut text = match self.change {
            Some((from, to)) => text.replace(from, to),
            None => text,
        };
        for (index, at) in self.at.iter().enumerate() {
            let (place, label) = (format!("location:{at}"), format!("labels:goal{}", index + 1));
            let lines = text.lines().map(|line| match line.trim_end().strip_prefix(&place) {
                Some("") => format!("{place}{{{label}}}"),
                Some(rest) if rest.starts_with('{') => {
                    format!("{place}{{{label} : {}", &rest[1..])
                }
                _ => line.to_owned(),
            });
            text = lines.collect::<Vec<_>>().join("\n") + "\n";
        }
        text
    }
}

/// A row a search of TChecker, and the contradictions.
fn measure(
    homing: &Homing,
    tchecker: &TChecker,
    model: &Path,
    labels: &[&str],
    options: &Options,
) -> Result<(Vec<Vec<String>>, usize)> {
    let limits = Limits { memory: Some(8 << 30), seconds: Some(options.limit) };
    let runs = options.runs.max(1);
    let goal = goal(labels);
    let mut ours = None;
    for _ in 0..runs {
        let checked = homing.try_check(model, &["--goal", &goal, "--strategy", FINDING], limits)?;
        let (check, measured) = checked.map_err(anyhow::Error::msg)?;
        if ours.as_ref().is_none_or(|(_, least)| measured.cpu_seconds < *least) {
            ours = Some((check, measured.cpu_seconds));
        }
    }
    let (check, seconds) = ours.context("no run")?;
    let result = check.results.first().context("no result")?;
    let length = result.trace.as_ref().map(|trace| trace.length);
    let (mut rows, mut wrong) = (Vec::new(), 0);
    for (algorithm, order) in SEARCHES {
        let mut theirs = None;
        for _ in 0..runs {
            let Some((told, measured)) =
                tchecker.search(model, algorithm, order, labels, limits)?
            else {
                break;
            };
            if theirs.as_ref().is_none_or(|(_, least)| measured.cpu_seconds < *least) {
                theirs = Some((told, measured.cpu_seconds));
            }
        }
        if let Some((told, _)) = &theirs {
            let known = result.verdict != "unknown";
            wrong += usize::from(known && told.reachable != (result.verdict == "violated"));
        }
        let least = theirs.as_ref().map_or(options.limit as f64, |(_, least)| *least);
        let more = if theirs.is_none() { ">" } else { "" };
        rows.push(vec![
            result.statistics.stored.to_string(),
            format!("{seconds:.4}"),
            cell(length),
            if result.optimal { "yes".into() } else { "-".into() },
            format!("{algorithm} {order}"),
            cell(theirs.as_ref().map(|(told, _)| told.visited)),
            format!("{more}{least:.4}"),
            format!("{:.2}", least / seconds),
        ]);
    }
    Ok((rows, wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_added_to_locations() {
        let at: &[&str] = &["A:x", "A:y"];
        let instance = Instance { at, change: Some((">1", ">=1")), ..PLAIN };
        let text = "location:A:x\nlocation:A:y{initial:}\nlocation:A:xx\nedge:A:x:y:e{z>1}\n";
        let changed = "location:A:x{labels:goal1}\nlocation:A:y{labels:goal2 : initial:}\n\
                       location:A:xx\nedge:A:x:y:e{z>=1}\n";
        assert_eq!(instance.changed(text.to_owned()), changed);
    }
}
