//! Reading a run, forward: record by record, or from one state asked for to the next.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use homing_budget::checkpoint;
use homing_core::Word;

use crate::block::{GROUP, Head, checksum};
use crate::code::{self, is_less, is_same};
use crate::directory::Directory;
use crate::run::{BUFFER, MAGIC, PREFIX, Run};
use crate::tag::Tag;
use crate::trouble::Trouble;

/// Reads a run from its beginning.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    partition: u16,
    head: Head,
    head_bytes: Vec<u8>,
    /// The content of the block, with padding.
    content: Vec<u8>,
    /// Where its tags begin.
    tags: usize,
    /// Records in blocks not read yet.
    behind: u64,
    /// The state at hand.
    state: Vec<Word>,
    /// How many records of the block come before the one that is next.
    next: u32,
    /// Where that is, if it is in the group.
    at: usize,
    /// Records of the group not read yet.
    left: u32,
    /// The first state of the group behind, if the block has one, and where its rest is.
    ahead: Vec<Word>,
    ahead_at: usize,
    ended: bool,
}

impl Reader {
    /// Opens a run; there is no record at hand yet.
    pub fn open(directory: &Directory, run: &Run) -> Result<Reader, Trouble> {
        let path = directory.path_of(run.number);
        let file = File::open(&path).map_err(Trouble::of(&path))?;
        let length = file.metadata().map_err(Trouble::of(&path))?.len();
        if length != run.bytes {
            return Err(Trouble::Damaged(path, "it has another length than it was given"));
        }
        let width = directory.width();
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut prefix = [0; PREFIX];
        file.read_exact(&mut prefix).map_err(Trouble::of(&path))?;
        if prefix[..8] != MAGIC || prefix[8..] != (width as u64).to_le_bytes() {
            return Err(Trouble::Damaged(path, "it does not begin like a file of such states"));
        }
        Ok(Reader {
            path,
            file,
            partition: run.partition,
            head: Head::default(),
            head_bytes: vec![0; Head::bytes(width)],
            content: Vec::new(),
            tags: 0,
            behind: run.count,
            state: vec![0; width],
            next: 0,
            at: 0,
            left: 0,
            ahead: vec![0; width],
            ahead_at: 0,
            ended: false,
        })
    }

    /// The state at hand.
    #[inline]
    pub fn state(&self) -> &[Word] {
        &self.state
    }

    /// Its tag.
    #[inline]
    pub fn tag(&self) -> Tag {
        let bytes = self.head.shape.bytes();
        let start = self.tags + (self.next as usize).saturating_sub(1) * bytes;
        let tag = self.content.get(start..start + bytes).unwrap_or_default();
        self.head.shape.read(tag, self.partition, self.head.depth)
    }

    /// Whether there is no record any more.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Turns to the next record. Answers whether there is one.
    #[inline]
    pub fn advance(&mut self) -> Result<bool, Trouble> {
        if self.left == 0 {
            return self.next_group();
        }
        match self.decode() {
            Some(()) => Ok(true),
            None => Err(self.damaged(UNREADABLE)),
        }
    }

    /// Turns to the first record that is not less than `state`, if the one at hand is.
    /// Answers whether it is one of this state.
    #[inline]
    pub fn find(&mut self, state: &[Word]) -> Result<bool, Trouble> {
        while !self.ended && is_less(&self.state, state) {
            let is_here = self.next < self.head.count && !is_less(&self.head.last, state);
            if !is_here {
                self.next_block_for(state)?;
            } else if self.decode_to(state).is_none() {
                return Err(self.damaged(UNREADABLE));
            }
        }
        Ok(!self.ended && is_same(&self.state, state))
    }

    /// Passes over so many records, from the beginning.
    pub fn pass_over(&mut self, mut records: u64) -> Result<(), Trouble> {
        while records > 0 && self.next_head()? {
            let count = u64::from(self.head.count);
            if count <= records {
                self.pass_over_content()?;
                records -= count;
                continue;
            }
            self.read_content()?;
            for _ in 0..std::mem::take(&mut records) {
                self.advance()?;
            }
        }
        Ok(())
    }

    /// Turns to the first record of the next group, or of the next block.
    fn next_group(&mut self) -> Result<bool, Trouble> {
        if self.next == self.head.count {
            if !self.next_head()? {
                return Ok(false);
            }
            self.read_content()?;
        }
        match self.enter_group() {
            Some(()) => Ok(true),
            None => Err(self.damaged(UNREADABLE)),
        }
    }

    /// Finds the block that `state` would be in, and its first record; what is left of the
    /// block at hand is less than `state`.
    fn next_block_for(&mut self, state: &[Word]) -> Result<(), Trouble> {
        while self.next_head()? {
            if !is_less(&self.head.last, state) {
                self.read_content()?;
                self.next_group()?;
                return Ok(());
            }
            self.pass_over_content()?;
        }
        Ok(())
    }

    /// Turns to the next record of the block that is not less than `state`, which there is.
    /// A state may be there several times: so a group that begins with it is not jumped to.
    fn decode_to(&mut self, state: &[Word]) -> Option<()> {
        while self.is_ahead() && is_less(&self.ahead, state) {
            self.enter_group()?;
        }
        if let ([word], [least]) = (&mut self.state[..], state) {
            while *word < *least && self.left > 0 {
                *word = word.wrapping_add(code::number(&self.content, &mut self.at)?);
                (self.next, self.left) = (self.next + 1, self.left - 1);
            }
        } else {
            while self.left > 0 && is_less(&self.state, state) {
                self.decode()?;
            }
        }
        if is_less(&self.state, state) { self.enter_group() } else { Some(()) }
    }

    /// Decodes the next state of the group.
    #[inline]
    fn decode(&mut self) -> Option<()> {
        code::state(&self.content, &mut self.at, &mut self.state)?;
        (self.next, self.left) = (self.next + 1, self.left - 1);
        Some(())
    }

    /// Whether the block has a group behind this one.
    #[inline]
    fn is_ahead(&self) -> bool {
        self.next + self.left < self.head.count
    }

    /// Turns to the first record of the group behind, and decodes that of the next.
    #[inline]
    fn enter_group(&mut self) -> Option<()> {
        if !self.is_ahead() {
            return None;
        }
        let first = self.next + self.left;
        code::copy(&mut self.state, &self.ahead);
        let mut at = self.ahead_at;
        let rest = code::number(&self.content, &mut at)?;
        (self.next, self.at) = (first + 1, at);
        self.left = (self.head.count - self.next).min(GROUP - 1);
        if self.is_ahead() {
            self.ahead_at = at.checked_add(usize::try_from(rest).ok()?)?;
            code::state(&self.content, &mut self.ahead_at, &mut self.ahead)?;
        }
        Some(())
    }

    /// Reads the head of the next block. Answers whether there is one.
    fn next_head(&mut self) -> Result<bool, Trouble> {
        if self.behind == 0 {
            self.ended = true;
            return Ok(false);
        }
        self.file.read_exact(&mut self.head_bytes).map_err(Trouble::of(&self.path))?;
        if self.head.read(&self.head_bytes).is_none() {
            return Err(self.damaged("the checksum of the head of a block is wrong"));
        }
        let count = u64::from(self.head.count);
        if count == 0 || count > self.behind {
            return Err(self.damaged("it has another number of records than it was given"));
        }
        self.behind -= count;
        (self.next, self.left) = (self.head.count, 0);
        Ok(true)
    }

    fn read_content(&mut self) -> Result<(), Trouble> {
        checkpoint();
        let length = self.head.length as usize;
        self.content.resize(length + code::PADDING, 0);
        self.file.read_exact(&mut self.content[..length]).map_err(Trouble::of(&self.path))?;
        self.content[length..].fill(0);
        if checksum(&self.content[..length]) != self.head.content {
            return Err(self.damaged("the checksum of a block is wrong"));
        }
        let tags = self.head.shape.bytes() * self.head.count as usize;
        (self.next, self.left, self.ahead_at) = (0, 0, 0);
        self.ahead.fill(0);
        let first = code::state(&self.content, &mut self.ahead_at, &mut self.ahead);
        match (length.checked_sub(tags), first) {
            (Some(start), Some(())) => self.tags = start,
            _ => return Err(self.damaged(UNREADABLE)),
        }
        Ok(())
    }

    fn pass_over_content(&mut self) -> Result<(), Trouble> {
        checkpoint();
        self.file.seek_relative(self.head.length.into()).map_err(Trouble::of(&self.path))
    }

    fn damaged(&self, what: &'static str) -> Trouble {
        Trouble::Damaged(self.path.clone(), what)
    }
}

/// What is wrong with records that make no sense, though their checksum is right.
const UNREADABLE: &str = "a record cannot be read";
