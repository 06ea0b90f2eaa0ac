//! An exact visited set that several threads fill at the same time, without locks.
//!
//! Laarman, van de Pol, Weber, "Boosting Multi-Core Reachability Performance with Shared
//! Hash Tables" (FMCAD 2010): open addressing, a slot is claimed by one compare-and-swap,
//! the slots of a cache line are probed before the next line, and part of the hash lies in
//! the slot, so that most comparisons do not touch the state.
//!
//! ```text
//! visit(state, hash):
//!   for every slot on the way of the hash, line by line, table by table:
//!     if it is empty:
//!       write the state to a record of our own
//!       swap the slot from empty to (part of the hash, record): New, if that succeeds
//!       else look at what is there now
//!     if it has the same part of the hash, and its record is equal: Known
//! ```
//! Two threads with equal states walk the same slots in the same order, and a slot that was
//! taken stays taken. So they meet at the first one that is empty, where one of the two wins;
//! the other sees its record, which was written before the swap.
//!
//! Deviations. States lie in an array of records of their own, so that the memory taken goes
//! with the states stored. A record is written *before* the slot is claimed: nobody ever
//! waits for a state that somebody else is still writing. Who loses a slot keeps the record
//! for the next state. And tables grow: where the few lines of a hash are full, its way goes
//! on in a further table, several times as large. Nothing is moved; the way of a hash only
//! becomes longer at its end. Only whoever makes a further table, or a further part of the
//! array, holds a lock while doing so.

mod cells;
mod records;
mod tables;

use std::sync::atomic::{AtomicU64, Ordering};

use homing_core::{Id, SharedStore, StopReason, Visit, Word};

use crate::memory::SharedMeter;
use crate::{NUMBERS, StoreConfig};
use cells::Cell;
use records::{Owner, Records};
use tables::{Entry, Tables};

/// The most workers.
pub const WORKERS: usize = 64;

/// An exact visited set for several workers.
#[derive(Debug)]
pub struct Shared<C: Cell = AtomicU64> {
    tables: Tables<C>,
    records: Records<C>,
    /// What each worker has for itself.
    owners: Box<[Owner]>,
    meter: SharedMeter,
}

impl Shared {
    /// An empty store for so many workers. Fails where there is no memory for it.
    pub fn new(config: &StoreConfig, workers: usize) -> Result<Shared, StopReason> {
        Shared::sized(config, workers, tables::FIRST, records::BLOCK)
    }
}

impl<C: Cell> Shared<C> {
    /// With a first table of so many slots, whose workers take so many records at a time.
    fn sized(
        config: &StoreConfig,
        workers: usize,
        slots: usize,
        block: u32,
    ) -> Result<Shared<C>, StopReason> {
        let meter = SharedMeter::new(config.memory);
        let tables = Tables::new(slots, &meter).ok_or(StopReason::Memory)?;
        let most = config.most(NUMBERS) as u64;
        let records = Records::new(config.width, most, block, &meter).ok_or(StopReason::Memory)?;
        let owners = (0..workers.clamp(1, WORKERS)).map(|_| Owner::default()).collect();
        Ok(Shared { tables, records, owners, meter })
    }

    fn find(&self, worker: usize, state: &[Word], hash: u64) -> Visit {
        let owner = &self.owners[worker];
        let is = |seen: Entry| seen.is_of(hash) && self.records.holds(seen.record(), state);
        for table in 0.. {
            let Some(way) = self.tables.way(table, hash, &self.meter) else { return Visit::Full };
            for slot in way {
                let mut seen = Entry::read(slot);
                if seen.is_empty() {
                    let Some(record) = self.records.write(owner, state, &self.meter) else {
                        return Visit::Full;
                    };
                    match Entry::new(hash, record).claim(slot) {
                        Ok(()) => {
                            owner.took();
                            return Visit::New(Id(record));
                        }
                        Err(now) => seen = now,
                    }
                }
                if is(seen) {
                    return Visit::Known(Id(seen.record()));
                }
            }
        }
        Visit::Full
    }
}

impl SharedStore for Shared {
    fn visit(&self, worker: usize, state: &[Word], hash: u64) -> Visit {
        self.find(worker, state, hash)
    }

    fn load(&self, id: Id, out: &mut [Word]) {
        self.records.load(id.0, out);
    }

    fn notes(&self, id: Id) -> &AtomicU64 {
        self.records.notes(id.0)
    }

    fn prefetch(&self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.tables.prefetch(*hash));
    }

    fn len(&self) -> usize {
        self.owners.iter().map(Owner::stored).sum()
    }

    fn is_full(&self) -> bool {
        self.records.is_full()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }
}

/// How a cell is read whose value was published by whoever wrote it.
const READ: Ordering = Ordering::Acquire;

#[cfg(test)]
mod tests;
