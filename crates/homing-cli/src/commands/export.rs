//! `homing export`: write the search for a goal as a task for another tool, or
//! draw the model.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use homing::PassSelection;
use homing::report::automata;

use crate::arguments::Export;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain, print};
use crate::watching::Watching;

/// Runs the command.
pub fn run(arguments: &Export, terminal: &Terminal, watching: &Watching) -> Result<Exit, Failure> {
    let what = if arguments.sas { "task" } else { "drawing" };
    if let Some(path) = &arguments.out {
        super::check_target(what, path)?;
    }
    let model = super::load(&arguments.model, terminal, watching)?;
    let mut longer = false;
    let text = match &arguments.goal {
        Some(goal) => {
            let off = arguments.preparation.no_pass.clone();
            let passes = PassSelection { off, ..PassSelection::default() };
            let task = homing::export_sas(&model, goal, &passes)?;
            longer = task.goal_step;
            task.to_string()
        }
        None if arguments.dot => automata::dot(&model.network),
        None => automata::svg(&model.network),
    };
    watching.done();
    let exit = match &arguments.out {
        Some(path) => save(path, &text).map(|()| Exit::Success).map_err(|error| {
            sentence(format_args!("cannot write the {what} `{}`: {error}", path.display()))
        })?,
        None => print(|out| out.write_all(text.as_bytes())),
    };
    if exit == Exit::Success && longer {
        complain("note: the goal is no conjunction: plans are one step longer than paths to it\n");
    }
    Ok(exit)
}

fn save(path: &Path, text: &str) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(text.as_bytes())?;
    out.flush()
}
