//! Unions of zones, and what is left of them when others are taken away.
//!
//! Subtraction as in David, Håkansson, Larsen, Pettersson, "Model Checking
//! Timed Automata with Priorities Using DBM Subtraction" (FORMATS 2006), there
//! for priorities and deadlocks:
//!
//! ```text
//! Z − Z′:  for each bound b of Z′ that Z does not imply:
//!            give Z ∧ ¬b          (disjoint from all that is given later)
//!            Z := Z ∧ b
//! ```
//! Nothing is given, and Z kept whole, where two bounds show that the zones
//! have nothing in common. Bounds are taken in the order of the matrix; their
//! order of choice is not optimised.

use crate::zones::dbm::{Dbm, INFINITY, negation};

/// A union of zones. Keeps the memory of zones it held before.
#[derive(Clone, Debug, Default)]
pub struct Federation {
    zones: Vec<Dbm>,
    len: usize,
}

impl Federation {
    /// No zone.
    pub fn new() -> Federation {
        Federation::default()
    }

    /// The zones.
    pub fn zones(&self) -> &[Dbm] {
        &self.zones[..self.len]
    }

    /// The zones, to be changed; none may become empty.
    pub fn zones_mut(&mut self) -> &mut [Dbm] {
        &mut self.zones[..self.len]
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes all zones out.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a zone that is not empty.
    pub fn push(&mut self, zone: &Dbm) {
        match self.zones.get_mut(self.len) {
            Some(free) => free.copy_from(zone),
            None => self.zones.push(zone.clone()),
        }
        self.len += 1;
    }

    /// Takes the last zone out, where there is one.
    fn pop(&mut self, into: &mut Dbm) -> bool {
        if self.len == 0 {
            return false;
        }
        self.len -= 1;
        into.copy_from(&self.zones[self.len]);
        true
    }

    /// Takes away what lies in `zone`. `work` and `scratch` are memory.
    pub fn subtract(&mut self, zone: &Dbm, work: &mut Federation, scratch: &mut Subtraction) {
        std::mem::swap(self, work);
        self.clear();
        while work.pop(&mut scratch.rest) {
            scratch.take_away(zone, self);
        }
    }
}

/// Memory of a subtraction.
#[derive(Clone, Debug)]
pub struct Subtraction {
    rest: Dbm,
    piece: Dbm,
}

impl Subtraction {
    /// For zones of so many clocks.
    pub fn new(clocks: usize) -> Subtraction {
        Subtraction { rest: Dbm::zero(clocks), piece: Dbm::zero(clocks) }
    }

    /// Adds the pieces of `self.rest − zone` to `out`.
    fn take_away(&mut self, zone: &Dbm, out: &mut Federation) {
        if !self.rest.may_meet(zone) {
            return out.push(&self.rest);
        }
        let n = zone.dimension();
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let bound = zone.at(i, j);
                if bound == INFINITY || self.rest.at(i, j) <= bound {
                    continue;
                }
                self.piece.copy_from(&self.rest);
                if self.piece.constrain(j, i, negation(bound)) {
                    out.push(&self.piece);
                }
                if !self.rest.constrain(i, j, bound) {
                    return;
                }
            }
        }
    }
}
