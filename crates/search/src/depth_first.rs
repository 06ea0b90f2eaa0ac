//! Depth-first search on one explicit stack.
//!
//! ```text
//! visit initial, push it
//! while the stack is not empty:
//!   s := top
//!   if s has a successor t not looked at yet:
//!     if t is new: visit t, push it
//!   else pop s
//! ```
//! A state is marked when the search goes on to it, not when it is generated:
//! a best-first search with a last-in-first-out open list is *not* this, its
//! stack is no path, and what relies on the path (cycle detection, provisos)
//! would be wrong with it.
//!
//! A frame holds all successors of its state. They lie in one arena, frame
//! after frame, so that nothing is allocated a state and the path is on the
//! stack for traces.

use homing_core::hash::hash_words;
use homing_core::{Batch, Edge, Expander, Fault, Id, StopReason, Store, Visit, Watch, Word};

use crate::path::Path;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// Runs a depth-first search for `task`; with a seed, successors in random
/// order.
pub fn depth_first<S: Store + ?Sized>(
    task: &Task,
    seed: Option<u64>,
    store: &mut S,
    watch: &mut Watch,
) -> Outcome {
    let mut search = Search::new(task, seed, store);
    let stopped = search.run(watch).err();
    search.outcome(stopped)
}

/// States between two looks at the watch.
const PATIENCE: u64 = 1024;

/// The stack: frames, and the successors of each in one arena.
struct Stack {
    width: usize,
    words: Vec<Word>,
    edges: Vec<Edge>,
    hashes: Vec<u64>,
    frames: Vec<Frame>,
}

/// A state on the stack.
struct Frame {
    id: Id,
    /// Its successors lie from here on in the arena.
    start: usize,
    /// The next successor to look at.
    next: usize,
}

impl Stack {
    fn push(&mut self, id: Id, batch: &Batch) {
        let start = self.edges.len();
        for i in 0..batch.len() {
            self.words.extend_from_slice(batch.state(i));
            self.edges.push(batch.edge(i));
            self.hashes.push(hash_words(batch.state(i)));
        }
        self.frames.push(Frame { id, start, next: start });
    }

    /// Puts the successors of the top into random order.
    fn shuffle(&mut self, random: &mut Random) {
        let Some(top) = self.frames.last() else { return };
        for i in (top.start + 1..self.edges.len()).rev() {
            let j = top.start + random.below(i - top.start + 1);
            self.edges.swap(i, j);
            self.hashes.swap(i, j);
            for word in 0..self.width {
                self.words.swap(i * self.width + word, j * self.width + word);
            }
        }
    }

    /// The next successor of the top, if it has one left.
    fn advance(&mut self) -> Option<usize> {
        let top = self.frames.last_mut()?;
        (top.next < self.edges.len()).then(|| {
            top.next += 1;
            top.next - 1
        })
    }

    fn pop(&mut self) {
        if let Some(top) = self.frames.pop() {
            self.words.truncate(top.start * self.width);
            self.edges.truncate(top.start);
            self.hashes.truncate(top.start);
        }
    }

    fn state(&self, successor: usize) -> &[Word] {
        &self.words[successor * self.width..(successor + 1) * self.width]
    }

    /// The path to the top, from `initial` on.
    fn path(&self, initial: &[Word]) -> Path {
        let mut path = Path::starting_at(initial);
        let below = self.frames.len().saturating_sub(1);
        for frame in &self.frames[..below] {
            path.push(self.edges[frame.next - 1], self.state(frame.next - 1));
        }
        path
    }

    fn bytes(&self) -> usize {
        (self.words.capacity() + self.hashes.capacity() + self.edges.capacity()) * 8
            + self.frames.capacity() * size_of::<Frame>()
    }
}

struct Search<'a, S: ?Sized> {
    task: &'a Task<'a>,
    store: &'a mut S,
    expander: Box<dyn Expander + 'a>,
    random: Option<Random>,
    stack: Stack,
    batch: Batch,
    initial: Vec<Word>,
    findings: Findings,
    statistics: Statistics,
    beyond_depth: bool,
}

impl<'a, S: Store + ?Sized> Search<'a, S> {
    fn new(task: &'a Task, seed: Option<u64>, store: &'a mut S) -> Self {
        let width = task.space.width();
        Search {
            task,
            store,
            expander: task.space.expander(),
            random: seed.map(Random::new),
            stack: Stack {
                width,
                words: Vec::new(),
                edges: Vec::new(),
                hashes: Vec::new(),
                frames: Vec::new(),
            },
            batch: Batch::new(width),
            initial: vec![0; width],
            findings: Findings::default(),
            statistics: Statistics::default(),
            beyond_depth: false,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let mut initial = Batch::new(self.batch.width());
        self.expander.initial(&mut initial);
        for i in 0..initial.len() {
            self.initial.copy_from_slice(initial.state(i));
            self.search_from(initial.state(i), watch)?;
        }
        self.look(watch).or(Ok(()))
    }

    /// Searches what can be reached from one initial state.
    fn search_from(&mut self, initial: &[Word], watch: &mut Watch) -> Result<(), StopReason> {
        let mut state = initial.to_vec();
        if let Visit::New(id) = self.visit(&state, hash_words(&state), Id::NONE)? {
            self.enter(id, &state, watch);
        }
        self.look(watch)?;
        while !self.findings.complete(self.task) && !self.stack.frames.is_empty() {
            let Some(successor) = self.stack.advance() else {
                self.stack.pop();
                continue;
            };
            let from = self.stack.frames.last().map_or(Id::NONE, |frame| frame.id);
            state.copy_from_slice(self.stack.state(successor));
            if let Visit::New(id) = self.visit(&state, self.stack.hashes[successor], from)? {
                self.enter(id, &state, watch);
                if self.statistics.progress.expanded.is_multiple_of(PATIENCE) {
                    self.look(watch)?;
                }
            }
        }
        Ok(())
    }

    fn visit(&mut self, state: &[Word], hash: u64, from: Id) -> Result<Visit, StopReason> {
        match self.store.visit(state, hash, from) {
            Visit::Full => Err(StopReason::StoreFull),
            visit => Ok(visit),
        }
    }

    /// Puts a new state on the stack.
    fn enter(&mut self, id: Id, state: &[Word], watch: &Watch) {
        let depth = self.stack.frames.len() as u32;
        self.statistics.levels = self.statistics.levels.max(depth);
        self.statistics.progress.depth = depth;
        self.batch.clear();
        if watch.limits().depth.is_some_and(|most| depth >= most) {
            self.beyond_depth = true;
        } else {
            self.expander.expand(state, &mut self.batch);
            self.statistics.progress.expanded += 1;
            self.statistics.progress.generated += self.batch.len() as u64;
            self.statistics.deadlocks += u64::from(self.batch.deadlock());
            self.statistics.faults += self.batch.faults().len() as u64;
        }
        self.stack.push(id, &self.batch);
        if let Some(random) = &mut self.random {
            self.stack.shuffle(random);
        }
        let first = self.stack.frames.last().map_or(0, |frame| frame.start);
        self.store.prefetch(&self.stack.hashes[first..]);
        self.test(state);
    }

    /// Tests the state on top of the stack.
    fn test(&mut self, state: &[Word]) {
        if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
            self.statistics.counted += 1;
        }
        let open = self.findings.open_conditions(self.task);
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            self.findings.found(violated, &self.stack.path(&self.initial));
        }
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(None));
        }
        if self.task.fault && self.findings.fault.is_none() {
            let fault = self.batch.faults().first().copied();
            self.findings.fault = fault.map(|fault| self.finding(Some(fault)));
        }
    }

    fn finding(&self, fault: Option<Fault>) -> Finding {
        Finding { path: self.stack.path(&self.initial), fault }
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = (self.stack.edges.len()) as u64;
        progress.bytes = progress.bytes.max(self.store.bytes() + self.stack.bytes());
        watch.check(progress)
    }

    fn outcome(mut self, stopped: Option<StopReason>) -> Outcome {
        self.statistics.progress.stored = self.store.len() as u64;
        let stopped = match stopped {
            _ if self.findings.complete(self.task) => None,
            None if self.beyond_depth => Some(StopReason::Depth),
            other => other,
        };
        Outcome {
            findings: self.findings,
            statistics: self.statistics,
            stopped,
            optimal: false,
            at_least: 0,
            notices: Vec::new(),
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, fast, and the same on
/// every machine.
struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}
