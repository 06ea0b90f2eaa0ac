//! Sets: what definitions may choose from, and what `in` asks.

use std::collections::HashMap;

use homing_ir::relation::{Binary, Constant, Domain, Term, TermId, Unary, VariableId};
use homing_ir::{Diagnostic, Span};

use super::instances::Model;
use super::values::{Type, Typed};
use crate::reading::Parse;

/// Ranges up to this long are gone through number by number where that is needed.
const MOST: i64 = 1 << 16;

impl Model<'_> {
    /// `a union b`, also `{a, b}`.
    pub fn union(&mut self, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let ty = match (a.ty.set(), b.ty.set()) {
            (Some(a), Some(b)) => a.common(b),
            _ => None,
        };
        let Some(ty) = ty else {
            let message = format!("a set cannot have {} and {}", a.ty.describe(), b.ty.describe());
            return self.fail(Diagnostic::error(message, span));
        };
        let made = self.relation.terms.union(a.term, b.term, span);
        let term = self.sorted(made, span)?;
        let fails = self.any([a.fails, b.fails], span)?;
        Ok(Typed { term, ty, fails })
    }

    /// Whether all of `a`, which may be a set, is in `b`.
    pub fn member_of(&mut self, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let fits = match (a.ty.set(), b.ty.set()) {
            (Some(a), Some(b)) => a.greater(b).is_some(),
            _ => false,
        };
        if !fits {
            let message =
                format!("`in` stands between {} and {}", a.ty.describe(), b.ty.describe());
            return self.fail(Diagnostic::error(message, span));
        }
        let numbers = b.ty.single() == Type::Int && a.ty.single() == Type::Int;
        let term = self.every(a.term, span, &mut |model, one| {
            model.some(b.term, span, &mut |model, set| model.equals(one, set, numbers, span))
        })?;
        let fails = self.any([a.fails, b.fails], span)?;
        Ok(Typed { term, ty: Type::Bool, fails })
    }

    /// Whether a value is that of a leaf of a set.
    fn equals(&mut self, one: TermId, leaf: TermId, numbers: bool, span: Span) -> Parse<TermId> {
        let Term::Range(low, high) = self.relation.terms.term(leaf) else {
            return self.binary(Binary::Equal, one, leaf, span);
        };
        if numbers {
            return self.between(one, low, high, span);
        }
        // A symbol cannot be compared with a number.
        if high - low >= MOST {
            let message =
                format!("the range {low}..{high} is too long to be compared with symbols");
            return self.fail(Diagnostic::error(message, span));
        }
        let mut any = self.never;
        for number in low..=high {
            let number = self.relation.terms.scalar(Constant::Int(number), span);
            let equal = self.binary(Binary::Equal, one, number, span)?;
            any = self.binary(Binary::Or, any, equal, span)?;
        }
        Ok(any)
    }

    fn between(&mut self, one: TermId, low: i64, high: i64, span: Span) -> Parse<TermId> {
        let low = self.relation.terms.scalar(Constant::Int(low), span);
        let high = self.relation.terms.scalar(Constant::Int(high), span);
        let below = self.binary(Binary::Less, one, low, span)?;
        let above = self.binary(Binary::Less, high, one, span)?;
        let outside = self.binary(Binary::Or, below, above, span)?;
        self.unary(Unary::Not, outside, span)
    }

    /// Whether something holds of some element of a set.
    fn some(
        &mut self,
        set: TermId,
        span: Span,
        of: &mut dyn FnMut(&mut Self, TermId) -> Parse<TermId>,
    ) -> Parse<TermId> {
        self.over(set, Binary::Or, span, of)
    }

    /// Whether something holds of every element of a set. Ranges are gone through.
    fn every(
        &mut self,
        set: TermId,
        span: Span,
        of: &mut dyn FnMut(&mut Self, TermId) -> Parse<TermId>,
    ) -> Parse<TermId> {
        self.over(set, Binary::And, span, &mut |model, leaf| {
            let Term::Range(low, high) = model.relation.terms.term(leaf) else {
                return of(model, leaf);
            };
            if high - low >= MOST {
                let message = format!("the set {low}..{high} is too large to stand before `in`");
                return model.fail(Diagnostic::error(message, span));
            }
            let mut all = model.relation.terms.bool(true, span);
            for number in low..=high {
                let number = model.relation.terms.scalar(Constant::Int(number), span);
                let one = of(model, number)?;
                all = model.binary(Binary::And, all, one, span)?;
            }
            Ok(all)
        })
    }

    /// Joins what is made of the leaves of a set: its unions by an operator, its choices as
    /// they are. Leaves and what is made of them come in order, parts first.
    fn over(
        &mut self,
        set: TermId,
        join: Binary,
        span: Span,
        of: &mut dyn FnMut(&mut Self, TermId) -> Parse<TermId>,
    ) -> Parse<TermId> {
        let mut done: HashMap<TermId, TermId> = HashMap::new();
        for id in self.skeleton(set) {
            homing_budget::checkpoint();
            let result = match self.relation.terms.term(id) {
                Term::Union(a, b) => self.binary(join, done[&a], done[&b], span)?,
                Term::Choose(condition, a, b) => {
                    let made = self.relation.terms.choose(condition, done[&a], done[&b], span);
                    self.sorted(made, span)?
                }
                _ => of(self, id)?,
            };
            done.insert(id, result);
        }
        Ok(done[&set])
    }

    /// The unions and choices that a set consists of, and its leaves, parts first.
    fn skeleton(&self, set: TermId) -> Vec<TermId> {
        let mut seen = std::collections::BTreeSet::from([set]);
        let mut left = vec![set];
        while let Some(id) = left.pop() {
            if let Term::Union(a, b) | Term::Choose(_, a, b) = self.relation.terms.term(id) {
                left.extend([a, b].into_iter().filter(|part| seen.insert(*part)));
            }
        }
        seen.into_iter().collect()
    }

    /// Whether all values of a variable are values of a domain.
    fn is_within(&self, id: VariableId, domain: &Domain) -> bool {
        match (&self.relation.variable(id).domain, domain) {
            (Domain::Range(a, b), Domain::Range(c, d)) => c <= a && b <= d,
            (a, b) => a == b,
        }
    }

    /// Whether a value, or one of those of a set, is none of a domain.
    pub fn outside(&mut self, set: TermId, domain: &Domain, span: Span) -> Parse<TermId> {
        let domain = domain.clone();
        self.some(set, span, &mut |model, leaf| {
            let inside = match (&domain, model.relation.terms.term(leaf)) {
                (_, Term::Variable(id) | Term::Next(id)) if model.is_within(id, &domain) => {
                    model.relation.terms.bool(true, span)
                }
                (Domain::Range(low, high), Term::Range(a, b)) => {
                    let inside = low <= &a && &b <= high;
                    model.relation.terms.bool(inside, span)
                }
                (Domain::Range(low, high), _) => model.between(leaf, *low, *high, span)?,
                (Domain::Enumeration(values), Term::Range(low, high)) => {
                    let inside = high - low < values.len() as i64
                        && (low..=high).all(|one| values.contains(&Constant::Int(one)));
                    model.relation.terms.bool(inside, span)
                }
                (Domain::Enumeration(values), _) => {
                    let mut any = model.never;
                    for value in values {
                        let value = model.relation.terms.scalar(*value, span);
                        let equal = model.binary(Binary::Equal, leaf, value, span)?;
                        any = model.binary(Binary::Or, any, equal, span)?;
                    }
                    any
                }
                _ => model.relation.terms.bool(true, span),
            };
            model.unary(Unary::Not, inside, span)
        })
    }
}
