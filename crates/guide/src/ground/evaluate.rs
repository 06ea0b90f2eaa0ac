//! Partial evaluation: the value of a term where some slots are known and
//! others are not, and which slot one should know next.
//!
//! Enumeration by this is lazy. `a[i]` needs `i` first, then only the element
//! chosen; `Choose` needs its condition first, then only the branch taken. And
//! it is by *groups* of values rather than by values: where all terms at hand
//! see a slot only through `p = 3`, its values make two groups.

use homing_ir::interval::{self, ANY, truth};
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Interval, SlotId, Term};

use super::{Constraint, Value, Values, Var, Variable};

/// What is known of every slot.
pub(super) struct Scope<'a> {
    pub variables: &'a [Variable],
    /// The variable of every slot; none where the slot never changes.
    pub var_of: &'a [Option<Var>],
    /// The values every slot may have.
    value: Vec<Interval>,
    /// Whether there is no more to know of the slot than `value` says.
    fixed: Vec<bool>,
}

/// What was known of a slot before, to be put back.
pub(super) type Before = (SlotId, Interval, bool);

/// Values of a slot that all terms at hand take for the same.
pub(super) struct Group {
    pub values: Values,
    /// One class of them, to evaluate with.
    pub sample: Interval,
}

impl<'a> Scope<'a> {
    /// Nothing known but the ranges, and the slots that never change.
    pub fn new(
        variables: &'a [Variable],
        var_of: &'a [Option<Var>],
        ranges: &[Interval],
        constants: &[Option<i64>],
    ) -> Scope<'a> {
        let value = ranges.iter().zip(constants);
        let value = value.map(|(range, constant)| constant.map_or(*range, Interval::point));
        let fixed = var_of.iter().map(Option::is_none).collect();
        Scope { variables, var_of, value: value.collect(), fixed }
    }

    /// The variable of a slot that is not fixed.
    pub fn var(&self, slot: SlotId) -> Option<Var> {
        self.var_of[slot.index()]
    }

    /// Notes all constraints. Answers what to put back.
    pub fn assume(&mut self, constraints: &[Constraint]) -> Vec<Before> {
        let each = constraints.iter().map(|c| self.restrict(c.var, &c.values));
        each.collect()
    }

    /// Notes that a variable has one of some values.
    pub fn restrict(&mut self, var: Var, values: &Values) -> Before {
        let variable = &self.variables[var as usize];
        let hull = values.iter().map(|value| variable.interval(value)).reduce(Interval::hull);
        self.set(variable.slot, hull.unwrap_or(ANY), values.len() == 1)
    }

    /// Notes that a slot is fixed to one class.
    pub fn fix(&mut self, slot: SlotId, class: Interval) -> Before {
        self.set(slot, class, true)
    }

    fn set(&mut self, slot: SlotId, value: Interval, fixed: bool) -> Before {
        let before = (slot, self.value[slot.index()], self.fixed[slot.index()]);
        self.value[slot.index()] = value;
        self.fixed[slot.index()] = fixed;
        before
    }

    /// Puts back what was known before, latest first.
    pub fn restore(&mut self, before: Vec<Before>) {
        before.into_iter().rev().for_each(|b| self.put_back(b));
    }

    /// Puts back what was known of one slot.
    pub fn put_back(&mut self, (slot, value, fixed): Before) {
        self.value[slot.index()] = value;
        self.fixed[slot.index()] = fixed;
    }

    /// The values of a term, and a slot that would make them fewer.
    pub fn eval(&self, term: &Term) -> (Interval, Option<SlotId>) {
        match term {
            Term::Const(value) => (Interval::point(*value), None),
            Term::Temp(_) => (ANY, None),
            Term::Slot(slot) => self.slot(*slot),
            Term::Element { first, count, index } => self.element(*first, *count, index),
            Term::Unary(op, term) => {
                let (value, need) = self.eval(term);
                settled(unary(*op, value), need)
            }
            Term::Binary(op, left, right) => self.binary(*op, left, right),
            Term::Choose(condition, then, otherwise) => {
                let (value, need) = self.eval(condition);
                match truth(value) {
                    Some(true) => self.eval(then),
                    Some(false) => self.eval(otherwise),
                    None => {
                        let (a, b) = (self.eval(then), self.eval(otherwise));
                        settled(a.0.hull(b.0), need.or(a.1).or(b.1))
                    }
                }
            }
            Term::Wrap(range, term) => {
                let (value, need) = self.eval(term);
                settled(wrap(*range, value), need)
            }
            Term::Check(range, term, _) => {
                let (value, need) = self.eval(term);
                settled(value.meet(*range).unwrap_or(value), need)
            }
            Term::NonZero(term, _) => self.eval(term),
        }
    }

    /// Whether a condition holds, if that is known.
    pub fn truth(&self, term: &Term) -> Option<bool> {
        truth(self.eval(term).0)
    }

    fn slot(&self, slot: SlotId) -> (Interval, Option<SlotId>) {
        let need = (!self.fixed[slot.index()]).then_some(slot);
        settled(self.value[slot.index()], need)
    }

    fn element(&self, first: SlotId, count: u32, index: &Term) -> (Interval, Option<SlotId>) {
        let (index, need) = self.eval(index);
        let Some(index) = index.meet(Interval::new(0, i64::from(count) - 1)) else {
            return (ANY, None);
        };
        let slot = |i: i64| SlotId(first.0 + i as u32);
        if index.is_point() {
            return self.slot(slot(index.lo));
        }
        let all = (index.lo..=index.hi).map(|i| self.value[slot(i).index()]);
        settled(all.reduce(Interval::hull).unwrap_or(ANY), need)
    }

    fn binary(&self, op: Binary, left: &Term, right: &Term) -> (Interval, Option<SlotId>) {
        let (a, need) = self.eval(left);
        let decided = match (op, truth(a)) {
            (Binary::And, Some(false)) => Some(0),
            (Binary::Or, Some(true)) | (Binary::Imply, Some(false)) => Some(1),
            _ => None,
        };
        if let Some(value) = decided {
            return (Interval::point(value), None);
        }
        let (b, other) = self.eval(right);
        settled(binary(op, a, b), need.or(other))
    }

    /// The slots, of which one is to be known next.
    pub fn needs(&self, term: &Term, out: &mut Vec<SlotId>) {
        if self.eval(term).1.is_none() {
            return;
        }
        match term {
            Term::Const(_) | Term::Temp(_) => {}
            Term::Slot(slot) => note(*slot, out),
            Term::Element { index, .. } => match self.eval(index).1 {
                Some(_) => self.needs(index, out),
                None => self.eval(term).1.into_iter().for_each(|slot| note(slot, out)),
            },
            Term::Unary(_, term)
            | Term::Wrap(_, term)
            | Term::Check(_, term, _)
            | Term::NonZero(term, _) => self.needs(term, out),
            Term::Binary(_, left, right) => {
                self.needs(left, out);
                self.needs(right, out);
            }
            Term::Choose(condition, then, otherwise) => match self.truth(condition) {
                Some(true) => self.needs(then, out),
                Some(false) => self.needs(otherwise, out),
                None if self.eval(condition).1.is_some() => self.needs(condition, out),
                None => {
                    self.needs(then, out);
                    self.needs(otherwise, out);
                }
            },
        }
    }

    /// All slots that are not fixed and that the value may depend on.
    pub fn reads(&self, term: &Term, out: &mut Vec<SlotId>) {
        if self.eval(term).0.is_point() {
            return;
        }
        let mut slot = |slot: SlotId| {
            if !self.fixed[slot.index()] && !self.value[slot.index()].is_point() {
                note(slot, out);
            }
        };
        match term {
            Term::Const(_) | Term::Temp(_) => {}
            Term::Slot(s) => slot(*s),
            Term::Element { first, count, index } => {
                let within = Interval::new(0, i64::from(*count) - 1);
                if let Some(index) = self.eval(index).0.meet(within) {
                    (index.lo..=index.hi).for_each(|i| slot(SlotId(first.0 + i as u32)));
                }
                self.reads(index, out);
            }
            Term::Unary(_, term)
            | Term::Wrap(_, term)
            | Term::Check(_, term, _)
            | Term::NonZero(term, _) => self.reads(term, out),
            Term::Binary(_, left, right) => {
                self.reads(left, out);
                self.reads(right, out);
            }
            Term::Choose(condition, then, otherwise) => {
                let taken = self.truth(condition);
                self.reads(condition, out);
                if taken != Some(false) {
                    self.reads(then, out);
                }
                if taken != Some(true) {
                    self.reads(otherwise, out);
                }
            }
        }
    }

    /// The values of a slot, grouped by what the terms make of them.
    pub fn groups(&mut self, slot: SlotId, domain: &Values, terms: &[&Term]) -> Vec<Group> {
        let Some(var) = self.var(slot) else { return Vec::new() };
        let variable = &self.variables[var as usize];
        let mut views = Vec::new();
        for term in terms {
            if self.views(term, slot, &mut views) == Sees::Only {
                views.push(term);
            }
        }
        let raw = views.iter().any(|view| matches!(view, Term::Slot(_) | Term::Element { .. }));
        let mut groups: Vec<(Vec<Interval>, Group)> = Vec::new();
        for value in domain.iter() {
            let sample = variable.interval(value);
            let before = self.fix(slot, sample);
            let seen: Vec<Interval> = views.iter().map(|view| self.eval(view).0).collect();
            self.put_back(before);
            let same = |(other, _): &&mut (Vec<Interval>, Group)| *other == seen;
            let known = seen.iter().all(|seen| seen.is_point());
            match groups.iter_mut().find(same).filter(|_| known && !raw) {
                Some((_, group)) => group.values.insert(value),
                None => groups.push((seen, Group { values: Values::one(value), sample })),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// The values of a slot, each a group of its own.
    pub fn singles(&self, slot: SlotId, domain: &Values) -> Vec<Group> {
        let Some(var) = self.var(slot) else { return Vec::new() };
        let variable = &self.variables[var as usize];
        let single = |value| Group { values: Values::one(value), sample: variable.interval(value) };
        domain.iter().map(single).collect()
    }

    /// Collects the largest terms within that see only `slot`, and says what
    /// the term itself sees.
    fn views<'t>(&self, term: &'t Term, slot: SlotId, out: &mut Vec<&'t Term>) -> Sees {
        if self.eval(term).0.is_point() {
            return Sees::Nothing;
        }
        match term {
            Term::Const(_) | Term::Temp(_) => Sees::Nothing,
            Term::Slot(s) if *s == slot => Sees::Only,
            Term::Slot(s) if self.fixed[s.index()] => Sees::Nothing,
            Term::Slot(_) => Sees::Others,
            Term::Element { first, count, index } => {
                let at = self.eval(index).0;
                let within = (first.0..first.0 + count).contains(&slot.0);
                let offset = i64::from(slot.0) - i64::from(first.0);
                if at.is_point() {
                    return if at.lo == offset { Sees::Only } else { Sees::Others };
                }
                if within && at.contains(offset) {
                    // Which element is read is open: every value counts.
                    out.push(term);
                }
                self.all([&**index], slot, out, true)
            }
            Term::Unary(_, term)
            | Term::Wrap(_, term)
            | Term::Check(_, term, _)
            | Term::NonZero(term, _) => self.all([&**term], slot, out, false),
            Term::Binary(_, left, right) => self.all([&**left, &**right], slot, out, false),
            Term::Choose(a, b, c) => self.all([&**a, &**b, &**c], slot, out, false),
        }
    }

    /// What several terms see together.
    fn all<'t, const N: usize>(
        &self,
        terms: [&'t Term; N],
        slot: SlotId,
        out: &mut Vec<&'t Term>,
        more: bool,
    ) -> Sees {
        let each = terms.map(|term| (self.views(term, slot, out), term));
        let others = more || each.iter().any(|(sees, _)| *sees == Sees::Others);
        let only = each.iter().filter(|(sees, _)| *sees == Sees::Only);
        if others {
            out.extend(only.map(|(_, term)| *term));
            return Sees::Others;
        }
        if only.count() > 0 { Sees::Only } else { Sees::Nothing }
    }

    /// The term itself, or the one within that it surely equals.
    pub fn resolve<'t>(&self, term: &'t Term) -> Resolved<'t> {
        match term {
            Term::Slot(slot) => Resolved::Slot(*slot),
            Term::Choose(condition, then, otherwise) => match self.truth(condition) {
                Some(true) => self.resolve(then),
                Some(false) => self.resolve(otherwise),
                None => Resolved::Term(term),
            },
            Term::Element { first, count, index } => match self.eval(index).0 {
                Interval { lo, hi } if lo == hi && (0..i64::from(*count)).contains(&lo) => {
                    Resolved::Slot(SlotId(first.0 + lo as u32))
                }
                _ => Resolved::Term(term),
            },
            Term::Check(_, inner, _) | Term::NonZero(inner, _) => self.slot_within(term, inner),
            Term::Wrap(range, inner) if range.includes(self.eval(inner).0) => {
                self.slot_within(term, inner)
            }
            _ => Resolved::Term(term),
        }
    }

    fn slot_within<'t>(&self, term: &'t Term, inner: &'t Term) -> Resolved<'t> {
        match self.resolve(inner) {
            Resolved::Slot(slot) => Resolved::Slot(slot),
            Resolved::Term(_) => Resolved::Term(term),
        }
    }

    /// The classes of a variable that meet an interval.
    pub fn classes(&self, var: Var, values: Interval) -> Values {
        self.variables[var as usize].classes(values)
    }
}

/// What is left of a term where its outermost choices are known.
pub(super) enum Resolved<'t> {
    Slot(SlotId),
    Term(&'t Term),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sees {
    Nothing,
    Only,
    Others,
}

impl Variable {
    /// The numbers of a class.
    pub fn interval(&self, value: Value) -> Interval {
        let next = self.bounds.get(value as usize + 1).map_or(self.last, |bound| bound - 1);
        Interval::new(self.bounds[value as usize], next)
    }

    /// The classes that meet an interval.
    pub fn classes(&self, numbers: Interval) -> Values {
        match numbers.meet(Interval::new(self.bounds[0], self.last)) {
            Some(Interval { lo, hi }) => (self.class(lo)..=self.class(hi)).collect(),
            None => Values::none(),
        }
    }
}

fn note(slot: SlotId, out: &mut Vec<SlotId>) {
    if !out.contains(&slot) {
        out.push(slot);
    }
}

/// A single value needs nothing more.
fn settled(value: Interval, need: Option<SlotId>) -> (Interval, Option<SlotId>) {
    (value, need.filter(|_| !value.is_point()))
}

fn unary(op: Unary, value: Interval) -> Interval {
    if !value.is_point() {
        return interval::unary(op, value);
    }
    Interval::point(match op {
        Unary::Neg => value.lo.wrapping_neg(),
        Unary::Not => i64::from(value.lo == 0),
        Unary::BitNot => !value.lo,
    })
}

fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
    if !a.is_point() || !b.is_point() {
        return interval::binary(op, a, b);
    }
    let (x, y) = (a.lo, b.lo);
    Interval::point(match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        // A step that divides by zero fails, so any value will do.
        Binary::Div | Binary::Rem if y == 0 => return ANY,
        Binary::Div => x.wrapping_div(y),
        Binary::Rem => x.wrapping_rem(y),
        Binary::Shl => x.wrapping_shl(y as u32),
        Binary::Shr => x.wrapping_shr(y as u32),
        Binary::BitAnd => x & y,
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        _ => return interval::binary(op, a, b),
    })
}

fn wrap(range: Interval, value: Interval) -> Interval {
    if range.includes(value) {
        return value;
    }
    if !value.is_point() {
        return range;
    }
    let size = i128::from(range.hi) - i128::from(range.lo) + 1;
    let offset = (i128::from(value.lo) - i128::from(range.lo)).rem_euclid(size);
    Interval::point((i128::from(range.lo) + offset) as i64)
}
