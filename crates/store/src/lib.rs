//! Visited sets: what a search has seen, exactly or nearly so.
//!
//! | name | keeps | bytes a state | misses states |
//! |---|---|---|---|
//! | [`exact`] | the state | its width and 6 to 9 | never |
//! | [`tree`] | the state, shared parts once | about 9 to 16 | never |
//! | [`hash_compact`] | a hash | 14 to 17, less with fewer bits | hardly ever |
//! | [`bitstate`] | a few bits | a fixed table | as it fills |
//!
//! Each is a [`Store`] and a row of [`STORES`]. The first three are an
//! append-only array of records and an [`index`] derived from it. Memory comes
//! from [`memory`], where running out of it is a value: a store at its limit
//! answers [`Visit::Full`](homing_core::Visit::Full), has lost nothing and can
//! still be read.

pub mod arena;
pub mod bitstate;
pub mod exact;
pub mod hash_compact;
pub mod index;
pub mod machine;
pub mod memory;
pub mod pairs;
pub mod tree;

use homing_core::catalogue::{self, Kind, Row};
use homing_core::expression::Call;
use homing_core::{Id, Store};

/// What every store is built from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreConfig {
    /// The words of a packed state.
    pub width: usize,
    /// The bytes the store may take; no limit where there is none.
    pub memory: Option<usize>,
}

/// The states a store can number: [`Id::NONE`] is not one of them.
const NUMBERS: usize = Id::NONE.0 as usize;

/// Makes a store from its configuration and its call in an expression.
pub type StoreBuilder = fn(&StoreConfig, &Call) -> Result<Box<dyn Store>, String>;

/// All stores. The first is the default.
pub const STORES: &[Row<StoreBuilder>] = &[exact::ROW, tree::ROW, bitstate::ROW, hash_compact::ROW];

const NO_MEMORY: &str = "there is not enough memory for an empty store";

/// Makes the store that `call` names, or says what is wrong with it.
pub fn build(config: &StoreConfig, call: &Call) -> Result<Box<dyn Store>, String> {
    (catalogue::find(STORES, Kind::Store, &call.name)?.build)(config, call)
}
