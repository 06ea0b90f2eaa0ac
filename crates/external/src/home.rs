//! The folder that a user names: what is searched there, and a folder a search in it.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::safely::replace;
use crate::trouble::Trouble;

/// The file that says what is searched.
const ABOUT: &str = "about";
const UNFINISHED: &str = "about.new";

/// The file that is locked while a process uses the folder.
pub(crate) const LOCK: &str = "lock";

/// How the folders of searches begin.
const SEARCH: &str = "search-";

/// How the files begin that say what came of them.
const OUTCOME: &str = "outcome-";

/// The folder of one run, locked while it exists. A run may consist of several searches, one
/// after the other.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    /// Held for its lock; none of who works for a run that another process leads.
    _lock: Option<File>,
}

impl Home {
    /// Makes the folder, or takes one without a search. `about` says what is searched, for
    /// whoever goes on.
    pub fn create(path: &Path, about: &str) -> Result<Home, Trouble> {
        fs::create_dir_all(path).map_err(Trouble::of(path))?;
        let home = Home::locked(path)?;
        if path.join(ABOUT).exists() {
            return Err(Trouble::Occupied(home.path));
        }
        let unfinished = path.join(UNFINISHED);
        let mut file = File::create(&unfinished).map_err(Trouble::of(&unfinished))?;
        file.write_all(about.as_bytes()).map_err(Trouble::of(&unfinished))?;
        replace(&file, &unfinished, &path.join(ABOUT))?;
        Ok(home)
    }

    /// Takes a folder with a search, to go on with it.
    pub fn resume(path: &Path) -> Result<Home, Trouble> {
        Home::about(path)?;
        Home::locked(path)
    }

    /// Joins a run that another process leads.
    pub fn join(path: &Path) -> Result<Home, Trouble> {
        Home::about(path)?;
        Ok(Home { path: path.into(), _lock: None })
    }

    /// Whether the run is still there.
    pub fn is_there(&self) -> bool {
        self.path.join(ABOUT).exists()
    }

    /// What is searched in a folder.
    pub fn about(path: &Path) -> Result<String, Trouble> {
        let about = path.join(ABOUT);
        match fs::read_to_string(&about) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Err(Trouble::Empty(path.into()))
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(Trouble::Damaged(about, "it is no text"))
            }
            read => read.map_err(Trouble::of(&about)),
        }
    }

    /// The folder of a search, by its number.
    pub fn search(&self, number: u64) -> PathBuf {
        self.path.join(format!("{SEARCH}{number}"))
    }

    /// The file that says what came of a search, for those who work for it.
    pub fn outcome(&self, number: u64) -> PathBuf {
        self.path.join(format!("{OUTCOME}{number}"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what belongs to the run, and the folder where nothing else is in it. The
    /// searches in it are to be [removed](crate::Directory::remove) before.
    pub fn remove(self) -> Result<(), Trouble> {
        for name in [ABOUT, LOCK] {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(Trouble::of(&path))?;
        }
        // It may hold files of others.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    fn locked(path: &Path) -> Result<Home, Trouble> {
        Ok(Home { path: path.into(), _lock: Some(lock(&path.join(LOCK), path)?) })
    }
}

/// Takes a place for this process by this file, as long as it is open.
pub(crate) fn lock(path: &Path, place: &Path) -> Result<File, Trouble> {
    let lock = File::create(path).map_err(Trouble::of(path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Trouble::Locked(place.into())),
        Err(TryLockError::Error(error)) => Err(Trouble::Io(path.into(), error)),
    }
}
