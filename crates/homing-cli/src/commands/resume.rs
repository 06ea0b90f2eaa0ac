//! `homing resume`: go on with a search on disk, or one that is kept in a file. `homing work`:
//! help who searches on disk.
//!
//! The folder, or the file, says which command began the search, and where. Resuming is running that
//! command there again, with the word that it goes on.

use std::env;
use std::path::{Path, PathBuf};

use clap::Parser;
use homing::{InFile, OnDisk, Options};
use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, Budget, Command, Disk, Output, Resume, Work};
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
    match command {
        Command::Resume(resume) => {
            let (begun, place) = begun(&resume.place)?;
            on_with(begun, resume, place)
        }
        Command::Work(work) => {
            let (begun, place) = begun(&work.folder)?;
            help_with(begun, work, place)
        }
        _ => Ok(command),
    }
}

/// The command that began the search in a folder or a file, and where that is.
fn begun(place: &Path) -> Result<(Command, PathBuf), Failure> {
    let about = homing::started_on_disk(place)?;
    let place = std::path::absolute(place)
        .map_err(|error| sentence(format_args!("`{}`: {error}", place.display())))?;
    let shown = place.display();
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
    Ok((arguments.command, place))
}

/// The command that began a search, by which it is helped.
fn help_with(mut command: Command, work: Work, place: PathBuf) -> Result<Command, Failure> {
    let (disk, budget, output) = said(&mut command)?;
    if disk.checkpoint.is_some() {
        return Err(sentence("a search that is kept in a file is searched by one process"));
    }
    (disk.disk, disk.works) = (Some(place), true);
    (budget.memory, budget.time) = (work.budget.memory.or(budget.memory), work.budget.time);
    output.json |= work.output.json;
    Ok(command)
}

/// What a command says of where it searches, with what, and how it tells.
fn said(command: &mut Command) -> Result<(&mut Disk, &mut Budget, &mut Output), Failure> {
    match command {
        Command::Check(check) => Ok((&mut check.disk, &mut check.limits.budget, &mut check.output)),
        Command::Stats(stats) => Ok((&mut stats.disk, &mut stats.limits.budget, &mut stats.output)),
        _ => Err(sentence("only searches of `homing check` and `homing stats` last")),
    }
}

/// The command that began a search, with what is said now.
fn on_with(mut command: Command, resume: Resume, place: PathBuf) -> Result<Command, Failure> {
    let (disk, budget, output) = said(&mut command)?;
    if disk.checkpoint.is_some() {
        if resume.disk_limit.is_some() {
            return Err(sentence("`--disk-limit` is for searches on disk; this is kept in a file"));
        }
        disk.checkpoint = Some(place);
    } else {
        disk.disk = Some(place);
        disk.disk_limit = resume.disk_limit.or(disk.disk_limit);
    }
    disk.goes_on = true;
    budget.memory = resume.budget.memory.or(budget.memory);
    // The time that was given is over.
    budget.time = resume.budget.time;
    output.json |= resume.output.json;
    Ok(command)
}

/// Adds to options where searches last.
pub fn to_last(options: &mut Options, disk: &Disk) -> Result<(), Failure> {
    if disk.disk.is_none() && disk.checkpoint.is_none() {
        return Ok(());
    }
    if options.strategy.is_none() && options.estimate.is_none() {
        options.strategy = Some("breadth".into());
    }
    let about = about(env::current_dir().unwrap_or_else(|_| Path::new(".").into()))?;
    let goes_on = disk.goes_on;
    options.checkpoint = disk.checkpoint.clone().map(|file| InFile {
        file,
        every: disk.every,
        goes_on,
        about: about.clone(),
    });
    options.disk = disk.disk.clone().map(|folder| OnDisk {
        folder,
        limit: disk.disk_limit.map(|bytes| bytes as u64),
        after: disk.disk_after,
        goes_on,
        works: disk.works,
        about,
    });
    Ok(())
}

/// What the folder or the file is to say.
fn about(folder: PathBuf) -> Result<String, Failure> {
    let arguments = env::args_os().skip(1).map(|argument| argument.into_string());
    let arguments = arguments.collect::<Result<_, _>>().map_err(|argument| {
        sentence(format_args!(
            "`--disk` and `--checkpoint` need a command line in UTF-8, which `{}` is not",
            argument.to_string_lossy()
        ))
    })?;
    serde_json::to_string(&Began { version: VERSION.into(), folder, arguments })
        .map_err(|error| sentence(format_args!("what is searched cannot be written: {error}")))
}
