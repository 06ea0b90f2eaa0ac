//! Operations on functions, by recursion over levels, results remembered.
//!
//! The recursion is as deep as there are variables, whose number
//! [`encode`](crate::encode) bounds.
//!
//! Variables come in pairs: an even level holds a bit of the current state, the odd level
//! behind it the same bit of the next. [`Kernel::next`] and [`Kernel::previous`] are image
//! and preimage in one recursion (van Dijk, van de Pol, "Sylvan", TACAS 2015, `relnext`):
//!
//! ```text
//! next(set, relation, written):             written: the pairs that the relation binds
//!   set or relation false: false            all others stay as they are
//!   written empty: set and relation
//!   x, x' := the first pair of set and relation
//!   x not written: x ? next(set(x), relation(x)) : next(set(not x), relation(not x))
//!   x written: for b in true, false:
//!     way(b) := next(set(x), relation(x, x'=b)) or next(set(not x), relation(not x, x'=b))
//!     result: x ? way(true) : way(false)
//! ```
//! The preimage is the same with the roles of `x` and `x'` in the set exchanged. So
//! neither frame conditions nor the renaming of variables costs a pass of its own.

use homing_budget::Stop;

use super::kernel::{BOTTOM, Edge, Kernel};

type Made = Result<Edge, Stop>;

const AND: u32 = 1;
const XOR: u32 = 2;
const ITE: u32 = 3;
const EXISTS: u32 = 4;
const NEXT: u32 = 5;
const PREVIOUS: u32 = 6;
const AND_EXISTS: u32 = 7;
const LATER: u32 = 8;
const SOONER: u32 = 9;
const WRITTEN: u32 = 10;

impl Kernel {
    /// Both.
    pub(crate) fn and(&mut self, f: Edge, g: Edge) -> Made {
        if f == g || g == Edge::TRUE {
            return Ok(f);
        }
        if f == Edge::TRUE {
            return Ok(g);
        }
        if f == g.not() || f == Edge::FALSE || g == Edge::FALSE {
            return Ok(Edge::FALSE);
        }
        let key = [f.min(g), f.max(g), Edge::TRUE];
        if let Some(known) = self.recall(AND, key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let high = self.and(f1, g1)?;
        let low = self.and(f0, g0)?;
        let result = self.make(level, high, low)?;
        self.note(AND, key, result);
        Ok(result)
    }

    /// Either.
    pub(crate) fn or(&mut self, f: Edge, g: Edge) -> Made {
        Ok(self.and(f.not(), g.not())?.not())
    }

    /// Just one.
    pub(crate) fn xor(&mut self, f: Edge, g: Edge) -> Made {
        if f.is_constant() {
            return Ok(g.not_if(f == Edge::TRUE));
        }
        if g.is_constant() {
            return Ok(f.not_if(g == Edge::TRUE));
        }
        if f.node() == g.node() {
            return Ok(if f == g { Edge::FALSE } else { Edge::TRUE });
        }
        let complement = f.is_complemented() != g.is_complemented();
        let plain = |edge: Edge| edge.not_if(edge.is_complemented());
        let (f, g) = (plain(f).min(plain(g)), plain(f).max(plain(g)));
        let key = [f, g, Edge::TRUE];
        if let Some(known) = self.recall(XOR, key) {
            return Ok(known.not_if(complement));
        }
        self.step()?;
        let level = self.level(f).min(self.level(g));
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let high = self.xor(f1, g1)?;
        let low = self.xor(f0, g0)?;
        let result = self.make(level, high, low)?;
        self.note(XOR, key, result);
        Ok(result.not_if(complement))
    }

    /// The second where the first holds, else the third.
    pub(crate) fn ite(&mut self, f: Edge, g: Edge, h: Edge) -> Made {
        match (f, g, h) {
            _ if f == Edge::TRUE || g == h => return Ok(g),
            _ if f == Edge::FALSE => return Ok(h),
            _ if g == h.not() => return Ok(self.xor(f, g)?.not()),
            _ if g == Edge::TRUE || g == f => return self.or(f, h),
            _ if g == Edge::FALSE || g == f.not() => return self.and(f.not(), h),
            _ if h == Edge::FALSE || h == f => return self.and(f, g),
            _ if h == Edge::TRUE || h == f.not() => return self.or(f.not(), g),
            _ => {}
        }
        let (f, g, h) = if f.is_complemented() { (f.not(), h, g) } else { (f, g, h) };
        let complement = g.is_complemented();
        let (g, h) = (g.not_if(complement), h.not_if(complement));
        if let Some(known) = self.recall(ITE, [f, g, h]) {
            return Ok(known.not_if(complement));
        }
        self.step()?;
        let level = self.level(f).min(self.level(g)).min(self.level(h));
        let (f1, f0) = self.cofactors(f, level);
        let ((g1, g0), (h1, h0)) = (self.cofactors(g, level), self.cofactors(h, level));
        let high = self.ite(f1, g1, h1)?;
        let low = self.ite(f0, g0, h0)?;
        let result = self.make(level, high, low)?;
        self.note(ITE, [f, g, h], result);
        Ok(result.not_if(complement))
    }

    /// What is left of a cube from this level on.
    fn below(&self, mut cube: Edge, level: u32) -> Edge {
        while self.level(cube) < level {
            cube = self.cofactors(cube, self.level(cube)).0;
        }
        cube
    }

    /// Where it holds for some values of the variables of a cube.
    pub(crate) fn exists(&mut self, f: Edge, cube: Edge) -> Made {
        let level = self.level(f);
        let cube = self.below(cube, level);
        if f.is_constant() || cube.is_constant() {
            return Ok(f);
        }
        let key = [f, cube, Edge::TRUE];
        if let Some(known) = self.recall(EXISTS, key) {
            return Ok(known);
        }
        self.step()?;
        let (f1, f0) = self.cofactors(f, level);
        let high = self.exists(f1, cube)?;
        let result = if self.level(cube) != level {
            let low = self.exists(f0, cube)?;
            self.make(level, high, low)?
        } else if high == Edge::TRUE {
            high
        } else {
            let low = self.exists(f0, cube)?;
            self.or(high, low)?
        };
        self.note(EXISTS, key, result);
        Ok(result)
    }

    /// Where both hold for some values of the variables of a cube.
    pub(crate) fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Made {
        if f == Edge::FALSE || g == Edge::FALSE || f == g.not() {
            return Ok(Edge::FALSE);
        }
        if f == Edge::TRUE || f == g {
            return self.exists(g, cube);
        }
        if g == Edge::TRUE {
            return self.exists(f, cube);
        }
        let level = self.level(f).min(self.level(g));
        let cube = self.below(cube, level);
        if cube.is_constant() {
            return self.and(f, g);
        }
        let key = [f.min(g), f.max(g), cube];
        if let Some(known) = self.recall(AND_EXISTS, key) {
            return Ok(known);
        }
        self.step()?;
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, level), self.cofactors(g, level));
        let high = self.and_exists(f1, g1, cube)?;
        let result = if self.level(cube) != level {
            let low = self.and_exists(f0, g0, cube)?;
            self.make(level, high, low)?
        } else if high == Edge::TRUE {
            high
        } else {
            let low = self.and_exists(f0, g0, cube)?;
            self.or(high, low)?
        };
        self.note(AND_EXISTS, key, result);
        Ok(result)
    }

    /// A function of current bits as one of next bits, or the other way round. It must not
    /// depend on both bits of a pair.
    pub(crate) fn moved(&mut self, f: Edge, later: bool) -> Made {
        if f.is_constant() {
            return Ok(f);
        }
        let complement = f.is_complemented();
        let f = f.not_if(complement);
        let operation = if later { LATER } else { SOONER };
        let key = [f, Edge::TRUE, Edge::TRUE];
        if let Some(known) = self.recall(operation, key) {
            return Ok(known.not_if(complement));
        }
        self.step()?;
        let level = self.level(f);
        let (high, low) = self.cofactors(f, level);
        let (high, low) = (self.moved(high, later)?, self.moved(low, later)?);
        let result = self.make(level & !1 | u32::from(later), high, low)?;
        self.note(operation, key, result);
        Ok(result.not_if(complement))
    }

    /// A function of current bits in which those of the pairs in a cube are the next ones.
    pub(crate) fn written(&mut self, f: Edge, cube: Edge) -> Made {
        let level = self.level(f);
        let cube = self.below(cube, level);
        if f.is_constant() || cube.is_constant() {
            return Ok(f);
        }
        let key = [f, cube, Edge::TRUE];
        if let Some(known) = self.recall(WRITTEN, key) {
            return Ok(known);
        }
        self.step()?;
        let (high, low) = self.cofactors(f, level);
        let (high, low) = (self.written(high, cube)?, self.written(low, cube)?);
        let later = u32::from(self.level(cube) == level);
        let result = self.make(level + later, high, low)?;
        self.note(WRITTEN, key, result);
        Ok(result)
    }

    /// The four ways of a relation at a pair of variables, from the value that a set is asked
    /// for to the other: true and true, true and false, false and true, false and false.
    fn ways<const BACKWARDS: bool>(&self, relation: Edge, base: u32) -> [Edge; 4] {
        let (r1, r0) = self.cofactors(relation, base);
        let ((r11, r10), (r01, r00)) = (self.cofactors(r1, base + 1), self.cofactors(r0, base + 1));
        if BACKWARDS { [r11, r01, r10, r00] } else { [r11, r10, r01, r00] }
    }

    /// The states that a relation leads to from a set.
    pub(crate) fn next(&mut self, set: Edge, relation: Edge, written: Edge) -> Made {
        self.image::<false>(set, relation, written)
    }

    /// The states from which a relation leads into a set.
    pub(crate) fn previous(&mut self, set: Edge, relation: Edge, written: Edge) -> Made {
        self.image::<true>(set, relation, written)
    }

    /// Both: a relation is a set of pairs, read from one side or from the other. What is not
    /// written stays as it is, and the relation says nothing of it afterwards.
    fn image<const BACKWARDS: bool>(&mut self, set: Edge, relation: Edge, written: Edge) -> Made {
        if set == Edge::FALSE || relation == Edge::FALSE {
            return Ok(Edge::FALSE);
        }
        let base = self.level(set).min(self.level(relation)) & !1;
        let written = self.below(written, base);
        if base == BOTTOM & !1 || written.is_constant() {
            return self.and(set, relation);
        }
        let operation = if BACKWARDS { PREVIOUS } else { NEXT };
        let key = [set, relation, written];
        if let Some(known) = self.recall(operation, key) {
            return Ok(known);
        }
        self.step()?;
        let (s1, s0) = self.cofactors(set, base);
        let [r11, r10, r01, r00] = self.ways::<BACKWARDS>(relation, base);
        let stay = self.image::<BACKWARDS>(s1, r11, written)?;
        let result = if self.level(written) == base {
            let come = self.image::<BACKWARDS>(s0, r01, written)?;
            let high = self.or(stay, come)?;
            let go = self.image::<BACKWARDS>(s1, r10, written)?;
            let stay = self.image::<BACKWARDS>(s0, r00, written)?;
            let low = self.or(go, stay)?;
            self.make(base, high, low)?
        } else {
            let low = self.image::<BACKWARDS>(s0, r00, written)?;
            self.make(base, stay, low)?
        };
        self.note(operation, key, result);
        Ok(result)
    }
}
