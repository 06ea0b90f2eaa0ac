//! The system's allocator, counting.
//!
//! Every thread counts for itself and tells [`heap`] every [`STEP`] bytes, so that an
//! allocation costs an addition more than before and threads do not wait for each other.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use crate::heap;

/// The bytes a thread takes or gives back before it says so.
const STEP: isize = 64 << 10;

thread_local! {
    /// What this thread has not told yet.
    static UNTOLD: Cell<isize> = const { Cell::new(0) };
    /// Whether this thread never waits at the ceiling.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// An allocator that counts what it gives: install it with `#[global_allocator]`.
#[derive(Debug, Default)]
pub struct Counting;

impl Counting {
    /// This thread may go beyond the ceiling ([`heap::set_ceiling`]): it is the one that
    /// has the last word.
    pub fn exempt_this_thread() {
        EXEMPT.set(true);
    }
}

#[inline]
fn count(bytes: isize) {
    // A thread that is ending has no cell any more: what it still does is not counted.
    let untold = UNTOLD.try_with(|untold| {
        let sum = untold.get() + bytes;
        let tell = !(-STEP..STEP).contains(&sum);
        untold.set(if tell { 0 } else { sum });
        if tell { sum } else { 0 }
    });
    match untold {
        Ok(0) | Err(_) => {}
        Ok(sum) => tell(sum),
    }
}

#[cold]
fn tell(bytes: isize) {
    heap::metered();
    let mut now = heap::ask(bytes);
    let exempt = EXEMPT.try_with(Cell::get).unwrap_or(true);
    while bytes > 0 && !exempt && heap::above_ceiling(now) {
        std::thread::sleep(Duration::from_millis(2));
        now = heap::counted();
    }
    if bytes > 0 {
        heap::reached(now);
    }
}

// SAFETY: every call goes to the system's allocator, with the same arguments; counting
// neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's promises are handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    /// Twice the limit was told of a run that waited for the memory it never got.
    #[test]
    fn regression_what_is_waited_for_is_not_told_as_taken() {
        const LARGE: usize = 4 << 30;
        heap::set_ceiling(heap::counted() + (1 << 30));
        let waiting =
            std::thread::spawn(|| std::hint::black_box(Vec::<u8>::with_capacity(LARGE)).capacity());
        // A thread keeps a little to itself.
        while heap::counted() < LARGE / 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let before = heap::peak();
        heap::set_ceiling(usize::MAX);
        assert_eq!(waiting.join().unwrap(), LARGE);
        let (before, after) = (before.unwrap(), heap::peak().unwrap());
        assert!(before < LARGE / 2 && LARGE / 2 <= after, "{before} {after}");
    }

    #[test]
    fn what_is_allocated_is_counted_and_given_back() {
        let before = heap::counted();
        let large = vec![1u8; 100 << 20];
        assert!(heap::in_use() >= before.saturating_sub(50 << 20) + large.len());
        assert!(heap::peak().unwrap() >= large.len());
        drop(large);
        let many: Vec<Box<u64>> = (0..1_000_000).map(Box::new).collect();
        assert!(heap::counted() >= 8 * many.len());
    }

    #[test]
    fn growing_counts_once() {
        let mut grown: Vec<u64> = Vec::new();
        (0..4_000_000).for_each(|n| grown.push(n));
        drop(grown);
        assert!(heap::counted() < 400 << 20);
    }
}
