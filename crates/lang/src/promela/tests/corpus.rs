//! The corpus: what SPIN accepts is read.

use std::fs;
use std::path::{Path, PathBuf};

use super::outcome;

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
