//! One file a command.

pub mod accuracy;
pub mod automaton;
pub mod check;
pub mod compare;
pub mod export;
pub mod parts;
pub mod plan;
pub mod replay;
pub mod resume;
pub mod schema;
pub mod shorten;
pub mod simulate;
pub mod stats;
mod traces;
pub mod tune;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use homing::report::diagnostics;
use homing::report::plot::Plot;
use homing::{Limits, Model, Reading};
use serde::Serialize;

use crate::arguments::{self, ModelFile};
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::{Terminal, complain};
use crate::watching::Watching;

/// Reads a model, and says what is doubtful about it.
fn load(file: &ModelFile, terminal: &Terminal, watching: &Watching) -> Result<Model, Failure> {
    load_file(&file.path, &file.reading, terminal, watching)
}

/// The same, of one of several models that are read alike.
fn load_file(
    path: &Path,
    how: &arguments::Reading,
    terminal: &Terminal,
    watching: &Watching,
) -> Result<Model, Failure> {
    let queries = how.queries.as_ref().map(|path| {
        let text = read_text("queries", path)?;
        if text.trim().is_empty() {
            return Err(sentence(format_args!("there is no query in `{}`", path.display())));
        }
        Ok((path.display().to_string(), text))
    });
    let reading = Reading {
        defines: how.define.clone(),
        constants: how.constants.clone(),
        includes: how.include.clone(),
        lossy: how.lossy,
        more: Vec::new(),
        queries: queries.transpose()?,
        budget: watching.budget().clone(),
    };
    let model = homing::load_with(path, &reading)?;
    let sources = &model.network.sources;
    complain(&diagnostics::render_all(sources, &model.warnings, 10, terminal.styled_errors));
    Ok(model)
}

/// The text of a file, or why it cannot be read.
pub fn read_text(what: &str, path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let bytes = fs::read(path)
        .map_err(|error| sentence(format_args!("cannot read the {what} `{shown}`: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() + 1;
        sentence(format_args!("the {what} `{shown}`: not text, byte {at} is not UTF-8"))
    })
}

/// The limits asked for, and on memory the default one.
fn limits(asked: &arguments::Limits) -> Limits {
    Limits {
        memory: asked.budget.memory.or_else(homing::default_memory_limit),
        time: asked.budget.time,
        states: asked.states,
        depth: asked.depth,
        bound: asked.bound,
        expansions: asked.expansions,
    }
}

/// Finds out before a long search, not after it, that a file cannot be
/// written.
pub fn check_target(what: &str, path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        let path = path.display();
        return Err(sentence(format_args!("cannot write the {what}: `{path}` is a folder")));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let folder = folder.display();
            Err(sentence(format_args!("cannot write the {what}: there is no folder `{folder}`")))
        }
        _ => Ok(()),
    }
}

/// Writes one JSON value on one line.
pub fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// Draws a plot into a file. One that cannot be written is reported.
fn save_plot(path: &Path, plot: &Plot) -> Exit {
    match fs::write(path, plot.svg()) {
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&format!("error: cannot write the picture `{}`: {error}\n", path.display()));
            Exit::Wrong
        }
    }
}
