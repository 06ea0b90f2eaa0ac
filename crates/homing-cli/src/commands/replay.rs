//! `homing replay`: execute a trace, step by step, and show it.

use homing::report::format::Shown;
use homing::report::text;

use super::traces;
use crate::arguments::Replay;
use crate::drawing::{check_all, draw_all};
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Replay, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    check_all(&arguments.charts.chart, arguments.output.json)?;
    let model = super::load(&arguments.model, terminal, watching)?;
    let stored = traces::read(&arguments.trace, &model)?;
    let outcome = homing::replay(&model, &stored.trace, &stored.property).map_err(|error| {
        let path = arguments.trace.display();
        sentence(format_args!("{path}: {error}; was the trace made from another model?"))
    })?;
    watching.done();
    let printed = print(|out| match arguments.output.json {
        true => super::json(out, &outcome),
        false => text::trace(out, &outcome, &terminal.layout),
    });
    let shown = Shown { network: &model.network, outcome: &outcome, trace: &stored.trace };
    let drawn = draw_all(&arguments.charts.chart, &shown, terminal);
    Ok(printed.and(drawn))
}
