//! The corpus: which files are read, which are refused, and why.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Outcome, outcome, outcome_with, print};
use crate::corpus::corpus;

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

/// Files that are refused: their name, and what is said.
const REFUSED: &[(&str, &str)] = &[
    // A digit stands where a comparison should.
    ("goss-config-3.xml", "expected `)`, found `2`"),
    ("ex-proba2.xml", "live sequence charts are not supported"),
    ("lsc_example.xml", "live sequence charts are not supported"),
];

fn read(name: &str, text: &str) -> Outcome {
    match name.ends_with(".q") {
        true => outcome_with("none.xta", "", Some((name, text))),
        false => outcome(name, text),
    }
}

/// Everything is read but what is named above. Where it is XML, nothing is
/// lost on the way, and what is read stands where its span says.
#[test]
fn every_file_is_read_or_known_to_be_wrong() {
    let Some(folder) = corpus("timed") else { return };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in files(&folder, &["xml", "xta", "ta", "q"]) {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        if crate::tck::recognises(&text) {
            continue;
        }
        let outcome = read(&name, &text);
        let error = outcome.errors().first().copied();
        let verdict = match error {
            None => "read",
            Some(error) => {
                let known = REFUSED
                    .iter()
                    .find(|(part, said)| name.contains(part) && error.message.contains(said));
                known.unwrap_or_else(|| panic!("{name}:{}", outcome.show(error))).1
            }
        };
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        *counts.entry(format!("{ending}\t{verdict}")).or_default() += 1;
        check_names(&name, &outcome);
        if verdict == "read" && name.ends_with(".xml") {
            check_counts(&name, &text, &outcome);
        }
    }
    counts.iter().for_each(|(what, count)| println!("{what}\t{count}"));
    assert!(counts.values().sum::<usize>() > 400);
}

fn check_names(name: &str, outcome: &Outcome) {
    for (text, span) in outcome.document.iter().flat_map(print::places) {
        let written = outcome.sources.text(span);
        // Numbers may be written with zeros before them, and all may stand in
        // parentheses.
        let inner = written.trim_matches(|c: char| "()0 \t\r\n".contains(c));
        assert_eq!(inner, text.trim_matches('0'), "{name}: `{written}`");
    }
}

fn check_counts(name: &str, text: &str, outcome: &Outcome) {
    let count = |what: &str| text.matches(what).count();
    let document = outcome.document.as_ref().unwrap();
    let edges: usize = document.templates.iter().map(|template| template.edges.len()).sum();
    let locations: usize = document.templates.iter().map(|template| template.locations.len()).sum();
    // Not what stands in comments.
    if text.contains("<!--") {
        return;
    }
    assert_eq!(count("<template>"), document.templates.len(), "{name}");
    assert_eq!(count("<transition"), edges, "{name}");
    assert_eq!(count("<location "), locations, "{name}");
    assert!(!document.system.is_empty(), "{name}");
    let left_out = outcome.diagnostics.len();
    let empty = count("<formula/>") + count("<formula></formula>");
    let queries = document.queries.len();
    assert!(count("<formula") >= queries + empty, "{name}");
    if left_out > 0 {
        println!("{name}: {} queries left out, the first: {}", left_out, outcome.said()[0]);
    }
}
