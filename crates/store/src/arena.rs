//! The arena of packed states: append-only, so that a state's number is its
//! place, and in chunks, so that growing never copies.

use crate::machine;
use crate::memory::{Block, Meter};
use homing_core::Word;

/// States in a chunk: for every width a whole number of huge pages.
const CHUNK_BITS: u32 = 18;
const CHUNK: usize = 1 << CHUNK_BITS;

/// The number of words of a state: a constant where it is small, so that
/// comparing and copying become a few instructions.
pub trait Width: Copy {
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
        Arena {
            width,
            chunks: Vec::new(),
            len: 0,
            room: 0,
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes of a state.
    pub fn record(&self) -> usize {
        self.width.words() * size_of::<Word>()
    }

    /// A state.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &[Word] {
        let words = self.width.words();
        let first = (id as usize % CHUNK) * words;
        &self.chunks[id as usize >> CHUNK_BITS][first..first + words]
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
    pub fn ready(&mut self, meter: &mut Meter) -> bool {
        self.len < self.room || self.extend(meter)
    }

    /// Adds a state, for which [`Arena::ready`] made room.
    #[inline(always)]
    pub fn push(&mut self, state: &[Word]) -> u32 {
        debug_assert!(self.len < self.room);
        let words = self.width.words();
        let id = self.len;
        let first = (id % CHUNK) * words;
        let place = &mut self.chunks[id >> CHUNK_BITS][first..first + words];
        place.copy_from_slice(&state[..words]);
        self.len += 1;
        id as u32
    }

    /// Commits the next pages, of a new chunk where the last one is full.
    #[cold]
    fn extend(&mut self, meter: &mut Meter) -> bool {
        let words = self.width.words();
        let (chunk, within) = (self.len >> CHUNK_BITS, self.len % CHUNK);
        if chunk == self.chunks.len() {
            let Some(block) = Block::reserve(CHUNK * words) else {
                return false;
            };
            self.chunks.push(block);
        }
        let block = &mut self.chunks[chunk];
        if !block.commit((within + 1) * words, meter) {
            return false;
        }
        let ready = block.committed().checked_div(words).unwrap_or(CHUNK);
        self.room = chunk * CHUNK + ready;
        true
    }
}
