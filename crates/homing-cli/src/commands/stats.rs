//! `homing stats`: count the states of a model.

use homing::report::text;
use homing::{Options, UseReduction, UseSymmetry};

use crate::arguments::Stats;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::repeat;
use crate::terminal::{Terminal, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Stats, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    let model = super::load(&arguments.model, terminal, watching)?;
    let mut options = options(arguments);
    super::resume::to_last(&mut options, &arguments.disk)?;
    let settled = homing::settled(model, |model| homing::stats(model, &options, watching.hooks()));
    watching.done();
    let (_, mut outcome) = settled?;
    outcome.command = repeat::command();
    outcome.model = arguments.model.path.display().to_string();
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, &outcome),
        false => text::stats(out, &outcome, &terminal.layout),
    });
    Ok(Exit::from(&outcome).and(printed))
}

fn options(arguments: &Stats) -> Options {
    let mut options = Options { limits: super::limits(&arguments.limits), ..Options::default() };
    options.store.clone_from(&arguments.store);
    options.crew.threads = arguments.crew.asked(options.limits.memory);
    options.engine = arguments.engine.engine;
    options.zones = arguments.zones.asked();
    options.reduction = arguments.reduction.map_or(UseReduction::Never, UseReduction::By);
    options.symmetry = match arguments.symmetry {
        true => UseSymmetry::Always,
        false => UseSymmetry::Never,
    };
    options.passes.on = arguments.pass.clone();
    options
}
