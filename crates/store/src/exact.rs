//! The exact visited set: every state in full in an [`Arena`], found through
//! an [`Index`] of cache-line buckets.
//!
//! ```text
//! visit(state, hash): if the index finds a record equal to state: Known
//!                     if there is no room and none can be made:   Full
//!                     append state to the arena, its number to the index: New
//! ```
//!
//! A state takes its own width and six to nine bytes of index.

use crate::arena::{Any, Arena, Fixed, Width};
use crate::index::Index;
use crate::memory::MemoryMeter;
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::expression::Call;
use homing_core::hash::hash_words;
use homing_core::{Id, Price, Store, Visit, Word};

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "exact",
    kind: Kind::Store,
    about: "keeps every state in full; the fastest",
    cite: "",
    parameters: &[],
    needs: &[],
    gives: &[
        Capability::Exact,
        Capability::KeepsStates,
        Capability::NumbersStates,
        Capability::Shared,
    ],
    uses: &[],
    build,
};

fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    call.allow_named(&[])?;
    Ok(match config.width {
        1 => Box::new(Exact::new(Fixed::<1>, config)?),
        2 => Box::new(Exact::new(Fixed::<2>, config)?),
        3 => Box::new(Exact::new(Fixed::<3>, config)?),
        4 => Box::new(Exact::new(Fixed::<4>, config)?),
        width => Box::new(Exact::new(Any(width), config)?),
    })
}

/// Keeps every state in full.
#[derive(Debug)]
pub struct Exact<W> {
    arena: Arena<W>,
    index: Index,
    meter: MemoryMeter,
    /// The states it may hold.
    pub(crate) most: usize,
}

impl<W: Width> Exact<W> {
    /// An empty store of states of this width, or a sentence.
    pub fn new(width: W, config: &StoreConfig) -> Result<Exact<W>, String> {
        let mut meter = MemoryMeter::new(config.memory);
        let index = Index::new(&mut meter).ok_or(NO_MEMORY)?;
        Ok(Exact { arena: Arena::new(width), index, meter, most: config.most(NUMBERS) })
    }

    #[inline(always)]
    fn ready(&mut self) -> bool {
        self.arena.len() < self.most
            && self.arena.ready(&mut self.meter)
            && (!self.index.is_full() || self.grow())
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let arena = &self.arena;
        self.index.grow(arena.record(), &mut self.meter, |id| hash_words(arena.get(id)))
    }
}

impl<W: Width> Store for Exact<W> {
    #[inline]
    fn visit(&mut self, state: &[Word], hash: u64, _from: Id, _cost: Price) -> Visit {
        if let Some(id) = self.index.find(hash, |id| self.arena.holds(id, state)) {
            return Visit::Known(Id(id));
        }
        if !self.ready() {
            return Visit::Full;
        }
        let id = self.arena.push(state);
        self.index.insert(hash, id);
        Visit::New(Id(id))
    }

    fn knows(&mut self, state: &[Word], hash: u64) -> bool {
        self.index.find(hash, |id| self.arena.holds(id, state)).is_some()
    }

    fn prefetch(&self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.index.prefetch(*hash));
    }

    fn prefetch_states(&self, hashes: &[u64]) {
        for id in hashes.iter().filter_map(|hash| self.index.candidate(*hash)) {
            self.arena.prefetch(id);
        }
    }

    fn load(&self, id: Id, out: &mut [Word]) -> bool {
        out.copy_from_slice(self.arena.get(id.0));
        true
    }

    fn len(&self) -> usize {
        self.arena.len()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }
}
