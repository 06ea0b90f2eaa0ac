//! `homing shorten`: make a trace shorter.

use homing::report::text;
use homing::report::trace_file::Record;
use homing::{Limits, Options, UseEngine};

use super::traces;
use crate::arguments::Shorten;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::repeat;
use crate::terminal::{Terminal, complain, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Shorten, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.trace {
        super::check_target("trace", path)?;
    }
    let model = super::load(&arguments.model, terminal, watching)?;
    let stored = traces::read(&arguments.long, &model)?;
    let asked = arguments.aim.goal.is_some() || arguments.aim.property.is_some();
    if !asked && stored.property.is_empty() {
        let path = arguments.long.display();
        return Err(sentence(format_args!(
            "{path}: nothing is wrong at the end of this run; say by --goal what it shows"
        )));
    }
    traces::check_trail(arguments.trails.trail.as_ref(), &model)?;
    let options = options(arguments)?;
    let shortened =
        homing::shorten(&model, &options, &stored.trace, &stored.property, watching.hooks());
    watching.done();
    let mut shortened = shortened?;
    shortened.outcome.command = repeat::command();
    shortened.outcome.model = arguments.model.path.display().to_string();
    let mut saved = Exit::Success;
    if let Some(path) = &arguments.trace {
        let (model_name, property) = (&shortened.outcome.model, &shortened.outcome.property);
        let trace = &shortened.trace;
        let record = Record { network: &model.network, model: model_name, property, trace };
        if let Err(error) = record.write(path) {
            complain(&format!("error: cannot write the trace `{}`: {error}\n", path.display()));
            saved = Exit::Wrong;
        }
    }
    if let Some(path) = &arguments.trails.trail {
        let trace = std::iter::once(&shortened.trace);
        saved = saved.and(traces::save_trails(path.as_deref(), &arguments.model, &model, trace));
    }
    let outcome = &shortened.outcome;
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, outcome),
        false => text::shorten(out, outcome, &terminal.layout),
    });
    let exit = if outcome.optimal { Exit::Success } else { Exit::Unknown };
    Ok(exit.and(saved).and(printed))
}

fn options(arguments: &Shorten) -> Result<Options, Failure> {
    let mut options = Options {
        goals: arguments.aim.goal.iter().cloned().collect(),
        properties: arguments.aim.property.iter().cloned().collect(),
        limits: Limits {
            memory: arguments.budget.memory.or_else(homing::default_memory_limit),
            time: arguments.budget.time,
            expansions: arguments.expansions,
            ..Limits::default()
        },
        ..Options::default()
    };
    options.fairness = arguments.fairness;
    options.engine = UseEngine::Explicit(arguments.engine.explicit()?);
    options.strategy.clone_from(&arguments.strategy);
    options.passes.off = arguments.preparation.no_pass.clone();
    Ok(options)
}
