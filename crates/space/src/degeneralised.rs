//! A space with one acceptance set instead of several.
//!
//! One word is added to every state, its *level*: the number of acceptance sets, in a
//! fixed order, that were passed since the last step that accepts. A step of the first
//! set that is still missing raises the level; if it is also in those after it, by as
//! many as it is in one after the other (Gastin, Oddoux, "Fast LTL to Büchi Automata
//! Translation", CAV 2001). A step that passes the last set accepts, and at once begins
//! the next count. A run passes all sets again and again if, and only if, it accepts
//! again and again. Pairs stay what they are, their marks behind that of the one set.

use homing_core::{Batch, Class, Classes, Expander, Space, Word};

/// A space around a space.
pub struct Degeneralised<'a> {
    inner: &'a dyn Space,
}

impl<'a> Degeneralised<'a> {
    /// The space with its acceptance sets counted through.
    pub fn new(inner: &'a dyn Space) -> Degeneralised<'a> {
        Degeneralised { inner }
    }
}

impl Space for Degeneralised<'_> {
    fn width(&self) -> usize {
        self.inner.width() + 1
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.inner)
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    fn streett_pairs(&self) -> u32 {
        self.inner.streett_pairs()
    }

    fn classes(&self) -> Option<&dyn Classes> {
        self.inner.classes().is_some().then_some(self)
    }

    fn needs_proviso(&self) -> bool {
        self.inner.needs_proviso()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(DegeneralisedExpander {
            inner: self.inner.expander(),
            sets: self.inner.acceptance_sets(),
            batch: Batch::new(self.inner.width()),
            state: vec![0; self.width()],
        })
    }
}

impl Classes for Degeneralised<'_> {
    fn class(&self, state: &[Word]) -> Class {
        let none = Class { component: 0, accepts: homing_core::Accepts::Some };
        self.inner.classes().map_or(none, |inner| inner.class(&state[..state.len() - 1]))
    }
}

struct DegeneralisedExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    sets: u32,
    batch: Batch,
    state: Vec<Word>,
}

impl DegeneralisedExpander<'_> {
    /// The level after a step in the sets `marks`, and whether the step accepts.
    fn after(&self, level: Word, marks: u64) -> (Word, bool) {
        let raised = self.raised(level, marks);
        match raised == Word::from(self.sets) {
            false => (raised, false),
            true => (self.raised(0, marks) % Word::from(self.sets.max(1)), true),
        }
    }

    fn raised(&self, level: Word, marks: u64) -> Word {
        let missing = !(marks >> level);
        (level + Word::from(missing.trailing_zeros())).min(Word::from(self.sets))
    }

    /// The marks of pairs, behind one set instead of all.
    fn pairs(&self, marks: u64) -> u64 {
        marks.checked_shr(self.sets).map_or(0, |pairs| pairs << 1)
    }

    /// Hands over the inner successors of a state on this level.
    fn hand_over(&mut self, level: Option<Word>, out: &mut Batch) {
        let width = self.state.len() - 1;
        for i in 0..self.batch.len() {
            let (next, accepts) =
                level.map_or((0, false), |level| self.after(level, self.batch.marks(i)));
            self.state[..width].copy_from_slice(self.batch.state(i));
            self.state[width] = next;
            let marks = u64::from(accepts) | self.pairs(self.batch.marks(i));
            out.push_marked(&self.state, self.batch.edge(i), marks);
        }
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
        out.set_ample(self.batch.ample());
        out.set_requested(self.pairs(self.batch.requested()));
    }
}

impl Expander for DegeneralisedExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.hand_over(None, out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let width = state.len() - 1;
        self.batch.clear();
        self.inner.expand(&state[..width], &mut self.batch);
        self.hand_over(Some(state[width]), out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(&state[..state.len() - 1])
    }
}
