//! The index of visited sets: from a hash to the number of a record in an
//! arena, one cache line a look-up.
//!
//! A bucket is a cache line of 64 bytes: twelve tags of one byte, twelve
//! record numbers of four, and four bytes that say which of its records had to
//! move on to the next bucket. Tags are compared all at once, so that a record
//! is touched only where its tag fits: for one in 24 look-ups in vain.
//!
//! ```text
//! find(hash):   b := high bits of hash scaled to the number of buckets
//!               repeat
//!                   for each slot of b whose tag fits: if the record is equal, return it
//!                   if no record of this hash's mark moved on from b: return "absent"
//!                   b := next bucket, cyclically
//!
//! insert(hash): walk likewise to the first bucket with a free slot,
//!               leaving the mark in each full bucket passed
//! ```
//!
//! The high bits pick the bucket by multiplication, so that the number of
//! buckets need not be a power of two and the index can grow by any factor.
//! Mark and tag are the low bits. (Whoever divides states among several stores
//! by their hash must do it by bits between the two.)
//!
//! The index is *derived*: it grows by being dropped and built anew from the
//! records. The new one is mapped before the old one goes, so that a refusal
//! changes nothing, but it becomes resident only after: there are never two.

use crate::machine;
use crate::memory::{Block, MemoryMeter, Plain};

/// Records in a bucket.
const SLOTS: usize = 12;

/// The share of slots, in percent, above which the index grows.
const LOAD: usize = 88;

/// The buckets to begin with: one page.
const FIRST: usize = 64;

/// Below this many buckets the index fits the cache and grows by a factor of
/// four, since memory does not matter yet and building does.
const SMALL: usize = 1 << 12;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Bucket {
    /// Twelve tags, zero where the slot is free, and the set of marks.
    head: [u8; 16],
    ids: [u32; SLOTS],
}

#[allow(unsafe_code)]
// SAFETY: bytes and integers without padding (16 + 48 of 64 bytes).
unsafe impl Plain for Bucket {}

impl Bucket {
    #[inline(always)]
    fn slots_with(&self, tag: u8) -> u32 {
        machine::positions(&self.head, tag) & ((1 << SLOTS) - 1)
    }

    #[inline(always)]
    fn moved_on(&self, mark: Mark) -> bool {
        self.head[SLOTS + mark.byte] & mark.bit != 0
    }
}

/// One of the 32 marks a hash may leave in a full bucket.
#[derive(Clone, Copy)]
struct Mark {
    byte: usize,
    bit: u8,
}

#[inline(always)]
fn mark(hash: u64) -> Mark {
    Mark { byte: (hash >> 8) as usize & 3, bit: 1 << (hash >> 10 & 7) }
}

/// Zero stands for a free slot.
#[inline(always)]
fn tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}

/// Finds records by hash. Holds numbers only; the records are the caller's.
#[derive(Debug)]
pub struct Index {
    buckets: Block<Bucket>,
    held: usize,
    most: usize,
}

impl Index {
    /// An empty index, or `None` where there is no memory for it.
    pub fn new(meter: &mut MemoryMeter) -> Option<Index> {
        let buckets = Block::resident(FIRST, meter)?;
        Some(Index { buckets, held: 0, most: capacity(FIRST) })
    }

    /// The record of this hash for which `equal` holds.
    #[inline(always)]
    pub fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Option<u32> {
        let buckets = &*self.buckets;
        let mut at = home(hash, buckets.len());
        loop {
            let bucket = &buckets[at];
            let mut slots = bucket.slots_with(tag(hash));
            while slots != 0 {
                let id = bucket.ids[slots.trailing_zeros() as usize];
                if equal(id) {
                    return Some(id);
                }
                slots &= slots - 1;
            }
            if !bucket.moved_on(mark(hash)) {
                return None;
            }
            at = next(at, buckets.len());
        }
    }

    /// The record that [`Index::find`] would compare first, judging by its
    /// tag. Where there is none in a full bucket, the next bucket is what will
    /// be needed, and is fetched.
    #[inline(always)]
    pub fn candidate(&self, hash: u64) -> Option<u32> {
        let buckets = &*self.buckets;
        let at = home(hash, buckets.len());
        let slots = buckets[at].slots_with(tag(hash));
        if slots == 0 && buckets[at].head[SLOTS - 1] != 0 {
            machine::prefetch(&buckets[next(at, buckets.len())]);
        }
        (slots != 0).then(|| buckets[at].ids[slots.trailing_zeros() as usize])
    }

    /// Hints that this hash is looked up soon.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        machine::prefetch(&self.buckets[home(hash, self.buckets.len())]);
    }

    /// Whether it must grow before the next [`Index::insert`].
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.held >= self.most
    }

    /// Adds a record that is not in the index. There must be room.
    #[inline]
    pub fn insert(&mut self, hash: u64, id: u32) {
        debug_assert!(!self.is_full());
        self.held += 1;
        let buckets = &mut *self.buckets;
        let mut at = home(hash, buckets.len());
        loop {
            let length = buckets.len();
            let bucket = &mut buckets[at];
            let free = bucket.slots_with(0);
            if free != 0 {
                let slot = free.trailing_zeros() as usize;
                bucket.head[slot] = tag(hash);
                bucket.ids[slot] = id;
                return;
            }
            let mark = mark(hash);
            bucket.head[SLOTS + mark.byte] |= mark.bit;
            at = next(at, length);
        }
    }

    /// Makes room for more records by building the index anew over all it
    /// holds: those numbered from zero, of `record` bytes each, whose hashes
    /// `hash_of` tells. `false`, and nothing changed, where memory is short.
    #[must_use]
    pub fn grow(
        &mut self,
        record: usize,
        meter: &mut MemoryMeter,
        hash_of: impl FnMut(u32) -> u64,
    ) -> bool {
        let now = self.buckets.len();
        let wanted = if now < SMALL { now * 4 } else { now / 2 * 3 };
        let wanted = wanted.min(self.affordable(record, meter));
        if wanted < now + now / 16 + 1 {
            return false;
        }
        let before = *meter;
        meter.give(self.buckets.bytes());
        let Some(buckets) = Block::resident(wanted, meter) else {
            *meter = before;
            return false;
        };
        self.buckets = buckets;
        self.most = capacity(wanted);
        self.fill(hash_of);
        true
    }

    /// The largest number of buckets under the limit that leaves memory for
    /// the records they can hold.
    fn affordable(&self, record: usize, meter: &MemoryMeter) -> usize {
        if meter.limit() == usize::MAX {
            return usize::MAX;
        }
        let others = meter.used() - self.buckets.bytes();
        let left = (meter.limit() - others).saturating_add(self.held * record);
        left / (size_of::<Bucket>() + (LOAD * SLOTS * record).div_ceil(100))
    }

    /// Inserts all records, a window at a time so that the buckets of one are
    /// fetched together.
    fn fill(&mut self, mut hash_of: impl FnMut(u32) -> u64) {
        const WINDOW: usize = 32;
        let held = self.held as u32;
        self.held = 0;
        let mut hashes = [0; WINDOW];
        let mut first = 0;
        while first < held {
            let window = &mut hashes[..WINDOW.min((held - first) as usize)];
            for (hash, id) in window.iter_mut().zip(first..) {
                *hash = hash_of(id);
                self.prefetch(*hash);
            }
            for (hash, id) in window.iter().zip(first..) {
                self.insert(*hash, id);
            }
            first += window.len() as u32;
        }
    }
}

/// The records that fit into this many buckets. One slot at least stays free,
/// which ends every search for a free one.
fn capacity(buckets: usize) -> usize {
    buckets * SLOTS * LOAD / 100
}

#[inline(always)]
fn home(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}

#[inline(always)]
fn next(bucket: usize, buckets: usize) -> usize {
    if bucket + 1 == buckets { 0 } else { bucket + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// An index over numbers, hashed by whatever the test likes.
    struct Numbers<H> {
        records: Vec<u64>,
        index: Index,
        meter: MemoryMeter,
        hash: H,
    }

    impl<H: Fn(u64) -> u64> Numbers<H> {
        fn new(hash: H) -> Numbers<H> {
            let mut meter = MemoryMeter::new(None);
            let index = Index::new(&mut meter).unwrap();
            Numbers { records: Vec::new(), index, meter, hash }
        }

        fn visit(&mut self, number: u64) -> (bool, u32) {
            let hash = (self.hash)(number);
            let records = &mut self.records;
            if let Some(id) = self.index.find(hash, |id| records[id as usize] == number) {
                return (false, id);
            }
            if self.index.is_full() {
                let hash_of = |id| (self.hash)(records[id as usize]);
                assert!(self.index.grow(8, &mut self.meter, hash_of));
            }
            records.push(number);
            self.index.insert(hash, records.len() as u32 - 1);
            (true, records.len() as u32 - 1)
        }
    }

    fn agrees_with_a_map(hash: impl Fn(u64) -> u64, numbers: impl IntoIterator<Item = u64>) {
        let mut index = Numbers::new(hash);
        let mut map = HashMap::new();
        for number in numbers {
            let next = map.len() as u32;
            let new = !map.contains_key(&number);
            let id = *map.entry(number).or_insert(next);
            assert_eq!(index.visit(number), (new, id));
        }
    }

    /// Each as bad as a hash can be in one respect.
    const HASHES: [fn(u64) -> u64; 6] = [
        |_| 0,                                     // everything in the first bucket, one tag
        |_| u64::MAX,                              // everything in the last bucket: wraps around
        |n| n & 0xff,                              // the first bucket, different tags
        |n| n << 8 & 0xff00,                       // the first bucket, one tag, different marks
        |n| n << 56,                               // 256 buckets, one tag
        |n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15), // fair
    ];

    proptest! {
        #[test]
        fn differential_under_every_hash(
            hash in prop::sample::select(&HASHES[..]),
            numbers in prop::collection::vec(0u64..2000, 0..4000),
        ) {
            agrees_with_a_map(hash, numbers);
        }
    }

    #[test]
    fn grows_many_times() {
        let twice = |range: std::ops::Range<u64>| range.clone().chain(range);
        agrees_with_a_map(HASHES[5], twice(0..1_000_000));
    }

    #[test]
    fn the_load_leaves_a_slot_free() {
        for buckets in FIRST..10_000 {
            assert!(capacity(buckets) < buckets * SLOTS);
        }
    }

    #[test]
    fn a_refused_growth_changes_nothing() {
        let mut numbers = Numbers::new(HASHES[5]);
        let room = capacity(FIRST) as u64;
        (0..room).for_each(|number| assert!(numbers.visit(number).0));
        numbers.meter = MemoryMeter::new(Some(numbers.meter.used() + 100));
        assert!(numbers.meter.take(numbers.index.buckets.bytes()));
        let before = numbers.meter.used();
        assert!(!numbers.index.grow(8, &mut numbers.meter, |_| unreachable!()));
        assert_eq!(numbers.meter.used(), before);
        (0..room).for_each(|number| assert_eq!(numbers.visit(number), (false, number as u32)));
    }
}
