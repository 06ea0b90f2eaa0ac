//! The race itself: budgets, capping, halving.

use homing_core::Limits;
use homing_report::Verdict;
use homing_report::compare::ComparedRun;

use super::entries::AUTO;
use super::{Instance, TuneFor, TuneOptions};
use crate::compare::{Asked, run};
use crate::load::Model;
use crate::options::Options;
use crate::run::{Hooks, UsageError, cut};

/// The work of every run in the first round, and by how much it grows.
const FIRST: u64 = 20_000;
const GROWTH: u64 = 4;

/// The expansions of a run of which nothing is known yet.
const UNKNOWN: u64 = 500;

/// A configuration in the race.
pub(super) struct Entry {
    pub strategy: String,
    /// The last run on each instance.
    pub runs: Vec<Option<ComparedRun>>,
    /// The instances on which more would not help: it does not fit, or ended without a
    /// verdict.
    given_up: Vec<bool>,
    /// Why it is out.
    pub out: Option<String>,
}

/// What came of a configuration: the more solved the better, then the less the better.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Score {
    pub solved: usize,
    /// The mean logarithm of the work, for all instances; of those not solved, what was
    /// spent on them.
    pub work: f64,
    /// That of the steps of traces, where there are any.
    pub length: Option<f64>,
}

impl Entry {
    fn new(strategy: String, instances: usize) -> Entry {
        let (runs, given_up) = (vec![None; instances], vec![false; instances]);
        Entry { strategy, runs, given_up, out: None }
    }

    /// The run that solved an instance.
    pub fn solved(&self, at: usize) -> Option<&ComparedRun> {
        self.runs[at].as_ref().filter(|run| is_known(run))
    }

    /// Whether it fits nothing.
    pub fn unfit(&self) -> bool {
        self.runs.iter().all(|run| run.as_ref().is_some_and(|run| run.verdict.is_none()))
    }

    /// Whether it has something left to solve, and may.
    fn is_racing(&self) -> bool {
        self.out.is_none() && (0..self.runs.len()).any(|at| self.has_left(at))
    }

    fn has_left(&self, at: usize) -> bool {
        self.solved(at).is_none() && !self.given_up[at]
    }

    pub fn score(&self) -> Score {
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len().max(1) as f64;
        let logarithm = |value: u64| (value.max(1) as f64).ln();
        let spent = |run: &Option<ComparedRun>| {
            logarithm(run.as_ref().map_or(0, |run| run.statistics.work))
        };
        let solved = (0..self.runs.len()).filter_map(|at| self.solved(at));
        let lengths: Vec<f64> =
            solved.clone().filter_map(|run| run.length).map(logarithm).collect();
        Score {
            solved: solved.count(),
            work: mean(&self.runs.iter().map(spent).collect::<Vec<_>>()),
            length: (!lengths.is_empty()).then(|| mean(&lengths)),
        }
    }
}

fn is_known(run: &ComparedRun) -> bool {
    matches!(run.verdict, Some(Verdict::Holds | Verdict::Violated))
}

/// Configurations, and what they are to solve.
pub(super) struct Race<'o, H> {
    models: Vec<Model>,
    pub instances: Vec<Instance>,
    pub entries: Vec<Entry>,
    options: &'o TuneOptions,
    hooks: H,
    /// How many runs were made.
    pub runs: u64,
    /// Which limit ended the race.
    pub stopped: Option<String>,
    /// How the last race ended that none did.
    pub ended: &'static str,
    /// Where homing itself failed.
    pub failed: Vec<String>,
}

impl<'o, H: FnMut(&str) -> Hooks> Race<'o, H> {
    pub fn new(
        models: Vec<Model>,
        instances: Vec<Instance>,
        entries: Vec<String>,
        options: &'o TuneOptions,
        hooks: H,
    ) -> Race<'o, H> {
        let ended = "nothing is asked";
        let (runs, stopped, failed) = (0, None, Vec::new());
        let mut race = Race {
            models,
            instances,
            entries: vec![],
            options,
            hooks,
            runs,
            stopped,
            ended,
            failed,
        };
        race.enter(entries.into_iter());
        race
    }

    /// More configurations enter, but for those that have raced.
    pub fn enter(&mut self, strategies: impl Iterator<Item = String>) {
        for strategy in strategies {
            if !self.entries.iter().any(|entry| entry.strategy == strategy) {
                self.entries.push(Entry::new(strategy, self.instances.len()));
            }
        }
    }

    /// Races until nobody has anything left to solve.
    pub fn run(&mut self) -> Result<(), UsageError> {
        let last = self.options.last.unwrap_or(TuneOptions::LAST);
        let mut budget = FIRST.min(last);
        if !self.entries.iter().any(Entry::is_racing) {
            return Ok(());
        }
        loop {
            self.round(budget)?;
            self.cap();
            if self.stopped.is_some() {
                return Ok(());
            }
            if !self.entries.iter().any(Entry::is_racing) {
                self.ended = "nothing was left to solve for those still in the race";
                return Ok(());
            }
            if budget >= last {
                self.give_up(budget);
                self.ended = "those still in the race spent all that a run may take";
                return Ok(());
            }
            if budget > FIRST {
                self.halve(budget);
            }
            budget = budget.saturating_mul(GROWTH).min(last);
        }
    }

    /// Everybody in the race tries what it has not solved.
    fn round(&mut self, budget: u64) -> Result<(), UsageError> {
        for n in 0..self.entries.len() {
            for at in 0..self.instances.len() {
                let entry = &self.entries[n];
                if entry.out.is_none() && entry.has_left(at) && self.may_win(n) {
                    self.attempt(n, at, budget)?;
                }
                if self.stopped.is_some() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// One run of a configuration within a budget. Of the first one on an instance it is
    /// not known how many expansions the budget is good for.
    fn attempt(&mut self, n: usize, at: usize, budget: u64) -> Result<(), UsageError> {
        let mut expansions = self.expansions(n, at, budget);
        loop {
            let Some(row) = self.check(n, at, expansions)? else { return Ok(()) };
            let spent = row.statistics.expanded >= expansions;
            let entry = &mut self.entries[n];
            entry.given_up[at] = !spent && !is_known(&row);
            let first = entry.runs[at].is_none();
            entry.runs[at] = Some(row);
            let more = self.expansions(n, at, budget);
            if !(first && spent && self.entries[n].has_left(at) && more > expansions) {
                return Ok(());
            }
            expansions = more;
        }
    }

    /// How many expansions a budget is good for: by what one took in the run before.
    fn expansions(&self, n: usize, at: usize, budget: u64) -> u64 {
        let Some(run) = &self.entries[n].runs[at] else { return UNKNOWN };
        let rate = run.statistics.work / run.statistics.expanded.max(1);
        (budget / rate.max(1)).max(UNKNOWN)
    }

    /// Checks an instance; nothing where the budget of all was spent before there was a
    /// verdict.
    fn check(
        &mut self,
        n: usize,
        at: usize,
        expansions: u64,
    ) -> Result<Option<ComparedRun>, UsageError> {
        let Instance { model, property, options } = &self.instances[at];
        let strategy = self.entries[n].strategy.clone();
        let raced = match (&*strategy, self.options.best) {
            // Nothing is spent on a shorter one.
            (AUTO, TuneFor::Work) => "auto(improve=0)".into(),
            _ => strategy.clone(),
        };
        loop {
            let hooks = (self.hooks)(&strategy);
            let budget = hooks.budget.clone();
            let asked = Asked {
                property: property.clone(),
                strategy: strategy.clone(),
                options: Options {
                    strategy: Some(raced.clone()),
                    limits: Limits { expansions: Some(expansions), ..options.limits.clone() },
                    ..options.clone()
                },
            };
            self.runs += 1;
            let row = match run(&self.models[*model], asked, hooks) {
                Err(UsageError::More(kind)) => {
                    self.models[*model] = self.models[*model].with_more(kind)?;
                    continue;
                }
                row => row?,
            };
            self.failed.extend(row.failed);
            let spent = budget.check().err();
            self.stopped = spent.map(|why| cut(homing_budget::Stopped { why, phase: "racing" }));
            return Ok(Some(row.run).filter(|run| self.stopped.is_none() || is_known(run)));
        }
    }

    /// Whether it would be the best one if it solved all it has left at once.
    fn may_win(&self, n: usize) -> bool {
        if self.options.best == TuneFor::Length {
            return true;
        }
        let own = self.entries[n].score();
        let lost = self.entries[n].given_up.contains(&true);
        let best = self.entries.iter().enumerate().filter(|(other, _)| *other != n);
        let best = best.map(|(_, entry)| entry.score());
        let mut best = best.filter(|score| score.solved == self.instances.len());
        best.all(|score| !lost && own.work <= score.work)
    }

    /// Those are out that cannot win any more.
    fn cap(&mut self) {
        for n in 0..self.entries.len() {
            let out = self.entries[n].is_racing() && !self.may_win(n);
            if out {
                self.entries[n].out = Some("could not win any more".into());
            }
        }
    }

    /// The worse half of those that have something left is out, but for who is best on an
    /// instance.
    fn halve(&mut self, budget: u64) {
        let winners: Vec<usize> =
            (0..self.instances.len()).filter_map(|at| self.winner(at)).collect();
        let racing: Vec<usize> =
            self.ranking().into_iter().filter(|n| self.entries[*n].is_racing()).collect();
        let worse = racing.iter().skip(racing.len().div_ceil(2));
        for n in worse.filter(|n| !winners.contains(n)) {
            self.entries[*n].out = Some(format!("in the worse half at {budget} units of work"));
        }
    }

    fn give_up(&mut self, budget: u64) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_racing()) {
            entry.out = Some(format!("not done after {budget} units of work"));
        }
    }

    /// Who solved an instance best.
    pub fn winner(&self, at: usize) -> Option<usize> {
        let length = |run: &ComparedRun| match self.options.best {
            TuneFor::Work => 0,
            TuneFor::Length => run.length.unwrap_or(0),
        };
        let solved = self.entries.iter().enumerate();
        let solved = solved.filter_map(|(n, entry)| Some((n, entry.solved(at)?)));
        solved.min_by_key(|(_, run)| (length(run), run.statistics.work)).map(|(n, _)| n)
    }

    /// Those that solved something, the best one first.
    pub fn podium(&self) -> Vec<usize> {
        let solved = |n: &usize| self.entries[*n].score().solved > 0;
        self.ranking().into_iter().filter(solved).collect()
    }

    /// All, the best one first.
    fn ranking(&self) -> Vec<usize> {
        let scores: Vec<Score> = self.entries.iter().map(Entry::score).collect();
        let mut all: Vec<usize> = (0..scores.len()).collect();
        let length = |score: &Score| match self.options.best {
            TuneFor::Work => 0.0,
            TuneFor::Length => score.length.unwrap_or(0.0),
        };
        all.sort_by(|a, b| {
            let (a, b) = (&scores[*a], &scores[*b]);
            let order = b.solved.cmp(&a.solved).then(length(a).total_cmp(&length(b)));
            order.then(a.work.total_cmp(&b.work))
        });
        all
    }
}
