//! When a zone makes another one superfluous.
//!
//! Herbreteau, Srivathsan, Walukiewicz, "Better abstractions for timed
//! automata" (Information and Computation 251, 2016), theorem 34 and its proof:
//! Z ⊆ 𝔞≼LU(Z′), the values that some value of Z′ simulates, is decided without
//! computing that set, which is no zone. In the notation of [`Dbm`], Z is *not*
//! included if for some clocks x and y, either of which may be 0,
//!
//! ```text
//! D[0,x] ≥ (−U(x), ≤)   and   D′[y,x] < D[y,x]   and
//! D′[y,x] + (−L(y), <) < D[0,x]
//! ```
//! Two clocks are looked at a time: O(n²), as for plain inclusion, which is
//! tried first. With the greater of L and U in place of both it is 𝔞M.
//!
//! [`Dbm`]: crate::zones::dbm::Dbm

use homing_core::Word;

use crate::zones::dbm::{ZERO, add, at_most, less_than};
use crate::zones::packed::Packing;

/// When a zone makes another one superfluous.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Subsumption {
    /// Where it includes it.
    Inclusion,
    /// Where its values are bisimilar to all of the other's.
    Am,
    /// Where its values simulate all of the other's.
    #[default]
    Alu,
}

/// Whether the values of the zone `large` simulate all of `small`, with L and U
/// by clock.
pub fn simulates(
    packing: &Packing,
    large: &[Word],
    small: &[Word],
    lower: &[i32],
    upper: &[i32],
) -> bool {
    let n = lower.len();
    let at = |words: &[Word], i: usize, j: usize| match i == j {
        true => ZERO,
        false => packing.bound(words, i, j),
    };
    (0..n).all(|x| {
        let upper = upper[x];
        let least = at(small, 0, x);
        if upper < 0 || least < at_most(-upper) {
            return true;
        }
        (0..n).filter(|y| *y != x).all(|y| {
            let bound = at(large, y, x);
            let lower = lower[y];
            bound >= at(small, y, x) || lower < 0 || add(bound, less_than(-lower)) >= least
        })
    })
}
