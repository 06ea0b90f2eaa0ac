//! States in full, each with a word of notes, in an array that grows by chunks.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use homing_core::Word;

use super::cells::Cell;
use crate::memory::SharedMeter;

/// How many records a worker takes at a time.
pub(super) const BLOCK: u32 = 64;

/// The records of the first chunk, as a power of two; each further chunk has twice as many
/// as the one before.
const FIRST: u32 = 10;

/// The chunks there may be.
const MOST: usize = 33 - FIRST as usize;

/// What a worker has for itself. Nobody else writes it.
#[derive(Default, Debug)]
#[repr(align(128))]
pub(super) struct Owner {
    /// Its records that are still free: from here on, and how many.
    next: AtomicU32,
    left: AtomicU32,
    stored: AtomicU64,
}

impl Owner {
    /// The states that it stored.
    pub(super) fn stored(&self) -> usize {
        self.stored.load(Ordering::Relaxed) as usize
    }

    /// The record that was written last is somebody's now.
    pub(super) fn took(&self) {
        self.next.store(self.next.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.left.store(self.left.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        self.stored.store(self.stored.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// All records.
#[derive(Debug)]
pub(super) struct Records<C: Cell> {
    width: usize,
    chunks: [OnceLock<C::Many>; MOST],
    making: Mutex<()>,
    /// How many records were given to workers, and how many may be.
    given: AtomicU64,
    most: u64,
    block: u32,
}

impl<C: Cell> Records<C> {
    pub(super) fn new(
        width: usize,
        most: u64,
        block: u32,
        meter: &SharedMeter,
    ) -> Option<Records<C>> {
        let chunks = [const { OnceLock::new() }; MOST];
        let (making, given) = (Mutex::new(()), AtomicU64::new(0));
        let records = Records { width, chunks, making, given, most, block };
        records.open(0, meter).then_some(records)
    }

    /// Writes a state to a record of this worker's own, and answers which; the same one again
    /// until the worker took it. None where there is no room.
    pub(super) fn write(&self, owner: &Owner, state: &[Word], meter: &SharedMeter) -> Option<u32> {
        if owner.left.load(Ordering::Relaxed) == 0 {
            self.give(owner, meter)?;
        }
        let record = owner.next.load(Ordering::Relaxed);
        let (chunk, place) = self.place(record);
        for (cell, word) in self.chunks[chunk].get()?[place..].iter().zip(state) {
            // Whoever reads it has read the slot that says so: see `Entry::claim`.
            cell.set(*word, Ordering::Relaxed);
        }
        Some(record)
    }

    /// Whether all records that there may be were given to workers.
    pub(super) fn is_full(&self) -> bool {
        self.given.load(Ordering::Relaxed) >= self.most
    }

    /// Whether a record holds a state.
    #[inline(always)]
    pub(super) fn holds(&self, record: u32, state: &[Word]) -> bool {
        let (chunk, place) = self.place(record);
        self.chunks[chunk].get().is_some_and(|cells| {
            let cells = &cells[place..place + self.width];
            cells.iter().zip(state).all(|(cell, word)| cell.get(Ordering::Relaxed) == *word)
        })
    }

    pub(super) fn load(&self, record: u32, out: &mut [Word]) {
        let (chunk, place) = self.place(record);
        for (word, cell) in out.iter_mut().zip(self.cells(chunk, place)) {
            *word = cell.get(Ordering::Relaxed);
        }
    }

    /// The notes on a state.
    #[inline(always)]
    pub(super) fn notes(&self, record: u32) -> &C {
        let (chunk, place) = self.place(record);
        &self.cells(chunk, place + self.width)[0]
    }

    fn cells(&self, chunk: usize, place: usize) -> &[C] {
        let cells: Option<&[C]> = self.chunks[chunk].get().map(|cells| &**cells);
        &cells.unwrap_or_default()[place..]
    }

    /// The chunk of a record, and its first word there.
    #[inline(always)]
    fn place(&self, record: u32) -> (usize, usize) {
        let number = u64::from(record) + (1 << FIRST);
        let chunk = number.ilog2() - FIRST;
        let first = 1_u64 << (chunk + FIRST);
        (chunk as usize, (number - first) as usize * self.record())
    }

    /// The words of a record.
    fn record(&self) -> usize {
        self.width + 1
    }

    /// Gives a worker further records.
    #[cold]
    fn give(&self, owner: &Owner, meter: &SharedMeter) -> Option<()> {
        let count = |given: u64| u64::from(self.block).min(self.most.saturating_sub(given));
        let more = |given: u64| Some(given + count(given)).filter(|_| count(given) > 0);
        let (store, load) = (Ordering::Relaxed, Ordering::Relaxed);
        let first = self.given.fetch_update(store, load, more).ok()?;
        for record in [first, first + count(first) - 1] {
            let (chunk, _) = self.place(record as u32);
            if self.chunks[chunk].get().is_none() && !self.open(chunk, meter) {
                return None;
            }
        }
        owner.next.store(first as u32, Ordering::Relaxed);
        owner.left.store(count(first) as u32, Ordering::Relaxed);
        Some(())
    }

    /// Makes a chunk, if nobody has so far. Whether there was memory.
    fn open(&self, chunk: usize, meter: &SharedMeter) -> bool {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.chunks[chunk].get().is_some() {
            return true;
        }
        let words = self.record() << (FIRST as usize + chunk);
        let bytes = words * size_of::<Word>();
        if !meter.take(bytes) {
            return false;
        }
        match C::zeros(words) {
            Some(made) => self.chunks[chunk].set(made).is_ok(),
            None => {
                meter.give(bytes);
                false
            }
        }
    }
}
