//! What guards, invariants and conditions say of clocks, ready to be applied.
//!
//! A constraint whose terms are numbers is an [`Atom`], the others are
//! evaluated in the state they are applied in. Conjunctions are numbered by
//! whoever made them: by part, or by component and location.

use std::ops::Range;

use homing_core::Word;
use homing_ir::layout::Field;
use homing_ir::system::Term;
use homing_ir::timing::{ClockTerm, Constraint, Difference};

use crate::zones::dbm::{Bound, Dbm, at_most, less_than};

/// A bound on the difference of two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Atom {
    pub left: u32,
    pub right: u32,
    pub bound: Bound,
}

/// Many conjunctions of constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conjunctions {
    atoms: Vec<Atom>,
    evaluated: Vec<Constraint>,
    ranges: Vec<(Range<u32>, Range<u32>)>,
    /// Constants beyond it say as much as it does.
    greatest: i32,
}

impl Conjunctions {
    /// None yet; of their constants, those beyond ±`greatest` count as it.
    pub fn new(greatest: i32) -> Conjunctions {
        Conjunctions { greatest, ..Conjunctions::default() }
    }

    /// Adds a conjunction, which gets the next number.
    pub fn push<'c>(&mut self, constraints: impl IntoIterator<Item = &'c Constraint>) {
        let starts = (self.atoms.len() as u32, self.evaluated.len() as u32);
        for constraint in constraints {
            match (&constraint.when, &constraint.left, &constraint.right, &constraint.bound) {
                (Term::Const(0), ..) => {}
                (
                    Term::Const(_),
                    ClockTerm::Clock(left),
                    ClockTerm::Clock(right),
                    Term::Const(bound),
                ) => {
                    let bound = self.bound(*bound, constraint.strict);
                    self.atoms.push(Atom { left: *left, right: *right, bound });
                }
                _ => self.evaluated.push(constraint.clone()),
            }
        }
        let ends = (self.atoms.len() as u32, self.evaluated.len() as u32);
        self.ranges.push((starts.0..ends.0, starts.1..ends.1));
    }

    /// How many there are: the number the next one gets.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    fn bound(&self, constant: i64, strict: bool) -> Bound {
        let greatest = i64::from(self.greatest);
        let constant = constant.clamp(-greatest, greatest) as i32;
        if strict { less_than(constant) } else { at_most(constant) }
    }

    /// Calls `visit` with the bounds of a conjunction in a state, until it
    /// answers no. Answers whether it never did.
    #[inline]
    pub fn each(
        &self,
        number: usize,
        fields: &[Field],
        state: &[Word],
        mut visit: impl FnMut(Atom) -> bool,
    ) -> bool {
        let (atoms, evaluated) = &self.ranges[number];
        self.atoms[atoms.start as usize..atoms.end as usize].iter().all(|atom| visit(*atom))
            && self.evaluated[evaluated.start as usize..evaluated.end as usize]
                .iter()
                .all(|constraint| self.atom(constraint, fields, state).is_none_or(&mut visit))
    }

    /// Keeps the values that satisfy a conjunction in a state. Answers whether
    /// there are any.
    #[inline]
    pub fn apply(&self, number: usize, fields: &[Field], state: &[Word], zone: &mut Dbm) -> bool {
        self.each(number, fields, state, |Atom { left, right, bound }| {
            zone.constrain(left as usize, right as usize, bound)
        })
    }

    fn atom(&self, constraint: &Constraint, fields: &[Field], state: &[Word]) -> Option<Atom> {
        let Difference { left, right, bound, strict } = constraint.at(fields, state)?;
        Some(Atom { left, right, bound: self.bound(bound, strict) })
    }
}
