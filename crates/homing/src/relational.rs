//! Models of hardware, state by state.
//!
//! What is checked is what the file specifies, one answer each, and nothing else unless asked
//! for (`--property deadlock`). Invariants share a search, breadth-first if nothing else is
//! asked for; justice properties are searched for lassos in a product with an automaton of
//! the fair runs. What was found is confirmed by the reference interpreter of relations.
//!
//! Estimates, passes, reductions and symmetry are made from processes, and not available here.

use std::collections::BTreeSet;
use std::time::Instant;

use homing_core::{Progress, Space, StopReason, Word};
use homing_ir::relation::{Goal, Kind, Relation, Run, Specification, TermId, VariableId};
use homing_ir::temporal::{Connective, Formula};
use homing_report::Verdict;
use homing_report::outcome::{
    CheckOutcome, Plan as Shown, PropertyOutcome, Statistics, StatsOutcome,
};
use homing_search::{Context, Guide, Outcome, Path, Task};
use homing_space::{Condition, Product, RelationSpace, TooLarge, Trouble};
use homing_store::Making;
use homing_witness::outcome::TraceOutcome;
use homing_witness::relational::{ending, violation};

mod asked;

use self::asked::{Asked, DEADLOCK, asked, chosen};
use crate::check::Checked;
use crate::load::Model;
use crate::options::Options;
use crate::run::{
    Configuration, Hooks, Runner, UsageError, cut, during, peak, stop_reason, store_config,
};
use crate::stats::lossy;

/// How many invariants share a search.
const TOGETHER: usize = 64;

/// Checks what a file specifies.
pub(crate) fn check(
    model: &Model,
    relation: &Relation,
    options: &Options,
    hooks: Hooks,
) -> Result<Checked, UsageError> {
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    let asked = asked(relation, options)?;
    let parts = chosen(model, options, "breadth")?;
    let runner = Runner::new(hooks, options.limits.clone());
    let mut checking = Checking {
        model,
        relation,
        options,
        runner,
        total: Statistics::default(),
        results: asked.iter().map(|_| None).collect(),
        runs: Vec::new(),
    };
    let done = during(&budget, || checking.all(&asked, &parts));
    let reason = match done {
        Ok(Ok(())) => String::new(),
        Ok(Err(UsageError::Stopped(reason))) => reason,
        Ok(Err(error)) => return Err(error),
        Err(stopped) => cut(stopped),
    };
    Ok(checking.finish(&asked, &parts, &reason))
}

/// What one search came to.
struct Ran {
    outcome: Outcome,
    seconds: f64,
    coverage: Option<f64>,
    bytes: usize,
}

/// Runs one search.
fn run(runner: &Runner, parts: &Configuration, task: &Task) -> Result<Ran, UsageError> {
    let sentence = UsageError::Sentence;
    let started = Instant::now();
    let config = store_config(task.space, runner.limits());
    let mut stores = Making::new(config, parts.store().clone()).map_err(sentence)?;
    let guide = Guide::default();
    let watch = &mut runner.watch(None);
    let mut outcome =
        parts.strategy.algorithm.run(Context { task, stores: &mut stores, guide: &guide, watch });
    let store = stores.last();
    runner.name_the_limit(&mut outcome, store);
    Ok(Ran {
        seconds: started.elapsed().as_secs_f64(),
        coverage: store.filter(|store| !store.is_exact()).map(|store| store.coverage()),
        bytes: store.map_or(0, |store| store.bytes()),
        outcome,
    })
}

struct Checking<'c> {
    model: &'c Model,
    relation: &'c Relation,
    options: &'c Options,
    runner: Runner,
    total: Statistics,
    results: Vec<Option<PropertyOutcome>>,
    runs: Vec<(usize, Run)>,
}

impl Checking<'_> {
    fn all(&mut self, asked: &[Asked], parts: &Configuration) -> Result<(), UsageError> {
        let specifications = &self.relation.specifications;
        let mut invariants: Vec<(usize, TermId)> = Vec::new();
        for (index, one) in asked.iter().enumerate() {
            if let Asked::Specified(number) = one
                && let Goal::Invariant(term) = specifications[*number].goal
            {
                invariants.push((index, term));
            }
        }
        for together in invariants.chunks(TOGETHER) {
            self.invariants(asked, together, parts)?;
        }
        for (index, one) in asked.iter().enumerate() {
            match one {
                Asked::Deadlock => self.deadlock(index, parts)?,
                Asked::Specified(number) => self.other(index, &specifications[*number])?,
            }
        }
        Ok(())
    }

    /// Searches for states in which invariants are false.
    fn invariants(
        &mut self,
        asked: &[Asked],
        together: &[(usize, TermId)],
        parts: &Configuration,
    ) -> Result<(), UsageError> {
        let conditions: Vec<Condition> =
            together.iter().map(|(_, term)| Condition::Violates(*term)).collect();
        let space = match RelationSpace::new(self.relation, &conditions, &[]) {
            Ok(space) => space,
            Err(TooLarge(what)) => {
                together
                    .iter()
                    .for_each(|(index, _)| self.unknown(*index, asked, too_large(&what)));
                return Ok(());
            }
        };
        let mask = u64::MAX >> (64 - together.len());
        let task = Task { conditions: mask, ..Task::explore(&space) };
        let ran = run(&self.runner, parts, &task)?;
        let statistics = self.spent(&ran);
        for (bit, (index, _)) in together.iter().enumerate() {
            let finding = ran.outcome.findings.conditions.get(bit).and_then(Option::as_ref);
            let name = self.name(asked[*index]);
            let outcome = match finding {
                None => self.not_found(&name, &ran, &space, statistics),
                Some(finding) => {
                    let found = moments(&space, &finding.path, Some(bit));
                    let shown = self.violated(asked[*index], found)?;
                    PropertyOutcome {
                        optimal: ran.outcome.optimal,
                        trace: Some(shown),
                        ..PropertyOutcome::new(&name, Verdict::Violated, CONFIRMED, statistics)
                    }
                }
            };
            self.results[*index] = Some(outcome);
        }
        Ok(())
    }

    fn deadlock(&mut self, index: usize, parts: &Configuration) -> Result<(), UsageError> {
        let space = match RelationSpace::new(self.relation, &[], &[]) {
            Ok(space) => space,
            Err(TooLarge(what)) => {
                self.unknown(index, &[], too_large(&what));
                return Ok(());
            }
        };
        let task = Task { deadlock: true, ..Task::explore(&space) };
        let ran = run(&self.runner, parts, &task)?;
        let statistics = self.spent(&ran);
        let outcome = match (&ran.outcome.findings.deadlock, space.trouble()) {
            (Some(finding), None) => {
                let found = moments(&space, &finding.path, None);
                let run = found.ok_or_else(internal)?;
                let shown = ending(self.relation, &run).map_err(|_| internal())?;
                PropertyOutcome {
                    optimal: ran.outcome.optimal,
                    trace: Some(shown),
                    ..PropertyOutcome::new(DEADLOCK, Verdict::Violated, CONFIRMED, statistics)
                }
            }
            _ => self.not_found(DEADLOCK, &ran, &space, statistics),
        };
        self.results[index] = Some(outcome);
        Ok(())
    }

    /// What is no invariant.
    fn other(&mut self, index: usize, one: &Specification) -> Result<(), UsageError> {
        match &one.goal {
            Goal::Invariant(_) => {}
            Goal::Justice(conditions) if !conditions.is_empty() => {
                self.justice(index, one, conditions)?;
            }
            Goal::Justice(_) => self.unknown_named(index, &one.name, "it has no condition".into()),
            Goal::Unsupported(why) => self.unknown_named(index, &one.name, why.clone()),
            Goal::Ctl(_) | Goal::Ltl(_) | Goal::Distance { .. } => {
                let why = "the explicit engine does not answer this kind of specification";
                self.unknown_named(index, &one.name, why.into());
            }
        }
        Ok(())
    }

    /// Searches for a fair run on which all conditions hold again and again.
    fn justice(
        &mut self,
        index: usize,
        one: &Specification,
        conditions: &[TermId],
    ) -> Result<(), UsageError> {
        let relation = self.relation;
        let formula = fair(relation, conditions);
        let translation = homing_omega::translate(&formula);
        let translation = translation.map_err(|error| UsageError::Sentence(error.to_string()))?;
        let atoms: Vec<Condition> =
            translation.atoms.iter().map(|term| Condition::Holds(*term)).collect();
        let support = relation.terms.support(translation.atoms.iter().copied());
        let is_input = |id: &VariableId| relation.variable(*id).kind == Kind::Input;
        let remembered: BTreeSet<VariableId> =
            support.current.into_iter().filter(is_input).collect();
        let remembered: Vec<VariableId> = remembered.into_iter().collect();
        let space = match RelationSpace::new(relation, &atoms, &remembered) {
            Ok(space) => space,
            Err(TooLarge(what)) => {
                self.unknown_named(index, &one.name, too_large(&what));
                return Ok(());
            }
        };
        let product = Product::new(&space, &translation.automaton).without_stuttering();
        let parts =
            chosen(self.model, &Options { strategy: None, ..self.options.clone() }, LASSOS)?;
        let task = Task { lasso: true, ..Task::explore(&product) };
        let ran = run(&self.runner, &parts, &task)?;
        let statistics = self.spent(&ran);
        let lasso = ran.outcome.findings.lasso.as_ref();
        let outcome = match lasso.and_then(|lasso| lasso.back.map(|back| (lasso, back))) {
            None => self.not_found(&one.name, &ran, &space, statistics),
            Some((lasso, back)) => {
                let found = rounds(&space, &lasso.path, back);
                let number =
                    relation.specifications.iter().position(|other| std::ptr::eq(other, one));
                let asked = number.map(Asked::Specified).ok_or_else(internal)?;
                let shown = self.violated(asked, found)?;
                PropertyOutcome {
                    trace: Some(shown),
                    ..PropertyOutcome::new(&one.name, Verdict::Violated, CONFIRMED, statistics)
                }
            }
        };
        self.results[index] = Some(outcome);
        Ok(())
    }

    /// Confirms what was found.
    fn violated(&mut self, asked: Asked, run: Option<Run>) -> Result<TraceOutcome, UsageError> {
        let Asked::Specified(number) = asked else { return Err(internal()) };
        let run = run.ok_or_else(internal)?;
        let specification = &self.relation.specifications[number];
        let sources = &self.model.network.sources;
        let shown = violation(self.relation, sources, &run, specification);
        let shown = shown
            .map_err(|error| crate::check::internal(&specification.name, &error.to_string()))?;
        self.runs.push((number, run));
        Ok(shown)
    }

    fn not_found(
        &self,
        name: &str,
        ran: &Ran,
        space: &RelationSpace,
        statistics: Statistics,
    ) -> PropertyOutcome {
        let reason = match (ran.outcome.stopped, space.trouble(), ran.coverage) {
            (Some(stopped), ..) => stop_reason(stopped, &self.options.limits),
            (None, Some(trouble), _) => self.why(trouble),
            (None, None, Some(coverage)) => lossy(coverage),
            (None, None, None) => {
                let why = "all reachable states were searched";
                return PropertyOutcome::new(name, Verdict::Holds, why, statistics);
            }
        };
        PropertyOutcome::new(name, Verdict::Unknown, reason, statistics)
    }

    fn why(&self, trouble: Trouble) -> String {
        why(self.model, self.relation, trouble)
    }

    fn name(&self, asked: Asked) -> String {
        match asked {
            Asked::Deadlock => DEADLOCK.into(),
            Asked::Specified(number) => self.relation.specifications[number].name.clone(),
        }
    }

    fn unknown(&mut self, index: usize, asked: &[Asked], why: String) {
        let name = asked.get(index).map_or(DEADLOCK.into(), |one| self.name(*one));
        self.unknown_named(index, &name, why);
    }

    fn unknown_named(&mut self, index: usize, name: &str, why: String) {
        let outcome = PropertyOutcome::new(name, Verdict::Unknown, why, Statistics::default());
        self.results[index] = Some(outcome);
    }

    fn spent(&mut self, ran: &Ran) -> Statistics {
        let statistics = statistics(&ran.outcome.statistics.progress, ran.seconds);
        self.total += statistics;
        statistics
    }

    fn finish(self, asked: &[Asked], parts: &Configuration, reason: &str) -> Checked {
        let names: Vec<String> = asked.iter().map(|one| self.name(*one)).collect();
        let unfinished = |name: &String| {
            PropertyOutcome::new(name, Verdict::Unknown, reason, Statistics::default())
        };
        let results = self.results.into_iter().zip(&names);
        let outcome = CheckOutcome {
            model: self.model.network.name.clone(),
            command: String::new(),
            seed: parts.seed(),
            plan: shown(parts),
            notices: Vec::new(),
            results: results.map(|(one, name)| one.unwrap_or_else(|| unfinished(name))).collect(),
            statistics: self.total,
            compile_seconds: 0.0,
        };
        Checked { outcome, traces: Vec::new(), planned: Vec::new(), runs: self.runs }
    }
}

/// The strategy that looks for runs without an end.
const LASSOS: &str = "couvreur";

/// Why a run that was found can be relied on.
const CONFIRMED: &str = "found, and confirmed by the reference interpreter";

fn internal() -> UsageError {
    UsageError::Internal("a run of a model of hardware that was found is none".into())
}

fn too_large(what: &str) -> String {
    format!("the model has {what}: too large to be searched state by state")
}

fn why(model: &Model, relation: &Relation, trouble: Trouble) -> String {
    match trouble {
        Trouble::Choices => {
            "some state has too many inputs or choices to be tried one by one".into()
        }
        Trouble::Failed(kind, term) => {
            let sources = &model.network.sources;
            let span = relation.terms.span(term);
            let place = sources.position(span);
            let file = &sources.get(span.source).name;
            format!("{} at {file}:{}:{}", kind.message(), place.line, place.column)
        }
    }
}

fn shown(parts: &Configuration) -> Shown {
    let strategy = parts.strategy.call.to_string();
    Shown { strategy, store: parts.store().to_string(), ..Shown::default() }
}

fn statistics(progress: &Progress, seconds: f64) -> Statistics {
    Statistics {
        stored: progress.stored,
        expanded: progress.expanded,
        generated: progress.generated,
        work: progress.generated,
        seconds,
        peak_bytes: peak(progress),
        queues: None,
    }
}

/// The runs that are fair and on which all of these hold again and again.
fn fair(relation: &Relation, conditions: &[TermId]) -> Formula<TermId> {
    let again = |term: &TermId| {
        let finally = Formula::Finally(Box::new(Formula::Atom(*term)));
        Formula::Globally(Box::new(finally))
    };
    let justice = conditions.iter().chain(&relation.justice).map(again);
    let compassion = relation
        .compassion
        .iter()
        .map(|(asked, granted)| Formula::binary(Connective::Implies, again(asked), again(granted)));
    let and = |a, b| Formula::binary(Connective::And, a, b);
    justice.chain(compassion).reduce(and).unwrap_or(Formula::Constant(true))
}

/// The moments along a path. In the last one inputs meet a condition, where one is given.
fn moments(space: &RelationSpace, path: &Path, condition: Option<usize>) -> Option<Run> {
    let mut moments = Vec::with_capacity(path.len() + 1);
    for at in 0..path.len() {
        moments.push(space.moment(path.state(at), Some(path.state(at + 1)), None)?);
    }
    let last = path.state(path.len());
    moments.push(match condition {
        Some(_) => space.moment(last, None, condition)?,
        None => space.admitted(last)?,
    });
    Some(Run { moments, back: None })
}

/// The moments along a path that closes.
fn rounds(space: &RelationSpace, path: &Path, back: usize) -> Option<Run> {
    let inner = |at: usize| -> &[Word] { &path.state(at)[..space.width()] };
    let moments = (0..path.len()).map(|at| space.moment(inner(at), Some(inner(at + 1)), None));
    Some(Run { moments: moments.collect::<Option<_>>()?, back: Some(back) })
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
    during(&budget, || counted(model, relation, options, hooks))?
}

fn counted(
    model: &Model,
    relation: &Relation,
    options: &Options,
    hooks: Hooks,
) -> Result<StatsOutcome, UsageError> {
    let parts = chosen(model, options, "breadth")?;
    let started = Instant::now();
    let space = RelationSpace::new(relation, &[], &[])
        .map_err(|TooLarge(what)| UsageError::Sentence(too_large(&what)))?;
    let prepared = started.elapsed();
    let runner = Runner::new(hooks, options.limits.clone());
    let ran = run(&runner, &parts, &Task::explore(&space))?;
    let statistics = &ran.outcome.statistics;
    let states = statistics.progress.stored;
    let trouble = space.trouble();
    let stopped: Option<StopReason> = ran.outcome.stopped;
    let reason = match (stopped, trouble, ran.coverage) {
        (Some(stopped), ..) => stop_reason(stopped, &options.limits),
        (None, Some(trouble), _) => why(model, relation, trouble),
        (None, None, Some(coverage)) => lossy(coverage),
        (None, None, None) => "all reachable states were explored".into(),
    };
    Ok(StatsOutcome {
        model: model.network.name.clone(),
        command: String::new(),
        plan: shown(&parts),
        states,
        transitions: statistics.progress.generated,
        deadlocks: statistics.deadlocks,
        levels: u64::from(statistics.levels),
        errors: statistics.faults,
        violations: statistics.counted,
        state_bits: space.bits(),
        state_words: space.width() as u64,
        bytes_per_state: ran.bytes as f64 / states.max(1) as f64,
        peak_bytes: peak(&statistics.progress),
        seconds: ran.seconds,
        compile_seconds: prepared.as_secs_f64(),
        complete: stopped.is_none() && ran.coverage.is_none() && trouble.is_none(),
        reason,
    })
}
