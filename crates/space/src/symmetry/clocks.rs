//! The clocks of interchangeable processes, in packed zones.
//!
//! Hendriks et al. (2003), see `homing_ir::symmetry`: where processes are
//! exchanged, the rows and columns of the matrix go with them. They sort by the
//! order of clocks, which a zone of theirs decides whenever two were set one after
//! the other. Here, so that any zone will do, processes that nothing discrete
//! tells apart are sorted by what is known of each clock x of theirs:
//!
//! ```text
//! of how many of the others' clocks y is known that x ≤ y
//! the bounds of x
//! all bounds on differences with x, added up in a way that forgets the others' order
//! ```
//! The first comes first because it stays when a zone becomes larger in most cases:
//! of two zones, one within the other, both are then sorted alike, and the smaller
//! one is found to be superfluous.

use homing_core::Word;
use homing_core::hash::hash_words;

use crate::zones::dbm::ZERO;
use crate::zones::packed::Packing;

/// Where the zone is in a state.
#[derive(Clone)]
pub(super) struct Zone {
    pub packing: Packing,
    /// Its first word.
    pub from: usize,
}

impl Zone {
    /// Exchanges two clocks.
    pub fn swap(&self, state: &mut [Word], a: usize, b: usize) {
        self.packing.swap(&mut state[self.from..], a, b);
    }

    /// What keys say of these clocks, one of each process.
    pub fn hints(&self, clocks: Vec<usize>) -> [ClockHint; 4] {
        [What::Rank, What::Upper, What::Lower, What::Relations].map(|what| ClockHint {
            zone: self.clone(),
            clocks: clocks.clone(),
            what,
        })
    }
}

/// A column of the keys of processes.
pub(super) struct ClockHint {
    zone: Zone,
    /// One of each process.
    clocks: Vec<usize>,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Rank,
    Upper,
    Lower,
    Relations,
}

impl ClockHint {
    pub fn of(&self, process: usize, state: &[Word]) -> i64 {
        let zone = &state[self.zone.from..];
        let clock = self.clocks[process];
        let bound = |a: usize, b: usize| self.zone.packing.bound(zone, a, b);
        let others = || self.clocks.iter().copied().filter(|other| *other != clock);
        match self.what {
            What::Rank => others().filter(|other| bound(clock, *other) <= ZERO).count() as i64,
            What::Upper => i64::from(bound(clock, 0)),
            What::Lower => i64::from(bound(0, clock)),
            What::Relations => {
                let mixed = others().map(|other| mix(bound(clock, other), bound(other, clock)));
                mixed.fold(0, u64::wrapping_add) as i64
            }
        }
    }
}

/// A number for two bounds.
fn mix(one: i32, other: i32) -> u64 {
    hash_words(&[u64::from(one as u32) << 32 | u64::from(other as u32)])
}
