//! A space seen from one of its states, with some others as goals.
//!
//! To make a run shorter, a search looks for a shorter way from one of its
//! states to a later one.

use std::collections::BTreeSet;

use homing_core::{Batch, Edge, Expander, Space, Word};

/// A space around a space.
pub struct Between<'a> {
    inner: &'a dyn Space,
    start: &'a [Word],
    targets: &'a BTreeSet<&'a [Word]>,
    conditions: u64,
}

impl<'a> Between<'a> {
    /// Starts at `start`. Its only condition holds of the targets, and where
    /// one of these conditions of the inner space holds.
    pub fn new(
        inner: &'a dyn Space,
        start: &'a [Word],
        targets: &'a BTreeSet<&'a [Word]>,
        conditions: u64,
    ) -> Between<'a> {
        Between { inner, start, targets, conditions }
    }
}

impl Space for Between<'_> {
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
        Box::new(BetweenExpander { inner: self.inner.expander(), space: self })
    }
}

struct BetweenExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    space: &'a Between<'a>,
}

impl Expander for BetweenExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        out.push(self.space.start, Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.inner.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let reached = self.space.targets.contains(state)
            || self.inner.violated(state) & self.space.conditions != 0;
        u64::from(reached)
    }
}
