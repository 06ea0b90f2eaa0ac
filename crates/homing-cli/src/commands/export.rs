//! `homing export`: write the search for a goal as a task for another tool.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use homing::PassSelection;
use homing::sas::Task;

use crate::arguments::Export;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain, print};

/// Runs the command.
pub fn run(arguments: &Export, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Some(path) = &arguments.out {
        super::check_target("task", path)?;
    }
    let model = super::load(&arguments.model, terminal)?;
    let passes = PassSelection { off: arguments.no_pass.clone(), ..PassSelection::default() };
    let task = homing::export_sas(&model, &arguments.goal, &passes)?;
    let exit = match &arguments.out {
        Some(path) => save(path, &task).map(|()| Exit::Success).map_err(|error| {
            sentence(format_args!("cannot write the task `{}`: {error}", path.display()))
        })?,
        None => print(|out| write!(out, "{task}")),
    };
    if exit == Exit::Success && task.goal_step {
        complain("note: the goal is no conjunction: plans are one step longer than paths to it\n");
    }
    Ok(exit)
}

fn save(path: &Path, task: &Task) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write!(out, "{task}")?;
    out.flush()
}
