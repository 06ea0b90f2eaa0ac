//! Many runs to one order, each state once.

use homing_core::Word;

use crate::candidates::Candidates;
use crate::code;
use crate::directory::Directory;
use crate::reader::Reader;
use crate::run::{Run, Writer};
use crate::sorted::Sorted;
use crate::tag::Tag;
use crate::trouble::Trouble;

/// How many runs are merged at a time: each takes a buffer.
pub const FAN_IN: usize = 64;

/// What is merged.
#[derive(Debug)]
enum Source<'c> {
    Run(Box<Reader>),
    /// Sorted candidates, and which of them is at hand.
    Candidates(&'c Candidates, usize),
}

impl Source<'_> {
    #[inline]
    fn state(&self) -> &[Word] {
        match self {
            Source::Run(reader) => reader.state(),
            Source::Candidates(candidates, at) => candidates.record(*at).0,
        }
    }

    #[inline]
    fn tag(&self) -> Tag {
        match self {
            Source::Run(reader) => reader.tag(),
            Source::Candidates(candidates, at) => candidates.record(*at).1,
        }
    }

    /// The first word at hand.
    #[inline]
    fn first_word(&self) -> Word {
        self.state().first().copied().unwrap_or_default()
    }

    /// Turns to the next record. Answers whether there is one.
    #[inline]
    fn advance(&mut self) -> Result<bool, Trouble> {
        match self {
            Source::Run(reader) => reader.advance(),
            Source::Candidates(candidates, at) => {
                *at += 1;
                Ok(*at < candidates.len())
            }
        }
    }
}

/// Merges runs. Of the records of one state at one depth the first counts, that is the one
/// with the least mark; of a state at several depths, all do, the least first, unless only
/// the nearest are asked for.
#[derive(Debug)]
pub struct Merge<'c> {
    sources: Vec<Source<'c>>,
    /// A heap of sources by what they have at hand, whose first words stand beside them.
    heap: Vec<(Word, usize)>,
    /// The record that was given last.
    last: Option<(Vec<Word>, Tag)>,
    nearest: bool,
}

impl<'c> Merge<'c> {
    /// Of these runs, at most [`FAN_IN`] at a time if memory matters, and of candidates that
    /// were [sorted](Candidates::sort); only the `nearest` record of each state.
    pub fn new(
        directory: &Directory,
        runs: &[Run],
        candidates: Option<&'c Candidates>,
        nearest: bool,
    ) -> Result<Merge<'c>, Trouble> {
        let mut sources = Vec::with_capacity(runs.len() + 1);
        let candidates = candidates.filter(|candidates| !candidates.is_empty());
        sources.extend(candidates.map(|candidates| Source::Candidates(candidates, 0)));
        for run in runs {
            let mut reader = Reader::open(directory, run)?;
            if reader.advance()? {
                sources.push(Source::Run(Box::new(reader)));
            }
        }
        let heap = sources.iter().map(Source::first_word).zip(0..).collect();
        let mut merge = Merge { sources, heap, last: None, nearest };
        (0..merge.heap.len() / 2).rev().for_each(|place| merge.sink(place));
        Ok(merge)
    }

    /// Fills a batch with the next records, at most so many. It is empty at the end.
    pub fn fill(&mut self, batch: &mut Sorted, most: usize) -> Result<(), Trouble> {
        batch.clear();
        while batch.len() < most
            && let Some((_, first)) = self.heap.first().copied()
        {
            let source = &mut self.sources[first];
            let (state, tag) = (source.state(), source.tag());
            let again = match &self.last {
                Some((last, before)) => {
                    code::is_same(last, state) && (self.nearest || before.depth() == tag.depth())
                }
                None => false,
            };
            if !again {
                batch.push(state, tag);
                let (last, before) =
                    self.last.get_or_insert_with(|| (vec![0; state.len()], Tag::default()));
                code::copy(last, state);
                *before = tag;
            }
            if source.advance()? {
                self.heap[0].0 = source.first_word();
            } else {
                self.heap.swap_remove(0);
            }
            self.sink(0);
        }
        Ok(())
    }

    /// Whether what the one source has at hand comes before what the other has.
    #[inline]
    fn is_less(&self, (word, one): (Word, usize), (other_word, other): (Word, usize)) -> bool {
        let by_rest = || {
            let (one, other) = (&self.sources[one], &self.sources[other]);
            (one.state(), one.tag()) < (other.state(), other.tag())
        };
        word < other_word || word == other_word && by_rest()
    }

    /// Lets the source at this place of the heap sink to where it belongs.
    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            if left >= self.heap.len() {
                return;
            }
            let less = |a: usize, b: usize| self.is_less(self.heap[a], self.heap[b]);
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
    let mut merge = Merge::new(directory, runs, None, nearest)?;
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
