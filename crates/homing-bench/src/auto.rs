//! `homing-bench auto`: does the planner find BEEM's goals, prove its traces
//! shortest, and cost next to nothing where there is nothing to find?
//!
//! Every goal whose answer is known is searched for by breadth-first search
//! and by `auto`, under the same limits. A row of the table a goal; the page
//! beside it says how many reachable goals each found, how many traces are
//! proven shortest, and, over the goals that cannot be reached, how much longer
//! `auto` takes. The run fails on any wrong answer.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::corpus::Goal;
use crate::homing::Verdict;
use crate::page::finish;
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, command_line};

/// Arguments of `homing-bench auto`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Only instances of this family
    #[arg(long)]
    family: Option<String>,
    /// Seconds a search may take
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Leave out goals that cannot be reached if breadth-first search needs less than this many seconds
    #[arg(long, default_value_t = 1.0)]
    least: f64,
    /// Memory a search may take
    #[arg(long, default_value = "4G")]
    memory: String,
    /// The table to write
    #[arg(long, default_value = "bench/results/auto.tsv")]
    out: PathBuf,
    /// The page to write
    #[arg(long, default_value = "bench/results/auto.md")]
    page: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "goal",
    "reachable",
    "breadth",
    "breadth_length",
    "breadth_seconds",
    "auto",
    "auto_length",
    "at_least",
    "proven",
    "auto_explored",
    "auto_seconds",
];

/// Both searches for one goal.
struct Pair {
    name: String,
    reachable: bool,
    breadth: Verdict,
    auto: Verdict,
}

/// Runs the comparison; fails with exit code 1 where an answer is wrong.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut pairs = Vec::new();
    let mut wrong = Vec::new();
    for instance in options.setting.corpus()?.beem_of(options.family.as_deref())? {
        for goal in &instance.goals {
            let Some(reachable) = goal.reachable else { continue };
            let breadth =
                homing.look_for(&instance, goal, "breadth", options.seconds, &options.memory)?;
            if !reachable && breadth.statistics.seconds < options.least {
                continue;
            }
            let auto =
                homing.look_for(&instance, goal, "auto", options.seconds, &options.memory)?;
            let name = format!("{} {}", instance.name, goal.id);
            for (strategy, found) in [("breadth", &breadth), ("auto", &auto)] {
                if let Some(error) = found.mistake(reachable, goal.steps) {
                    wrong.push(format!("{name}, {strategy}: {error}"));
                }
            }
            let pair = Pair { name, reachable, breadth, auto };
            report.row(&pair.cells(goal))?;
            println!("{}", pair.name);
            pairs.push(pair);
        }
    }
    let page = page(&pairs, options, &wrong);
    finish(&options.page, &page, !wrong.is_empty() || pairs.is_empty())
}

impl Pair {
    fn cells(&self, goal: &Goal) -> Vec<String> {
        let shown = |value: Option<u64>| value.map_or("-".into(), |value| value.to_string());
        let length = |found: &Verdict| shown(found.trace.as_ref().map(|trace| trace.length));
        let instance = self.name.split(' ').next().unwrap_or_default();
        vec![
            instance.into(),
            goal.id.clone(),
            if self.reachable { "yes" } else { "no" }.into(),
            self.breadth.verdict.clone(),
            length(&self.breadth),
            format!("{:.3}", self.breadth.statistics.seconds),
            self.auto.verdict.clone(),
            length(&self.auto),
            shown(self.auto.at_least),
            if self.auto.optimal { "yes" } else { "no" }.into(),
            self.auto.statistics.expanded.to_string(),
            format!("{:.3}", self.auto.statistics.seconds),
        ]
    }
}

fn page(pairs: &[Pair], options: &Options, wrong: &[String]) -> String {
    let reachable: Vec<&Pair> = pairs.iter().filter(|pair| pair.reachable).collect();
    let found = |of: fn(&Pair) -> &Verdict| {
        reachable.iter().filter(|pair| of(pair).trace.is_some()).count()
    };
    let blind: Vec<&&Pair> = reachable.iter().filter(|pair| pair.breadth.trace.is_some()).collect();
    let proven = blind.iter().filter(|pair| pair.auto.optimal).count();
    let held: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| pair.breadth.verdict == "holds" && pair.auto.verdict == "holds")
        .collect();
    let slower: Vec<f64> = held
        .iter()
        .map(|pair| pair.auto.statistics.seconds / pair.breadth.statistics.seconds.max(1e-3))
        .collect();
    let shown = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    let mut page = format!(
        "<!-- {} -->\n# The planner on BEEM's goals\n\n\
         {} s and {} a search; `auto.tsv` has every run.\n\n\
         | question | answer |\n|---|--:|\n\
         | reachable goals | {} |\n\
         | found by `auto` | {} |\n\
         | found by `breadth` | {} |\n\
         | of these, `auto`'s trace is proven shortest | {} |\n\
         | goals out of reach that take `breadth` at least {} s | {} |\n\
         | `auto`'s seconds to `breadth`'s there: median | {} |\n\
         | geometric mean | {} |\n\
         | most | {} |\n",
        command_line(),
        options.seconds,
        options.memory,
        reachable.len(),
        found(|pair| &pair.auto),
        found(|pair| &pair.breadth),
        proven,
        options.least,
        held.len(),
        shown(median(&slower)),
        shown(geometric_mean(&slower)),
        shown(slower.iter().copied().reduce(f64::max)),
    );
    let missed = reachable.iter().filter(|pair| pair.auto.trace.is_none());
    list(
        &mut page,
        "Reachable, but not found by `auto`",
        missed.map(|pair| format!("{}: {}", pair.name, pair.auto.reason)),
    );
    let unproven = blind.iter().filter(|pair| !pair.auto.optimal);
    list(
        &mut page,
        "Found by `breadth`, but `auto`'s trace is not proven shortest",
        unproven.map(|pair| {
            let length = pair.auto.trace.as_ref().map_or(0, |trace| trace.length);
            format!("{}: {length} steps, at least {}", pair.name, pair.auto.at_least.unwrap_or(0))
        }),
    );
    list(&mut page, "Wrong answers", wrong.iter().cloned());
    page
}

/// A heading and a list, where there is anything in it.
fn list(page: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    for (number, item) in items.enumerate() {
        if number == 0 {
            let _ = writeln!(page, "\n## {heading}\n");
        }
        let _ = writeln!(page, "- {item}");
    }
}
