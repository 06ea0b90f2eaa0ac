//! Cost algebras: what paths may cost.
//!
//! Edelkamp, Jabbar, Lluch Lafuente, "Cost-Algebraic Heuristic Search" (AAAI
//! 2005); Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on
//! Directed Model Checking" (MoChArt 2008), section 3. A cost algebra is
//! ⟨A, ×, ⪯, 0, 1⟩: × adds a step to a path, 1 is the path without a step, ⪯
//! is a total order, and × is *isotone*, a ⪯ b ⇒ a × c ⪯ b × c: the better of
//! two paths to a state stays no worse however both go on, which is why one
//! path a state is enough.
//!
//! | algebra | × | best | strictly isotone | monotone |
//! |---|---|---|---|---|
//! | additive | + | least | yes | if no step costs less than 0 |
//! | bottleneck | max | least | no | yes |
//! | max/min | min | greatest | no | yes |
//! | probability | · | greatest | no: products are rounded | yes |
//! | fuzzy | min | greatest | no | yes |
//! | A, then B | of both | of A, then of B | if both are | see [`Lexicographic`] |
//!
//! Values are numbers of 64 bits, or 32 in a product of two, the better the
//! less: ⪯ is the order of numbers. What does not fit *saturates*: it stays
//! at the end of the scale, and says so.
//!
//! Deviation: the survey's additive algebra has no negative values. With them
//! 1 is not the best value, and a cost is only settled when nothing changes
//! any more ([`CostAlgebra::is_monotone`]).

use crate::{Cost, CostAlgebra, Price};

/// What a path costs, given a whole number for each of its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algebra {
    /// The sum; the least is best.
    Additive {
        /// No step costs less.
        least: i64,
    },
    /// The highest; the least is best.
    Bottleneck,
    /// The lowest; the greatest is best.
    MaxMin,
    /// The product of fractions `1 / of`; the greatest is best.
    Probability {
        /// What certainty is.
        of: u32,
    },
    /// The lowest of fractions `1 / of`; the greatest is best.
    Fuzzy {
        /// What certainty is.
        of: u32,
    },
}

impl Algebra {
    /// Whether every step makes a path worse.
    fn grows(self) -> bool {
        matches!(self, Algebra::Additive { least: 1.. })
    }
}

/// An [`Algebra`] on a scale of some bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    algebra: Algebra,
    bits: u32,
}

impl Scalar {
    /// Costs that have a price to themselves.
    pub fn new(algebra: Algebra) -> Scalar {
        Scalar { algebra, bits: 64 }
    }

    /// Costs that share a price with others.
    fn half(algebra: Algebra) -> Scalar {
        Scalar { algebra, bits: 32 }
    }

    /// 0: the end of the scale.
    fn worst(self) -> Price {
        Price::MAX >> (64 - self.bits)
    }

    /// The middle of the scale, which stands for the number zero where there
    /// are negative ones.
    fn middle(self) -> Price {
        1 << (self.bits - 1)
    }

    /// What stands for a sum of zero.
    fn zero(self) -> Price {
        match self.algebra {
            Algebra::Additive { least: ..0 } => self.middle(),
            _ => 0,
        }
    }

    /// The cost of a step for which this number is given.
    pub fn encode(self, value: i64) -> Price {
        let shifted = |by: Price, least: Price, greatest: Price| {
            let place = i128::from(value) + i128::from(by);
            place.clamp(least.into(), greatest.into()) as Price
        };
        match self.algebra {
            Algebra::Additive { .. } => shifted(self.zero(), 0, self.worst()),
            // 0 and 1 of the algebra are no numbers.
            Algebra::Bottleneck => shifted(self.middle(), 1, self.worst() - 1),
            Algebra::MaxMin => self.worst() - shifted(self.middle(), 1, self.worst() - 1),
            Algebra::Probability { of } => self.chance(share(value, of)),
            Algebra::Fuzzy { of } => match value.clamp(0, of.into()) {
                0 => self.worst(),
                value => (i64::from(of) - value) as Price,
            },
        }
    }

    /// The price of a probability: the bits of positive floating-point numbers
    /// are ordered as the numbers are.
    fn chance(self, probability: f64) -> Price {
        match self.bits {
            64 => !probability.to_bits(),
            _ => Price::from(!(probability as f32).to_bits()),
        }
    }

    /// The probability with this price.
    fn probability(self, price: Price) -> f64 {
        match self.bits {
            64 => f64::from_bits(!price),
            _ => f32::from_bits(!(price as u32)).into(),
        }
    }

    /// The least probability that is told apart from zero as it should be.
    fn faintest(self) -> f64 {
        if self.bits == 64 { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() }
    }

    fn sum(self, path: Price, step: Price) -> Price {
        // The ends of the scale are no numbers to count on from.
        let saturated = [path, step].into_iter().find(|price| self.is_saturated(*price));
        let sum = i128::from(path) + i128::from(step) - i128::from(self.zero());
        saturated.unwrap_or(sum.clamp(0, self.worst().into()) as Price)
    }

    fn product(self, path: Price, step: Price) -> Price {
        match (self.probability(path), self.probability(step)) {
            (0.0, _) | (_, 0.0) => self.worst(),
            // What is possible does not become impossible by rounding.
            (p, q) => self.chance(p * q).min(self.worst() - 1),
        }
    }
}

/// `value / of`, within 0 and 1.
fn share(value: i64, of: u32) -> f64 {
    value.clamp(0, of.into()) as f64 / f64::from(of.max(1))
}

impl CostAlgebra for Scalar {
    fn one(&self) -> Price {
        match self.algebra {
            Algebra::Additive { .. } => self.zero(),
            Algebra::Bottleneck | Algebra::MaxMin | Algebra::Fuzzy { .. } => 0,
            Algebra::Probability { .. } => self.chance(1.0),
        }
    }

    fn combine(&self, path: Price, step: Price) -> Price {
        match self.algebra {
            Algebra::Additive { .. } => self.sum(path, step),
            Algebra::Bottleneck | Algebra::MaxMin | Algebra::Fuzzy { .. } => path.max(step),
            Algebra::Probability { .. } => self.product(path, step),
        }
    }

    fn ahead(&self, path: Price, estimate: Cost) -> Price {
        match self.algebra {
            Algebra::Additive { least: 0.. } => self.sum(path, self.encode(estimate.into())),
            _ => path,
        }
    }

    fn is_isotone(&self) -> bool {
        true
    }

    fn is_strictly_isotone(&self) -> bool {
        matches!(self.algebra, Algebra::Additive { .. })
    }

    fn is_monotone(&self) -> bool {
        !matches!(self.algebra, Algebra::Additive { least: ..0 })
    }

    fn is_saturated(&self, price: Price) -> bool {
        match self.algebra {
            Algebra::Additive { least: ..0 } => price == 0 || price == self.worst(),
            Algebra::Additive { .. } => price == self.worst(),
            Algebra::Bottleneck | Algebra::MaxMin => price == 1 || price == self.worst() - 1,
            Algebra::Probability { .. } => {
                price != self.worst() && self.probability(price) < self.faintest()
            }
            Algebra::Fuzzy { .. } => false,
        }
    }

    fn show(&self, price: Price) -> String {
        let number = |price: Price, zero: Price| i128::from(price) - i128::from(zero);
        let shown = match self.algebra {
            Algebra::Bottleneck | Algebra::MaxMin if price == 0 => return "none".into(),
            Algebra::Additive { .. } => number(price, self.zero()).to_string(),
            Algebra::Bottleneck => number(price, self.middle()).to_string(),
            Algebra::MaxMin => number(self.worst() - price, self.middle()).to_string(),
            Algebra::Fuzzy { of } => format!("{}/{of}", Price::from(of).saturating_sub(price)),
            Algebra::Probability { .. } => match self.probability(price) {
                p if p != 0.0 && p < 1e-4 => format!("{p:.5e}"),
                // As many digits as rounding leaves right, no trailing zeros.
                p => {
                    let digits = if self.bits == 64 { 12 } else { 6 };
                    let shown = format!("{p:.digits$}");
                    shown.trim_end_matches('0').trim_end_matches('.').into()
                }
            },
        };
        if self.is_saturated(price) { format!("{shown} or beyond") } else { shown }
    }
}

/// The first cost, and where that is equal the second.
///
/// (a, b) × (c, d) = (a × c, b × d). The survey's counterexample shows that
/// this need not be isotone: with (min, +), (4, 2) is better than (3, 1), but
/// (4, 2) × (3, 1) = (3, 3) is worse than (3, 1) × (3, 1) = (3, 2). A first
/// factor that is *strictly* isotone keeps what it tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexicographic {
    first: Scalar,
    second: Scalar,
}

impl Lexicographic {
    /// The product of two.
    pub fn new(first: Algebra, second: Algebra) -> Lexicographic {
        Lexicographic { first: Scalar::half(first), second: Scalar::half(second) }
    }

    /// The factors.
    pub fn factors(&self) -> [Scalar; 2] {
        [self.first, self.second]
    }

    /// The price of two costs.
    pub fn join(first: Price, second: Price) -> Price {
        first << 32 | second
    }

    /// The two costs of a price.
    pub fn split(price: Price) -> [Price; 2] {
        [price >> 32, price & u64::from(u32::MAX)]
    }

    fn each(&self, price: Price) -> [(Scalar, Price); 2] {
        let [first, second] = Self::split(price);
        [(self.first, first), (self.second, second)]
    }
}

impl CostAlgebra for Lexicographic {
    fn one(&self) -> Price {
        Self::join(self.first.one(), self.second.one())
    }

    fn combine(&self, path: Price, step: Price) -> Price {
        let ([a, b], [c, d]) = (Self::split(path), Self::split(step));
        Self::join(self.first.combine(a, c), self.second.combine(b, d))
    }

    /// Estimates are of the first cost.
    fn ahead(&self, path: Price, estimate: Cost) -> Price {
        let [first, second] = Self::split(path);
        Self::join(self.first.ahead(first, estimate), second)
    }

    fn is_isotone(&self) -> bool {
        self.first.is_strictly_isotone() && self.second.is_isotone()
    }

    fn is_strictly_isotone(&self) -> bool {
        self.first.is_strictly_isotone() && self.second.is_strictly_isotone()
    }

    /// Where every step makes the first cost worse, the second does not
    /// matter.
    fn is_monotone(&self) -> bool {
        self.first.algebra.grows() || self.first.is_monotone() && self.second.is_monotone()
    }

    fn is_saturated(&self, price: Price) -> bool {
        self.each(price).iter().any(|(factor, price)| factor.is_saturated(*price))
    }

    fn show(&self, price: Price) -> String {
        self.each(price).map(|(factor, price)| factor.show(price)).join(", ")
    }
}

#[cfg(test)]
mod tests;
