//! Interval arithmetic over terms: what values a term may have.
//!
//! The abstract domain of Cousot and Cousot (POPL 1977), over an environment
//! that knows more about some slots than their ranges say: what a guard
//! implies, what was just assigned.

use crate::network::{Binary, Unary};
use crate::system::{Interval, SlotId, TempId, Term};

/// What is known of slots and temporaries at some point of a step.
#[derive(Clone, Debug)]
pub struct Env<'a> {
    ranges: &'a [Interval],
    /// In order of their numbers.
    slots: Vec<(SlotId, Interval)>,
    temps: Vec<(TempId, Interval)>,
}

/// Nothing known.
pub const ANY: Interval = Interval { lo: i64::MIN, hi: i64::MAX };

impl<'a> Env<'a> {
    /// Slots within `ranges`, nothing more known.
    pub fn new(ranges: &'a [Interval]) -> Env<'a> {
        Env { ranges, slots: Vec::new(), temps: Vec::new() }
    }

    /// The values `slot` may have.
    pub fn slot(&self, slot: SlotId) -> Interval {
        let known = self.slots.binary_search_by_key(&slot, |(slot, _)| *slot);
        known.map_or(self.ranges[slot.index()], |at| self.slots[at].1)
    }

    /// Notes the values `slot` may have.
    pub fn set_slot(&mut self, slot: SlotId, interval: Interval) {
        match self.slots.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => self.slots[at].1 = interval,
            Err(at) => self.slots.insert(at, (slot, interval)),
        }
    }

    /// Notes the values `temp` may have.
    pub fn set_temp(&mut self, temp: TempId, interval: Interval) {
        match self.temps.binary_search_by_key(&temp, |(temp, _)| *temp) {
            Ok(at) => self.temps[at].1 = interval,
            Err(at) => self.temps.insert(at, (temp, interval)),
        }
    }

    fn temp(&self, temp: TempId) -> Interval {
        let known = self.temps.binary_search_by_key(&temp, |(temp, _)| *temp);
        known.map_or(ANY, |at| self.temps[at].1)
    }

    /// Forgets what is known of slots that `keep` refuses.
    pub fn forget_unless(&mut self, keep: impl Fn(SlotId) -> bool) {
        self.slots.retain(|(slot, _)| keep(*slot));
    }

    /// What is known where two ways meet. Linear, and what is no news is forgotten: there
    /// may be as many branches as there are processes, each of which sets slots of its own.
    pub fn join(&mut self, other: &Env) {
        let (mut joined, ranges) = (Vec::new(), self.ranges);
        let (mut ours, mut theirs) = (self.slots.iter().peekable(), other.slots.iter().peekable());
        while let Some(slot) = [ours.peek(), theirs.peek()].into_iter().flatten().map(|s| s.0).min()
        {
            let known = |one: Option<&(SlotId, Interval)>| one.map(|(_, interval)| *interval);
            let ours = known(ours.next_if(|(ours, _)| *ours == slot));
            let theirs = known(theirs.next_if(|(theirs, _)| *theirs == slot));
            let range = ranges[slot.index()];
            let hull = ours.unwrap_or(range).hull(theirs.unwrap_or(range));
            if hull != range {
                joined.push((slot, hull));
            }
        }
        self.slots = joined;
        self.temps.iter_mut().for_each(|(temp, known)| *known = known.hull(other.temp(*temp)));
    }

    /// The values `term` may have, if it does not fail.
    pub fn eval(&self, term: &Term) -> Interval {
        homing_budget::checkpoint();
        match term {
            Term::Const(value) => Interval::point(*value),
            Term::Slot(slot) => self.slot(*slot),
            Term::Temp(temp) => self.temp(*temp),
            Term::Element { first, count, index } => self.element(*first, *count, self.eval(index)),
            Term::Unary(op, operand) => unary(*op, self.eval(operand)),
            Term::Binary(op, left, right) => binary(*op, self.eval(left), self.eval(right)),
            Term::Choose(condition, then, otherwise) => match truth(self.eval(condition)) {
                Some(true) => self.eval(then),
                Some(false) => self.eval(otherwise),
                None => self.eval(then).hull(self.eval(otherwise)),
            },
            Term::Wrap(range, term) => {
                let value = self.eval(term);
                if range.includes(value) { value } else { *range }
            }
            Term::Check(range, term, _) => self.eval(term).meet(*range).unwrap_or(*range),
            Term::NonZero(term, _) => non_zero(self.eval(term)),
        }
    }

    /// The values one of `count` slots from `first` on may have, whose index is
    /// one of these.
    pub(crate) fn element(&self, first: SlotId, count: u32, index: Interval) -> Interval {
        let bounds = Interval::new(0, i64::from(count) - 1);
        let index = index.meet(bounds).unwrap_or(bounds);
        let slots = (index.lo..=index.hi).map(|i| self.slot(SlotId(first.0 + i as u32)));
        slots.reduce(Interval::hull).unwrap_or(ANY)
    }

    /// Learns that `condition` is true, or false. Answers whether that is
    /// possible at all.
    pub fn assume(&mut self, condition: &Term, holds: bool) -> bool {
        match condition {
            // Their operands tell as much: deep terms are not evaluated at every
            // depth.
            Term::Binary(Binary::And, left, right) if holds => {
                return self.assume(left, true) && self.assume(right, true);
            }
            Term::Binary(Binary::Or, left, right) if !holds => {
                return self.assume(left, false) && self.assume(right, false);
            }
            Term::Binary(Binary::Imply, left, right) if !holds => {
                return self.assume(left, true) && self.assume(right, false);
            }
            Term::Unary(Unary::Not, operand) => return self.assume(operand, !holds),
            _ => {}
        }
        if truth(self.eval(condition)) == Some(!holds) {
            return false;
        }
        match condition {
            Term::Binary(op, left, right) => match comparison(*op, holds) {
                Some(op) => self.compare(op, left, right) && self.compare(mirror(op), right, left),
                None => true,
            },
            Term::Slot(_) => {
                let op = if holds { Binary::Ne } else { Binary::Eq };
                self.compare(op, condition, &Term::Const(0))
            }
            _ => true,
        }
    }

    /// Learns `left op right` about `left`, where that is a slot.
    fn compare(&mut self, op: Binary, left: &Term, right: &Term) -> bool {
        let Term::Slot(slot) = left else { return true };
        let Interval { lo, hi } = self.eval(right);
        let known = self.slot(*slot);
        let allowed = match op {
            Binary::Eq => Interval::new(lo, hi),
            Binary::Lt => Interval::new(i64::MIN, hi.saturating_sub(1)),
            Binary::Le => Interval::new(i64::MIN, hi),
            Binary::Gt => Interval::new(lo.saturating_add(1), i64::MAX),
            Binary::Ge => Interval::new(lo, i64::MAX),
            Binary::Ne if lo == hi && lo == known.lo => Interval::new(lo + 1, i64::MAX),
            Binary::Ne if lo == hi && lo == known.hi => Interval::new(i64::MIN, lo - 1),
            _ => ANY,
        };
        match known.meet(allowed) {
            Some(interval) => {
                if interval != known {
                    self.set_slot(*slot, interval);
                }
                true
            }
            None => false,
        }
    }
}

/// Whether all values are true, or all false.
pub fn truth(value: Interval) -> Option<bool> {
    if value == Interval::point(0) { Some(false) } else { (!value.contains(0)).then_some(true) }
}

/// The comparison that holds where `op` has the truth value `holds`.
fn comparison(op: Binary, holds: bool) -> Option<Binary> {
    let negated = negated(op)?;
    Some(if holds { op } else { negated })
}

/// The comparison that holds where `op` does not; none where `op` compares
/// nothing.
pub fn negated(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        Binary::Lt => Binary::Ge,
        Binary::Le => Binary::Gt,
        Binary::Gt => Binary::Le,
        Binary::Ge => Binary::Lt,
        _ => return None,
    })
}

/// The comparison with its sides exchanged.
fn mirror(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        other => other,
    }
}

/// Those of the values that are not zero, as far as an interval can tell.
pub(crate) fn non_zero(value: Interval) -> Interval {
    match value {
        Interval { lo: 0, hi } if hi > 0 => Interval::new(1, hi),
        Interval { lo, hi: 0 } if lo < 0 => Interval::new(lo, -1),
        other => other,
    }
}

/// The values `op` may have where its operand has one of these.
pub fn unary(op: Unary, Interval { lo, hi }: Interval) -> Interval {
    match op {
        Unary::Neg => Interval::new(hi.saturating_neg(), lo.saturating_neg()),
        Unary::BitNot => Interval::new(!hi, !lo),
        Unary::Not => decided(truth(Interval::new(lo, hi)).map(|value| !value)),
    }
}

fn decided(value: Option<bool>) -> Interval {
    value.map_or(Interval::TRUTH, |value| Interval::point(i64::from(value)))
}

/// The values `op` may have where its operands have some of these.
pub fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
    match op {
        Binary::Add => Interval::new(a.lo.saturating_add(b.lo), a.hi.saturating_add(b.hi)),
        Binary::Sub => Interval::new(a.lo.saturating_sub(b.hi), a.hi.saturating_sub(b.lo)),
        Binary::Mul => corners(a, b, |x, y| x.saturating_mul(y)),
        Binary::Div => divide(a, b),
        Binary::Rem => remainder(a, b),
        Binary::Shl => corners(a, b, |x, y| {
            let shifted = i128::from(x) << y.clamp(0, 62);
            shifted.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
        }),
        Binary::Shr => corners(a, b, |x, y| x >> y.clamp(0, 62)),
        Binary::BitAnd => bit_and(a, b),
        Binary::BitOr | Binary::BitXor => bit_or(a, b),
        Binary::Eq | Binary::Ne => {
            let equal = if a.meet(b).is_none() {
                Some(false)
            } else {
                (a.is_point() && a == b).then_some(true)
            };
            decided(equal.map(|equal| equal == (op == Binary::Eq)))
        }
        Binary::Lt => decided(less(a, b)),
        Binary::Gt => decided(less(b, a)),
        Binary::Le => decided(less(b, a).map(|less| !less)),
        Binary::Ge => decided(less(a, b).map(|less| !less)),
        Binary::And => decided(match (truth(a), truth(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Binary::Or => decided(match (truth(a), truth(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }),
        Binary::Imply => decided(match (truth(a), truth(b)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        }),
    }
}

fn less(a: Interval, b: Interval) -> Option<bool> {
    if a.hi < b.lo { Some(true) } else { (a.lo >= b.hi).then_some(false) }
}

fn corners(a: Interval, b: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
    let all = [op(a.lo, b.lo), op(a.lo, b.hi), op(a.hi, b.lo), op(a.hi, b.hi)];
    all.into_iter().map(Interval::point).reduce(Interval::hull).unwrap_or(ANY)
}

fn largest(a: Interval) -> i64 {
    a.lo.saturating_abs().max(a.hi.saturating_abs())
}

fn divide(a: Interval, b: Interval) -> Interval {
    if b.contains(0) {
        let most = largest(a);
        return Interval::new(-most, most);
    }
    corners(a, b, |x, y| x.checked_div(y).unwrap_or(i64::MAX))
}

fn remainder(a: Interval, b: Interval) -> Interval {
    let most = largest(a).min(largest(b).saturating_sub(1)).max(0);
    Interval::new(if a.lo < 0 { -most } else { 0 }, if a.hi > 0 { most } else { 0 })
}

/// All values of as many bits as `a` and `b` need.
fn bits(a: Interval, b: Interval) -> Interval {
    let need = |value: i64| 64 - if value < 0 { !value } else { value }.leading_zeros();
    let most = [a.lo, a.hi, b.lo, b.hi].into_iter().map(need).max().unwrap_or(63);
    let hi = if most >= 63 { i64::MAX } else { (1 << most) - 1 };
    Interval::new(if a.lo < 0 || b.lo < 0 { !hi } else { 0 }, hi)
}

fn bit_and(a: Interval, b: Interval) -> Interval {
    match (a.lo >= 0, b.lo >= 0) {
        (true, true) => Interval::new(0, a.hi.min(b.hi)),
        (true, false) => Interval::new(0, a.hi),
        (false, true) => Interval::new(0, b.hi),
        (false, false) => bits(a, b),
    }
}

fn bit_or(a: Interval, b: Interval) -> Interval {
    bits(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of every slot both ways are held, whichever of them knows it; what tells no more
    /// than its range is not kept, or chains of branches would be walked quadratically.
    #[test]
    fn where_ways_meet_both_are_held_and_no_news_is_forgotten() {
        let ranges = [Interval::new(0, 9); 6];
        let (mut one, mut other) = (Env::new(&ranges), Env::new(&ranges));
        for (env, known) in [
            (&mut one, [(4, (2, 3)), (0, (1, 1)), (1, (5, 12)), (3, (0, 4))]),
            (&mut other, [(5, (7, 7)), (0, (3, 3)), (2, (-1, 2)), (3, (2, 9))]),
        ] {
            for (slot, (lo, hi)) in known {
                env.set_slot(SlotId(slot), Interval::new(lo, hi));
            }
        }
        let mut joined = one.clone();
        joined.join(&other);
        for slot in (0..6).map(SlotId) {
            assert_eq!(joined.slot(slot), one.slot(slot).hull(other.slot(slot)), "{slot:?}");
        }
        let kept: Vec<u32> = joined.slots.iter().map(|(slot, _)| slot.0).collect();
        assert_eq!(kept, [0, 1, 2]);
    }

    /// Every operator on every pair of small intervals holds all results.
    #[test]
    fn operators_hold_all_results() {
        use Binary::*;
        let concrete = |op: Binary, x: i64, y: i64| -> Option<i64> {
            Some(match op {
                Add => x + y,
                Sub => x - y,
                Mul => x * y,
                Div => x.checked_div(y)?,
                Rem => x.checked_rem(y)?,
                Shl => (0..32).contains(&y).then(|| x << y)?,
                Shr => (0..32).contains(&y).then(|| x >> y)?,
                BitAnd => x & y,
                BitOr => x | y,
                BitXor => x ^ y,
                Eq => i64::from(x == y),
                Ne => i64::from(x != y),
                Lt => i64::from(x < y),
                Le => i64::from(x <= y),
                Gt => i64::from(x > y),
                Ge => i64::from(x >= y),
                And => i64::from(x != 0 && y != 0),
                Or => i64::from(x != 0 || y != 0),
                Imply => i64::from(x == 0 || y != 0),
            })
        };
        let all = [
            Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor, Eq, Ne, Lt, Le, Gt, Ge, And,
            Or, Imply,
        ];
        let intervals = || (-5..=5).flat_map(|lo| (lo..=5).map(move |hi| Interval::new(lo, hi)));
        for op in all {
            for a in intervals() {
                for b in intervals() {
                    let result = binary(op, a, b);
                    for x in a.lo..=a.hi {
                        for y in b.lo..=b.hi {
                            let Some(value) = concrete(op, x, y) else { continue };
                            assert!(result.contains(value), "{x} {op:?} {y} = {value}: {result:?}");
                        }
                    }
                }
            }
        }
    }

    /// Assuming a comparison keeps every value that satisfies it.
    #[test]
    fn assumptions_keep_what_satisfies_them() {
        use Binary::*;
        let ranges = [Interval::new(-3, 3), Interval::new(-2, 4)];
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            for holds in [true, false] {
                let term = Term::binary(op, Term::Slot(SlotId(0)), Term::Slot(SlotId(1)));
                let mut env = Env::new(&ranges);
                assert!(env.assume(&term, holds));
                for x in -3..=3 {
                    for y in -2..=4 {
                        let value = binary(op, Interval::point(x), Interval::point(y));
                        if truth(value) == Some(holds) {
                            assert!(env.slot(SlotId(0)).contains(x), "{x} {op:?} {y}");
                            assert!(env.slot(SlotId(1)).contains(y), "{x} {op:?} {y}");
                        }
                    }
                }
            }
        }
    }
}
