//! `homing-bench beem`: exactness over the BEEM benchmark set.
//!
//! For every base instance up to a number of states: the whole state space is
//! counted, then deadlocks and goals are searched breadth-first, and all that is
//! known is compared. A row an instance; the run fails if anything differs
//! without an explanation.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::Setting;
use crate::answers::{Answer, Found, differences};
use crate::corpus::Instance;
use crate::homing::Homing;
use crate::parallel::in_parallel;
use crate::table::{Report, cell};

/// Arguments of `homing-bench beem`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out instances with more states
    #[arg(long, default_value_t = 5_000_000)]
    max_states: u64,
    /// Only instances of this family
    #[arg(long)]
    family: Option<String>,
    /// Instances run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The table to write
    #[arg(long, default_value = "bench/results/beem.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "equal",
    "states_known",
    "states",
    "levels_known",
    "levels",
    "transitions_known",
    "transitions",
    "deadlocks_known",
    "deadlocks",
    "shortest_deadlock_known",
    "shortest_deadlock",
    "goals_known",
    "goals",
    "seconds",
    "compile_seconds",
    "bytes_per_state",
    "note",
];

/// How an instance came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Equal,
    Explained,
    Different,
}

/// Runs the comparison; fails with exit code 1 on an unexplained difference.
pub fn run(options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    let homing = options.setting.homing()?;
    let instances: Vec<_> = options
        .setting
        .corpus()?
        .beem_of(options.family.as_deref())?
        .into_iter()
        .filter(|instance| options.wants(instance))
        .collect();
    let rows = in_parallel(options.jobs, &instances, |instance| {
        let (outcome, row) = compare(instance, explore(&homing, instance));
        println!("{:24} {}", row[0], told(&row));
        (outcome, row)
    });
    let mut report = Report::create(&options.out, COLUMNS)?;
    for (_, row) in &rows {
        report.row(row)?;
    }
    let count = |wanted| rows.iter().filter(|(outcome, _)| *outcome == wanted).count();
    let different = count(Outcome::Different);
    let summary = format!(
        "{} instances, {different} differences, {} explained",
        rows.len(),
        count(Outcome::Explained),
    );
    report.remark(&summary)?;
    println!("{summary}, {:.0} s", started.elapsed().as_secs_f64());
    let failed = different > 0 || rows.is_empty();
    Ok(ExitCode::from(u8::from(failed)))
}

impl Options {
    fn wants(&self, instance: &Instance) -> bool {
        instance.states.is_some_and(|states| states <= self.max_states)
    }
}

/// Everything homing has to say about an instance.
fn explore(homing: &Homing, instance: &Instance) -> Result<Found> {
    let (stats, _) = homing.stats(&instance.model, &[])?;
    let shortest_deadlock = if instance.deadlocks == Some(0) && stats.deadlocks == 0 {
        None
    } else {
        match answers(homing, instance, &[("--property", "deadlock")])?[..] {
            [Answer::Reachable(steps)] => steps,
            _ => None,
        }
    };
    let goals: Vec<_> =
        instance.goals.iter().map(|goal| ("--goal", goal.expression.as_str())).collect();
    let goals = match goals.len() {
        0 => Vec::new(),
        _ => answers(homing, instance, &goals)?,
    };
    Ok(Found { stats, shortest_deadlock, goals })
}

/// Searches breadth-first, so that ways are shortest; answers in the order of
/// the questions.
fn answers(
    homing: &Homing,
    instance: &Instance,
    questions: &[(&str, &str)],
) -> Result<Vec<Answer>> {
    let mut options = vec!["--strategy", "breadth"];
    options.extend(questions.iter().flat_map(|(option, text)| [*option, *text]));
    let check = homing.check(&instance.model, &options)?;
    if check.results.len() != questions.len() {
        bail!("{} results to {} questions", check.results.len(), questions.len());
    }
    Ok(check.results.iter().map(Answer::found).collect())
}

fn compare(instance: &Instance, found: Result<Found>) -> (Outcome, Vec<String>) {
    match found {
        Ok(found) => {
            let differences = differences(instance, &found);
            let explained = differences.iter().all(|one| one.explanation.is_some());
            let outcome = match (differences.is_empty(), explained) {
                (true, _) => Outcome::Equal,
                (false, true) => Outcome::Explained,
                (false, false) => Outcome::Different,
            };
            let notes: Vec<_> = differences
                .iter()
                .map(|one| match one.explanation {
                    Some(reason) => format!("{}: {} ({reason})", one.about, one.values),
                    None => format!("{}: {}", one.about, one.values),
                })
                .collect();
            (outcome, row(instance, outcome, Some(&found), notes.join("; ")))
        }
        Err(error) => {
            let note = format!("failed: {error:#}").replace(['\t', '\n'], " ");
            (Outcome::Different, row(instance, Outcome::Different, None, note))
        }
    }
}

fn row(instance: &Instance, outcome: Outcome, found: Option<&Found>, note: String) -> Vec<String> {
    let stats = found.map(|found| &found.stats);
    let known_goals = instance.goals.iter().map(Answer::known);
    let found_goals = found.map_or(&[][..], |found| &found.goals);
    let equal = match outcome {
        Outcome::Equal => "yes",
        Outcome::Explained => "explained",
        Outcome::Different => "no",
    };
    vec![
        instance.name.clone(),
        equal.to_owned(),
        cell(instance.states),
        cell(stats.map(|stats| stats.states)),
        cell(instance.levels),
        cell(stats.map(|stats| stats.levels)),
        cell(instance.transitions),
        cell(stats.map(|stats| stats.transitions)),
        cell(instance.deadlocks),
        cell(stats.map(|stats| stats.deadlocks)),
        cell(instance.shortest_deadlock),
        cell(found.and_then(|found| found.shortest_deadlock)),
        listed(instance, known_goals),
        listed(instance, found_goals.iter().copied()),
        cell(stats.map(|stats| format!("{:.3}", stats.seconds))),
        cell(stats.map(|stats| format!("{:.4}", stats.compile_seconds))),
        cell(stats.map(|stats| format!("{:.1}", stats.bytes_per_state))),
        if note.is_empty() { "-".to_owned() } else { note },
    ]
}

/// Goals by their BEEM number: `1:yes/15 2:no`.
fn listed(instance: &Instance, answers: impl Iterator<Item = Answer>) -> String {
    let answers: Vec<_> = instance
        .goals
        .iter()
        .zip(answers)
        .map(|(goal, answer)| format!("{}:{answer}", goal.id))
        .collect();
    if answers.is_empty() {
        return "-".to_owned();
    }
    answers.join(" ")
}

/// What is shown of a row while the run goes on.
fn told(row: &[String]) -> String {
    let note = row.last().map_or("", String::as_str);
    match row[1].as_str() {
        "yes" => format!("equal, {} states", row[3]),
        "explained" => format!("explained: {note}"),
        _ => format!("DIFFERENT: {note}"),
    }
}
