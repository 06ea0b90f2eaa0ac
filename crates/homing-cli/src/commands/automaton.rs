//! `homing automaton`: what becomes of a formula.

use homing::AutomatonOptions;

use crate::arguments::Automaton;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::print;

/// Runs the command.
pub fn run(arguments: &Automaton) -> Result<Exit, Failure> {
    let options = AutomatonOptions {
        format: arguments.format,
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
