//! Tables of slots, each several times as large as the one before.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::READ;
use super::cells::Cell;
use crate::machine;
use crate::memory::SharedMeter;

/// The slots of the first table.
pub(super) const FIRST: usize = 1 << 12;

/// How many times as large a table is as the one before; less where memory is short.
const GROWTH: usize = 8;

/// The slots of a cache line.
const LINE: usize = 8;

/// The lines that a hash has in a table.
const LINES: usize = 2;

/// The tables there may be.
const MOST: usize = 24;

/// What a slot says: nothing, or part of a hash and one more than the number of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry(u64);

impl Entry {
    pub(super) fn new(hash: u64, record: u32) -> Entry {
        Entry((hash >> 32) << 32 | (u64::from(record) + 1))
    }

    #[inline(always)]
    pub(super) fn read<C: Cell>(slot: &C) -> Entry {
        Entry(slot.get(READ))
    }

    /// Takes an empty slot; else answers what it says.
    pub(super) fn claim<C: Cell>(self, slot: &C) -> Result<(), Entry> {
        slot.claim(self.0).map_err(Entry)
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it is of a state with such a hash, as far as it knows.
    #[inline(always)]
    pub(super) fn is_of(self, hash: u64) -> bool {
        self.0 >> 32 == hash >> 32
    }

    #[inline(always)]
    pub(super) fn record(self) -> u32 {
        (self.0 as u32).wrapping_sub(1)
    }
}

/// All tables; each is made when the one before it has no room for some hash.
#[derive(Debug)]
pub(super) struct Tables<C: Cell> {
    tables: [OnceLock<C::Many>; MOST],
    making: Mutex<()>,
}

impl<C: Cell> Tables<C> {
    /// With a first table of so many slots.
    pub(super) fn new(slots: usize, meter: &SharedMeter) -> Option<Tables<C>> {
        let tables = Tables { tables: [const { OnceLock::new() }; MOST], making: Mutex::new(()) };
        tables.make(0, slots.next_power_of_two().max(LINE), meter).map(|_| ())?;
        Some(tables)
    }

    /// The slots at which a state with this hash may be in a table, in order. None where
    /// there is no such table, and no memory to make one.
    #[inline(always)]
    pub(super) fn way(
        &self,
        table: usize,
        hash: u64,
        meter: &SharedMeter,
    ) -> Option<impl Iterator<Item = &C>> {
        let slots = match self.tables.get(table)?.get() {
            Some(slots) => slots,
            None => self.grow(table, meter)?,
        };
        let lines = slots.len() / LINE;
        // The step is odd, so that the second line is another where there is one.
        let step = (hash >> 32) as usize | 1;
        let line = move |number: usize| (hash as usize + number * step) & (lines - 1);
        let of_line = move |line: usize| &slots[line * LINE..(line + 1) * LINE];
        Some((0..LINES).flat_map(move |number| of_line(line(number))))
    }

    /// Fetches the first line of a hash in the table that holds most states.
    pub(super) fn prefetch(&self, hash: u64) {
        let last = self.tables.iter().map_while(OnceLock::get).last();
        if let Some(slots) = last {
            machine::prefetch(&slots[(hash as usize & (slots.len() / LINE - 1)) * LINE]);
        }
    }

    /// Makes a table behind the others, as large as there is memory for; nobody makes two.
    #[cold]
    fn grow(&self, table: usize, meter: &SharedMeter) -> Option<&C::Many> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.tables[table].get() {
            return Some(made);
        }
        let before = self.tables.get(table.checked_sub(1)?)?.get()?.len();
        let mut times = GROWTH;
        while times > 0 {
            if let Some(made) = self.make(table, before * times, meter) {
                return Some(made);
            }
            times /= 2;
        }
        None
    }

    fn make(&self, table: usize, slots: usize, meter: &SharedMeter) -> Option<&C::Many> {
        let bytes = slots * size_of::<u64>();
        if !meter.take(bytes) {
            return None;
        }
        match C::zeros(slots) {
            Some(made) => Some(self.tables[table].get_or_init(|| made)),
            None => {
                meter.give(bytes);
                None
            }
        }
    }
}
