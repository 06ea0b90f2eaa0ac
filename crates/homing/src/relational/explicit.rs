//! Relations, state by state.
//!
//! Invariants share a search, breadth-first if nothing else is asked for; justice properties
//! are searched for lassos in a product with an automaton of the fair runs.

use std::collections::BTreeSet;
use std::time::Instant;

use homing_core::{Space, StopReason, Word};
use homing_ir::Span;
use homing_ir::relation::{Goal, Kind, Relation, Run, TermId, VariableId};
use homing_ir::temporal::{Connective, Formula};
use homing_report::outcome::{Plan as Shown, Statistics, StatsOutcome};
use homing_search::{Context, Guide, Outcome, Path, Task};
use homing_space::{Condition, Product, RelationSpace, TooLarge, Trouble};
use homing_store::Making;

use super::asked::{LASSOS, chosen};
use super::{Answering, Asked, Checking, internal};
use crate::load::Model;
use crate::options::Options;
use crate::run::{Configuration, Hooks, Runner, UsageError, peak, stop_reason, store_config};
use crate::stats::lossy;

/// The explicit engine on relations.
pub(crate) const EXPLICIT: Answering = Answering {
    answers: |relation, asked| match asked {
        Asked::Deadlock => true,
        Asked::Specified(number) => match &relation.specifications[number].goal {
            Goal::Invariant(_) => true,
            Goal::Justice(conditions) => !conditions.is_empty(),
            _ => false,
        },
    },
    takes: |strategy| homing_search::STRATEGIES.iter().any(|row| row.name == strategy),
    answer,
    stats: Some(counted),
};

/// How many invariants share a search.
const TOGETHER: usize = 64;

fn answer(
    checking: &mut Checking,
    positions: &[usize],
    share: Option<u64>,
) -> Result<(), UsageError> {
    let mut invariants: Vec<(usize, TermId)> = Vec::new();
    let mut others = Vec::new();
    for &index in positions {
        match checking.specification(index).map(|one| &one.goal) {
            Some(Goal::Invariant(term)) => invariants.push((index, *term)),
            Some(Goal::Justice(conditions)) => others.push((index, Some(conditions.clone()))),
            _ => others.push((index, None)),
        }
    }
    let parts = chosen(checking.model, checking.options, "breadth")?;
    for together in invariants.chunks(TOGETHER) {
        invariants_of(checking, together, &parts, share)?;
    }
    for (index, conditions) in others {
        match conditions {
            Some(conditions) => justice(checking, index, &conditions, share)?,
            None => deadlock(checking, index, &parts, share)?,
        }
    }
    Ok(())
}

/// What one search came to.
struct Ran {
    outcome: Outcome,
    seconds: f64,
    coverage: Option<f64>,
    bytes: usize,
    statistics: Statistics,
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
        statistics: Statistics::default(),
        outcome,
    })
}

/// Searches for states in which invariants are false.
fn invariants_of(
    checking: &mut Checking,
    together: &[(usize, TermId)],
    parts: &Configuration,
    share: Option<u64>,
) -> Result<(), UsageError> {
    let conditions: Vec<Condition> =
        together.iter().map(|(_, term)| Condition::Violates(*term)).collect();
    let space = match RelationSpace::new(checking.relation, &conditions, &[]) {
        Ok(space) => space,
        Err(too_large) => {
            let mut give_up = |index| refuse(checking, index, &too_large);
            together.iter().for_each(|(index, _)| give_up(*index));
            return Ok(());
        }
    };
    let mask = u64::MAX >> (64 - together.len());
    let task = Task { conditions: mask, ..Task::explore(&space) };
    let ran = searched(checking, parts, &task, share)?;
    for (bit, (index, _)) in together.iter().enumerate() {
        match ran.outcome.findings.conditions.get(bit).and_then(Option::as_ref) {
            None => not_found(checking, *index, &ran, &space, share),
            Some(finding) => {
                let run = moments(&space, &finding.path, Some(bit)).ok_or_else(internal)?;
                checking.violated(*index, run, ran.outcome.optimal, ran.statistics)?;
            }
        }
    }
    Ok(())
}

fn deadlock(
    checking: &mut Checking,
    index: usize,
    parts: &Configuration,
    share: Option<u64>,
) -> Result<(), UsageError> {
    let space = match RelationSpace::new(checking.relation, &[], &[]) {
        Ok(space) => space,
        Err(too_large) => {
            refuse(checking, index, &too_large);
            return Ok(());
        }
    };
    let task = Task { deadlock: true, ..Task::explore(&space) };
    let ran = searched(checking, parts, &task, share)?;
    match (&ran.outcome.findings.deadlock, space.trouble()) {
        (Some(finding), None) => {
            let run = moments(&space, &finding.path, None).ok_or_else(internal)?;
            checking.deadlocked(index, &run, ran.outcome.optimal, ran.statistics)?;
        }
        _ => not_found(checking, index, &ran, &space, share),
    }
    Ok(())
}

/// Searches for a fair run on which all conditions hold again and again.
fn justice(
    checking: &mut Checking,
    index: usize,
    conditions: &[TermId],
    share: Option<u64>,
) -> Result<(), UsageError> {
    let relation = checking.relation;
    let formula = fair(relation, conditions);
    let translation = homing_omega::translate(&formula);
    let translation = translation.map_err(|error| UsageError::Sentence(error.to_string()))?;
    let atoms: Vec<Condition> =
        translation.atoms.iter().map(|term| Condition::Holds(*term)).collect();
    let support = relation.terms.support(translation.atoms.iter().copied());
    let is_input = |id: &VariableId| relation.variable(*id).kind == Kind::Input;
    let remembered: BTreeSet<VariableId> = support.current.into_iter().filter(is_input).collect();
    let remembered: Vec<VariableId> = remembered.into_iter().collect();
    let space = match RelationSpace::new(relation, &atoms, &remembered) {
        Ok(space) => space,
        Err(too_large) => {
            refuse(checking, index, &too_large);
            return Ok(());
        }
    };
    let product = Product::new(&space, &translation.automaton).without_stuttering();
    let options = Options { strategy: None, ..checking.options.clone() };
    let parts = chosen(checking.model, &options, LASSOS)?;
    let task = Task { lasso: true, ..Task::explore(&product) };
    let ran = searched(checking, &parts, &task, share)?;
    let lasso = ran.outcome.findings.lasso.as_ref();
    match lasso.and_then(|lasso| lasso.back.map(|back| (lasso, back))) {
        None => not_found(checking, index, &ran, &space, share),
        Some((lasso, back)) => {
            let run = rounds(&space, &lasso.path, back).ok_or_else(internal)?;
            checking.violated(index, run, false, ran.statistics)?;
        }
    }
    Ok(())
}

/// Runs a search within a share, and counts it.
fn searched(
    checking: &mut Checking,
    parts: &Configuration,
    task: &Task,
    share: Option<u64>,
) -> Result<Ran, UsageError> {
    let asked = checking.options.limits.expansions;
    let expansions = [share, asked].into_iter().flatten().min();
    let runner = checking.runner.bounded(None, expansions);
    let mut ran = run(&runner, parts, task)?;
    ran.statistics = checking.spent(&ran.outcome.statistics.progress, ran.seconds);
    let (strategy, store) = (parts.strategy.call.to_string(), parts.store().to_string());
    checking.planned(&strategy, &store, None);
    Ok(ran)
}

fn not_found(
    checking: &mut Checking,
    index: usize,
    ran: &Ran,
    space: &RelationSpace,
    share: Option<u64>,
) {
    let all = &checking.options.limits;
    let only_share = ran.outcome.stopped == Some(StopReason::Expansions)
        && share.is_some_and(|share| all.expansions.is_none_or(|most| share < most));
    let reason = match (ran.outcome.stopped, space.trouble(), ran.coverage) {
        (Some(stopped), ..) => stop_reason(stopped, all),
        (None, Some(trouble), _) => why(checking.model, checking.relation, trouble),
        (None, None, Some(coverage)) => lossy(coverage),
        (None, None, None) => {
            let why = "all reachable states were searched";
            return checking.holds(index, why, ran.statistics);
        }
    };
    match only_share {
        true => checking.unfinished(index, reason, ran.statistics),
        false => checking.unknown(index, reason, ran.statistics),
    }
}

fn refuse(checking: &mut Checking, index: usize, TooLarge(what): &TooLarge) {
    checking.unknown(index, too_large(what), Statistics::default());
}

fn too_large(what: &str) -> String {
    format!("the model has {what}: too large to be searched state by state")
}

fn why(model: &Model, relation: &Relation, trouble: Trouble) -> String {
    match trouble {
        Trouble::Choices => {
            "some state has too many inputs or choices to be tried one by one".into()
        }
        Trouble::Failed(kind, term) => at(model, kind.message(), relation.terms.span(term)),
    }
}

/// A message with its place.
pub(super) fn at(model: &Model, message: &str, span: Span) -> String {
    let sources = &model.network.sources;
    let place = sources.position(span);
    let file = &sources.get(span.source).name;
    format!("{message} at {file}:{}:{}", place.line, place.column)
}

fn shown(parts: &Configuration) -> Shown {
    let strategy = parts.strategy.call.to_string();
    Shown { strategy, store: parts.store().to_string(), ..Shown::default() }
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
