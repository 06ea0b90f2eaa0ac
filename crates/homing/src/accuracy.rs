//! How good an estimate is: beside the exact distance of every state.
//!
//! The papers judge an estimate by what it says of all states at one exact
//! distance (Dräger, Finkbeiner, Podelski 2009, Figs. 6 and 7). So the whole
//! state space is explored, exact distances are computed backwards from the
//! goal, and every state is estimated. That also tests what an estimate
//! claims: one that claims to be admissible or consistent and is not is an
//! error in homing.

mod expanded;
mod graph;

use std::cell::RefCell;
use std::time::Instant;

use homing_core::catalogue;
use homing_core::expression::Call;
use homing_core::{Cost, DEAD_END, Heuristic, Limits};
use homing_guide::{Goal, Target};
use homing_ir::passes::Passes;
use homing_report::accuracy::{AccuracyOutcome, AtDistance, EstimateOutcome};
use homing_search::Guide;
use homing_space::{CompiledSpace, Execution};

use crate::load::Model;
use crate::options::PassSelection;
use crate::question::{one_of, own_expressions};
use crate::run::{Hooks, Runner, TABLES, UsageError, during, parse, refused, stop_reason};
use crate::searched::{Searched, Zones};
use expanded::expanded;
use graph::{Failed, Graph, NEVER};

/// The states explored at most where nothing else is said.
pub const ACCURACY_STATES: u64 = 10_000_000;

/// How to judge estimates.
#[derive(Clone, Debug)]
pub struct AccuracyOptions {
    /// The state whose distance is estimated, in the model's own language.
    pub goal: Option<String>,
    /// Or a property by name, whose violation is the goal.
    pub property: Option<String>,
    /// The estimates, as expressions.
    pub estimates: Vec<String>,
    /// How successors are computed.
    pub execution: Execution,
    /// When to give up.
    pub limits: Limits,
    /// Passes to switch on or off.
    pub passes: PassSelection,
}

impl Default for AccuracyOptions {
    fn default() -> AccuracyOptions {
        AccuracyOptions {
            goal: None,
            property: None,
            estimates: Vec::new(),
            execution: Execution::default(),
            limits: Limits { states: Some(ACCURACY_STATES), ..Limits::default() },
            passes: PassSelection::default(),
        }
    }
}

/// Compares estimates with the exact distance of every reachable state to the
/// goal.
pub fn accuracy(
    model: &Model,
    options: &AccuracyOptions,
    hooks: Hooks,
) -> Result<AccuracyOutcome, UsageError> {
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    during(&budget, || compared(model, options, hooks))?
}

fn compared(
    model: &Model,
    options: &AccuracyOptions,
    hooks: Hooks,
) -> Result<AccuracyOutcome, UsageError> {
    let calls = estimates(options).map_err(UsageError::Sentence)?;
    let mut own: Vec<String> = calls.iter().flat_map(homing_guide::expression::texts).collect();
    own.sort();
    own.dedup();
    let (name, condition, target, passes) = target(model, options)?;
    let first = usize::from(condition.is_some());
    let mut conditions: Vec<_> = condition.into_iter().collect();
    conditions.extend(own_expressions(model, &own)?);
    let space = CompiledSpace::executed(&model.network, &conditions, passes, options.execution);
    let space = space.map_err(|error| refused(model, error))?;
    let expressions: Vec<(String, usize)> =
        own.into_iter().enumerate().map(|(i, text)| (text, first + i)).collect();
    let runner = Runner::new(hooks, options.limits.clone());
    let notices = RefCell::default();
    let memory = options.limits.memory.map_or(usize::MAX, |memory| memory / TABLES);
    let goal = Goal {
        space: space.prepared(),
        successors: &space,
        target,
        costs: None,
        expressions: &expressions,
        memory,
        notices: &notices,
        grounds: None,
        hasty: false,
    };
    let deadlock = matches!(target, Target::Deadlock);
    let searched = Searched::new(&space, Zones::default(), deadlock)?;
    let mut comparison = Comparison::new(goal, &searched, &runner, &options.limits)?;
    let mut judged = Vec::new();
    for call in &calls {
        judged.push(comparison.judge(call)?);
    }
    let mut outcome = comparison.outcome(judged)?;
    outcome.model.clone_from(&model.network.name);
    outcome.goal = name;
    outcome.passes = passes.names().into_iter().map(String::from).collect();
    outcome.notices = notices.take();
    Ok(outcome)
}

/// The estimates asked for, all of which exist.
fn estimates(options: &AccuracyOptions) -> Result<Vec<Call>, String> {
    if options.estimates.is_empty() {
        return Err("no estimate is given; `homing parts` lists them".into());
    }
    let mut calls = Vec::new();
    for text in &options.estimates {
        let call = parse(text, "estimate")?;
        catalogue::find(homing_guide::ESTIMATES, catalogue::Kind::Estimate, &call.name)?;
        calls.push(call);
    }
    Ok(calls)
}

type Aimed = (String, Option<homing_ir::flatten::Wanted>, Target<'static>, Passes);

/// What is looked for, as `check` would look for it: its name, the condition
/// it is, and the passes.
fn target(model: &Model, options: &AccuracyOptions) -> Result<Aimed, UsageError> {
    let question = one_of(model, &options.goal, &options.property)?.ok_or_else(|| {
        let sentence = "distances are to one goal: give one `--goal` or one `--property`";
        UsageError::Sentence(sentence.into())
    })?;
    let passes = options.passes.apply(Passes::ALL)?;
    let sought = question.need(&model.network).into_sought();
    match sought.as_ref().and_then(|sought| Some((sought, sought.hit(0).target()?))) {
        Some((sought, target)) => {
            let passes = Passes { slice: sought.slice && passes.slice, ..passes };
            Ok((question.name().to_string(), sought.condition().cloned(), target, passes))
        }
        None => Err(UsageError::Sentence(question.undirected())),
    }
}

/// The state graph with exact distances, beside which estimates are held.
struct Comparison<'a> {
    goal: Goal<'a>,
    searched: &'a Searched<'a>,
    runner: &'a Runner,
    graph: Graph,
    distances: Vec<Cost>,
    seconds: f64,
}

impl<'a> Comparison<'a> {
    fn new(
        goal: Goal<'a>,
        searched: &'a Searched<'a>,
        runner: &'a Runner,
        limits: &Limits,
    ) -> Result<Self, UsageError> {
        let started = Instant::now();
        let graph = Graph::explore(searched, goal.target, &mut runner.watch(None));
        let graph = graph.map_err(|failed| match failed {
            Failed::Sentence(sentence) => UsageError::Sentence(sentence),
            Failed::Stopped(stopped, states) => UsageError::Stopped(format!(
                "exact distances need the whole state space: {} after {states} states; \
                 raise the limit or take a smaller instance",
                stop_reason(stopped, limits)
            )),
        })?;
        let distances = graph.distances();
        let seconds = started.elapsed().as_secs_f64();
        Ok(Comparison { goal, searched, runner, graph, distances, seconds })
    }

    /// One estimate beside the distances.
    fn judge(&mut self, call: &Call) -> Result<EstimateOutcome, UsageError> {
        let started = Instant::now();
        let factory = homing_guide::build(&self.goal, call).map_err(UsageError::Sentence)?;
        let build_seconds = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let mut heuristic = factory.instance();
        let estimates = self.estimate_all(&mut *heuristic)?;
        let seconds = started.elapsed().as_secs_f64();
        let claims = heuristic.claims();
        let bytes = heuristic.bytes() as u64;
        drop(heuristic);
        let greedy = self.search("greedy", Guide { heuristic: Some(factory), ..Guide::default() });
        let outcome = EstimateOutcome {
            estimate: call.to_string(),
            admissible: claims.admissible,
            consistent: claims.consistent,
            initial: estimates.first().copied().filter(|estimate| *estimate != DEAD_END),
            mean_error: mean(self.pairs(&estimates).filter_map(relative)),
            exact: count(self.pairs(&estimates), |distance, estimate| distance == estimate),
            above: count(self.pairs(&estimates), |distance, estimate| distance < estimate),
            inconsistent_steps: self.inconsistent_steps(&estimates),
            dead_ends: count(self.pairs(&estimates), |d, e| d == NEVER && e == DEAD_END),
            wrong_dead_ends: count(self.pairs(&estimates), |d, e| d != NEVER && e == DEAD_END),
            by_distance: self.by_distance(&estimates),
            greedy: greedy?,
            build_seconds,
            seconds,
            bytes,
        };
        keeps_its_claims(&outcome)?;
        Ok(outcome)
    }

    /// Every state's estimate, by its number.
    fn estimate_all(&self, heuristic: &mut (dyn Heuristic + '_)) -> Result<Vec<Cost>, UsageError> {
        let mut state = vec![0; self.searched.space().width()];
        let mut estimates = Vec::with_capacity(self.graph.len());
        let mut watch = self.runner.watch(None);
        for i in 0..self.graph.len() {
            self.graph.load(i, &mut state);
            estimates.push(heuristic.estimate(&state, None));
            if i % 1024 == 0 {
                watch.check(&Default::default()).map_err(|stopped| {
                    let reason = stop_reason(stopped, watch.limits());
                    UsageError::Stopped(format!("{reason} while states were estimated"))
                })?;
            }
        }
        Ok(estimates)
    }

    /// Distances with estimates.
    fn pairs<'b>(&'b self, estimates: &'b [Cost]) -> impl Iterator<Item = (Cost, Cost)> + 'b {
        self.distances.iter().copied().zip(estimates.iter().copied())
    }

    fn inconsistent_steps(&self, estimates: &[Cost]) -> u64 {
        let falls = |state: usize| {
            let limit = |target: u32| estimates[target as usize].saturating_add(1);
            let successors = self.graph.successors(state).iter();
            successors.filter(|target| estimates[state] > limit(**target)).count() as u64
        };
        (0..self.graph.len()).map(falls).sum()
    }

    /// The number of states at every distance.
    fn histogram(&self) -> Vec<u64> {
        let finite = || self.distances.iter().filter(|distance| **distance != NEVER);
        let mut states = vec![0; finite().max().map_or(0, |most| *most as usize + 1)];
        finite().for_each(|distance| states[*distance as usize] += 1);
        states
    }

    fn by_distance(&self, estimates: &[Cost]) -> Vec<AtDistance> {
        let states = self.histogram();
        let mut sums = vec![(0u64, 0u64, 0u64); states.len()];
        for (distance, estimate) in self.pairs(estimates).filter(|(d, _)| *d != NEVER) {
            let (sum, differences, wrong) = &mut sums[distance as usize];
            match estimate {
                DEAD_END => *wrong += 1,
                _ => {
                    *sum += u64::from(estimate);
                    *differences += u64::from(estimate.abs_diff(distance));
                }
            }
        }
        let row = |(distance, (sum, differences, wrong)): (usize, (u64, u64, u64))| {
            let said = states[distance] - wrong;
            let mean = |sum: u64| (said > 0).then(|| sum as f64 / said as f64);
            let relative = |difference: f64| 100.0 * difference / distance as f64;
            AtDistance {
                distance: distance as u32,
                states: states[distance],
                mean: mean(sum),
                error: mean(differences).filter(|_| distance > 0).map(relative),
                wrong_dead_ends: wrong,
            }
        };
        let rows = sums.into_iter().enumerate().map(row);
        rows.filter(|row| row.states > 0).collect()
    }

    fn search(
        &mut self,
        strategy: &str,
        guide: Guide<'_>,
    ) -> Result<homing_report::accuracy::Expanded, UsageError> {
        let target = self.goal.target;
        let mut watch = self.runner.watch(None);
        expanded(self.searched.space(), target, strategy, guide, &mut self.graph, &mut watch)
            .map_err(UsageError::Sentence)
    }

    /// All but what only the caller knows.
    fn outcome(mut self, estimates: Vec<EstimateOutcome>) -> Result<AccuracyOutcome, UsageError> {
        let blind = self.search("breadth", Guide::default())?;
        Ok(AccuracyOutcome {
            model: String::new(),
            command: String::new(),
            goal: String::new(),
            passes: Vec::new(),
            notices: Vec::new(),
            states: self.graph.len() as u64,
            transitions: self.graph.steps() as u64,
            distances: self.histogram(),
            dead_ends: self.distances.iter().filter(|distance| **distance == NEVER).count() as u64,
            shortest: self.distances.first().copied().filter(|distance| *distance != NEVER),
            blind,
            estimates,
            seconds: self.seconds,
        })
    }
}

/// The error of an estimate relative to the distance, in percent.
fn relative((distance, estimate): (Cost, Cost)) -> Option<f64> {
    let compared = distance != NEVER && distance != 0 && estimate != DEAD_END;
    compared.then(|| 100.0 * f64::from(estimate.abs_diff(distance)) / f64::from(distance))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), one| (sum + one, count + 1));
    (count > 0).then(|| sum / count as f64)
}

fn count(pairs: impl Iterator<Item = (Cost, Cost)>, wanted: impl Fn(Cost, Cost) -> bool) -> u64 {
    pairs.filter(|(distance, estimate)| wanted(*distance, *estimate)).count() as u64
}

/// Claims are for all states: one counterexample is an error of ours.
fn keeps_its_claims(outcome: &EstimateOutcome) -> Result<(), UsageError> {
    let broken = |claim: &str, count: u64| {
        Err(UsageError::Internal(format!(
            "`{}` claims to be {claim}, which {count} states or steps disprove",
            outcome.estimate
        )))
    };
    if outcome.admissible && outcome.above > 0 {
        return broken("admissible", outcome.above);
    }
    if outcome.consistent && outcome.inconsistent_steps > 0 {
        return broken("consistent", outcome.inconsistent_steps);
    }
    Ok(())
}
