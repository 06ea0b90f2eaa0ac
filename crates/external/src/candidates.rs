//! The buffer in which candidates are sorted before they go to disk.
//!
//! A candidate is the words of a state and its tag. When the buffer is full it is sorted by
//! words, and goes to one run for each partition and depth there is, without duplicates: one
//! pass over the sorted records serves all of them, since each is sorted too.

use std::collections::{BTreeMap, BTreeSet};

use homing_budget::heap;
use homing_core::Word;

use crate::directory::Directory;
use crate::run::{Run, Writer};
use crate::tag::Tag;
use crate::trouble::Trouble;

/// Runs that are written at the same time: each takes a buffer.
const SIDE_BY_SIDE: usize = 32;

/// The bytes of a buffer: at least, and at most, so that it is soon sorted.
const LEAST: usize = 1 << 16;
const MOST: usize = 1 << 28;

/// Records, not sorted yet.
#[derive(Debug)]
pub struct Candidates {
    width: usize,
    /// The words and the tag of each.
    records: Vec<Word>,
    /// How many words there may be.
    most: usize,
}

impl Candidates {
    /// The bytes that a buffer may take of a limit on memory, as much as there is now.
    pub fn share(limit: Option<usize>) -> usize {
        let room = limit.map_or(MOST, |limit| limit.saturating_sub(heap::in_use()));
        (room / 5 * 2).clamp(LEAST, MOST)
    }

    /// A buffer for states of `width` words that takes so many bytes, or little more.
    pub fn new(width: usize, bytes: usize) -> Candidates {
        let record = width + 1;
        // Records without a fixed size are sorted by their numbers, which take room too.
        let each = if record <= WIDEST { 8 * record } else { 8 * record + 4 };
        let most = (bytes / each).clamp(1, u32::MAX as usize) * record;
        Candidates { width, records: Vec::new(), most }
    }

    /// Adds a candidate. Answers whether the buffer is full.
    #[inline]
    pub fn push(&mut self, state: &[Word], tag: Tag) -> bool {
        self.records.extend_from_slice(state);
        self.records.push(tag.word());
        if self.records.len() == self.records.capacity() {
            self.grow();
        }
        self.records.len() >= self.most
    }

    /// Doubles the room, up to what is allowed.
    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.records.len()).clamp(1 << 10, self.most.max(1 << 10));
        self.records.reserve_exact(room.saturating_sub(self.records.len()).max(self.width + 1));
    }

    /// The number of candidates.
    pub fn len(&self) -> usize {
        self.records.len() / (self.width + 1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.records.capacity()
    }

    /// Sorts all candidates and writes them to runs. The buffer is empty then.
    pub fn flush(&mut self, directory: &Directory) -> Result<Vec<Run>, Trouble> {
        let record = self.width + 1;
        let mut order = Vec::new();
        sort(&mut self.records, record, &mut order);
        let tag = |at: usize| Tag::of_word(self.records[at * record + self.width]);
        let mut files = BTreeSet::new();
        (0..self.len()).for_each(|at| {
            files.insert((tag(at).partition(), tag(at).depth()));
        });
        let files: Vec<(u16, u32)> = files.into_iter().collect();
        let mut runs = Vec::with_capacity(files.len());
        for some in files.chunks(SIDE_BY_SIDE) {
            let mut writers = BTreeMap::new();
            for file in some {
                writers.insert(*file, Writer::new(directory, file.0)?);
            }
            self.write(&order, &mut writers)?;
            for (_, writer) in writers {
                runs.push(writer.finish()?);
            }
        }
        self.records.clear();
        Ok(runs)
    }

    /// Writes the records of these partitions and depths; of equal states, the first.
    fn write(
        &self,
        order: &[u32],
        writers: &mut BTreeMap<(u16, u32), Writer>,
    ) -> Result<(), Trouble> {
        let record = self.width + 1;
        let mut before: Option<(&[Word], Tag)> = None;
        let only = (writers.len() == 1).then(|| writers.keys().next().copied()).flatten();
        for at in 0..self.len() {
            let at = order.get(at).map_or(at, |place| *place as usize) * record;
            let (state, tag) = self.records[at..at + record].split_at(self.width);
            let tag = Tag::of_word(tag[0]);
            if before.is_some_and(|(last, seen)| last == state && seen.depth() == tag.depth()) {
                continue;
            }
            before = Some((state, tag));
            let file = (tag.partition(), tag.depth());
            if only.is_some_and(|only| only != file) {
                continue;
            }
            if let Some(writer) = writers.get_mut(&file) {
                writer.push(state, tag)?;
            }
        }
        Ok(())
    }
}

/// Records of more words are sorted by their numbers.
const WIDEST: usize = 9;

/// Sorts records of so many words. Where that is too many for one type each, the order of
/// their numbers is given instead.
fn sort(records: &mut [Word], record: usize, order: &mut Vec<u32>) {
    macro_rules! sort_by_width {
        ($($width:literal)*) => {
            match record {
                $($width => records.as_chunks_mut::<$width>().0.sort_unstable(),)*
                _ => {
                    let count = records.len() / record;
                    order.extend(0..count as u32);
                    let at = |place: &u32| &records[*place as usize * record..][..record];
                    order.sort_unstable_by(|a, b| at(a).cmp(at(b)));
                }
            }
        };
    }
    sort_by_width!(1 2 3 4 5 6 7 8 9);
}
