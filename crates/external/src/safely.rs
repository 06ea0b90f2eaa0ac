//! Files that are written beside those that count, and take their place when they are whole.

use std::fs::{self, File};
use std::path::Path;

use crate::trouble::Trouble;

/// Makes a file safe and lets it take the place of another. Whenever the machine stops, one of
/// the two is there, whole.
pub(crate) fn replace(file: &File, unfinished: &Path, path: &Path) -> Result<(), Trouble> {
    file.sync_all().map_err(Trouble::of(unfinished))?;
    fs::rename(unfinished, path).map_err(Trouble::of(path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let itself = File::open(folder).map_err(Trouble::of(folder))?;
    itself.sync_all().map_err(Trouble::of(folder))
}
