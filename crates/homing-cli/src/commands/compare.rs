//! `homing compare`: strategies side by side.

use homing::report::compare;
use homing::{CompareOptions, Options, UseEngine};

use crate::arguments::Compare;
use crate::exit::Exit;
use crate::failure::{Failure, apology};
use crate::repeat;
use crate::settings;
use crate::terminal::{Terminal, complain, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Compare, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    let model = super::load(&arguments.model, terminal, watching)?;
    let hooks = |strategy: &str| watching.hooks_of(strategy);
    let options = options(arguments)?;
    let settled = homing::settled(model, |model| homing::compare(model, &options, hooks));
    watching.done();
    let (_, mut outcome) = settled?;
    outcome.command = repeat::command();
    outcome.model = arguments.model.path.display().to_string();
    let format = if arguments.json { &compare::JSON } else { arguments.format };
    let printed = print(|out| (format.write)(out, &outcome, &terminal.layout));
    if !outcome.internal_errors.is_empty() {
        complain(&apology(&outcome.internal_errors.join("; ")));
    }
    Ok(Exit::from(&outcome).and(printed))
}

fn options(arguments: &Compare) -> Result<CompareOptions, Failure> {
    let mut check = Options {
        goals: arguments.asked.goal.clone(),
        properties: arguments.asked.property.clone(),
        limits: super::limits(&arguments.limits),
        ..Options::default()
    };
    arguments.seed.iter().for_each(|seed| check.seed = *seed);
    check.engine = UseEngine::Explicit(arguments.engine.explicit()?);
    check.zones = arguments.zones.asked();
    check.passes.off.clone_from(&arguments.preparation.no_pass);
    let config = arguments.named.config.as_deref();
    let strategies = settings::strategies(&arguments.strategies, config)?;
    Ok(CompareOptions { check, strategies, stores: arguments.stores.clone() })
}
