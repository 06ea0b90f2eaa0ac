//! Where `homing check --trace` puts its traces.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use homing::report::trace_file::Record;
use homing::{Checked, Model};

use crate::exit::Exit;
use crate::failure::{Failure, sentence};
use crate::terminal::complain;

/// Finds out before a long search, not after it, that there is no such folder.
pub fn check_target(path: &Path, what: &str) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(sentence(format_args!(
            "cannot write the {what}: `{}` is a folder",
            path.display()
        )));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(sentence(
            format_args!("cannot write the {what}: there is no folder `{}`", folder.display()),
        )),
        _ => Ok(()),
    }
}

/// Writes every trace to its file. One that cannot be written is reported.
pub fn save(path: &Path, model: &Model, checked: &Checked) -> Exit {
    let mut exit = Exit::Success;
    let mut taken = BTreeSet::new();
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
    fn folders_that_are_not_there_are_noticed() {
        assert!(check_target(Path::new("t.json"), "trace").is_ok());
        assert!(check_target(Path::new("no/such/folder/t.json"), "trace").is_err());
        assert!(check_target(&std::env::temp_dir(), "trace").is_err());
    }
}
