//! Every BEEM model can be read, and every goal of its reachability properties.

use std::fs;
use std::path::{Path, PathBuf};

use homing_ir::{Diagnostic, Network, Severity};
use homing_lang::dve;

/// The folder of BEEM models, or a printed notice that there is none.
fn beem() -> Option<PathBuf> {
    let corpus = std::env::var_os("HOMING_CORPUS").map(PathBuf::from).unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")
    });
    let beem = corpus.join("dve/beem");
    if !beem.is_dir() {
        println!("skipped: no corpus of models at {}", corpus.display());
        return None;
    }
    Some(beem)
}

fn read(path: &Path) -> (Network, Vec<Diagnostic>) {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let parsed = dve::parse(&path.display().to_string(), &text);
    (parsed.network, parsed.diagnostics)
}

fn show(network: &Network, diagnostic: &Diagnostic) -> String {
    let at = network.sources.position(diagnostic.span);
    let name = &network.sources.get(diagnostic.span.source).name;
    format!("{name}:{}:{}: {}", at.line, at.column, diagnostic.message)
}

#[test]
fn every_model_is_read() {
    let Some(beem) = beem() else { return };
    let mut models = 0;
    let mut errors = Vec::new();
    for family in fs::read_dir(beem).unwrap().map(|entry| entry.unwrap().path()) {
        for path in fs::read_dir(family).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "dve") {
                models += 1;
                let (network, diagnostics) = read(&path);
                for diagnostic in diagnostics {
                    if diagnostic.severity == Severity::Error {
                        errors.push(show(&network, &diagnostic));
                    } else {
                        println!("{}", show(&network, &diagnostic));
                    }
                }
            }
        }
    }
    println!("{models} models");
    assert!(models > 400, "only {models} models found");
    assert!(errors.is_empty(), "{} errors\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn every_goal_is_read() {
    let Some(beem) = beem() else { return };
    let table = fs::read_to_string(beem.join("reach-goals.tsv")).unwrap();
    let mut goals = 0;
    let mut errors = Vec::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (family, instance, goal) = (cells[0], cells[1], cells[3]);
        let path = beem.join(family).join(format!("{family}.{instance}.dve"));
        if !path.exists() {
            println!("no such model: {}", path.display());
            continue;
        }
        goals += 1;
        let (mut network, _) = read(&path);
        if let Err(complaints) = dve::expression(&mut network, goal, "<goal>") {
            errors.extend(complaints.iter().map(|one| format!("{family}.{instance} {}", show(&network, one))));
        }
    }
    println!("{goals} goals");
    assert!(goals > 100, "only {goals} goals found");
    assert!(errors.is_empty(), "{} errors\n{}", errors.len(), errors.join("\n"));
}
