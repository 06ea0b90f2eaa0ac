//! Racing: which configuration is best on some models.
//!
//! ```text
//! tune:
//!   race greedy search by every estimate, what the planner tries, blind searches, auto
//!   race the neighbours of the best three, among them: each with every preference, and
//!     every other complete strategy with its estimate and preference
//!
//! race(configurations, instances):               an instance is a property of a model
//!   for budget in 20,000, 80,000, … units of work:
//!     each that is in the race, on every instance it has not solved, within the budget
//!     capping: those are out that could not win if they solved the rest at once
//!     halving: of those with something left to solve the worse half is out
//!   until nobody has anything left to solve, or the budget is the last
//! ```
//! Halving of those that race while what each may spend grows is successive halving
//! (Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013;
//! Jamieson, Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter
//! Optimization", AISTATS 2016). That a run need not go on once it cannot win is the adaptive
//! capping of ParamILS (Hutter, Hoos, Leyton-Brown, Stützle, JAIR 2009).
//!
//! Deviations: nothing is drawn at random, ties go to whoever comes first in the
//! catalogue; whoever solved everything stays and costs nothing; whoever is best on an
//! instance is not halved away. A budget is in work, and what limits a run is expansions:
//! how much work one takes is read off the run before. So two races tell the same, unless
//! a limit of time ends one.
//!
//! What is not counted is the making of tables: work is what a search does.

mod entries;
mod race;

use std::collections::BTreeSet;

use homing_core::Limits;
use homing_ir::passes::Passes;
use homing_report::Verdict;
use homing_report::compare::ComparedRun;
use homing_report::tuned::{TuneOutcome, TunedConfiguration, TunedInstance};

use self::entries::{AUTO, first_entries, neighbours};
use self::race::{Race, Score};
use crate::compare::{contradictions, one_by_one};
use crate::load::Model;
use crate::options::Options;
use crate::question::asked;
use crate::run::{Hooks, UsageError};

/// What is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TuneFor {
    /// The least work until the verdict, in the geometric mean.
    #[default]
    Work,
    /// The shortest traces, in the geometric mean; then the least work.
    Length,
}

/// How to tune.
#[derive(Clone, Debug, Default)]
pub struct TuneOptions {
    /// What to check, and when to stop all of it. Its strategy and estimate are not looked
    /// at.
    pub check: Options,
    /// What is best.
    pub best: TuneFor,
    /// The work of one run, at most; without, [`TuneOptions::LAST`].
    pub last: Option<u64>,
}

impl TuneOptions {
    /// The work of one run, at most, where nothing is said.
    pub const LAST: u64 = 20_480_000;
}

/// A property of a model.
pub(crate) struct Instance {
    pub model: usize,
    pub property: String,
    pub options: Options,
}

/// How many of the first race have their neighbours tried.
const BEST: usize = 3;

/// Races configurations on models, which go by these names. `hooks` are asked for before
/// every run, with its strategy. Once their budget is spent, what was learned until then
/// is the outcome.
pub fn tune(
    models: Vec<(String, Model)>,
    options: &TuneOptions,
    hooks: impl FnMut(&str) -> Hooks,
) -> Result<TuneOutcome, UsageError> {
    options.check.passes.apply(Passes::ALL)?;
    let (names, models): (Vec<String>, Vec<Model>) = models.into_iter().unzip();
    let instances = instances(&models, options)?;
    let entries = first_entries(&models, &options.check)?;
    let mut race = Race::new(models, instances, entries, options, hooks);
    race.run()?;
    if race.stopped.is_none() {
        let best: Vec<String> = race
            .podium()
            .into_iter()
            .take(BEST)
            .map(|n| race.entries[n].strategy.clone())
            .collect();
        race.enter(best.iter().flat_map(|strategy| neighbours(strategy, options.check.seed)));
        race.run()?;
    }
    Ok(told(&names, options, race))
}

fn instances(models: &[Model], options: &TuneOptions) -> Result<Vec<Instance>, UsageError> {
    let mut all = Vec::new();
    for (at, model) in models.iter().enumerate() {
        let questions = asked(model, &options.check)?;
        // The time is for the whole race, and its budget is looked at around every run.
        let check = Options {
            strategy: None,
            estimate: None,
            limits: Limits { time: None, ..options.check.limits.clone() },
            ..options.check.clone()
        };
        let alone = one_by_one(&questions, &check);
        all.extend(alone.map(|(property, options)| Instance { model: at, property, options }));
    }
    Ok(all)
}

fn told<H: FnMut(&str) -> Hooks>(
    names: &[String],
    options: &TuneOptions,
    race: Race<H>,
) -> TuneOutcome {
    let ranking = race.podium();
    let best = ranking.first().copied();
    let instances = (0..race.instances.len()).map(|at| instance(names, &race, at, best));
    let configurations = ranking.iter().map(|n| configuration(&race, *n));
    let unfit = race.entries.iter().filter(|entry| entry.unfit()).count();
    let mut internal_errors = race.failed.clone();
    internal_errors.extend(contradicting(&race));
    TuneOutcome {
        models: names.to_vec(),
        command: String::new(),
        seed: options.check.seed,
        best_for: match options.best {
            TuneFor::Work => "work".into(),
            TuneFor::Length => "length".into(),
        },
        name: String::new(),
        file: String::new(),
        written: false,
        best: best.map(|n| race.entries[n].strategy.clone()),
        instances: instances.collect(),
        configurations: configurations.collect(),
        unfit: unfit as u64,
        runs: race.runs,
        complete: race.stopped.is_none(),
        reason: race.stopped.clone().unwrap_or_else(|| race.ended.to_string()),
        internal_errors,
    }
}

fn instance<H: FnMut(&str) -> Hooks>(
    names: &[String],
    race: &Race<H>,
    at: usize,
    best: Option<usize>,
) -> TunedInstance {
    let winner = race.winner(at);
    let solved = |n: usize| race.entries[n].solved(at);
    let auto = race.entries.iter().position(|entry| entry.strategy == AUTO);
    let Instance { model, property, .. } = &race.instances[at];
    TunedInstance {
        model: names[*model].clone(),
        property: property.clone(),
        verdict: winner.and_then(solved).and_then(|run| run.verdict).unwrap_or(Verdict::Unknown),
        winner: winner.map(|n| race.entries[n].strategy.clone()),
        work: winner.and_then(solved).map(|run| run.statistics.work),
        length: winner.and_then(solved).and_then(|run| run.length),
        best_work: best.and_then(solved).map(|run| run.statistics.work),
        auto_work: auto.and_then(solved).map(|run| run.statistics.work),
    }
}

fn configuration<H: FnMut(&str) -> Hooks>(race: &Race<H>, n: usize) -> TunedConfiguration {
    let entry = &race.entries[n];
    let Score { solved, work, length } = entry.score();
    let seconds = entry.runs.iter().flatten();
    TunedConfiguration {
        strategy: entry.strategy.clone(),
        solved: solved as u64,
        work: (solved > 0).then(|| work.exp()),
        length: length.map(f64::exp),
        seconds: seconds.map(|run| run.statistics.seconds + run.compile_seconds).sum(),
        out: entry.out.clone().unwrap_or_default(),
    }
}

/// Verdicts and traces that cannot both be right.
fn contradicting<H: FnMut(&str) -> Hooks>(race: &Race<H>) -> BTreeSet<String> {
    let of = |at: usize| {
        let rows: Vec<ComparedRun> =
            race.entries.iter().filter_map(|entry| entry.solved(at).cloned()).collect();
        contradictions(&rows)
    };
    (0..race.instances.len()).flat_map(of).collect()
}
