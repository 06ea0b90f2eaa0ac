//! Runs that never leave a space: on which something holds for ever.
//!
//! `E[] p` asks for a maximal run on which p always holds, `A<> p` is that there
//! is none for not p, and `p --> q` that none for not q starts in a state with p.
//! A space that is cut down to the states of interest is searched for such a
//! run: one that comes back to a state, or one that may rest in a state for ever.
//!
//! ```text
//! search(start):                              colours: white, grey on the stack, black behind it
//!   push start
//!   while the stack is not empty:
//!     s := top
//!     if s was just pushed and a run may rest in s:  found, the stack is the run
//!     if s has a successor t not looked at yet:
//!       if t is on the stack:                 found, the stack is the run, from t on a loop
//!       unless a black state covers t:        push t
//!     else pop s, s is black
//! ```
//! The first back edge ends the search, so a state is black only if no state
//! behind it lies on a cycle: nothing in its past is needed to see that.
//!
//! *Zones.* Only black states may cover others: a state that covers t has t's
//! runs too, and a black one has none. A state on the stack that covers t without
//! being t proves nothing: going round could lose values of clocks each time, and
//! what is left of them after some rounds might be nothing. Equal zones, after
//! extrapolation, do prove that a run goes round for ever (Tripakis, "Checking
//! Timed Büchi Automata Emptiness on Simulation Graphs", ACM TOCL 2009; on
//! subsumption Laarman, Olesen, Dalsgaard, Larsen, van de Pol, "Multi-Core
//! Emptiness Checking of Timed Büchi Automata using Inclusion Abstraction", CAV
//! 2013).

use homing_core::hash::hash_words;
use homing_core::{Batch, Expander, Id, Space, StopReason, Store, Visit, Watch, Word};

use crate::depth_first::stack::{OnPath, Stack};
use crate::path::Lasso;
use crate::task::Statistics;

/// Looks for runs that never leave a space, from one state after the other.
///
/// In this role [`Batch::deadlock`] says that a run may rest in the state that
/// was expanded: it can go no further, or need not.
pub struct Persistence<'a> {
    expander: Box<dyn Expander + 'a>,
    /// The black states.
    store: &'a mut dyn Store,
    stack: Stack<()>,
    on_path: OnPath,
    batch: Batch,
    state: Vec<Word>,
    /// What it did so far.
    pub statistics: Statistics,
}

impl<'a> Persistence<'a> {
    /// Nothing searched yet; `store` is empty.
    pub fn new(space: &'a dyn Space, store: &'a mut dyn Store) -> Persistence<'a> {
        let width = space.width();
        Persistence {
            expander: space.expander(),
            store,
            stack: Stack::new(width),
            on_path: OnPath::default(),
            batch: Batch::new(width),
            state: vec![0; width],
            statistics: Statistics::default(),
        }
    }

    /// Looks for a run from the initial states of the space.
    pub fn from_start(&mut self, watch: &mut Watch) -> Result<Option<Lasso>, StopReason> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.open(Id::NONE);
        self.search(watch)
    }

    /// Looks for a run from `start`. What was found to have none before is not
    /// searched again.
    pub fn from(&mut self, start: &[Word], watch: &mut Watch) -> Result<Option<Lasso>, StopReason> {
        self.batch.clear();
        self.batch.push(start, homing_core::Edge::default());
        self.open(Id::NONE);
        self.search(watch)
    }

    /// Puts a frame with the successors in the batch on the stack.
    fn open(&mut self, id: Id) {
        self.stack.open(id);
        for i in 0..self.batch.len() {
            let state = self.batch.state(i);
            self.stack.add(state, self.batch.edge(i), hash_words(state), (), None);
        }
    }

    fn search(&mut self, watch: &mut Watch) -> Result<Option<Lasso>, StopReason> {
        while self.stack.frames() > 0 {
            let Some(successor) = self.stack.advance() else {
                self.leave()?;
                continue;
            };
            let (state, hash) = (self.stack.state(successor), self.stack.hash(successor));
            self.state.copy_from_slice(state);
            if self.on_path.has(&self.stack, &self.state, hash) {
                return Ok(Some(self.round(successor)));
            }
            if self.store.knows(&self.state, hash) {
                continue;
            }
            if self.enter(successor) {
                let path = self.stack.path();
                return Ok(Some(Lasso { path, back: None }));
            }
            if watch.due() {
                self.look(watch)?;
            }
        }
        self.look(watch)?;
        Ok(None)
    }

    /// Puts a successor on the stack. Answers whether a run may rest there.
    fn enter(&mut self, successor: usize) -> bool {
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        let progress = &mut self.statistics.progress;
        progress.expanded += 1;
        progress.generated += self.batch.len() as u64;
        self.statistics.faults += self.batch.faults().len() as u64;
        progress.depth = self.stack.frames() as u32 - 1;
        self.statistics.levels = self.statistics.levels.max(progress.depth);
        self.open(Id::NONE);
        self.on_path.push(&self.stack, successor);
        self.batch.deadlock()
    }

    /// Takes the top off the stack: it is black.
    fn leave(&mut self) -> Result<(), StopReason> {
        let top = self.stack.taken().next_back();
        if let Some(successor) = top {
            let (state, hash) = (self.stack.state(successor), self.stack.hash(successor));
            if self.store.visit(state, hash, Id::NONE, 0) == Visit::Full {
                return Err(StopReason::StoreFull);
            }
            self.on_path.pop(&self.stack, successor);
        }
        self.stack.pop();
        Ok(())
    }

    /// The run along the stack and back to a state on it.
    fn round(&self, successor: usize) -> Lasso {
        let mut path = self.stack.path();
        let state = self.stack.state(successor);
        let back = (0..=path.len()).find(|step| path.state(*step) == state);
        path.push(self.stack.edge(successor), state);
        Lasso { path, back }
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = self.stack.frames() as u64;
        let bytes = self.store.bytes() + self.stack.bytes() + self.on_path.bytes();
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }
}
