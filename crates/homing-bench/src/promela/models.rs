//! The Promela models of the corpus.

use std::path::Path;

use anyhow::Result;

pub use crate::corpus::File;
use crate::corpus::files;

/// How the names of models end; the corpus has included files and claims too.
const ENDINGS: &[&str] = &["pml", "pm", "pr", "prm", "prom", "promela", "spin"];

/// All models below `root`, by name.
pub fn all(root: &Path) -> Result<Vec<File>> {
    files(root, ENDINGS)
}
