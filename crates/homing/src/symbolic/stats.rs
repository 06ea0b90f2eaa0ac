//! Counting states as sets.

use std::time::Instant;

use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_report::outcome::{Plan as Shown, StatsOutcome};
use homing_space::CompiledSpace;
use homing_symbolic::Set;
use homing_symbolic::reach::Outcome;

use super::{Asked, Plan, Searching, encoded, fitting, limit, plan, told};
use crate::load::Model;
use crate::options::{Options, UseSymmetry};
use crate::question::failed_assertion;
use crate::run::{Hooks, Runner, UsageError, peak, refused, stop_reason};

/// Explores all states of a model as sets, and counts them.
pub(crate) fn stats(
    model: &Model,
    options: &Options,
    hooks: Hooks,
) -> Result<StatsOutcome, UsageError> {
    let plan = counting(options)?;
    let passes = options.passes.apply(Passes::COUNTING)?;
    let started = Instant::now();
    let (space, conditions) = space(model, options, passes)?;
    let runner = Runner::new(hooks, options.limits.clone());
    runner.guard(model, &space);
    let stopped = |why| UsageError::Stopped(stop_reason(why, &options.limits));
    let encoding = encoded(model, space.prepared(), &plan, &runner)?.map_err(stopped)?;
    let asked = Asked { conditions: 0, deadlock: false, fault: false };
    let searching = told(model, Searching::new(&encoding, asked))?.map_err(stopped)?;
    let prepared = started.elapsed();
    let mut why = None;
    let mut watch = runner.watch(runner.limits().expansions);
    let found = searching.run(&plan, &mut |progress| limit(&mut watch, progress, &mut why));
    searching.look_at(&space, &found.reached, &found.failing);
    runner.enough(model, &space)?;
    let counts = counts(&searching, conditions, &found.reached, &found.failing);
    let counts = counts.map_err(|stop| stopped(stop.into()))?;
    let ended = found.stopped.map(|stop| why.unwrap_or(stop.into()));
    let progress = super::counted(&found.progress);
    let d = encoding.diagrams();
    let all = encoding.count(&found.reached);
    let phases = phases(&searching, &plan, &found);
    Ok(StatsOutcome {
        model: model.network.name.clone(),
        command: String::new(),
        plan: Shown {
            strategy: plan.call.to_string(),
            store: "decision diagrams".into(),
            passes: passes.names().into_iter().map(String::from).collect(),
            phases,
            zones: false,
        },
        states: progress.stored,
        transitions: counts.transitions,
        deadlocks: counts.deadlocks,
        levels: u64::from(progress.depth),
        errors: counts.errors,
        violations: counts.violations,
        state_bits: u64::from(space.layout().bits),
        state_words: space.layout().words as u64,
        bytes_per_state: d.bytes() as f64 / all.max(1) as f64,
        peak_bytes: peak(&progress),
        seconds: (started.elapsed() - prepared).as_secs_f64(),
        compile_seconds: prepared.as_secs_f64(),
        complete: ended.is_none(),
        reason: match ended {
            Some(why) => stop_reason(why, &options.limits),
            None => "all reachable states were explored".into(),
        },
    })
}

/// The search that counts, if it can.
fn counting(options: &Options) -> Result<Plan, UsageError> {
    refuse(options)?;
    let plan = plan(options.strategy.as_deref()).map_err(UsageError::Sentence)?;
    if !plan.explores {
        let why = format!(
            "`{}` looks for something, and counts nothing: `breadth` and others do",
            plan.call.name
        );
        return Err(UsageError::Sentence(why));
    }
    fitting(&plan, &options.limits)?;
    Ok(plan)
}

/// The space of a model that is to be counted, with how many conditions it has.
fn space(
    model: &Model,
    options: &Options,
    passes: Passes,
) -> Result<(CompiledSpace, usize), UsageError> {
    let conditions = failed_assertion(&model.network).into_iter();
    let conditions: Vec<Wanted> =
        conditions.map(|wanted| Wanted { assertions: false, ..wanted }).collect();
    let space = CompiledSpace::executed(&model.network, &conditions, passes, options.execution());
    let space = space.map_err(|error| refused(model, error))?;
    if space.system().timing.is_some() {
        return Err(UsageError::Sentence(
            "the engine `symbolic` knows no clocks, and no priorities of steps".into(),
        ));
    }
    Ok((space, conditions.len()))
}

/// Refuses what sets of states do not have.
fn refuse(options: &Options) -> Result<(), UsageError> {
    let unfit = options.store.is_some()
        || options.reduction.asked().is_some()
        || options.symmetry == UseSymmetry::Always;
    if unfit {
        let why = "the engine `symbolic` counts sets of states, for which there are no stores, \
                   reductions or symmetries";
        return Err(UsageError::Sentence(why.into()));
    }
    Ok(())
}

/// What was done, in words.
fn phases(searching: &Searching, plan: &Plan, found: &Outcome) -> Vec<String> {
    let d = searching.encoding.diagrams();
    let mut phases = vec![format!(
        "`{}`: {} images by {} relations, {} nodes at most, {} of all states",
        plan.call,
        found.progress.iterations,
        searching.steps.relations(),
        d.peak(),
        d.size(&found.reached),
    )];
    let all = searching.encoding.count(&found.reached);
    let many = all > u128::from(u64::MAX);
    phases.extend(many.then(|| format!("{all} states, which is more than fit above")));
    if searching.steps.has_control() {
        phases.push("steps in which control is held are not counted as transitions".into());
    }
    phases
}

/// What is counted in the states that were reached.
struct Counts {
    transitions: u64,
    deadlocks: u64,
    errors: u64,
    violations: u64,
}

fn counts(
    searching: &Searching,
    conditions: usize,
    reached: &Set,
    failing: &Set,
) -> Result<Counts, homing_budget::Stop> {
    let (encoding, steps) = (searching.encoding, &searching.steps);
    let d = encoding.diagrams();
    let count = |set: &Set| u64::try_from(encoding.count(set)).unwrap_or(u64::MAX);
    let (mut transitions, mut errors): (u64, u64) = (0, 0);
    for one in &steps.rules().ordinary {
        if steps.ends_at_once(one) {
            transitions = transitions.saturating_add(count(&d.and(reached, &one.enabled)?));
        }
        errors = errors.saturating_add(count(&d.and(reached, &one.fails)?));
    }
    if steps.has_control() {
        errors = count(failing);
    }
    let mut violations = 0;
    if conditions > 0 {
        // Encoded once before: it has a form.
        let Ok((holds, _)) = encoding.condition(0) else { return Err(homing_budget::Stop::Memory) };
        violations = count(&d.and(reached, &holds)?);
    }
    let deadlocks = count(&steps.stuck(reached)?);
    Ok(Counts { transitions, deadlocks, errors, violations })
}
