//! Where `homing check --trace` puts its traces, and where traces come from.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use homing::ir::Trace;
use homing::report::trace_file::{self, Record, StoredTrace};
use homing::report::{hardware, trail};
use homing::{Checked, Model};

use crate::arguments::ModelFile;
use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::spin;
use crate::terminal::complain;

/// Writes every trace to its file. One that cannot be written is reported.
pub fn save(path: &Path, model: &Model, checked: &Checked) -> Exit {
    let mut exit = Exit::Success;
    let mut taken = BTreeSet::new();
    if let Some(relation) = &model.network.relation {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        for (i, (number, run)) in checked.runs.iter().enumerate() {
            let property = &relation.specifications[*number].name;
            let target =
                if i == 0 { path.to_path_buf() } else { beside(path, property, &mut taken) };
            let text = hardware::written(relation, *number, run, ending);
            if let Err(error) = std::fs::write(&target, text) {
                let target = target.display();
                complain(&format!("error: cannot write the trace `{target}`: {error}\n"));
                exit = Exit::Wrong;
            }
        }
    }
    for (i, (property, trace)) in checked.traces.iter().enumerate() {
        let target = if i == 0 { path.to_path_buf() } else { beside(path, property, &mut taken) };
        let network = &model.network;
        let record = Record { network, model: &checked.outcome.model, property, trace };
        if let Err(error) = record.write(&target) {
            complain(&format!("error: cannot write the trace `{}`: {error}\n", target.display()));
            exit = Exit::Wrong;
        }
    }
    exit
}

/// Reads a trace, be it one of ours or a trail of SPIN's.
pub fn read(path: &Path, model: &Model) -> Result<StoredTrace, Failure> {
    let network = &model.network;
    let text = super::read_text("trace", path)?;
    match trail::is_trail(&text) {
        true => trail::decode(path, &text, network).map_err(sentence),
        false => trace_file::decode(path, &text, network).map_err(sentence),
    }
}

/// Finds out before a long search whether trails can be written.
pub fn check_trail(asked: Option<&Option<PathBuf>>, model: &Model) -> Result<(), Failure> {
    let Some(path) = asked else { return Ok(()) };
    if model.network.system_processes().any(|(_, process)| process.code.is_none()) {
        return Err(sentence(trail::TrailError::NoNumbers));
    }
    path.iter().try_for_each(|path| super::check_target("trail", path))
}

/// Writes trails to this file, or where SPIN looks for them.
pub fn save_trails<'t>(
    path: Option<&Path>,
    file: &ModelFile,
    model: &Model,
    traces: impl Iterator<Item = &'t Trace>,
) -> Exit {
    let mut exit = Exit::Success;
    let mut written = false;
    for (i, trace) in traces.enumerate() {
        let target = trail_path(path, &file.path, i);
        let saved = trail::encode(&model.network, trace)
            .map_err(|error| error.to_string())
            .and_then(|text| std::fs::write(&target, text).map_err(|error| error.to_string()));
        match saved {
            Ok(()) => written = true,
            Err(error) => {
                let target = target.display();
                complain(&format!("error: cannot write the trail `{target}`: {error}\n"));
                exit = Exit::Wrong;
            }
        }
    }
    if let (true, Some(doubt)) = (written, spin::disagreement(file, &model.network)) {
        complain(&format!("warning: {doubt}\n"));
    }
    exit
}

/// Where SPIN looks for the first trail (`-t`) and the others (`-t1`, …), or
/// beside the file that was asked for.
fn trail_path(asked: Option<&Path>, model: &Path, number: usize) -> PathBuf {
    let numbered = |path: &Path, ending: &str| {
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(if number == 0 { String::new() } else { number.to_string() });
        name.push(ending);
        path.with_file_name(name)
    };
    match asked {
        None => numbered(model, ".trail"),
        Some(asked) => numbered(asked, ""),
    }
}

/// The file for another property's trace: its name before the extension.
fn beside(path: &Path, property: &str, taken: &mut BTreeSet<String>) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }
    };
    let stem: String = property.chars().map(plain).take(40).collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = std::iter::once(stem.clone()).chain(numbered);
    let name = names.find(|name| taken.insert(name.clone())).unwrap_or(stem);
    let mut file = OsString::from(path.file_stem().unwrap_or_default());
    file.push(format!(".{name}"));
    if let Some(extension) = path.extension() {
        file.push(".");
        file.push(extension);
    }
    path.with_file_name(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trace_has_a_file_of_its_own() {
        let mut taken = BTreeSet::new();
        let mut name = |property: &str| {
            beside(Path::new("out/t.json"), property, &mut taken).display().to_string()
        };
        assert_eq!(name("deadlock"), "out/t.deadlock.json");
        assert_eq!(name("x > 3"), "out/t.x---3.json");
        assert_eq!(name("x < 3"), "out/t.x---3-2.json");
        assert_eq!(name("../../etc"), "out/t.------etc.json");
    }

    #[test]
    fn trails_are_where_spin_looks_for_them() {
        let name = |asked: Option<&str>, number| {
            let asked = asked.map(Path::new);
            trail_path(asked, Path::new("a/m.pml"), number).display().to_string()
        };
        assert_eq!([name(None, 0), name(None, 2)], ["a/m.pml.trail", "a/m.pml2.trail"]);
        assert_eq!([name(Some("x.t"), 0), name(Some("x.t"), 1)], ["x.t", "x.t1"]);
    }

    #[test]
    fn folders_that_are_not_there_are_noticed() {
        let check_target = |path| super::super::check_target("trace", path);
        assert!(check_target(Path::new("t.json")).is_ok());
        assert!(check_target(Path::new("no/such/folder/t.json")).is_err());
        assert!(check_target(&std::env::temp_dir()).is_err());
    }
}
