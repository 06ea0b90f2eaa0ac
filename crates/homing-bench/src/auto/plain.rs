//! The plain searches that the planner is set against, made once and kept in a table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::searches::{Run, Searches};
use crate::table::{Report, Table};
use crate::tasks::Task;

pub const TABLE: &str = "auto-plain.tsv";

/// What somebody might have chosen who knew the model.
pub const CONFIGURATIONS: &[&str] = &[
    "greedy(abstraction(states=100))",
    "greedy(abstraction(states=2000, compose=trace, keep=labels))",
    "greedy(relaxed-layers, prefer=useless)",
    "greedy(relaxed-trace, prefer=useless)",
    "greedy(hff, prefer=useless)",
    "greedy(fsm-sum)",
    "breadth",
    "depth",
];

/// Nothing that the planner would leave out by itself.
const WHOLE: &[&str] = &["--reduction", "none", "--symmetry", "none"];

/// A search may take so many times what the best one does; it has lost by then.
const PATIENCE: f64 = 10.0;

/// Every search gets so many seconds before any gets more: what is asked, too, is who
/// expands the fewest states, which may take longer than the best.
const ROUNDS: [u64; 3] = [2, 10, u64::MAX];

/// The runs of one model, each with the configuration that made it.
pub type Runs = Vec<(&'static str, Run)>;

/// The table of plain searches.
pub struct Plain {
    known: BTreeMap<(String, String), Run>,
    path: PathBuf,
    /// Opened for the first search that is not known.
    report: Option<Report>,
}

impl Plain {
    /// What the table at `path` has; nothing where it is not there.
    pub fn open(path: &Path) -> Result<Plain> {
        let known = match path.is_file() {
            true => known(&Table::read(path)?),
            false => BTreeMap::new(),
        };
        Ok(Plain { known, path: path.to_path_buf(), report: None })
    }

    /// The searches of a task: known ones, others made within so many seconds each.
    pub fn runs(&mut self, task: &Task, searches: &mut Searches, seconds: u64) -> Result<Runs> {
        let key = |configuration: &str| (task.name.clone(), configuration.to_owned());
        let known = |one: &&'static str| Some((*one, *self.known.get(&key(one))?));
        let mut runs: Runs = CONFIGURATIONS.iter().filter_map(known).collect();
        let missing: Vec<&'static str> = CONFIGURATIONS
            .iter()
            .copied()
            .filter(|one| !self.known.contains_key(&key(one)))
            .collect();
        for round in ROUNDS {
            for configuration in &missing {
                let most = round.min(limit(&runs, seconds));
                let before = runs.iter().position(|(name, _)| name == configuration);
                if before.is_some_and(|place| !runs[place].1.may_go_on(most)) {
                    continue;
                }
                let run = searches.run(task, configuration, WHOLE, most)?;
                match before {
                    Some(place) => runs[place].1 = run,
                    None => runs.push((configuration, run)),
                }
            }
        }
        for (configuration, run) in runs.iter().filter(|(name, _)| missing.contains(name)) {
            self.add(task, configuration, run)?;
        }
        Ok(runs)
    }

    fn add(&mut self, task: &Task, configuration: &str, run: &Run) -> Result<()> {
        let report = match &mut self.report {
            Some(report) => report,
            None => {
                let columns = ["model", "configuration"].into_iter().chain(Run::COLUMNS);
                let columns: Vec<&str> = columns.collect();
                self.report.insert(Report::extend(&self.path, &columns)?)
            }
        };
        let mut cells = vec![task.name.clone(), configuration.to_owned()];
        cells.extend(run.cells());
        report.row(&cells)
    }
}

fn known(table: &Table) -> BTreeMap<(String, String), Run> {
    let rows = table.rows().filter_map(|row| {
        let key = (row.text("model")?.to_owned(), row.text("configuration")?.to_owned());
        Some((key, Run::kept(row)))
    });
    rows.collect()
}

/// Seconds for a search beside these.
fn limit(others: &Runs, seconds: u64) -> u64 {
    let found = others.iter().filter_map(|(_, run)| run.found());
    match found.reduce(f64::min) {
        Some(best) => ((best * PATIENCE).ceil() as u64).max(ROUNDS[0]).min(seconds),
        None => seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(seconds: f64) -> (&'static str, Run) {
        ("depth", Run { seconds: Some(seconds), expanded: Some(7), length: Some(3) })
    }

    #[test]
    fn a_search_gets_ten_times_the_best() {
        let lost = ("breadth", Run { seconds: Some(0.1), expanded: Some(9), length: None });
        assert_eq!(limit(&vec![], 60), 60);
        assert_eq!(limit(&vec![lost], 60), 60);
        assert_eq!(limit(&vec![lost, found(3.01)], 60), 31);
        assert_eq!(limit(&vec![found(9.0)], 60), 60);
        assert_eq!(limit(&vec![found(9.0), found(0.01)], 60), ROUNDS[0]);
        assert_eq!(limit(&vec![found(0.01)], 1), 1);
    }

    #[test]
    fn the_table_is_read_again() {
        let path = std::env::temp_dir().join(format!("homing-plain-{}.tsv", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let task = Task { name: "H3".into(), ..Task::of(crate::tasks::Source::Families) };
        let refused = Run::default();
        let lost = Run { seconds: Some(60.0), ..refused };
        let runs = [found(0.0625), ("breadth", lost), ("greedy(fsm-sum)", refused)];
        for part in [&runs[..1], &runs[1..]] {
            let mut plain = Plain::open(&path).unwrap();
            part.iter().for_each(|(name, run)| plain.add(&task, name, run).unwrap());
        }
        let again = Plain::open(&path).unwrap();
        for (name, run) in runs {
            assert_eq!(again.known[&("H3".to_owned(), name.to_owned())], run, "{name}");
        }
        assert_eq!(again.known.len(), 3);
        std::fs::remove_file(&path).unwrap();
    }
}
