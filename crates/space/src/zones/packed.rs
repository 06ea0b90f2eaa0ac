//! Zones as they are stored: a few bits a bound, compared a word at a time.
//!
//! A bound takes a *lane* of the same number of bits, as few as the greatest
//! finite bound needs after extrapolation, and one more: the lane's highest bit is
//! zero. Lanes hold the bound plus a bias, so that they are not negative, and
//! one more than all others for no bound. With H the highest bits of all lanes,
//!
//! ```text
//! (large | H) − small
//! ```
//! takes each lane of `small` from the same lane of `large` at once: no lane
//! borrows from its neighbour, and its highest bit stays set where large ≥
//! small. All of them set: inclusion. (Lamport, "Multiple byte processing with
//! full-word instructions", CACM 1975.)
//!
//! The diagonal is left out; bits that no lane uses are zero.

use homing_core::Word;

use crate::zones::dbm::{Bound, Dbm, INFINITY, ZERO};

/// How zones of one space are stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packing {
    dimension: usize,
    /// Bits of a lane.
    bits: u32,
    /// Lanes of a word.
    per_word: u32,
    /// The greatest finite bound; the least is its negation.
    limit: Bound,
    /// The highest bits of all lanes.
    high: Word,
    words: usize,
}

impl Packing {
    /// For zones of so many clocks whose finite bounds lie within ±`limit`.
    pub fn new(clocks: usize, limit: Bound) -> Packing {
        let dimension = clocks + 1;
        // −limit ..= limit, no bound, and the lane's highest bit.
        let values = 2 * i64::from(limit) + 2;
        let bits = 64 - (values - 1).leading_zeros() + 1;
        let per_word = 64 / bits;
        let high = (0..per_word).map(|lane| 1 << (lane * bits + bits - 1)).sum();
        let words = (dimension * clocks).div_ceil(per_word as usize);
        Packing { dimension, bits, per_word, limit, high, words }
    }

    /// The words of a zone.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The greatest finite bound that fits.
    pub fn limit(&self) -> Bound {
        self.limit
    }

    /// Writes a zone whose bounds fit.
    pub fn pack(&self, zone: &Dbm, out: &mut [Word]) {
        let (mut word, mut shift, mut at) = (0, 0, 0);
        for row in off_diagonal(zone.bounds(), self.dimension) {
            for bound in row.iter() {
                word |= self.lane(*bound) << shift;
                shift += self.bits;
                if shift + self.bits > 64 {
                    out[at] = word;
                    (word, shift, at) = (0, 0, at + 1);
                }
            }
        }
        if shift > 0 {
            out[at] = word;
        }
    }

    #[inline(always)]
    fn lane(&self, bound: Bound) -> Word {
        debug_assert!(bound == INFINITY || (-self.limit..=self.limit).contains(&bound));
        let bound = i64::from(bound).min(i64::from(self.limit) + 1);
        (bound + i64::from(self.limit)) as Word
    }

    /// Reads a zone.
    pub fn unpack(&self, words: &[Word], zone: &mut Dbm) {
        let n = self.dimension;
        let (mask, infinite) = ((1 << self.bits) - 1, 2 * i64::from(self.limit) + 1);
        let (mut left, mut at) = (0, 0);
        let mut word = 0;
        let bounds = zone.bounds_mut();
        bounds[0] = ZERO;
        // Between two places of the diagonal lie n others.
        for row in bounds[1..].chunks_exact_mut(n + 1) {
            for bound in &mut row[..n] {
                if left == 0 {
                    (word, left, at) = (words[at], self.per_word, at + 1);
                }
                let lane = (word & mask) as i64;
                *bound = if lane == infinite { INFINITY } else { (lane - infinite / 2) as Bound };
                word >>= self.bits;
                left -= 1;
            }
            row[n] = ZERO;
        }
    }

    /// The bound on xᵢ − xⱼ, i ≠ j.
    #[inline]
    pub fn bound(&self, words: &[Word], i: usize, j: usize) -> Bound {
        let (word, low) = self.place((i, j));
        let lane = (words[word] >> low & ((1 << self.bits) - 1)) as i64;
        let infinite = 2 * i64::from(self.limit) + 1;
        if lane == infinite { INFINITY } else { (lane - infinite / 2) as Bound }
    }

    /// Exchanges two clocks.
    pub fn swap(&self, words: &mut [Word], a: usize, b: usize) {
        let mut exchange = |one: (usize, usize), other: (usize, usize)| {
            let ((from, low), (to, high)) = (self.place(one), self.place(other));
            let mask = (1 << self.bits) - 1;
            let difference = (words[from] >> low ^ words[to] >> high) & mask;
            words[from] ^= difference << low;
            words[to] ^= difference << high;
        };
        exchange((a, b), (b, a));
        for other in (0..self.dimension).filter(|other| *other != a && *other != b) {
            exchange((a, other), (b, other));
            exchange((other, a), (other, b));
        }
    }

    /// The word and the lowest bit of the lane of xᵢ − xⱼ, i ≠ j.
    #[inline(always)]
    fn place(&self, (i, j): (usize, usize)) -> (usize, u32) {
        // Each row before, and the place on the diagonal of this one, if it
        // came before, is one place less.
        let lane = (i * (self.dimension - 1) + j - usize::from(j > i)) as u32;
        ((lane / self.per_word) as usize, lane % self.per_word * self.bits)
    }

    /// Whether all of the zone `small` lies in `large`.
    #[inline]
    pub fn includes(&self, large: &[Word], small: &[Word]) -> bool {
        let high = self.high;
        large.iter().zip(small).all(|(large, small)| ((large | high) - small) & high == high)
    }
}

/// What lies between the places of the diagonal.
fn off_diagonal(bounds: &[Bound], dimension: usize) -> impl Iterator<Item = &[Bound]> {
    bounds[1..].chunks_exact(dimension + 1).map(move |row| &row[..dimension])
}
