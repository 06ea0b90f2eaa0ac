//! `homing accuracy`: compare estimates with exact distances.

use std::path::Path;

use homing::report::accuracy::{AccuracyOutcome, text};
use homing::report::plot::Plot;
use homing::{AccuracyOptions, Limits};

use crate::arguments::Accuracy;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::repeat;
use crate::terminal::{Terminal, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(
    arguments: &Accuracy,
    terminal: &Terminal,
    watching: &Watching,
) -> Result<Exit, Failure> {
    for (path, _) in pictures(arguments) {
        super::check_target("picture", path)?;
    }
    let model = super::load(&arguments.model, terminal, watching)?;
    let outcome = homing::accuracy(&model, &options(arguments)?, watching.hooks());
    watching.done();
    let mut outcome = outcome?;
    outcome.command = repeat::command();
    outcome.model = arguments.model.path.display().to_string();
    let saved =
        pictures(arguments).map(|(path, picture)| super::save_plot(path, &picture(&outcome)));
    let saved = saved.fold(Exit::Success, Exit::and);
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, &outcome),
        false => text(out, &outcome, &terminal.layout),
    });
    Ok(saved.and(printed))
}

type Picture = fn(&AccuracyOutcome) -> Plot;

/// The pictures asked for, and where they go.
fn pictures(arguments: &Accuracy) -> impl Iterator<Item = (&Path, Picture)> {
    let all: [(_, Picture); 3] = [
        (&arguments.plot, AccuracyOutcome::estimates_plot),
        (&arguments.plot_error, AccuracyOutcome::errors_plot),
        (&arguments.plot_expanded, AccuracyOutcome::expanded_plot),
    ];
    all.into_iter().filter_map(|(path, picture)| Some((path.as_deref()?, picture)))
}

fn options(arguments: &Accuracy) -> Result<AccuracyOptions, Failure> {
    let mut options = AccuracyOptions {
        goal: arguments.aim.goal.clone(),
        property: arguments.aim.property.clone(),
        estimates: arguments.estimate.clone(),
        execution: arguments.engine.explicit()?,
        limits: Limits {
            memory: arguments.budget.memory.or_else(homing::default_memory_limit),
            time: arguments.budget.time,
            states: Some(arguments.states),
            ..Limits::default()
        },
        ..AccuracyOptions::default()
    };
    options.passes.off.clone_from(&arguments.preparation.no_pass);
    Ok(options)
}
