//! The timed models of the corpus.

use std::path::Path;

use anyhow::Result;

pub use crate::corpus::File;
use crate::corpus::files;

const ENDINGS: &[&str] = &["tck", "xml", "xta", "ta"];

/// All files below `root` that are named as models are, by name.
pub fn all(root: &Path) -> Result<Vec<File>> {
    files(root, ENDINGS)
}

/// The labels that a model in TChecker's language asks for together: its line
/// `#labels=l1:l2`. TChecker's tests read no list with commas.
pub fn labels(text: &str) -> Vec<&str> {
    let line = text.lines().find_map(|line| {
        let list = line.strip_prefix('#')?.trim_start().strip_prefix("labels")?.trim_start();
        Some(list.strip_prefix('=')?.trim())
    });
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    match line {
        Some(list) if list.chars().all(known) => {
            list.split(':').filter(|label| !label.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

/// The goal at which all labels are present, in TChecker's language.
pub fn goal(labels: &[&str]) -> String {
    if labels.is_empty() { "1 == 2".into() } else { labels.join(" && ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_with_colons_are_a_goal() {
        assert_eq!(labels("system:a\n#labels=cs1:cs2\n"), ["cs1", "cs2"]);
        assert_eq!(labels("# labels = error\n"), ["error"]);
        assert!(labels("#labels=cs1,cs2\n").is_empty());
        assert!(labels("system:a\n").is_empty());
        assert_eq!(goal(&["a", "b"]), "a && b");
    }
}
