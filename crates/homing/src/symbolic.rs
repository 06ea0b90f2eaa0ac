//! The symbolic engine: searches over sets of states, in the words of all others.
//!
//! `homing_symbolic` knows systems and sets. Here the searches are chosen by name
//! ([`SYMBOLIC`]), limits and progress are those of every search, and what was found
//! becomes a path of states: through the [corridor](homing_symbolic::reach::Corridor) of
//! sets that the search answers with, the compiled space walks state by state, so that each
//! of its steps is found a second time.

mod searches;
mod stats;
mod walk;

use std::time::Instant;

use homing_budget::room;
use homing_core::{Limits, Progress, StopReason, Watch};
use homing_ir::{Diagnostic, Prepared};
use homing_search::{Outcome, Statistics};
use homing_space::CompiledSpace;
use homing_symbolic::reach::{self, Sought, Which};
use homing_symbolic::{Encoding, Set, Steps, Trouble};

pub use self::searches::SYMBOLIC;
pub(crate) use self::searches::{Plan, plan};
pub(crate) use self::stats::stats;
use self::walk::walk;
use crate::load::Model;
use crate::run::{Ran, Runner, UsageError};

/// The share of the memory that is left which diagrams may take: while they grow they are
/// there twice.
pub(crate) const SHARE: (usize, usize) = (3, 5);

/// What a symbolic search is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// A bit for every condition of the system that is looked for.
    pub conditions: u64,
    pub deadlock: bool,
    pub fault: bool,
}

/// The encoding of a system, or why there is none.
fn encoded<'p>(
    model: &Model,
    prepared: &'p Prepared,
    plan: &Plan,
    runner: &Runner,
) -> Result<Result<Encoding<'p>, StopReason>, UsageError> {
    let bytes = room().min(1 << 40) / SHARE.1 * SHARE.0;
    let budget = runner.budget().clone();
    told(model, Encoding::new(prepared, plan.order, budget, bytes))
}

/// Tells what has no encoding.
fn told<T>(model: &Model, made: Result<T, Trouble>) -> Result<Result<T, StopReason>, UsageError> {
    match made {
        Ok(made) => Ok(Ok(made)),
        Err(Trouble::Stopped(stop)) => Ok(Err(stop.into())),
        Err(Trouble::Refused(why, None)) => {
            Err(UsageError::Sentence(format!("the engine `symbolic` cannot: {why}")))
        }
        Err(Trouble::Refused(why, Some(edge))) => {
            let span = model.network.edge(edge).span;
            let diagnostic = Diagnostic::error(why, span).label("the engine `symbolic` cannot");
            let (sources, diagnostics) = (model.network.sources.clone(), vec![diagnostic]);
            Err(UsageError::Diagnostics { sources, diagnostics })
        }
    }
}

/// Refuses limits that a search cannot hold to.
pub(crate) fn fitting(plan: &Plan, limits: &Limits) -> Result<(), UsageError> {
    if plan.measures || limits.depth.is_none() && limits.bound.is_none() {
        return Ok(());
    }
    Err(UsageError::Sentence(format!(
        "`{}` knows nothing of depths, so it takes neither `--depth` nor `--bound`: `breadth` and \
         others do",
        plan.call.name
    )))
}

/// Searches a system by sets for what is asked.
pub(crate) fn search(
    model: &Model,
    space: &CompiledSpace,
    plan: &Plan,
    asked: Asked,
    runner: &Runner,
) -> Result<Ran, UsageError> {
    fitting(plan, runner.limits())?;
    let started = Instant::now();
    let ran = |outcome, phases| Ran {
        outcome,
        seconds: started.elapsed().as_secs_f64(),
        coverage: None,
        store_bytes: 0,
        proved: false,
        notices: Vec::new(),
        phases,
        reduced: None,
        first: None,
        record: None,
    };
    let encoding = match encoded(model, space.prepared(), plan, runner)? {
        Ok(encoding) => encoding,
        Err(stopped) => return Ok(ran(Outcome::stopped(stopped), Vec::new())),
    };
    let made = told(model, Searching::new(&encoding, asked))?;
    let searching = match made {
        Ok(searching) => searching,
        Err(stopped) => return Ok(ran(Outcome::stopped(stopped), Vec::new())),
    };
    let mut stopped = None;
    let mut watch = runner.watch(Some(runner.limits().expansions.unwrap_or(u64::MAX)));
    let found = searching.run(plan, &mut |progress| limit(&mut watch, progress, &mut stopped));
    let outcome = searching.outcome(space, plan, &found, stopped)?;
    let phase = format!(
        "`{}`: {} images by {} relations, {} nodes at most",
        plan.call,
        found.progress.iterations,
        searching.steps.relations(),
        encoding.diagrams().peak()
    );
    Ok(ran(outcome, vec![phase]))
}

/// Holds a search to its limits.
pub(crate) fn limit(
    watch: &mut Watch,
    progress: &reach::Progress,
    stopped: &mut Option<StopReason>,
) -> Result<(), homing_budget::Stop> {
    let limits = watch.limits();
    let deep = limits.depth.is_some_and(|most| progress.depth >= most && progress.frontier > 0);
    let dear =
        limits.bound.is_some_and(|most| u64::from(progress.depth) >= most && progress.frontier > 0);
    let many = limits.states.is_some_and(|most| progress.states >= u128::from(most));
    let why = match watch.check(&counted(progress)) {
        Err(why) => why,
        Ok(()) if many => StopReason::States,
        Ok(()) if deep => StopReason::Depth,
        Ok(()) if dear => StopReason::Bound,
        Ok(()) => return Ok(()),
    };
    *stopped = Some(why);
    Err(homing_budget::Stop::Cancelled)
}

/// The most expansions that are told: those of turns add up, and no sum of them may reach the
/// greatest number, which stands for no limit.
const MOST_EXPANDED: u64 = 1 << 56;

/// How far a search is, as all others tell it.
pub(crate) fn counted(progress: &reach::Progress) -> Progress {
    let states = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
    Progress {
        stored: states(progress.states),
        expanded: states(progress.states.saturating_sub(progress.frontier)).min(MOST_EXPANDED),
        generated: 0,
        frontier: states(progress.frontier),
        depth: progress.depth,
        best: None,
        bytes: progress.bytes,
    }
}

/// A search that is ready to run.
pub(crate) struct Searching<'e, 's> {
    encoding: &'e Encoding<'s>,
    pub steps: Steps<'e, 's>,
    sought: Sought,
    /// The bit of every set that is sought.
    bits: Vec<usize>,
    /// The states in which some condition cannot be evaluated.
    unevaluated: Set,
}

impl<'e, 's> Searching<'e, 's> {
    fn new(encoding: &'e Encoding<'s>, asked: Asked) -> Result<Searching<'e, 's>, Trouble> {
        let d = encoding.diagrams();
        let bits = (0..64).filter(|bit| asked.conditions >> bit & 1 == 1);
        let bits: Vec<usize> = bits.collect();
        let mut sought =
            Sought { deadlock: asked.deadlock, fault: asked.fault, ..Sought::default() };
        let mut unevaluated = d.constant(false);
        for bit in &bits {
            let (states, fails) = encoding.condition(*bit)?;
            sought.states.push(states);
            unevaluated = d.or(&unevaluated, &fails)?;
        }
        let steps = Steps::new(encoding)?;
        sought.whole = steps.may_fail() || !unevaluated.is_empty();
        Ok(Searching { encoding, steps, sought, bits, unevaluated })
    }

    fn run(&self, plan: &Plan, told: &mut reach::Told) -> reach::Outcome {
        if self.sought.all() == 0 && !plan.explores {
            return reach::breadth(&self.steps, &self.sought, told);
        }
        (plan.run)(&self.steps, &self.sought, told)
    }

    /// What was found, as paths of the compiled space.
    fn outcome(
        &self,
        space: &CompiledSpace,
        plan: &Plan,
        found: &reach::Outcome,
        stopped: Option<StopReason>,
    ) -> Result<Outcome, UsageError> {
        let mut outcome = Outcome::stopped(StopReason::Cancelled);
        outcome.stopped = found.stopped.map(|stop| stopped.unwrap_or(stop.into()));
        outcome.optimal = plan.shortest;
        outcome.at_least = match plan.layered {
            true => u64::from(found.progress.depth),
            false if plan.shortest && outcome.stopped.is_none() => u64::MAX,
            false => 0,
        };
        outcome.findings.conditions = vec![None; 64];
        for (which, corridor) in &found.found {
            let finding = walk(space, self.encoding, corridor, *which == Which::Fault);
            let finding = Some(finding.map_err(UsageError::Internal)?);
            match which {
                Which::State(number) => {
                    outcome.findings.conditions[self.bits[*number]] = finding;
                }
                Which::Deadlock => outcome.findings.deadlock = finding,
                Which::Fault => outcome.findings.fault = finding,
            }
        }
        self.look_at(space, &found.reached, &found.failing);
        let states = |set: &Set| u64::try_from(self.encoding.count(set)).unwrap_or(u64::MAX);
        outcome.statistics = Statistics {
            progress: counted(&found.progress),
            faults: states(&found.failing),
            levels: found.progress.depth,
            ..Statistics::default()
        };
        Ok(outcome)
    }

    /// Lets the compiled space see what it must know of: a state in which a condition
    /// cannot be evaluated, and states with failing steps, among which may be one that
    /// cannot start a process.
    fn look_at(&self, space: &CompiledSpace, reached: &Set, failing: &Set) {
        let d = self.encoding.diagrams();
        if let Ok(both) = d.and(reached, &self.unevaluated)
            && !both.is_empty()
        {
            space.conditions(&space.layout().pack(&self.encoding.pick(&both)));
        }
        walk::look_for_unstarted(space, self.encoding, failing);
    }
}
