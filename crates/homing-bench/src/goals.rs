//! `homing-bench goals`: what each estimate and preference does for BEEM's
//! reachable goals.
//!
//! Every goal that is known to be reachable is searched for with every
//! configuration, under a limit of time. A row of the table a goal and
//! configuration; the page beside it sets each configuration against
//! breadth-first search: goals found, states explored, lengths. The run fails
//! if a goal known to be reachable is said not to be, or a trace is shorter
//! than the shortest, or one said to be shortest is not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::Setting;
use crate::corpus::{Goal, Instance};
use crate::homing::Verdict;
use crate::page::{finish, wrong_answers};
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, command_line};

/// Arguments of `homing-bench goals`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Only instances of this family
    #[arg(long)]
    family: Option<String>,
    /// Only this configuration; may be repeated
    #[arg(long)]
    strategy: Vec<String>,
    /// Seconds a search may take
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Leave out goals for which breadth-first search explores fewer states
    #[arg(long, default_value_t = 1000)]
    least: u64,
    /// The table to write; the page goes beside it
    #[arg(long, default_value = "bench/results/goals.tsv")]
    out: PathBuf,
    /// The page to write
    #[arg(long, default_value = "bench/results/beem.md")]
    page: PathBuf,
}

/// What is compared: blind searches, each estimate, then the preferences.
const CONFIGURATIONS: &[&str] = &[
    "breadth",
    "auto",
    "depth",
    "greedy(goal-count)",
    "greedy(hamming)",
    "greedy(formula)",
    "greedy(formula(combine=sum))",
    "greedy(fsm-max)",
    "greedy(fsm-sum)",
    "greedy(relaxed-layers)",
    "greedy(relaxed-trace)",
    "greedy(hadd)",
    "greedy(hff)",
    "greedy(lmcut)",
    "greedy(landmarks)",
    "greedy(abstraction(states=100))",
    "greedy(abstraction(states=1000))",
    "greedy(database)",
    "greedy(russian-doll)",
    "greedy(ties([relaxed-trace, abstraction(states=100)]))",
    "astar(relaxed-layers)",
    "astar(abstraction(states=1000))",
    "breadth(prefer=contexts)",
    "depth(prefer=contexts)",
    "greedy(fsm-sum, prefer=contexts)",
    "greedy(relaxed-trace, prefer=contexts)",
    "greedy(relaxed-trace, prefer=useless)",
    "greedy(relaxed-trace, prefer=helpful)",
    "greedy(hff, prefer=useless)",
    "greedy(hff, prefer=helpful)",
    "greedy(lazy(relaxed-trace), prefer=helpful)",
    "greedy(relaxed-trace, prefer=bounding)",
    "greedy(relaxed-trace, prefer=bounding(over=contexts))",
    "greedy(abstraction(states=1000), prefer=contexts)",
];

const COLUMNS: &[&str] =
    &["instance", "goal", "strategy", "found", "explored", "stored", "length", "seconds"];

/// What one search came to.
#[derive(Clone, Copy)]
struct Run {
    explored: u64,
    stored: u64,
    length: Option<u64>,
    proven: bool,
    seconds: f64,
}

/// Runs the comparison; fails with exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut runs: BTreeMap<(String, usize), Run> = BTreeMap::new();
    let mut wrong = Vec::new();
    let chosen: Vec<&str> = match options.strategy.is_empty() {
        true => CONFIGURATIONS.to_vec(),
        false => {
            std::iter::once("breadth").chain(options.strategy.iter().map(String::as_str)).collect()
        }
    };
    for instance in options.setting.corpus()?.beem_of(options.family.as_deref())? {
        for goal in instance.goals.iter().filter(|goal| goal.reachable == Some(true)) {
            let name = format!("{} {}", instance.name, goal.id);
            for (number, strategy) in chosen.iter().enumerate() {
                let found = homing
                    .look_for(&instance.model, &goal.expression, strategy, options.seconds, "8G")
                    .with_context(|| format!("{name} with {strategy}"))?;
                if let Some(error) = found.mistake(true, goal.steps) {
                    wrong.push(format!("{name}, {strategy}: {error}"));
                }
                let run = Run::of(&found);
                report.row(&cells(&instance, goal, strategy, run))?;
                let easy = number == 0 && run.length.is_some() && run.explored < options.least;
                runs.insert((name.clone(), number), run);
                if easy {
                    runs.remove(&(name.clone(), number));
                    break;
                }
            }
            println!("{name}");
        }
    }
    let page = page(&chosen, &runs, options, &wrong);
    finish(&options.page, &page, !wrong.is_empty() || runs.is_empty())
}

impl Run {
    fn of(found: &Verdict) -> Run {
        Run {
            explored: found.statistics.expanded,
            stored: found.statistics.stored,
            length: found.trace.as_ref().map(|trace| trace.length),
            proven: found.optimal,
            seconds: found.statistics.seconds,
        }
    }
}

fn cells(instance: &Instance, goal: &Goal, strategy: &str, run: Run) -> Vec<String> {
    vec![
        instance.name.clone(),
        goal.id.clone(),
        strategy.into(),
        if run.length.is_some() { "yes" } else { "-" }.into(),
        run.explored.to_string(),
        run.stored.to_string(),
        run.length.map_or("-".into(), |length| length.to_string()),
        format!("{:.3}", run.seconds),
    ]
}

/// One line a configuration: ratios to breadth-first search, over the goals
/// that it finds.
fn page(
    chosen: &[&str],
    runs: &BTreeMap<(String, usize), Run>,
    options: &Options,
    wrong: &[String],
) -> String {
    let goals: Vec<&String> =
        runs.keys().filter(|(_, number)| *number == 0).map(|(name, _)| name).collect();
    let mut page = format!(
        "<!-- {} -->\n# BEEM's reachable goals\n\n\
         {} goals that breadth-first search explores at least {} states for, {} s a search. \
         Ratios are to breadth-first search, over the goals that a configuration finds: \
         explored states (median, geometric mean), lengths (median), seconds (geometric mean). A goal that \
         breadth-first search does not find in its time counts with what it explored until \
         then. `goals.tsv` has every run.\n\n\
         | configuration | found | proven shortest | explored, median | mean | length, median | seconds, mean |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
        command_line(),
        goals.len(),
        options.least,
        options.seconds,
    );
    for (number, strategy) in chosen.iter().enumerate() {
        let pairs: Vec<(Run, Run)> = goals
            .iter()
            .filter_map(|name| {
                let blind = runs.get(&((*name).clone(), 0))?;
                let run = runs.get(&((*name).clone(), number))?;
                run.length.is_some().then_some((*blind, *run))
            })
            .collect();
        let ratios = |of: fn(&Run) -> Option<f64>| -> Vec<f64> {
            let ratio = |(blind, run): &(Run, Run)| Some(of(run)?.max(1e-9) / of(blind)?.max(1e-9));
            pairs.iter().filter_map(ratio).collect()
        };
        let explored = ratios(|run| Some(run.explored.max(1) as f64));
        let lengths = ratios(|run| run.length.map(|length| length as f64));
        let seconds = ratios(|run| Some(run.seconds.max(1e-4)));
        let shown = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
        let _ = writeln!(
            page,
            "| `{strategy}` | {} | {} | {} | {} | {} | {} |",
            pairs.len(),
            pairs.iter().filter(|(_, run)| run.proven).count(),
            shown(median(&explored)),
            shown(geometric_mean(&explored)),
            shown(median(&lengths)),
            shown(geometric_mean(&seconds)),
        );
    }
    wrong_answers(wrong, &mut page);
    page
}
