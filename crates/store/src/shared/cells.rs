//! Words that several threads read and write: those of the machine, and, in tests, those of
//! a model checker for such programs.

#![allow(unsafe_code)]

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::Block;

/// A word that several threads read and write.
pub trait Cell: Send + Sync + Sized + Debug {
    /// Many of them, in a row.
    type Many: Deref<Target = [Self]> + Send + Sync + Debug;

    /// So many zeros, or nothing where the system refuses.
    fn zeros(count: usize) -> Option<Self::Many>;

    /// Its value.
    fn get(&self, order: Ordering) -> u64;

    /// Sets it.
    fn set(&self, value: u64, order: Ordering);

    /// Sets it if it is zero; else answers what it is.
    fn claim(&self, value: u64) -> Result<(), u64>;
}

impl Cell for AtomicU64 {
    type Many = Words;

    fn zeros(count: usize) -> Option<Words> {
        Block::scattered(count).map(Words)
    }

    #[inline(always)]
    fn get(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    #[inline(always)]
    fn set(&self, value: u64, order: Ordering) {
        self.store(value, order);
    }

    #[inline(always)]
    fn claim(&self, value: u64) -> Result<(), u64> {
        self.compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }
}

/// A block that is read and written by several threads, as atomic words only.
#[derive(Debug)]
pub struct Words(Block<u64>);

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        let words: &[u64] = &self.0;
        // SAFETY: an atomic word has the size, alignment and bit patterns of a plain one. The
        // block is this type's own and its memory is mapped writable; nobody reads or writes
        // it but through what is answered here, and it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<AtomicU64>(), words.len()) }
    }
}

#[cfg(test)]
impl Cell for loom::sync::atomic::AtomicU64 {
    type Many = Vec<loom::sync::atomic::AtomicU64>;

    fn zeros(count: usize) -> Option<Self::Many> {
        Some((0..count).map(|_| loom::sync::atomic::AtomicU64::new(0)).collect())
    }

    fn get(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    fn set(&self, value: u64, order: Ordering) {
        self.store(value, order);
    }

    fn claim(&self, value: u64) -> Result<(), u64> {
        self.compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }
}
