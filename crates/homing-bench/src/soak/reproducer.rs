//! Programs on which answers differ, as files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::compare::Difference;
use super::generators::Generator;

/// A program on which answers differ.
pub struct Reproducer<'a> {
    pub generator: &'a Generator,
    pub seed: u64,
    pub text: String,
    pub difference: Difference,
}

impl Reproducer<'_> {
    /// Writes the program, with what is known of it in a comment on top.
    pub fn write(&self, folder: &Path, goals: &[String]) -> Result<()> {
        let Generator { name, extension, .. } = self.generator;
        let comment = if *extension == "tck" { "#" } else { "//" };
        let Difference { kind, ours, theirs } = &self.difference;
        let mut page = String::new();
        for line in [
            kind.to_string(),
            format!("homing: {ours}"),
            format!("other: {theirs}"),
            format!("goals: {}", goals.join(" | ")),
            format!("homing-bench soak --generators {name} --first {} --programs 1", self.seed),
        ] {
            page += &format!("{comment} {}\n", line.replace('\n', " "));
        }
        page += &self.text;
        let path = folder.join(slug(kind)).join(format!("{name}-{}.{extension}", self.seed));
        save(&path, &page)
    }
}

/// The kind of a difference as the name of a folder.
fn slug(kind: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let mut slug: String = kind.chars().map(letter).take(80).collect();
    while slug.contains("--") {
        slug = slug.replace("--", "-");
    }
    slug
}

fn save(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn current(folder: &Path, job: usize) -> PathBuf {
    folder.join(format!("current-{}-{job}", std::process::id()))
}

/// Leaves the program that is being compared where it is found after a crash
/// that no one in this process can report.
pub fn remember(
    folder: &Path,
    job: usize,
    generator: &Generator,
    seed: u64,
    text: &str,
) -> Result<()> {
    save(&current(folder, job), &format!("{} {seed}\n{text}", generator.name))
}

/// The job has come to its end.
pub fn forget(folder: &Path, job: usize) {
    // Left behind it would be taken for a crash, which harms nobody.
    let _ = fs::remove_file(current(folder, job));
}
