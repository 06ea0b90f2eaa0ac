//! `homing-bench papers`: the papers' experiments beside ours.
//!
//! Dräger, Finkbeiner, Podelski, *Directed model checking with
//! distance-preserving abstractions*, STTT 2009: Tables 1 and 2, Figs. 6 to 8.
//! Wehrle, Kupferschmid, *Context-enhanced directed model checking*, SPIN 2010:
//! Tables 1 to 5.
//!
//! The models are our reconstructions ([`homing_bench::family`]). Every model
//! is searched with every configuration under a limit of time; once that was
//! not enough, larger models of the family are left out for this
//! configuration. The run fails where an answer cannot be right: no error
//! found in all states, or a trace said to be shortest that is not.

mod beaten;
mod figures;
mod page;
mod published;
mod queues;
mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::page::save;
use crate::table::{Report, Row, Table, cell};
use published::{AUTO, CONTEXTS, DISTANCE, Experiment, Printed};
use runs::{Cell, Laboratory, Limits};

/// Arguments of `homing-bench papers`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Only these models, such as A2 or H5; may be repeated
    #[arg(long)]
    model: Vec<String>,
    /// Keep the figures that the last table has of all other models
    #[arg(long)]
    keep: bool,
    /// Seconds a search may take
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Memory a search may take
    #[arg(long, default_value = "4G")]
    memory: String,
    /// Random systems of each size, at most 15
    #[arg(long, default_value_t = 15)]
    systems: u64,
    /// Seconds for the single searches that speed is asked of
    #[arg(long, default_value_t = 300)]
    long_seconds: u64,
    /// The folder of the page, the table and the figures
    #[arg(long, default_value = "bench/results")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "experiment",
    "model",
    "configuration",
    "strategy",
    "paper_explored",
    "explored",
    "paper_seconds",
    "seconds",
    "command_seconds",
    "paper_length",
    "length",
    "solved",
    "runs",
    "queues",
    "note",
];

/// An experiment with a row a model.
pub struct Results {
    experiment: &'static Experiment,
    rows: Vec<(&'static str, Vec<Printed>, Vec<Cell>)>,
}

/// A search that speed is asked of: the model, the strategy, and the seconds
/// within which the error is to be found.
const ASKED: [(&str, &str, u64); 4] = [
    ("H8", "greedy(abstraction(states=100))", 10),
    ("A6", "greedy(abstraction(states=2000, compose=trace, keep=labels))", 20),
    ("H9", "greedy(abstraction(states=1000))", 60),
    ("H10", "greedy(abstraction(states=1000))", 300),
];

/// Runs the experiments; fails with exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    let homing = options.setting.homing()?;
    let folder = std::env::temp_dir().join(format!("homing-papers-{}", std::process::id()));
    let limits = Limits { memory: options.memory.clone(), systems: options.systems };
    let mut laboratory = Laboratory::new(&homing, &folder, limits)?;
    let done = experiments(options, &mut laboratory);
    let _ = fs::remove_dir_all(&folder);
    let wrong = done?;
    println!("{:.0} s", started.elapsed().as_secs_f64());
    Ok(ExitCode::from(u8::from(wrong)))
}

fn experiments(options: &Options, laboratory: &mut Laboratory) -> Result<bool> {
    let path = options.out.join("papers.tsv");
    let kept = if options.keep { kept(&Table::read(&path)?) } else { Kept::new() };
    let mut report = Report::create(&path, COLUMNS)?;
    let mut all = Vec::new();
    for experiment in DISTANCE.iter().chain(CONTEXTS).chain([&AUTO]) {
        println!("{}", experiment.title);
        all.push(make(experiment, options, laboratory, &kept, &mut report)?);
    }
    let mut asked = Vec::new();
    let shown = |model: &str| options.wants(model) || options.keep;
    for (model, strategy, seconds) in ASKED.into_iter().filter(|(model, ..)| shown(model)) {
        let at_most = options.long_seconds;
        let run = laboratory.search_within(model, 1, strategy, 1, at_most)?;
        println!("  {model:4} {strategy}: {run:?}");
        asked.push((model, strategy, seconds, run));
    }
    let figures = figures::make(laboratory, options)?;
    for (name, plot) in &figures {
        save(&options.out.join(name), &plot.svg())?;
    }
    let page = page::page(options, &all, &asked, &laboratory.wrong)?;
    save(&options.out.join("papers.md"), &page)?;
    for wrong in &laboratory.wrong {
        println!("WRONG: {wrong}");
    }
    Ok(!laboratory.wrong.is_empty())
}

/// Cells of an earlier run, by experiment, model and configuration.
type Kept = BTreeMap<(String, String, String), Cell>;

fn kept(table: &Table) -> Kept {
    let text = |row: Row, column| row.text(column).unwrap_or_default().to_string();
    let key = |row| (text(row, "experiment"), text(row, "model"), text(row, "configuration"));
    table.rows().map(|row| (key(row), Cell::kept(row))).collect()
}

impl Options {
    fn wants(&self, model: &str) -> bool {
        self.model.is_empty() || self.model.iter().any(|wanted| wanted == model)
    }
}

/// Runs one experiment, smallest models first.
fn make(
    experiment: &'static Experiment,
    options: &Options,
    laboratory: &mut Laboratory,
    kept: &Kept,
    report: &mut Report,
) -> Result<Results> {
    let mut hopeless: BTreeSet<(char, usize)> = BTreeSet::new();
    let mut rows = Vec::new();
    let seconds = if experiment.patient { options.long_seconds } else { options.seconds };
    let shown = |model: &&str| options.wants(model) || options.keep;
    for model in experiment.models.iter().copied().filter(shown) {
        let printed = experiment.printed(model)?;
        let family = model.chars().next().unwrap_or_default();
        let mut cells = Vec::new();
        for (i, column) in experiment.columns.iter().enumerate() {
            let too_hard = hopeless.contains(&(family, i)) && !experiment.patient;
            let key = (experiment.key.into(), model.into(), column.name.into());
            let made = match kept.get(&key).filter(|_| !options.wants(model)) {
                Some(known) => known.clone(),
                None if too_hard => Cell::LeftOut,
                None => laboratory.cell(model, column, seconds)?,
            };
            // Random systems differ more from each other than by their size.
            if !made.solved() && family != 'R' {
                hopeless.insert((family, i));
            }
            report.row(&told(experiment, model, i, &printed[i], &made))?;
            cells.push(made);
        }
        println!("  {model:4} {}", cells.iter().map(page::glance).collect::<Vec<_>>().join("  "));
        rows.push((model, printed, cells));
    }
    Ok(Results { experiment, rows })
}

/// A row of the table of all runs.
fn told(
    experiment: &Experiment,
    model: &str,
    column: usize,
    printed: &Printed,
    made: &Cell,
) -> Vec<String> {
    let (solved, runs) = made.counts();
    let column = &experiment.columns[column];
    let note = match made {
        Cell::Refused(sentence) => sentence.replace(['\t', '\n'], " "),
        Cell::LeftOut => "left out: a smaller model was too hard".into(),
        Cell::Made(_) => "-".into(),
    };
    vec![
        experiment.key.into(),
        model.into(),
        column.name.into(),
        column.strategy.into(),
        cell(printed.explored),
        cell(made.mean(|run| run.explored).map(|mean| format!("{mean:.1}"))),
        cell(printed.seconds),
        cell(made.mean(|run| run.seconds).map(|mean| format!("{mean:.3}"))),
        cell(made.mean(|run| run.command).map(|mean| format!("{mean:.3}"))),
        cell(printed.length),
        cell(made.mean(|run| run.length.unwrap_or(0.0)).map(|mean| format!("{mean:.1}"))),
        solved.to_string(),
        runs.to_string(),
        cell(made.queues()),
        note,
    ]
}
