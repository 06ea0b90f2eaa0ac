//! A filter in memory: which states surely are in no run.
//!
//! A blocked Bloom filter: Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors"
//! (CACM 1970); Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters"
//! (WEA 2007).
//!
//! ```text
//! add(x):  the block of x is chosen by its hash; set k bits of it, chosen by its hash
//!          if all these bits were set before, x may have been added before
//! ```
//! A block is a line of the processor's cache, so each question costs one access to memory.
//! The filter only spares looking: what it may hold is looked up in the runs. Whatever is
//! asked for is in a run soon after, so asking is adding.

use std::hint::black_box;

use homing_core::hash::hash_words;

use crate::directory::Directory;
use crate::reader::Reader;
use crate::run::Run;
use crate::sorted::Sorted;
use crate::trouble::Trouble;

/// The words of a block: a line of the cache.
const BLOCK: usize = 8;

/// Bits that are set for a state (k).
const BITS: u32 = 4;

/// Bits of memory for each state, as long as there is memory.
const EACH: usize = 10;

/// By how much a filter is larger than what it is made for, so that it lasts.
const AHEAD: usize = 8;

/// States of a run that are added at a time.
const BATCH: usize = 1 << 10;

/// With fewer bits a state, it says of almost all that it may hold them.
const LEAST: usize = 2;

/// A block.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Block([u64; BLOCK]);

/// Which states surely were not added.
#[derive(Debug, Default)]
pub struct Filter {
    blocks: Vec<Block>,
    count: usize,
    /// The bytes that it may take.
    most: usize,
    /// The hashes of a batch.
    hashes: Vec<u64>,
}

impl Filter {
    /// A filter that may take so many bytes and takes none yet: it may hold everything, until
    /// it is [renewed](Filter::renew).
    pub fn new(most: usize) -> Filter {
        Filter { most, ..Filter::default() }
    }

    /// Whether it should be renewed before so many states are added to those that it is to
    /// hold: it is too small, but need not be.
    pub fn is_small(&self, states: u64) -> bool {
        let wanted = usize::try_from(states).unwrap_or(usize::MAX).saturating_mul(EACH) / 8;
        self.bytes() < wanted.min(self.most) && self.bytes() < self.size(states)
    }

    /// Empties it and makes it as large as so many states need, and more, if it may be.
    /// All states that it is to hold are to be added again.
    pub fn renew(&mut self, states: u64) {
        let blocks = self.size(states) / size_of::<Block>();
        self.blocks = Vec::new();
        self.blocks = vec![Block::default(); blocks];
        self.count = 0;
    }

    /// The bytes of one for so many states.
    fn size(&self, states: u64) -> usize {
        let states = usize::try_from(states).unwrap_or(usize::MAX);
        let bytes = states.saturating_mul(AHEAD * EACH / 8).min(self.most);
        let block = size_of::<Block>();
        bytes / block * block
    }

    /// Adds the states of a batch, and adds to `held` those that may have been added before.
    pub(crate) fn add(&mut self, batch: &Sorted, held: &mut Vec<u32>) {
        self.hashes.clear();
        self.hashes.extend((0..batch.len()).map(|i| hash_words(batch.state(i))));
        // All accesses to memory are under way before the first is waited for; and without a
        // branch that waits, the next state need not wait either.
        let touched = self.hashes.iter().filter_map(|hash| self.blocks.get(self.place(*hash)));
        black_box(touched.fold(0, |all, Block(block)| all | block[0]));
        let (first, mut next) = (held.len(), held.len());
        held.resize(first + batch.len(), 0);
        for i in 0..batch.len() {
            held[next] = i as u32;
            next += usize::from(self.add_hash(self.hashes[i]));
        }
        held.truncate(next);
    }

    /// Adds all states of a run.
    pub fn add_run(&mut self, directory: &Directory, run: &Run) -> Result<(), Trouble> {
        let mut reader = Reader::open(directory, run)?;
        let (mut batch, mut held) = (Sorted::new(directory.width()), Vec::new());
        let mut is_more = true;
        while is_more {
            is_more = reader.advance()?;
            if is_more {
                batch.push(reader.state(), reader.tag());
            }
            if !is_more || batch.len() == BATCH {
                self.add(&batch, &mut held);
                batch.clear();
                held.clear();
            }
        }
        Ok(())
    }

    #[inline]
    fn add_hash(&mut self, hash: u64) -> bool {
        let place = self.place(hash);
        let Some(Block(block)) = self.blocks.get_mut(place) else { return true };
        let mut held = true;
        for (word, bit) in bits(hash) {
            held &= block[word] & bit != 0;
            block[word] |= bit;
        }
        self.count += usize::from(!held);
        held
    }

    /// Whether it is worth asking.
    pub fn tells(&self) -> bool {
        self.bytes() * 8 > LEAST * self.count
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<Block>()
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.blocks.len() as u128) >> 64) as usize
    }
}

/// The bits of a state in its block: places that do not depend on which block it is.
#[inline]
fn bits(hash: u64) -> impl Iterator<Item = (usize, u64)> {
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..BITS).map(move |i| {
        let place = mixed >> (64 - 9 * (i + 1)) & 0x1ff;
        ((place >> 6) as usize, 1 << (place & 63))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::Tag;

    /// How many of these states may have been added before.
    fn add(filter: &mut Filter, states: impl Iterator<Item = u64>) -> usize {
        let (mut batch, mut held) = (Sorted::new(1), Vec::new());
        states.for_each(|state| batch.push(&[state], Tag::default()));
        filter.add(&batch, &mut held);
        held.len()
    }

    /// What was added is always held; of what was not, little is, while there is room.
    #[test]
    fn only_what_was_never_added_is_ruled_out() {
        let mut filter = Filter::new(1 << 20);
        assert!(filter.is_small(10));
        assert_eq!(add(&mut filter, 0..9), 9);
        filter.renew(10_000);
        assert!(!filter.is_small(79_000) && filter.is_small(90_000));
        for (states, most) in [(0..10_000, 3), (10_000..79_000, 2_000)] {
            let held = add(&mut filter, states.clone());
            assert!(held <= most && filter.tells(), "{held} of {states:?}");
            assert_eq!(add(&mut filter, states.clone()), states.count());
        }
        add(&mut filter, 0..2_000_000);
        assert!(!filter.tells());
    }

    #[test]
    fn it_takes_no_more_than_it_may() {
        for most in [0, 1, 63, 64, 1_000] {
            let mut filter = Filter::new(most);
            filter.renew(1 << 40);
            assert!(filter.bytes() <= most && add(&mut filter, 1..2) <= 1);
            assert_eq!(add(&mut filter, 1..2), 1);
            assert!(!filter.is_small(1 << 50));
        }
    }
}
