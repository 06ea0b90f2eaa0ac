//! Models of hardware: what the file specifies, one answer each, and nothing else unless
//! asked for (`--property deadlock`).
//!
//! ```text
//! asked     what is to be answered: specifications by number, deadlock
//! turns     engine after engine, each what it can answer, with growing shares
//! explicit  the engine that searches state by state
//! symbolic  the engine that searches sets of states
//! sat       the engine that asks a solver for satisfiability
//! ```
//! Which engines there are, and which ones answer questions about relations, stands in the
//! table of engines (`check::engine`). What was found is confirmed by the reference
//! interpreter of relations, whoever found it.
//!
//! Estimates, passes, reductions and symmetry are made from processes, and not available here.

use homing_core::Progress;
use homing_ir::relation::{Goal, Relation, Run, Specification};
use homing_report::Verdict;
use homing_report::outcome::{
    CheckOutcome, Plan as Shown, PropertyOutcome, Statistics, StatsOutcome, ValueOutcome,
};
use homing_witness::outcome::TraceOutcome;
use homing_witness::relational::{ending, violation};

mod asked;
mod explicit;
mod sat;
mod symbolic;
mod turns;

pub(crate) use self::asked::Asked;
use self::asked::{DEADLOCK, asked, refuse};
pub(crate) use self::explicit::EXPLICIT;
pub(crate) use self::sat::{CHECKS, SAT};
pub(crate) use self::symbolic::SYMBOLIC;
use self::turns::Standing;
use crate::check::Checked;
use crate::load::Model;
use crate::options::Options;
use crate::run::{Hooks, Runner, UsageError, cut, during, peak};

/// How an engine answers questions about relations.
#[derive(Clone, Copy)]
pub(crate) struct Answering {
    /// Whether it answers this.
    pub answers: fn(&Relation, Asked) -> bool,
    /// Whether a strategy of this name is one of its own.
    pub takes: fn(&str) -> bool,
    /// Answers what is asked at these positions, as far as its share goes. `None` is all
    /// that is left; else about as much work as that many expansions of states.
    pub answer: Answer,
    /// Counts states, if it can.
    pub stats: Option<Count>,
}

/// Answers what is asked at positions, within a share.
pub(crate) type Answer = fn(&mut Checking, &[usize], Option<u64>) -> Result<(), UsageError>;

/// Counts the states of a relation.
pub(crate) type Count = fn(&Model, &Relation, &Options, Hooks) -> Result<StatsOutcome, UsageError>;

/// Checks what a file specifies.
pub(crate) fn check(
    model: &Model,
    relation: &Relation,
    options: &Options,
    hooks: Hooks,
) -> Result<Checked, UsageError> {
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    let mut checking = Checking {
        model,
        relation,
        options,
        asked: asked(relation, options)?,
        runner: Runner::new(hooks, options.limits.clone()),
        total: Statistics::default(),
        standing: Vec::new(),
        runs: Vec::new(),
        plan: Shown::default(),
    };
    checking.standing = checking.asked.iter().map(|_| Standing::Open(None)).collect();
    let done = during(&budget, || checking.turns());
    let reason = match done {
        Ok(Ok(())) => String::new(),
        Ok(Err(UsageError::Stopped(reason))) => reason,
        Ok(Err(error)) => return Err(error),
        Err(stopped) => cut(stopped),
    };
    Ok(checking.finish(&reason))
}

/// Refuses a model of hardware where something is done with the steps of processes.
pub(crate) fn without(model: &Model, done: &str) -> Result<(), UsageError> {
    match model.network.relation {
        None => Ok(()),
        Some(_) => Err(UsageError::Sentence(format!(
            "models of hardware are not {done}: they have no processes; `homing check` shows \
             their runs moment by moment, and with `--trace FILE` writes them"
        ))),
    }
}

/// Explores everything and counts.
pub(crate) fn stats(
    model: &Model,
    relation: &Relation,
    options: &Options,
    hooks: Hooks,
) -> Result<StatsOutcome, UsageError> {
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    refuse(options)?;
    let count = turns::counting(options)?;
    during(&budget, || count(model, relation, options, hooks))?
}

/// A check of a relation.
pub(crate) struct Checking<'c> {
    pub model: &'c Model,
    pub relation: &'c Relation,
    pub options: &'c Options,
    pub runner: Runner,
    asked: Vec<Asked>,
    total: Statistics,
    standing: Vec<Standing>,
    runs: Vec<(usize, Run)>,
    plan: Shown,
}

impl Checking<'_> {
    /// The specification that is asked at a position, if one is.
    pub(crate) fn specification(&self, index: usize) -> Option<&Specification> {
        match self.asked[index] {
            Asked::Deadlock => None,
            Asked::Specified(number) => Some(&self.relation.specifications[number]),
        }
    }

    /// The goal of the specification at a position, if one is asked there.
    pub(crate) fn goal(&self, index: usize) -> Option<&Goal> {
        Some(&self.specification(index)?.goal)
    }

    /// What is asked at a position, as users call it.
    pub(crate) fn name(&self, index: usize) -> String {
        self.specification(index).map_or(DEADLOCK.into(), |one| one.name.clone())
    }

    /// How a search is put together, for the plan that is shown: strategy, store, and in a
    /// sentence what it did.
    pub(crate) fn planned(&mut self, strategy: &str, store: &str, phase: Option<String>) {
        let add = |all: &mut String, one: &str| {
            if !one.is_empty() && !all.split("; ").any(|other| other == one) {
                let between = if all.is_empty() { "" } else { "; " };
                *all = format!("{all}{between}{one}");
            }
        };
        add(&mut self.plan.strategy, strategy);
        add(&mut self.plan.store, store);
        self.plan.phases.extend(phase);
    }

    /// Counts what was spent.
    pub(crate) fn spent(&mut self, progress: &Progress, seconds: f64) -> Statistics {
        let statistics = Statistics {
            stored: progress.stored,
            expanded: progress.expanded,
            generated: progress.generated,
            work: progress.generated,
            seconds,
            peak_bytes: peak(progress),
            queues: None,
        };
        self.total += statistics;
        statistics
    }

    /// It holds, for this reason.
    pub(crate) fn holds(&mut self, index: usize, why: &str, statistics: Statistics) {
        let outcome = PropertyOutcome::new(&self.name(index), Verdict::Holds, why, statistics);
        self.standing[index] = Standing::Answered(outcome);
    }

    /// It is violated by this run of a specification, which is confirmed here.
    pub(crate) fn violated(
        &mut self,
        index: usize,
        run: Run,
        optimal: bool,
        statistics: Statistics,
    ) -> Result<(), UsageError> {
        let trace = self.confirmed(index, None, run)?;
        self.found(index, trace, optimal, statistics);
        Ok(())
    }

    /// It is violated, as this run shows, which violates another goal that it implies.
    pub(crate) fn violated_as(
        &mut self,
        index: usize,
        goal: &Goal,
        run: Run,
        statistics: Statistics,
    ) -> Result<(), UsageError> {
        let trace = self.confirmed(index, Some(goal), run)?;
        self.found(index, trace, false, statistics);
        Ok(())
    }

    /// It is violated, and there is no run to show it, for this reason.
    pub(crate) fn violated_without_run(&mut self, index: usize, why: &str, spent: Statistics) {
        let outcome = PropertyOutcome::new(&self.name(index), Verdict::Violated, why, spent);
        self.standing[index] = Standing::Answered(outcome);
    }

    /// This run ends in a state without successor.
    pub(crate) fn deadlocked(
        &mut self,
        index: usize,
        run: &Run,
        optimal: bool,
        statistics: Statistics,
    ) -> Result<(), UsageError> {
        let trace = ending(self.relation, run).map_err(|_| internal())?;
        self.found(index, trace, optimal, statistics);
        Ok(())
    }

    /// A number was asked for, and found.
    pub(crate) fn valued(
        &mut self,
        index: usize,
        why: &str,
        value: Option<ValueOutcome>,
        spent: Statistics,
    ) {
        let outcome = PropertyOutcome::new(&self.name(index), Verdict::Holds, why, spent);
        let values = value.into_iter().collect();
        self.standing[index] = Standing::Answered(PropertyOutcome { values, ..outcome });
    }

    /// Whether what is asked at a position is settled.
    pub(crate) fn is_answered(&self, index: usize) -> bool {
        matches!(self.standing[index], Standing::Answered(_))
    }

    /// It is violated, as this trace shows.
    fn found(&mut self, index: usize, trace: TraceOutcome, optimal: bool, spent: Statistics) {
        let name = self.name(index);
        self.standing[index] = Standing::Answered(PropertyOutcome {
            optimal,
            trace: Some(trace),
            ..PropertyOutcome::new(&name, Verdict::Violated, CONFIRMED, spent)
        });
    }

    /// This engine cannot say, and would not if it were asked again.
    pub(crate) fn unknown(&mut self, index: usize, why: impl Into<String>, spent: Statistics) {
        let outcome = PropertyOutcome::new(&self.name(index), Verdict::Unknown, why, spent);
        self.standing[index] = Standing::GivenUp(outcome);
    }

    /// It was not found out within this share.
    pub(crate) fn unfinished(&mut self, index: usize, why: impl Into<String>, spent: Statistics) {
        let outcome = PropertyOutcome::new(&self.name(index), Verdict::Unknown, why, spent);
        self.standing[index] = Standing::Open(Some(outcome));
    }

    /// Confirms a run that violates what is asked, or another goal in its place.
    fn confirmed(
        &mut self,
        index: usize,
        goal: Option<&Goal>,
        run: Run,
    ) -> Result<TraceOutcome, UsageError> {
        let Asked::Specified(number) = self.asked[index] else { return Err(internal()) };
        let mut specification = self.relation.specifications[number].clone();
        if let Some(goal) = goal {
            specification.goal = goal.clone();
        }
        let shown = violation(self.relation, &self.model.network.sources, &run, &specification);
        let shown = shown
            .map_err(|error| crate::check::internal(&specification.name, &error.to_string()))?;
        self.runs.push((number, run));
        Ok(shown)
    }

    fn finish(self, reason: &str) -> Checked {
        let names: Vec<String> = (0..self.asked.len()).map(|index| self.name(index)).collect();
        let unfinished = |name: &String| {
            PropertyOutcome::new(name, Verdict::Unknown, reason, Statistics::default())
        };
        let results = self.standing.into_iter().zip(&names);
        let results = results.map(|(one, name)| one.outcome().unwrap_or_else(|| unfinished(name)));
        let outcome = CheckOutcome {
            model: self.model.network.name.clone(),
            command: String::new(),
            seed: self.options.seed,
            plan: self.plan,
            notices: nothing_asked(self.relation, &self.asked).into_iter().collect(),
            results: results.collect(),
            statistics: self.total,
            compile_seconds: 0.0,
        };
        Checked { outcome, traces: Vec::new(), planned: Vec::new(), runs: self.runs }
    }
}

/// What to tell where there is nothing to answer.
fn nothing_asked(relation: &Relation, asked: &[Asked]) -> Option<String> {
    let hint = "`--property deadlock` looks for a state without successor";
    match (asked.is_empty(), relation.specifications.is_empty()) {
        (false, _) => None,
        (true, true) => Some(format!("the file specifies nothing to check; {hint}")),
        (true, false) => Some(format!("everything the file specifies was left out; {hint}")),
    }
}

/// Why a run that was found can be relied on.
const CONFIRMED: &str = "found, and confirmed by the reference interpreter";

fn internal() -> UsageError {
    UsageError::Internal("a run of a model of hardware that was found is none".into())
}

/// The kind of a specification, for sentences.
fn kind(goal: &Goal) -> &'static str {
    match goal {
        Goal::Invariant(_) => "invariants",
        Goal::Ltl(_) => "LTL formulas",
        Goal::Justice(_) => "justice properties",
        Goal::Ctl(_) => "CTL formulas",
        Goal::Distance { .. } => "distances",
        Goal::Unsupported(_) => "this",
    }
}
