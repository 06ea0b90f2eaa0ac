//! The files of the project, as the rules see them.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file with its path relative to the project.
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// The folder that holds the workspace.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace has a folder")
}

/// Every text file of the project; build products and version control apart.
pub fn files() -> Vec<TextFile> {
    const SKIPPED: &[&str] = &["target", ".git", "corpus", "Cargo.lock"];
    let root = root();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the project can be read") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if SKIPPED.contains(&name.as_ref()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let path = path.strip_prefix(&root).expect("it lies in the project");
                let path = path.to_string_lossy().into_owned();
                files.push(TextFile { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 20, "the project's files were not found");
    files
}

/// The Rust files that are shipped: neither tests nor benchmarks.
pub fn shipped() -> Vec<TextFile> {
    files().into_iter().filter(|file| file.is_shipped()).collect()
}

impl TextFile {
    fn is_shipped(&self) -> bool {
        let in_sources = self.path.starts_with("crates/") && self.path.contains("/src/");
        let of_tests = self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        self.path.ends_with(".rs") && in_sources && !of_tests
    }

    /// Lines of code with their numbers: without comments, blank lines and the
    /// tests at the end of the file.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line.trim()))
            .take_while(|(_, line)| *line != "#[cfg(test)]")
            .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
    }
}

/// Fails with every finding on a line of its own.
pub fn expect_none(rule: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{rule}:\n  {}", findings.join("\n  "));
}
