//! `homing replay`: execute a trace, step by step, and show it.

use homing::report::{text, trace_file};

use crate::arguments::Replay;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, print};

/// Runs the command.
pub fn run(arguments: &Replay, terminal: &Terminal) -> Result<Exit, Failure> {
    let model = super::load(&arguments.model, terminal)?;
    let stored = trace_file::read(&arguments.trace, &model.network).map_err(sentence)?;
    let outcome = homing::replay(&model, &stored.trace, &stored.property).map_err(|error| {
        let path = arguments.trace.display();
        sentence(format_args!("{path}: {error}; was the trace made from another model?"))
    })?;
    Ok(print(|out| match arguments.json {
        true => super::json(out, &outcome),
        false => text::trace(out, &outcome, &terminal.layout),
    }))
}
