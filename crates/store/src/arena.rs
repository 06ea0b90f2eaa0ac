//! The arena of packed states: append-only, so that a state's number is its
//! place, and in chunks, so that growing never copies.

use crate::machine;
use crate::memory::{Block, MemoryMeter};
use homing_core::Word;
use std::ops::Range;

/// The logarithm of the states in a chunk: for the widths that matter a whole
/// number of huge pages, for very wide states no more than 64 to 128 MiB.
#[inline(always)]
fn chunk_bits(words: usize) -> u32 {
    18_u32.saturating_sub((words / 32).checked_ilog2().unwrap_or(0))
}

/// The number of words of a state: a constant where it is small, so that
/// comparing and copying become a few instructions.
pub trait Width: Copy + Send + Sync {
    /// The number of words.
    fn words(self) -> usize;
}

/// A width known when compiling.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const WORDS: usize>;

impl<const WORDS: usize> Width for Fixed<WORDS> {
    #[inline(always)]
    fn words(self) -> usize {
        WORDS
    }
}

/// A width known when running.
#[derive(Clone, Copy, Debug)]
pub struct Any(pub usize);

impl Width for Any {
    #[inline(always)]
    fn words(self) -> usize {
        self.0
    }
}

/// States by number.
#[derive(Debug)]
pub struct Arena<W> {
    width: W,
    chunks: Vec<Block<Word>>,
    len: usize,
    /// The states there is resident memory for.
    room: usize,
}

impl<W: Width> Arena<W> {
    /// No states.
    pub fn new(width: W) -> Arena<W> {
        Arena { width, chunks: Vec::new(), len: 0, room: 0 }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of a state.
    pub fn record(&self) -> usize {
        self.width.words() * size_of::<Word>()
    }

    /// The chunk of a state, and the place of the state in it.
    #[inline(always)]
    fn place(&self, id: usize) -> (usize, Range<usize>) {
        let words = self.width.words();
        let bits = chunk_bits(words);
        let first = (id & ((1 << bits) - 1)) * words;
        (id >> bits, first..first + words)
    }

    /// A state.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &[Word] {
        let (chunk, place) = self.place(id as usize);
        &self.chunks[chunk][place]
    }

    /// A state, to be changed.
    #[inline(always)]
    pub fn get_mut(&mut self, id: u32) -> &mut [Word] {
        let (chunk, place) = self.place(id as usize);
        &mut self.chunks[chunk][place]
    }

    /// Whether state `id` is `state`.
    #[inline(always)]
    pub fn holds(&self, id: u32, state: &[Word]) -> bool {
        self.get(id) == &state[..self.width.words()]
    }

    /// Hints that state `id` is compared soon.
    #[inline(always)]
    pub fn prefetch(&self, id: u32) {
        if let Some(word) = self.get(id).first() {
            machine::prefetch(word);
        }
    }

    /// Makes room for one more state; `false` where memory is short.
    #[inline(always)]
    #[must_use]
    pub fn ready(&mut self, meter: &mut MemoryMeter) -> bool {
        self.len < self.room || self.extend(meter)
    }

    /// Adds a state, for which [`Arena::ready`] made room.
    #[inline(always)]
    pub fn push(&mut self, state: &[Word]) -> u32 {
        debug_assert!(self.len < self.room);
        let id = self.len;
        let (chunk, place) = self.place(id);
        self.chunks[chunk][place].copy_from_slice(&state[..self.width.words()]);
        self.len += 1;
        id as u32
    }

    /// Commits the next pages, of a new chunk where the last one is full.
    #[cold]
    fn extend(&mut self, meter: &mut MemoryMeter) -> bool {
        let words = self.width.words();
        let bits = chunk_bits(words);
        let (chunk, place) = self.place(self.len);
        if chunk == self.chunks.len() {
            let Some(block) = Block::reserve(words << bits) else {
                return false;
            };
            self.chunks.push(block);
        }
        let block = &mut self.chunks[chunk];
        if !block.commit(place.end, meter) {
            return false;
        }
        let ready = block.committed().checked_div(words).unwrap_or(1 << bits);
        self.room = (chunk << bits) + ready;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_from_every_chunk() {
        for width in [1, 3, 31, 32, 1000] {
            let mut meter = MemoryMeter::new(None);
            let mut arena = Arena::new(Any(width));
            let states = (1 << chunk_bits(width)) + 2;
            for n in 0..states {
                assert!(arena.ready(&mut meter));
                arena.push(&vec![n; width]);
            }
            assert!((0..states).all(|n| arena.get(n as u32) == vec![n; width]));
        }
    }

    #[test]
    fn chunks_of_wide_states_stay_small() {
        for words in 0..100_000 {
            assert!((words << chunk_bits(words)) * 8 <= 128 << 20, "{words} words");
        }
    }
}
