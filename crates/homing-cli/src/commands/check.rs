//! `homing check`: search a model for violations of its properties.

use homing::Options;
use homing::report::format::Shown;
use homing::report::text;

use super::traces;
use crate::arguments::Check;
use crate::drawing::{check_all, draw_all};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::repeat;
use crate::settings;
use crate::terminal::{Terminal, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Check, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.trace {
        super::check_target("trace", path)?;
    }
    check_all(&arguments.charts.chart, arguments.output.json)?;
    let options = options(arguments)?;
    let model = super::load(&arguments.model, terminal, watching)?;
    traces::check_trail(arguments.trails.trail.as_ref(), &model)?;
    let settled = homing::settled(model, |model| homing::check(model, &options, watching.hooks()));
    watching.done();
    let (model, mut checked) = settled?;
    checked.outcome.command = repeat::command();
    checked.outcome.model = arguments.model.path.display().to_string();
    let saved = match &arguments.trace {
        Some(path) => traces::save(path, &model, &checked),
        None => Exit::Success,
    };
    let trailed = match &arguments.trails.trail {
        Some(path) => {
            let traces = checked.traces.iter().map(|(_, trace)| trace);
            traces::save_trails(path.as_deref(), &arguments.model, &model, traces)
        }
        None => Exit::Success,
    };
    let mut layout = terminal.layout;
    if saved != Exit::Success {
        // What could not be saved must not be cut as well.
        layout.most_steps = usize::MAX;
    }
    let outcome = &checked.outcome;
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, outcome),
        false => text::check(out, outcome, &layout),
    });
    let mut exit = Exit::from(outcome).and(saved).and(trailed).and(printed);
    let first = outcome.results.iter().find_map(|result| result.trace.as_ref());
    // The first trace belongs to the first property with one.
    let run = checked.traces.first().map(|(_, trace)| trace);
    if let (Some(trace), Some(run)) = (first, run) {
        let shown = Shown { network: &model.network, outcome: trace, trace: run };
        exit = exit.and(draw_all(&arguments.charts.chart, &shown, terminal));
    }
    Ok(exit)
}

fn options(arguments: &Check) -> Result<Options, Failure> {
    let mut options = Options {
        goals: arguments.goal.clone(),
        properties: arguments.property.clone(),
        formulas: arguments.ltl.clone(),
        automata: arguments.hoa.clone(),
        fairness: arguments.fairness,
        limits: super::limits(&arguments.limits),
        ..Options::default()
    };
    for (asked, refused, name) in [
        (arguments.end_states, arguments.no_end_states, "deadlock"),
        (arguments.assertions, arguments.no_assertions, "assertions"),
    ] {
        options.properties.extend(asked.then(|| name.to_string()));
        options.without.extend(refused.then(|| name.to_string()));
    }
    let config = arguments.named.config.as_deref();
    let strategy = settings::strategy(arguments.strategy.as_deref().unwrap_or("auto"), config)?;
    options.strategy = arguments.strategy.is_some().then_some(strategy);
    options.estimate.clone_from(&arguments.estimate);
    options.minimise.clone_from(&arguments.minimise);
    options.store.clone_from(&arguments.store);
    options.crew.threads = arguments.crew.asked(options.limits.memory);
    options.engine = arguments.engine.engine;
    options.zones = arguments.zones.asked();
    options.reduction = arguments.reduction;
    options.symmetry = arguments.symmetry;
    arguments.seed.iter().for_each(|seed| options.seed = *seed);
    options.passes.off = arguments.preparation.no_pass.clone();
    options.different = arguments.different.into();
    super::resume::to_last(&mut options, &arguments.disk)?;
    Ok(options)
}
