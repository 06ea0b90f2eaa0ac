//! Making a counterexample shorter: trail improvement.
//!
//! Edelkamp, Leue, Lluch Lafuente, "Directed explicit-state model checking in
//! the validation of communication protocols" (2004), section 6; survey,
//! section 5: the trail of another search, or of another tool, is improved by a
//! search directed at the states of the trail itself.
//!
//! ```text
//! cut the run at its first violation, and every loop out of it
//! leave out steps that the violation does not need
//! repeat until nothing improves, or the budget is spent:
//!   for windows of 4, 8, 16, … steps along the run:
//!     search from the window's first state for any state behind it on the
//!     run, directed at the window's last, in fewer steps than the window has
//!   search from the initial state for a violation in fewer steps than the run
//!     has; if there is none, the run is a shortest one
//! ```
//! The distance to a state of the run is the FSM distance, among equals the
//! Hamming distance. We add the removal of steps (delta debugging, Zeller,
//! Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) and
//! the last search, which proves. It is tried for a moment right at the
//! beginning, because on small models it is all that is needed.
//!
//! All of this works on the compiled space; what comes out is replayed by the
//! reference interpreter like any other trace.

mod removal;
mod run;
mod whole;
mod windows;

use std::sync::Arc;
use std::time::Instant;

use homing_core::catalogue::Job;
use homing_core::{Progress, StopReason};
use homing_guide::Target;
use homing_ir::flatten::Wanted;
use homing_ir::interp::Interpreter;
use homing_ir::passes::Passes;
use homing_ir::{Step, Trace};
use homing_report::outcome::{GainOutcome, ShortenOutcome, Statistics};
use homing_space::CompiledSpace;
use homing_witness::Claim;
use homing_witness::replay::{confirm, replay};
use homing_witness::why::{MOST_STEPS, explained, needed};

use crate::check::trace_of;
use crate::load::Model;
use crate::options::Options;
use crate::planner::first;
use crate::question::{Hit, Need, Question, asked, asserts_in_effects, failed_step, named};
use crate::relational;
use crate::run::{
    Aim, Configuration, Hooks, Ran, Runner, UsageError, during, peak, refused, stop_reason,
};
use crate::searched::Searched;
use crate::times::scheduled;
use run::{Followed, Follower};

/// The expansions spent where neither they nor the time are limited.
pub const SHORTEN_EXPANSIONS: u64 = 1_000_000;

/// A counterexample made shorter, if it could be.
#[derive(Clone, Debug)]
pub struct Shortened {
    /// What was done.
    pub outcome: ShortenOutcome,
    /// The shorter run.
    pub trace: Trace,
}

/// Makes a trace that violates `property` (a property's name, or the text of a
/// goal) shorter. Goals or properties among the options come before it; there
/// may be one only.
pub fn shorten(
    model: &Model,
    options: &Options,
    trace: &Trace,
    property: &str,
    hooks: Hooks,
) -> Result<Shortened, UsageError> {
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    during(&budget, || shortened(model, options, trace, property, hooks))?
}

fn shortened(
    model: &Model,
    options: &Options,
    trace: &Trace,
    property: &str,
    hooks: Hooks,
) -> Result<Shortened, UsageError> {
    relational::without(model, "shortened")?;
    let given = !options.goals.is_empty() || !options.properties.is_empty();
    let mut questions = match given {
        true => asked(model, options)?,
        false => vec![named(model, property)?],
    };
    let sentence = |text: &str| UsageError::Sentence(text.into());
    let question = questions.pop().ok_or_else(|| sentence("there is no property"))?;
    if !questions.is_empty() {
        return Err(sentence("a trace is shortened for one property; give one"));
    }
    let interpreter = Interpreter::new(&model.network).map_err(|diagnostics| {
        UsageError::Diagnostics { sources: model.network.sources.clone(), diagnostics }
    })?;
    let asked = Arc::clone(&question);
    if let Some(claim) = whole::claim(model, options, &*asked) {
        return whole::shorten(model, options, (&interpreter, question), claim, trace, hooks);
    }
    let name = question.name();
    let state = matches!(question.need(&model.network), Need::State(_));
    let Some(claim) = question.claim().filter(|_| state) else {
        return Err(UsageError::Sentence(format!(
            "`{name}` is not about a state that a trace ends in, nor judged by an automaton: its \
             traces are not shortened"
        )));
    };
    let replayed = replay(&interpreter, trace).map_err(|error| {
        UsageError::Sentence(format!("{error}; was the trace made from another model?"))
    })?;
    confirm(&interpreter, &replayed.end, claim)
        .map_err(|error| not_a_violation(trace, name, &error.to_string()))?;
    let mut limits = options.limits.clone();
    if limits.expansions.is_none() && limits.time.is_none() {
        limits.expansions = Some(SHORTEN_EXPANSIONS);
    }
    let runner = Runner::new(hooks, limits);
    improve(model, options, &interpreter, &*question, trace, runner)
}

/// A trace that does not show what it is said to.
fn not_a_violation(trace: &Trace, name: &str, error: &str) -> UsageError {
    let length = trace.steps.len();
    UsageError::Sentence(format!(
        "after its {length} steps the trace does not violate `{name}`: {error}"
    ))
}

/// Makes a trace shorter that is known to violate the property.
pub(crate) fn improve(
    model: &Model,
    options: &Options,
    interpreter: &Interpreter,
    question: &dyn Question,
    trace: &Trace,
    runner: Runner,
) -> Result<Shortened, UsageError> {
    let started = Instant::now();
    let sought = question.need(&model.network).into_sought();
    let (Some(sought), Some(claim)) = (sought, question.claim()) else {
        return Err(UsageError::Internal("a trace of whole runs is not shortened".into()));
    };
    let hit = sought.hit(0);
    let passes = options.passes.apply(Passes::ALL)?;
    let passes = Passes { slice: sought.slice && passes.slice, ..passes };
    // Steps that fail by an assertion are none of the errors.
    let fails = || asserts_in_effects(&model.network).then(failed_step);
    let condition = if hit == Hit::Fault { fails() } else { sought.condition().cloned() };
    let conditions: Vec<Wanted> = condition.into_iter().collect();
    let space = CompiledSpace::executed(&model.network, &conditions, passes, options.execution())
        .map_err(|error| refused(model, error))?;
    let searched = Searched::new(&space, options.zones, hit == Hit::Deadlock)?;
    let mut improving = Improving {
        model,
        options,
        interpreter,
        name: question.name(),
        claim,
        space: &searched,
        hit,
        follower: Follower::new(&searched, hit),
        runner,
        best: Followed::default(),
        spent: Statistics::default(),
        gains: Vec::new(),
        notices: Vec::new(),
        at_least: 0,
    };
    let ended = improving.run(trace)?;
    // Nothing is called shortest while a process could not start.
    improving.runner.enough(model, &space)?;
    improving.spent.seconds = started.elapsed().as_secs_f64();
    improving.finish(model, trace, ended)
}

/// How the improvement ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// There is no shorter run.
    Shortest,
    /// A limit was hit.
    Stopped(StopReason),
    /// It could not be followed among zones.
    Unfollowed,
}

struct Improving<'a> {
    model: &'a Model,
    options: &'a Options,
    interpreter: &'a Interpreter<'a>,
    name: &'a str,
    claim: Claim<'a>,
    space: &'a Searched<'a>,
    hit: Hit,
    follower: Follower<'a>,
    runner: Runner,
    best: Followed,
    spent: Statistics,
    gains: Vec<GainOutcome>,
    notices: Vec<String>,
    /// No violation is shorter than this.
    at_least: u64,
}

impl Improving<'_> {
    fn run(&mut self, trace: &Trace) -> Result<Ended, UsageError> {
        let steps = trace.steps.iter().map(|step| Step { delay: 0, ..step.clone() });
        let steps: Vec<Step> = steps.collect();
        if self.model.network.has_stopwatches() {
            // What is shorter among zones need not be a run.
            return Ok(Ended::Unfollowed);
        }
        self.best = match self.follower.follow(&steps) {
            Some(followed) => followed,
            // Of a zone's step there may be several pieces, only one of which
            // goes on.
            None if self.space.is_timed() => return Ok(Ended::Unfollowed),
            None => {
                let sentence = "the trace replays, but not in the compiled space";
                return Err(UsageError::Internal(sentence.into()));
            }
        };
        self.note("a first violation on the way", trace.steps.len());
        self.change("cutting loops", |run, _| run.best.without_loops());
        self.slice();
        // On small models, one search answers everything.
        if let Some(ended) = self.prove(Some(self.share() / 8))? {
            return Ok(ended);
        }
        loop {
            let before = self.best.len();
            self.change("leaving out steps", removal::remove);
            self.change("shorter ways between its states", windows::shorten);
            if let Some(ended) = self.prove(Some(self.share() / 2))? {
                return Ok(ended);
            }
            if self.best.len() == before {
                // Nothing else helps: all that is left goes into the proof.
                let all = self.left();
                return Ok(match self.prove(all)? {
                    Some(ended) => ended,
                    None => Ended::Stopped(self.stopped().unwrap_or(StopReason::Bound)),
                });
            }
            if let Some(stopped) = self.stopped() {
                return Ok(Ended::Stopped(stopped));
            }
        }
    }

    /// Runs one way to improve, and notes what it gained.
    fn change(&mut self, by: &str, way: impl FnOnce(&mut Self, usize) -> Followed) {
        let before = self.best.len();
        let changed = way(self, before);
        if changed.len() < before {
            self.best = changed;
        }
        self.note(by, before);
    }

    fn note(&mut self, by: &str, before: usize) {
        let length = self.best.len();
        if length < before {
            self.gains.push(GainOutcome { by: by.into(), length: length as u64 });
        }
    }

    /// Leaves out what the backward slice says does not matter.
    fn slice(&mut self) {
        let steps = self.follower.steps(&self.best);
        if steps.len() > MOST_STEPS {
            return;
        }
        let trace = Trace::new(steps);
        let needed = needed(self.interpreter, &trace, self.claim);
        let kept = trace.steps.into_iter().zip(needed).filter(|(_, needed)| *needed);
        let kept: Vec<_> = kept.map(|(step, _)| step).collect();
        self.change("leaving out what does not matter", |run, _| {
            run.follower.follow(&kept).unwrap_or_else(|| run.best.clone())
        });
    }

    /// The expansions left, where they are limited.
    fn left(&self) -> Option<u64> {
        let most = self.runner.limits().expansions;
        most.map(|most| most.saturating_sub(self.spent.expanded))
    }

    /// What ways to improve share: the expansions left, or the usual number
    /// where only the time is limited.
    fn share(&self) -> u64 {
        self.left().unwrap_or(SHORTEN_EXPANSIONS)
    }

    /// Whether a limit was hit already.
    fn stopped(&self) -> Option<StopReason> {
        let Statistics { stored, expanded, generated, .. } = self.spent;
        let progress = Progress { stored, expanded, generated, ..Progress::default() };
        self.runner.watch(None).check(&progress).err()
    }

    /// Looks for violations in fewer steps, from the start, until there are
    /// none; `None` where the expansions did not suffice.
    fn prove(&mut self, expansions: Option<u64>) -> Result<Option<Ended>, UsageError> {
        let mut left = expansions;
        loop {
            // The step that fails is none of the path, and cannot be saved.
            let Some(bound) = self.best.edges.len().checked_sub(1) else {
                return Ok(Some(Ended::Shortest));
            };
            let ran = self.search(bound as u64, left)?;
            let outcome = &ran.outcome;
            left = left.map(|left| left.saturating_sub(outcome.statistics.progress.expanded));
            let found = self.hit.of(&outcome.findings);
            let shorter = found.filter(|found| found.length() < self.best.len());
            let Some(finding) = shorter else {
                self.at_least = self.at_least.max(outcome.at_least.min(self.best.len() as u64));
                return Ok(match outcome.stopped {
                    // Only what finds shortest traces misses none below a bound.
                    None | Some(StopReason::Bound) => outcome.optimal.then_some(Ended::Shortest),
                    Some(StopReason::Expansions) if self.left() != Some(0) => None,
                    Some(stopped) => Some(Ended::Stopped(stopped)),
                });
            };
            let steps = trace_of(self.space, finding).steps;
            let before = self.best.len();
            match self.follower.follow(&steps) {
                Some(found) if found.len() < before => self.best = found,
                _ => return Err(UsageError::Internal("a shorter trace cannot be followed".into())),
            }
            self.note("a search from the start", before);
            if outcome.optimal {
                return Ok(Some(Ended::Shortest));
            }
        }
    }

    /// A search from the initial state for a violation along at most `bound`
    /// steps that do not fail.
    fn search(&mut self, bound: u64, expansions: Option<u64>) -> Result<Ran, UsageError> {
        let target = self.hit.target();
        let strategy = match target {
            Some(Target::Condition(_) | Target::State(_)) => first(Job::Shortest),
            Some(Target::Deadlock) => first(Job::ShortestDeadlock),
            None => None,
        };
        let strategy = strategy.unwrap_or("breadth");
        let parts = Configuration::choose(self.model, self.options, strategy)?;
        let task = self.hit.task(self.space.space());
        let aim = Aim { target, ..Aim::default() };
        let bounded = self.runner.bounded(Some(bound), expansions);
        let ran = bounded.run(&parts, self.space, &task, &aim)?;
        self.account(&ran.outcome.statistics.progress);
        for notice in &ran.notices {
            if !self.notices.contains(notice) {
                self.notices.push(notice.clone());
            }
        }
        Ok(ran)
    }

    fn account(&mut self, progress: &Progress) {
        self.spent += Statistics {
            stored: progress.stored,
            expanded: progress.expanded,
            generated: progress.generated,
            work: progress.generated,
            peak_bytes: peak(progress),
            ..Statistics::default()
        };
    }

    fn finish(self, model: &Model, given: &Trace, ended: Ended) -> Result<Shortened, UsageError> {
        if let Some(error) = self.space.discrete.error() {
            return Err(UsageError::Sentence(error.to_string()));
        }
        let claim = self.claim;
        let trace = match ended {
            Ended::Unfollowed => Ok(given.clone()),
            _ => {
                let steps = Trace::new(self.follower.steps(&self.best));
                scheduled(self.interpreter, &steps, claim).map_err(|error| error.to_string())
            }
        };
        let shown = trace.and_then(|trace| {
            explained(self.interpreter, &trace, claim).map(|shown| (trace, shown))
        });
        let (trace, shown) = shown.map_err(|error| {
            UsageError::Internal(format!(
                "the shorter trace is not confirmed by the reference interpreter: {error}"
            ))
        })?;
        let reason = match ended {
            Ended::Shortest => "there is no shorter one".into(),
            Ended::Unfollowed => "it could not be followed among zones exactly".into(),
            Ended::Stopped(stopped) => {
                format!(
                    "{}; there may be a shorter one",
                    stop_reason(stopped, self.runner.limits())
                )
            }
        };
        let length = trace.steps.len() as u64;
        let outcome = ShortenOutcome {
            model: model.network.name.clone(),
            command: String::new(),
            property: self.name.into(),
            before: given.steps.len() as u64,
            optimal: ended == Ended::Shortest,
            at_least: if ended == Ended::Shortest { length } else { self.at_least.min(length) },
            reason,
            gains: self.gains,
            notices: self.notices,
            trace: shown,
            statistics: self.spent,
        };
        Ok(Shortened { outcome, trace })
    }
}
