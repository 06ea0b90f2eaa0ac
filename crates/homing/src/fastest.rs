//! The run that takes the least time: `--minimise time`.
//!
//! Behrmann, Fehnker, Hune, Larsen, Pettersson, Romijn, Vaandrager, "Minimum-Cost
//! Reachability for Priced Timed Automata" (HSCC 2001), for the case in which what
//! is paid for is time: the cost of a zone is then the value of one more clock that
//! is never set.
//!
//! ```text
//! find a run to the goal
//! repeat
//!   U := the least time that its edges can be taken in, or come close to
//!   look for a run to the goal within less than U   (within U, where U is not attained)
//! until there is none: no run takes less than U
//! ```
//! Deviation: instead of a queue ordered by cost, each search goes for any run
//! below the bound, as branch and bound does, by whatever strategy is asked for.
//! The bound is a deadline: an invariant of one process, so that nothing beyond
//! it is searched. All constants are whole numbers, so that U is one and falls by
//! one at least; what the search is bounded by is checked by the interpreter's
//! schedule of the run found.

use std::time::Instant;

use homing_ir::interp::{Interpreter, Schedule, ratio};
use homing_ir::network::{
    Binary, Expr, ExprKind, Place, Property as Written, PropertyKind, Storage, Type, Variable,
    VariableId,
};
use homing_ir::source::Span;
use homing_ir::{Sources, Trace};
use homing_report::Verdict;
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_witness::Claim;
use homing_witness::outcome::{CostOutcome, Value};
use homing_witness::why::explained;

use crate::check::{Checked, check};
use crate::load::Model;
use crate::options::Options;
use crate::question::{Question, asked as questions_asked};
use crate::run::{Hooks, UsageError};
use crate::terms::{asks_for_deadlock, join};

/// The name of the cost.
const TIME: &str = "time";

/// The name of the property that there is no faster run.
const FASTER: &str = "<faster>";

/// Whether the options ask for the fastest run.
pub(crate) fn asked(model: &Model, options: &Options) -> bool {
    model.network.is_timed() && options.minimise.as_deref().map(str::trim) == Some(TIME)
}

/// Checks properties, and looks for the fastest run to each that was reached.
pub(crate) fn fastest(
    model: &Model,
    options: &Options,
    hooks: Hooks,
) -> Result<Checked, UsageError> {
    let interpreter = Interpreter::new(&model.network).map_err(|diagnostics| {
        let sources = model.network.sources.clone();
        UsageError::Diagnostics { sources, diagnostics }
    })?;
    if model.network.has_stopwatches() {
        return Err(UsageError::Sentence(
            "the fastest run cannot be found where clocks stop: zones over-approximate what they \
             show"
                .into(),
        ));
    }
    let plain = Options { minimise: None, different: 1, ..options.clone() };
    let budget = hooks.budget.clone();
    let started = Instant::now();
    let questions = questions_asked(model, &plain)?;
    let mut checked = check(model, &plain, hooks)?;
    let Checked { outcome, traces, .. } = &mut checked;
    for (question, result) in questions.iter().zip(&mut outcome.results) {
        let name = question.name();
        let Some((_, trace)) = traces.iter_mut().find(|(of, _)| of == name) else {
            continue;
        };
        let Some((goal, sources)) = goal_of(model, &**question) else {
            outcome.notices.push(format!("`{name}`: a run to an error is not made faster"));
            continue;
        };
        let left = || {
            let time = options.limits.time.map(|time| time.saturating_sub(started.elapsed()));
            homing_core::Limits { time, ..options.limits.clone() }
        };
        let search = Faster { model, goal: &goal, sources: &sources, interpreter: &interpreter };
        let hooks = || Hooks { budget: budget.clone(), ..Hooks::default() };
        let mut round = |schedule: &Schedule| {
            if budget.check().is_err() {
                return Ok((None, false));
            }
            let options = Options { limits: left(), ..plain.clone() };
            let (statistics, found) = search.round(schedule, &options, hooks())?;
            outcome.statistics += statistics;
            result.statistics += statistics;
            Ok(found)
        };
        let first = search.schedule(trace)?;
        let (best, proven) = improve(first, &mut round)?;
        told(&search, &**question, result, &best, proven)?;
        if !best.attained {
            outcome.notices.push(infimum(name, &best, proven));
        }
        *trace = best.trace;
    }
    Ok(checked)
}

type Round<'r> = &'r mut dyn FnMut(&Schedule) -> Result<(Option<Schedule>, bool), UsageError>;

/// The fastest run that rounds find, and whether there is none that is faster.
fn improve(first: Schedule, round: Round) -> Result<(Schedule, bool), UsageError> {
    let mut best = first;
    loop {
        if best.total.0 == 0 && best.attained {
            return Ok((best, true));
        }
        match round(&best)? {
            (Some(faster), _) => best = faster,
            (None, proven) => return Ok((best, proven)),
        }
    }
}

/// What is reached, as an expression. A failing step is none.
fn goal_of(model: &Model, question: &dyn Question) -> Option<(Expr, Sources)> {
    match question.claim()? {
        Claim::Goal(goal, sources, _) => Some((goal.clone(), sources.clone())),
        Claim::Deadlock => {
            let deadlock = Expr::new(ExprKind::Deadlock, Span::default());
            Some((deadlock, model.network.sources.clone()))
        }
        Claim::Assertion | Claim::Error | Claim::Observer(_) | Claim::Run(_) => None,
    }
}

/// A search for faster runs.
struct Faster<'a> {
    model: &'a Model,
    goal: &'a Expr,
    sources: &'a Sources,
    interpreter: &'a Interpreter<'a>,
}

impl Faster<'_> {
    /// The least time that the edges of a run take.
    fn schedule(&self, trace: &Trace) -> Result<Schedule, UsageError> {
        self.interpreter.fastest(trace, Some(self.goal)).ok_or_else(|| {
            UsageError::Internal("there are no times for the steps of a run that was found".into())
        })
    }

    /// Looks for a faster run; says whether there is known to be none.
    fn round(
        &self,
        best: &Schedule,
        options: &Options,
        hooks: Hooks,
    ) -> Result<(Statistics, (Option<Schedule>, bool)), UsageError> {
        let bounded = self.within(best.total.0, best.attained);
        let properties = vec![FASTER.to_string()];
        let options = Options { goals: Vec::new(), properties, ..options.clone() };
        let checked = check(&bounded, &options, hooks)?;
        let statistics = checked.outcome.statistics;
        let Some((_, trace)) = checked.traces.first() else {
            let verdict = checked.outcome.results.first().map(|result| result.verdict);
            return Ok((statistics, (None, verdict == Some(Verdict::Holds))));
        };
        let faster = self.schedule(trace)?;
        if (faster.total.0, !faster.attained) >= (best.total.0, !best.attained) {
            let sentence = "a run within the deadline is no faster than the one before";
            return Err(UsageError::Internal(sentence.into()));
        }
        Ok((statistics, (Some(faster), false)))
    }

    /// The model with a clock that is never set, in which the goal is to be
    /// reached in time.
    fn within(&self, most: i64, strict: bool) -> Model {
        let mut network = self.model.network.clone();
        network.sources = self.sources.clone();
        let span = Span::default();
        let now = VariableId(network.variables.len() as u32);
        network.variables.push(Variable {
            name: "time".into(),
            span,
            owner: None,
            ty: Type::Clock,
            initial: vec![0],
            storage: Storage::State,
        });
        let read = Expr::new(ExprKind::Read(Place { variable: now, path: Vec::new(), span }), span);
        let bound = Box::new(Expr::int(most, span));
        let compare = if strict { Binary::Lt } else { Binary::Le };
        let in_time = Expr::new(ExprKind::Binary(compare, Box::new(read), bound), span);
        let kind = PropertyKind::Never(join(Binary::And, self.goal.clone(), in_time.clone()));
        network.properties = vec![Written { name: FASTER.into(), span, kind }];
        // Where time stops for the deadline, nothing is possible any more: that
        // would be a deadlock of its own.
        let watched = network.system_processes().map(|(process, _)| process).next();
        if let Some(process) = watched.filter(|_| !asks_for_deadlock(self.goal)) {
            for location in &mut network.processes[process.index()].locations {
                location.invariant = Some(match location.invariant.take() {
                    Some(before) => join(Binary::And, before, in_time.clone()),
                    None => in_time.clone(),
                });
            }
        }
        self.model.with_network(network)
    }
}

/// Puts the fastest run into what was found about a property.
fn told(
    search: &Faster,
    question: &dyn Question,
    result: &mut PropertyOutcome,
    best: &Schedule,
    proven: bool,
) -> Result<(), UsageError> {
    let Some(claim) = question.claim() else { return Ok(()) };
    let shown = explained(search.interpreter, &best.trace, claim);
    let mut shown = shown.map_err(|error| {
        UsageError::Internal(format!("the faster run is not confirmed by the interpreter: {error}"))
    })?;
    let whole = best.trace.steps.iter().map(|step| step.delay).sum::<i64>() + best.trace.rest;
    let text = ratio(whole, best.trace.unit);
    let value = text.parse().map_or_else(|_| Value::Text(text.as_str().into()), Value::Number);
    shown.cost = vec![CostOutcome { name: TIME.into(), text: TIME.into(), value }];
    result.trace = Some(shown);
    result.optimal = proven && best.attained;
    result.at_least = None;
    Ok(())
}

/// What is to be said where the least time is not attained.
fn infimum(property: &str, best: &Schedule, proven: bool) -> String {
    let total = ratio(best.total.0, best.total.1);
    if proven {
        return format!(
            "`{property}`: {total} is an infimum: no run takes that or less, but runs of these \
             steps come as close to it as one likes"
        );
    }
    format!(
        "`{property}`: {total} is an infimum: these steps take more time, and come as close to \
         it as one likes"
    )
}
