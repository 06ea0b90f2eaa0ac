//! Numbers that are known before a model runs.
//!
//! Fractions are exact as long as numerator and denominator have 128 bits, so 0.1 is one
//! tenth and 1/3 + 1/3 + 1/3 is one. What has no such value (a logarithm, a root), or has too
//! many digits, is a `Near`: the nearest number of 64 bits.

use std::cmp::Ordering;

use super::syntax::Comparison;

/// A known value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Real(Real),
}

/// A number that need not be whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Real {
    /// Numerator and denominator, which is positive, in lowest terms.
    Exact(i128, i128),
    Near(f64),
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Real {
    pub fn whole(value: i64) -> Real {
        Real::Exact(i128::from(value), 1)
    }

    /// `above / below`, unless the latter is zero.
    pub fn ratio(above: i128, below: i128) -> Option<Real> {
        let common = gcd(above, below);
        if below == 0 || above == i128::MIN || below == i128::MIN {
            return None;
        }
        let sign = below.signum();
        Some(Real::Exact(sign * above / common, sign * below / common))
    }

    /// A number as written: `1.5e-3`.
    pub fn parse(text: &str) -> Real {
        Real::exactly(text).unwrap_or_else(|| Real::Near(text.parse().unwrap_or(f64::NAN)))
    }

    fn exactly(text: &str) -> Option<Real> {
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let value: i128 = format!("0{whole}{part}").parse().ok()?;
        let exponent =
            exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(part.len()).ok()?)?;
        let scale = 10i128.checked_pow(exponent.unsigned_abs())?;
        match exponent < 0 {
            true => Real::ratio(value, scale),
            false => Real::ratio(value.checked_mul(scale)?, 1),
        }
    }

    pub fn near(self) -> f64 {
        match self {
            Real::Exact(above, below) => above as f64 / below as f64,
            Real::Near(value) => value,
        }
    }

    fn both(
        self,
        other: Real,
        exact: impl Fn([i128; 2], [i128; 2]) -> Option<Real>,
        near: impl Fn(f64, f64) -> f64,
    ) -> Real {
        let known = match (self, other) {
            (Real::Exact(a, b), Real::Exact(c, d)) => exact([a, b], [c, d]),
            _ => None,
        };
        known.unwrap_or_else(|| Real::Near(near(self.near(), other.near())))
    }

    pub fn plus(self, other: Real) -> Real {
        let exact = |[a, b]: [i128; 2], [c, d]: [i128; 2]| {
            Real::ratio(a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?)
        };
        self.both(other, exact, |a, b| a + b)
    }

    pub fn times(self, other: Real) -> Real {
        let exact = |[a, b]: [i128; 2], [c, d]: [i128; 2]| {
            Real::ratio(a.checked_mul(c)?, b.checked_mul(d)?)
        };
        self.both(other, exact, |a, b| a * b)
    }

    pub fn negated(self) -> Real {
        self.times(Real::whole(-1))
    }

    /// None where `other` is zero.
    pub fn over(self, other: Real) -> Option<Real> {
        let exact = |[a, b]: [i128; 2], [c, d]: [i128; 2]| {
            Real::ratio(a.checked_mul(d)?, b.checked_mul(c)?)
        };
        let divided = || self.both(other, exact, |a, b| a / b);
        (other.sign() != Some(Ordering::Equal)).then(divided)
    }

    /// How it compares with zero; not at all where it is no number.
    pub fn sign(self) -> Option<Ordering> {
        match self {
            Real::Exact(above, _) => Some(above.cmp(&0)),
            Real::Near(value) => value.partial_cmp(&0.0),
        }
    }

    pub fn compared(self, other: Real) -> Option<Ordering> {
        match (self, other) {
            // Not through their difference: it may round to zero.
            (Real::Exact(..), Real::Exact(..)) => self.plus(other.negated()).sign(),
            _ => self.near().partial_cmp(&other.near()),
        }
    }

    /// The greatest whole number that is not above it.
    pub fn floor(self) -> Option<i64> {
        match self {
            Real::Exact(above, below) => i64::try_from(above.div_euclid(below)).ok(),
            Real::Near(value) => {
                let floor = value.floor();
                (floor.abs() < 9e15).then_some(floor as i64)
            }
        }
    }

    pub fn ceil(self) -> Option<i64> {
        self.negated().floor()?.checked_neg()
    }

    pub fn round(self) -> Option<i64> {
        self.plus(Real::Exact(1, 2)).floor()
    }

    /// To the power of another number.
    pub fn power(self, exponent: Real) -> Real {
        let near = || Real::Near(self.near().powf(exponent.near()));
        let Real::Exact(times, 1) = exponent else { return near() };
        if times.unsigned_abs() > 1000 {
            return near();
        }
        let mut result = Real::whole(1);
        for _ in 0..times.unsigned_abs() {
            result = result.times(self);
        }
        match times < 0 {
            true => Real::whole(1).over(result).unwrap_or_else(near),
            false => result,
        }
    }

    /// As a fraction of 64 bits: the nearest one where it needs more.
    pub fn fraction(self) -> (i64, i64) {
        if let Real::Exact(above, below) = self
            && let (Ok(above), Ok(below)) = (i64::try_from(above), i64::try_from(below))
        {
            return (above, below);
        }
        let value = self.near();
        let mut below: i64 = 1;
        while below < 1 << 61 && (value * below as f64).abs() < 4e15 {
            below <<= 1;
        }
        match (value * below as f64) as i64 {
            0 if value > 0.0 => (1, i64::MAX),
            above => (above, below),
        }
    }
}

impl Comparison {
    /// Whether it holds of two things that compare so.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterEqual => ordering.is_ge(),
        }
    }
}

impl Number {
    pub fn real(self) -> Option<Real> {
        match self {
            Number::Bool(_) => None,
            Number::Int(value) => Some(Real::whole(value)),
            Number::Real(value) => Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        assert_eq!(Real::parse("0.1").plus(Real::parse("2e-1")), Real::Exact(3, 10));
        assert_eq!(Real::parse(".5").times(Real::whole(2)), Real::whole(1));
        assert_eq!(Real::whole(1).over(Real::whole(0)), None);
        assert_eq!(Real::parse("1e2"), Real::whole(100));
        assert_eq!(Real::ratio(6, -4), Some(Real::Exact(-3, 2)));
        assert_eq!(Real::Exact(1, 2).power(Real::whole(-3)), Real::whole(8));
    }

    #[test]
    fn fractions_are_rounded() {
        let half = Real::Exact(-5, 2);
        assert_eq!((half.floor(), half.ceil(), half.round()), (Some(-3), Some(-2), Some(-2)));
        assert_eq!(Real::Near(2.7).floor(), Some(2));
        assert_eq!(Real::Near(1e300).floor(), None);
        assert_eq!(Real::Near(0.5).fraction().0 * 2, Real::Near(0.5).fraction().1);
        assert_eq!(Real::parse("1e-400"), Real::Near(0.0));
    }

    #[test]
    fn exact_and_near_are_compared() {
        assert_eq!(Real::Exact(1, 3).compared(Real::Near(0.3)), Some(Ordering::Greater));
        assert_eq!(Real::Near(f64::NAN).compared(Real::whole(1)), None);
    }
}
