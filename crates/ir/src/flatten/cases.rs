//! Conditions to search for that say something of clocks: their disjunctive normal form is
//! the cases of a [`TimedCondition`].

use super::clocks::{Literal, Shape, both, evaluated, harmless};
use super::{Flattener, Wanted};
use crate::network::Binary;
use crate::source::Span;
use crate::system::Term;
use crate::timing::{Case, TimedCondition};

/// The most cases of a condition.
const MOST_CASES: usize = 1024;

impl Flattener<'_> {
    /// The cases of a condition; none where it is of the discrete part alone.
    pub(super) fn condition(&mut self, wanted: &Wanted) -> TimedCondition {
        let Wanted { expr, assertions, .. } = wanted;
        if !self.is_timed(expr) {
            return TimedCondition::default();
        }
        let mut cases = self.cases(Literal { expr, holds: true });
        if let Some(trap) = self.system.trap.filter(|_| *assertions) {
            cases.push(Case::of(Term::is(trap, 1)));
        }
        if cases.is_empty() {
            cases.push(Case::of(Term::Const(0)));
        }
        TimedCondition { cases }
    }

    fn cases(&mut self, literal: Literal) -> Vec<Case> {
        let span = literal.expr.span;
        match self.shape(literal) {
            Shape::Discrete => vec![Case::of(self.literal(literal))],
            Shape::Deadlock(holds) => {
                vec![Case { deadlock: Some(holds), ..Case::of(Term::Const(1)) }]
            }
            Shape::Both(left, right) => {
                let (left, right) = (self.cases(left), self.cases(right));
                self.product(&left, &right, span)
            }
            Shape::Either(left, right) => {
                let mut cases = self.cases(left);
                // Where the left side fails, the right one is not looked at.
                let fails = cases.iter().map(|case| &case.term).filter(|term| term.may_fail());
                let fails = fails.cloned().map(|term| Case::of(harmless(term)));
                let first: Vec<Case> = fails.take(1).collect();
                let right = self.cases(right);
                match &first[..] {
                    [] => cases.extend(right),
                    first => cases.extend(self.product(first, &right, span)),
                }
                cases
            }
            Shape::Choice(condition, then, otherwise) => {
                let no = Literal { holds: false, ..condition };
                let mut cases = Vec::new();
                for (condition, value) in [(condition, then), (no, otherwise)] {
                    let (condition, value) = (self.cases(condition), self.cases(value));
                    cases.extend(self.product(&condition, &value, span));
                }
                cases
            }
            Shape::Bound(op, left, right) => {
                let bounds = self.bound(op, left, right, &Term::Const(1)).unwrap_or_default();
                let terms = bounds.iter().take(1).flat_map(|bound| bound.terms().skip(1));
                let mut term = Term::Const(1);
                terms.for_each(|part| evaluated(&Term::Const(1), part, &mut term));
                let case = |clocks| Case { clocks, ..Case::of(term.clone()) };
                match op {
                    Binary::Ne => bounds.into_iter().map(|bound| case(vec![bound])).collect(),
                    _ => vec![case(bounds)],
                }
            }
            Shape::Other => {
                self.problem("a clock cannot be read here", span);
                Vec::new()
            }
        }
    }

    fn product(&mut self, left: &[Case], right: &[Case], span: Span) -> Vec<Case> {
        if left.len() * right.len() > MOST_CASES {
            self.problem("the condition is too complicated: it has too many cases", span);
            return Vec::new();
        }
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a, b)));
        pairs.filter_map(|(a, b)| a.and(b)).collect()
    }
}

impl Case {
    fn of(term: Term) -> Case {
        Case { term, clocks: Vec::new(), deadlock: None }
    }

    /// Both, unless they exclude each other.
    fn and(&self, other: &Case) -> Option<Case> {
        let deadlock = match (self.deadlock, other.deadlock) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        let clocks = self.clocks.iter().chain(&other.clocks).cloned().collect();
        Some(Case { term: both(self.term.clone(), other.term.clone()), clocks, deadlock })
    }
}
