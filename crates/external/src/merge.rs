//! Many runs to one order, each state once.

use std::cmp::Ordering;

use homing_core::Word;

use crate::directory::Directory;
use crate::run::{Reader, Run, Writer};
use crate::sorted::Sorted;
use crate::tag::Tag;
use crate::trouble::Trouble;

/// How many runs are merged at a time: each takes a buffer.
pub const FAN_IN: usize = 64;

/// Merges runs. Of the records of one state at one depth the first counts, that is the one
/// with the least mark; of a state at several depths, all do, the least first, unless only
/// the nearest are asked for.
#[derive(Debug)]
pub struct Merge {
    readers: Vec<Reader>,
    /// A heap of readers by what they have at hand.
    heap: Vec<usize>,
    /// The record that was given last.
    last: Option<(Vec<Word>, Tag)>,
    nearest: bool,
}

impl Merge {
    /// Of these runs, at most [`FAN_IN`] at a time if memory matters; only the `nearest`
    /// record of each state.
    pub fn new(directory: &Directory, runs: &[Run], nearest: bool) -> Result<Merge, Trouble> {
        let mut readers = Vec::with_capacity(runs.len());
        for run in runs {
            let mut reader = Reader::open(directory, run)?;
            if reader.advance()? {
                readers.push(reader);
            }
        }
        let heap = (0..readers.len()).collect();
        let mut merge = Merge { readers, heap, last: None, nearest };
        (0..merge.heap.len() / 2).rev().for_each(|place| merge.sink(place));
        Ok(merge)
    }

    /// Fills a batch with the next records, at most so many. It is empty at the end.
    pub fn fill(&mut self, batch: &mut Sorted, most: usize) -> Result<(), Trouble> {
        batch.clear();
        while batch.len() < most
            && let Some(first) = self.heap.first().copied()
        {
            let reader = &mut self.readers[first];
            let (state, tag) = (reader.state(), reader.tag());
            let again = match &self.last {
                Some((last, before)) => {
                    last == state && (self.nearest || before.depth() == tag.depth())
                }
                None => false,
            };
            if !again {
                batch.push(state, tag);
                let (last, before) =
                    self.last.get_or_insert_with(|| (vec![0; state.len()], Tag::default()));
                last.copy_from_slice(state);
                *before = tag;
            }
            if !reader.advance()? {
                self.heap.swap_remove(0);
            }
            self.sink(0);
        }
        Ok(())
    }

    fn order(&self, a: usize, b: usize) -> Ordering {
        let (a, b) = (&self.readers[a], &self.readers[b]);
        a.state().cmp(b.state()).then_with(|| a.tag().cmp(&b.tag()))
    }

    /// Lets the reader at this place of the heap sink to where it belongs.
    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            if left >= self.heap.len() {
                return;
            }
            let less = |a: usize, b: usize| self.order(self.heap[a], self.heap[b]).is_lt();
            let least = if right < self.heap.len() && less(right, left) { right } else { left };
            if !less(least, place) {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}

/// Records that are merged at a time.
const BATCH: usize = 1 << 10;

/// Merges runs of one partition into one. They stay; whoever no longer needs them drops them.
pub fn merge_all(directory: &Directory, runs: &[Run], nearest: bool) -> Result<Run, Trouble> {
    let partition = runs.first().map_or(0, |run| run.partition);
    let mut merge = Merge::new(directory, runs, nearest)?;
    let mut writer = Writer::new(directory, partition)?;
    let mut batch = Sorted::new(directory.width());
    loop {
        merge.fill(&mut batch, BATCH)?;
        if batch.is_empty() {
            return writer.finish();
        }
        for i in 0..batch.len() {
            writer.push(batch.state(i), batch.tag(i))?;
        }
    }
}
