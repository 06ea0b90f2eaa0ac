//! Liveness as safety: a space that guesses where a loop begins.
//!
//! Biere, Artho, Schuppan, "Liveness checking as safety checking" (FMICS 2002);
//! Schuppan, Biere, "Efficient reduction of finite state model checking to
//! reachability analysis" (STTT 2004). A run that is accepted is a lasso: a state
//! comes back, and in between steps of every acceptance set were taken. So the space
//! may, once, record the state it is in; whoever then comes back to it with all sets
//! seen has found a lasso, and that is an ordinary goal.
//!
//! ```text
//! (s, –, ∅)  →  (s', –, ∅)            s → s'
//! (s, –, ∅)  →  (s', s, marks)        s → s' by a step in these sets
//! (s, r, m)  →  (s', r, m ∪ marks)
//! goal:         (r, r, all sets)
//! ```
//! The recording rides on a transition, so a path to the goal is as long as stem
//! and loop together, and shortest paths are shortest lassos of the product. Every
//! strategy can be used that finds goals; the price is a state space of the size
//! of all pairs (s, r).
//!
//! What the authors do by a symbolic engine is here done state by state; what the
//! automaton says saves pairs: a loop stays in one strongly connected component
//! of the automaton, one with transitions of all sets. Elsewhere nothing is recorded,
//! and what leaves it is dropped. Condition 0 holds also where the product's does: a
//! violation that needs no loop.

use homing_core::{Batch, Edge, Expander, Space, Word};

use crate::Product;

/// The bit that says that something was recorded; those below it say which sets
/// were seen since.
const RECORDED: Word = 1 << 63;

/// A space around a product.
pub struct LivenessToSafety<'a> {
    product: &'a Product<'a>,
    all_sets: u64,
    /// By how much the labels of steps that record are apart from others.
    apart: u32,
}

impl<'a> LivenessToSafety<'a> {
    /// Records states of the product; or says why not.
    pub fn new(product: &'a Product<'a>) -> Result<LivenessToSafety<'a>, String> {
        if product.streett_pairs() > 0 {
            return Err("coming back to a recorded state does not show strong fairness".into());
        }
        let sets = product.acceptance_sets();
        if sets > 63 {
            return Err(format!("recording has room for 63 acceptance sets, not {sets}"));
        }
        let apart = product.labels();
        Ok(LivenessToSafety { product, all_sets: (1 << sets) - 1, apart })
    }

    /// The words of the product, which come first.
    pub fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.product.width()]
    }

    /// Whether something is recorded in a state.
    pub fn has_recorded(&self, state: &[Word]) -> bool {
        state[self.product.width()] & RECORDED != 0
    }

    /// Whether the step with this label records the state it leaves: the loop
    /// begins there.
    pub fn records(&self, label: u32) -> bool {
        label >= self.apart
    }
}

impl Space for LivenessToSafety<'_> {
    fn width(&self) -> usize {
        2 * self.product.width() + 1
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.product)
    }

    fn labels(&self) -> u32 {
        self.apart.saturating_mul(2)
    }

    fn project<'s>(&self, state: &'s [Word], edge: Edge) -> Option<(&'s [Word], Edge)> {
        let label = edge.label - if self.records(edge.label) { self.apart } else { 0 };
        self.product.project(self.own(state), Edge { label, ..edge })
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(SafetyExpander {
            space: self,
            product: self.product.expander(),
            batch: Batch::new(self.product.width()),
            state: vec![0; self.width()],
        })
    }
}

struct SafetyExpander<'a> {
    space: &'a LivenessToSafety<'a>,
    product: Box<dyn Expander + 'a>,
    batch: Batch,
    state: Vec<Word>,
}

impl SafetyExpander<'_> {
    fn width(&self) -> usize {
        self.space.product.width()
    }

    /// Adds the successors of a state in which nothing was recorded.
    fn before(&mut self, state: &[Word], out: &mut Batch) {
        let width = self.width();
        self.state[width..].fill(0);
        for i in 0..self.batch.len() {
            self.state[..width].copy_from_slice(self.batch.state(i));
            out.push(&self.state, self.batch.edge(i));
        }
        self.state[width + 1..].copy_from_slice(&state[..width]);
        for i in 0..self.batch.len() {
            if self.stays(state, i) {
                let edge = self.batch.edge(i);
                self.state[..width].copy_from_slice(self.batch.state(i));
                self.state[width] = RECORDED | self.batch.marks(i);
                out.push(&self.state, Edge { label: edge.label + self.space.apart, ..edge });
            }
        }
    }

    /// Adds the successors of a state in which something was recorded.
    fn behind(&mut self, state: &[Word], out: &mut Batch) {
        let width = self.width();
        self.state[width + 1..].copy_from_slice(&state[width + 1..]);
        for i in 0..self.batch.len() {
            if self.stays(state, i) {
                self.state[..width].copy_from_slice(self.batch.state(i));
                self.state[width] = state[width] | self.batch.marks(i);
                out.push(&self.state, self.batch.edge(i));
            }
        }
    }

    /// Whether the step to successor `i` may be part of a loop, as far as the
    /// automaton knows.
    fn stays(&self, state: &[Word], i: usize) -> bool {
        let at = self.width() - 1;
        let (from, to) = (state[at] as u32, self.batch.state(i)[at] as u32);
        let components = self.space.product.components();
        components.is_accepting(from) && components.together(from, to)
    }
}

impl Expander for SafetyExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.product.initial(&mut self.batch);
        let width = self.width();
        self.state[width..].fill(0);
        for i in 0..self.batch.len() {
            self.state[..width].copy_from_slice(self.batch.state(i));
            out.push(&self.state, self.batch.edge(i));
        }
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.batch.clear();
        self.product.expand(self.space.own(state), &mut self.batch);
        match self.space.has_recorded(state) {
            false => self.before(state, out),
            true => self.behind(state, out),
        }
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let width = self.width();
        let (own, rest) = state.split_at(width);
        match rest[0] & RECORDED != 0 {
            false => self.product.violated(own),
            true => u64::from(rest[0] == RECORDED | self.space.all_sets && *own == rest[1..]),
        }
    }
}
