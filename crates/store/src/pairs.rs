//! An append-only array of pairs of numbers, each pair in as few bytes as the
//! largest numbers so far need.
//!
//! A pair is `left | right << split`, in `stride` bytes. Both are fixed for a
//! chunk of the array. Where a pair does not fit the last chunk, that chunk
//! alone is encoded anew; since each number can outgrow its field 32 times at
//! most, that is rare.

use crate::machine;
use crate::memory::{Block, MemoryMeter};

/// Pairs in a chunk: for every stride a whole number of huge pages.
const CHUNK_BITS: u32 = 21;
const CHUNK: usize = 1 << CHUNK_BITS;

/// The most bytes a pair may take.
const WIDEST: usize = 8;

/// Pairs by number.
#[derive(Debug)]
pub struct Pairs {
    chunks: Vec<Chunk>,
    layout: Layout,
    len: usize,
    /// The pairs there is resident memory for.
    room: usize,
}

#[derive(Debug)]
struct Chunk {
    layout: Layout,
    block: Block<u8>,
}

/// How the pairs of a chunk are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Bytes a pair.
    stride: usize,
    /// Bits of the left number.
    split: u32,
}

impl Layout {
    /// The narrowest layout of at least `least` bytes for both numbers' bits;
    /// bits left over are shared, to delay the next widening.
    fn for_bits(left: u32, right: u32, least: usize) -> Layout {
        let stride = (left + right).div_ceil(8).max(least as u32);
        let spare = 8 * stride - left - right;
        Layout { stride: stride as usize, split: (left + spare / 2).min(32) }
    }

    fn right(self) -> u32 {
        (8 * self.stride as u32 - self.split).min(32)
    }

    #[inline(always)]
    fn fits(self, (left, right): (u32, u32)) -> bool {
        u64::from(left) >> self.split == 0 && u64::from(right) >> self.right() == 0
    }

    #[inline(always)]
    fn encode(self, (left, right): (u32, u32)) -> u64 {
        u64::from(left) | u64::from(right) << self.split
    }

    #[inline(always)]
    fn decode(self, word: u64) -> (u32, u32) {
        let kept = word & u64::MAX >> (64 - 8 * self.stride);
        ((kept & ((1 << self.split) - 1)) as u32, (kept >> self.split) as u32)
    }
}

fn bits(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}

impl Chunk {
    #[inline(always)]
    fn get(&self, at: usize) -> (u32, u32) {
        let first = at * self.layout.stride;
        // Reads beyond the pair, never beyond the block: pairs narrower than
        // the widest end long before it does.
        let bytes = self.block[first..].first_chunk::<WIDEST>();
        self.layout.decode(bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    #[inline(always)]
    fn set(&mut self, at: usize, pair: (u32, u32)) {
        let bytes = self.layout.encode(pair).to_le_bytes();
        let first = at * self.layout.stride;
        self.block[first..first + self.layout.stride].copy_from_slice(&bytes[..self.layout.stride]);
    }

    /// The narrowest layout for the first `len` pairs and `pair` that is no
    /// narrower than the present one, which may come from an earlier chunk:
    /// [`Chunk::widen`] relies on it.
    fn layout_with(&self, pair: (u32, u32), len: usize) -> Layout {
        let all = (0..len).map(|at| self.get(at));
        let (left, right) = all.fold(pair, |most, next| (most.0 | next.0, most.1 | next.1));
        Layout::for_bits(bits(left), bits(right), self.layout.stride)
    }

    /// Encodes the first `len` pairs anew. From the last to the first, so that
    /// none is overwritten before it is read.
    fn widen(&mut self, layout: Layout, len: usize) {
        let narrow = self.layout;
        for at in (0..len).rev() {
            self.layout = narrow;
            let pair = self.get(at);
            self.layout = layout;
            self.set(at, pair);
        }
        self.layout = layout;
    }
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs::new()
    }
}

impl Pairs {
    /// No pairs.
    pub fn new() -> Pairs {
        Pairs { chunks: Vec::new(), layout: Layout::for_bits(0, 0, 1), len: 0, room: 0 }
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes the next pair takes.
    pub fn record(&self) -> usize {
        self.layout.stride
    }

    /// A pair.
    #[inline(always)]
    pub fn get(&self, id: u32) -> (u32, u32) {
        self.chunks[id as usize >> CHUNK_BITS].get(id as usize % CHUNK)
    }

    /// Hints that pair `id` is read soon.
    #[inline(always)]
    pub fn prefetch(&self, id: u32) {
        let chunk = &self.chunks[id as usize >> CHUNK_BITS];
        machine::prefetch(&chunk.block[id as usize % CHUNK * chunk.layout.stride]);
    }

    /// Makes room for `pair`; `false` where memory is short.
    #[inline(always)]
    #[must_use]
    pub fn ready(&mut self, pair: (u32, u32), meter: &mut MemoryMeter) -> bool {
        (self.len < self.room && self.layout.fits(pair)) || self.extend(pair, meter)
    }

    /// Adds a pair, for which [`Pairs::ready`] made room.
    #[inline(always)]
    pub fn push(&mut self, pair: (u32, u32)) -> u32 {
        debug_assert!(self.len < self.room && self.layout.fits(pair));
        let id = self.len;
        self.chunks[id >> CHUNK_BITS].set(id % CHUNK, pair);
        self.len += 1;
        id as u32
    }

    /// Commits the next pages, of a new chunk where the last one is full, and
    /// widens the last chunk where `pair` does not fit.
    #[cold]
    fn extend(&mut self, pair: (u32, u32), meter: &mut MemoryMeter) -> bool {
        let (number, within) = (self.len >> CHUNK_BITS, self.len % CHUNK);
        if number == self.chunks.len() {
            let Some(block) = Block::reserve(CHUNK * WIDEST) else {
                return false;
            };
            self.chunks.push(Chunk { layout: self.layout, block });
        }
        let chunk = &mut self.chunks[number];
        let fits = chunk.layout.fits(pair);
        let layout = if fits { chunk.layout } else { chunk.layout_with(pair, within) };
        if !chunk.block.commit((within + 1) * layout.stride, meter) {
            return false;
        }
        if !fits {
            chunk.widen(layout, within);
        }
        self.layout = layout;
        self.room = number * CHUNK + (chunk.block.committed() / layout.stride).min(CHUNK);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u32> {
        (0u32..=32, any::<u32>()).prop_map(|(bits, n)| n.checked_shr(32 - bits).unwrap_or(0))
    }

    proptest! {
        #[test]
        fn pairs_come_back(pairs in prop::collection::vec((number(), number()), 0..300)) {
            let mut meter = MemoryMeter::new(None);
            let mut array = Pairs::new();
            for (id, pair) in pairs.iter().enumerate() {
                prop_assert!(array.ready(*pair, &mut meter));
                prop_assert_eq!(array.push(*pair) as usize, id);
            }
            for (id, pair) in pairs.iter().enumerate() {
                prop_assert_eq!(array.get(id as u32), *pair);
            }
        }
    }

    #[test]
    fn chunks_keep_their_own_layout() {
        let mut meter = MemoryMeter::new(None);
        let mut array = Pairs::new();
        let pair = |id: u32| {
            if id as usize <= CHUNK { (id % 16, 3) } else { (id, u32::MAX) }
        };
        for id in 0..CHUNK as u32 + 1000 {
            assert!(array.ready(pair(id), &mut meter));
            array.push(pair(id));
        }
        assert_eq!(array.chunks[0].layout.stride, 1);
        assert_eq!(array.record(), 7);
        assert!((0..CHUNK as u32 + 1000).all(|id| array.get(id) == pair(id)));
    }

    /// A chunk that inherits a layout wider than its own pairs need must not
    /// become narrower when one number outgrows its field.
    #[test]
    fn inherited_layouts_do_not_shrink() {
        let mut meter = MemoryMeter::new(None);
        let mut array = Pairs::new();
        let pair = |id: u32| match id as usize {
            at if at < CHUNK => (id % (1 << 20), id % (1 << 20)),
            at if at < CHUNK + 500 => (id % 7, id % 5),
            _ => (1 << 21 | id, 1),
        };
        for id in 0..CHUNK as u32 + 1000 {
            assert!(array.ready(pair(id), &mut meter));
            array.push(pair(id));
        }
        assert!((0..CHUNK as u32 + 1000).all(|id| array.get(id) == pair(id)));
    }

    #[test]
    fn memory_is_what_the_numbers_need() {
        let mut meter = MemoryMeter::new(None);
        let mut array = Pairs::new();
        for id in 0..1 << 20 {
            assert!(array.ready((id % 5000, id / 5000), &mut meter));
            array.push((id % 5000, id / 5000));
        }
        assert_eq!(array.record(), 3, "13 and 8 bits");
        assert_eq!(meter.used(), 4 << 20, "whole huge pages");
    }
}
