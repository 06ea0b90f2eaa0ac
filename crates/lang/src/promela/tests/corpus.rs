//! The corpus: what SPIN accepts is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use homing_ir::Sources;

use super::{from_disk, outcome};
use crate::Settings;
use crate::promela::preprocess::scan::Word;
use crate::promela::preprocess::{preprocess, words_of};
use crate::reports::Reports;

/// The folder of Promela models, or a printed notice that there is none.
fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("HOMING_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    let promela = corpus.join("promela");
    if !promela.is_dir() {
        println!("skipped: there is no corpus of models at {}", corpus.display());
        return None;
    }
    Some(promela)
}

/// All models.
fn models(folder: &Path) -> Vec<PathBuf> {
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

#[test]
fn every_model_spin_accepts_is_read() {
    let Some(folder) = corpus() else { return };
    let mut refused = Vec::new();
    let models = models(&folder);
    for path in &models {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let outcome = outcome(&path.display().to_string(), &text);
        let error = outcome.errors().into_iter().find(|e| !e.message.contains("embedded C"));
        if let Some(error) = error {
            refused.push((path.clone(), outcome.show(error)));
        }
    }
    for (path, error) in &refused {
        println!("REFUSED\t{}\t{error}", path.strip_prefix(&folder).unwrap().display());
    }
    println!("{} of {} refused", refused.len(), models.len());
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
    let Some(folder) = corpus() else { return };
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
