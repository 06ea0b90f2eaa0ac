//! Runs: sorted files of records without duplicates.
//!
//! A run begins with a magic number, the version of the format and the width of its states;
//! then come [blocks](crate::block). Its partition, its length and the number of its records
//! stand in the manifest, so that a file that was cut off is recognised.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use homing_core::Word;

use crate::block::{CONTENT, GROUP, Head, checksum};
use crate::code;
use crate::directory::Directory;
use crate::tag::{Shape, Tag};
use crate::trouble::Trouble;

/// What a run begins with.
pub(crate) const MAGIC: [u8; 8] = *b"homing\x02\n";

/// The bytes before the first block.
pub(crate) const PREFIX: usize = 16;

/// Bytes that are written or read at a time.
pub(crate) const BUFFER: usize = 1 << 16;

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
    /// The first state of the group.
    first: Vec<Word>,
    /// The groups of the block so far, but for what follows the first state of the last.
    content: Vec<u8>,
    /// What follows it.
    rest: Vec<u8>,
    head: Head,
    /// The tags of the block: how they are written is known at its end.
    tags: Vec<Tag>,
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
            first: vec![0; width],
            content: Vec::with_capacity(CONTENT + 64),
            rest: Vec::new(),
            head: Head::default(),
            tags: Vec::new(),
            out,
        })
    }

    /// Adds a record, which comes behind all before it.
    pub fn push(&mut self, state: &[Word], tag: Tag) -> Result<(), Trouble> {
        if self.tags.len().is_multiple_of(GROUP as usize) {
            self.close_group();
            code::put_state(&mut self.content, state, &self.first);
            code::copy(&mut self.first, state);
        } else {
            code::put_state(&mut self.rest, state, &self.before);
        }
        code::copy(&mut self.before, state);
        self.tags.push(tag);
        let (least, greatest) = self.run.depths;
        self.run.depths = (least.min(tag.depth()), greatest.max(tag.depth()));
        self.run.count += 1;
        let length = self.content.len() + self.rest.len() + 2 * self.tags.len();
        if length >= CONTENT { self.close_block() } else { Ok(()) }
    }

    /// The number of records so far.
    pub fn count(&self) -> u64 {
        self.run.count
    }

    fn close_group(&mut self) {
        if !self.tags.is_empty() {
            code::put_number(&mut self.content, self.rest.len() as u64);
            self.content.append(&mut self.rest);
        }
    }

    fn close_block(&mut self) -> Result<(), Trouble> {
        self.close_group();
        let (shape, least) = Shape::of(&self.tags);
        self.tags.iter().for_each(|tag| shape.put(&mut self.content, *tag, least));
        let head = &mut self.head;
        (head.length, head.count) = (self.content.len() as u32, self.tags.len() as u32);
        (head.depth, head.shape, head.content) = (least, shape, checksum(&self.content));
        head.last.clone_from(&self.before);
        head.put(&mut self.out);
        self.out.append(&mut self.content);
        self.tags.clear();
        self.before.fill(0);
        self.first.fill(0);
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
