//! `homing-bench fast-downward`: how many states an estimate judges in a second,
//! beside Fast Downward on the very same task.
//!
//! Tasks are the papers' families and BEEM's goals, as `homing export --sas`
//! writes them; what is not in that simple form is left out. These are
//! compared:
//!
//! | Fast Downward | homing |
//! |---|---|
//! | `eager_greedy([ff()])` | `greedy(relaxed-trace)` |
//! | `eager_greedy([add()])` | `greedy(hadd)` |
//! | `astar(lmcut())` | `astar(lmcut)` |
//! | `astar(merge_and_shrink(…, max_states=N))` | `astar(abstraction(states=N))` |
//!
//! Both tools compute an estimate once for every new state. A rate is states
//! evaluated per processor second *of the search*: Fast Downward tells its own;
//! for homing the time of the same command stopped after one expansion is
//! subtracted, which reads the model and makes the estimate, too. Searches that
//! evaluate few states are too short to be measured like this and do not count.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use homing_bench::family;

use crate::Setting;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::page::save;
use crate::planner::Planner;
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, cell, command_line};
use crate::tasks::{Source, Task, of_beem, of_families};

/// Arguments of `homing-bench fast-downward`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Fast Downward's program [default: `downward` on the PATH, else of the Python package]
    #[arg(long)]
    downward: Option<PathBuf>,
    /// Only tasks whose name starts with this
    #[arg(long)]
    only: Option<String>,
    /// States of an abstraction
    #[arg(long, default_value_t = 1000)]
    states: u64,
    /// Seconds of every search
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Evaluated states below which a rate does not count
    #[arg(long, default_value_t = 20_000)]
    least: u64,
    /// Runs of each search, of which the median counts
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// The page to write; the table goes beside it, as `.tsv`
    #[arg(long, default_value = "bench/results/fast-downward.md")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "task",
    "operators",
    "estimate",
    "fd_evaluated",
    "fd_search_seconds",
    "fd_total_seconds",
    "fd_length",
    "fd_per_second",
    "homing_evaluated",
    "homing_search_seconds",
    "homing_total_seconds",
    "homing_length",
    "homing_per_second",
    "homing_to_fd",
];

/// What is compared: an estimate's name, and a search of either tool.
struct Pair {
    name: &'static str,
    downward: String,
    homing: String,
}

/// What one tool took for one search.
#[derive(Clone, Default)]
struct Figures {
    evaluated: u64,
    search_seconds: f64,
    total_seconds: f64,
    length: Option<u64>,
}

impl Figures {
    fn rate(&self) -> Option<f64> {
        (self.search_seconds > 0.0).then(|| self.evaluated as f64 / self.search_seconds)
    }
}

/// Compares every task and writes the page.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let planner = Planner::find(options.downward.as_deref())?;
    let folder = std::env::temp_dir().join(format!("homing-bench-{}-downward", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let compared = Comparison { options, homing, planner, folder: &folder }.all();
    // A folder left behind in the temporary folder harms nobody.
    let _ = fs::remove_dir_all(&folder);
    compared?;
    Ok(ExitCode::SUCCESS)
}

struct Comparison<'a> {
    options: &'a Options,
    homing: Homing,
    planner: Planner,
    folder: &'a Path,
}

impl Comparison<'_> {
    fn all(&self) -> Result<()> {
        let mut report = Report::create(&self.options.out.with_extension("tsv"), COLUMNS)?;
        let pairs = pairs(self.options);
        let mut ratios: Vec<Ratios> = vec![Vec::new(); pairs.len()];
        let mut lines = vec![String::new(); pairs.len()];
        let mut refused = 0;
        for task in self.tasks()? {
            let sas = self.folder.join("task.sas");
            if let Err(error) = self.homing.export(&task.model, &task.goal, &sas, self.limits()) {
                println!("{:24} not exported: {error:#}", task.name);
                refused += 1;
                continue;
            }
            let operators = fs::read_to_string(&sas)?.matches("\nbegin_operator\n").count();
            for (at, pair) in pairs.iter().enumerate() {
                let Some((downward, homing)) = self.both(&task, pair, &sas) else { continue };
                let ratio = self.ratio(&downward, &homing);
                report.row(&row(&task, operators, pair, &downward, &homing, ratio))?;
                lines[at] += &line(&task, operators, &downward, &homing, ratio);
                ratios[at].extend(ratio.map(|ratio| (task.source, ratio)));
            }
        }
        let page = self.page(&pairs, &lines, &ratios, refused);
        save(&self.options.out, &page)
    }

    /// The families, then BEEM's goals.
    fn tasks(&self) -> Result<Vec<Task>> {
        let mut tasks =
            of_families(self.folder, family::names().into_iter().map(|name| (name, 1)))?;
        tasks.extend(of_beem(&self.options.setting.corpus()?.beem()?));
        let only = self.options.only.as_deref().unwrap_or_default();
        tasks.retain(|task| task.name.starts_with(only));
        Ok(tasks)
    }

    /// Runs both tools; says so and answers nothing where one cannot.
    fn both(&self, task: &Task, pair: &Pair, sas: &Path) -> Option<(Figures, Figures)> {
        let tell = |tool: &str, error: anyhow::Error| {
            println!("{:24} {:13} {tool}: {error:#}", task.name, pair.name);
        };
        let downward = self.repeated(|| self.downward(pair, sas));
        let downward = downward.map_err(|error| tell("Fast Downward", error)).ok()?;
        let homing = self.repeated(|| self.search(task, pair));
        let homing = homing.map_err(|error| tell("homing", error)).ok()?;
        println!(
            "{:24} {:13} {:>9} states at {:>9}/s, {:>9} at {:>9}/s",
            task.name,
            pair.name,
            downward.evaluated,
            cell(downward.rate().map(|rate| rate as u64)),
            homing.evaluated,
            cell(homing.rate().map(|rate| rate as u64)),
        );
        Some((downward, homing))
    }

    /// The run of median time.
    fn repeated(&self, run: impl Fn() -> Result<Figures>) -> Result<Figures> {
        let runs: Vec<Figures> =
            (0..self.options.runs.max(1)).map(|_| run()).collect::<Result<_>>()?;
        let middle = |of: fn(&Figures) -> f64| {
            median(&runs.iter().map(of).collect::<Vec<f64>>()).unwrap_or_default()
        };
        Ok(Figures {
            search_seconds: middle(|figures| figures.search_seconds),
            total_seconds: middle(|figures| figures.total_seconds),
            ..runs[0].clone()
        })
    }

    fn downward(&self, pair: &Pair, sas: &Path) -> Result<Figures> {
        let search = ["--search".to_owned(), pair.downward.clone()];
        let (plan, used) = self.planner.run(&search, sas, self.folder, self.limits())?;
        Ok(Figures {
            evaluated: plan.evaluated,
            search_seconds: plan.search_seconds,
            total_seconds: used.cpu_seconds,
            length: plan.length,
        })
    }

    fn search(&self, task: &Task, pair: &Pair) -> Result<Figures> {
        let time = format!("{}s", self.options.seconds);
        let common = ["--goal", &task.goal, "--strategy", &pair.homing, "--time", &time];
        let (check, used) = self.homing.check_measured(&task.model, &common)?;
        let start = [&common[..], &["--expansions", "1"]].concat();
        let (_, before) = self.homing.check_measured(&task.model, &start)?;
        let found = check.results.first().and_then(|result| result.trace.as_ref());
        Ok(Figures {
            evaluated: check.statistics.stored,
            search_seconds: (used.cpu_seconds - before.cpu_seconds).max(0.0),
            total_seconds: used.cpu_seconds,
            length: found.map(|trace| trace.length),
        })
    }

    /// Making an abstraction may take longer than the search.
    fn limits(&self) -> Limits {
        Limits { memory: Some(8 << 30), seconds: Some(self.options.seconds + 60) }
    }

    /// homing's rate by Fast Downward's, where both are worth it.
    fn ratio(&self, downward: &Figures, homing: &Figures) -> Option<f64> {
        let long = downward.evaluated.min(homing.evaluated) >= self.options.least;
        Some(homing.rate()? / downward.rate()?).filter(|_| long)
    }

    fn page(&self, pairs: &[Pair], lines: &[String], ratios: &[Ratios], refused: u64) -> String {
        let mut page = format!(
            "# Beside Fast Downward\n\nMade by `{}`.\n\n{ABOUT}\n\
             Tasks that are not in the simple form: {refused}. A ratio counts where both tools\n\
             evaluated at least {} states; every search had {} seconds.\n",
            command_line(),
            self.options.least,
            self.options.seconds,
        );
        for ((pair, lines), ratios) in pairs.iter().zip(lines).zip(ratios) {
            let _ = write!(
                page,
                "\n## {}\n\nFast Downward: `{}`; homing: `{}`.\n\n\
                 Rate of homing by that of Fast Downward:\n\n\
                 - the papers' families: {}\n- BEEM: {}\n\n{HEADER}{lines}",
                pair.name,
                pair.downward,
                pair.homing,
                summary(ratios, Source::Families),
                summary(ratios, Source::Beem),
            );
        }
        page
    }
}

/// homing's rates by Fast Downward's.
type Ratios = Vec<(Source, f64)>;

fn summary(ratios: &Ratios, source: Source) -> String {
    let ratios: Vec<f64> =
        ratios.iter().filter(|(of, _)| *of == source).map(|(_, ratio)| *ratio).collect();
    let two = |number: Option<f64>| cell(number.map(|number| format!("{number:.2}")));
    format!(
        "geometric mean {}, median {}, least {}, over {} tasks",
        two(geometric_mean(&ratios)),
        two(median(&ratios)),
        two(ratios.iter().copied().reduce(f64::min)),
        ratios.len()
    )
}

const ABOUT: &str = "\
States evaluated per processor second of the search, on the same task: the
papers' families and BEEM's goals as `homing export --sas` writes them. Fast
Downward tells its own search time; of homing's processor time that of the same
command stopped after one expansion is subtracted. *Total* is the whole program,
with reading and with the making of the estimate (for homing also of machine
code). Fast Downward's `max_states` bounds every product before it is shrunk,
homing's `states` every process after each composition: both are N. For a goal of
several conjunctions homing has an abstraction each and takes the least, where
Fast Downward has one for the goal's own variable. *Operators* are those of the
task: a step that reads variables is one operator for every combination of their
values, which slows Fast Downward's `ff` down on BEEM's models; the families have
about one operator a step. Lengths
differ by one where a goal is no conjunction, since such a goal is one more step
of the task. That `relaxed-layers` equals Fast Downward's `hmax`, and `hadd` its
`add`, is a test of the crate `homing`, `differential_fast_downward`.
";

const HEADER: &str = "\
| task | operators | FD states | FD /s | FD total s | FD length | states | /s | total s | length | ratio |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

fn pairs(options: &Options) -> Vec<Pair> {
    let Options { states, seconds, .. } = options;
    vec![
        Pair {
            name: "relaxed trace",
            downward: format!("eager_greedy([ff()],max_time={seconds})"),
            homing: "greedy(relaxed-trace)".into(),
        },
        Pair {
            name: "h^add",
            downward: format!("eager_greedy([add()],max_time={seconds})"),
            homing: "greedy(hadd)".into(),
        },
        Pair {
            name: "LM-cut",
            downward: format!("astar(lmcut(),max_time={seconds})"),
            homing: "astar(lmcut)".into(),
        },
        Pair {
            name: "abstraction",
            downward: format!(
                "astar(merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false),\
                 merge_strategy=merge_precomputed(merge_tree=linear(variable_order=reverse_level)),\
                 label_reduction=exact(before_shrinking=true,before_merging=false),\
                 max_states={states},threshold_before_merge=1),max_time={seconds})"
            ),
            homing: format!("astar(abstraction(states={states}))"),
        },
    ]
}

fn row(
    task: &Task,
    operators: usize,
    pair: &Pair,
    fd: &Figures,
    homing: &Figures,
    ratio: Option<f64>,
) -> Vec<String> {
    let mut row = vec![task.name.clone(), operators.to_string(), pair.name.to_owned()];
    for figures in [fd, homing] {
        row.push(figures.evaluated.to_string());
        row.push(format!("{:.3}", figures.search_seconds));
        row.push(format!("{:.3}", figures.total_seconds));
        row.push(cell(figures.length));
        row.push(cell(figures.rate().map(|rate| rate as u64)));
    }
    row.push(cell(ratio.map(|ratio| format!("{ratio:.2}"))));
    row
}

fn line(
    task: &Task,
    operators: usize,
    fd: &Figures,
    homing: &Figures,
    ratio: Option<f64>,
) -> String {
    let figures = |figures: &Figures| {
        format!(
            "{} | {} | {:.2} | {}",
            figures.evaluated,
            cell(figures.rate().map(|rate| rate as u64)),
            figures.total_seconds,
            cell(figures.length)
        )
    };
    let ratio = cell(ratio.map(|ratio| format!("{ratio:.2}")));
    format!("| {} | {operators} | {} | {} | {ratio} |\n", task.name, figures(fd), figures(homing))
}
