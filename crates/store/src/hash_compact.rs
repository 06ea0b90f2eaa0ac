//! The hash-compacting visited set: of a state only its hash is kept.
//!
//! After P. Wolper and D. Leroy, "Reliable Hashing without Collision
//! Detection", CAV 1993, and U. Stern and D. Dill, "Improved Probabilistic
//! Verification by Hash Compaction", CHARME 1995.
//!
//! ```text
//! visit(state): if the hash of state is stored: Known
//!               store it: New
//! ```
//!
//! Two states of one hash are taken for one: the second and what lies behind
//! it may be missed. Hashes are kept in an array in order of arrival, found
//! through an [`Index`], so that states are numbered and parents can be
//! recorded.
//!
//! # Coverage
//! With n of 2^b hashes stored, a state never seen before is taken for known
//! with probability p = n/2^b; as for bitstate hashing the expected number of
//! states lost is the sum of p/(1-p) over all stored states, and the same
//! reservation holds: states all of whose predecessors were lost are not
//! counted.

use crate::index::Index;
use crate::memory::MemoryMeter;
use crate::pairs::Pairs;
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::hash::hash_words;
use homing_core::{Id, Price, Store, Visit, Word};

const BITS: Parameter =
    Parameter { name: "bits", about: "bits of a hash, 16 to 64", default: "64" };

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "hash-compact",
    kind: Kind::Store,
    about: "keeps a hash a state and may, with small probability, miss states",
    cite: "Wolper, Leroy: Reliable Hashing without Collision Detection, CAV 1993; \
           Stern, Dill: Improved Probabilistic Verification by Hash Compaction, CHARME 1995",
    parameters: &[BITS],
    needs: &[],
    gives: &[Capability::NumbersStates],
    uses: &[],
    build,
};

fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    call.allow_named(&["bits"])?;
    let bits = BITS.number(call)?;
    if !(16..=64).contains(&bits) {
        return Err(format!("`bits` of `hash-compact` is between 16 and 64, {bits} is not"));
    }
    Ok(Box::new(HashCompact::new(bits as u32, config)?))
}

/// Keeps a hash a state.
#[derive(Debug)]
pub struct HashCompact {
    bits: u32,
    hashes: Pairs,
    index: Index,
    meter: MemoryMeter,
    /// The states it may hold.
    pub(crate) most: usize,
    /// Expected number of states taken for known that were not.
    lost: f64,
}

impl HashCompact {
    /// An empty store of hashes of this many bits, or a sentence.
    pub fn new(bits: u32, config: &StoreConfig) -> Result<HashCompact, String> {
        let mut meter = MemoryMeter::new(config.memory);
        let index = Index::new(&mut meter).ok_or(NO_MEMORY)?;
        Ok(HashCompact {
            bits,
            hashes: Pairs::new(),
            index,
            meter,
            most: config.most(NUMBERS),
            lost: 0.0,
        })
    }

    /// What is kept of a state's hash.
    #[inline(always)]
    fn kept(&self, hash: u64) -> (u32, u32) {
        let kept = hash >> (64 - self.bits);
        (kept as u32, (kept >> 32) as u32)
    }

    /// Makes room for one more hash; `false` where there is none.
    fn ready(&mut self, kept: (u32, u32)) -> bool {
        let HashCompact { hashes, index, meter, .. } = self;
        hashes.len() < self.most
            && hashes.ready(kept, meter)
            && (!index.is_full() || index.grow(hashes.record(), meter, |id| spread(hashes.get(id))))
    }
}

/// A hash for the index, which relies on all 64 bits, of what is kept.
#[inline(always)]
fn spread((low, high): (u32, u32)) -> u64 {
    hash_words(&[u64::from(low) | u64::from(high) << 32])
}

impl Store for HashCompact {
    fn visit(&mut self, _state: &[Word], hash: u64, _from: Id, _cost: Price) -> Visit {
        let kept = self.kept(hash);
        let spread = spread(kept);
        if let Some(id) = self.index.find(spread, |id| self.hashes.get(id) == kept) {
            return Visit::Known(Id(id));
        }
        if !self.ready(kept) {
            return Visit::Full;
        }
        let taken_for_known = self.len() as f64 / 2f64.powi(self.bits as i32);
        self.lost += taken_for_known / (1.0 - taken_for_known);
        let id = self.hashes.push(kept);
        self.index.insert(spread, id);
        Visit::New(Id(id))
    }

    fn prefetch(&self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.index.prefetch(spread(self.kept(*hash))));
    }

    fn prefetch_states(&self, hashes: &[u64]) {
        let candidate = |hash: &u64| self.index.candidate(spread(self.kept(*hash)));
        hashes.iter().filter_map(candidate).for_each(|id| self.hashes.prefetch(id));
    }

    fn load(&self, _id: Id, _out: &mut [Word]) -> bool {
        false
    }

    fn keeps_states(&self) -> bool {
        false
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }

    fn coverage(&self) -> f64 {
        let stored = self.len() as f64;
        if stored == 0.0 { 1.0 } else { stored / (stored + self.lost) }
    }
}
