//! Memory that is asked for, metered and may be refused.
//!
//! A [`Block`] is an array of zeros mapped from the operating system. Pages
//! become resident only when they are first written, so that a block may be
//! laid out for its final size and never has to be copied. A [`MemoryMeter`] counts
//! what is resident and refuses what exceeds the limit; a refusal, by the
//! meter or by the operating system, is a value and never an abort.
//!
//! Beyond the first [`HUGE`] bytes a block asks for huge pages: a visited set
//! is read at random, and with small pages every look-up also misses the
//! translation cache. A block that is written at random while it is nearly empty
//! ([`Block::scattered`]) does without: it would be resident as a whole after some
//! hundred writes.
//!
//! What is resident counts against the budget of the whole run, too ([`homing_budget`]).

#![allow(unsafe_code)]

use homing_budget::heap;
use memmap2::{MmapMut, MmapOptions};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of a huge page.
pub const HUGE: usize = 2 << 20;

/// The size of a page.
pub const PAGE: usize = 4 << 10;

/// The steps in which small blocks become resident.
const SMALL_STEP: usize = 16 << 10;

/// Counts memory against a limit.
#[derive(Clone, Copy, Debug)]
pub struct MemoryMeter {
    used: usize,
    limit: usize,
}

impl MemoryMeter {
    /// Nothing used yet of `limit` bytes; no limit where there is none.
    pub fn new(limit: Option<usize>) -> MemoryMeter {
        MemoryMeter { used: 0, limit: limit.unwrap_or(usize::MAX) }
    }

    /// The bytes in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The bytes that may be in use.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Counts `bytes` more, unless that exceeds the limit, or what is left to the run.
    #[must_use]
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.limit.saturating_sub(self.used).min(homing_budget::room());
        let fits = left >= bytes;
        if fits {
            self.used += bytes;
        }
        fits
    }

    /// Counts `bytes` less.
    pub fn give(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.used);
        self.used -= bytes;
    }
}

/// Counts what several threads take against a limit. What it counts is in use until it is
/// dropped.
#[derive(Debug)]
pub struct SharedMeter {
    used: AtomicUsize,
    limit: usize,
}

impl SharedMeter {
    /// Nothing used yet of `limit` bytes; no limit where there is none.
    pub fn new(limit: Option<usize>) -> SharedMeter {
        SharedMeter { used: AtomicUsize::new(0), limit: limit.unwrap_or(usize::MAX) }
    }

    /// The bytes in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Counts `bytes` more, unless that exceeds the limit, or what is left to the run.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        let taken = homing_budget::room() >= bytes
            && self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if taken {
            heap::add(bytes as isize);
        }
        taken
    }

    /// Counts `bytes` less.
    pub fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        heap::add(-(bytes as isize));
    }
}

impl Drop for SharedMeter {
    fn drop(&mut self) {
        heap::add(-(self.used() as isize));
    }
}

/// Types of which every bit pattern is a value, zeros included.
///
/// # Safety
/// The type has no padding, no invalid bit pattern and nothing to drop.
pub unsafe trait Plain: Copy {}

// SAFETY: integers are valid for all bit patterns and own nothing.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}

/// A zeroed array whose pages become resident when they are written.
#[derive(Debug)]
pub struct Block<T> {
    /// Where the array starts in the map: on a huge page where it spans one.
    first: NonNull<T>,
    map: MmapMut,
    length: usize,
    resident: usize,
}

// SAFETY: a block owns its memory alone, as a boxed slice would.
unsafe impl<T: Send> Send for Block<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Block<T> {}

impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        heap::add(-(self.resident as isize));
    }
}

impl<T: Plain> Block<T> {
    /// An array of `length` zeros, none of it resident, or `None` where the
    /// operating system refuses.
    pub fn reserve(length: usize) -> Option<Block<T>> {
        let block = Block::scattered(length)?;
        block.ask_for_huge_pages(length * size_of::<T>());
        Some(block)
    }

    /// The same, on small pages.
    pub fn scattered(length: usize) -> Option<Block<T>> {
        let bytes = length.checked_mul(size_of::<T>())?;
        let slack = if bytes > HUGE { HUGE } else { 0 };
        let mut map = MmapOptions::new().len(bytes.checked_add(slack)?.max(1)).map_anon().ok()?;
        let start = if slack > 0 { map.as_ptr().align_offset(HUGE) } else { 0 };
        debug_assert!(start <= slack);
        let first = NonNull::new(map[start..].as_mut_ptr().cast())?;
        debug_assert!(first.is_aligned());
        Some(Block { first, map, length, resident: 0 })
    }

    /// As [`Block::reserve`], with everything counted as resident at once.
    pub fn resident(length: usize, meter: &mut MemoryMeter) -> Option<Block<T>> {
        let mut block = Block::reserve(length)?;
        block.commit(length, meter).then_some(block)
    }

    /// Counts the first `length` items as resident. `false`, and nothing
    /// changed, where the meter refuses.
    #[must_use]
    pub fn commit(&mut self, length: usize, meter: &mut MemoryMeter) -> bool {
        debug_assert!(length <= self.length);
        let bytes = length * size_of::<T>();
        let step = if bytes > HUGE { HUGE } else { SMALL_STEP };
        let whole = self.length * size_of::<T>();
        let wanted = bytes.next_multiple_of(step).min(whole);
        let granted = wanted <= self.resident || meter.take(wanted - self.resident);
        if granted && wanted > self.resident {
            heap::add((wanted - self.resident) as isize);
            self.resident = wanted;
        }
        granted
    }

    /// The items counted as resident.
    pub fn committed(&self) -> usize {
        self.resident / size_of::<T>()
    }

    /// The bytes counted as resident.
    pub fn bytes(&self) -> usize {
        self.resident
    }

    /// The first huge page's worth stays on small pages, so that small blocks
    /// stay small.
    fn ask_for_huge_pages(&self, bytes: usize) {
        #[cfg(target_os = "linux")]
        if bytes > HUGE {
            let start = self.first.as_ptr().addr() - self.map.as_ptr().addr();
            // Only a hint: without huge pages everything works, slower.
            let _ = self.map.advise_range(memmap2::Advice::HugePage, start + HUGE, bytes - HUGE);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = bytes;
    }
}

impl<T: Plain> Deref for Block<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `reserve` mapped at least `length` items behind `first`,
        // aligned to a page or more; they are zeroed, `T` is plain, and the
        // map lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.length) }
    }
}

impl<T: Plain> DerefMut for Block<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_zero_and_aligned_for_huge_pages() {
        let block = Block::<u64>::reserve(3 * HUGE / 8).unwrap();
        assert!(block.iter().step_by(1000).all(|word| *word == 0));
        assert_eq!(block.as_ptr().align_offset(HUGE), 0);
        assert_eq!(block.bytes(), 0);
    }

    #[test]
    fn commits_in_steps_up_to_the_limit() {
        let mut meter = MemoryMeter::new(Some(3 * HUGE));
        let mut block = Block::<u64>::reserve(HUGE).unwrap();
        assert!(block.commit(1, &mut meter));
        assert_eq!((block.bytes(), block.committed()), (SMALL_STEP, SMALL_STEP / 8));
        assert!(block.commit(HUGE / 8 + 1, &mut meter));
        assert_eq!((block.bytes(), meter.used()), (2 * HUGE, 2 * HUGE));
        assert!(!block.commit(3 * HUGE / 8 + 1, &mut meter));
        assert_eq!((block.bytes(), meter.used()), (2 * HUGE, 2 * HUGE));
    }

    #[test]
    fn a_refusal_is_a_value() {
        assert!(Block::<u64>::reserve(usize::MAX / 8).is_none());
        assert!(Block::<u64>::reserve(usize::MAX).is_none());
        assert!(Block::<u8>::reserve(0).unwrap().is_empty());
    }
}
