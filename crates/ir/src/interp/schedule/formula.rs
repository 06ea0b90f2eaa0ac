//! Conditions as bounds on the differences of times.

use super::forms::NOTHING;
use super::{Point, SHIFT};
use crate::interp::time::is_comparison;
use crate::interp::{Interpreter, RuntimeError};
use crate::network::{Binary, Expr, ExprKind, Unary};
use crate::wellformed::mentions_clock;

/// `T[left] − T[right] ≺ bound`, where `≺` is `<` or `<=`; of forms, where clocks stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Atom {
    pub left: usize,
    pub right: usize,
    pub bound: i64,
    pub strict: bool,
}

/// A condition, negations pushed inwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Formula {
    True,
    False,
    Atom(Atom),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    /// The conjunction.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::All(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        if kept.is_empty() { Formula::True } else { Formula::All(kept) }
    }

    /// The disjunction.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Any(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        if kept.is_empty() { Formula::False } else { Formula::Any(kept) }
    }

    /// The opposite.
    pub fn negated(self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Atom(Atom { left, right, bound, strict }) => {
                let turned = Atom { left: right, right: left, bound: -bound, strict: !strict };
                turned.simplified()
            }
            Formula::All(parts) => Formula::any(parts.into_iter().map(Formula::negated)),
            Formula::Any(parts) => Formula::all(parts.into_iter().map(Formula::negated)),
        }
    }

    /// Conjunctions one of which holds where the formula does; no more than `most`,
    /// what goes beyond is left out.
    pub fn cases(self, most: usize) -> Vec<Vec<Atom>> {
        match self {
            Formula::True => vec![Vec::new()],
            Formula::False => Vec::new(),
            Formula::Atom(atom) => vec![vec![atom]],
            Formula::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.cases(most - all.len()));
                }
                all
            }
            Formula::All(parts) => {
                let mut all: Vec<Vec<Atom>> = vec![Vec::new()];
                for part in parts {
                    let cases = part.cases(most);
                    let joined = all.iter().flat_map(|before| {
                        cases.iter().map(move |case| [&before[..], &case[..]].concat())
                    });
                    all = joined.take(most).collect();
                }
                all
            }
        }
    }
}

impl Atom {
    /// What it says; of one time, that is known.
    fn simplified(self) -> Formula {
        if self.left != self.right {
            return Formula::Atom(self);
        }
        let holds = if self.strict { 0 < self.bound } else { 0 <= self.bound };
        if holds { Formula::True } else { Formula::False }
    }
}

impl Interpreter<'_> {
    /// What an expression, or its negation, says of times when it is looked at at
    /// the time `now`. The recursion is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    pub(super) fn formula(
        &self,
        point: &Point,
        now: usize,
        expr: &Expr,
        positive: bool,
    ) -> Result<Formula, RuntimeError> {
        match &expr.kind {
            // Where clocks stop, the execution of the run has the word.
            ExprKind::Deadlock if self.stopwatches => Ok(Formula::True),
            ExprKind::Deadlock => {
                let deadlock = self.deadlock_at(point, now)?;
                Ok(if positive { deadlock } else { deadlock.negated() })
            }
            ExprKind::Unary(Unary::Not, operand) => self.formula(point, now, operand, !positive),
            ExprKind::Binary(op @ (Binary::And | Binary::Or | Binary::Imply), left, right) => {
                let first = positive != (*op == Binary::Imply);
                let left = self.formula(point, now, left, first)?;
                // Where the left operand decides, the right one is not looked at.
                let conjunction = (*op == Binary::And) == positive;
                match (conjunction, &left) {
                    (true, Formula::False) | (false, Formula::True) => return Ok(left),
                    _ => {}
                }
                let right = self.formula(point, now, right, positive)?;
                Ok(if conjunction {
                    Formula::all([left, right])
                } else {
                    Formula::any([left, right])
                })
            }
            ExprKind::Choose(condition, yes, no) if self.speaks_of_time(expr) => {
                let holds = self.formula(point, now, condition, true)?;
                let not = holds.clone().negated();
                let (yes, no) = (
                    self.formula(point, now, yes, positive),
                    self.formula(point, now, no, positive),
                );
                match (&holds, &not) {
                    (Formula::True, _) => yes,
                    (_, Formula::True) => no,
                    _ => Ok(Formula::any([Formula::all([holds, yes?]), Formula::all([not, no?])])),
                }
            }
            ExprKind::Binary(op, left, right)
                if is_comparison(*op) && mentions_clock(self.network, expr) =>
            {
                self.comparison(point, now, *op, left, right, positive)
            }
            _ => {
                let holds = self.eval(&point.state, expr)? != 0;
                Ok(if holds == positive { Formula::True } else { Formula::False })
            }
        }
    }

    /// Whether the value of a condition depends on more than discrete values.
    fn speaks_of_time(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Deadlock => true,
            ExprKind::Unary(_, operand) => self.speaks_of_time(operand),
            ExprKind::Binary(_, left, right) => {
                self.speaks_of_time(left) || self.speaks_of_time(right)
            }
            ExprKind::Choose(condition, yes, no) => {
                [condition, yes, no].iter().any(|part| self.speaks_of_time(part))
            }
            _ => mentions_clock(self.network, expr),
        }
    }

    fn comparison(
        &self,
        point: &Point,
        now: usize,
        op: Binary,
        left: &Expr,
        right: &Expr,
        positive: bool,
    ) -> Result<Formula, RuntimeError> {
        let view = self.view(&point.state);
        // left − right = T[plus] − T[minus] + number, or the same of forms
        let start = if self.stopwatches { NOTHING } else { now };
        let (mut plus, mut minus, mut number) = (start, start, 0i128);
        for (side, kept) in [(left, true), (right, false)] {
            let sum = self.sum(side);
            let part = self.number(view, &sum)?;
            number += if kept { part } else { -part };
            for (added, clock) in sum.clocks {
                let value = self.read(view, clock)?;
                let (set, offset) = ((value >> SHIFT) - 1, value & ((1 << SHIFT) - 1));
                number += if added == kept { i128::from(offset) } else { -i128::from(offset) };
                // The later a clock was set, the less it shows; the greater its form, the more.
                match (added == kept) == self.stopwatches {
                    true => plus = set as usize,
                    false => minus = set as usize,
                }
            }
        }
        let bound = -(number.clamp(-(1 << 60), 1 << 60) as i64);
        let at_most = |strict| Atom { left: plus, right: minus, bound, strict }.simplified();
        let at_least =
            |strict| Atom { left: minus, right: plus, bound: -bound, strict }.simplified();
        let formula = match op {
            Binary::Lt => at_most(true),
            Binary::Le => at_most(false),
            Binary::Gt => at_least(true),
            Binary::Ge => at_least(false),
            Binary::Ne => Formula::any([at_most(true), at_least(true)]),
            _ => Formula::all([at_most(false), at_least(false)]),
        };
        Ok(if positive { formula } else { formula.negated() })
    }
}
