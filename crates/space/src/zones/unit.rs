//! Zones count time in the greatest unit that all numbers are multiples of.
//!
//! Where every number that clocks are compared with or set to is a multiple of
//! some d, dividing all of them by d changes nothing but names: (x, d·c) and
//! (x/d, c) satisfy the same bounds, and time passes in both. Zones then hold
//! smaller numbers, in fewer bits, and models whose constants would not fit
//! (10¹⁰ picoseconds) can be searched.
//!
//! ```text
//! step(number)          = |number|
//! step(a + b), step(a − b), step(c ? a : b) = gcd(step(a), step(b))
//! step(a · number)      = step(a) · |number|
//! step(slot)            = step of its value where its range has one, else 1
//! ```
//! d is the gcd of the steps of all bounds, assigned numbers and first values.
//! Bounds that are not numbers are divided when they are evaluated. What
//! contradicts itself is left out, and as it is.
//!
//! Only zones do so: runs are given times, and executed, in the model's units.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use homing_ir::System;
use homing_ir::interval::Env;
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Interval, SlotId, TempId, Term};
use homing_ir::timing::{ClockTerm, Constraint, Timing};

use crate::zones::copies::copies;

/// What a system says of clocks in the unit of its zones, and how many of the
/// model's units that is.
pub(crate) fn in_units<'a>(system: &System, timing: &'a Timing) -> (Cow<'a, Timing>, i64) {
    let unit = unit(system, timing);
    if unit == 1 {
        return (Cow::Borrowed(timing), 1);
    }
    let mut divided = timing.clone();
    divided.clocks.iter_mut().for_each(|clock| clock.initial /= unit);
    let resets = divided.parts.iter_mut().flat_map(|part| &mut part.resets);
    resets.for_each(|(_, value)| *value /= unit);
    for constraint in constraints_mut(&mut divided).filter(|one| counts(one)) {
        let bound = std::mem::replace(&mut constraint.bound, Term::Const(0));
        constraint.bound = match bound {
            Term::Const(value) => Term::Const(value / unit),
            term => Term::Binary(Binary::Div, Box::new(term), Box::new(Term::Const(unit))),
        };
    }
    (Cow::Owned(divided), unit)
}

/// The greatest number that all of a system's numbers for clocks are multiples
/// of.
fn unit(system: &System, timing: &Timing) -> i64 {
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let steps = Steps::new(&ranges);
    let initial = timing.clocks.iter().map(|clock| clock.initial.abs());
    let resets = timing.parts.iter().flat_map(|part| &part.resets).map(|(_, value)| value.abs());
    let bounds = constraints(timing).filter(|one| counts(one)).map(|one| steps.of(&one.bound));
    let assigned = copies(system, timing).step;
    // Whoever is one stays one: the rest need not be looked at.
    let mut common = assigned;
    for number in initial.chain(resets).chain(bounds) {
        common = gcd(common, number);
        if common == 1 {
            break;
        }
    }
    common.max(1)
}

/// Whether the number of a constraint says anything that a unit could change.
fn counts(constraint: &Constraint) -> bool {
    let zero = ClockTerm::Clock(0);
    let timeless = constraint.left == zero && constraint.right == zero;
    !timeless && constraint.when != Term::Const(0) && !constraint.is_contradiction()
}

/// All bounds.
fn constraints(timing: &Timing) -> impl Iterator<Item = &Constraint> {
    let guards = timing.parts.iter().flat_map(|part| &part.guard);
    let invariants = timing.invariants.iter().flatten().flatten();
    guards
        .chain(invariants)
        .chain(timing.condition_constraints())
        .chain(timing.sites.iter().flatten())
}

fn constraints_mut(timing: &mut Timing) -> impl Iterator<Item = &mut Constraint> {
    let guards = timing.parts.iter_mut().flat_map(|part| &mut part.guard);
    let invariants = timing.invariants.iter_mut().flatten().flatten();
    let cases = timing.conditions.iter_mut().flat_map(|condition| &mut condition.cases);
    let conditions = cases.flat_map(|case| &mut case.clocks);
    guards.chain(invariants).chain(conditions).chain(timing.sites.iter_mut().flatten())
}

/// What values are multiples of.
pub(crate) struct Steps<'a> {
    env: Env<'a>,
    ranges: &'a [Interval],
    /// Slots that add nothing: what they hold was counted when it was assigned.
    pub counted: BTreeSet<SlotId>,
    /// What was computed earlier in a step.
    pub temps: BTreeMap<TempId, &'a Term>,
}

/// How deep values computed earlier are looked up.
const DEEPEST: u32 = 8;

impl<'a> Steps<'a> {
    /// With the ranges of slots.
    pub fn new(ranges: &'a [Interval]) -> Steps<'a> {
        let (counted, temps) = (BTreeSet::new(), BTreeMap::new());
        Steps { env: Env::new(ranges), ranges, counted, temps }
    }

    /// A number that all values of a term are multiples of; 0 where they are 0.
    pub fn of(&self, term: &Term) -> i64 {
        self.within(term, DEEPEST)
    }

    /// The recursion is bounded by the depth of terms.
    fn within(&self, term: &Term, depth: u32) -> i64 {
        let of = |term: &Term| self.within(term, depth);
        match term {
            Term::Const(value) => value.saturating_abs(),
            Term::Slot(slot) => self.of_slot(*slot),
            Term::Temp(temp) => match self.temps.get(temp) {
                Some(term) if depth > 0 => self.within(term, depth - 1),
                _ => 1,
            },
            Term::Element { first, count, .. } => {
                (first.0..first.0 + count).map(|slot| self.of_slot(SlotId(slot))).fold(0, gcd)
            }
            Term::Unary(Unary::Neg, operand) => of(operand),
            Term::Binary(Binary::Add | Binary::Sub, left, right) => gcd(of(left), of(right)),
            Term::Binary(Binary::Mul, left, right) => of(left).checked_mul(of(right)).unwrap_or(1),
            Term::Choose(_, yes, no) => gcd(of(yes), of(no)),
            Term::Wrap(range, inner) => {
                if range.includes(self.env.eval(inner)) {
                    of(inner)
                } else {
                    1
                }
            }
            Term::Check(_, inner, _) | Term::NonZero(inner, _) => of(inner),
            Term::Unary(..) | Term::Binary(..) => 1,
        }
    }

    fn of_slot(&self, slot: SlotId) -> i64 {
        let range = self.ranges[slot.index()];
        match range.lo == range.hi {
            _ if self.counted.contains(&slot) => 0,
            true => range.lo.saturating_abs(),
            false => 1,
        }
    }
}

/// The greatest common divisor; that of 0 and a number is the number.
pub(crate) fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_multiples() {
        let ranges = [Interval::new(0, 9), Interval::new(6, 6), Interval::new(8, 8)];
        let steps = Steps::new(&ranges);
        let slot = |index| Box::new(Term::Slot(SlotId(index)));
        let number = |value| Box::new(Term::Const(value));
        let check = |term: Term, expected| assert_eq!(steps.of(&term), expected, "{term:?}");
        check(Term::Const(-12), 12);
        check(Term::Slot(SlotId(0)), 1);
        check(Term::Slot(SlotId(1)), 6);
        check(Term::Binary(Binary::Mul, slot(0), number(-15)), 15);
        check(Term::Binary(Binary::Sub, slot(1), number(9)), 3);
        check(Term::Binary(Binary::Div, slot(1), number(2)), 1);
        check(Term::Choose(slot(0), number(0), number(10)), 10);
        check(Term::Element { first: SlotId(1), count: 2, index: slot(0) }, 2);
        let product = || Box::new(Term::Binary(Binary::Mul, slot(0), number(100)));
        check(Term::Wrap(Interval::new(0, 1000), product()), 100);
        // 900 becomes 132: no multiple.
        check(Term::Wrap(Interval::new(0, 255), product()), 1);
    }
}
