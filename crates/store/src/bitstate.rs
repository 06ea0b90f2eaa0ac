//! The bitstate visited set: a few bits a state in one large table of bits.
//!
//! After G. Holzmann, "An Improved Protocol Reachability Analysis Technique",
//! Software: Practice and Experience 18(2), 1988, and "An Analysis of Bitstate
//! Hashing", Formal Methods in System Design 13, 1998. That two hashes give
//! all others is shown in P. Dillinger and P. Manolios, "Bloom Filters in
//! Probabilistic Verification", FMCAD 2004.
//!
//! ```text
//! visit(state): if all k bits of the state are set: Known
//!               set them: New
//! ```
//!
//! A state all of whose bits others have set is taken for known: it and what
//! lies behind it may be missed.
//!
//! # Coverage
//! Of m bits let u be set. A state never seen before is taken for known with
//! probability p = (u/m)^k. Between two states that are stored u does not
//! change, so the number of states lost between them is geometric: p/(1-p) of
//! them are expected. The sum of that over all stored states is the expected
//! number lost, and
//!
//! ```text
//! coverage = stored / (stored + sum of p/(1-p))
//! ```
//!
//! is the expected share of the states that the search *generated*. States all
//! of whose predecessors were lost are never generated and not counted: where
//! coverage is well below one, it is an upper estimate.

use crate::machine;
use crate::memory::{Block, MemoryMeter, PAGE};
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Id, Price, Store, Visit, Word};

/// The table has a gigabyte where neither its size nor a memory limit is given.
const BITS: Parameter = Parameter {
    name: "bits",
    about: "logarithm of the number of bits in the table; at most 33, and half the memory limit",
    default: "33",
};

const HASHES: Parameter = Parameter { name: "hashes", about: "bits set for a state", default: "3" };

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "bitstate",
    kind: Kind::Store,
    about: "keeps a few bits a state and may miss states; for spaces too large to store",
    cite: "Holzmann: An Analysis of Bitstate Hashing, Formal Methods in System Design 13, 1998",
    parameters: &[BITS, HASHES],
    needs: &[],
    gives: &[],
    uses: &[],
    build,
};

fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    call.allow_named(&["bits", "hashes"])?;
    let bits = match call.named(BITS.name) {
        Some(_) => BITS.number(call)?,
        None => BITS.number(call)?.min(fitting(config.memory)),
    };
    let hashes = HASHES.number(call)?;
    if !(9..=48).contains(&bits) {
        return Err(format!("`bits` of `bitstate` is between 9 and 48, {bits} is not"));
    }
    if !(1..=64).contains(&hashes) {
        return Err(format!("`hashes` of `bitstate` is between 1 and 64, {hashes} is not"));
    }
    Ok(Box::new(Bitstate::new(bits as u32, hashes as u32, config)?))
}

/// The largest table within half the memory limit: the states that wait to be expanded
/// need room too.
fn fitting(memory: Option<usize>) -> u64 {
    memory.map_or(u64::MAX, |bytes| u64::from((bytes / 2).max(64).ilog2() + 3))
}

/// Keeps a few bits a state.
#[derive(Debug)]
pub struct Bitstate {
    table: Block<u64>,
    bits: u32,
    hashes: u32,
    meter: MemoryMeter,
    stored: usize,
    /// The states it may hold.
    pub(crate) most: usize,
    /// Bits set.
    set: u64,
    /// Expected number of states taken for known that were not.
    lost: f64,
}

impl Bitstate {
    /// An empty table of two to the power of `bits` bits, or a sentence.
    pub fn new(bits: u32, hashes: u32, config: &StoreConfig) -> Result<Bitstate, String> {
        let meter = MemoryMeter::new(config.memory);
        let words = 1usize << (bits - 6);
        if size_of::<u64>() * words > meter.limit() {
            return Err(NO_MEMORY.into());
        }
        let table = Block::scattered(words).ok_or(NO_MEMORY)?;
        let most = config.most(NUMBERS);
        Ok(Bitstate { table, bits, hashes, meter, stored: 0, most, set: 0, lost: 0.0 })
    }

    /// Counts the pages that the bits set so far, and those of one state more, may lie in:
    /// at first a page each. `false` where that is too much.
    #[inline(always)]
    fn ready(&mut self) -> bool {
        let touched = (self.set as usize + self.hashes as usize) * (PAGE / size_of::<u64>());
        touched <= self.table.committed() || self.commit(touched)
    }

    #[cold]
    fn commit(&mut self, touched: usize) -> bool {
        let ahead = (touched + touched / 8).min(self.table.len());
        self.table.committed() == self.table.len() || self.table.commit(ahead, &mut self.meter)
    }

    /// The words and bits of a hash: an arithmetic sequence whose start and
    /// odd step are drawn from it.
    #[inline(always)]
    fn places(&self, hash: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let step = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) | 1;
        let shift = 64 - self.bits;
        (0..u64::from(self.hashes)).map(move |i| {
            let bit = hash.wrapping_add(i.wrapping_mul(step)) >> shift;
            ((bit >> 6) as usize, 1 << (bit & 63))
        })
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.places(hash).all(|(word, bit)| self.table[word] & bit != 0)
    }

    fn expected_loss(&self) -> f64 {
        let fill = self.set as f64 / 2f64.powi(self.bits as i32);
        let taken_for_known = fill.powi(self.hashes as i32);
        taken_for_known / (1.0 - taken_for_known)
    }
}

impl Store for Bitstate {
    fn visit(&mut self, _state: &[Word], hash: u64, _from: Id, _cost: Price) -> Visit {
        if self.contains(hash) {
            return Visit::Known(Id::NONE);
        }
        if self.stored >= self.most || !self.ready() {
            return Visit::Full;
        }
        self.lost += self.expected_loss();
        for (word, bit) in self.places(hash) {
            self.set += u64::from(self.table[word] & bit == 0);
            self.table[word] |= bit;
        }
        self.stored += 1;
        Visit::New(Id((self.stored - 1) as u32))
    }

    fn prefetch(&self, hashes: &[u64]) {
        for (word, _) in hashes.iter().flat_map(|hash| self.places(*hash)) {
            machine::prefetch(&self.table[word]);
        }
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
        self.stored
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }

    fn coverage(&self) -> f64 {
        if self.stored == 0 { 1.0 } else { self.stored as f64 / (self.stored as f64 + self.lost) }
    }
}
