//! The corpus of PRISM's language: what is read, and what the rest is refused for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::corpus;
use homing_ir::Severity;
use homing_ir::interp::Interpreter;
use homing_lang::{Parsed, Settings, prism};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ["prism", "pm", "nm", "sm"].contains(&ending.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The first error's sentence, names taken out.
fn reason(parsed: &Parsed) -> Option<String> {
    let mut errors = parsed.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    errors.next().map(|error| error.message.clone())
}

/// A model, with some value for every constant that has none.
fn read(path: &Path) -> Parsed {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let mut constants: Vec<String> = Vec::new();
    loop {
        let settings = Settings { constants: &constants, ..Settings::default() };
        let parsed = prism::parse(&path.display().to_string(), &text, &settings);
        let open = reason(&parsed).and_then(|message| {
            let name = message.strip_prefix("the constant `")?.strip_suffix("` has no value")?;
            Some(name.to_string())
        });
        match open {
            Some(name) if constants.len() < 20 => constants.push(format!("{name}=2")),
            _ => return parsed,
        }
    }
}

#[test]
fn most_models_are_read() {
    let Some(corpus) = corpus("prob") else { return };
    let files = files(&corpus);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for path in &files {
        let parsed = read(path);
        match reason(&parsed) {
            Some(message) => {
                println!("{}: {message}", path.display());
                let plain: Vec<&str> = message.split('`').step_by(2).collect();
                *refused.entry(plain.join("…")).or_default() += 1;
            }
            None => {
                let interpreter = Interpreter::new(&parsed.network);
                assert!(interpreter.is_ok(), "{}: {interpreter:?}", path.display());
            }
        }
    }
    let count: usize = refused.values().sum();
    println!("{count} of {} refused: {refused:#?}", files.len());
}
