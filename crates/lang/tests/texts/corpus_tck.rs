//! The corpus of TChecker's language: what TChecker reads is read, what it refuses
//! is refused with a reason.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{corpus, render_all};
use homing_ir::interp::Interpreter;
use homing_lang::{Parsed, tck};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "tck") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Parsed {
    tck::parse(&path.display().to_string(), &fs::read_to_string(path).unwrap())
}

/// Some say `y:=0`, and a colon ends the value of an attribute.
fn broken(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("csmacd-full")
}

#[test]
fn every_model_is_read() {
    let Some(corpus) = corpus("timed") else { return };
    let files = files(&corpus);
    assert!(files.len() >= 140, "{} models", files.len());
    for path in files {
        let parsed = read(&path);
        let said = render_all(&parsed.network.sources, &parsed.diagnostics);
        assert_eq!(parsed.usable(), !broken(&path), "{}\n{said}", path.display());
        if !parsed.usable() {
            assert!(said.contains("expected the name of an attribute, found `=`"), "{said}");
        } else {
            assert_eq!(said, "", "{}", path.display());
            let interpreter = Interpreter::new(&parsed.network);
            assert!(interpreter.is_ok(), "{}: {interpreter:?}", path.display());
        }
    }
}

/// The labels of locations are goals.
#[test]
fn every_label_is_a_goal() {
    let Some(corpus) = corpus("timed") else { return };
    let mut found = 0;
    for path in files(&corpus).iter().filter(|path| !broken(path)) {
        let text = fs::read_to_string(path).unwrap();
        let mut parsed = tck::parse("model.tck", &text);
        for labels in text.lines().filter_map(|line| line.split_once("labels:")) {
            let labels = labels.1.split([':', '}']).next().unwrap_or_default();
            for label in labels.split(',') {
                let goal = tck::expression(&mut parsed.network, label.trim(), "<goal>");
                assert!(goal.is_ok(), "{}: {label}: {goal:?}", path.display());
                found += 1;
            }
        }
    }
    assert!(found > 100, "{found} labels");
}
