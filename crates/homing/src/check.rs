//! Checking properties.
//!
//! Properties are gathered into searches: deadlocks, run-time errors and
//! assertions share one; goals share one where slicing makes the same system
//! for them, and have one of their own where the search is directed at them.
//! Properties of whole runs have one of their own, see `temporal`.

mod cut;
mod extremes;
mod found;
mod lasting;
mod lighter;
mod queries;
mod shares;
mod temporal;
mod turns;
mod unbounded;
mod verdicts;

use std::rc::Rc;
use std::time::{Duration, Instant};

use homing_core::{Pricing, Progress, StopReason};
use homing_guide::Target;
use homing_ir::flatten::Wanted;
use homing_ir::interp::Interpreter;
use homing_ir::passes::Passes;
use homing_ir::{Network, Trace};
use homing_report::outcome::{
    CheckOutcome, Plan, PropertyOutcome, Queues, Statistics, TraceOutcome, Verdict,
};
use homing_report::why::explained;
use homing_search::{Finding, Task};
use homing_space::CompiledSpace;
use homing_space::reduction::Asked;

use self::cut::without_assertions;
use self::shares::{Turn, is_known};
use self::verdicts::{exhausted, not_searched};
use crate::different::{Looking, different};
use crate::load::Model;
use crate::minimise::{Minimise, Prices, prepare};
use crate::options::Options;
use crate::properties::{
    Kind, Property, asserts_in_effects, failed_assertion, failed_step, own_expressions, wanted,
};
use crate::run::{
    Aim, Hooks, Parts, Ran, Runner, UsageError, cut, during, peak, refused, stop_reason,
};
use crate::searched::Searched;
use crate::stats::lossy;
use crate::times::scheduled;
use crate::{fastest, symmetric};

/// What a check found, with the traces it found it by.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What was found.
    pub outcome: CheckOutcome,
    /// For every violated property, its name and the trace; where different
    /// ones were asked for, all of them.
    pub traces: Vec<(String, Trace)>,
}

/// Checks the properties of a model that the options ask for.
pub fn check(model: &Model, options: &Options, hooks: Hooks) -> Result<Checked, UsageError> {
    if fastest::asked(model, options) {
        return fastest::fastest(model, options, hooks);
    }
    let (budget, board) = (hooks.budget.clone(), hooks.board.clone());
    budget.limit(options.limits.time, options.limits.memory);
    let (properties, mut check) = during(&budget, || {
        let check = Check::new(model, options, hooks)?;
        Ok::<_, UsageError>((wanted(model, options)?, check))
    })??;
    let mut results: Vec<Option<Answer>> = vec![None; properties.len()];
    let post =
        |check: &Check, results: &[Option<Answer>]| board.write(check.known(&properties, results));
    post(&check, &results);
    let done = during(&budget, || {
        check.notices.extend(symmetric::not_used(options, &properties));
        check.answer_all(&properties, &mut results, &post)
    });
    match done {
        Ok(Err(UsageError::Stopped(reason))) => check.ended_early(&reason, &results),
        Ok(done) => done?,
        Err(stopped) => check.ended_early(&cut(stopped), &results),
    }
    Ok(check.finish(properties, results))
}

/// A verdict, and the run that shows it.
type Answer = (PropertyOutcome, Option<Trace>);

/// Properties that are looked for together.
struct Search {
    /// Positions in the list of properties, with the bit of each condition.
    members: Vec<(usize, Option<usize>)>,
    conditions: Vec<Wanted>,
    /// More conditions, whose values an estimate is made of.
    values: Vec<Wanted>,
    passes: Passes,
    aim: Aim,
    /// Whether assertions are asked for.
    asserts: bool,
    /// The condition that a step failed by an assertion, where nothing lies behind it.
    trap: Option<usize>,
    /// The first property.
    key: usize,
}

/// The reason of a verdict that is still looked for: nothing. Whoever ends the search
/// gives one ([`Board::read`](crate::Board::read)).
const OPEN: &str = "";

/// Positions in the list of properties, with why there is no search for them.
type Unsearched = Vec<(usize, String)>;

impl Search {
    fn new(passes: Passes) -> Search {
        let (members, conditions, values) = (Vec::new(), Vec::new(), Vec::new());
        let (aim, asserts, trap) = (Aim::default(), false, None);
        Search { members, conditions, values, passes, aim, asserts, trap, key: 0 }
    }

    /// Adds a property, with the bit of its condition.
    fn add(&mut self, index: usize, bit: Option<usize>) {
        if self.members.is_empty() {
            self.key = index;
        }
        self.members.push((index, bit));
    }

    /// The conditions of what has no answer yet.
    fn open(&self, results: &[Option<Answer>]) -> u64 {
        let open = self.members.iter().filter(|(index, _)| !is_known(&results[*index]));
        open.filter_map(|(_, bit)| *bit).chain(self.trap).fold(0, |all, bit| all | 1 << bit)
    }
}

struct Check<'a> {
    model: &'a Model,
    options: &'a Options,
    parts: Parts,
    passes: Passes,
    runner: Runner,
    minimise: Option<Rc<Minimise>>,
    interpreter: Interpreter<'a>,
    total: Statistics,
    compile_seconds: f64,
    notices: Vec<String>,
    phases: Vec<String>,
    /// By property, other traces than the first.
    others: Vec<(usize, Vec<Trace>)>,
    unsearched: Unsearched,
    /// The model without assertions that fail, where that is another.
    without_assertions: Option<Network>,
    /// Whether some step was met that fails.
    failing: bool,
    /// Properties whose verdicts rest on dead ends of an estimate.
    estimated: Vec<usize>,
    turn: Turn,
    /// Searches, by their first property, of which it is known that reducing them does
    /// not pay.
    unreduced: Vec<usize>,
    /// Searches in which no symmetry worth its while was found.
    asymmetric: Vec<usize>,
    /// What was compiled, by the first property of its search, for the turns to come.
    compiled: Vec<(usize, Rc<CompiledSpace>)>,
    /// How many searches were made for one greatest or least value; runs of these
    /// are not shortened.
    probes: u64,
}

impl<'a> Check<'a> {
    fn new(model: &'a Model, options: &'a Options, hooks: Hooks) -> Result<Self, UsageError> {
        let interpreter = Interpreter::new(&model.network).map_err(|diagnostics| {
            let sources = model.network.sources.clone();
            UsageError::Diagnostics { sources, diagnostics }
        })?;
        let (minimise, parts, limits) = prepare(model, options)?;
        symmetric::refuse(options, &parts)?;
        let passes = options.passes.apply(Passes::ALL)?;
        Ok(Check {
            model,
            options,
            parts,
            passes: minimise.as_ref().map_or(passes, |minimise| minimise.passes(passes)),
            runner: Runner::new(hooks, limits),
            interpreter,
            total: Statistics::default(),
            compile_seconds: 0.0,
            notices: minimise.as_ref().map_or(Vec::new(), |one| one.notices().to_vec()),
            minimise,
            phases: Vec::new(),
            others: Vec::new(),
            unsearched: Vec::new(),
            without_assertions: without_assertions(model),
            failing: false,
            estimated: Vec::new(),
            turn: Turn::default(),
            unreduced: Vec::new(),
            asymmetric: Vec::new(),
            compiled: Vec::new(),
            probes: 0,
        })
    }

    /// Gathers properties into searches.
    fn searches(&self, properties: &[Property]) -> Result<Vec<Search>, UsageError> {
        if self.parts.strategy.is_directed() {
            return self.directed(properties);
        }
        let unsliced = Passes { slice: false, ..self.passes };
        let mut general = Search::new(unsliced);
        let mut goals: Vec<(Search, String)> = Vec::new();
        for (index, property) in properties.iter().enumerate() {
            match &property.kind {
                Kind::Goal(expr, _) | Kind::Reachable(expr, _) => {
                    self.add_goal(&mut goals, index, Wanted::goal(expr.clone()))?;
                }
                Kind::Assertions => {
                    let condition = failed_assertion(&self.model.network);
                    let bit = condition.is_some().then_some(general.conditions.len());
                    general.conditions.extend(condition);
                    general.add(index, bit);
                    general.asserts = true;
                }
                Kind::Deadlock | Kind::Errors => general.add(index, None),
                Kind::Query(_) | Kind::Temporal(_) | Kind::Unreadable(_) => {}
            }
        }
        // Steps that fail by an assertion are none of the errors, but may cut something off.
        if asserts_in_effects(&self.model.network) && !self.model.language.goes_on {
            general.trap = Some(general.conditions.len());
            general.conditions.push(failed_step());
        }
        let mut searches: Vec<Search> = goals.into_iter().map(|(search, _)| search).collect();
        if !general.members.is_empty() {
            searches.push(general);
        }
        Ok(searches)
    }

    /// A directed search has one target.
    fn directed(&self, properties: &[Property]) -> Result<Vec<Search>, UsageError> {
        let expressions = own_expressions(self.model, &self.parts.expressions)?;
        let mut searches = Vec::new();
        for (index, property) in properties.iter().enumerate() {
            let aimed = aimed_at(&self.model.network, property, self.passes)?;
            let Some((condition, target, passes)) = aimed else { continue };
            let mut search = Search::new(passes);
            search.add(index, condition.is_some().then_some(0));
            search.conditions.extend(condition);
            let first = search.conditions.len();
            let texts = self.parts.expressions.iter().enumerate();
            search.aim.expressions = texts.map(|(i, text)| (text.clone(), first + i)).collect();
            search.aim.target = Some(target);
            search.values.clone_from(&expressions);
            search.asserts = matches!(property.kind, Kind::Assertions);
            searches.push(search);
        }
        Ok(searches)
    }

    /// Adds a goal to the search whose sliced system is the same, or to one of
    /// its own.
    fn add_goal(
        &self,
        goals: &mut Vec<(Search, String)>,
        index: usize,
        wanted: Wanted,
    ) -> Result<(), UsageError> {
        let signature = self.signature(&wanted)?;
        let same = goals
            .iter_mut()
            .find(|(search, known)| *known == signature && search.conditions.len() < 64);
        match same {
            Some((search, _)) => {
                search.add(index, Some(search.conditions.len()));
                search.conditions.push(wanted);
            }
            None => {
                let mut search = Search::new(self.passes);
                search.add(index, Some(0));
                search.conditions.push(wanted);
                goals.push((search, signature));
            }
        }
        Ok(())
    }

    /// What slicing leaves for a goal.
    fn signature(&self, wanted: &Wanted) -> Result<String, UsageError> {
        let slice = Passes { slice: self.passes.slice, ..Passes::NONE };
        let mut system = homing_ir::flatten(self.quiet(), std::slice::from_ref(wanted)).map_err(
            |diagnostics| refused(self.model, homing_space::SpaceError::Refused(diagnostics)),
        )?;
        homing_ir::passes::run(&mut system, slice);
        let kept: Vec<String> = system
            .parts
            .iter()
            .map(|part| format!("{:?}/{}", part.edge, part.commands().count()))
            .collect();
        Ok(kept.join(" "))
    }

    fn run(
        &mut self,
        search: &Search,
        properties: &[Property],
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        let started = Instant::now();
        let minimise = self.minimise.clone();
        let mut conditions = [&search.conditions[..], &search.values].concat();
        let first_price = conditions.len();
        conditions.extend(minimise.iter().flat_map(|minimise| minimise.values()));
        let key = (self.probes == 0).then_some(search.key);
        let network = if search.asserts { &self.model.network } else { self.quiet() };
        let space = self.compiled(key, network, &conditions, search.passes)?;
        let (known, before) = (self.keep(key, &space), space.compile_time());
        let prepared = started.elapsed();
        let prices = minimise.as_ref().map(|minimise| minimise.prices(&space, first_price));
        let asks = |wanted: fn(&Kind) -> bool| {
            search.members.iter().any(|(index, _)| wanted(&properties[*index].kind))
        };
        let deadlock = asks(|kind| matches!(kind, Kind::Deadlock));
        let fault = asks(|kind| matches!(kind, Kind::Errors));
        let searched = Searched::new(&space, self.options.zones, deadlock)?;
        if self.proven(search, properties, &searched, results)? {
            return Ok(());
        }
        let conditions = search.open(results);
        // What fails without being asked for must not be left out either: see `cut`.
        let asked = Asked { conditions, deadlock, fault: fault || space.may_fail(), lasso: false };
        let searched = self.lighten(search.key, searched, asked)?;
        let parts = &self.parts;
        let task = Task {
            conditions,
            deadlock,
            fault,
            pricing: prices.as_ref().map(|prices| prices as &dyn Pricing),
            ..Task::explore(searched.space())
        };
        let aim = Aim {
            costs: prices.as_ref().and_then(Prices::costs),
            classes: prices.as_ref().and_then(Prices::movers).map(<[u32]>::to_vec),
            representatives: searched.is_symmetric(),
            ..search.aim.clone()
        };
        self.runner.guard(self.model, &space);
        let ran = self.runner.run(parts, &searched, &task, &aim)?;
        self.runner.enough(self.model, &space)?;
        symmetric::once_each(&mut self.notices, &ran.notices);
        self.notices.extend(prices.as_ref().and_then(Prices::notices));
        self.phases.extend(ran.phases.iter().cloned());
        let compiling = space.compile_time() - if known { before } else { Duration::ZERO };
        self.compile_seconds += (prepared + compiling).as_secs_f64();
        let statistics = self.account(&ran);
        let cut = self.cut_off_by(search, &ran);
        self.give_up_reduction(search.key, &ran);
        for (index, bit) in &search.members {
            let property = &properties[*index];
            if is_known(&results[*index]) {
                continue;
            }
            let findings = &ran.outcome.findings;
            let finding = match (&property.kind, bit) {
                (Kind::Deadlock, _) => findings.deadlock.as_ref(),
                (Kind::Errors, _) => findings.fault.as_ref(),
                (_, Some(bit)) => findings.conditions.get(*bit).and_then(Option::as_ref),
                (_, None) => None,
            };
            let mut result = match finding {
                Some(finding) => {
                    let (mut found, trace) =
                        self.violated(&searched, property, finding, &ran, statistics)?;
                    if let Some(prices) = &prices {
                        self.price(&mut found, &trace, prices, finding, &ran.outcome)?;
                    }
                    self.shortened(property, found, trace)?
                }
                None => {
                    let outcome = match (&property.kind, bit) {
                        (Kind::Assertions, None) if cut.is_some() => {
                            PropertyOutcome { statistics, ..not_searched(property, None) }
                        }
                        _ => self.not_found(property, &ran, statistics, cut),
                    };
                    let estimated = ran.outcome.statistics.dead_ends > 0 && self.probes == 0;
                    self.estimated.extend(estimated.then_some(*index));
                    // Known even if there is no time to see whether it is vacuous.
                    results[*index] = Some((outcome.clone(), None));
                    (self.unless_vacuous(property, outcome)?, None)
                }
            };
            let more = self.options.different > 1 && self.probes == 0;
            results[*index] = Some(result.clone());
            if let (Some(finding), true) = (finding, more) {
                let whole = self.runner.bounded(self.runner.limits().bound, None);
                let looking = Looking {
                    interpreter: &self.interpreter,
                    runner: &whole,
                    parts: &self.parts,
                    space: &searched,
                    property,
                    bit: *bit,
                    aim: &search.aim,
                    most: self.options.different,
                    expanded: statistics.expanded,
                };
                if let (PropertyOutcome { trace: Some(told), .. }, Some(trace)) = &result {
                    let (different, traces) = different(&looking, (finding, trace, told))?;
                    result.0.different = Some(different);
                    self.others.push((*index, traces));
                }
            }
            results[*index] = Some(result);
        }
        Ok(())
    }

    fn account(&mut self, ran: &Ran) -> Statistics {
        let queues = ran.outcome.statistics.queues.map(|queues| Queues {
            pushed: queues.pushed,
            popped: queues.popped,
            last: queues.last,
        });
        Statistics { queues, ..self.spent(ran.outcome.statistics.progress, ran.seconds) }
    }

    /// Adds what a search took to the total.
    fn spent(&mut self, progress: Progress, seconds: f64) -> Statistics {
        let statistics = Statistics {
            stored: progress.stored,
            expanded: progress.expanded,
            generated: progress.generated,
            seconds,
            peak_bytes: peak(&progress),
            queues: None,
        };
        // One search after the other: the sum could exceed the state space.
        self.total.stored = self.total.stored.max(statistics.stored);
        self.total.expanded += statistics.expanded;
        self.total.generated += statistics.generated;
        self.total.seconds += statistics.seconds;
        self.total.peak_bytes = self.total.peak_bytes.max(statistics.peak_bytes);
        statistics
    }

    fn stop_reason(&self, stopped: StopReason) -> String {
        self.note_turn(stopped);
        let limits = &self.options.limits;
        let beyond = self.minimise.as_ref().and_then(|one| one.beyond(stopped, limits));
        beyond.unwrap_or_else(|| stop_reason(stopped, limits))
    }

    /// Nothing was found: the property holds if everything was looked at.
    /// Unless some of it is cut off.
    fn not_found(
        &self,
        property: &Property,
        ran: &Ran,
        statistics: Statistics,
        cut: Option<&str>,
    ) -> PropertyOutcome {
        let (verdict, reason) = match (ran.outcome.stopped, ran.coverage) {
            (Some(stopped), _) => (Verdict::Unknown, self.stop_reason(stopped)),
            (None, Some(coverage)) => (Verdict::Unknown, lossy(coverage)),
            (None, None) if let Some(cut) = cut => (Verdict::Unknown, cut.into()),
            (None, None) if matches!(property.kind, Kind::Reachable(..)) => {
                (Verdict::Violated, format!("not to be reached: {}", exhausted(ran)))
            }
            (None, None) => (Verdict::Holds, exhausted(ran)),
        };
        let property = property.name.clone();
        PropertyOutcome {
            property,
            verdict,
            reason,
            optimal: false,
            at_least: (ran.outcome.stopped.is_some() && self.minimise.is_none())
                .then_some(ran.outcome.at_least),
            trace: None,
            different: None,
            statistics,
        }
    }

    /// What is known so far.
    fn known(&self, properties: &[Property], results: &[Option<Answer>]) -> Vec<PropertyOutcome> {
        let known =
            properties.iter().zip(results).enumerate().map(|(index, (property, result))| {
                let answer = result.as_ref().map(|(outcome, _)| outcome.clone());
                let why = self.why_unsearched(index).unwrap_or(OPEN);
                let mut outcome = answer.unwrap_or_else(|| not_searched(property, Some(why)));
                if self.turn.open.contains(&index) {
                    outcome.reason = OPEN.into();
                }
                self.retract(index, &mut outcome);
                outcome
            });
        known.collect()
    }

    /// The budget was spent before all properties had an answer.
    fn ended_early(&mut self, reason: &str, results: &[Option<Answer>]) {
        let open = (0..results.len()).filter(|index| results[*index].is_none());
        self.unsearched.extend(open.map(|index| (index, reason.to_string())));
    }

    /// Why there was no search for a property.
    fn why_unsearched(&self, index: usize) -> Option<&str> {
        self.unsearched.iter().find(|(of, _)| *of == index).map(|(_, why)| &**why)
    }

    fn finish(self, properties: Vec<Property>, results: Vec<Option<Answer>>) -> Checked {
        let mut traces = Vec::new();
        let mut outcomes = Vec::new();
        for (index, (property, result)) in properties.iter().zip(results).enumerate() {
            let why = self.why_unsearched(index);
            let (mut outcome, trace) =
                result.unwrap_or_else(|| (not_searched(property, why), None));
            self.retract(index, &mut outcome);
            let others = self.others.iter().filter(|(of, _)| *of == index);
            let all = trace.into_iter().chain(others.flat_map(|(_, traces)| traces.clone()));
            traces.extend(all.map(|trace| (property.name.clone(), trace)));
            outcomes.push(outcome);
        }
        let outcome = CheckOutcome {
            model: self.model.network.name.clone(),
            command: String::new(),
            seed: self.parts.seed(),
            plan: Plan {
                phases: self.phases,
                zones: self.model.network.is_timed(),
                ..self.parts.plan(self.passes)
            },
            notices: self.notices,
            results: outcomes,
            statistics: self.total,
            compile_seconds: self.compile_seconds,
        };
        Checked { outcome, traces }
    }
}

/// The first so many conditions.
fn mask(conditions: usize) -> u64 {
    match conditions {
        64.. => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// The condition that violates a property, if it is one, the target of a
/// search directed at it, and the passes.
type Aimed = (Option<Wanted>, Target<'static>, Passes);

/// What a search for a violation of `property` is directed at; nothing where
/// there is nothing to look for.
pub(crate) fn aimed_at(
    network: &Network,
    property: &Property,
    passes: Passes,
) -> Result<Option<Aimed>, UsageError> {
    let unsliced = Passes { slice: false, ..passes };
    Ok(match &property.kind {
        Kind::Goal(expr, _) | Kind::Reachable(expr, _) => {
            Some((Some(Wanted::goal(expr.clone())), Target::Condition(0), passes))
        }
        // A model that asserts nothing is searched for nothing.
        Kind::Assertions => {
            failed_assertion(network).map(|one| (Some(one), Target::Condition(0), unsliced))
        }
        Kind::Deadlock => Some((None, Target::Deadlock, unsliced)),
        Kind::Errors => {
            return Err(UsageError::Sentence(format!(
                "the strategy is directed at a goal, and there is none for `{}`; \
                 give `--goal` or `--property`, or another strategy",
                property.name
            )));
        }
        Kind::Query(_) | Kind::Temporal(_) | Kind::Unreadable(_) => None,
    })
}

/// The edges of the network along a finding. When each was taken, is not known.
pub(crate) fn trace_of(space: &Searched, finding: &Finding) -> Trace {
    let path = &finding.path;
    let mut steps: Vec<_> = path.steps().map(|(state, edge)| space.step(state, edge)).collect();
    if let Some(fault) = finding.fault {
        steps.push(space.step(path.state(path.len()), fault.edge));
    }
    Trace::new(steps)
}

/// A finding as a run of the network, executed by the interpreter: first, where
/// there are clocks, at times at which every step is possible.
pub(crate) fn confirmed(
    interpreter: &Interpreter,
    space: &Searched,
    property: &Property,
    finding: &Finding,
) -> Result<(Trace, TraceOutcome), String> {
    let trace = scheduled(interpreter, &trace_of(space, finding), property.claim())?;
    let shown = explained(interpreter, &trace, property.claim())?;
    Ok((trace, shown))
}

fn internal(property: &str, error: &str) -> UsageError {
    UsageError::Internal(format!(
        "the trace found for `{property}` is not confirmed by the reference interpreter: {error}"
    ))
}
