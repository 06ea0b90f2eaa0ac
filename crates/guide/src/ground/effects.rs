//! Assignments as conditional effects: one for every combination of groups of
//! values of the slots that the term reads, as in a decision diagram: equal
//! branches are one, and what all branches agree on is not asked.

use homing_ir::system::{Interval, SlotId, Term};

use super::cover::domain;
use super::evaluate::{Resolved, Scope};
use super::{Constraint, Effect, Value, Values, Var};
use crate::hashing::hashed;

/// What one assignment does under some constraints.
pub(super) struct Assigned {
    pub effects: Vec<Effect>,
    /// Whether the effects give exactly the new values.
    pub exact: bool,
}

/// The effects of `slot := term` where `pre` holds, in at most about `limit`
/// cases and with about as much work as the scope allows.
pub(super) fn assign(
    scope: &mut Scope,
    pre: &[Constraint],
    slot: SlotId,
    term: &Term,
    limit: usize,
) -> Assigned {
    let Some(var) = scope.var(slot) else { return Assigned { effects: vec![], exact: true } };
    let before = scope.assume(pre);
    let own = domain(pre, scope, var);
    let own = if own.len() == 1 { own.iter().next() } else { None };
    let mut assignment = Assignment { scope, pre, slot, var, limit, exact: true };
    let effects = assignment.branch(term, own, 1);
    let exact = assignment.exact;
    scope.restore(before);
    Assigned { effects, exact }
}

struct Assignment<'s, 'a> {
    scope: &'s mut Scope<'a>,
    pre: &'s [Constraint],
    slot: SlotId,
    var: Var,
    limit: usize,
    exact: bool,
}

impl Assignment<'_, '_> {
    /// The effects where what the scope knows is so. `own` is the class of the
    /// assigned variable itself, where that is known; `width` the number of
    /// branches up here.
    fn branch(&mut self, term: &Term, own: Option<Value>, width: usize) -> Vec<Effect> {
        if matches!(self.scope.resolve(term), Resolved::Slot(slot) if slot == self.slot) {
            return Vec::new();
        }
        let (value, need) = self.scope.eval(term);
        let Some((slot, var)) = need.and_then(|slot| Some((slot, self.scope.var(slot)?))) else {
            return self.settled(term, value, own);
        };
        let domain = domain(self.pre, self.scope, var);
        let mut groups = self.scope.groups(slot, &domain, &[term]);
        let width = width.saturating_mul(groups.len());
        if width > self.limit || self.scope.is_exhausted() {
            return self.loose(term);
        }
        if slot == self.slot {
            // Values that become the same are not the same: one of them stays.
            groups = self.scope.singles(slot, &domain);
        }
        let mut branches: Vec<(u64, Values, Vec<Effect>)> = Vec::new();
        for group in groups {
            let own = if slot == self.slot { group.values.iter().next() } else { own };
            let before = self.scope.fix(slot, group.sample);
            let effects = self.branch(term, own, width);
            self.scope.put_back(before);
            let hash = hashed(&effects);
            match branches.iter_mut().find(|(other, _, same)| *other == hash && *same == effects) {
                Some((_, values, _)) => *values = values.union(&group.values),
                None => branches.push((hash, group.values, effects)),
            }
        }
        let mut all = Vec::new();
        for (_, values, effects) in branches {
            homing_budget::checkpoint();
            for mut effect in effects {
                if values != domain {
                    effect.conditions.push(Constraint { var, values: values.clone() });
                }
                all.push(effect);
            }
        }
        all
    }

    /// The effect where no slot makes the value any clearer.
    fn settled(&mut self, term: &Term, value: Interval, own: Option<Value>) -> Vec<Effect> {
        let values = self.scope.classes(self.var, value);
        if values.len() > 1 {
            return self.loose(term);
        }
        let stays = own.is_some_and(|own| {
            let class = self.scope.variables[self.var as usize].interval(own);
            class.is_point() && value == class
        });
        if values.is_empty() || stays {
            // A value outside the range is never assigned: the step fails.
            return Vec::new();
        }
        vec![Effect { conditions: Vec::new(), var: self.var, values, may: false }]
    }

    /// One effect that covers all that may become of it.
    fn loose(&mut self, term: &Term) -> Vec<Effect> {
        self.exact = false;
        let (mut values, mut may) = (Values::none(), false);
        self.outcomes(term, &mut values, &mut may);
        if values.is_empty() {
            return Vec::new();
        }
        vec![Effect { conditions: Vec::new(), var: self.var, values, may }]
    }

    fn outcomes(&self, term: &Term, values: &mut Values, may: &mut bool) {
        match self.scope.resolve(term) {
            Resolved::Slot(slot) if slot == self.slot => *may = true,
            Resolved::Slot(slot) => self.add(&Term::Slot(slot), values),
            Resolved::Term(Term::Choose(_, then, otherwise)) => {
                self.outcomes(then, values, may);
                self.outcomes(otherwise, values, may);
            }
            Resolved::Term(term) => self.add(term, values),
        }
    }

    fn add(&self, term: &Term, values: &mut Values) {
        let value = self.scope.eval(term).0;
        *values = values.union(&self.scope.classes(self.var, value));
    }
}
