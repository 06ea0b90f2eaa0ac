//! Exploring everything, and counting.

use std::time::Instant;

use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_report::outcome::{Plan, StatsOutcome};
use homing_search::Task;
use homing_space::CompiledSpace;
use homing_space::reduction::Asked;

use crate::elsewhere::Elsewhere;
use crate::load::Model;
use crate::options::{Options, UseEngine, UseSymmetry};
use crate::question::failed_assertion;
use crate::run::{
    Aim, Configuration, Hooks, Ran, Runner, UsageError, during, peak, refused, stop_reason,
};
use crate::searched::Searched;
use crate::threads::crew;
use crate::{relational, symbolic, symmetric};

/// Explores the whole state space of a model. By default it counts the model's
/// own states: only passes that keep their number are on.
pub fn stats(model: &Model, options: &Options, hooks: Hooks) -> Result<StatsOutcome, UsageError> {
    if let Some(relation) = &model.network.relation {
        return relational::stats(model, relation, options, hooks);
    }
    let budget = hooks.budget.clone();
    budget.limit(options.limits.time, options.limits.memory);
    during(&budget, || explored(model, options, hooks))?
}

fn explored(model: &Model, options: &Options, hooks: Hooks) -> Result<StatsOutcome, UsageError> {
    if options.engine == UseEngine::Symbolic {
        return symbolic::stats(model, options, hooks);
    }
    let parts = chosen(model, options)?;
    let passes = options.passes.apply(Passes::COUNTING)?;
    let started = Instant::now();
    let conditions: Vec<_> = failed_assertion(&model.network)
        .into_iter()
        .map(|wanted| Wanted { assertions: false, ..wanted })
        .collect();
    let space = CompiledSpace::executed(&model.network, &conditions, passes, options.execution());
    let space = space.map_err(|error| refused(model, error))?;
    let prepared = started.elapsed();
    let count = if conditions.is_empty() { 0 } else { 1 };
    let mut searched = Searched::new(&space, options.zones, false)?;
    if options.symmetry == UseSymmetry::Always {
        searched = searched.symmetric(model, &parts);
    }
    let asked = Asked { conditions: count, deadlock: true, fault: true, lasso: false };
    searched.reduce(options.reduction.asked(), asked, &parts)?;
    let task = Task { count, ..Task::explore(searched.space()) };
    let elsewhere = Elsewhere::open(model, options, &parts)?;
    let runner = Runner::new(hooks, options.limits.clone()).with_crew(crew(options)?);
    let runner = runner.on(elsewhere);
    runner.guard(model, &space);
    let ran = runner.run(&parts, &searched, &task, &Aim::default());
    let ran = ran.and_then(|ran| runner.enough(model, &space).map(|()| ran));
    runner.leave(ran.as_ref().err())?;
    let ran = ran?;
    let statistics = &ran.outcome.statistics;
    let (states, transitions) = (statistics.progress.stored, statistics.progress.generated);
    let phases = searched.notices.iter().cloned().chain(space.interpreted()).collect();
    Ok(StatsOutcome {
        model: model.network.name.clone(),
        command: String::new(),
        plan: Plan { phases, ..parts.plan(passes) },
        states,
        transitions,
        deadlocks: statistics.deadlocks,
        levels: u64::from(statistics.levels),
        errors: statistics.faults,
        violations: statistics.counted,
        state_bits: u64::from(space.layout().bits),
        state_words: searched.space().width() as u64,
        bytes_per_state: ran.store_bytes as f64 / states.max(1) as f64,
        peak_bytes: peak(&statistics.progress),
        seconds: ran.seconds,
        compile_seconds: (prepared + space.compile_time()).as_secs_f64(),
        complete: ran.outcome.stopped.is_none() && ran.coverage.is_none(),
        reason: [Some(reason(&ran, options)), runner.how_to_go_on()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
    })
}

/// The parts that were asked for, if they can count.
fn chosen(model: &Model, options: &Options) -> Result<Configuration, UsageError> {
    let parts = Configuration::choose(model, options, "breadth")?;
    if let homing_search::Plan::Race(_) = parts.strategy.plan {
        return Err(UsageError::Sentence(
            "in a race the first answer counts, but here everything is to be counted; give one strategy"
                .into(),
        ));
    }
    if parts.strategy.is_directed() {
        return Err(UsageError::Sentence(
            "the strategy is directed at a goal, but everything is to be explored; give another strategy"
                .into(),
        ));
    }
    if !parts.keeps_all() {
        return Err(UsageError::Sentence(
            "the strategy does not keep all states, but all are to be counted; give another strategy"
                .into(),
        ));
    }
    symmetric::refuse(options, &parts)?;
    Ok(parts)
}

/// Why the search ended.
fn reason(ran: &Ran, options: &Options) -> String {
    match (ran.outcome.stopped, ran.coverage, ran.reduced) {
        (Some(stopped), ..) => stop_reason(stopped, &options.limits),
        (None, Some(coverage), _) => lossy(coverage),
        (None, None, None) => "all reachable states were explored".into(),
        (None, None, Some(reduced)) => format!(
            "all states were explored that partial-order reduction leaves, \
             which took an ample set in {reduced} of them"
        ),
    }
}

/// What a store that may miss states makes of a search that found nothing.
pub(crate) fn lossy(coverage: f64) -> String {
    format!(
        "the store may take different states for one; it is expected to have seen {:.4} % of them",
        coverage * 100.0
    )
}
