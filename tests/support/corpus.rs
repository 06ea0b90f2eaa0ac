//! Where the models of other projects are. Included by the tests of several crates.

use std::path::{Path, PathBuf};

/// A folder of the corpus, or a printed notice that there is none.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let corpus = std::env::var_os("HOMING_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    let found = corpus.join(folder);
    if !found.is_dir() {
        println!("skipped: there is no corpus of models at {}", corpus.display());
        return None;
    }
    Some(found)
}
