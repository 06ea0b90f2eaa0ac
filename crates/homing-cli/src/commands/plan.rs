//! `homing explain-plan`: what `auto` does, and when, and why.

use homing::Options;
use homing::report::planned;

use crate::arguments::ExplainPlan;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{Terminal, print};
use crate::watching::Watching;
use crate::{repeat, settings};

/// Runs the command.
pub fn run(
    arguments: &ExplainPlan,
    terminal: &Terminal,
    watching: &Watching,
) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.svg {
        super::check_target("chart", path)?;
    }
    let options = options(arguments)?;
    let model = super::load(&arguments.model, terminal, watching)?;
    let settled = homing::settled(model, |model| {
        homing::explain_plan(model, &options, arguments.dry_run, watching.hooks())
    });
    watching.done();
    let (_, mut outcome) = settled?;
    outcome.command = repeat::command();
    outcome.model = arguments.model.path.display().to_string();
    let drawn = match &arguments.svg {
        // The last search was not begun anew.
        Some(path) => {
            let plot = outcome.searches.last().map(planned::plot).unwrap_or_default();
            super::save_plot(path, &plot)
        }
        None => Exit::Success,
    };
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, &outcome),
        false => planned::text(out, &outcome, &terminal.layout),
    });
    Ok(Exit::from(&outcome).and(drawn).and(printed))
}

fn options(arguments: &ExplainPlan) -> Result<Options, Failure> {
    let strategy = settings::strategy(&arguments.strategy, arguments.named.config.as_deref())?;
    let mut options = Options {
        goals: arguments.asked.goal.clone(),
        properties: arguments.asked.property.clone(),
        limits: super::limits(&arguments.limits),
        strategy: Some(strategy),
        zones: arguments.zones.asked(),
        ..Options::default()
    };
    arguments.seed.iter().for_each(|seed| options.seed = *seed);
    options.passes.off.clone_from(&arguments.preparation.no_pass);
    Ok(options)
}
