//! `homing tune`: the best configuration for some models, written down under a name.

use std::fs;
use std::path::PathBuf;

use homing::report::tuned;
use homing::{Limits, Model, Options, TuneFor, TuneOptions};

use crate::arguments::{Best, Tune};
use crate::exit::Exit;
use crate::failure::{Failure, apology, sentence};
use crate::repeat;
use crate::settings::Settings;
use crate::terminal::{Terminal, complain, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Tune, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    super::check_target("configuration", &arguments.out)?;
    // What is wrong with the file or the name is found out before the race.
    let settings = Settings::to_write(&arguments.out)?;
    settings.with(&arguments.name, "auto")?;
    let load = |path: &PathBuf| {
        let model = super::load_file(path, &arguments.reading, terminal, watching)?;
        Ok((path.display().to_string(), model))
    };
    let models: Vec<(String, Model)> =
        arguments.models.iter().map(load).collect::<Result<_, Failure>>()?;
    let raced = homing::tune(models, &options(arguments), |strategy| watching.hooks_of(strategy));
    watching.done();
    let mut outcome = raced?;
    outcome.command = repeat::command();
    outcome.name.clone_from(&arguments.name);
    outcome.file = arguments.out.display().to_string();
    if let Some(best) = outcome.best.as_ref().filter(|_| outcome.internal_errors.is_empty()) {
        let text = settings.with(&arguments.name, best)?;
        fs::write(&arguments.out, text).map_err(|error| {
            sentence(format_args!("cannot write `{}`: {error}; best: {best}", outcome.file))
        })?;
        outcome.written = true;
    }
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, &outcome),
        false => tuned::text(out, &outcome, &terminal.layout),
    });
    if !outcome.internal_errors.is_empty() {
        complain(&apology(&outcome.internal_errors.join("; ")));
    }
    Ok(Exit::from(&outcome).and(printed))
}

fn options(arguments: &Tune) -> TuneOptions {
    let mut check = Options {
        goals: arguments.asked.goal.clone(),
        properties: arguments.asked.property.clone(),
        limits: Limits {
            memory: arguments.budget.memory.or_else(homing::default_memory_limit),
            ..Limits::default()
        },
        zones: arguments.zones.asked(),
        ..Options::default()
    };
    arguments.seed.iter().for_each(|seed| check.seed = *seed);
    check.passes.off.clone_from(&arguments.preparation.no_pass);
    let best = match arguments.best {
        Best::Work => TuneFor::Work,
        Best::Length => TuneFor::Length,
    };
    TuneOptions { check, best, last: arguments.work }
}
