//! From every state of one kind, another is inevitable: `p --> q`.
//!
//! ```text
//! for every reachable state s, breadth first:
//!   for every part t of s in which p holds and q does not:
//!     a run from t that never leaves not q: found      (crate::persistence)
//! ```
//! The parts share what is known to have no such run, so that each state of the
//! cut-down space is searched once.

use std::collections::VecDeque;

use homing_core::hash::hash_words;
use homing_core::{Batch, Column, Edge, Id, Space, StopReason, Store, Visit, Watch, Word};

use crate::path::Lasso;
use crate::path::Path;
use crate::persistence::Persistence;
use crate::task::Statistics;

/// A run to a state from which another never leaves.
#[derive(Clone, Debug)]
pub struct Response {
    /// The way to the state.
    pub stem: Path,
    /// The run from the part of it that counts.
    pub lasso: Lasso,
}

/// Looks for states from which some run never leaves a space.
pub struct LeadsTo<'a> {
    /// All states.
    pub space: &'a dyn Space,
    /// An empty store for them, that keeps states.
    pub store: &'a mut dyn Store,
    /// Adds the states of the cut-down space that a state has a part in.
    pub starts: &'a mut dyn FnMut(&[Word], &mut Batch),
    /// Searches the cut-down space.
    pub persistence: Persistence<'a>,
    /// What the search of all states did so far.
    pub statistics: Statistics,
}

impl LeadsTo<'_> {
    /// Searches all states, until a run is found.
    pub fn search(&mut self, watch: &mut Watch) -> Result<Option<Response>, StopReason> {
        let width = self.space.width();
        let mut expander = self.space.expander();
        let (mut batch, mut parts) = (Batch::new(width), Batch::new(width));
        let mut parents = Column::new((Id::NONE.0, Edge::default()));
        let mut open = VecDeque::new();
        let mut state = vec![0; width];
        expander.initial(&mut batch);
        self.add(&batch, Id::NONE, &mut parents, &mut open)?;
        while let Some(id) = open.pop_front() {
            if self.store.is_dropped(id) {
                continue;
            }
            self.store.load(id, &mut state);
            parts.clear();
            (self.starts)(&state, &mut parts);
            for i in 0..parts.len() {
                if let Some(lasso) = self.persistence.from(parts.state(i), watch)? {
                    let stem = self.way(id, &parents);
                    return Ok(Some(Response { stem, lasso }));
                }
            }
            batch.clear();
            expander.expand(&state, &mut batch);
            self.statistics.progress.expanded += 1;
            self.statistics.progress.generated += batch.len() as u64;
            self.statistics.faults += batch.faults().len() as u64;
            self.add(&batch, id, &mut parents, &mut open)?;
            if watch.due() {
                self.look(watch, &open)?;
            }
        }
        self.look(watch, &open)?;
        Ok(None)
    }

    /// Stores the states of the batch that are new.
    fn add(
        &mut self,
        batch: &Batch,
        from: Id,
        parents: &mut Column<(u32, Edge)>,
        open: &mut VecDeque<Id>,
    ) -> Result<(), StopReason> {
        for i in 0..batch.len() {
            let state = batch.state(i);
            match self.store.visit(state, hash_words(state), from, 0) {
                Visit::New(id) => {
                    parents.set(id, (from.0, batch.edge(i)));
                    open.push_back(id);
                }
                Visit::Known(_) | Visit::Covered(_) => {}
                Visit::Full => return Err(StopReason::StoreFull),
            }
        }
        Ok(())
    }

    /// The way to a stored state.
    fn way(&self, end: Id, parents: &Column<(u32, Edge)>) -> Path {
        let mut ids = vec![end];
        let mut at = parents.get(end).0;
        while at != Id::NONE.0 {
            ids.push(Id(at));
            at = parents.get(Id(at)).0;
        }
        let mut state = vec![0; self.space.width()];
        let mut path = Path::default();
        for (steps, id) in ids.into_iter().rev().enumerate() {
            self.store.load(id, &mut state);
            match steps {
                0 => path = Path::starting_at(&state),
                _ => path.push(parents.get(id).1, &state),
            }
        }
        path
    }

    fn look(&mut self, watch: &mut Watch, open: &VecDeque<Id>) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = open.len() as u64;
        progress.bytes = progress.bytes.max(self.store.bytes());
        watch.check(progress)
    }
}
