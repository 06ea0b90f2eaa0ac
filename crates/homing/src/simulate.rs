//! A walk through a model, step by step, with the reference interpreter.
//!
//! A [`Simulator`] is what does not change on the way: the model, what is
//! looked for, the estimate. A [`Simulation`] is one walk.
//!
//! A guided walk is hill climbing without memory (Russell, Norvig, "Artificial
//! Intelligence", section 4.1):
//!
//! ```text
//! s := the current state
//! repeat n times, or until there is something to be said of s:
//!   s := a successor of s of least h, any of them if there are several
//! ```
//!
//! It may go round on a plateau for ever; the random choice among equals is
//! what may take it away again. Estimates are made for compiled spaces, so the
//! walk is followed there, edge by edge. Slicing is switched off for that: what
//! a search may leave out is a step of the simulation all the same.

mod waiting;

use std::cell::RefCell;
use std::sync::Arc;

use homing_budget::Budget;
use homing_core::catalogue::{self, Job};
use homing_core::expression::Call;
use homing_core::{Batch, Cost, Expander, Random, Space, Word};
use homing_guide::{Factory, Goal, Target};
use homing_ir::interp::{Interpreter, ReplayError, ReplayProblem, RuntimeError, State};
use homing_ir::passes::Passes;
use homing_ir::{Step, Trace};
use homing_report::simulation::Choice;
use homing_space::{CompiledSpace, Execution};
use homing_witness::Claim;
use homing_witness::outcome::{CauseKind, CauseOutcome, TraceOutcome};
use homing_witness::replay::{self, End};

use crate::load::Model;
use crate::planner::{first, made};
use crate::question::{Need, Question, one_of, own_expressions};
use crate::relational;
use crate::run::{TABLES, UsageError, parse, refused};

/// How to walk.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    /// The state to be reached, in the model's own language.
    pub goal: Option<String>,
    /// Or a property by name, whose violation is looked for.
    pub property: Option<String>,
    /// The estimate that guides, as an expression; without, one that suits
    /// what is looked for.
    pub estimate: Option<String>,
    /// The seed of random choices.
    pub seed: u64,
    /// The memory limit, of which an estimate's tables may take a share.
    pub memory: Option<usize>,
    /// How the successors of a guided walk are computed.
    pub execution: Execution,
}

impl Default for SimulateOptions {
    fn default() -> SimulateOptions {
        SimulateOptions {
            goal: None,
            property: None,
            estimate: None,
            seed: 1,
            memory: None,
            execution: Execution::default(),
        }
    }
}

/// A model, ready to be walked through.
pub struct Simulator<'m> {
    interpreter: Interpreter<'m>,
    question: Option<Arc<dyn Question>>,
    /// What guides; or why nothing can.
    directed: Result<Directed, UsageError>,
    seed: u64,
}

/// Where estimates are made.
struct Directed {
    space: CompiledSpace,
    target: Target<'static>,
    estimate: Call,
    expressions: Vec<(String, usize)>,
    memory: usize,
    notices: RefCell<Vec<String>>,
}

impl<'m> Simulator<'m> {
    /// Prepares a model, or says what is wrong with the options.
    pub fn new(model: &'m Model, options: &SimulateOptions) -> Result<Simulator<'m>, UsageError> {
        relational::without(model, "simulated")?;
        let interpreter = Interpreter::new(&model.network).map_err(|diagnostics| {
            UsageError::Diagnostics { sources: model.network.sources.clone(), diagnostics }
        })?;
        let question = looked_for(model, options)?;
        let estimate = options.estimate.as_deref().map(estimate).transpose()?;
        let directed = match &question {
            Some(question) => Directed::new(model, &**question, estimate, options),
            None => Err(UsageError::Sentence(
                "a guided walk needs something to walk to: give `--goal` or `--property`".into(),
            )),
        };
        Ok(Simulator { interpreter, question, directed, seed: options.seed })
    }

    /// A walk that starts at the end of `from`, or why the model has no such
    /// run.
    pub fn start(&self, from: &Trace) -> Result<Simulation<'_>, String> {
        let mut simulation = Simulation {
            simulator: self,
            states: vec![self.interpreter.initial()],
            fault: None,
            trace: Trace::default(),
            random: Random::new(self.seed),
            guide: None,
        };
        simulation.refine(from.unit).ok_or("its times are too fine to be counted")?;
        for (i, step) in from.steps.iter().enumerate() {
            let problem = match simulation.fault {
                None => match simulation.follow(step) {
                    Ok(()) => continue,
                    Err(problem) => problem,
                },
                Some(_) => ReplayProblem::NotEnabled,
            };
            return Err(ReplayError { step: i, problem }.to_string());
        }
        if from.rest > 0 {
            let rest = homing_ir::interp::ratio(from.rest, from.unit);
            simulation.wait(&rest)?;
        }
        Ok(simulation)
    }

    /// The interpreter that executes the model.
    pub fn interpreter(&self) -> &Interpreter<'m> {
        &self.interpreter
    }

    /// The goal, or the name of the property, that is looked for.
    pub fn property(&self) -> Option<&str> {
        self.question.as_ref().map(|question| question.name())
    }
}

/// The one thing that is looked for, if any.
fn looked_for(
    model: &Model,
    options: &SimulateOptions,
) -> Result<Option<Arc<dyn Question>>, UsageError> {
    let question = one_of(model, &options.goal, &options.property)?;
    match &question {
        Some(one) if !matches!(one.need(&model.network), Need::State(_)) => {
            let sentence = format!("`{}` is not about the state that a walk is in", one.name());
            Err(UsageError::Sentence(sentence))
        }
        _ => Ok(question),
    }
}

/// The estimate that leads a walk where none is asked for.
fn usual(target: Target) -> Option<Call> {
    let job = match target {
        Target::Deadlock => Job::WalkToDeadlock,
        Target::Condition(_) | Target::State(_) => Job::Walk,
    };
    made(first(job)?, 0)?.estimate
}

fn estimate(text: &str) -> Result<Call, UsageError> {
    let call = parse(text, "estimate").map_err(UsageError::Sentence)?;
    catalogue::find(homing_guide::ESTIMATES, catalogue::Kind::Estimate, &call.name)
        .map_err(UsageError::Sentence)?;
    Ok(call)
}

impl Directed {
    fn new(
        model: &Model,
        question: &dyn Question,
        estimate: Option<Call>,
        options: &SimulateOptions,
    ) -> Result<Directed, UsageError> {
        let passes = Passes { slice: false, ..Passes::ALL };
        let sought = question.need(&model.network).into_sought();
        let aimed = sought.as_ref().and_then(|sought| Some((sought, sought.hit(0).target()?)));
        let Some((sought, target)) = aimed else {
            return Err(UsageError::Sentence(question.undirected()));
        };
        let condition = sought.condition().cloned();
        let estimate = match estimate {
            Some(estimate) => estimate,
            None => usual(target).ok_or_else(|| UsageError::Sentence(question.undirected()))?,
        };
        let texts = homing_guide::expression::texts(&estimate);
        let first = usize::from(condition.is_some());
        let mut conditions: Vec<_> = condition.into_iter().collect();
        conditions.extend(own_expressions(model, &texts)?);
        let space = CompiledSpace::executed(&model.network, &conditions, passes, options.execution)
            .map_err(|error| refused(model, error))?;
        let numbered = texts.into_iter().enumerate();
        Ok(Directed {
            space,
            target,
            estimate,
            expressions: numbered.map(|(i, text)| (text, first + i)).collect(),
            memory: options.memory.map_or(usize::MAX, |memory| memory / TABLES),
            notices: RefCell::default(),
        })
    }

    fn guide(&self) -> Result<Guide<'_>, UsageError> {
        let goal = Goal {
            space: self.space.prepared(),
            successors: &self.space,
            target: self.target,
            costs: None,
            expressions: &self.expressions,
            memory: self.memory,
            notices: &self.notices,
            grounds: None,
            hasty: false,
        };
        let heuristic = homing_guide::build(&goal, &self.estimate).map_err(UsageError::Sentence)?;
        let mut expander = self.space.expander();
        let mut batch = Batch::new(self.space.width());
        expander.initial(&mut batch);
        let path = batch.state(0).to_vec();
        Ok(Guide { space: &self.space, heuristic, expander, batch, path })
    }
}

/// One walk from the initial state.
pub struct Simulation<'a> {
    simulator: &'a Simulator<'a>,
    /// The states passed, the initial one first.
    states: Vec<State>,
    /// The run-time error that the last step is.
    fault: Option<RuntimeError>,
    trace: Trace,
    random: Random,
    /// Made when it is first asked.
    guide: Option<Guide<'a>>,
}

/// How a walk of several steps went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The steps taken.
    pub steps: usize,
    /// The seed with which it can be repeated, from the state it started in.
    pub seed: u64,
    /// Whether somebody ended it.
    pub interrupted: bool,
}

impl<'a> Simulation<'a> {
    /// The state the walk is in; after a run-time error, the state before it.
    pub fn state(&self) -> &State {
        // There always is the initial state.
        &self.states[self.states.len() - 1]
    }

    /// The state before the last step.
    pub fn before(&self) -> Option<&State> {
        match self.fault {
            None => self.states.len().checked_sub(2).map(|i| &self.states[i]),
            Some(_) => Some(self.state()),
        }
    }

    /// The steps so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The steps that can be taken now.
    pub fn choices(&self) -> Vec<Choice> {
        match self.fault {
            None => self.simulator.interpreter.steps(self.state()),
            Some(_) => Vec::new(),
        }
    }

    /// Takes the step of this number, counted from one.
    pub fn take(&mut self, number: usize) -> Result<(), String> {
        let mut choices = self.choices();
        if !(1..=choices.len()).contains(&number) {
            return Err(match choices.len() {
                0 => "there is no step to take; `back` undoes the last one".into(),
                1 => format!("there is no step {number}, only step 1"),
                count => format!("there is no step {number}, only 1 to {count}"),
            });
        }
        let (step, outcome) = choices.swap_remove(number - 1);
        self.advance_in_time(step, outcome);
        Ok(())
    }

    /// Undoes the last steps, and says how many there were.
    pub fn back(&mut self, steps: usize) -> usize {
        let steps = steps.min(self.trace.steps.len());
        let left = self.trace.steps.len() - steps;
        if steps > 0 {
            self.fault = None;
            // What was waited before the step stays waited.
            self.trace.rest = self.trace.steps[left].delay;
        }
        self.trace.steps.truncate(left);
        self.states.truncate(self.trace.steps.len() + 1);
        if let Some(guide) = &mut self.guide {
            guide.path.truncate(self.states.len() * guide.space.width());
        }
        steps
    }

    /// Takes random steps, until there is something to be said or `budget`
    /// is spent.
    pub fn random_walk(&mut self, steps: usize, budget: &Budget) -> Walk {
        let mut walk = Walk::new(&self.random);
        while walk.goes_on(steps, budget) {
            let Some(choice) = self.random_step() else { break };
            if self.walks_to(choice, &mut walk) {
                break;
            }
        }
        walk
    }

    /// Takes steps to successors of least estimate, likewise.
    pub fn guided_walk(&mut self, steps: usize, budget: &Budget) -> Result<Walk, UsageError> {
        let mut walk = Walk::new(&self.random);
        while walk.goes_on(steps, budget) {
            let Some(choice) = self.best_step()? else { break };
            if self.walks_to(choice, &mut walk) {
                break;
            }
        }
        Ok(walk)
    }

    /// Takes a step; says whether there is something to be said then.
    fn walks_to(&mut self, (step, outcome): Choice, walk: &mut Walk) -> bool {
        self.advance_in_time(step, outcome);
        walk.steps += 1;
        !self.causes().is_empty()
    }

    /// The estimate of the state the walk is in, after a run-time error of the
    /// state before it; a dead end is [`homing_core::DEAD_END`].
    pub fn estimate(&mut self) -> Result<Cost, UsageError> {
        let directed = self.simulator.directed.as_ref().map_err(Clone::clone)?;
        let steps = &self.trace.steps[..self.states.len() - 1];
        let walked =
            Walked { interpreter: &self.simulator.interpreter, states: &self.states, steps };
        Ok(follow(&mut self.guide, directed, &walked)?.estimate())
    }

    /// The estimate that guides, as an expression.
    pub fn estimate_name(&self) -> Option<String> {
        self.simulator.directed.as_ref().ok().map(|directed| directed.estimate.to_string())
    }

    /// What the user should know of the estimate; each is told once.
    pub fn notices(&self) -> Vec<String> {
        self.simulator.directed.as_ref().map(|one| one.notices.take()).unwrap_or_default()
    }

    /// What is reached, if anything is looked for; or why that cannot be said.
    pub fn reached(&self) -> Result<Option<CauseOutcome>, RuntimeError> {
        let claim = self.simulator.question.as_ref().and_then(|question| question.claim());
        let Some(claim) = claim else { return Ok(None) };
        if let Claim::Goal(goal, ..) = claim
            && (self.fault.is_some() || self.evaluate(goal)? == 0)
        {
            return Ok(None);
        }
        Ok(replay::confirm(&self.simulator.interpreter, &self.end(), claim).ok())
    }

    fn evaluate(&self, goal: &homing_ir::network::Expr) -> Result<i64, RuntimeError> {
        self.simulator.interpreter.eval(self.state(), goal)
    }

    /// All that is to be said of where the walk is: what is looked for is
    /// reached, and whatever else is wrong.
    pub fn causes(&self) -> Vec<CauseOutcome> {
        let mut causes: Vec<CauseOutcome> = self.reached().ok().flatten().into_iter().collect();
        let wrong = replay::observe(&self.simulator.interpreter, &self.end());
        causes.extend(wrong.filter(|wrong| !causes.contains(wrong)));
        causes
    }

    /// The property that the walk violates by now, by its name.
    pub fn violated(&self) -> Option<&str> {
        if let Ok(Some(_)) = self.reached() {
            return self.simulator.property();
        }
        let wrong = replay::observe(&self.simulator.interpreter, &self.end())?;
        Some(match (&self.fault, wrong.kind) {
            (_, CauseKind::Assertion) => "assertions",
            (Some(_), _) | (None, CauseKind::Error) => "errors",
            (None, CauseKind::Deadlock) => "deadlock",
            (
                None,
                CauseKind::Goal
                | CauseKind::Invariant
                | CauseKind::Observer
                | CauseKind::Forever
                | CauseKind::Formula,
            ) => "assertions",
        })
    }

    /// The way so far, as it would be replayed.
    pub fn outcome(&self) -> Result<TraceOutcome, UsageError> {
        let replayed = replay::replay(&self.simulator.interpreter, &self.trace)
            .map_err(|error| UsageError::Internal(format!("the walk does not replay: {error}")))?;
        Ok(replayed.into_outcome(self.causes().into_iter().next()))
    }

    fn end(&self) -> End {
        match self.fault {
            None => End::State(self.state().clone()),
            Some(fault) => End::Fault(fault),
        }
    }

    /// Waits as long as the step of a trace does, and takes it.
    fn follow(&mut self, step: &Step) -> Result<(), ReplayProblem> {
        self.pass_time(step.delay)?;
        let step = Step { delay: 0, ..step.clone() };
        let outcome = self.execute(&step)?;
        self.advance_in_time(step, outcome);
        Ok(())
    }

    /// What `step` leads to.
    fn execute(&self, step: &Step) -> Result<Result<State, RuntimeError>, ReplayProblem> {
        match self.simulator.interpreter.take(self.state(), step) {
            Ok(state) => Ok(Ok(state)),
            Err(ReplayError { problem: ReplayProblem::Fault(fault), .. }) => Ok(Err(fault)),
            Err(ReplayError { problem, .. }) => Err(problem),
        }
    }

    /// Takes a step after the time waited.
    fn advance_in_time(&mut self, step: Step, outcome: Result<State, RuntimeError>) {
        let delay = std::mem::take(&mut self.trace.rest);
        self.advance(Step { delay, ..step }, outcome);
    }

    fn advance(&mut self, step: Step, outcome: Result<State, RuntimeError>) {
        self.trace.steps.push(step);
        match outcome {
            Ok(state) => self.states.push(state),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// A step to a successor of least estimate; where all steps fail, one of
    /// them.
    fn best_step(&mut self) -> Result<Option<Choice>, UsageError> {
        if self.fault.is_some() {
            return Ok(None);
        }
        let directed = self.simulator.directed.as_ref().map_err(Clone::clone)?;
        // The compiled space knows no clocks: of its steps, those that are possible.
        let timed = self.simulator.interpreter.network().is_timed();
        let possible = timed.then(|| self.choices_in_time());
        let (interpreter, states) = (&self.simulator.interpreter, &self.states[..]);
        let walked = Walked { interpreter, states, steps: &self.trace.steps };
        let guide = follow(&mut self.guide, directed, &walked)?;
        let Some(step) = guide.best_step(&mut self.random, possible.as_deref()) else {
            return Ok(self.random_step());
        };
        let outcome = self.execute(&step).map_err(|problem| {
            UsageError::Internal(format!(
                "the compiled space has a step that, says the interpreter, {problem}"
            ))
        })?;
        Ok(Some((step, outcome)))
    }

    fn random_step(&mut self) -> Option<Choice> {
        let mut choices = self.choices_in_time();
        let any = !choices.is_empty();
        any.then(|| choices.swap_remove(self.random.below(choices.len() as u64) as usize))
    }
}

/// A walk so far: its steps, and the states before and behind them.
struct Walked<'w, 'm> {
    interpreter: &'w Interpreter<'m>,
    states: &'w [State],
    steps: &'w [Step],
}

impl Walked<'_, '_> {
    /// Whether `other` leads from the state before step `k` to the one behind it.
    fn leads_alike(&self, k: usize, other: &Step) -> bool {
        let behind = self.interpreter.take(&self.states[k], other).ok();
        behind.as_ref() == self.states.get(k + 1)
    }
}

/// What guides, made where it is not yet, and brought to the end of the walk.
fn follow<'g, 'a>(
    guide: &'g mut Option<Guide<'a>>,
    directed: &'a Directed,
    walked: &Walked,
) -> Result<&'g mut Guide<'a>, UsageError> {
    let mut made = match guide.take() {
        Some(guide) => guide,
        None => directed.guide()?,
    };
    made.follow(walked)?;
    Ok(guide.insert(made))
}

impl Walk {
    fn new(random: &Random) -> Walk {
        Walk { steps: 0, seed: random.seed(), interrupted: false }
    }

    fn goes_on(&mut self, steps: usize, budget: &Budget) -> bool {
        self.interrupted = budget.is_cancelled();
        self.steps < steps && !self.interrupted
    }
}

/// The walk in the compiled space, where estimates are made.
struct Guide<'a> {
    space: &'a CompiledSpace,
    heuristic: Factory<'a>,
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    /// The packed states passed, one after the other.
    path: Vec<Word>,
}

impl Guide<'_> {
    /// Takes those of the steps that were not taken here yet.
    ///
    /// What is reached in two ways while a process holds control, the compiled space
    /// tells once: then another step that leads to the same state stands for the one
    /// that was taken.
    fn follow(&mut self, walked: &Walked) -> Result<(), UsageError> {
        let width = self.space.width();
        for k in self.path.len() / width - 1..walked.steps.len() {
            self.expand();
            let state = &self.path[self.path.len() - width..];
            let step = &Step { delay: 0, ..walked.steps[k].clone() };
            let told = |i: &usize| self.space.step(state, self.batch.edge(*i));
            let same = |i: &usize| told(i) == *step;
            let alike = |i: &usize| walked.leads_alike(k, &told(i));
            let mut all = 0..self.batch.len();
            let found = all.clone().find(same).or_else(|| all.find(alike));
            let Some(i) = found else {
                return Err(UsageError::Internal(format!(
                    "the compiled space does not have the interpreter's step {step:?}"
                )));
            };
            self.path.extend_from_slice(self.batch.state(i));
        }
        Ok(())
    }

    /// The successors of where the walk is.
    fn expand(&mut self) {
        self.batch.clear();
        let state = &self.path[self.path.len() - self.space.width()..];
        self.expander.expand(state, &mut self.batch);
    }

    fn estimate(&mut self) -> Cost {
        let state = &self.path[self.path.len() - self.space.width()..];
        self.heuristic.instance().estimate(state, None)
    }

    /// A step to a successor of least estimate; none where there is no
    /// successor.
    fn best_step(&mut self, random: &mut Random, possible: Option<&[Choice]>) -> Option<Step> {
        self.expand();
        let state = &self.path[self.path.len() - self.space.width()..];
        let mut heuristic = self.heuristic.instance();
        heuristic.expanding(state);
        let mut best: Vec<usize> = Vec::new();
        let mut least = Cost::MAX;
        for i in 0..self.batch.len() {
            if let Some(possible) = possible {
                let step = self.space.step(state, self.batch.edge(i));
                if !possible.iter().any(|(one, _)| *one == step) {
                    continue;
                }
            }
            let estimate = heuristic.estimate(self.batch.state(i), Some(self.batch.edge(i)));
            if estimate < least {
                best.clear();
                least = estimate;
            }
            if estimate == least {
                best.push(i);
            }
        }
        if best.is_empty() {
            return None;
        }
        let chosen = best[random.below(best.len() as u64) as usize];
        Some(self.space.step(state, self.batch.edge(chosen)))
    }
}
