//! A space without some of its steps, and without some of its violations.
//!
//! To find another counterexample, what the known ones have in common is
//! forbidden, and the search runs again. A state whose steps are all forbidden
//! has none in the batch, but is no deadlock: the model can go on there.

use std::collections::BTreeSet;

use homing_core::{Batch, Expander, Space, Word};

/// What is left out of a space.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restriction {
    /// For every label whether steps with it are left out; those behind the
    /// end are not.
    pub forbidden: Vec<bool>,
    /// States that do not count as violations, nor as deadlocks.
    pub known: BTreeSet<Vec<Word>>,
}

impl Restriction {
    fn forbids(&self, label: u32) -> bool {
        self.forbidden.get(label as usize).copied().unwrap_or(false)
    }
}

/// A space around a space.
pub struct Restricted<'a> {
    inner: &'a dyn Space,
    restriction: &'a Restriction,
}

impl<'a> Restricted<'a> {
    /// The space without what is left out.
    pub fn new(inner: &'a dyn Space, restriction: &'a Restriction) -> Restricted<'a> {
        Restricted { inner, restriction }
    }
}

impl Space for Restricted<'_> {
    fn width(&self) -> usize {
        self.inner.width()
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.inner)
    }

    fn cover(&self) -> Option<&dyn homing_core::Cover> {
        self.inner.cover()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(RestrictedExpander {
            inner: self.inner.expander(),
            restriction: self.restriction,
            batch: Batch::new(self.inner.width()),
        })
    }
}

struct RestrictedExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    restriction: &'a Restriction,
    batch: Batch,
}

impl Expander for RestrictedExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.inner.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.batch.clear();
        self.inner.expand(state, &mut self.batch);
        for i in 0..self.batch.len() {
            let edge = self.batch.edge(i);
            if !self.restriction.forbids(edge.label) {
                out.push(self.batch.state(i), edge);
            }
        }
        let faults = self.batch.faults().iter();
        faults
            .filter(|fault| !self.restriction.forbids(fault.edge.label))
            .for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock() && !self.restriction.known.contains(state));
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        match self.restriction.known.contains(state) {
            true => 0,
            false => self.inner.violated(state),
        }
    }
}
