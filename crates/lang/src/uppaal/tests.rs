//! Whole models.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use homing_ir::{Diagnostic, Sources};

use super::syntax::Document;
use crate::Settings;
use crate::reports::Reports;

/// The folder of timed models, or a printed notice that there is none.
fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("HOMING_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    let timed = corpus.join("timed");
    if !timed.is_dir() {
        println!("skipped: there is no corpus of models at {}", corpus.display());
        return None;
    }
    Some(timed)
}

/// All files with one of these endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

struct Outcome {
    sources: Sources,
    document: Option<Document>,
    diagnostics: Vec<Diagnostic>,
}

fn outcome(name: &str, text: &str, settings: &Settings<'_>) -> Outcome {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let document = super::document(name, text, settings, &mut sources, &mut reports);
    Outcome { sources, document, diagnostics: reports.finish() }
}

impl Outcome {
    fn show(&self, diagnostic: &Diagnostic) -> String {
        let at = self.sources.position(diagnostic.span);
        let related: Vec<&str> = diagnostic.related.iter().map(|(_, what)| &**what).collect();
        format!("{}:{}: {} {related:?}", at.line, at.column, diagnostic.message)
    }
}

#[test]
fn corpus_is_read() {
    let Some(folder) = corpus() else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files(&folder, &["xml", "xta", "ta", "q"]) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let outcome = if name.ends_with(".q") {
            let settings = Settings { queries: Some((&name, &text)), ..Settings::default() };
            outcome("none", "", &settings)
        } else {
            outcome(&name, &text, &Settings::default())
        };
        let verdict = match outcome.diagnostics.first() {
            None => "read",
            Some(first) => {
                println!("{name}:{}", outcome.show(first));
                "refused"
            }
        };
        *counts.entry(verdict).or_default() += 1;
    }
    println!("{counts:?}");
}
