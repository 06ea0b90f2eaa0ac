//! Runs: sorted files of records without duplicates.
//!
//! A run begins with a magic number, the version of the format and the width of its states;
//! then come [blocks](crate::block). Its partition, its length and the number of its records
//! stand in the manifest, so that a file that was cut off is recognised.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;

use homing_budget::checkpoint;
use homing_core::Word;

use crate::block::{CONTENT, Head, checksum};
use crate::code;
use crate::directory::Directory;
use crate::tag::Tag;
use crate::trouble::Trouble;

/// What a run begins with.
const MAGIC: [u8; 8] = *b"homing\x01\n";

/// The bytes before the first block.
const PREFIX: usize = 16;

/// Bytes that are written or read at a time.
const BUFFER: usize = 1 << 16;

/// A sorted file, as the manifest describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// The number that names its file.
    pub number: u64,
    /// The partition of its states.
    pub partition: u16,
    /// The least and the greatest depth.
    pub depths: (u32, u32),
    /// The number of records.
    pub count: u64,
    /// The length of the file.
    pub bytes: u64,
}

/// Writes a run.
#[derive(Debug)]
pub struct Writer<'d> {
    directory: &'d Directory,
    path: PathBuf,
    file: File,
    run: Run,
    before: Vec<Word>,
    /// The records of the block so far; with their depths, if there are several.
    content: Vec<u8>,
    head: Head,
    /// The tags of the block: how they are written is known at its end.
    tags: Vec<Tag>,
    /// Where each state of the block ends in `content`.
    ends: Vec<u32>,
    out: Vec<u8>,
}

impl<'d> Writer<'d> {
    /// A new run for states of this partition.
    pub fn new(directory: &'d Directory, partition: u16) -> Result<Writer<'d>, Trouble> {
        let (number, path) = directory.new_file();
        let file = File::create(&path).map_err(Trouble::of(&path))?;
        let width = directory.width();
        let mut out = Vec::with_capacity(BUFFER + 2 * CONTENT);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(width as u64).to_le_bytes());
        let run = Run { number, partition, depths: (u32::MAX, 0), ..Run::default() };
        Ok(Writer {
            directory,
            path,
            file,
            run,
            before: vec![0; width],
            content: Vec::with_capacity(CONTENT + 64),
            head: Head::default(),
            tags: Vec::new(),
            ends: Vec::new(),
            out,
        })
    }

    /// Adds a record, which comes behind all before it.
    pub fn push(&mut self, state: &[Word], tag: Tag) -> Result<(), Trouble> {
        code::put_state(&mut self.content, state, &self.before);
        self.before.copy_from_slice(state);
        self.ends.push(self.content.len() as u32);
        self.tags.push(tag);
        let (least, greatest) = self.run.depths;
        self.run.depths = (least.min(tag.depth()), greatest.max(tag.depth()));
        self.run.count += 1;
        if self.content.len() + 2 * self.tags.len() >= CONTENT {
            self.close_block()
        } else {
            Ok(())
        }
    }

    /// The number of records so far.
    pub fn count(&self) -> u64 {
        self.run.count
    }

    fn close_block(&mut self) -> Result<(), Trouble> {
        let least = self.tags.iter().map(|tag| tag.depth()).min().unwrap_or(0);
        let several = self.tags.iter().any(|tag| tag.depth() != least);
        let head = Head::bytes(self.before.len());
        let start = self.out.len();
        self.out.resize(start + head, 0);
        let mut from = 0;
        for (end, tag) in self.ends.iter().zip(&self.tags) {
            self.out.extend_from_slice(&self.content[from..*end as usize]);
            code::put_tag(&mut self.out, *tag, several.then_some(least));
            from = *end as usize;
        }
        let content = &self.out[start + head..];
        self.head.length = content.len() as u32;
        self.head.content = checksum(content);
        (self.head.count, self.head.depth, self.head.several) =
            (self.tags.len() as u32, least, several);
        self.head.last.clone_from(&self.before);
        self.content.clear();
        self.head.put(&mut self.content);
        self.out[start..start + head].copy_from_slice(&self.content);
        self.content.clear();
        self.tags.clear();
        self.ends.clear();
        self.before.fill(0);
        if self.out.len() >= BUFFER { self.write_out() } else { Ok(()) }
    }

    fn write_out(&mut self) -> Result<(), Trouble> {
        self.directory.charge(self.out.len() as u64)?;
        self.run.bytes += self.out.len() as u64;
        self.file.write_all(&self.out).map_err(Trouble::of(&self.path))?;
        self.out.clear();
        Ok(())
    }

    /// Ends the run. What is in it is safe once the directory is synchronised.
    pub fn finish(mut self) -> Result<Run, Trouble> {
        if !self.tags.is_empty() {
            self.close_block()?;
        }
        self.write_out()?;
        self.directory
            .written(self.run.number, self.file.try_clone().map_err(Trouble::of(&self.path))?);
        Ok(std::mem::take(&mut self.run))
    }
}

impl Drop for Writer<'_> {
    /// What was not finished is nothing.
    fn drop(&mut self) {
        if self.run.bytes > 0 {
            self.directory.discard(&self.path, self.run.bytes);
        } else if self.run.number > 0 {
            self.directory.discard(&self.path, 0);
        }
    }
}

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
    /// Where its next record is.
    at: usize,
    /// Records of the block not read yet.
    left: u32,
    /// Records in blocks not read yet.
    behind: u64,
    state: Vec<Word>,
    tag: Tag,
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
            at: 0,
            left: 0,
            behind: run.count,
            state: vec![0; width],
            tag: Tag::default(),
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
        self.tag
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
            if !self.next_head()? {
                return Ok(false);
            }
            self.read_content()?;
        }
        self.decode()
    }

    /// Turns to the first record that is not less than `state`, if the one at hand is.
    /// Answers whether there is one.
    #[inline]
    pub fn advance_to(&mut self, state: &[Word]) -> Result<bool, Trouble> {
        while !self.ended && self.state.as_slice() < state {
            if self.left == 0 || self.head.last.as_slice() < state {
                self.next_block_for(state)?;
            } else if self.decode_to(state).is_none() {
                return Err(self.damaged("a record cannot be read"));
            }
        }
        Ok(!self.ended)
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
                self.decode()?;
            }
        }
        Ok(())
    }

    /// Finds the block that `state` would be in, and its first record; what is left of the
    /// block at hand is less than `state`.
    fn next_block_for(&mut self, state: &[Word]) -> Result<(), Trouble> {
        self.left = 0;
        while self.next_head()? {
            if self.head.last.as_slice() >= state {
                self.read_content()?;
                self.decode()?;
                return Ok(());
            }
            self.pass_over_content()?;
        }
        Ok(())
    }

    /// Turns to the next record of the block that is not less than `state`, which there is;
    /// tags on the way are passed over.
    fn decode_to(&mut self, state: &[Word]) -> Option<()> {
        let depths = (self.head.depth, self.head.several);
        let (mut at, mut tag) = (self.at, self.at);
        if let ([word], [least]) = (&mut self.state[..], state) {
            while *word < *least && self.left > 0 {
                *word = word.wrapping_add(code::number(&self.content, &mut at)?);
                (tag, self.left) = (at, self.left - 1);
                code::pass_tag(&self.content, &mut at, depths.1)?;
            }
        } else {
            while self.state.as_slice() < state && self.left > 0 {
                code::state(&self.content, &mut at, &mut self.state)?;
                (tag, self.left) = (at, self.left - 1);
                code::pass_tag(&self.content, &mut at, depths.1)?;
            }
        }
        self.tag = code::tag(&self.content, &mut tag, self.partition, depths)?;
        self.at = at;
        Some(())
    }

    #[inline]
    fn decode(&mut self) -> Result<bool, Trouble> {
        let decoded = code::state(&self.content, &mut self.at, &mut self.state).and_then(|()| {
            let depths = (self.head.depth, self.head.several);
            code::tag(&self.content, &mut self.at, self.partition, depths)
        });
        match decoded {
            Some(tag) => {
                self.tag = tag;
                self.left -= 1;
                Ok(true)
            }
            None => Err(self.damaged("a record cannot be read")),
        }
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
        (self.at, self.left) = (0, self.head.count);
        self.state.fill(0);
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
