//! Partial evaluation: the value of a term where some slots are known and
//! others are not, and which slot one should know next.
//!
//! Enumeration by this is lazy. `a[i]` needs `i` first, then only the element
//! chosen; `Choose` needs its condition first, then only the branch taken. And
//! it is by *groups* of values rather than by values: where all terms at hand
//! see a slot only through `p = 3`, its values make two groups.

use homing_ir::interval::{ANY, truth};
use homing_ir::network::Binary;
use homing_ir::system::{Interval, SlotId, Term};
use smallvec::SmallVec;

use super::arithmetic::{binary, short, unary, within, wrap};
use super::classes::Domains;
use super::{Constraint, Value, Values, Var, Variable};
use crate::hashing::FixedMap;

/// What is known of every slot.
pub(super) struct Scope<'a> {
    pub variables: &'a [Variable],
    /// The variable of every slot; none where the slot never changes.
    pub var_of: &'a [Option<Var>],
    /// What every variable can be in any reachable state.
    pub reachable: &'a [Values],
    /// The values every slot may have.
    value: Vec<Interval>,
    /// Whether there is no more to know of the slot than `value` says.
    fixed: Vec<bool>,
    /// How often terms were evaluated for one value of a slot after the other,
    /// and how often that may be.
    used: usize,
    most: usize,
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
    /// Nothing known but what is reachable, and the slots that never change.
    pub fn new(domains: &'a Domains, reachable: &'a [Values]) -> Scope<'a> {
        let Domains { variables, var_of, constants } = domains;
        let value = constants.iter().zip(var_of).map(|(constant, var)| match (constant, var) {
            (Some(constant), _) => Interval::point(*constant),
            (None, Some(var)) => variables[*var as usize].hull(&reachable[*var as usize]),
            (None, None) => ANY,
        });
        let fixed = |var: &Option<Var>| var.is_none_or(|var| reachable[var as usize].len() == 1);
        let fixed = var_of.iter().map(fixed).collect();
        Scope {
            variables,
            var_of,
            reachable,
            value: value.collect(),
            fixed,
            used: 0,
            most: usize::MAX,
        }
    }

    /// Allows so much more work from now on.
    pub fn allow(&mut self, work: usize) {
        self.most = self.used.saturating_add(work);
    }

    /// Whether there was more work than allowed.
    pub fn is_exhausted(&self) -> bool {
        self.used > self.most
    }

    /// The work done so far.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Notes that `terms` are evaluated for each of `values`.
    pub fn work(&mut self, values: &Values, terms: usize) {
        self.used += values.len() as usize * (terms + 1);
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
        self.set(variable.slot, variable.hull(values), values.len() == 1)
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
        let Some(index) = within(index, count) else { return (ANY, None) };
        if index.is_point() {
            return self.slot(element(first, index.lo));
        }
        let all = (index.lo..=index.hi).map(|i| self.value[element(first, i).index()]);
        settled(all.reduce(Interval::hull).unwrap_or(ANY), need)
    }

    fn binary(&self, op: Binary, left: &Term, right: &Term) -> (Interval, Option<SlotId>) {
        let (a, need) = self.eval(left);
        if let Some(value) = short(op, a) {
            return (Interval::point(value), None);
        }
        let (b, other) = self.eval(right);
        settled(binary(op, a, b), need.or(other))
    }

    /// Collects the slots, of which one is to be known next. Answers the values
    /// of the term.
    pub fn needs(&self, term: &Term, out: &mut Vec<SlotId>) -> Interval {
        let start = out.len();
        let value = match term {
            Term::Element { index, .. } => {
                self.needs(index, out);
                let (value, need) = self.eval(term);
                if out.len() == start {
                    out.extend(need);
                }
                value
            }
            Term::Choose(condition, then, otherwise) => match truth(self.needs(condition, out)) {
                None if out.len() > start => self.eval(term).0,
                taken => self.taken(taken, then, otherwise, start, out, Scope::needs),
            },
            _ => self.operands(term, out, Scope::needs),
        };
        if value.is_point() {
            out.truncate(start);
        }
        value
    }

    /// Collects all slots that are not fixed and that the value may depend on.
    /// Answers the values of the term.
    pub fn reads(&self, term: &Term, out: &mut Vec<SlotId>) -> Interval {
        let start = out.len();
        let value = match term {
            Term::Element { first, count, index } => {
                if let Some(index) = within(self.reads(index, out), *count) {
                    if index.is_point() {
                        out.truncate(start);
                    }
                    for i in index.lo..=index.hi {
                        homing_budget::checkpoint();
                        self.read(element(*first, i), out);
                    }
                }
                self.eval(term).0
            }
            Term::Choose(condition, then, otherwise) => {
                let taken = truth(self.reads(condition, out));
                self.taken(taken, then, otherwise, start, out, Scope::reads)
            }
            _ => self.operands(term, out, Scope::reads),
        };
        if value.is_point() {
            out.truncate(start);
        }
        value
    }

    /// Goes on with the branch that is taken, or with both.
    fn taken<'t, T>(
        &self,
        taken: Option<bool>,
        then: &'t Term,
        otherwise: &'t Term,
        start: usize,
        out: &mut Vec<T>,
        collect: fn(&Self, &'t Term, &mut Vec<T>) -> Interval,
    ) -> Interval {
        match taken {
            // What the condition looks at does not matter where it is decided.
            Some(taken) => {
                out.truncate(start);
                collect(self, if taken { then } else { otherwise }, out)
            }
            None => {
                let value = collect(self, then, out);
                value.hull(collect(self, otherwise, out))
            }
        }
    }

    /// Goes on with the operands of a term.
    fn operands(
        &self,
        term: &Term,
        out: &mut Vec<SlotId>,
        collect: fn(&Self, &Term, &mut Vec<SlotId>) -> Interval,
    ) -> Interval {
        match term {
            Term::Const(value) => Interval::point(*value),
            Term::Slot(slot) => self.read(*slot, out),
            Term::Unary(op, term) => unary(*op, collect(self, term, out)),
            Term::Wrap(range, term) => wrap(*range, collect(self, term, out)),
            Term::Check(range, term, _) => {
                let value = collect(self, term, out);
                value.meet(*range).unwrap_or(value)
            }
            Term::NonZero(term, _) => collect(self, term, out),
            Term::Binary(op, left, right) => {
                let a = collect(self, left, out);
                match short(*op, a) {
                    Some(value) => Interval::point(value),
                    None => binary(*op, a, collect(self, right, out)),
                }
            }
            Term::Temp(_) | Term::Element { .. } | Term::Choose(..) => ANY,
        }
    }

    fn read(&self, slot: SlotId, out: &mut Vec<SlotId>) -> Interval {
        let value = self.value[slot.index()];
        if !self.fixed[slot.index()] && !value.is_point() {
            note(slot, out);
        }
        value
    }

    /// The values of a slot, grouped by what the terms make of them.
    pub fn groups(&mut self, slot: SlotId, domain: &Values, terms: &[&Term]) -> Vec<Group> {
        let Some(var) = self.var(slot) else { return Vec::new() };
        let variable = &self.variables[var as usize];
        let mut views = Vec::new();
        for term in terms {
            homing_budget::checkpoint();
            if self.views(term, slot, &mut views).0 == Sees::Only {
                views.push(term);
            }
        }
        if views.iter().any(|view| matches!(view, Term::Slot(_) | Term::Element { .. })) {
            self.work(domain, 0);
            return self.singles(slot, domain);
        }
        self.work(domain, views.len());
        let mut groups: Vec<Group> = Vec::new();
        let mut same: FixedMap<SmallVec<[i64; 4]>, usize> = FixedMap::default();
        for value in domain.iter() {
            homing_budget::checkpoint();
            let sample = variable.interval(value);
            let before = self.fix(slot, sample);
            let seen = views.iter().map(|view| self.eval(view).0);
            let seen: Option<_> = seen.map(|seen| seen.is_point().then_some(seen.lo)).collect();
            self.put_back(before);
            let at = seen.map_or(groups.len(), |seen| *same.entry(seen).or_insert(groups.len()));
            match groups.get_mut(at) {
                Some(group) => group.values.insert(value),
                None => groups.push(Group { values: Values::one(value), sample }),
            }
        }
        groups
    }

    /// The values of a slot, each a group of its own.
    pub fn singles(&self, slot: SlotId, domain: &Values) -> Vec<Group> {
        let Some(var) = self.var(slot) else { return Vec::new() };
        let variable = &self.variables[var as usize];
        let single = |value| Group { values: Values::one(value), sample: variable.interval(value) };
        domain.iter().map(single).collect()
    }

    /// Collects the largest terms within that see only `slot`, and says what
    /// the term itself sees and what values it has.
    fn views<'t>(&self, term: &'t Term, slot: SlotId, out: &mut Vec<&'t Term>) -> (Sees, Interval) {
        let start = out.len();
        let (sees, value) = match term {
            Term::Const(value) => (Sees::Nothing, Interval::point(*value)),
            Term::Temp(_) => (Sees::Nothing, ANY),
            Term::Slot(s) => (self.sees(*s, slot), self.value[s.index()]),
            Term::Element { first, count, index } => {
                let (sees, at) = self.views(index, slot, out);
                let (value, at) = (self.eval(term).0, within(at, *count));
                match at {
                    None => (Sees::Nothing, value),
                    Some(at) if at.is_point() => {
                        out.truncate(start);
                        (self.sees(element(*first, at.lo), slot), value)
                    }
                    Some(at) => {
                        if at.contains(i64::from(slot.0) - i64::from(first.0)) {
                            // Which element is read is open: every value counts.
                            out.push(term);
                        }
                        if sees == Sees::Only {
                            out.push(index);
                        }
                        (Sees::Others, value)
                    }
                }
            }
            Term::Unary(op, inner) => {
                let (sees, value) = self.views(inner, slot, out);
                (sees, unary(*op, value))
            }
            Term::Wrap(range, inner) => {
                let (sees, value) = self.views(inner, slot, out);
                (sees, wrap(*range, value))
            }
            Term::Check(range, inner, _) => {
                let (sees, value) = self.views(inner, slot, out);
                (sees, value.meet(*range).unwrap_or(value))
            }
            Term::NonZero(inner, _) => self.views(inner, slot, out),
            Term::Binary(op, left, right) => {
                let (a, x) = self.views(left, slot, out);
                if let Some(value) = short(*op, x) {
                    (Sees::Nothing, Interval::point(value))
                } else {
                    let (b, y) = self.views(right, slot, out);
                    (together([(a, left), (b, right)], out), binary(*op, x, y))
                }
            }
            Term::Choose(condition, then, otherwise) => {
                let (a, taken) = self.views(condition, slot, out);
                match truth(taken) {
                    Some(taken) => {
                        out.truncate(start);
                        self.views(if taken { then } else { otherwise }, slot, out)
                    }
                    None => {
                        let (b, x) = self.views(then, slot, out);
                        let (c, y) = self.views(otherwise, slot, out);
                        (together([(a, condition), (b, then), (c, otherwise)], out), x.hull(y))
                    }
                }
            }
        };
        if value.is_point() {
            out.truncate(start);
            return (Sees::Nothing, value);
        }
        (sees, value)
    }

    /// What reading `read` sees of `slot`.
    fn sees(&self, read: SlotId, slot: SlotId) -> Sees {
        match read {
            read if read == slot => Sees::Only,
            read if self.fixed[read.index()] => Sees::Nothing,
            _ => Sees::Others,
        }
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
            Term::Element { first, count, index } => {
                match within(self.eval(index).0, *count).filter(|index| index.is_point()) {
                    Some(index) => Resolved::Slot(element(*first, index.lo)),
                    None => Resolved::Term(term),
                }
            }
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

    /// The least number of each of some classes.
    pub(super) fn numbers(&self, values: &Values) -> Vec<i64> {
        values.iter().map(|value| self.bounds[value as usize]).collect()
    }

    /// The numbers around some classes.
    pub(super) fn hull(&self, values: &Values) -> Interval {
        let (Some(first), Some(last)) = (values.first(), values.last()) else { return ANY };
        self.interval(first).hull(self.interval(last))
    }

    /// The classes that meet an interval.
    pub fn classes(&self, numbers: Interval) -> Values {
        match numbers.meet(Interval::new(self.bounds[0], self.last)) {
            Some(Interval { lo, hi }) => Values::range(self.class(lo), self.class(hi)),
            None => Values::none(),
        }
    }
}

/// What several operands see together; those that see only the slot are views
/// of their own where others see more.
fn together<'t, const N: usize>(operands: [(Sees, &'t Term); N], out: &mut Vec<&'t Term>) -> Sees {
    let only = operands.iter().filter(|(sees, _)| *sees == Sees::Only);
    if operands.iter().any(|(sees, _)| *sees == Sees::Others) {
        out.extend(only.map(|(_, term)| *term));
        return Sees::Others;
    }
    if only.count() > 0 { Sees::Only } else { Sees::Nothing }
}

fn element(first: SlotId, index: i64) -> SlotId {
    SlotId(first.0 + index as u32)
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
