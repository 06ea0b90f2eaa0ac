//! `homing automaton`: what becomes of a formula.

use homing::AutomatonOptions;

use crate::arguments::{Automaton, AutomatonFormat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::print;

/// Runs the command.
pub fn run(arguments: &Automaton) -> Result<Exit, Failure> {
    let options = AutomatonOptions {
        format: match arguments.format {
            AutomatonFormat::Text => homing::AutomatonFormat::Text,
            AutomatonFormat::Hoa => homing::AutomatonFormat::Hoa,
            AutomatonFormat::Never => homing::AutomatonFormat::Never,
            AutomatonFormat::Dot => homing::AutomatonFormat::Dot,
        },
        negate: arguments.negate,
        buchi: arguments.buchi,
    };
    let text = match (&arguments.file, &arguments.formula) {
        (Some(path), _) => {
            let read = super::read_text("automaton", path)?;
            homing::automaton_of_hoa(&read, options)?
        }
        (None, formula) => homing::automaton(formula.as_deref().unwrap_or(""), options)?,
    };
    Ok(print(|out| out.write_all(text.as_bytes())))
}
