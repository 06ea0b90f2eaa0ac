//! A depth-first walk, told as events: the searches for components and the nested
//! ones read them and keep their own books.
//!
//! ```text
//! walk(s):
//!   Entered s
//!   for every successor t of s:
//!     if t was never entered: walk(t)
//!     else: Met t
//!   Finished s
//! ```
//! *Reduction.* A state of which only some successors are taken must not close a
//! cycle (C3; Peled, "All from one, one for all", CAV 1993): when one of those is
//! met on the path, the others are taken too. They are found by expanding the state
//! again, which is rarer than keeping them for all states on the path is dear.

use homing_core::hash::hash_words;
use homing_core::{Batch, Id, StopReason, Watch, Word};

use super::base::{Base, ENTERED, ON_PATH, REDUCED};
use crate::depth_first::stack::Stack;
use crate::path::Path;

/// What happens on the walk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A step in these acceptance sets leads to a state never entered before. It is
    /// on top of the stack now.
    Entered { id: Id, marks: u64 },
    /// A step in these acceptance sets leads from the top to a state entered before.
    Met { id: Id, marks: u64, successor: usize },
    /// All steps of the top were looked at. It counts as left, though its frame is
    /// still there until the walk goes on. It was entered by a step in these
    /// acceptance sets.
    Finished { id: Id, marks: u64 },
}

/// Orders the successors of a state.
pub(crate) trait Order {
    /// Orders `places` of the batch, in which are the successors of `from`, or the
    /// initial states.
    fn order(&mut self, from: Option<&[Word]>, batch: &Batch, places: &mut [usize]);
}

/// A depth-first walk.
pub(crate) struct Walk<'a> {
    pub base: Base<'a>,
    pub stack: Stack<u64>,
    order: Option<Box<dyn Order + 'a>>,
    places: Vec<usize>,
    state: Vec<Word>,
    finished: bool,
    /// The memory that the search takes for its own books, in bytes.
    pub books: usize,
}

impl<'a> Walk<'a> {
    /// At the initial states, none of which is entered yet.
    pub(crate) fn new(base: Base<'a>, order: Option<Box<dyn Order + 'a>>) -> Walk<'a> {
        let width = base.task.space.width();
        let mut walk = Walk {
            base,
            stack: Stack::new(width),
            order,
            places: Vec::new(),
            state: vec![0; width],
            finished: false,
            books: 0,
        };
        walk.base.expander.initial(&mut walk.base.batch);
        walk.stack.open(Id::NONE);
        walk.push(0, walk.base.batch.len());
        walk
    }

    /// Goes on. `None` at the end of the walk, or when everything was found.
    pub(crate) fn next(&mut self, watch: &mut Watch) -> Result<Option<Event>, StopReason> {
        if std::mem::take(&mut self.finished) {
            self.stack.pop();
        }
        while !self.base.is_done() {
            let Some(successor) = self.stack.advance() else { return Ok(self.finish()) };
            let (hash, marks) = (self.stack.hash(successor), self.stack.path_to(successor));
            let from = self.stack.top();
            let Some(id) = self.base.number(self.stack.state(successor), hash, from)? else {
                continue;
            };
            if !self.base.has(id, ENTERED) {
                self.enter(id, successor);
                let Walk { base, stack, books, .. } = self;
                base.look(watch, stack.frames(), || stack.bytes() + *books)?;
                return Ok(Some(Event::Entered { id, marks }));
            }
            if from.is_some() && self.base.has(id, ON_PATH) && self.base.has(from, REDUCED) {
                self.take_all(from);
            }
            return Ok(Some(Event::Met { id, marks, successor }));
        }
        Ok(None)
    }

    /// The state that the step of the last event leaves; `None` where it is one to an
    /// initial state.
    pub(crate) fn source(&self) -> Option<&[Word]> {
        let source = self.stack.taken().rev().nth(usize::from(self.finished));
        source.map(|successor| self.stack.state(successor))
    }

    /// The way to the top and on by the step to one of its successors.
    pub(crate) fn path_over(&self, successor: usize) -> Path {
        let mut path = self.stack.path();
        path.push(self.stack.edge(successor), self.stack.state(successor));
        path
    }

    /// The way to the top or, where that is just being left, to the state it was
    /// entered from; and on by this step.
    pub(crate) fn path_by(&self, successor: usize) -> Path {
        match self.finished {
            true => self.stack.path(),
            false => self.path_over(successor),
        }
    }

    fn enter(&mut self, id: Id, successor: usize) {
        self.state.copy_from_slice(self.stack.state(successor));
        let depth = self.stack.frames() as u32 - 1;
        self.base.note(id, ENTERED | ON_PATH);
        self.base.expand_first(id, &self.state, depth);
        self.stack.open(id);
        let shown = self.base.shows(&self.state);
        if !shown.is_nothing() {
            self.base.found(shown, &self.stack.path());
        }
        self.push(0, self.base.chosen(id));
        self.base.store.prefetch(self.stack.top_hashes());
    }

    /// The top is about to leave.
    fn finish(&mut self) -> Option<Event> {
        let id = self.stack.top();
        let entered_by = self.stack.taken().next_back()?;
        self.base.forget(id, ON_PATH);
        self.finished = true;
        Some(Event::Finished { id, marks: self.stack.path_to(entered_by) })
    }

    /// The proviso failed at the top: adds the successors left out so far.
    fn take_all(&mut self, id: Id) {
        let Some(top) = self.stack.taken().next_back() else { return };
        self.state.copy_from_slice(self.stack.state(top));
        self.base.expand(&self.state);
        let others = self.base.take_all(id);
        self.push(others, self.base.batch.len());
    }

    /// Adds these successors in the batch to the frame on top.
    fn push(&mut self, start: usize, end: usize) {
        let Walk { base, stack, order, places, state, .. } = self;
        let batch = &base.batch;
        let from = stack.top().is_some().then_some(&**state);
        let mut add = |place: usize| {
            let state = batch.state(place);
            stack.add(state, batch.edge(place), hash_words(state), batch.marks(place), None);
        };
        let Some(order) = order else { return (start..end).for_each(add) };
        places.clear();
        places.extend(start..end);
        order.order(from, batch, places);
        places.iter().for_each(|place| add(*place));
    }
}
