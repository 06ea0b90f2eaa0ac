//! The whole state graph, and the exact distance of every state to the goal.
//!
//! ```text
//! explore:   breadth-first from the initial state; note every step (s, s')
//! distances: d(s) := 0 for every goal state s, ∞ for all others
//!            breadth-first over the steps reversed:
//!                d(s) := d(s') + 1 for every step (s, s') where d(s) = ∞
//! ```
//!
//! States go by the number the store gave them, which is the order in which
//! they were found: the store is the queue. Steps that fail lead nowhere.

use homing_core::hash::hash_words;
use homing_core::{Batch, Expander, Id, Progress, StopReason, Store, Visit, Watch, Word};
use homing_guide::Target;
use homing_store::StoreConfig;

use super::expanded::plain;
use crate::searched::Searched;

/// No number of steps.
pub(super) const NEVER: u32 = u32::MAX;

/// States between two looks at the limits.
const PAUSE: usize = 256;

/// All reachable states and the steps between them.
pub(super) struct Graph {
    store: Box<dyn Store>,
    width: usize,
    /// For every state where its steps begin, and where the last one's end.
    starts: Vec<usize>,
    /// For every step the state it leads to.
    targets: Vec<u32>,
    /// For every state whether it is a goal state.
    goals: Vec<bool>,
    /// For every state its distance from the initial one.
    depths: Vec<u32>,
}

/// Why there is no graph.
pub(super) enum Failed {
    /// A limit, with the number of states found until then.
    Stopped(StopReason, u64),
    /// Something else, in words.
    Sentence(String),
}

impl Graph {
    /// Explores everything, or as much as the watch allows, which is not
    /// enough.
    pub(super) fn explore(
        searched: &Searched,
        target: Target<'_>,
        watch: &mut Watch,
    ) -> Result<Graph, Failed> {
        let space = searched.space();
        let width = space.width();
        let (memory, states) = (watch.limits().memory, watch.limits().states);
        let config = StoreConfig { width, memory, states, cover: None };
        let store = homing_store::build(&config, &plain("exact")).map_err(Failed::Sentence)?;
        let mut graph = Graph {
            store,
            width,
            starts: Vec::new(),
            targets: Vec::new(),
            goals: Vec::new(),
            depths: Vec::new(),
        };
        let mut expander = space.expander();
        graph.fill(&mut *expander, target, watch).map_err(|stopped| {
            let found = graph.store.len() as u64;
            match stopped {
                StopReason::StoreFull if states.is_some_and(|most| found >= most) => {
                    Failed::Stopped(StopReason::States, found)
                }
                _ => Failed::Stopped(stopped, found),
            }
        })?;
        match searched.discrete.error() {
            Some(error) => Err(Failed::Sentence(error.to_string())),
            None => Ok(graph),
        }
    }

    fn fill(
        &mut self,
        expander: &mut (dyn Expander + '_),
        target: Target<'_>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let mut batch = Batch::new(self.width);
        let mut state = vec![0; self.width];
        expander.initial(&mut batch);
        for i in 0..batch.len() {
            self.add(batch.state(i), 0, Id::NONE)?;
        }
        let mut next = 0;
        while next < self.store.len() {
            self.store.load(Id(next as u32), &mut state);
            batch.clear();
            expander.expand(&state, &mut batch);
            self.goals.push(match target {
                Target::Condition(bit) => expander.violated(&state) >> bit & 1 == 1,
                Target::Deadlock => batch.deadlock(),
                Target::State(wanted) => state == wanted,
            });
            self.starts.push(self.targets.len());
            let depth = self.depths[next] + 1;
            for i in 0..batch.len() {
                let id = self.add(batch.state(i), depth, Id(next as u32))?;
                self.targets.push(id);
            }
            next += 1;
            if next % PAUSE == 0 {
                watch.check(&self.progress(next, depth))?;
            }
        }
        self.starts.push(self.targets.len());
        watch.check(&self.progress(next, 0))
    }

    /// The number of a state, which may be new.
    fn add(&mut self, state: &[Word], depth: u32, from: Id) -> Result<u32, StopReason> {
        match self.store.visit(state, hash_words(state), from, 0) {
            Visit::New(id) => {
                self.depths.push(depth);
                Ok(id.0)
            }
            Visit::Known(id) | Visit::Covered(id) => Ok(id.0),
            Visit::Full => Err(StopReason::StoreFull),
        }
    }

    fn progress(&self, expanded: usize, depth: u32) -> Progress {
        Progress {
            stored: self.store.len() as u64,
            expanded: expanded as u64,
            generated: self.targets.len() as u64,
            frontier: (self.store.len() - expanded) as u64,
            depth,
            best: None,
            bytes: self.bytes(),
        }
    }

    /// The memory taken, and what reversing the steps will take.
    fn bytes(&self) -> usize {
        let steps = self.targets.capacity() * size_of::<u32>();
        let starts = self.starts.capacity() * size_of::<usize>();
        let states = self.depths.capacity() * (3 * size_of::<u32>() + size_of::<bool>());
        self.store.bytes() + 2 * (steps + starts) + states
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.goals.len()
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> usize {
        self.targets.len()
    }

    /// The states that the steps of `state` lead to.
    pub(super) fn successors(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state]..self.starts[state + 1]]
    }

    /// Unpacks a state.
    pub(super) fn load(&self, state: usize, out: &mut [Word]) {
        self.store.load(Id(state as u32), out);
    }

    /// The distance of a state from the initial one; nothing for states that
    /// cannot be reached.
    pub(super) fn depth(&mut self, state: &[Word]) -> Option<u32> {
        match self.store.visit(state, hash_words(state), Id::NONE, 0) {
            Visit::Known(id) => self.depths.get(id.0 as usize).copied(),
            Visit::New(_) | Visit::Covered(_) | Visit::Full => None,
        }
    }

    /// For every state its exact distance to the goal, or [`NEVER`].
    pub(super) fn distances(&self) -> Vec<u32> {
        let (starts, sources) = self.reversed();
        let mut distances = vec![NEVER; self.len()];
        let mut queue: Vec<u32> =
            (0..self.len()).filter(|state| self.goals[*state]).map(|state| state as u32).collect();
        for goal in &queue {
            distances[*goal as usize] = 0;
        }
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            let state = state as usize;
            let distance = distances[state] + 1;
            for &source in &sources[starts[state]..starts[state + 1]] {
                if distances[source as usize] == NEVER {
                    distances[source as usize] = distance;
                    queue.push(source);
                }
            }
            next += 1;
        }
        distances
    }

    /// The steps reversed: for every state where those into it begin, and the
    /// states they come from (a counting sort by target).
    fn reversed(&self) -> (Vec<usize>, Vec<u32>) {
        let mut starts = vec![0; self.len() + 1];
        for target in &self.targets {
            starts[*target as usize + 1] += 1;
        }
        for state in 0..self.len() {
            starts[state + 1] += starts[state];
        }
        let mut places = starts.clone();
        let mut sources = vec![0; self.targets.len()];
        for state in 0..self.len() {
            for target in self.successors(state) {
                let place = &mut places[*target as usize];
                sources[*place] = state as u32;
                *place += 1;
            }
        }
        (starts, sources)
    }
}
