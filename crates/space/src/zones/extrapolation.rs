//! Zones extrapolated by the constants that clocks are compared with.
//!
//! Behrmann, Bouyer, Larsen, Pelánek, "Lower and upper bounds in zone-based
//! abstractions of timed automata" (STTT 8, 2006). With L(x) and U(x) the
//! greatest constants in lower bounds (x > c) and upper bounds (x < c) that may
//! still be met, `D[i,j]` = (c, ≺) becomes
//!
//! ```text
//! Extra_LU   ∞          if  c > L(xᵢ)
//!            (−U(xⱼ),<) if −c > U(xⱼ)
//! Extra+_LU  ∞          if  c > L(xᵢ)
//!            ∞          if −D[0,i] > L(xᵢ)
//!            ∞          if −D[0,j] > U(xⱼ), i ≠ 0
//!            (−U(xⱼ),<) if −D[0,j] > U(xⱼ), i = 0
//! ```
//! and the matrix is closed again. Extra_M and Extra+_M are the same with the
//! greater of L and U in place of both. The extrapolated zone holds only values that
//! the old one simulates (LU), or is bisimilar to (M), and there are finitely
//! many extrapolated zones. Only for automata without diagonal constraints; see
//! `zones::diagonals` for the others.
//!
//! A clock with neither bound ([`NEVER`]) is forgotten: active-clock reduction
//! (Daws, Yovine, "Reducing the number of clock variables of timed automata",
//! 1996) comes for free.

use crate::zones::dbm::{Bound, Dbm, INFINITY, ZERO, constant, less_than};

/// How zones are extrapolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extrapolation {
    /// Not at all: the space may be infinite.
    None,
    /// By the greatest constants.
    M,
    /// The same, and more where a clock is beyond them for certain.
    MPlus,
    /// By the greatest constants in lower and in upper bounds.
    Lu,
    /// The same, and more where a clock is beyond them for certain.
    #[default]
    LuPlus,
}

impl Extrapolation {
    /// Whether lower and upper bounds are told apart.
    pub fn tells_bounds_apart(self) -> bool {
        matches!(self, Extrapolation::Lu | Extrapolation::LuPlus)
    }

    /// Whether the rules with a plus are meant.
    pub fn has_plus(self) -> bool {
        matches!(self, Extrapolation::MPlus | Extrapolation::LuPlus)
    }
}

/// In place of a constant, −∞: the clock is not compared so.
pub const NEVER: i32 = i32::MIN / 4;

/// The greatest constants of one state: by clock, [`NEVER`] where there are
/// none; the first of each is that of 0, zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Constants {
    /// L, of lower bounds.
    pub lower: Vec<i32>,
    /// U, of upper bounds.
    pub upper: Vec<i32>,
}

impl Constants {
    /// None for any of so many clocks.
    pub fn none(clocks: usize) -> Constants {
        let mut lower = vec![NEVER; clocks + 1];
        lower[0] = 0;
        Constants { upper: lower.clone(), lower }
    }

    /// Raises all to those of `other`.
    #[inline]
    pub fn raise(&mut self, lower: &[i32], upper: &[i32]) {
        for (mine, theirs) in self.lower.iter_mut().zip(lower) {
            *mine = (*mine).max(*theirs);
        }
        for (mine, theirs) in self.upper.iter_mut().zip(upper) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Takes the greater of both for either.
    pub fn merge(&mut self) {
        for (lower, upper) in self.lower.iter_mut().zip(&mut self.upper) {
            let greatest = (*lower).max(*upper);
            (*lower, *upper) = (greatest, greatest);
        }
    }
}

/// Extra_LU, closed.
pub fn extra(zone: &mut Dbm, constants: &Constants) {
    let n = zone.dimension();
    let bounds = zone.bounds_mut();
    let mut changed = false;
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            let bound = bounds[i * n + j];
            let beyond = i != 0 && constant(bound) > constants.lower[i];
            let wide = if bound == INFINITY || beyond {
                INFINITY
            } else if j != 0 && -constant(bound) > constants.upper[j] {
                below(i, constants.upper[j])
            } else {
                bound
            };
            changed |= wide != bound;
            bounds[i * n + j] = wide;
        }
    }
    if changed {
        zone.close();
    }
}

/// Extra+_LU, closed.
pub fn extra_plus(zone: &mut Dbm, constants: &Constants) {
    let n = zone.dimension();
    let bounds = zone.bounds_mut();
    let (first, rows) = bounds.split_at_mut(n);
    let mut changed = false;
    for (i, row) in (1..n).zip(rows.chunks_exact_mut(n)) {
        let lower = constants.lower[i];
        let beyond = -constant(first[i]) > lower;
        for (j, bound) in row.iter_mut().enumerate() {
            if *bound == INFINITY || j == i {
                continue;
            }
            if beyond
                || constant(*bound) > lower
                || j != 0 && -constant(first[j]) > constants.upper[j]
            {
                *bound = INFINITY;
                changed = true;
            }
        }
    }
    for (bound, upper) in first.iter_mut().zip(&constants.upper).skip(1) {
        if -constant(*bound) > *upper {
            *bound = below(0, *upper);
            changed = true;
        }
    }
    if changed {
        zone.close();
    }
}

/// The bound (−U, <) on xᵢ − xⱼ; where there is no constant, no bound but that
/// no clock is negative.
fn below(i: usize, upper: i32) -> Bound {
    match (upper < 0, i) {
        (false, _) => less_than(-upper),
        (true, 0) => ZERO,
        (true, _) => INFINITY,
    }
}

/// Loosens bounds beyond ±`limit` so that no sum overflows, and closes. Zones
/// that are not extrapolated otherwise grow without end.
pub fn within(zone: &mut Dbm, limit: Bound) {
    let mut changed = false;
    for bound in zone.bounds_mut().iter_mut().filter(|bound| **bound != INFINITY) {
        let loose = if *bound > limit { INFINITY } else { (*bound).max(-limit) };
        changed |= loose != *bound;
        *bound = loose;
    }
    if changed {
        zone.close();
    }
}
