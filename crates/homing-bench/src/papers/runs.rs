//! Searches for the errors of the families, each made once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use homing_bench::family::{self, SEEDS};
use homing_report::Queues;
use homing_report::accuracy::AccuracyOutcome;

use super::published::Column;
use crate::homing::{Homing, Searched};
use crate::table::Row;

/// Of the runs of one cell so many may fail; the others are not made then.
const MOST_FAILURES: usize = 2;

/// What a search may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Memory, as homing reads it.
    pub memory: String,
    /// Random systems of each size.
    pub systems: u64,
}

/// One search, or the mean of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// States expanded.
    pub explored: f64,
    /// Seconds from the model's text to the error.
    pub seconds: f64,
    /// Processor seconds of the whole command, the trace confirmed and printed.
    pub command: f64,
    /// The length of the trace, where the error was found.
    pub length: Option<f64>,
    /// How often each open queue was used, of a search with several.
    pub queues: Option<Queues>,
}

impl Run {
    /// A search that found nothing in these seconds.
    fn failed(seconds: f64) -> Run {
        Run { explored: 0.0, seconds, command: seconds, length: None, queues: None }
    }
}

/// The runs of one cell of a table: one, or one a random system and seed.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Made, all but those left out after some failed.
    Made(Vec<Run>),
    /// Not made, because a smaller model of the family was too hard.
    LeftOut,
    /// homing refuses the configuration, and says why.
    Refused(String),
}

impl Cell {
    /// The cell of a row of the table of all runs. Runs that found the error are all
    /// given their mean, which is what the table has.
    pub fn kept(row: Row) -> Cell {
        let note = row.text("note").unwrap_or_default();
        let number = |column| row.text(column).and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let (solved, runs) = (row.number("solved"), row.number("runs"));
        match (solved.unwrap_or(0) as usize, runs.unwrap_or(0) as usize) {
            (_, 0) if note.starts_with("left out") => Cell::LeftOut,
            (_, 0) => Cell::Refused(note.to_string()),
            (solved, runs) => {
                let mean = Run {
                    explored: number("explored"),
                    seconds: number("seconds"),
                    command: number("command_seconds"),
                    length: Some(number("length")),
                    queues: row.text("queues").and_then(|text| serde_json::from_str(text).ok()),
                };
                let mut all = vec![mean; solved];
                all.resize(runs.max(solved), Run::failed(0.0));
                Cell::Made(all)
            }
        }
    }

    /// Whether every run that was made found the error.
    pub fn solved(&self) -> bool {
        matches!(self, Cell::Made(runs) if runs.iter().all(|run| run.length.is_some()))
    }

    /// The mean over the runs that found the error.
    pub fn mean(&self, of: impl Fn(&Run) -> f64) -> Option<f64> {
        let Cell::Made(runs) = self else { return None };
        let values: Vec<f64> = runs.iter().filter(|run| run.length.is_some()).map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The use of the open queues as JSON, of a cell of one run.
    pub fn queues(&self) -> Option<String> {
        match self {
            Cell::Made(runs) if runs.len() == 1 => {
                runs[0].queues.and_then(|queues| serde_json::to_string(&queues).ok())
            }
            _ => None,
        }
    }

    /// The runs that found the error, and all that were made.
    pub fn counts(&self) -> (usize, usize) {
        match self {
            Cell::Made(runs) => {
                (runs.iter().filter(|run| run.length.is_some()).count(), runs.len())
            }
            Cell::LeftOut | Cell::Refused(_) => (0, 0),
        }
    }
}

/// Makes searches and remembers them.
pub struct Laboratory<'a> {
    homing: &'a Homing,
    folder: PathBuf,
    limits: Limits,
    cells: BTreeMap<(String, &'static str), Cell>,
    /// By instance, the length of a trace said to be shortest, and of the
    /// shortest trace of all.
    lengths: BTreeMap<String, (Option<u64>, u64)>,
    /// Answers that cannot be right.
    pub wrong: Vec<String>,
}

impl<'a> Laboratory<'a> {
    /// A laboratory that keeps its models in `folder`.
    pub fn new(homing: &'a Homing, folder: &Path, limits: Limits) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let folder = folder.to_path_buf();
        let (cells, lengths, wrong) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Ok(Laboratory { homing, folder, limits, cells, lengths, wrong })
    }

    /// The instances of a model: itself, or the random systems of its size.
    pub fn seeds(&self, model: &str) -> Vec<u64> {
        match model.starts_with('R') {
            true => SEEDS.take(self.limits.systems as usize).collect(),
            false => vec![1],
        }
    }

    /// The file of a model, and its goal.
    pub fn model(&self, name: &str, seed: u64) -> Result<(PathBuf, String)> {
        let model = family::model(name, seed)?;
        let path = self.folder.join(format!("{name}-{seed}.{}", model.extension));
        if !path.is_file() {
            fs::write(&path, &model.text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok((path, model.goal))
    }

    /// The runs of a column on a model, made now within so many seconds each, or before.
    pub fn cell(&mut self, model: &str, column: &Column, seconds: u64) -> Result<Cell> {
        let key = (model.to_string(), column.strategy);
        if let Some(known) = self.cells.get(&key) {
            return Ok(known.clone());
        }
        let cell = self.make(model, column, seconds)?;
        self.cells.insert(key, cell.clone());
        Ok(cell)
    }

    fn make(&mut self, model: &str, column: &Column, seconds: u64) -> Result<Cell> {
        let mut runs: Vec<Run> = Vec::new();
        for system in self.seeds(model) {
            for seed in 1..=column.seeds {
                match self.search_within(model, system, column.strategy, seed, seconds)? {
                    Ok(run) => runs.push(run),
                    Err(refusal) => return Ok(Cell::Refused(refusal)),
                }
                if runs.iter().filter(|run| run.length.is_none()).count() >= MOST_FAILURES {
                    return Ok(Cell::Made(runs));
                }
            }
        }
        Ok(Cell::Made(runs))
    }

    /// One search within these seconds. The inner error is homing's refusal.
    pub fn search_within(
        &mut self,
        model: &str,
        system: u64,
        strategy: &str,
        seed: u64,
        seconds: u64,
    ) -> Result<Result<Run, String>> {
        let (path, goal) = self.model(model, system)?;
        let (time, seed) = (format!("{seconds}s"), seed.to_string());
        let memory = self.limits.memory.as_str();
        let mut options = vec!["--goal", &goal, "--strategy", strategy, "--seed", &seed];
        options.extend(["--memory", memory]);
        // Within a limit of time `auto` goes on for a shorter trace. Asked is the first.
        if !strategy.starts_with("auto") {
            options.extend(["--time", &time]);
        }
        // Tables are made before the search watches its time, and long traces
        // are printed after it.
        let at_most = 2 * seconds + 10;
        let what = || format!("{model} ({system}) with {strategy}");
        match self.homing.search(&path, &options, at_most).with_context(what)? {
            Searched::Refused(sentence) => Ok(Err(sentence)),
            Searched::Ended => Ok(Ok(Run::failed(at_most as f64))),
            Searched::Answered { verdict, seconds, command } => {
                if verdict.verdict == "holds" {
                    self.wrong.push(format!("{}: no error, though there is one", what()));
                }
                let length = verdict.trace.as_ref().map(|trace| trace.length);
                if let Some(length) = length {
                    self.compare(&format!("{model} ({system})"), strategy, length, verdict.optimal);
                }
                let explored = verdict.statistics.expanded as f64;
                let length = length.map(|length| length as f64);
                let queues = verdict.statistics.queues;
                Ok(Ok(Run { explored, seconds, command, length, queues }))
            }
        }
    }

    /// Notes a trace that is shorter than one said to be shortest.
    fn compare(&mut self, instance: &str, strategy: &str, length: u64, optimal: bool) {
        let known = self.lengths.entry(instance.to_string()).or_insert((None, length));
        known.1 = known.1.min(length);
        if optimal && known.0.is_none_or(|said| length < said) {
            known.0 = Some(length);
        }
        let (said, shortest) = *known;
        let worse = optimal && length > shortest;
        if worse || said.is_some_and(|said| said > shortest) {
            let told = said.unwrap_or(length);
            self.wrong.push(format!(
                "{instance} with {strategy}: {told} or {length} steps said to be shortest, \
                 {shortest} are enough"
            ));
        }
    }

    /// `homing accuracy` on a model: the exact distances beside estimates.
    pub fn accuracy(&self, model: &str, estimates: &[&str]) -> Result<AccuracyOutcome> {
        let (path, goal) = self.model(model, 1)?;
        let mut options = vec!["--goal", &goal];
        options.extend(estimates.iter().flat_map(|estimate| ["--estimate", estimate]));
        self.homing.accuracy(&path, &options).with_context(|| model.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    fn run(explored: f64, length: Option<f64>) -> Run {
        Run { explored, seconds: 0.5, command: 0.6, length, queues: None }
    }

    #[test]
    fn means_are_over_what_was_found() {
        let cell = Cell::Made(vec![run(10.0, Some(3.0)), run(20.0, Some(5.0)), run(900.0, None)]);
        assert_eq!(cell.mean(|run| run.explored), Some(15.0));
        assert_eq!(cell.counts(), (2, 3));
        assert!(!cell.solved());
        assert!(Cell::Made(vec![run(10.0, Some(3.0))]).solved());
        assert_eq!(Cell::Made(vec![run(10.0, None)]).mean(|run| run.seconds), None);
        assert!(!Cell::LeftOut.solved());
    }

    #[test]
    fn rows_of_the_table_are_cells_again() {
        let table = Table::parse(
            "explored\tseconds\tcommand_seconds\tlength\tsolved\truns\tnote\n\
             15.5\t0.5\t0.6\t4.0\t2\t3\t-\n\
             -\t-\t-\t-\t0\t1\t-\n\
             -\t-\t-\t-\t0\t0\tleft out: a smaller model was too hard\n\
             -\t-\t-\t-\t0\t0\tno such estimate\n",
        )
        .unwrap();
        let cells: Vec<Cell> = table.rows().map(Cell::kept).collect();
        assert_eq!(cells[0].mean(|run| run.explored), Some(15.5));
        assert_eq!(cells[0].mean(|run| run.length.unwrap_or(0.0)), Some(4.0));
        assert_eq!(cells[0].counts(), (2, 3));
        assert_eq!(cells[1].counts(), (0, 1));
        assert_eq!(cells[2], Cell::LeftOut);
        assert_eq!(cells[3], Cell::Refused("no such estimate".into()));
    }
}
