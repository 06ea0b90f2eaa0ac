//! What clocks show that stand still at times.
//!
//! Where clocks stop, what one shows is no difference of two times any more, but the
//! sum of the delays during which it ran, plus the number it was set to. Such a sum is
//! a *form*. Forms have numbers, which take the place of times in the bounds of
//! [`Formula`](super::formula::Formula): form 0 is zero, and of `x ≤ 3` the left
//! form is x's, the right one 0.
//!
//! ```text
//! a clock is set to a number:  its form is 0
//! a clock is set to another:   its form is the other's
//! the delay before action i:   form' = form + T[i] − T[i − 1]    where it runs
//! ```
//! A bound on forms is a bound on a sum of times, times 1, −1 or whatever adds up; it
//! is solved by `simplex`.

use std::collections::BTreeMap;

use super::formula::Atom;
use super::simplex::{Simplex, Sum};
use super::{SHIFT, State};
use crate::interp::Interpreter;

/// The form that is zero.
pub(super) const NOTHING: usize = 0;

/// The forms of a run, and when no time passes.
pub(super) struct Forms {
    /// Each but the first, by its number less one: another form, and the number of
    /// the delay that it has more.
    made: Vec<(usize, usize)>,
    known: BTreeMap<(usize, usize), usize>,
    /// Times that are the same as the one before.
    same: Vec<usize>,
}

impl Forms {
    pub fn new() -> Forms {
        Forms { made: Vec::new(), known: BTreeMap::new(), same: Vec::new() }
    }

    /// No time passes before the time `now`.
    pub fn still(&mut self, now: usize) {
        self.same.push(now);
    }

    /// The form with the delay before the time `now` added.
    fn longer(&mut self, form: usize, now: usize) -> usize {
        let made = &mut self.made;
        *self.known.entry((form, now)).or_insert_with(|| {
            made.push((form, now));
            made.len()
        })
    }

    /// Adds a form, `factor` times, to a sum of times.
    fn add(&self, mut form: usize, factor: i64, sum: &mut Sum) {
        while let Some((rest, now)) = form.checked_sub(1).and_then(|at| self.made.get(at)) {
            *sum.entry(*now).or_default() += factor;
            *sum.entry(now - 1).or_default() -= factor;
            form = *rest;
        }
    }

    /// Times, from 0 on, that satisfy the bounds, in parts of a unit.
    pub fn solve(&self, times: usize, atoms: &[Atom]) -> Option<(Vec<i64>, i64)> {
        let mut simplex = Simplex::new(times);
        simplex.at_most(&Sum::from([(0, 1)]), 0, false);
        for now in 1..times {
            simplex.at_most(&Sum::from([(now - 1, 1), (now, -1)]), 0, false);
        }
        for now in &self.same {
            simplex.at_most(&Sum::from([(now - 1, -1), (*now, 1)]), 0, false);
        }
        for Atom { left, right, bound, strict } in atoms {
            let mut sum = Sum::new();
            self.add(*left, 1, &mut sum);
            self.add(*right, -1, &mut sum);
            simplex.at_most(&sum, *bound, *strict);
        }
        simplex.solve(times)
    }
}

impl Interpreter<'_> {
    /// Lets the delay before the time `now` pass for the clocks that run.
    pub(super) fn advance(&self, state: &mut State, now: usize, forms: &mut Forms) {
        let standing = self.standing(state);
        for clock in self.clocks.iter().filter(|clock| !standing.contains(clock)) {
            let value = &mut state.values[*clock];
            let (form, offset) = ((*value >> SHIFT) - 1, *value & ((1 << SHIFT) - 1));
            let longer = forms.longer(form as usize, now) as i64;
            *value = ((longer + 1) << SHIFT) + offset;
        }
    }
}
