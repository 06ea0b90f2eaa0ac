//! One way catch them young: the breadth-first alternative.
//!
//! Fisler, Fraer, Kamhi, Vardi, Yang, "Is there a Best Symbolic Cycle-Detection
//! Algorithm?" (TACAS 2001), on the explicit graph as in Černá, Pelánek, "Distributed
//! Explicit Fair Cycle Detection" (SPIN 2003).
//!
//! ```text
//! S := all states, breadth-first
//! repeat
//!   for every acceptance set F:
//!     S := what is reached within S from the ends of steps of F within S
//!   while a state of S has no predecessor in S: remove it from S
//! until S did not change
//! a run is accepted if S is not empty
//! ```
//! Nothing here depends on a search order, but every round expands S again, and
//! nothing is reported before the end.
//!
//! *The lasso.* In what is left, a component to which no other of S leads has steps of
//! every set: what is reached from a step of F is reached from one within. To find such
//! a component, walk from state after state of S, leaving out what walks before reached:
//! the last walk begins in one. Its states are those of the walk that lead back to the
//! beginning. The stem goes to the one that was met first, so it is as short as any to
//! the component.
//!
//! *Reduction.* Where some successors are an ample set, none of them may be closed (C2cl; the
//! survey, section 6), where the state itself counts as closed: otherwise all are taken.
//! Of every cycle the state that was closed last has taken all.

use homing_core::hash::hash_words;
use homing_core::{Column, Id, StopReason, Watch, Word};

use super::base::{Base, CURRENT, ENTERED, RED, REDUCED};
use super::rounds::round;
use crate::path::Path;

pub(crate) fn owcty(base: &mut Base<'_>, watch: &mut Watch) -> Result<(), StopReason> {
    let width = base.task.space.width();
    let mut search = Search {
        base,
        watch,
        parents: Column::new(Id::NONE.0),
        predecessors: Column::new(0),
        queue: Vec::new(),
        successors: Vec::new(),
        state: vec![0; width],
        states: 0,
        left: 0,
    };
    search.explore()?;
    if search.base.is_done() || !search.base.wants_lasso() {
        return Ok(());
    }
    search.eliminate()?;
    search.lasso()
}

struct Search<'a, 'g> {
    base: &'a mut Base<'g>,
    watch: &'a mut Watch,
    parents: Column<u32>,
    /// Of states in S, how many steps lead to each from S.
    predecessors: Column<u32>,
    queue: Vec<Id>,
    /// The successors of the state expanded last, with the sets of the steps.
    successors: Vec<(Id, u64)>,
    state: Vec<Word>,
    /// How many states there are. Their numbers are the order in which they are met.
    states: u32,
    /// How many are in S. Those are [`CURRENT`].
    left: u32,
}

impl Search<'_, '_> {
    /// Walks the space breadth-first.
    fn explore(&mut self) -> Result<(), StopReason> {
        self.base.expander.initial(&mut self.base.batch);
        self.meet(Id::NONE, 0, self.base.batch.len())?;
        let (mut next, mut depth, mut level) = (0, 0, self.states);
        while next < self.states && !self.base.is_done() {
            if next == level {
                (depth, level) = (depth + 1, self.states);
            }
            let id = Id(next);
            self.base.store.load(id, &mut self.state);
            self.base.note(id, ENTERED | CURRENT);
            self.base.expand_first(id, &self.state, depth);
            let shown = self.base.shows(&self.state);
            if !shown.is_nothing()
                && let Some(path) = self.path(id)
            {
                self.base.found(shown, &path);
            }
            self.meet(id, 0, self.base.chosen(id))?;
            if self.base.has(id, REDUCED) && self.successors.iter().any(|(next, _)| *next <= id) {
                let others = self.base.take_all(id);
                self.meet(id, others, self.base.batch.len())?;
            }
            next += 1;
            self.look()?;
        }
        self.left = self.states;
        Ok(())
    }

    /// Numbers these successors of a state in the batch.
    fn meet(&mut self, from: Id, start: usize, end: usize) -> Result<(), StopReason> {
        self.successors.clear();
        for place in start..end {
            let state = self.base.batch.state(place);
            self.state.copy_from_slice(state);
            let hash = hash_words(&self.state);
            let Some(id) = self.base.number(&self.state, hash, from)? else { continue };
            if id.0 == self.states {
                self.parents.set(id, from.0);
                self.states += 1;
            }
            self.successors.push((id, self.base.batch.marks(place)));
        }
        Ok(())
    }

    /// Removes states from S until no more leave.
    fn eliminate(&mut self) -> Result<(), StopReason> {
        loop {
            let before = self.left;
            let all = self.base.all;
            for set in (0..64).filter(|set| all >> set & 1 == 1) {
                self.keep_reached(1 << set)?;
            }
            self.remove_sources()?;
            if self.left == before {
                return Ok(());
            }
        }
    }

    /// S := what is reached within S from the ends of steps of a set.
    fn keep_reached(&mut self, set: u64) -> Result<(), StopReason> {
        for id in (0..self.states).map(Id) {
            if !self.base.has(id, CURRENT) {
                continue;
            }
            self.expand(id)?;
            for i in 0..self.successors.len() {
                let (next, marks) = self.successors[i];
                if marks & set != 0 {
                    self.reach(next);
                }
            }
        }
        self.walk(|_, _| ())?;
        self.keep_red();
        Ok(())
    }

    /// Removes states without predecessors in S, and then those that had no others.
    fn remove_sources(&mut self) -> Result<(), StopReason> {
        let states = (0..self.states).map(Id);
        states.clone().for_each(|id| self.predecessors.set(id, 0));
        for id in states.clone() {
            if !self.base.has(id, CURRENT) {
                continue;
            }
            self.expand(id)?;
            for (next, _) in &self.successors {
                self.predecessors.set(*next, self.predecessors.get(*next) + 1);
            }
        }
        for id in states {
            if self.base.has(id, CURRENT) && self.predecessors.get(id) == 0 {
                self.queue.push(id);
            }
        }
        while let Some(id) = self.queue.pop() {
            self.expand(id)?;
            self.remove(id);
            for (next, _) in &self.successors {
                let others = self.predecessors.get(*next) - 1;
                self.predecessors.set(*next, others);
                if others == 0 {
                    self.queue.push(*next);
                }
            }
        }
        Ok(())
    }

    /// Reports a lasso if S is not empty.
    fn lasso(&mut self) -> Result<(), StopReason> {
        let mut first = None;
        for id in (0..self.states).map(Id) {
            if self.base.has(id, CURRENT) && !self.base.has(id, RED) {
                first = Some(id);
                self.reach(id);
                self.walk(|_, _| ())?;
            }
        }
        let Some(first) = first else { return Ok(()) };
        self.keep_component(first)?;
        let start = (0..self.states).map(Id).find(|id| self.base.has(*id, CURRENT));
        let Some(stem) = start.and_then(|start| self.path(start)) else { return Ok(()) };
        let inside = |base: &Base<'_>, id| base.has(id, CURRENT);
        let round = round(self.base, stem.last(), self.base.all, inside)?;
        self.base.report(stem, round);
        Ok(())
    }

    /// S := the component of a state.
    fn keep_component(&mut self, first: Id) -> Result<(), StopReason> {
        (0..self.states).map(Id).for_each(|id| self.base.forget(id, RED));
        let mut steps = Vec::new();
        self.reach(first);
        self.walk(|from, to| steps.push((to, from)))?;
        (0..self.states).map(Id).for_each(|id| self.base.forget(id, RED));
        steps.sort_unstable();
        self.reach(first);
        while let Some(id) = self.queue.pop() {
            let start = steps.partition_point(|(to, _)| *to < id);
            let steps = steps[start..].iter().take_while(|(to, _)| *to == id);
            steps.for_each(|(_, from)| self.reach(*from));
        }
        self.keep_red();
        Ok(())
    }

    /// Colours a state of S red, to be walked from.
    fn reach(&mut self, id: Id) {
        if !self.base.has(id, RED) {
            self.base.note(id, RED);
            self.queue.push(id);
        }
    }

    /// Colours all red that is reached within S from what waits, and tells every step.
    fn walk(&mut self, mut step: impl FnMut(Id, Id)) -> Result<(), StopReason> {
        while let Some(id) = self.queue.pop() {
            self.expand(id)?;
            for i in 0..self.successors.len() {
                let next = self.successors[i].0;
                step(id, next);
                self.reach(next);
            }
        }
        Ok(())
    }

    /// S := what is red of it; nothing is red any more.
    fn keep_red(&mut self) {
        for id in (0..self.states).map(Id) {
            if self.base.has(id, CURRENT) && !self.base.has(id, RED) {
                self.remove(id);
            }
            self.base.forget(id, RED);
        }
    }

    fn remove(&mut self, id: Id) {
        self.base.forget(id, CURRENT);
        self.left -= 1;
    }

    /// Expands a state of S again: its successors in S.
    fn expand(&mut self, id: Id) -> Result<(), StopReason> {
        self.base.store.load(id, &mut self.state);
        self.base.expand(&self.state);
        self.meet(id, 0, self.base.chosen(id))?;
        self.successors.retain(|(next, _)| self.base.has(*next, CURRENT));
        self.look()
    }

    /// The way to a state by which it was first met.
    fn path(&mut self, id: Id) -> Option<Path> {
        let mut states = Vec::new();
        let mut at = id;
        while at.is_some() {
            let mut state = vec![0; self.state.len()];
            self.base.store.load(at, &mut state);
            states.push(state);
            at = Id(self.parents.get(at));
        }
        states.reverse();
        Path::along(&states, &mut *self.base.expander, None)
    }

    fn look(&mut self) -> Result<(), StopReason> {
        let bytes = || {
            let queue = self.queue.capacity() * size_of::<Id>();
            self.parents.bytes() + self.predecessors.bytes() + queue
        };
        self.base.look(self.watch, self.queue.len(), bytes)
    }
}
