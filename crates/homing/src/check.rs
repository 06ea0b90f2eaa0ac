//! Checking: questions in, answers out.
//!
//! ```text
//! gather   which questions share a search                       (gather)
//! plan     which engine answers each, in turns of which length  (engine, shares, lighter)
//! answer   a search, whose findings the interpreter confirms    (states, temporal, queries)
//! finish   what each question has come to                       (answer)
//! ```

mod answer;
mod cut;
mod engine;
mod found;
mod gather;
mod lasting;
mod lighter;
mod planned;
mod prepared;
mod queries;
mod refuted;
mod shares;
mod states;
mod stopwatches;
mod symbolic;
mod temporal;
mod turns;
mod unbounded;

use std::rc::Rc;
use std::sync::Arc;

use homing_ir::interp::Interpreter;
use homing_ir::passes::Passes;
use homing_ir::{Network, Trace};
use homing_report::outcome::{CheckOutcome, Plan, PropertyOutcome, Statistics};
use homing_report::planned::PlannedSearch;
use homing_space::CompiledSpace;

pub(crate) use self::answer::Answer;
use self::cut::without_assertions;
pub use self::engine::{ENGINES, Engine};
pub use self::planned::explain_plan;
use self::shares::Turn;
pub(crate) use self::states::{Counted, confirmed, trace_of};
pub(crate) use self::unbounded::grows;
use crate::elsewhere::Elsewhere;
use crate::load::Model;
use crate::minimise::{Minimise, prepare};
use crate::options::Options;
use crate::question::{Question, asked};
use crate::run::{Configuration, Hooks, Runner, UsageError, cut, during};
use crate::threads::crew;
use crate::{fastest, relational, symmetric};

/// What a check found, with the traces it found it by.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What was found.
    pub outcome: CheckOutcome,
    /// For every violated property, its name and the trace; where different
    /// ones were asked for, all of them.
    pub traces: Vec<(String, Trace)>,
    /// What the planner did, search by search; see [`explain_plan`].
    pub planned: Vec<PlannedSearch>,
    /// Runs of a model of hardware: by the number of what the file specifies.
    pub runs: Vec<(usize, homing_ir::relation::Run)>,
}

/// Checks the properties of a model that the options ask for.
pub fn check(model: &Model, options: &Options, hooks: Hooks) -> Result<Checked, UsageError> {
    if let Some(relation) = &model.network.relation {
        return relational::check(model, relation, options, hooks);
    }
    if fastest::asked(model, options) {
        return fastest::fastest(model, options, hooks);
    }
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    let questions = during(&budget, || asked(model, options))??;
    check_all(model, options, hooks, questions)
}

/// Answers questions.
pub(crate) fn check_all(
    model: &Model,
    options: &Options,
    hooks: Hooks,
    questions: Vec<Arc<dyn Question>>,
) -> Result<Checked, UsageError> {
    let (budget, board) = (hooks.budget.clone(), hooks.board.clone());
    budget.limit(options.limits.time, options.limits.memory);
    let mut check = during(&budget, || Check::new(model, options, hooks))??;
    let mut results: Vec<Option<Answer>> = vec![None; questions.len()];
    let post =
        |check: &Check, results: &[Option<Answer>]| board.write(check.known(&questions, results));
    post(&check, &results);
    let done = during(&budget, || {
        check.notices.extend(symmetric::not_used(model, options, &questions));
        check.answer_all(&questions, &mut results, &post)
    });
    if let Ok(done) = &done {
        check.runner.leave(done.as_ref().err())?;
    }
    match done {
        Ok(Err(UsageError::Stopped(reason))) => check.ended_early(&reason, &results),
        Ok(done) => done?,
        Err(stopped) => check.ended_early(&cut(stopped), &results),
    }
    Ok(check.finish(&questions, results))
}

/// The reason of a verdict that is still looked for: nothing. Whoever ends the search
/// gives one ([`Board::read`](crate::Board::read)).
const OPEN: &str = "";

/// All questions of a check.
type Questions<'q> = &'q [Arc<dyn Question>];

/// A check under way.
pub(crate) struct Check<'a> {
    model: &'a Model,
    options: &'a Options,
    parts: Configuration,
    passes: Passes,
    runner: Runner,
    minimise: Option<Rc<Minimise>>,
    pub(crate) interpreter: Interpreter<'a>,
    total: Statistics,
    compile_seconds: f64,
    notices: Vec<String>,
    phases: Vec<String>,
    /// What was done in searches that took turns.
    planned: Vec<PlannedSearch>,
    /// By question, other traces than the first.
    others: Vec<(usize, Vec<Trace>)>,
    /// Positions in the list of questions, with why there is no search for them.
    unsearched: Vec<(usize, String)>,
    /// The model without assertions that fail, where that is another.
    without_assertions: Option<Network>,
    /// Whether some step was met that fails.
    failing: bool,
    /// Questions whose verdicts rest on dead ends of an estimate.
    estimated: Vec<usize>,
    turn: Turn,
    /// Searches, by their first question, of which it is known that reducing them does
    /// not pay.
    unreduced: Vec<usize>,
    /// Searches in which no symmetry worth its while was found.
    asymmetric: Vec<usize>,
    /// What was compiled, by the first question of its search, for the turns to come.
    compiled: Vec<(usize, Rc<CompiledSpace>)>,
    /// How many questions were asked for the sake of another one; runs of these are not
    /// shortened.
    probes: u64,
    /// How many phases and notices there were before these.
    before_probes: (usize, usize),
}

impl<'a> Check<'a> {
    fn new(model: &'a Model, options: &'a Options, hooks: Hooks) -> Result<Self, UsageError> {
        let interpreter = Interpreter::new(&model.network).map_err(|diagnostics| {
            let sources = model.network.sources.clone();
            UsageError::Diagnostics { sources, diagnostics }
        })?;
        let (minimise, parts, limits) = prepare(model, &symbolic::parts_of(options)?)?;
        symmetric::refuse(options, &parts)?;
        let passes = options.passes.apply(Passes::ALL)?;
        let elsewhere = Elsewhere::open(model, options, &parts)?;
        Ok(Check {
            model,
            options,
            passes: minimise.as_ref().map_or(passes, |minimise| minimise.passes(passes)),
            runner: Runner::new(hooks, limits).with_crew(crew(options)?).on(elsewhere),
            parts,
            interpreter,
            total: Statistics::default(),
            compile_seconds: 0.0,
            notices: minimise.as_ref().map_or(Vec::new(), |one| one.notices().to_vec()),
            minimise,
            phases: Vec::new(),
            planned: Vec::new(),
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
            before_probes: (0, 0),
        })
    }

    /// Begins a question that consists of others.
    pub(crate) fn begin_probes(&mut self) {
        self.probes = 0;
        self.before_probes = (self.phases.len(), self.notices.len());
    }

    /// Asks one of them.
    pub(crate) fn ask(
        &mut self,
        question: Arc<dyn Question>,
    ) -> Result<Option<Answer>, UsageError> {
        self.probes += 1;
        let asked = [question];
        let mut results = [None];
        for search in self.gather(&asked)? {
            self.states(&search, &asked, &mut results)?;
        }
        let [answer] = results;
        Ok(answer)
    }

    /// Ends it: the others are told of in one line.
    pub(crate) fn end_probes(&mut self, name: &str) {
        let (phases, notices) = self.before_probes;
        self.phases.truncate(phases);
        let searches = match self.probes {
            1 => "1 search".into(),
            more => format!("{more} searches"),
        };
        self.phases.push(format!("`{name}`: {searches}, by halving"));
        let new = self.notices.split_off(notices);
        symmetric::once_each(&mut self.notices, &new);
        self.probes = 0;
    }

    /// What is known so far.
    fn known(&self, questions: Questions, results: &[Option<Answer>]) -> Vec<PropertyOutcome> {
        let known = questions.iter().zip(results).enumerate();
        let known = known.map(|(index, (question, result))| {
            let why = self.why_unsearched(index).unwrap_or(OPEN);
            let answer = result.clone();
            let answer = answer.unwrap_or_else(|| Answer::unsearched(&**question, Some(why)));
            let mut outcome = answer.outcome;
            if self.turn.open.contains(&index) {
                outcome.reason = OPEN.into();
            }
            self.retract(index, &mut outcome);
            outcome
        });
        known.collect()
    }

    /// The budget was spent before all questions had an answer.
    fn ended_early(&mut self, reason: &str, results: &[Option<Answer>]) {
        let open = (0..results.len()).filter(|index| results[*index].is_none());
        self.unsearched.extend(open.map(|index| (index, reason.to_string())));
    }

    /// Why there was no search for a question.
    fn why_unsearched(&self, index: usize) -> Option<&str> {
        self.unsearched.iter().find(|(of, _)| *of == index).map(|(_, why)| &**why)
    }

    fn finish(self, questions: Questions, results: Vec<Option<Answer>>) -> Checked {
        let mut traces = Vec::new();
        let mut outcomes = Vec::new();
        for (index, (question, result)) in questions.iter().zip(results).enumerate() {
            let why = self.why_unsearched(index);
            let answer = result.unwrap_or_else(|| Answer::unsearched(&**question, why));
            let Answer { mut outcome, trace } = answer;
            self.retract(index, &mut outcome);
            let others = self.others.iter().filter(|(of, _)| *of == index);
            let all = trace.into_iter().chain(others.flat_map(|(_, traces)| traces.clone()));
            traces.extend(all.map(|trace| (question.name().to_string(), trace)));
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
        Checked { outcome, traces, planned: self.planned, runs: Vec::new() }
    }
}

/// The first so many conditions.
fn mask(conditions: usize) -> u64 {
    match conditions {
        64.. => u64::MAX,
        n => (1 << n) - 1,
    }
}

/// A run that was found and is none.
pub(crate) fn internal(question: &str, error: &str) -> UsageError {
    UsageError::Internal(format!(
        "the trace found for `{question}` is not confirmed by the reference interpreter: {error}"
    ))
}
