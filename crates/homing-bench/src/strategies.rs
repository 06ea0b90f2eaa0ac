//! `homing-bench strategies`: every strategy of the catalogue on the same
//! goals.
//!
//! Runs `homing compare` on BEEM's goals that breadth-first search decides
//! within a number of states, and on the papers' families. The page sets each
//! strategy against breadth-first search. The run fails where any strategy
//! disagrees on reachability, a trace said to be best is longer than
//! breadth-first search's, or a trace is shorter than it. A lossy strategy that
//! left nothing out may say that a goal cannot be reached; the page does not
//! count that.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use homing_report::Verdict;
use homing_report::compare::ComparedRun;

use crate::Setting;
use crate::homing::Homing;
use crate::page::{finish, wrong_answers};
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, command_line};
use crate::tasks::{Task, of_beem, of_families};

/// Arguments of `homing-bench strategies`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Only instances of this family of BEEM
    #[arg(long)]
    family: Option<String>,
    /// Only these of the papers' models; none where empty
    #[arg(long, default_value = "H3 H4 H5 H6 A2 A3")]
    models: String,
    /// Only these strategies, with semicolons between them
    #[arg(long)]
    strategies: Option<String>,
    /// Seconds a search may take
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Leave out goals for which breadth-first search explores fewer states
    #[arg(long, default_value_t = 1000)]
    least: u64,
    /// Leave out goals for which it explores more
    #[arg(long, default_value_t = 300_000)]
    most: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/strategies.tsv")]
    out: PathBuf,
    /// The page to write
    #[arg(long, default_value = "bench/results/strategies.md")]
    page: PathBuf,
}

/// Breadth-first search first: the others are set against it. Directed ones
/// have an admissible estimate that is a table look-up.
const STRATEGIES: &[&str] = &[
    "breadth",
    "depth",
    "random-depth",
    "dijkstra",
    "greedy(abstraction(states=100))",
    "astar(abstraction(states=100))",
    "weighted(abstraction(states=100), alpha=20)",
    "k-best(abstraction(states=100))",
    "beam(abstraction(states=100))",
    "broadening(abstraction(states=100))",
    "idastar(abstraction(states=100))",
    "branch-and-bound(abstraction(states=100))",
    "threshold(abstraction(states=100))",
    "perimeter",
    "frontier",
    "breadth-heuristic(abstraction(states=100))",
    "beam-stack(abstraction(states=100))",
    "sma(abstraction(states=100))",
    "hill-climbing(abstraction(states=100))",
    "guided-walk(abstraction(states=100))",
    "refining",
    "auto",
];

/// Those that may leave states out, or give up.
const LOSSY: &[&str] = &["beam(", "sma(", "hill-climbing(", "guided-walk("];

const COLUMNS: &[&str] = &[
    "instance", "goal", "strategy", "verdict", "expanded", "stored", "bytes", "length", "optimal",
    "seconds", "remark",
];

/// All runs for one goal, breadth-first search first.
type Case = Vec<ComparedRun>;

/// Runs the comparison; fails with exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let chosen: Vec<&str> = match &options.strategies {
        None => STRATEGIES.to_vec(),
        Some(list) => std::iter::once("breadth").chain(list.split(';').map(str::trim)).collect(),
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut wrong = Vec::new();
    let folder = std::env::temp_dir().join(format!("homing-strategies-{}", std::process::id()));
    for Task { name, model, goal, .. } in subjects(options, &folder)? {
        let breadth = compare(&homing, &model, &goal, &chosen[..1], options)?;
        let explored = breadth.first().map_or(0, |run| run.statistics.expanded);
        let decided = breadth.iter().all(|run| run.verdict.is_some_and(|v| v != Verdict::Unknown));
        if !decided || !(options.least..=options.most).contains(&explored) {
            continue;
        }
        let others = compare(&homing, &model, &goal, &chosen[1..], options)?;
        let case: Case = breadth.into_iter().chain(others).collect();
        for run in &case {
            report.row(&cells(&name, &goal, run))?;
            wrong.extend(
                mistake(&case[0], run)
                    .map(|error| format!("{name}, `{goal}`, `{}`: {error}", run.strategy)),
            );
        }
        println!("{name}");
        cases.push(case);
    }
    let _ = std::fs::remove_dir_all(&folder);
    let page = page(&chosen, &cases, options, &wrong);
    finish(&options.page, &page, !wrong.is_empty() || cases.is_empty())
}

/// Goals of known answer: BEEM's, then the papers'.
fn subjects(options: &Options, folder: &Path) -> Result<Vec<Task>> {
    let mut all = of_beem(&options.setting.corpus()?.beem_of(options.family.as_deref())?);
    all.retain(|task| task.reachable.is_some());
    let papers = options.models.split_whitespace().map(|name| (name.to_owned(), 1));
    all.extend(of_families(folder, papers)?);
    Ok(all)
}

fn compare(
    homing: &Homing,
    model: &Path,
    goal: &str,
    strategies: &[&str],
    options: &Options,
) -> Result<Vec<ComparedRun>> {
    let time = format!("{}s", options.seconds);
    let strategies = strategies.join("; ");
    let arguments =
        ["--goal", goal, "--strategies", &strategies, "--time", &time, "--memory", "2G"];
    Ok(homing.compare(model, &arguments).with_context(|| model.display().to_string())?.runs)
}

/// What is wrong with a run, by what breadth-first search says.
fn mistake(breadth: &ComparedRun, run: &ComparedRun) -> Option<String> {
    let verdict = run.verdict?;
    if verdict == Verdict::Unknown {
        return None;
    }
    if Some(verdict) != breadth.verdict {
        return Some(format!("{verdict}, breadth-first search says otherwise"));
    }
    let (length, shortest) = (run.length?, breadth.length?);
    if length < shortest {
        return Some(format!("{length} steps, shorter than the shortest {shortest}"));
    }
    let optimal = run.optimal && length != shortest;
    optimal.then(|| format!("{length} steps said to be shortest, {shortest} are"))
}

fn cells(name: &str, goal: &str, run: &ComparedRun) -> Vec<String> {
    vec![
        name.into(),
        goal.into(),
        run.strategy.clone(),
        run.verdict.map_or("not run".into(), |verdict| verdict.to_string()),
        run.statistics.expanded.to_string(),
        run.statistics.stored.to_string(),
        run.statistics.peak_bytes.to_string(),
        run.length.map_or("-".into(), |length| length.to_string()),
        if run.optimal { "yes" } else { "no" }.into(),
        format!("{:.3}", run.statistics.seconds),
        run.reason.clone(),
    ]
}

/// One line a strategy.
fn page(chosen: &[&str], cases: &[Case], options: &Options, wrong: &[String]) -> String {
    let reachable = |case: &&Case| case[0].verdict == Some(Verdict::Violated);
    let mut page = format!(
        "<!-- {} -->\n# Strategies side by side\n\n\
         {} goals of BEEM and of the papers' families that breadth-first search decides by \
         expanding {} to {} states; {} can be reached. {} s and 2 GB a search. Found, proven and \
         decided are numbers of goals. Ratios are medians to breadth-first search over what a strategy \
         found or decided: states expanded, most states held at a time, lengths; for seconds the geometric mean. \
         `strategies.tsv` has every run.\n\n\
         | strategy | found | proven best | decided out of reach | expanded | held | length | seconds | most memory |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        command_line(),
        cases.len(),
        options.least,
        options.most,
        cases.iter().filter(reachable).count(),
        options.seconds,
    );
    for strategy in chosen {
        let runs: Vec<(&ComparedRun, &ComparedRun)> = cases
            .iter()
            .flat_map(|case| case.iter().map(move |run| (&case[0], run)))
            .filter(|(_, run)| run.strategy == *strategy)
            .collect();
        let decided: Vec<&(&ComparedRun, &ComparedRun)> = runs
            .iter()
            .filter(|(_, run)| run.verdict.is_some_and(|verdict| verdict != Verdict::Unknown))
            .collect();
        let count = |wanted: &dyn Fn(&ComparedRun) -> bool| {
            runs.iter().filter(|(_, run)| wanted(run)).count()
        };
        let ratios = |of: fn(&ComparedRun) -> Option<f64>| -> Vec<f64> {
            let ratio = |pair: &&(&ComparedRun, &ComparedRun)| Some(of(pair.1)? / of(pair.0)?);
            decided.iter().filter_map(ratio).collect()
        };
        let shown = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
        let lossy = LOSSY.iter().any(|name| strategy.starts_with(name));
        let memory = runs.iter().map(|(_, run)| run.statistics.peak_bytes).max().unwrap_or(0);
        let _ = writeln!(
            page,
            "| `{strategy}` | {} | {} | {} | {} | {} | {} | {} | {:.1} MB |",
            count(&|run| run.verdict == Some(Verdict::Violated)),
            count(&|run| run.optimal),
            match lossy {
                true => "–".into(),
                false => count(&|run| run.verdict == Some(Verdict::Holds)).to_string(),
            },
            shown(median(&ratios(|run| Some(run.statistics.expanded.max(1) as f64)))),
            shown(median(&ratios(|run| Some(run.statistics.stored.max(1) as f64)))),
            shown(median(&ratios(|run| run.length.filter(|n| *n > 0).map(|n| n as f64)))),
            shown(geometric_mean(&ratios(|run| Some(run.statistics.seconds.max(1e-3))))),
            memory as f64 / 1e6,
        );
    }
    wrong_answers(wrong, &mut page);
    page
}
