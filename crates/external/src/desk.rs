//! The desk of a search: a folder by which several processes work on one.
//!
//! One process *leads*: it has the lock of the search, and it alone decides what counts. It
//! writes on a *board* which parts of a layer there are and the *attempt* at each that counts.
//! Others *work*: they take parts and hand in what they did.
//!
//! ```text
//! board                      what is to be done, written by the leader, by rename
//! worker-W                   that worker W is there; a number that grows as long as it is alive
//! claim-E-L-P-A              who takes attempt A at part P of layer L in epoch E: made by
//!                            whoever is first, and by nobody else
//! done-E-L-P-A               what came of it, written by rename when all files are safe
//! ```
//! No clock of one machine is compared with that of another, and no lock is held while
//! anybody works. A claim only spares two processes the same work: what counts is the one
//! attempt that the leader takes in. So a worker may be slow, or end at any moment; when its
//! number has not grown for a while, its parts are there to be taken again, as another
//! attempt. An *epoch* is the time of one leader: what was done for one before counts for
//! nobody.
//!
//! All that is needed of a file system: a file is made by one of several who try, a file is
//! renamed as a whole, and who opens a file reads what was last written before.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::manifest::Manifest;
use crate::run::Run;
use crate::trouble::Trouble;

/// The folder in that of the search.
pub(crate) const DESK: &str = "work";

const BOARD: &str = "board";
const WORKER: &str = "worker-";
const CLAIM: &str = "claim-";
const DONE: &str = "done-";

/// One attempt at a part of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Whose time it is.
    pub epoch: u64,
    /// The number of the layer's run.
    pub layer: u64,
    /// The part of it.
    pub part: u64,
    /// How often others tried before.
    pub number: u64,
}

impl Attempt {
    fn name(&self, kind: &str) -> String {
        let Attempt { epoch, layer, part, number } = self;
        format!("{kind}{epoch}-{layer}-{part}-{number}")
    }

    fn of_name(name: &str, kind: &str) -> Option<Attempt> {
        let mut numbers = name.strip_prefix(kind)?.split('-').map(|number| number.parse().ok());
        let mut next = || numbers.next()?;
        Some(Attempt { epoch: next()?, layer: next()?, part: next()?, number: next()? })
    }
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Board {
    /// Whose time it is.
    pub epoch: u64,
    /// Grows as long as the leader is alive.
    pub beat: u64,
    /// Whether the search has ended.
    pub ended: bool,
    /// The layer that is expanded in parts, if any is.
    pub layer: Option<Parts>,
}

/// A layer in parts: of equal size, but for the last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// Its run.
    pub run: Run,
    /// The record with which the first part begins.
    pub from: u64,
    /// The records of a part.
    pub size: u64,
    /// The attempt at each part that counts; none of parts that are done.
    pub attempts: Vec<Option<u64>>,
}

impl Parts {
    /// The records of a part.
    pub fn range(&self, part: usize) -> std::ops::Range<u64> {
        let from = self.from + part as u64 * self.size;
        from..(from + self.size).min(self.run.count)
    }
}

/// Who and what is there.
#[derive(Debug, Default)]
pub struct Found {
    /// Workers, and the number that grows.
    pub workers: BTreeMap<u64, u64>,
    /// What is taken.
    pub claims: Vec<Attempt>,
    /// What is done.
    pub done: Vec<Attempt>,
}

/// The desk, as the leader or a worker sees it.
#[derive(Clone, Debug)]
pub struct Desk {
    folder: PathBuf,
}

impl Desk {
    /// That of the search in a folder.
    pub(crate) fn of(search: &Path) -> Desk {
        Desk { folder: search.join(DESK) }
    }

    /// Makes it, and clears what others left; workers that are there may stay.
    pub fn open(&self) -> Result<(), Trouble> {
        fs::create_dir_all(&self.folder).map_err(Trouble::of(&self.folder))?;
        for entry in fs::read_dir(&self.folder).map_err(Trouble::of(&self.folder))? {
            let path = entry.map_err(Trouble::of(&self.folder))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(CLAIM) || name.starts_with(DONE) {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes it.
    pub(crate) fn remove(&self) -> Result<(), Trouble> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Trouble::Io(self.folder.clone(), error))
            }
            _ => Ok(()),
        }
    }

    /// Writes the board.
    pub fn write(&self, board: &Board) -> Result<(), Trouble> {
        let mut manifest = Manifest::default();
        let numbers = vec![board.epoch, board.beat, board.ended.into()];
        manifest.numbers.insert(BOARD.into(), numbers);
        if let Some(Parts { run, from, size, attempts }) = &board.layer {
            let numbers = attempts.iter().map(|attempt| attempt.map_or(0, |number| number + 1));
            manifest.numbers.insert("parts".into(), vec![*from, *size]);
            manifest.numbers.insert("attempts".into(), numbers.collect());
            manifest.entries.push(crate::Entry { role: "layer".into(), run: run.clone() });
        }
        self.put(BOARD, &manifest.text())
    }

    /// Reads the board; none where there is none, or no desk.
    pub fn read(&self) -> Result<Option<Board>, Trouble> {
        let Some(manifest) = self.get(BOARD)? else { return Ok(None) };
        let numbers = |name: &str| manifest.numbers.get(name).map_or(&[][..], |it| &it[..]);
        let &[epoch, beat, ended] = numbers(BOARD) else { return Ok(None) };
        let layer = match (&manifest.entries[..], numbers("parts")) {
            ([layer], &[from, size]) => {
                let attempts = numbers("attempts").iter().map(|number| number.checked_sub(1));
                Some(Parts { run: layer.run.clone(), from, size, attempts: attempts.collect() })
            }
            _ => None,
        };
        Ok(Some(Board { epoch, beat, ended: ended != 0, layer }))
    }

    /// Takes an attempt at a part. Answers whether nobody was faster.
    pub fn claim(&self, attempt: &Attempt, worker: u64) -> Result<bool, Trouble> {
        let path = self.folder.join(attempt.name(CLAIM));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                // Whose it is: if that is lost, the part is taken again.
                file.write_all(format!("{worker}\n").as_bytes()).map_err(Trouble::of(&path))?;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            // There is no desk any more.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Trouble::Io(path, error)),
        }
    }

    /// Who took an attempt; none where that is not known.
    pub fn claimant(&self, attempt: &Attempt) -> Option<u64> {
        fs::read_to_string(self.folder.join(attempt.name(CLAIM))).ok()?.trim().parse().ok()
    }

    /// Hands in what came of an attempt.
    pub fn hand_in(&self, attempt: &Attempt, what: &Manifest) -> Result<(), Trouble> {
        self.put(&attempt.name(DONE), &what.text())
    }

    /// What came of an attempt.
    pub fn take_in(&self, attempt: &Attempt) -> Result<Option<Manifest>, Trouble> {
        self.get(&attempt.name(DONE))
    }

    /// Removes what is known of an attempt.
    pub fn clear(&self, attempt: &Attempt) -> Result<(), Trouble> {
        remove(&self.folder.join(attempt.name(DONE)))?;
        remove(&self.folder.join(attempt.name(CLAIM)))
    }

    /// Says that a worker is alive.
    pub fn beat(&self, worker: u64, beat: u64) -> Result<(), Trouble> {
        match self.folder.exists() {
            true => self.put(&format!("{WORKER}{worker}"), &format!("{beat}\n")),
            false => Ok(()),
        }
    }

    /// A worker leaves.
    pub fn leave(&self, worker: u64) {
        // Who does not beat any more is missed as well.
        let _ = fs::remove_file(self.folder.join(format!("{WORKER}{worker}")));
    }

    /// Looks who and what is there.
    pub fn look(&self) -> Result<Found, Trouble> {
        let mut found = Found::default();
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(Trouble::of(&self.folder))?,
        };
        for entry in entries {
            let path = entry.map_err(Trouble::of(&self.folder))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            found.claims.extend(Attempt::of_name(name, CLAIM));
            found.done.extend(Attempt::of_name(name, DONE));
            let worker = name.strip_prefix(WORKER).and_then(|worker| worker.parse().ok());
            if let Some(worker) = worker {
                let beat = fs::read_to_string(&path).unwrap_or_default();
                found.workers.insert(worker, beat.trim().parse().unwrap_or(0));
            }
        }
        Ok(found)
    }

    /// Writes a file as a whole.
    fn put(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let unfinished = self.folder.join(format!("{name}.new-{}", std::process::id()));
        let mut file = File::create(&unfinished).map_err(Trouble::of(&unfinished))?;
        file.write_all(text.as_bytes()).map_err(Trouble::of(&unfinished))?;
        drop(file);
        let path = self.folder.join(name);
        fs::rename(&unfinished, &path).map_err(Trouble::of(&path))
    }

    /// Reads a file that was written as a whole, if it is there.
    fn get(&self, name: &str) -> Result<Option<Manifest>, Trouble> {
        let path = self.folder.join(name);
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Trouble::Io(path, error)),
            Ok(text) => match Manifest::parse(&text) {
                Some(manifest) => Ok(Some(manifest)),
                None => Err(Trouble::Damaged(path, "its checksum is wrong")),
            },
        }
    }
}

fn remove(path: &Path) -> Result<(), Trouble> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Trouble::Io(path.into(), error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_the_board_is_read() {
        let folder = std::env::temp_dir().join(format!("homing-desk-{}", std::process::id()));
        let desk = Desk::of(&folder);
        assert_eq!(desk.read().unwrap(), None);
        desk.open().unwrap();
        let run = Run { number: 3, partition: 2, depths: (1, 9), count: 77, bytes: 1000 };
        let attempts = vec![Some(0), None, Some(7)];
        let parts = Parts { run, from: 5, size: 30, attempts };
        assert_eq!((parts.range(0), parts.range(2)), (5..35, 65..77));
        let board = Board { epoch: u64::MAX, beat: 4, ended: true, layer: Some(parts) };
        desk.write(&board).unwrap();
        assert_eq!(desk.read().unwrap(), Some(board));
        let attempt = Attempt { epoch: 9, layer: 3, part: 2, number: 7 };
        assert!(desk.claim(&attempt, 8).unwrap() && !desk.claim(&attempt, 5).unwrap());
        assert_eq!(desk.claimant(&attempt), Some(8));
        desk.beat(8, 1).unwrap();
        desk.hand_in(&attempt, &Manifest::default()).unwrap();
        let found = desk.look().unwrap();
        assert_eq!(
            (found.workers, found.claims, found.done),
            ([(8, 1)].into(), vec![attempt], vec![attempt])
        );
        assert!(desk.take_in(&attempt).unwrap().is_some());
        desk.open().unwrap();
        let found = desk.look().unwrap();
        assert_eq!((found.workers.len(), found.claims.len() + found.done.len()), (1, 0));
        desk.remove().unwrap();
        fs::remove_dir(&folder).unwrap();
    }
}
