//! Zones as difference bound matrices.
//!
//! Bengtsson, Yi, "Timed Automata: Semantics, Algorithms and Tools" (2004),
//! sections 4 and 5; Dill, "Timing Assumptions and Verification of
//! Finite-State Concurrent Systems" (1989).
//!
//! A zone is a set of clock values: all that satisfy a conjunction of bounds
//! xᵢ − xⱼ ≺ c. D has a row and a column for every clock and for 0, the clock
//! that is always zero; `D[i,j]` bounds xᵢ − xⱼ. Every matrix here is *closed*
//! (canonical): no bound can be tightened, `D[i,j]` ≤ `D[i,k]` + `D[k,j]`. Closed
//! matrices of the same zone are equal, and inclusion is ≤ on all entries.
//!
//! ```text
//! close(D)              for k, i, j: D[i,j] := min(D[i,j], D[i,k] + D[k,j])
//! and(D, xᵢ − xⱼ ≺ c)   if D[j,i] + c < 0: empty
//!                       D[i,j] := c
//!                       for p, q: D[p,q] := min(D[p,q], D[p,i] + c + D[j,q])
//! up(D)                 for i ≠ 0: D[i,0] := ∞
//! up(D), some stopped   for i that runs, j that stands still or is 0: D[i,j] := ∞
//! down(D)               for j ≠ 0: D[0,j] := min(0, min over i ≠ 0 of D[i,j])
//! reset(D, x := c)      for j: D[x,j] := D[0,j] + c; D[j,x] := D[j,0] − c
//! free(D, x)            for j ≠ x: D[x,j] := ∞; D[j,x] := D[j,0]
//! Z − Z′                for each bound b of Z′: give Z ∧ ¬b; Z := Z ∧ b
//! ```
//! A bound is one number, twice c, and one more where it is weak (≤): then
//! tighter bounds are smaller numbers. All but `close` and subtraction take at
//! most O(n²), and nothing here allocates once its memory is warm.
//!
//! Deviation: time that passes within invariants ([`Dbm::up_within`]) is one
//! operation. Upper bounds that hold before cannot tighten anything but the
//! column of upper bounds, so that no closing is needed.

/// An upper bound on a difference: `2c + 1` for ≤ c, `2c` for < c.
pub type Bound = i32;

/// No bound.
pub const INFINITY: Bound = i32::MAX;

/// At most zero.
pub const ZERO: Bound = 1;

/// The bound ≤ `constant`.
pub const fn at_most(constant: i32) -> Bound {
    2 * constant + 1
}

/// The bound < `constant`.
pub const fn less_than(constant: i32) -> Bound {
    2 * constant
}

/// The constant of a finite bound.
pub const fn constant(bound: Bound) -> i32 {
    bound >> 1
}

/// The bound of a sum of differences: weak where both are.
#[inline(always)]
pub fn add(a: Bound, b: Bound) -> Bound {
    if a == INFINITY || b == INFINITY { INFINITY } else { finite(a, b) }
}

#[inline(always)]
fn finite(a: Bound, b: Bound) -> Bound {
    a + b - ((a | b) & 1)
}

/// What holds where a finite bound on xᵢ − xⱼ does not: a bound on xⱼ − xᵢ.
pub const fn negation(bound: Bound) -> Bound {
    1 - bound
}

/// A zone that is not empty, unless the operation said so that made it; what
/// is empty may only be overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dbm {
    dimension: usize,
    bounds: Vec<Bound>,
}

impl Dbm {
    /// The zone of the point at which all `clocks` are zero.
    pub fn zero(clocks: usize) -> Dbm {
        Dbm { dimension: clocks + 1, bounds: vec![ZERO; (clocks + 1) * (clocks + 1)] }
    }

    /// The zone of all values.
    pub fn universe(clocks: usize) -> Dbm {
        let mut zone = Dbm::zero(clocks);
        zone.make_universe();
        zone
    }

    /// Becomes the zone of all values.
    pub fn make_universe(&mut self) {
        let n = self.dimension;
        self.bounds.fill(INFINITY);
        self.bounds[..n].fill(ZERO);
        (0..n).for_each(|i| self.bounds[i * n + i] = ZERO);
    }

    /// The number of clocks, and one for zero.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All bounds, row after row.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// All bounds, row after row; whoever changes them closes the matrix.
    pub fn bounds_mut(&mut self) -> &mut [Bound] {
        &mut self.bounds
    }

    /// The bound on xᵢ − xⱼ.
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> Bound {
        self.bounds[i * self.dimension + j]
    }

    #[inline(always)]
    fn set(&mut self, i: usize, j: usize, bound: Bound) {
        self.bounds[i * self.dimension + j] = bound;
    }

    /// Becomes the same zone as `other`.
    #[inline]
    pub fn copy_from(&mut self, other: &Dbm) {
        self.bounds.copy_from_slice(&other.bounds);
    }

    /// Tightens all bounds. Answers whether the zone is not empty.
    pub fn close(&mut self) -> bool {
        let n = self.dimension;
        for k in 0..n {
            for i in 0..n {
                let first = self.at(i, k);
                if i == k || first == INFINITY {
                    continue;
                }
                let (from, row) = two_rows(&mut self.bounds, n, k, i);
                tighten(row, first, from);
            }
        }
        (0..n).all(|i| self.at(i, i) >= ZERO)
    }

    /// Whether some value satisfies a bound on xᵢ − xⱼ.
    #[inline(always)]
    pub fn meets(&self, i: usize, j: usize, bound: Bound) -> bool {
        add(self.at(j, i), bound) >= ZERO
    }

    /// Keeps what satisfies a bound on xᵢ − xⱼ. Answers whether anything does.
    #[inline]
    pub fn constrain(&mut self, i: usize, j: usize, bound: Bound) -> bool {
        if bound >= self.at(i, j) {
            return true;
        }
        if i == j || !self.meets(i, j, bound) {
            return false;
        }
        let n = self.dimension;
        for p in 0..n {
            let before = self.at(p, i);
            // Where p → j gains nothing, nor does anything behind j; so it is
            // for p = j, as the zone is not empty.
            if before == INFINITY || finite(before, bound) >= self.at(p, j) {
                continue;
            }
            let first = finite(before, bound);
            let (from, row) = two_rows(&mut self.bounds, n, j, p);
            tighten(row, first, from);
        }
        true
    }

    /// Keeps what also lies in `other`. Answers whether anything does.
    pub fn intersect(&mut self, other: &Dbm) -> bool {
        let n = self.dimension;
        (0..n).all(|i| (0..n).all(|j| self.constrain(i, j, other.at(i, j))))
    }

    /// Whether `other` has a value that lies here too, for all that two bounds
    /// at a time can tell.
    pub fn may_meet(&self, other: &Dbm) -> bool {
        let n = self.dimension;
        (0..n).all(|i| (0..n).all(|j| self.meets(i, j, other.at(i, j))))
    }

    /// Lets time pass.
    pub fn up(&mut self) {
        (1..self.dimension).for_each(|i| self.set(i, 0, INFINITY));
    }

    /// Lets time pass while clocks satisfy upper bounds, which they all do now.
    pub fn up_within(&mut self, upper: &[(u32, Bound)]) {
        for i in 1..self.dimension {
            let last = |(clock, bound): &(u32, Bound)| add(self.at(i, *clock as usize), *bound);
            let bound = upper.iter().map(last).min().unwrap_or(INFINITY);
            self.set(i, 0, bound);
        }
    }

    /// Lets time pass for the clocks that do not stand still: what is known of those
    /// that do, and of 0, stays, and how far the others are ahead of them is not known
    /// any more. That is the smallest zone around what is really reached, which is no
    /// zone. It is closed: no path leads from a clock that runs to one that stands.
    pub fn up_running(&mut self, stands: &[bool]) {
        for i in (0..self.dimension).filter(|i| !stands[*i]) {
            for j in (0..self.dimension).filter(|j| stands[*j]) {
                self.set(i, j, INFINITY);
            }
        }
    }

    /// Adds the values from which time leads here.
    pub fn down(&mut self) {
        let n = self.dimension;
        for j in 1..n {
            let least = (1..n).map(|i| self.at(i, j)).min().unwrap_or(ZERO);
            self.set(0, j, least.min(ZERO));
        }
    }

    /// Sets a clock to a number.
    pub fn reset(&mut self, clock: usize, value: i32) {
        for j in 0..self.dimension {
            self.set(clock, j, add(self.at(0, j), at_most(value)));
            self.set(j, clock, add(self.at(j, 0), at_most(-value)));
        }
        self.set(clock, clock, ZERO);
    }

    /// Forgets what a clock shows.
    pub fn free(&mut self, clock: usize) {
        for j in (0..self.dimension).filter(|j| *j != clock) {
            self.set(clock, j, INFINITY);
            self.set(j, clock, self.at(j, 0));
        }
    }

    /// Becomes `source` after all clocks at once were assigned another's value
    /// (0 for none) plus a number: (base, offset) by clock, that of 0 being
    /// (0, 0).
    pub fn assign(&mut self, source: &Dbm, values: &[(u32, i32)]) {
        for (i, (base_i, offset_i)) in values.iter().enumerate() {
            for (j, (base_j, offset_j)) in values.iter().enumerate() {
                let before = source.at(*base_i as usize, *base_j as usize);
                self.set(i, j, add(before, at_most(offset_i - offset_j)));
            }
        }
    }

    /// Becomes the values from which such an assignment leads into `target`,
    /// clocks being what they may be. Answers whether there are any.
    pub fn unassign(&mut self, target: &Dbm, values: &[(u32, i32)]) -> bool {
        self.make_universe();
        for (i, (base_i, offset_i)) in values.iter().enumerate() {
            for (j, (base_j, offset_j)) in values.iter().enumerate() {
                let bound = add(target.at(i, j), at_most(offset_j - offset_i));
                if !self.constrain(*base_i as usize, *base_j as usize, bound) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether all of `other` lies here.
    pub fn includes(&self, other: &Dbm) -> bool {
        self.bounds.iter().zip(&other.bounds).all(|(large, small)| large >= small)
    }

    /// Whether it holds the point at which clocks show these multiples of one
    /// part in `unit`.
    pub fn contains(&self, point: &[i64], unit: i64) -> bool {
        let n = self.dimension;
        let value = |i: usize| if i == 0 { 0 } else { point[i - 1] };
        let satisfied = |i: usize, j: usize| {
            let (bound, difference) = (self.at(i, j), value(i) - value(j));
            let limit = i64::from(constant(bound)) * unit;
            bound == INFINITY || difference < limit || difference == limit && bound & 1 == 1
        };
        (0..n).all(|i| (0..n).all(|j| satisfied(i, j)))
    }
}

/// row := min(row, first + from), for a finite `first`.
#[inline(always)]
fn tighten(row: &mut [Bound], first: Bound, from: &[Bound]) {
    for (bound, second) in row.iter_mut().zip(from) {
        // Wrapping only where the sum is not used.
        let sum = first.wrapping_add(*second).wrapping_sub((first | *second) & 1);
        let sum = if *second == INFINITY { INFINITY } else { sum };
        *bound = (*bound).min(sum);
    }
}

/// One row to read and another to write.
#[inline(always)]
fn two_rows(bounds: &mut [Bound], n: usize, read: usize, write: usize) -> (&[Bound], &mut [Bound]) {
    if read < write {
        let (head, tail) = bounds.split_at_mut(write * n);
        (&head[read * n..read * n + n], &mut tail[..n])
    } else {
        let (head, tail) = bounds.split_at_mut(read * n);
        (&tail[..n], &mut head[write * n..write * n + n])
    }
}
