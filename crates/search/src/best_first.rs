//! The general best-first search.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (MoChArt 2008), section 3; A* is Hart, Nilsson, Raphael
//! (1968).
//!
//! ```text
//! open := {initial}, closed := ∅
//! while open is not empty:
//!   take s of least rank from open
//!   for every successor t of s:
//!     if t is new, or was reached at greater cost before (re-opening):
//!       g(t) := g(s) + 1, parent(t) := s
//!       insert t into open with rank(g(t), h(t))
//! ```
//!
//! | search | rank | open list | goal test |
//! |---|---|---|---|
//! | breadth-first | g | FIFO | at generation: the first state of a level is as near as any |
//! | greedy | h | buckets | at generation: any way will do |
//! | A* | g + h, ties on h | heap | at expansion: a cheaper way may still be found while it waits |
//!
//! Where the rank is g, states are taken a *window* at a time: several states
//! of one level are expanded into one batch, their successors' places in the
//! store prefetched, and only then visited, in order. A window never mixes
//! levels, so results are those of the search without it.
//!
//! Deviation: with an estimate that is admissible but not consistent, closed
//! states are re-opened, as the survey's algorithm does.

use homing_core::hash::hash_words;
use homing_core::{
    Batch, Column, Cost, DEAD_END, Heuristic, Id, Open, StopReason, Store, Visit, Watch, Word,
};

use crate::nodes::{Nodes, Origin};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// How states are ranked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// By their depth.
    Depth,
    /// By the estimate alone.
    Estimate,
    /// By depth and estimate together.
    Sum,
}

/// Successors looked up together.
const WINDOW: usize = 128;

/// Windows between two looks at the watch.
const PATIENCE: u32 = 32;

/// Runs a best-first search for `task`.
pub fn best_first<S, O>(
    task: &Task,
    rank: Rank,
    store: &mut S,
    open: &mut O,
    heuristic: Option<Box<dyn Heuristic + '_>>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    let mut search = Search::new(task, rank, store, open, heuristic);
    let stopped = search.run(watch).err();
    search.outcome(stopped)
}

struct Search<'a, S: ?Sized, O> {
    task: &'a Task<'a>,
    rank: Rank,
    store: &'a mut S,
    open: &'a mut O,
    heuristic: Option<Box<dyn Heuristic + 'a>>,
    expander: Box<dyn homing_core::Expander + 'a>,
    nodes: Nodes,
    /// The least depth known of each state; only where ranks need it.
    depths: Option<Column<Cost>>,
    batch: Batch,
    recent: Option<Recent>,
    /// The successors to visit, by their places in the batch, and their hashes.
    pending: Vec<usize>,
    hashes: Vec<u64>,
    /// The states of the window: where each comes from, its depth, and where
    /// its successors end in `pending`.
    window: Vec<(Origin, Cost, usize)>,
    findings: Findings,
    statistics: Statistics,
    beyond_depth: bool,
}

impl<'a, S, O> Search<'a, S, O>
where
    S: Store + ?Sized,
    O: Open,
{
    fn new(
        task: &'a Task,
        rank: Rank,
        store: &'a mut S,
        open: &'a mut O,
        heuristic: Option<Box<dyn Heuristic + 'a>>,
    ) -> Self {
        let width = task.space.width();
        let nodes = Nodes::new(&*store, width, task.wants_anything());
        Search {
            task,
            rank,
            open,
            heuristic,
            expander: task.space.expander(),
            nodes,
            depths: (rank != Rank::Depth).then(|| Column::new(Cost::MAX)),
            batch: Batch::new(width),
            recent: (rank == Rank::Depth && width > 0).then(|| Recent::new(width)),
            pending: Vec::new(),
            hashes: Vec::new(),
            window: Vec::new(),
            findings: Findings::default(),
            statistics: Statistics::default(),
            beyond_depth: false,
            store,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let mut state = vec![0; self.batch.width()];
        self.start()?;
        self.look(watch)?;
        let mut rounds = 0;
        while !self.findings.complete(self.task) && self.fill_window(&mut state, watch) {
            self.visit_window()?;
            rounds += 1;
            if rounds % PATIENCE == 0 || watch.limits().expansions.is_some() {
                self.look(watch)?;
            }
        }
        self.look(watch).or(Ok(()))
    }

    /// Looks at the watch.
    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = self.open.len() as u64;
        let columns = self.nodes.bytes() + self.depths.as_ref().map_or(0, Column::bytes);
        let bytes = self.store.bytes() + self.open.bytes() + columns;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    fn start(&mut self) -> Result<(), StopReason> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.window.clear();
        self.hash_from(0);
        self.window.push((Origin::NONE, 0, self.pending.len()));
        self.visit_window()
    }

    /// Expands states into the batch, as many as make a window. Answers
    /// whether there was any.
    fn fill_window(&mut self, state: &mut [Word], watch: &Watch) -> bool {
        self.batch.clear();
        self.pending.clear();
        self.hashes.clear();
        self.window.clear();
        let windowed = self.rank == Rank::Depth;
        let Some(level) = self.open.least() else { return false };
        while self.pending.len() < WINDOW && (!windowed || self.open.least() == Some(level)) {
            let Some((entry, key)) = self.open.pop() else { break };
            if self.expand(entry, key, state, watch) && !windowed {
                break;
            }
        }
        true
    }

    /// Expands one state into the batch. Answers whether it did.
    fn expand(&mut self, entry: u32, key: u64, state: &mut [Word], watch: &Watch) -> bool {
        let depth = match &self.depths {
            None => key as Cost,
            Some(depths) => {
                let depth = depths.get(Id(entry));
                if self.is_stale(key, depth) {
                    return false;
                }
                depth
            }
        };
        let origin = self.nodes.take(&*self.store, entry, state);
        self.statistics.levels = self.statistics.levels.max(depth);
        self.statistics.progress.depth = depth;
        if self.rank == Rank::Sum && self.test(state, origin) {
            return true;
        }
        if watch.limits().depth.is_some_and(|most| depth >= most) {
            self.beyond_depth = true;
            return false;
        }
        let first = self.batch.len();
        let faults = self.batch.faults().len();
        self.expander.expand(state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.deadlocks += u64::from(self.batch.deadlock());
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(origin, None));
        }
        if self.batch.faults().len() > faults {
            self.note_faults(faults, origin);
        }
        self.statistics.progress.generated += (self.batch.len() - first) as u64;
        self.hash_from(first);
        self.window.push((origin, depth, self.pending.len()));
        true
    }

    /// Whether a cheaper way to the state was found after it was queued. Its
    /// key holds g + h above and h below.
    fn is_stale(&self, key: u64, depth: Cost) -> bool {
        let (sum, estimate) = ((key >> 32) as Cost, key as Cost);
        self.rank == Rank::Sum && sum.saturating_sub(estimate) > depth
    }

    fn note_faults(&mut self, first: usize, origin: Origin) {
        self.statistics.faults += (self.batch.faults().len() - first) as u64;
        if self.task.fault && self.findings.fault.is_none() {
            let fault = self.batch.faults()[first];
            self.findings.fault = Some(self.finding(origin, Some(fault)));
        }
    }

    /// Hashes the successors from `first` on and prefetches their places in
    /// the store, those seen just now left out.
    fn hash_from(&mut self, first: usize) {
        let new = self.hashes.len();
        // Short states are hashed and compared in code made for their width:
        // this is where a quarter of the time goes.
        match self.batch.width() {
            1 => self.pend::<1>(first),
            2 => self.pend::<2>(first),
            3 => self.pend::<3>(first),
            4 => self.pend::<4>(first),
            _ => self.pend::<0>(first),
        }
        self.store.prefetch(&self.hashes[new..]);
    }

    /// As [`Self::hash_from`], for states of `WIDTH` words; of any number where
    /// that is zero.
    fn pend<const WIDTH: usize>(&mut self, first: usize) {
        for i in first..self.batch.len() {
            let state = self.batch.state(i);
            let state = if WIDTH == 0 { state } else { &state[..WIDTH] };
            let hash = hash_words(state);
            if self.recent.as_mut().is_some_and(|recent| recent.seen(state, hash)) {
                continue;
            }
            self.pending.push(i);
            self.hashes.push(hash);
        }
    }

    /// Visits the successors of the window, in order.
    fn visit_window(&mut self) -> Result<(), StopReason> {
        self.store.prefetch_states(&self.hashes);
        let initial = self.statistics.progress.expanded == 0;
        let mut next = 0;
        for window in 0..self.window.len() {
            let (origin, depth, end) = self.window[window];
            let depth = if initial { 0 } else { depth + 1 };
            while next < end {
                self.visit(self.pending[next], self.hashes[next], origin, depth)?;
                next += 1;
            }
        }
        Ok(())
    }

    fn visit(
        &mut self,
        successor: usize,
        hash: u64,
        origin: Origin,
        depth: Cost,
    ) -> Result<(), StopReason> {
        let state = self.batch.state(successor);
        let from = origin.id(&self.nodes);
        match self.store.visit(state, hash, from) {
            Visit::New(id) => self.open_new(successor, id, origin, depth),
            Visit::Known(id) => self.reopen(successor, id, origin, depth),
            Visit::Full => return Err(StopReason::StoreFull),
        }
        Ok(())
    }

    fn open_new(&mut self, successor: usize, id: Id, origin: Origin, depth: Cost) {
        let state = self.batch.state(successor);
        let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
        if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
            self.statistics.counted += 1;
        }
        if self.rank != Rank::Sum && self.findings.open_conditions(self.task) != 0 {
            let violated = self.expander.violated(state) & self.findings.open_conditions(self.task);
            if violated != 0 {
                self.found(violated, self.nodes.origin_of(entry));
            }
        }
        self.enqueue(successor, entry, depth);
    }

    fn enqueue(&mut self, successor: usize, entry: u32, depth: Cost) {
        let Some(depths) = &mut self.depths else {
            return self.open.push(entry, u64::from(depth));
        };
        depths.set(Id(entry), depth);
        let estimate = match &mut self.heuristic {
            Some(heuristic) => heuristic.estimate(self.batch.state(successor), None),
            None => 0,
        };
        if estimate == DEAD_END {
            return;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        let key = match self.rank {
            Rank::Depth => u64::from(depth),
            Rank::Estimate => u64::from(estimate),
            Rank::Sum => u64::from(depth.saturating_add(estimate)) << 32 | u64::from(estimate),
        };
        self.open.push(entry, key);
    }

    /// Re-opens a state that was reached at greater cost before.
    fn reopen(&mut self, successor: usize, id: Id, origin: Origin, depth: Cost) {
        let cheaper = self.rank == Rank::Sum
            && self.depths.as_ref().is_some_and(|depths| depth < depths.get(id));
        if cheaper {
            let entry =
                self.nodes.add(id, self.batch.state(successor), origin, self.batch.edge(successor));
            self.enqueue(successor, entry, depth);
        }
    }

    /// Tests a state at its expansion.
    fn test(&mut self, state: &[Word], origin: Origin) -> bool {
        let open = self.findings.open_conditions(self.task);
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            self.found(violated, origin);
        }
        self.findings.complete(self.task)
    }

    fn found(&mut self, conditions: u64, origin: Origin) {
        let finding = self.finding(origin, None);
        self.findings.found(conditions, &finding.path);
    }

    fn finding(&mut self, origin: Origin, fault: Option<homing_core::Fault>) -> Finding {
        let width = self.batch.width();
        let mut expander = self.task.space.expander();
        let path = self.nodes.path(&*self.store, origin, &mut *expander, width);
        // A way that cannot be found again is left empty; replaying it will
        // not confirm the finding.
        Finding { path: path.unwrap_or_default(), fault }
    }

    fn outcome(mut self, stopped: Option<StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        self.statistics.progress.stored = self.store.len() as u64;
        let stopped = match stopped {
            _ if complete => None,
            None if self.beyond_depth => Some(StopReason::Depth),
            other => other,
        };
        let admissible = self.heuristic.as_ref().is_some_and(|h| h.claims().admissible);
        let shortest = match self.rank {
            Rank::Depth => true,
            Rank::Sum => admissible,
            Rank::Estimate => false,
        };
        Outcome {
            findings: self.findings,
            statistics: self.statistics,
            stopped,
            shortest: shortest && self.store.is_exact(),
        }
    }
}

/// States visited just now, as many as fit the processor's cache.
///
/// In a breadth-first search most successors that are not new were generated
/// moments ago, from a neighbour in the queue: two independent steps lead to
/// one state in either order. These are recognised here, without touching the
/// store in main memory.
struct Recent {
    places: usize,
    words: Vec<Word>,
}

/// The memory of [`Recent`]: about what a second-level cache can spare.
const RECENT_BYTES: usize = 1 << 17;

impl Recent {
    fn new(width: usize) -> Recent {
        let places = (RECENT_BYTES / (8 * width.max(1))).next_power_of_two();
        let mut recent = Recent { places, words: vec![0; places * width] };
        // Every place must hold a state that belongs elsewhere: zeros do, but
        // for the place that zeros belong to.
        let zeros = vec![0; width];
        let place = recent.place(hash_words(&zeros));
        let belongs_elsewhere = |state: &Vec<Word>| recent.place(hash_words(state)) != place;
        let other = (1..).map(|word| vec![word; width]).find(belongs_elsewhere);
        recent.words[place * width..][..width].copy_from_slice(&other.unwrap_or(zeros));
        recent
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.places - 1)
    }

    /// Whether the state is among them; it is from now on.
    #[inline(always)]
    fn seen(&mut self, state: &[Word], hash: u64) -> bool {
        let start = self.place(hash) * state.len();
        let words = &mut self.words[start..start + state.len()];
        if words.iter().zip(state).all(|(a, b)| a == b) {
            return true;
        }
        words.iter_mut().zip(state).for_each(|(place, word)| *place = *word);
        false
    }
}
