//! A space whose states remember what kind of step they were reached by.
//!
//! Searches that count context switches (Musuvathi, Qadeer, "Iterative context
//! bounding for systematic testing of multithreaded programs", PLDI 2007) must
//! tell a state apart by who moved last: going on with another process costs a
//! switch from the one and none from the other. One word is added to every
//! state: zero at first, then one more than the class of the last step.

use homing_core::{Batch, Expander, Space, Word};

/// A space around a space.
pub struct Remembering<'a> {
    inner: &'a dyn Space,
    /// For every label, the class of its steps.
    classes: &'a [u32],
}

impl<'a> Remembering<'a> {
    /// Remembers the class of the last step, by its label.
    pub fn new(inner: &'a dyn Space, classes: &'a [u32]) -> Remembering<'a> {
        Remembering { inner, classes }
    }
}

impl Space for Remembering<'_> {
    fn width(&self) -> usize {
        self.inner.width() + 1
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.inner)
    }

    fn cover(&self) -> Option<&dyn homing_core::Cover> {
        self.inner.cover()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(RememberingExpander {
            inner: self.inner.expander(),
            classes: self.classes,
            batch: Batch::new(self.inner.width()),
            state: vec![0; self.width()],
        })
    }
}

struct RememberingExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    classes: &'a [u32],
    batch: Batch,
    state: Vec<Word>,
}

impl RememberingExpander<'_> {
    /// Hands over the inner successors, each with its word.
    fn hand_over(&mut self, initial: bool, out: &mut Batch) {
        let width = self.state.len() - 1;
        for i in 0..self.batch.len() {
            let edge = self.batch.edge(i);
            self.state[..width].copy_from_slice(self.batch.state(i));
            let class = if initial { 0 } else { self.classes[edge.label as usize] + 1 };
            self.state[width] = Word::from(class);
            out.push(&self.state, edge);
        }
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
    }
}

impl Expander for RememberingExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.hand_over(true, out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.batch.clear();
        self.inner.expand(&state[..state.len() - 1], &mut self.batch);
        self.hand_over(false, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(&state[..state.len() - 1])
    }
}
