//! The colours of states and gates: bits in the notes of a stored state.

use std::sync::atomic::{AtomicU64, Ordering};

/// The most workers: as many as have bits of their own.
pub(crate) const WORKERS: usize = 14;

/// Colours of all workers: of the state, and the next bit of its gate.
pub(super) const ENTERED: u64 = 1;
pub(super) const BLUE: Both = Both(1 << 1);
pub(super) const RED: Both = Both(1 << 3);

/// The first bit of the first worker, and how many each has.
const OWN: usize = 8;
const EACH: usize = 4;

/// A colour of a state; that of its gate is the next bit.
#[derive(Clone, Copy)]
pub(super) struct Both(u64);

impl Both {
    /// Of the state, or of its gate.
    #[inline(always)]
    pub(super) fn of(self, gate: bool) -> u64 {
        self.0 << u64::from(gate)
    }
}

/// The colours that a worker alone sees.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// On the path of its blue search.
    pub cyan: Both,
    /// In the region of its red search.
    pub region: Both,
}

impl Own {
    pub(super) fn new(worker: usize) -> Own {
        let first = OWN + EACH * worker;
        Own { cyan: Both(1 << first), region: Both(1 << (first + 2)) }
    }
}

/// Whether the notes say so.
#[inline(always)]
pub(super) fn has(notes: &AtomicU64, colour: u64) -> bool {
    notes.load(Ordering::Acquire) & colour != 0
}

/// Colours a state. Answers whether it had none of these colours.
#[inline(always)]
pub(super) fn colour(notes: &AtomicU64, colour: u64) -> bool {
    notes.fetch_or(colour, Ordering::AcqRel) & colour == 0
}

/// Takes colours away.
#[inline(always)]
pub(super) fn clear(notes: &AtomicU64, colour: u64) {
    notes.fetch_and(!colour, Ordering::AcqRel);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_colours_share_a_bit() {
        let own = (0..WORKERS).map(Own::new).flat_map(|own| [own.cyan, own.region]);
        let both = own.chain([BLUE, RED]).flat_map(|both| [both.of(false), both.of(true)]);
        let all: Vec<u64> = both.chain([ENTERED]).collect();
        assert_eq!(all.iter().fold(0, |sum, bit| sum ^ bit).count_ones() as usize, all.len());
        assert!(all.iter().all(|bit| bit.count_ones() == 1));
    }
}
