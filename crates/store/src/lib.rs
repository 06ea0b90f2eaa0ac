//! Visited sets: what a search has seen, exactly or nearly so.
//!
//! | name | keeps | bytes a state | misses states |
//! |---|---|---|---|
//! | [`exact`] | the state | its width and 6 to 9 | never |
//! | [`tree`] | the state, shared parts once | about 9 to 16 | never |
//! | [`hash_compact`] | a hash | 14 to 17, less with fewer bits | hardly ever |
//! | [`bitstate`] | a few bits | a fixed table | as it fills |
//! | [`covering`] | of states that stand for many those no other covers | the zone and 8, or 16 | never |
//!
//! Each is a [`Store`] and a row of [`STORES`]. The first three are an
//! append-only array of records and an [`index`] derived from it. Memory comes
//! from [`memory`], where running out of it is a value: a store at its limit
//! answers [`Visit::Full`](homing_core::Visit::Full), has lost nothing and can
//! still be read.
//!
//! # Modules
//!
//! - `exact`, `tree`, `hash_compact`, `bitstate`, `covering`: the stores, a row of the catalogue
//!   each.
//! - `shared`: the exact store for several threads at a time, without locks.
//! - `arena`, `index`, `pairs`: append-only records, and the index derived from them.
//! - `memory`: memory that is metered and may be refused; `machine`: prefetching and
//!   comparing sixteen bytes at once.

pub mod arena;
pub mod bitstate;
pub mod covering;
pub mod exact;
pub mod hash_compact;
pub mod index;
pub mod machine;
pub mod making;
pub mod memory;
pub mod pairs;
pub mod shared;
pub mod tree;

use homing_core::catalogue::{self, Kind, Row};
use homing_core::expression::Call;
use homing_core::{Cover, Id, Store};

pub use making::Making;

/// What every store is built from.
#[derive(Clone, Copy, Default)]
pub struct StoreConfig<'a> {
    /// The words of a packed state.
    pub width: usize,
    /// The bytes the store may take; no limit where there is none.
    pub memory: Option<usize>,
    /// The states it may hold; as many as it can number where there is no limit.
    pub states: Option<u64>,
    /// How states are compared that stand for many at once. Stores other than
    /// [`covering`] look for equal ones only.
    pub cover: Option<&'a dyn Cover>,
}

impl StoreConfig<'_> {
    /// The states it may hold, of a store that could hold `numbers`.
    fn most(&self, numbers: usize) -> usize {
        let asked = self.states.and_then(|states| usize::try_from(states).ok());
        asked.map_or(numbers, |states| states.min(numbers))
    }
}

/// The states a store can number: [`Id::NONE`] is not one of them.
const NUMBERS: usize = Id::NONE.0 as usize;

/// Makes a store from its configuration and its call in an expression.
pub type StoreBuilder = for<'a> fn(&StoreConfig<'a>, &Call) -> Result<Box<dyn Store + 'a>, String>;

/// All stores. The first is the default.
pub const STORES: &[Row<StoreBuilder>] =
    &[exact::ROW, tree::ROW, bitstate::ROW, hash_compact::ROW, covering::ROW];

const NO_MEMORY: &str = "there is not enough memory for an empty store";

/// Makes the store that `call` names, or says what is wrong with it.
pub fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    (catalogue::find(STORES, Kind::Store, &call.name)?.build)(config, call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::Visit;
    use homing_core::hash::hash_words;

    /// With as many states as it has numbers for, a store is full for others.
    fn fills_up_at_three(mut store: impl std::ops::DerefMut<Target = impl Store + ?Sized>) {
        let mut visit = |n: u64| store.visit(&[n], hash_words(&[n]), Id::NONE, 0);
        for n in 0..3 {
            assert_eq!(visit(n), Visit::New(Id(n as u32)));
        }
        assert_eq!(visit(3), Visit::Full);
        assert!(matches!(visit(2), Visit::Known(_)));
        assert_eq!(visit(4), Visit::Full);
        assert_eq!(store.len(), 3);
    }

    #[test]
    fn a_store_without_numbers_left_is_full() {
        let config = StoreConfig { width: 1, ..StoreConfig::default() };
        let mut exact = exact::Exact::new(arena::Fixed::<1>, &config).unwrap();
        exact.most = 3;
        fills_up_at_three(Box::new(exact));
        let mut tree = tree::Tree::new(&config).unwrap();
        tree.most = 3;
        fills_up_at_three(Box::new(tree));
        let mut bitstate = bitstate::Bitstate::new(20, 3, &config).unwrap();
        bitstate.most = 3;
        fills_up_at_three(Box::new(bitstate));
        let mut hash_compact = hash_compact::HashCompact::new(64, &config).unwrap();
        hash_compact.most = 3;
        fills_up_at_three(Box::new(hash_compact));
        let mut covering = covering::Covering::new(&config).unwrap();
        covering.most = 3;
        fills_up_at_three(Box::new(covering));
    }

    #[test]
    fn a_limit_on_states_is_met_exactly() {
        let config = StoreConfig { width: 1, states: Some(3), ..StoreConfig::default() };
        for row in STORES {
            let call = Call { name: row.name.into(), arguments: Vec::new() };
            fills_up_at_three(build(&config, &call).unwrap());
        }
    }
}
