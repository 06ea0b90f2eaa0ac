//! What can go wrong on disk, as values.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug)]
pub enum Trouble {
    /// The disk is full.
    Full(PathBuf),
    /// The folder holds as much as it may: so many bytes.
    Limit(PathBuf, u64),
    /// The operating system refuses something.
    Io(PathBuf, io::Error),
    /// A file is not as it was written.
    Damaged(PathBuf, &'static str),
    /// Another process uses the folder.
    Locked(PathBuf),
    /// There is a search in the folder already.
    Occupied(PathBuf),
    /// There is a file already, of something else.
    Taken(PathBuf),
    /// There is too little memory for what is kept.
    Room,
    /// What is asked for cannot be done: why.
    Refused(&'static str),
    /// There is no search in the folder.
    Empty(PathBuf),
    /// The folder belongs to another model, to other options or to another version.
    Foreign(PathBuf, &'static str),
}

impl Trouble {
    /// What an error of the operating system about this file is.
    pub(crate) fn of(path: &Path) -> impl FnOnce(io::Error) -> Trouble + '_ {
        |error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Trouble::Full(path.into()),
            ErrorKind::UnexpectedEof => Trouble::Damaged(path.into(), "it ends too early"),
            _ => Trouble::Io(path.into(), error),
        }
    }

    /// Whether room on the disk would help.
    pub fn is_full(&self) -> bool {
        matches!(self, Trouble::Full(_) | Trouble::Limit(..))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Full(path) => write!(f, "the disk is full, writing `{}`", path.display()),
            Trouble::Limit(path, most) => {
                write!(f, "`{}` holds as much as it may: {most} bytes", path.display())
            }
            Trouble::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
            Trouble::Damaged(path, what) => write!(f, "`{}` is damaged: {what}", path.display()),
            Trouble::Locked(path) => {
                write!(f, "another process searches in `{}`", path.display())
            }
            Trouble::Occupied(path) => write!(
                f,
                "`{0}` holds a search already; `homing resume {0}` goes on with it, or remove it",
                path.display()
            ),
            Trouble::Taken(path) => {
                write!(f, "`{}` is there already, and is no checkpoint", path.display())
            }
            Trouble::Room => write!(f, "memory is too small for the states of the checkpoint"),
            Trouble::Refused(why) => f.write_str(why),
            Trouble::Empty(path) => write!(f, "there is no search in `{}`", path.display()),
            Trouble::Foreign(path, what) => {
                write!(f, "the search in `{}` is one of {what}", path.display())
            }
        }
    }
}

impl std::error::Error for Trouble {}
