//! The Promela models of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A model's file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path below the folder of Promela models.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

/// How the names of models end; the corpus has included files and claims too.
const ENDINGS: &[&str] = &["pml", "pm", "pr", "prm", "prom", "promela", "spin"];

/// All models below `root`, by name.
pub fn all(root: &Path) -> Result<Vec<File>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder);
        let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if path.is_dir() {
                folders.push(path);
            } else if ENDINGS.contains(&ending) {
                let name = path.strip_prefix(root).unwrap_or(&path);
                found.push(File { name: name.to_string_lossy().into_owned(), path });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}
