//! `homing-bench lama`: the planner until the first error, beside Fast Downward's
//! `lama-first`, the first search of the satisficing planner LAMA.
//!
//! Tasks are the papers' families without time and goals of BEEM, as `homing export
//! --sas` writes them: of every family of BEEM the largest instance with a reachable goal
//! in that simple form, then smaller ones. Time is that of the processor. Fast Downward's is without the making of
//! the task, homing's with reading and compiling the model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use homing_bench::family;

use crate::Setting;
use crate::corpus;
use crate::homing::FINDING;
use crate::measure::Limits;
use crate::page::{Section, add, listed};
use crate::planner::Planner;
use crate::searches::{Run, Searches};
use crate::statistics::geometric_mean;
use crate::table::{Report, Row, Table, cell};
use crate::tasks::{Source, Task, of_beem, of_families, seeded};

/// Arguments of `homing-bench lama`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Fast Downward's program [default: `downward` on the PATH, else of the Python package]
    #[arg(long)]
    downward: Option<PathBuf>,
    /// Only tasks whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// Goals of BEEM
    #[arg(long, default_value_t = 20)]
    goals: usize,
    /// Processor seconds of every search
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Runs of a search below half a second, of which the least time counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Measure nothing: make the page from the table
    #[arg(long)]
    page: bool,
    /// Folder of the table and the page
    #[arg(long, default_value = "bench/results")]
    out: PathBuf,
}

pub const TABLE: &str = "lama.tsv";

/// What is compared with.
const ALIAS: &str = "lama-first";

/// Memory of Fast Downward, and of homing.
const MEMORY: u64 = 4 << 30;

const COLUMNS: &[&str] = &[
    "task",
    "source",
    "operators",
    "lama_seconds",
    "lama_expanded",
    "lama_length",
    "homing_seconds",
    "homing_expanded",
    "homing_length",
    "expanded_ratio",
    "seconds_ratio",
];

/// Compares every task; exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    if options.page {
        write(&options.out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let planner = Planner::find(options.downward.as_deref())?;
    let alias = planner.alias(ALIAS)?;
    let (homing, memory) = (options.setting.homing()?, "4G".to_owned());
    let searches = Searches { homing, memory, runs: options.runs, wrong: 0 };
    let folder = std::env::temp_dir().join(format!("homing-bench-{}-lama", std::process::id()));
    let mut comparison = Comparison { options, searches, planner, alias, folder: &folder };
    let compared = comparison.all();
    // A folder left behind in the temporary folder harms nobody.
    let _ = fs::remove_dir_all(&folder);
    compared?;
    write(&options.out)?;
    Ok(ExitCode::from(u8::from(comparison.searches.wrong > 0)))
}

struct Comparison<'a> {
    options: &'a Options,
    searches: Searches,
    planner: Planner,
    /// The options of Fast Downward that the alias stands for.
    alias: Vec<String>,
    folder: &'a Path,
}

impl Comparison<'_> {
    fn all(&mut self) -> Result<()> {
        let mut report = Report::create(&self.options.out.join(TABLE), COLUMNS)?;
        let mut goals = 0;
        for task in self.tasks()? {
            if task.source == Source::Beem && goals == self.options.goals {
                break;
            }
            let sas = self.folder.join("task.sas");
            let limits = self.limits();
            if let Err(error) = self.searches.homing.export(&task.model, &task.goal, &sas, limits) {
                report.left_out(&task.name, &format!("{error:#}"))?;
                continue;
            }
            goals += usize::from(task.source == Source::Beem);
            let theirs = self.theirs(&sas)?;
            let ours = self.searches.find(&task, self.options.seconds)?;
            let operators = fs::read_to_string(&sas)?.matches("\nbegin_operator\n").count();
            report.told(&row(&task, operators, &theirs, &ours))?;
        }
        Ok(())
    }

    /// The families, then BEEM's goals: of every family the last, then those before it.
    fn tasks(&self) -> Result<Vec<Task>> {
        let mut tasks = of_families(self.folder, seeded(family::names()))?;
        let mut beem = of_beem(&self.options.setting.corpus()?.beem()?);
        beem.retain(|task| task.reachable == Some(true));
        tasks.extend(last_first(beem));
        let only = self.options.only.as_deref().unwrap_or_default();
        tasks.retain(|task| task.name.contains(only));
        Ok(tasks)
    }

    fn limits(&self) -> Limits {
        Limits { memory: Some(MEMORY), seconds: Some(self.options.seconds) }
    }

    /// Fast Downward on a task.
    fn theirs(&self, sas: &Path) -> Result<Run> {
        let mut best: Option<Run> = None;
        for _ in 0..self.options.runs.max(1) {
            // Where it was ended there is nothing to read.
            let Ok((plan, used)) = self.planner.run(&self.alias, sas, self.folder, self.limits())
            else {
                break;
            };
            let seconds = best.and_then(|run| run.seconds).unwrap_or(f64::INFINITY);
            let seconds = seconds.min(used.cpu_seconds);
            let expanded = Some(plan.expanded);
            let run = Run { seconds: Some(seconds), expanded, length: plan.length };
            best = Some(run);
            if !run.is_short() {
                break;
            }
        }
        let ended = Run { seconds: Some(self.options.seconds as f64), ..Run::default() };
        Ok(best.unwrap_or(ended))
    }
}

/// The last task of every family, then the one before it of every family that has one, and
/// so on.
fn last_first(tasks: Vec<Task>) -> Vec<Task> {
    let mut behind: BTreeMap<String, usize> = BTreeMap::new();
    let ranked = tasks.into_iter().rev().map(|task| {
        let rank = behind.entry(corpus::family(&task.name).to_owned()).or_default();
        *rank += 1;
        (*rank, task)
    });
    let mut ranked: Vec<(usize, Task)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, task)| task).collect()
}

fn row(task: &Task, operators: usize, theirs: &Run, ours: &Run) -> Vec<String> {
    let ratio = |of: fn(&Run) -> Option<f64>| Some(format!("{:.3}", of(ours)? / of(theirs)?));
    let mut row = vec![task.name.clone(), task.source.name().to_owned(), operators.to_string()];
    row.extend(theirs.cells());
    row.extend(ours.cells());
    row.push(cell(ratio(Run::states)));
    row.push(cell(ratio(Run::found)));
    row
}

/// Writes the page into the folder of the table.
pub fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, Section); 1] = [(TABLE, compared)];
    crate::page::write(folder, ("lama.md", HEAD), parts).context("the page")
}

const HEAD: &str = "# Beside LAMA\n\n\
Made by `homing-bench lama` from the table `lama.tsv` beside this page. Tasks are the papers' \
families without time and goals of BEEM, of every family of BEEM the largest instance with a \
reachable goal that `homing export --sas` writes, then smaller ones. `lama-first` is the alias of Fast Downward: \
lazy greedy search with h^FF and landmarks, an open list each, and preferred operators. \
Processor seconds are those of whole programs; Fast Downward's are without the making of the \
task.\n";

fn compared(table: &Table, page: &mut String) {
    add!(page, "\n## Until the first plan\n");
    add!(
        page,
        "`{FINDING}` beside `{ALIAS}`; ratios are over what both solve, below one where homing \
         is ahead.\n"
    );
    add!(
        page,
        "| tasks | number | solved by homing | by `{ALIAS}` | expanded, geometric mean | seconds, geometric mean |\n\
         |---|--:|--:|--:|--:|--:|"
    );
    let sources = [
        ("the papers' families", Some(Source::Families)),
        ("BEEM's goals", Some(Source::Beem)),
        ("all", None),
    ];
    for (what, source) in sources {
        let wanted =
            |row: &Row<'_>| source.is_none_or(|source| row.text("source") == Some(source.name()));
        let rows: Vec<Row<'_>> = table.rows().filter(wanted).collect();
        let solved = |by: &str| rows.iter().filter(|row| row.number(by).is_some()).count();
        let mean = |column: &str| {
            let ratios: Vec<f64> = rows.iter().filter_map(|row| row.real(column)).collect();
            geometric_mean(&ratios).map_or("–".to_owned(), |mean| format!("{mean:.2}"))
        };
        add!(
            page,
            "| {what} | {} | {} | {} | {} | {} |",
            rows.len(),
            solved("homing_length"),
            solved("lama_length"),
            mean("expanded_ratio"),
            mean("seconds_ratio"),
        );
    }
    add!(page, "");
    let heads = [
        ("task", "task"),
        ("operators", "operators"),
        ("lama_expanded", "LAMA expanded"),
        ("lama_seconds", "s"),
        ("lama_length", "steps"),
        ("homing_expanded", "homing expanded"),
        ("homing_seconds", "s"),
        ("homing_length", "steps"),
        ("expanded_ratio", "expanded"),
        ("seconds_ratio", "seconds"),
    ];
    listed(table, &heads, page);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: f64, expanded: u64, length: Option<u64>) -> Run {
        Run { seconds: Some(seconds), expanded: Some(expanded), length }
    }

    #[test]
    fn ratios_are_of_what_both_solve() {
        let task = Task { name: "H3".into(), ..Task::of(Source::Families) };
        let ended = Run { seconds: Some(60.0), ..Run::default() };
        let told = |theirs: &Run, ours: &Run| row(&task, 9, theirs, ours).join(" ");
        assert_eq!(
            told(&run(0.2, 10, Some(4)), &run(0.1, 40, Some(5))),
            "H3 families 9 0.2000 10 4 0.1000 40 5 4.000 0.500"
        );
        assert_eq!(
            told(&ended, &run(0.1, 40, Some(5))),
            "H3 families 9 60.0000 - - 0.1000 40 5 - -"
        );
        // A goal that holds at once is expanded by nobody.
        let at_once = told(&run(0.2, 0, Some(0)), &run(0.1, 0, Some(0)));
        assert!(at_once.ends_with("1.000 0.500"), "{at_once}");
    }

    #[test]
    fn families_of_beem_take_turns() {
        let task = |name: &str| Task { name: name.into(), ..Task::of(Source::Beem) };
        let all = ["at.1 1", "at.2 1", "at.2 2", "brp.1 1", "gear.1 1", "gear.2 1"].map(task);
        let names: Vec<String> =
            last_first(all.to_vec()).into_iter().map(|task| task.name).collect();
        assert_eq!(names, ["gear.2 1", "brp.1 1", "at.2 2", "gear.1 1", "at.2 1", "at.1 1"]);
    }

    #[test]
    fn the_page_counts_what_is_solved_and_averages_ratios() {
        let table = format!(
            "{}\n{}\n{}\n{}\n",
            COLUMNS.join("\t"),
            "H3\tfamilies\t9\t0.2\t10\t4\t0.1\t40\t5\t4.000\t0.500",
            "H4\tfamilies\t9\t60.0\t-\t-\t0.1\t40\t5\t-\t-",
            "at.2 1\tBEEM\t9\t0.2\t10\t4\t0.4\t10\t5\t1.000\t2.000",
        );
        let mut page = String::new();
        compared(&Table::parse(&table).unwrap(), &mut page);
        for line in [
            "| the papers' families | 2 | 2 | 1 | 4.00 | 0.50 |",
            "| BEEM's goals | 1 | 1 | 1 | 1.00 | 2.00 |",
            "| all | 3 | 3 | 2 | 2.00 | 1.00 |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }
}
