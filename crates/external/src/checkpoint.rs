//! A checkpoint: one file from which a search in memory goes on.
//!
//! ```text
//! magic    what the file is, and the version of its format
//! blocks   length of the content in bytes, number of the block (u32 each), checksum of both
//!          and of the content (u64); the content: numbers, texts and states
//! end      a block without content
//! ```
//! The first items are the fingerprint of the search and what it is about. It is written beside
//! the file that counts, made safe, and then renamed: whenever a process ends, there is one
//! that is whole. No block is believed whose checksum was not looked at; one that is missing
//! at the end is missed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use homing_core::Word;
use homing_core::hash::hash_words;

use crate::block::checksum;
use crate::code;
use crate::home::lock;
use crate::safely::replace;
use crate::trouble::Trouble;

/// What a checkpoint begins with, in any version.
const KIND: &[u8] = b"homing checkpoint, format ";
const MAGIC: &[u8] = b"homing checkpoint, format 1\n";

/// Bytes after which a block is closed.
const BLOCK: usize = 1 << 16;

/// The bytes before the content of a block.
const HEAD: usize = 16;

/// The place of a checkpoint, locked while it exists.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    /// Held for its lock.
    _lock: File,
}

impl Checkpoint {
    /// Takes a place where there is no file.
    pub fn create(path: &Path) -> Result<Checkpoint, Trouble> {
        let place = Checkpoint::locked(path)?;
        if !path.exists() {
            return Ok(place);
        }
        let is_ours = Checkpoint::about(path).is_ok();
        let path = path.to_path_buf();
        Err(if is_ours { Trouble::Occupied(path) } else { Trouble::Taken(path) })
    }

    /// Takes a place with the checkpoint of the search with this fingerprint, and reads that.
    pub fn resume(path: &Path, fingerprint: u64) -> Result<(Checkpoint, Loader), Trouble> {
        Checkpoint::about(path)?;
        let place = Checkpoint::locked(path)?;
        let mut loader = Loader::open(path)?;
        if loader.number()? != fingerprint {
            let what = "another model, or with other options";
            return Err(Trouble::Foreign(path.into(), what));
        }
        loader.text()?;
        Ok((place, loader))
    }

    /// What is searched by a checkpoint.
    pub fn about(path: &Path) -> Result<String, Trouble> {
        let mut loader = Loader::open(path)?;
        loader.number()?;
        loader.text()
    }

    fn locked(path: &Path) -> Result<Checkpoint, Trouble> {
        Ok(Checkpoint { path: path.into(), _lock: lock(&beside(path, "lock"), path)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a checkpoint, which counts from now on. Answers how many bytes it takes.
    pub fn save(
        &self,
        fingerprint: u64,
        about: &str,
        what: impl FnOnce(&mut Saver) -> Result<(), Trouble>,
    ) -> Result<u64, Trouble> {
        let mut saver = Saver::create(beside(&self.path, "new"))?;
        saver.number(fingerprint)?;
        saver.text(about)?;
        what(&mut saver)?;
        saver.finish(&self.path)
    }

    /// Removes the checkpoint, if there is one: nobody needs to go on.
    pub fn remove(self) -> Result<(), Trouble> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Trouble::Io(self.path.clone(), error))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Checkpoint {
    /// Leaves the place to others.
    fn drop(&mut self) {
        // Where it cannot be removed, it is in nobody's way.
        let _ = fs::remove_file(beside(&self.path, "lock"));
    }
}

/// Writes a file of the same form, beside which there is no other.
pub fn save_alone(
    path: &Path,
    fingerprint: u64,
    what: impl FnOnce(&mut Saver) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut saver = Saver::create(beside(path, "new"))?;
    saver.number(fingerprint)?;
    what(&mut saver)?;
    saver.finish(path).map(|_| ())
}

/// Reads it, if it is there.
pub fn load_alone(path: &Path, fingerprint: u64) -> Result<Option<Loader>, Trouble> {
    let mut loader = match Loader::open(path) {
        Err(Trouble::Empty(_)) => return Ok(None),
        loader => loader?,
    };
    match loader.number()? == fingerprint {
        true => Ok(Some(loader)),
        false => Err(Trouble::Foreign(path.into(), "another model, or with other options")),
    }
}

/// The file of this name with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(ending);
    name.into()
}

/// The checksum of a block.
fn sum(number: u32, content: &[u8]) -> u64 {
    hash_words(&[u64::from(number) << 32 | content.len() as u64, checksum(content)])
}

/// Writes a checkpoint.
#[derive(Debug)]
pub struct Saver {
    path: PathBuf,
    file: File,
    /// The block so far.
    content: Vec<u8>,
    number: u32,
    /// The state written last.
    before: Vec<Word>,
    bytes: u64,
    /// Whether it took its place.
    is_done: bool,
}

impl Saver {
    fn create(path: PathBuf) -> Result<Saver, Trouble> {
        let mut file = File::create(&path).map_err(Trouble::of(&path))?;
        file.write_all(MAGIC).map_err(Trouble::of(&path))?;
        let (content, before) = (Vec::with_capacity(BLOCK + 64), Vec::new());
        let bytes = MAGIC.len() as u64;
        Ok(Saver { path, file, content, number: 0, before, bytes, is_done: false })
    }

    /// Adds a number.
    #[inline]
    pub fn number(&mut self, number: u64) -> Result<(), Trouble> {
        code::put_number(&mut self.content, number);
        self.close_if_full()
    }

    /// Adds a state.
    pub fn state(&mut self, state: &[Word]) -> Result<(), Trouble> {
        self.before.resize(state.len(), 0);
        code::put_state(&mut self.content, state, &self.before);
        code::copy(&mut self.before, state);
        self.close_if_full()
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) -> Result<(), Trouble> {
        self.number(text.len() as u64)?;
        text.bytes().try_for_each(|byte| self.number(byte.into()))
    }

    #[inline]
    fn close_if_full(&mut self) -> Result<(), Trouble> {
        if self.content.len() < BLOCK { Ok(()) } else { self.close() }
    }

    #[cold]
    fn close(&mut self) -> Result<(), Trouble> {
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(&(self.content.len() as u32).to_le_bytes());
        head.extend_from_slice(&self.number.to_le_bytes());
        head.extend_from_slice(&sum(self.number, &self.content).to_le_bytes());
        let written = self.file.write_all(&head).and_then(|()| self.file.write_all(&self.content));
        written.map_err(Trouble::of(&self.path))?;
        self.bytes += (HEAD + self.content.len()) as u64;
        self.number = self.number.wrapping_add(1);
        self.content.clear();
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Result<u64, Trouble> {
        if !self.content.is_empty() {
            self.close()?;
        }
        self.close()?;
        replace(&self.file, &self.path, path)?;
        self.is_done = true;
        Ok(self.bytes)
    }
}

impl Drop for Saver {
    /// What was not finished is nothing, and would only take room on a full disk.
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Reads a checkpoint.
#[derive(Debug)]
pub struct Loader {
    path: PathBuf,
    file: BufReader<File>,
    /// The block at hand, with padding, and where the next item is.
    content: Vec<u8>,
    at: usize,
    number: u32,
    before: Vec<Word>,
}

impl Loader {
    fn open(path: &Path) -> Result<Loader, Trouble> {
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(Trouble::Empty(path.into()));
            }
            file => file.map_err(Trouble::of(path))?,
        };
        let mut file = BufReader::with_capacity(BLOCK, file);
        let mut magic = [0; MAGIC.len()];
        let read = file.read_exact(&mut magic);
        if read.is_err() || !magic.starts_with(KIND) {
            return Err(Trouble::Empty(path.into()));
        }
        if magic != MAGIC {
            return Err(Trouble::Foreign(path.into(), "another version of homing"));
        }
        let path = path.to_path_buf();
        Ok(Loader { path, file, content: Vec::new(), at: 0, number: 0, before: Vec::new() })
    }

    /// The file is not as it was written.
    pub fn damaged(&self, what: &'static str) -> Trouble {
        Trouble::Damaged(self.path.clone(), what)
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Trouble> {
        self.fill()?;
        let number = code::number(&self.content, &mut self.at);
        number.ok_or_else(|| self.damaged("a number is cut"))
    }

    /// The next number, of those below a bound.
    pub fn below(&mut self, bound: u64) -> Result<u64, Trouble> {
        match self.number()? {
            number if number < bound => Ok(number),
            _ => Err(self.damaged("it has a number that makes no sense")),
        }
    }

    /// The next state.
    pub fn state(&mut self, state: &mut [Word]) -> Result<(), Trouble> {
        self.fill()?;
        self.before.resize(state.len(), 0);
        let read = code::state(&self.content, &mut self.at, &mut self.before);
        read.ok_or_else(|| self.damaged("a state is cut"))?;
        code::copy(state, &self.before);
        Ok(())
    }

    /// The next text.
    pub fn text(&mut self) -> Result<String, Trouble> {
        let length = self.number()?;
        let mut bytes = Vec::new();
        for _ in 0..length {
            bytes.push(self.below(256)? as u8);
        }
        String::from_utf8(bytes).map_err(|_| self.damaged("a text is none"))
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<(), Trouble> {
        let is_last = self.is_used_up() && self.next_block()? == 0;
        match is_last && self.file.fill_buf().map_err(Trouble::of(&self.path))?.is_empty() {
            true => Ok(()),
            false => Err(self.damaged("there is more in it than there should be")),
        }
    }

    fn is_used_up(&self) -> bool {
        self.at + code::PADDING >= self.content.len()
    }

    #[inline]
    fn fill(&mut self) -> Result<(), Trouble> {
        if !self.is_used_up() {
            return Ok(());
        }
        match self.next_block()? {
            0 => Err(self.damaged("it ends too early")),
            _ => Ok(()),
        }
    }

    /// Reads a block, and answers how long it is.
    #[cold]
    fn next_block(&mut self) -> Result<usize, Trouble> {
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).map_err(Trouble::of(&self.path))?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, number) = (word(0) as usize, word(4));
        let told = u64::from(word(8)) | u64::from(word(12)) << 32;
        // An item at the end of a block may be a state of many words.
        let most = BLOCK + 16 * self.before.len() + 64;
        if number != self.number || length > most {
            return Err(self.damaged("its checksum is wrong"));
        }
        self.content.clear();
        self.content.resize(length + code::PADDING, 0);
        self.file.read_exact(&mut self.content[..length]).map_err(Trouble::of(&self.path))?;
        if told != sum(number, &self.content[..length]) {
            return Err(self.damaged("its checksum is wrong"));
        }
        (self.number, self.at) = (number.wrapping_add(1), 0);
        Ok(length)
    }
}
