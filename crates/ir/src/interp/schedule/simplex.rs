//! Linear bounds on times, solved exactly.
//!
//! The general simplex method for satisfiability (Dutertre, de Moura, "A fast linear-
//! arithmetic solver for DPLL(T)", CAV 2006): every sum that is bounded is a variable
//! of its own, and a tableau says what the *basic* variables are in terms of the
//! others, which satisfy their bounds at all times.
//!
//! ```text
//! loop:
//!   x := the first basic variable that breaks a bound; none: solved
//!   y := the first other variable of x's row that can move x towards the bound;
//!        none: there is no solution
//!   x and y change places, and x is put on its bound
//! ```
//! "The first" is Bland's rule, with which this ends. A strict bound `< c` is `≤ c − δ`
//! for an infinitely small δ ([`Near`]), which becomes a number at the end. Numbers are
//! fractions of 128 bits; where those do not do, there is no answer, and so there is
//! none after [`MOST_TURNS`].

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::rational::{Near, Rational, common};

/// The exchanges of variables after which it is given up.
const MOST_TURNS: usize = 20_000;

/// A sum of variables, each by its number and times a factor.
pub(super) type Sum = BTreeMap<usize, i64>;

/// Bounds on sums of variables, none of which is negative.
pub(super) struct Simplex {
    /// The least and the greatest value of each variable.
    bounds: Vec<(Option<Near>, Option<Near>)>,
    values: Vec<Near>,
    /// By basic variable, what it is in terms of others.
    rows: BTreeMap<usize, BTreeMap<usize, Rational>>,
    /// The variables that stand for sums.
    sums: BTreeMap<Vec<(usize, i64)>, usize>,
    /// Whether a bound contradicts another at once.
    impossible: bool,
}

impl Simplex {
    /// So many variables without bounds but zero.
    pub fn new(variables: usize) -> Simplex {
        Simplex {
            bounds: vec![(Some(Near::ZERO), None); variables],
            values: vec![Near::ZERO; variables],
            rows: BTreeMap::new(),
            sums: BTreeMap::new(),
            impossible: false,
        }
    }

    /// The sum is at most the bound, or less.
    pub fn at_most(&mut self, sum: &Sum, bound: i64, strict: bool) {
        let sum: Vec<(usize, i64)> =
            sum.iter().filter(|(_, factor)| **factor != 0).map(|(v, f)| (*v, *f)).collect();
        let Some((_, first)) = sum.first() else {
            self.impossible |= bound < 0 || bound == 0 && strict;
            return;
        };
        // A sum and its opposite are one variable.
        let turned = *first < 0;
        let small = if strict { Rational::whole(-1) } else { Rational::ZERO };
        let bound = Near { standard: Rational::whole(bound), small };
        let sum = if turned { sum.iter().map(|(v, f)| (*v, -f)).collect() } else { sum };
        let variable = self.variable(sum);
        match turned {
            false => self.bound_above(variable, bound),
            true => {
                let negative = bound.times(Rational::whole(-1));
                negative.into_iter().for_each(|bound| self.bound_below(variable, bound));
            }
        }
    }

    /// The variable that stands for a sum.
    fn variable(&mut self, sum: Vec<(usize, i64)>) -> usize {
        if let [(variable, 1)] = sum[..] {
            return variable;
        }
        if let Some(known) = self.sums.get(&sum) {
            return *known;
        }
        let new = self.bounds.len();
        let row = sum.iter().map(|(variable, factor)| (*variable, Rational::whole(*factor)));
        self.rows.insert(new, row.collect());
        self.bounds.push((None, None));
        self.values.push(Near::ZERO);
        self.sums.insert(sum, new);
        new
    }

    fn bound_above(&mut self, variable: usize, bound: Near) {
        let (_, upper) = &mut self.bounds[variable];
        if upper.is_none_or(|known| bound.compare(known) == Some(Ordering::Less)) {
            *upper = Some(bound);
        }
    }

    fn bound_below(&mut self, variable: usize, bound: Near) {
        let (lower, _) = &mut self.bounds[variable];
        if lower.is_none_or(|known| bound.compare(known) == Some(Ordering::Greater)) {
            *lower = Some(bound);
        }
    }

    /// Values of the first `wanted` variables that satisfy all bounds: numerators, and
    /// the denominator they share. `None` if there are none, or none were found.
    pub fn solve(mut self, wanted: usize) -> Option<(Vec<i64>, i64)> {
        if self.impossible {
            return None;
        }
        self.begin()?;
        for _ in 0..MOST_TURNS {
            homing_budget::checkpoint();
            let Some((broken, bound, below)) = self.broken()? else {
                return self.numbers(wanted);
            };
            let other = self.helpful(broken, below)?;
            self.exchange(broken, other, bound)?;
        }
        None
    }

    /// Puts the variables that are no sums on a bound, and gives sums their values.
    fn begin(&mut self) -> Option<()> {
        for variable in 0..self.bounds.len() {
            let (lower, upper) = self.bounds[variable];
            if let (Some(lower), Some(upper)) = (lower, upper)
                && upper.compare(lower)? == Ordering::Less
            {
                return None;
            }
            if !self.rows.contains_key(&variable) {
                self.values[variable] = lower.unwrap_or(Near::ZERO);
            }
        }
        for (variable, row) in &self.rows {
            let mut value = Near::ZERO;
            for (other, factor) in row {
                value = value.plus(self.values[*other].times(*factor)?)?;
            }
            self.values[*variable] = value;
        }
        Some(())
    }

    /// The first basic variable that breaks a bound, the bound, and whether it is too
    /// small for it. Nothing at all where numbers got too large.
    #[allow(clippy::type_complexity)]
    fn broken(&self) -> Option<Option<(usize, Near, bool)>> {
        for variable in self.rows.keys() {
            let (lower, upper) = self.bounds[*variable];
            let value = self.values[*variable];
            if let Some(lower) = lower
                && value.compare(lower)? == Ordering::Less
            {
                return Some(Some((*variable, lower, true)));
            }
            if let Some(upper) = upper
                && value.compare(upper)? == Ordering::Greater
            {
                return Some(Some((*variable, upper, false)));
            }
        }
        Some(None)
    }

    /// The first variable of a row that can make it greater, or less.
    fn helpful(&self, basic: usize, greater: bool) -> Option<usize> {
        let row = self.rows.get(&basic)?;
        for (variable, factor) in row {
            let (lower, upper) = self.bounds[*variable];
            let value = self.values[*variable];
            let moves = match (factor.sign() > 0) == greater {
                true => match upper {
                    Some(upper) => value.compare(upper)? == Ordering::Less,
                    None => true,
                },
                false => match lower {
                    Some(lower) => value.compare(lower)? == Ordering::Greater,
                    None => true,
                },
            };
            if moves {
                return Some(*variable);
            }
        }
        None
    }

    /// Makes `other` basic instead of `basic`, which gets a value.
    fn exchange(&mut self, basic: usize, other: usize, value: Near) -> Option<()> {
        let mut row = self.rows.remove(&basic)?;
        let factor = row.remove(&other)?;
        let change = value.minus(self.values[basic])?.times(Rational::ONE.over(factor)?)?;
        self.values[basic] = value;
        self.values[other] = self.values[other].plus(change)?;
        // basic = factor·other + rest, so other = basic/factor − rest/factor.
        let mut solved = BTreeMap::from([(basic, Rational::ONE.over(factor)?)]);
        for (variable, part) in row {
            solved.insert(variable, part.over(factor)?.negated()?);
        }
        for (variable, row) in &mut self.rows {
            let Some(factor) = row.remove(&other) else { continue };
            self.values[*variable] = self.values[*variable].plus(change.times(factor)?)?;
            for (inner, part) in &solved {
                let entry = row.entry(*inner).or_insert(Rational::ZERO);
                *entry = entry.plus(part.times(factor)?)?;
                if entry.sign() == 0 {
                    row.remove(inner);
                }
            }
        }
        self.rows.insert(other, solved);
        Some(())
    }

    /// The values as numbers, δ being as large as the bounds allow, at most 1.
    fn numbers(&self, wanted: usize) -> Option<(Vec<i64>, i64)> {
        let mut delta = Rational::ONE;
        for (value, (lower, upper)) in self.values.iter().zip(&self.bounds) {
            for (less, more) in [(*lower, Some(*value)), (Some(*value), *upper)] {
                let (Some(less), Some(more)) = (less, more) else { continue };
                let growing = less.small.minus(more.small)?;
                if growing.sign() > 0 {
                    let most = more.standard.minus(less.standard)?.over(growing)?;
                    delta = if most.compare(delta)? == Ordering::Less { most } else { delta };
                }
            }
        }
        let values: Option<Vec<Rational>> =
            self.values[..wanted].iter().map(|value| value.at(delta)).collect();
        whole(&values?)
    }
}

/// Fractions as numerators over one denominator.
fn whole(values: &[Rational]) -> Option<(Vec<i64>, i64)> {
    let mut unit = 1i128;
    for value in values {
        let factor = value.denominator / common(unit, value.denominator);
        unit = unit.checked_mul(factor)?;
    }
    let scaled = values.iter().map(|value| {
        let scaled = value.numerator.checked_mul(unit / value.denominator)?;
        i64::try_from(scaled).ok()
    });
    Some((scaled.collect::<Option<Vec<i64>>>()?, i64::try_from(unit).ok()?))
}

#[cfg(test)]
mod tests;
