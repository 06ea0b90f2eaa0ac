//! Arithmetic on numbers whose bits are functions of a state.
//!
//! A number is in two's complement, the least significant bit first, the last bit its sign,
//! and as short as its values allow. Nothing is lost below 64 bits, and at 64 it wraps, as
//! terms do ([`homing_ir::evaluate`]).

use homing_budget::checkpoint;

use crate::diagram::{Diagrams, Made, Set};

/// A number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bits(Vec<Set>);

/// The most bits of a number.
const WIDTH: usize = 64;

impl Bits {
    /// From its bits, the sign last; there is at least one.
    pub(crate) fn new(mut bits: Vec<Set>) -> Bits {
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        Bits(bits)
    }

    /// What is left of it at 64 bits.
    fn wrapped(mut self) -> Bits {
        self.0.truncate(WIDTH);
        Bits::new(self.0)
    }

    /// One bit, wherever it is: those beyond the sign are like it.
    pub(crate) fn bit(&self, at: usize) -> &Set {
        &self.0[at.min(self.0.len() - 1)]
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn sign(&self) -> &Set {
        &self.0[self.0.len() - 1]
    }
}

/// What computes with numbers.
#[derive(Clone, Copy)]
pub(crate) struct Arithmetic<'d>(pub(crate) &'d Diagrams);

impl<'d> Arithmetic<'d> {
    /// The same number everywhere.
    pub(crate) fn constant(self, value: i64) -> Bits {
        Bits::new((0..WIDTH).map(|at| self.0.constant(value >> at & 1 == 1)).collect())
    }

    /// One where a set is, zero elsewhere.
    pub(crate) fn truth(self, set: Set) -> Bits {
        Bits::new(vec![set, self.0.constant(false)])
    }

    /// A number that is not negative, of these bits.
    pub(crate) fn unsigned(self, mut bits: Vec<Set>) -> Bits {
        bits.push(self.0.constant(false));
        Bits::new(bits)
    }

    /// Where it is not zero.
    pub(crate) fn is_true(self, one: &Bits) -> Made<Set> {
        one.0.iter().try_fold(self.0.constant(false), |any, bit| self.0.or(&any, bit))
    }

    /// `a + b + carry` in so many bits.
    fn sum(self, a: &Bits, b: &Bits, carry: bool, width: usize) -> Made<Vec<Set>> {
        let d = self.0;
        let mut carry = d.constant(carry);
        let mut bits = Vec::with_capacity(width);
        for at in 0..width {
            checkpoint();
            let (a, b) = (a.bit(at), b.bit(at));
            let differ = d.xor(a, b)?;
            bits.push(d.xor(&differ, &carry)?);
            carry = d.ite(&differ, &carry, a)?;
        }
        Ok(bits)
    }

    pub(crate) fn add(self, a: &Bits, b: &Bits) -> Made<Bits> {
        Ok(Bits::new(self.sum(a, b, false, a.len().max(b.len()) + 1)?).wrapped())
    }

    pub(crate) fn subtract(self, a: &Bits, b: &Bits) -> Made<Bits> {
        Ok(self.difference(a, b)?.wrapped())
    }

    /// `a - b`, not wrapped.
    fn difference(self, a: &Bits, b: &Bits) -> Made<Bits> {
        let width = a.len().max(b.len()) + 1;
        Ok(Bits::new(self.sum(a, &self.complement(b), true, width)?))
    }

    pub(crate) fn complement(self, one: &Bits) -> Bits {
        Bits::new(one.0.iter().map(|bit| self.0.not(bit)).collect())
    }

    pub(crate) fn negate(self, one: &Bits) -> Made<Bits> {
        self.subtract(&self.constant(0), one)
    }

    pub(crate) fn multiply(self, a: &Bits, b: &Bits) -> Made<Bits> {
        let width = (a.len() + b.len()).min(WIDTH);
        let mut sum = self.constant(0);
        for at in 0..b.len().min(width) {
            let shifted = (0..width).map(|i| match i.checked_sub(at) {
                Some(i) => self.0.and(a.bit(i), b.bit(at)),
                None => Ok(self.0.constant(false)),
            });
            let addend = Bits(shifted.collect::<Made<_>>()?);
            // The sign counts as its negative.
            let sign = at == b.len() - 1;
            let addend = if sign { self.complement(&addend) } else { addend };
            sum = Bits(self.sum(&sum, &addend, sign, width)?);
        }
        Ok(Bits::new(sum.0))
    }

    /// Quotient and remainder, truncated; anything where the divisor is zero.
    pub(crate) fn divide(self, a: &Bits, b: &Bits) -> Made<(Bits, Bits)> {
        let (dividend, divisor) = (self.magnitude(a)?, self.magnitude(b)?);
        let mut rest = self.constant(0);
        let mut quotient = vec![self.0.constant(false); dividend.len()];
        for at in (0..dividend.len()).rev() {
            // Divided by zero the rest would grow; what it is there does not matter.
            let rest_bits = rest.0.iter().take(WIDTH + 1).cloned();
            let shifted = Bits([dividend.bit(at).clone()].into_iter().chain(rest_bits).collect());
            let less = self.less(&shifted, &divisor)?;
            let reduced = self.difference(&shifted, &divisor)?;
            rest = self.choose(&less, &shifted, &reduced)?;
            quotient[at] = self.0.not(&less);
        }
        let opposite = self.0.xor(a.sign(), b.sign())?;
        let quotient = self.unsigned(quotient);
        let quotient = self.choose(&opposite, &self.negate(&quotient)?, &quotient.wrapped())?;
        let rest = self.choose(a.sign(), &self.negate(&rest)?, &rest)?;
        Ok((quotient, rest.wrapped()))
    }

    fn magnitude(self, one: &Bits) -> Made<Bits> {
        let negative = self.difference(&self.constant(0), one)?;
        self.choose(one.sign(), &negative, one)
    }

    /// Shifted by the last six bits of `by`, to the left or to the right.
    pub(crate) fn shift(self, a: &Bits, by: &Bits, left: bool) -> Made<Bits> {
        let mut shifted = a.clone();
        for power in 0..6 {
            let bit = by.bit(power);
            if bit.is_empty() {
                continue;
            }
            let far = 1 << power;
            let moved: Vec<Set> = match left {
                true => {
                    let zeros = std::iter::repeat_n(self.0.constant(false), far);
                    zeros.chain(shifted.0.iter().cloned()).collect()
                }
                false => {
                    (far..shifted.len().max(far + 1)).map(|i| shifted.bit(i).clone()).collect()
                }
            };
            shifted = self.choose(bit, &Bits::new(moved).wrapped(), &shifted)?;
        }
        Ok(shifted)
    }

    /// Bit by bit.
    pub(crate) fn bitwise(
        self,
        a: &Bits,
        b: &Bits,
        operation: impl Fn(&Diagrams, &Set, &Set) -> Made<Set>,
    ) -> Made<Bits> {
        let width = a.len().max(b.len());
        let bits = (0..width).map(|at| operation(self.0, a.bit(at), b.bit(at)));
        Ok(Bits::new(bits.collect::<Made<_>>()?))
    }

    /// `a` where the condition holds, else `b`.
    pub(crate) fn choose(self, condition: &Set, a: &Bits, b: &Bits) -> Made<Bits> {
        if a == b {
            return Ok(a.clone());
        }
        self.bitwise(a, b, |d, a, b| d.ite(condition, a, b))
    }

    /// Where they are equal.
    pub(crate) fn equal(self, a: &Bits, b: &Bits) -> Made<Set> {
        let width = a.len().max(b.len());
        let mut equal = self.0.constant(true);
        // From the sign down: what comes last in the order of variables is joined last.
        for at in 0..width {
            let differ = self.0.xor(a.bit(at), b.bit(at))?;
            equal = self.0.minus(&equal, &differ)?;
        }
        Ok(equal)
    }

    /// Where the first is less.
    pub(crate) fn less(self, a: &Bits, b: &Bits) -> Made<Set> {
        Ok(self.difference(a, b)?.sign().clone())
    }

    /// Where it is within these bounds.
    pub(crate) fn within(self, one: &Bits, lo: i64, hi: i64) -> Made<Set> {
        let below = self.less(one, &self.constant(lo))?;
        let above = self.less(&self.constant(hi), one)?;
        Ok(self.0.not(&self.0.or(&below, &above)?))
    }

    /// Reduced modulo the number of values from `lo` to `hi`, into them.
    pub(crate) fn wrap(self, one: &Bits, lo: i64, hi: i64) -> Made<Bits> {
        let size = i128::from(hi) - i128::from(lo) + 1;
        let (lo, Ok(divisor)) = (self.constant(lo), i64::try_from(size)) else {
            // All that there are: nothing to do; or more than half, which no language has.
            return Ok(one.clone());
        };
        let offset = self.difference(one, &lo)?;
        let rest = if size & (size - 1) == 0 {
            let bits = size.trailing_zeros() as usize;
            self.unsigned((0..bits).map(|at| offset.bit(at).clone()).collect())
        } else {
            let divisor = self.constant(divisor);
            let (_, rest) = self.divide(&offset, &divisor)?;
            let raised = self.add(&rest, &divisor)?;
            self.choose(rest.sign(), &raised, &rest)?
        };
        self.add(&rest, &lo)
    }
}

#[cfg(test)]
mod tests {
    use homing_budget::Budget;

    use super::*;

    /// Four bits each, as numbers from -8 to 7.
    fn operands(d: &Diagrams) -> (Bits, Bits) {
        let one = |from: u32| Bits::new((0..4).map(|at| d.variable(from + at).unwrap()).collect());
        (one(0), one(4))
    }

    fn value(d: &Diagrams, bits: &Bits, a: i64, b: i64) -> i64 {
        let at =
            |level: u32| if level < 4 { a >> level & 1 == 1 } else { b >> (level - 4) & 1 == 1 };
        let sum = (0..64).map(|i| i64::from(d.contains(bits.bit(i), at)) << i);
        sum.fold(0, |all, bit| all | bit)
    }

    #[test]
    fn every_operation_is_what_it_is_of_numbers() {
        let d = Diagrams::new(Budget::default(), 1 << 28);
        let (a, b) = operands(&d);
        let n = Arithmetic(&d);
        let truth = |set: Set| n.truth(set);
        let (quotient, rest) = n.divide(&a, &b).unwrap();
        type Concrete = fn(i64, i64) -> Option<i64>;
        let shift = n.bitwise(&b, &n.constant(7), Diagrams::and).unwrap();
        let cases: Vec<(Bits, Concrete)> = vec![
            (n.add(&a, &b).unwrap(), |a, b| Some(a + b)),
            (n.subtract(&a, &b).unwrap(), |a, b| Some(a - b)),
            (n.negate(&a).unwrap(), |a, _| Some(-a)),
            (n.multiply(&a, &b).unwrap(), |a, b| Some(a * b)),
            (quotient, |a, b| a.checked_div(b)),
            (rest, |a, b| a.checked_rem(b)),
            (n.shift(&a, &shift, true).unwrap(), |a, b| Some(a << (b & 7))),
            (n.shift(&a, &shift, false).unwrap(), |a, b| Some(a >> (b & 7))),
            (n.bitwise(&a, &b, Diagrams::xor).unwrap(), |a, b| Some(a ^ b)),
            (truth(n.equal(&a, &b).unwrap()), |a, b| Some(i64::from(a == b))),
            (truth(n.less(&a, &b).unwrap()), |a, b| Some(i64::from(a < b))),
            (truth(n.is_true(&a).unwrap()), |a, _| Some(i64::from(a != 0))),
            (truth(n.within(&a, -3, 5).unwrap()), |a, _| Some(i64::from((-3..=5).contains(&a)))),
            (n.wrap(&a, 1, 4).unwrap(), |a, _| Some(1 + (a - 1).rem_euclid(4))),
            (n.wrap(&a, -2, 2).unwrap(), |a, _| Some(-2 + (a + 2).rem_euclid(5))),
        ];
        for (number, (bits, concrete)) in cases.iter().enumerate() {
            for (x, y) in (-8..8).flat_map(|x| (-8..8).map(move |y| (x, y))) {
                if let Some(expected) = concrete(x, y) {
                    assert_eq!(value(&d, bits, x, y), expected, "{number}: {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn numbers_wrap_at_sixty_four_bits_and_no_earlier() {
        let d = Diagrams::new(Budget::default(), 1 << 28);
        let n = Arithmetic(&d);
        let [most, least, two] = [i64::MAX, i64::MIN, 2].map(|value| n.constant(value));
        let of = |bits: &Bits| value(&d, bits, 0, 0);
        assert_eq!(of(&n.add(&most, &two).unwrap()), i64::MIN + 1);
        assert_eq!(of(&n.multiply(&most, &two).unwrap()), -2);
        assert_eq!(of(&n.negate(&least).unwrap()), i64::MIN);
        assert!(n.less(&least, &most).unwrap().is_all());
        assert!(n.less(&most, &least).unwrap().is_empty());
        assert_eq!(of(&n.divide(&least, &two).unwrap().0), i64::MIN / 2);
        assert_eq!(of(&n.wrap(&most, 0, i64::from(u32::MAX)).unwrap()), i64::from(u32::MAX));
    }
}
