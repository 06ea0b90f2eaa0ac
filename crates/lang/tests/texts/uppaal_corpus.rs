//! The corpus of timed models: which of UPPAAL's files become networks, and why the
//! others do not. Prints a table.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use homing_ir::{Severity, wellformed};
use homing_lang::{Settings, recognise};

use crate::support::corpus;

fn models(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if path.is_dir() {
                folders.push(path);
            } else if ["xml", "xta", "ta"].contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Why files are refused, and rightly so: part of the name, part of what is said.
const REFUSED: &[(&str, &str)] = &[
    // Real numbers, rates of clocks and what else only simulation can do.
    ("", "clocks at other rates than 0 and 1"),
    ("", "hybrid clocks"),
    ("", "what is not checked cannot be assigned something that changes others"),
    ("", "`double` is not supported"),
    ("", "numbers with a point"),
    ("", "computes real numbers"),
    ("", "dynamic templates"),
    ("", "functions of a library"),
    // Charts, costs.
    ("", "live sequence charts"),
    ("jugs2.ta", "`after_update`"),
    // Tests of messages about what is wrong.
    ("uppaal-to-tchecker/translation/err-", ""),
    ("tmpl-binding-0", "the value of `k` must be constant"),
    ("tmpl-partial-03", "stands for 65536 processes"),
    ("tmpl-partial-0", "the value of `y` must be constant"),
    ("psp-uppaal/models/", "`Template` has no initial location"),
    ("goss-config-3.xml", "expected `)`, found `2`"),
    ("uppaal-to-tchecker/translation/", "I/O declarations"),
];

#[test]
fn uppaal_models_become_networks() {
    let Some(folder) = corpus("timed") else { return };
    let (mut good, mut refused) = (0, BTreeMap::new());
    for path in models(&folder) {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        let language = recognise(ending, &text).unwrap();
        if language.name != "uppaal" {
            continue;
        }
        let started = std::time::Instant::now();
        let parsed = (language.parse)(&name, &text, &Settings::default());
        let took = started.elapsed().as_millis();
        let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let first = errors.min_by_key(|d| d.span).cloned();
        let network = &parsed.network;
        match first {
            Some(error) => {
                let at = network.sources.position(error.span);
                println!("{name}\tline {}: {} ({took} ms)", at.line, error.message);
                let known = REFUSED
                    .iter()
                    .any(|(part, said)| name.contains(part) && error.message.contains(said));
                assert!(known, "{name} is refused: {}", error.message);
                *refused.entry(error.message).or_insert(0) += 1;
            }
            None => {
                let wrong = wellformed::check(network);
                assert!(wrong.is_empty(), "{name}: {wrong:?}");
                let edges: usize = network.processes.iter().map(|p| p.edges.len()).sum();
                let (processes, properties) = (network.processes.len(), network.properties.len());
                println!(
                    "{name}\tok: {processes} processes, {edges} edges, {properties} properties ({took} ms)"
                );
                for warning in &parsed.diagnostics {
                    println!("\twarning: {}", warning.message);
                }
                good += 1;
            }
        }
    }
    let all: usize = good + refused.values().sum::<usize>();
    println!("{good} of {all} files became networks");
    assert!(good >= 309, "fewer than there were");
    for (why, count) in refused {
        println!("{count}\t{why}");
    }
}
