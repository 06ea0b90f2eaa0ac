//! The buffer in which candidates are sorted before they go to disk.
//!
//! A candidate is the words of a state and its tag. When the buffer is full it is sorted by
//! words, and goes to one run for each partition and depth there is, without duplicates: one
//! pass over the sorted records serves all of them, since each is sorted too. Where all
//! candidates of a bucket fit, they need not go to disk: [`Merge`](crate::Merge) takes them
//! from here.

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
    /// The order of records that are too wide to be sorted themselves.
    order: Vec<u32>,
    /// The least and the greatest bucket of all.
    buckets: (u64, u64),
    /// How many words there may be.
    most: usize,
}

/// No bucket is less, or greater.
const NONE: (u64, u64) = (u64::MAX, 0);

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
        Candidates { width, records: Vec::new(), order: Vec::new(), buckets: NONE, most }
    }

    /// Adds a candidate. Answers whether the buffer is full.
    #[inline]
    pub fn push(&mut self, state: &[Word], tag: Tag) -> bool {
        self.records.extend_from_slice(state);
        self.records.push(tag.word());
        let (least, greatest) = self.buckets;
        self.buckets = (least.min(tag.bucket()), greatest.max(tag.bucket()));
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
        8 * self.records.capacity() + 4 * self.order.capacity()
    }

    /// The bytes that the buffer may take, or little less.
    pub fn most(&self) -> usize {
        8 * self.most
    }

    /// The partition and the depth of all candidates, if there are any and it is one.
    pub fn only(&self) -> Option<(u16, u32)> {
        let (least, greatest) = self.buckets;
        let tag = Tag::of_bucket(least);
        (least == greatest).then_some((tag.partition(), tag.depth()))
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.records.clear();
        self.buckets = NONE;
    }

    /// Sorts all by their words, and then by their tags.
    pub fn sort(&mut self) {
        self.order.clear();
        sort(&mut self.records, self.width + 1, &mut self.order);
    }

    /// Record `i`, in order once they are sorted.
    #[inline]
    pub(crate) fn record(&self, i: usize) -> (&[Word], Tag) {
        let record = self.width + 1;
        let at = self.order.get(i).map_or(i, |place| *place as usize) * record;
        let (state, tag) = self.records[at..at + record].split_at(self.width);
        (state, Tag::of_word(tag[0]))
    }

    /// Sorts all candidates and writes them to runs, one a partition and depth. The buffer is
    /// empty then.
    pub fn flush(&mut self, directory: &Directory) -> Result<Vec<Run>, Trouble> {
        self.flush_by(directory, |tag| (tag.partition(), tag.depth()))
    }

    /// The same, one run a partition.
    pub fn flush_together(&mut self, directory: &Directory) -> Result<Vec<Run>, Trouble> {
        self.flush_by(directory, |tag| (tag.partition(), 0))
    }

    fn flush_by(
        &mut self,
        directory: &Directory,
        file: fn(Tag) -> (u16, u32),
    ) -> Result<Vec<Run>, Trouble> {
        self.sort();
        let mut files = BTreeSet::new();
        let mut last = None;
        for i in 0..self.len() {
            let bucket = self.record(i).1.bucket();
            if last.replace(bucket) != Some(bucket) {
                files.insert(file(Tag::of_bucket(bucket)));
            }
        }
        let files: Vec<(u16, u32)> = files.into_iter().collect();
        let mut runs = Vec::with_capacity(files.len());
        for some in files.chunks(SIDE_BY_SIDE) {
            let mut writers = BTreeMap::new();
            for some in some {
                writers.insert(*some, Writer::new(directory, some.0)?);
            }
            self.write(file, &mut writers)?;
            for (_, writer) in writers {
                runs.push(writer.finish()?);
            }
        }
        self.clear();
        Ok(runs)
    }

    /// Writes the records that belong to these files; of equal states, the first.
    fn write(
        &self,
        file: fn(Tag) -> (u16, u32),
        writers: &mut BTreeMap<(u16, u32), Writer>,
    ) -> Result<(), Trouble> {
        let mut before: Option<(&[Word], Tag)> = None;
        let only = (writers.len() == 1).then(|| writers.keys().next().copied()).flatten();
        for i in 0..self.len() {
            let (state, tag) = self.record(i);
            if before.is_some_and(|(last, seen)| last == state && seen.depth() == tag.depth()) {
                continue;
            }
            before = Some((state, tag));
            let file = file(tag);
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
