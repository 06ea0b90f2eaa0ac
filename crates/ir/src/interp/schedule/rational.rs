//! Exact fractions, and fractions next to which something infinitely small is added.
//!
//! Whatever does not fit 128 bits is `None`, so that no result is ever rounded.

use std::cmp::Ordering;

/// A fraction in lowest terms, its denominator positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rational {
    pub numerator: i128,
    pub denominator: i128,
}

impl Rational {
    pub const ZERO: Rational = Rational::whole(0);
    pub const ONE: Rational = Rational::whole(1);

    pub const fn whole(value: i64) -> Rational {
        Rational { numerator: value as i128, denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let divisor = common(numerator, denominator);
        let sign = if denominator < 0 { -1 } else { 1 };
        let reduced = |value: i128| value.checked_div(divisor)?.checked_mul(sign);
        Some(Rational { numerator: reduced(numerator)?, denominator: reduced(denominator)? })
    }

    pub fn plus(self, other: Rational) -> Option<Rational> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Rational::new(left.checked_add(right)?, denominator)
    }

    pub fn minus(self, other: Rational) -> Option<Rational> {
        self.plus(other.negated()?)
    }

    pub fn times(self, other: Rational) -> Option<Rational> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// The quotient; nothing where the divisor is zero.
    pub fn over(self, other: Rational) -> Option<Rational> {
        if other.numerator == 0 {
            return None;
        }
        let numerator = self.numerator.checked_mul(other.denominator)?;
        Rational::new(numerator, self.denominator.checked_mul(other.numerator)?)
    }

    pub fn negated(self) -> Option<Rational> {
        Some(Rational { numerator: self.numerator.checked_neg()?, ..self })
    }

    /// Its sign: −1, 0 or 1.
    pub fn sign(self) -> i128 {
        self.numerator.signum()
    }

    /// Which of the two is the greater.
    pub fn compare(self, other: Rational) -> Option<Ordering> {
        Some(self.minus(other)?.sign().cmp(&0))
    }
}

/// `standard + small·δ`, where δ is positive and less than any fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Near {
    pub standard: Rational,
    pub small: Rational,
}

impl Near {
    pub const ZERO: Near = Near { standard: Rational::ZERO, small: Rational::ZERO };

    pub fn plus(self, other: Near) -> Option<Near> {
        let standard = self.standard.plus(other.standard)?;
        Some(Near { standard, small: self.small.plus(other.small)? })
    }

    pub fn minus(self, other: Near) -> Option<Near> {
        let standard = self.standard.minus(other.standard)?;
        Some(Near { standard, small: self.small.minus(other.small)? })
    }

    pub fn times(self, factor: Rational) -> Option<Near> {
        let standard = self.standard.times(factor)?;
        Some(Near { standard, small: self.small.times(factor)? })
    }

    pub fn compare(self, other: Near) -> Option<Ordering> {
        let standard = self.standard.compare(other.standard)?;
        Some(standard.then(self.small.compare(other.small)?))
    }

    /// The value where δ is this.
    pub fn at(self, delta: Rational) -> Option<Rational> {
        self.standard.plus(self.small.times(delta)?)
    }
}

/// The greatest common divisor, at least 1.
pub(super) fn common(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}
