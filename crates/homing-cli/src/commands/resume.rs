//! `homing resume`: go on with a search on disk.
//!
//! The folder says which command began the search, and where. Resuming is running that
//! command there again, with the word that it goes on.

use std::env;
use std::path::{Path, PathBuf};

use clap::Parser;
use homing::{OnDisk, Options};
use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, Command, Disk, Resume};
use crate::failure::{Failure, sentence};

/// How a search began.
#[derive(Serialize, Deserialize)]
struct Began {
    version: String,
    folder: PathBuf,
    arguments: Vec<String>,
}

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The command that is meant: of one that goes on with another, the other.
pub fn meant(command: Command) -> Result<Command, Failure> {
    let Command::Resume(resume) = command else { return Ok(command) };
    let about = homing::started_on_disk(&resume.folder)?;
    let folder = std::path::absolute(&resume.folder)
        .map_err(|error| sentence(format_args!("`{}`: {error}", resume.folder.display())))?;
    let shown = folder.display();
    let began: Began = serde_json::from_str(&about).map_err(|error| {
        sentence(format_args!("`{shown}` does not say what is searched: {error}"))
    })?;
    if began.version != VERSION {
        let Began { version, .. } = began;
        return Err(sentence(format_args!(
            "the search in `{shown}` was begun by homing {version}, this is {VERSION}"
        )));
    }
    env::set_current_dir(&began.folder).map_err(|error| {
        sentence(format_args!("the search was begun in `{}`: {error}", began.folder.display()))
    })?;
    let words = std::iter::once("homing".to_string()).chain(began.arguments);
    let arguments = Arguments::try_parse_from(words)
        .map_err(|error| sentence(format_args!("the search in `{shown}`: {error}")))?;
    on_with(arguments.command, resume, folder)
}

/// The command that began a search, with what is said now.
fn on_with(mut command: Command, resume: Resume, folder: PathBuf) -> Result<Command, Failure> {
    let (disk, budget, output) = match &mut command {
        Command::Check(check) => (&mut check.disk, &mut check.limits.budget, &mut check.output),
        Command::Stats(stats) => (&mut stats.disk, &mut stats.limits.budget, &mut stats.output),
        _ => return Err(sentence("only `homing check` and `homing stats` search on disk")),
    };
    disk.disk = Some(folder);
    disk.goes_on = true;
    disk.disk_limit = resume.disk_limit.or(disk.disk_limit);
    budget.memory = resume.budget.memory.or(budget.memory);
    // The time that was given is over.
    budget.time = resume.budget.time;
    output.json |= resume.output.json;
    Ok(command)
}

/// Adds to options where states go.
pub fn to_disk(options: &mut Options, disk: &Disk) -> Result<(), Failure> {
    let Some(folder) = &disk.disk else { return Ok(()) };
    if options.strategy.is_none() && options.estimate.is_none() {
        options.strategy = Some("breadth".into());
    }
    options.disk = Some(OnDisk {
        folder: folder.clone(),
        limit: disk.disk_limit.map(|bytes| bytes as u64),
        after: disk.disk_after,
        goes_on: disk.goes_on,
        about: about(env::current_dir().unwrap_or_else(|_| Path::new(".").into()))?,
    });
    Ok(())
}

/// What the folder is to say.
fn about(folder: PathBuf) -> Result<String, Failure> {
    let arguments = env::args_os().skip(1).map(|argument| argument.into_string());
    let arguments = arguments.collect::<Result<_, _>>().map_err(|argument| {
        sentence(format_args!(
            "`--disk` needs a command line in UTF-8, which `{}` is not",
            argument.to_string_lossy()
        ))
    })?;
    serde_json::to_string(&Began { version: VERSION.into(), folder, arguments })
        .map_err(|error| sentence(format_args!("what is searched cannot be written: {error}")))
}
