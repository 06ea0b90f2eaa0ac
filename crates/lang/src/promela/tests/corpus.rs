//! The corpus: what SPIN accepts is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use homing_ir::Sources;

use super::{from_disk, outcome};
use crate::Settings;
use crate::corpus::corpus;
use crate::promela::preprocess::scan::Word;
use crate::promela::preprocess::{preprocess, words_of};
use crate::reports::Reports;

/// All models.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if path.is_dir() {
                folders.push(path);
            } else if ["pml", "pm", "prom", "promela"].contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Files SPIN refuses, and so do we: their folder or name, and what is wrong.
/// (SPIN refuses some more, for reasons that need scopes.)
const REFUSED: &[(&str, &str)] = &[
    // Not Promela, but the language of ByMC.
    ("cav15/", "found `"),
    ("concur14/", "found `"),
    ("fmcad13/", "found `"),
    ("isola18/", "found `"),
    ("popl17-fmsd17/", "found `"),
    ("spin13/parameterized/", "found `"),
    // A file that is missing.
    ("smcs/smcs.promela", "does not exist"),
    // SPIN reads numbers of more than 32 bits with a warning, and refuses it
    // for another reason.
    ("Eurobalise.pml", "the number is too large"),
];

#[test]
fn every_model_spin_accepts_is_read() {
    let Some(folder) = corpus("promela") else { return };
    let models = models(&folder);
    for path in &models {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let outcome = outcome(&path.display().to_string(), &text);
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let errors = outcome.errors();
        let plain = errors.iter().find(|error| !error.message.contains("embedded C"));
        let Some(error) = plain else { continue };
        let known =
            REFUSED.iter().any(|(part, said)| name.contains(part) && error.message.contains(said));
        assert!(known, "{}", outcome.show(error));
    }
    println!("{} models", models.len());
    assert!(models.len() > 800);
}

/// What SPIN itself accepts, on some files.
#[test]
fn spin_accepts_what_is_read() {
    let Some(folder) = corpus("promela") else { return };
    let table = fs::read_to_string(folder.join("spin-results.tsv")).unwrap();
    let (mut accepted, mut rejected) = (0, 0);
    for row in table.lines().skip(1) {
        let mut cells = row.split('\t');
        let (Some(name), Some(verdict)) = (cells.next(), cells.next()) else { continue };
        let Ok(text) = fs::read(folder.join(name)) else { continue };
        let text = String::from_utf8_lossy(&text).into_owned();
        let outcome = outcome(&folder.join(name).display().to_string(), &text);
        let errors = outcome.errors();
        let plain = errors.iter().find(|error| !error.message.contains("embedded C"));
        if verdict == "ok" {
            assert!(plain.is_none(), "{name} {:?}", plain.map(|error| outcome.show(error)));
            accepted += 1;
        } else {
            rejected += usize::from(plain.is_some());
        }
    }
    println!("{accepted} accepted as by SPIN, {rejected} rejected as by SPIN");
    assert!(accepted > 100);
}

/// The words a preprocessor made of a text, as written.
fn written(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.text.to_string()).collect()
}

/// What `cpp` makes of a file, if it can be had and finds nothing wrong.
fn cpp(path: &Path) -> Option<String> {
    let made = Command::new("cpp").args(["-std=gnu99", "-undef", "-P"]).arg(path).output().ok()?;
    made.status.success().then(|| String::from_utf8_lossy(&made.stdout).into_owned())
}

#[test]
fn preprocessing_is_that_of_cpp() {
    let Some(folder) = corpus("promela") else { return };
    if Command::new("cpp").arg("--version").output().is_err() {
        println!("skipped: there is no cpp");
        return;
    }
    let mut compared = 0;
    // Every third: starting cpp takes most of the time.
    for path in models(&folder).iter().step_by(3) {
        let Some(expected) = cpp(path) else { continue };
        let (mut sources, mut reports) = (Sources::default(), Reports::default());
        let source = sources.add("cpp", expected.as_str());
        let expected = written(&words_of(source, &expected, &mut reports).words);
        // Directives that are passed on: `#pragma`.
        if expected.iter().any(|word| word == "#") {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let source = sources.add(path.display().to_string(), text);
        let settings = Settings { read: &from_disk, ..Settings::default() };
        let found = written(&preprocess(source, &settings, &mut sources, &mut reports).words);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        let around = differs.map(|at| (&found[at..found.len().min(at + 5)], &expected[at..]));
        let around = around.map(|(a, b)| (a, &b[..b.len().min(5)]));
        assert_eq!(found.len(), expected.len(), "{} {around:?}", path.display());
        assert!(differs.is_none(), "{} {around:?}", path.display());
        compared += 1;
    }
    println!("{compared} files compared with cpp");
    assert!(compared > 200);
}
