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
//! | newest first | – | LIFO | at generation: any way will do |
//! | greedy | h | buckets | at generation: any way will do |
//! | A* | g + h, ties on h | heap | at expansion: a cheaper way may still be found while it waits |
//!
//! A [`Preference`] puts a queue in front of the rank: any of these searches
//! then has several open lists, and takes states from the first that is not
//! empty (Wehrle, Kupferschmid, "Context-Enhanced Directed Model Checking",
//! 2010, Fig. 2). It judges the step by which a state is first reached; some
//! preferences prune steps, and open a state again that is reached by a step
//! with other consequences.
//!
//! A *lazy* estimate is asked only when a state is expanded; until then the
//! state waits with what its parent's estimate implies for it (Richter,
//! Helmert, "Preferred Operators and Deferred Evaluation in Satisficing
//! Planning", 2009).
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
    Batch, Column, Cost, DEAD_END, Heuristic, Id, Level, Open, Preference, StopReason, Store,
    Taken, Visit, Watch, Word,
};

use crate::nodes::{Nodes, Origin};
use crate::open::KEY_BITS;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// How states are ranked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// By their depth: the least first.
    Depth,
    /// By their age: the newest first, whatever their depth.
    Newest,
    /// By the estimate alone.
    Estimate,
    /// By depth and estimate together.
    Sum,
}

/// What directs a search.
#[derive(Default)]
pub struct Guide<'a> {
    /// How far a state is from the goal.
    pub heuristic: Option<Box<dyn Heuristic + 'a>>,
    /// Which steps to follow first.
    pub preference: Option<Box<dyn Preference + 'a>>,
}

/// Successors looked up together.
const WINDOW: usize = 128;

/// Windows between two looks at the watch.
const PATIENCE: u32 = 32;

/// Runs a best-first search for `task`. With a preference, `open` must be
/// [`Levels`](crate::open::Levels).
pub fn best_first<S, O>(
    task: &Task,
    rank: Rank,
    store: &mut S,
    open: &mut O,
    guide: Guide<'_>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    let mut search = Search::new(task, rank, store, open, guide);
    let stopped = search.run(watch).err();
    search.outcome(stopped)
}

/// The state that is being expanded; of a window, the last of its states with
/// the mark of each in turn (estimates, and preferences that look at the state
/// itself, come with searches that have no windows).
#[derive(Default)]
struct Source {
    state: Vec<Word>,
    mark: u32,
    /// Its estimate, where estimates are lazy.
    estimate: Cost,
}

struct Search<'a, S: ?Sized, O> {
    task: &'a Task<'a>,
    rank: Rank,
    store: &'a mut S,
    open: &'a mut O,
    guide: Guide<'a>,
    expander: Box<dyn homing_core::Expander + 'a>,
    nodes: Nodes,
    /// The least depth known of each state; only where ranks need it.
    depths: Option<Column<Cost>>,
    /// What the preference remembers of each state.
    marks: Option<Column<u32>>,
    /// The state being expanded, for those who look at where a step starts.
    source: Source,
    batch: Batch,
    recent: Option<Recent>,
    /// The successors to visit, by their places in the batch, and their hashes.
    pending: Vec<usize>,
    hashes: Vec<u64>,
    /// The states of the window: where each comes from, its depth, where its
    /// successors end in `pending`, and its mark.
    window: Vec<(Origin, Cost, usize, u32)>,
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
        guide: Guide<'a>,
    ) -> Self {
        let width = task.space.width();
        let merges = guide.preference.as_ref().is_some_and(|p| p.may_merge() || p.may_prune());
        let nodes = Nodes::new(&*store, width, task.wants_anything());
        Search {
            task,
            rank,
            open,
            expander: task.space.expander(),
            nodes,
            depths: matches!(rank, Rank::Estimate | Rank::Sum).then(|| Column::new(Cost::MAX)),
            marks: guide.preference.as_ref().map(|_| Column::new(u32::MAX)),
            source: Source { state: vec![0; width], ..Source::default() },
            guide,
            batch: Batch::new(width),
            recent: (rank == Rank::Depth && width > 0 && !merges).then(|| Recent::new(width)),
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
        self.start()?;
        self.look(watch)?;
        let mut rounds = 0;
        while !self.findings.complete(self.task) && self.fill_window(watch) {
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
        let columns = self.nodes.bytes()
            + self.depths.as_ref().map_or(0, Column::bytes)
            + self.marks.as_ref().map_or(0, Column::bytes);
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes())
            + self.guide.preference.as_ref().map_or(0, |p| p.bytes());
        let bytes = self.store.bytes() + self.open.bytes() + columns + tables;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    fn start(&mut self) -> Result<(), StopReason> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.window.clear();
        self.hash_from(0);
        self.window.push((Origin::NONE, 0, self.pending.len(), 0));
        self.visit_window()
    }

    /// Expands states into the batch, as many as make a window. Answers
    /// whether there was any.
    ///
    /// A window holds states of one depth and queue, as long as what they lead
    /// to waits behind them all: it ends with a state that has a successor for
    /// an earlier queue.
    fn fill_window(&mut self, watch: &Watch) -> bool {
        self.batch.clear();
        self.pending.clear();
        self.hashes.clear();
        self.window.clear();
        let Some(first) = self.open.least() else { return false };
        let queue = (first >> KEY_BITS) as u16;
        let windowed = self.rank == Rank::Depth;
        while self.pending.len() < WINDOW && (!windowed || self.open.least() == Some(first)) {
            let Some((entry, key)) = self.open.pop() else { break };
            let start = self.pending.len();
            if self.expand(entry, key, watch) && (!windowed || self.goes_before(queue, start)) {
                break;
            }
        }
        true
    }

    /// Whether one of the successors from `start` on in `pending` may wait in
    /// a queue before this one.
    fn goes_before(&mut self, queue: u16, start: usize) -> bool {
        if queue == 0 {
            return false;
        }
        let Some(preference) = &mut self.guide.preference else { return false };
        let Source { state, mark, .. } = &self.source;
        self.pending[start..].iter().any(|successor| {
            let edge = self.batch.edge(*successor);
            let taken = Taken { from: state, mark: *mark, edge, estimate: 0 };
            preference.level(&taken, None).queue < queue
        })
    }

    /// Expands one state into the batch. Answers whether it did.
    fn expand(&mut self, entry: u32, key: u64, watch: &Watch) -> bool {
        let depth = match &self.depths {
            None => key as Cost,
            Some(depths) => depths.get(Id(entry)),
        };
        if self.is_stale(entry, key, depth) {
            return false;
        }
        let origin = self.nodes.take(&*self.store, entry, &mut self.source.state);
        self.statistics.levels = self.statistics.levels.max(depth);
        self.statistics.progress.depth = depth;
        if self.rank == Rank::Sum && self.test(origin) {
            return true;
        }
        if watch.limits().depth.is_some_and(|most| depth >= most) {
            self.beyond_depth = true;
            return false;
        }
        if !self.announce(entry, key, depth) {
            return false;
        }
        let first = self.batch.len();
        let faults = self.batch.faults().len();
        self.expander.expand(&self.source.state, &mut self.batch);
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
        self.window.push((origin, depth, self.pending.len(), self.source.mark));
        true
    }

    /// Whether a better way to the state was found after it was queued.
    fn is_stale(&self, entry: u32, key: u64, depth: Cost) -> bool {
        let cheaper = self.rank == Rank::Sum && sum_key::depth(key).is_some_and(|g| g > depth);
        let preferred = match (&self.marks, &self.guide.preference) {
            (Some(marks), Some(preference)) => {
                preference.is_stale(marks.get(Id(entry)), (key >> KEY_BITS) as u16)
            }
            _ => false,
        };
        cheaper || preferred
    }

    /// Tells those who guide the search which state is expanded next. Answers
    /// whether to expand it at all: a lazy estimate may refuse it, or put it
    /// back to wait longer.
    fn announce(&mut self, entry: u32, key: u64, depth: Cost) -> bool {
        if let Some(marks) = &self.marks {
            self.source.mark = marks.get(Id(entry));
        }
        let Some(heuristic) = &mut self.guide.heuristic else { return true };
        if !heuristic.is_lazy() {
            heuristic.expanding(&self.source.state);
            return true;
        }
        let estimate = heuristic.estimate(&self.source.state, None);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return false;
        }
        self.source.estimate = estimate;
        let now = sum_key::new(depth, estimate, 0);
        let waits = self.rank == Rank::Sum && sum_key::sum(key) < sum_key::sum(now);
        if waits {
            self.open.push(entry, key >> KEY_BITS << KEY_BITS | now);
        }
        !waits
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
            let (origin, depth, end, mark) = self.window[window];
            let depth = if initial { 0 } else { depth + 1 };
            self.source.mark = mark;
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
        let initial = self.is_initial(origin);
        if let Some(preference) = self.guide.preference.as_ref().filter(|p| p.may_prune())
            && !initial
            && preference.prunes(self.source.mark, self.batch.edge(successor))
        {
            return Ok(());
        }
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
        let mark = self.mark(successor, origin);
        if let Some(marks) = &mut self.marks {
            marks.set(Id(entry), mark);
        }
        self.enqueue(successor, entry, origin, depth);
    }

    fn is_initial(&self, origin: Origin) -> bool {
        origin == Origin::NONE
    }

    /// What the preference is to remember of a successor.
    fn mark(&self, successor: usize, origin: Origin) -> u32 {
        match &self.guide.preference {
            None => 0,
            Some(preference) if self.is_initial(origin) => preference.initial(),
            Some(preference) => preference.mark(self.source.mark, self.batch.edge(successor)),
        }
    }

    fn enqueue(&mut self, successor: usize, entry: u32, origin: Origin, depth: Cost) {
        if let Some(depths) = &mut self.depths {
            depths.set(Id(entry), depth);
        }
        let Some(estimate) = self.estimate(successor, origin) else { return };
        let level = self.level(successor, origin, estimate);
        let tie = self.guide.heuristic.as_ref().map_or(0, |h| h.tie()).min(0xffff);
        let key = match self.rank {
            Rank::Depth | Rank::Newest => u64::from(depth),
            Rank::Estimate if self.has_ties() => {
                u64::from(estimate.min(0xff_ffff)) << 24
                    | u64::from(tie) << 8
                    | u64::from(level.tie)
            }
            Rank::Estimate => u64::from(estimate),
            Rank::Sum => sum_key::new(depth, estimate, tie.max(level.tie.into())),
        };
        self.open.push(entry, u64::from(level.queue) << KEY_BITS | key);
    }

    fn has_ties(&self) -> bool {
        self.guide.heuristic.as_ref().is_some_and(|heuristic| heuristic.has_ties())
            || self.guide.preference.as_ref().is_some_and(|preference| preference.has_ties())
    }

    /// The estimate of a successor; `None` where it is a dead end.
    fn estimate(&mut self, successor: usize, origin: Origin) -> Option<Cost> {
        let initial = self.is_initial(origin);
        let Some(heuristic) = &mut self.guide.heuristic else { return Some(0) };
        let via = (!initial).then(|| self.batch.edge(successor));
        let estimate = match heuristic.is_lazy() && !initial {
            false => heuristic.estimate(self.batch.state(successor), via),
            // One step takes at most one off the distance.
            true if self.rank == Rank::Sum => self.source.estimate.saturating_sub(1),
            true => self.source.estimate,
        };
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate)
    }

    /// How much the preference likes the step to a successor.
    fn level(&mut self, successor: usize, origin: Origin, estimate: Cost) -> Level {
        let first = Level { queue: 0, tie: 0 };
        let initial = self.is_initial(origin);
        match &mut self.guide.preference {
            Some(preference) if !initial => {
                let taken = Taken {
                    from: &self.source.state,
                    mark: self.source.mark,
                    edge: self.batch.edge(successor),
                    estimate,
                };
                preference.level(&taken, self.guide.heuristic.as_deref_mut())
            }
            _ => first,
        }
    }

    /// Re-opens a state that was reached at greater cost before, or by a step
    /// that the preference judged otherwise.
    fn reopen(&mut self, successor: usize, id: Id, origin: Origin, depth: Cost) {
        let cheaper = self.rank == Rank::Sum
            && self.depths.as_ref().is_some_and(|depths| depth < depths.get(id));
        let mark = self.mark(successor, origin);
        let merge = match (&self.marks, &self.guide.preference) {
            (Some(marks), Some(preference)) if preference.may_merge() && id != Id::NONE => {
                preference.merge(marks.get(id), mark)
            }
            _ => None,
        };
        if !cheaper && merge.is_none() {
            return;
        }
        if let (Some(marks), Some(merge)) = (&mut self.marks, merge) {
            marks.set(id, merge.mark);
        }
        if cheaper || merge.is_some_and(|merge| merge.better) {
            let state = self.batch.state(successor);
            let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
            self.enqueue(successor, entry, origin, depth);
        } else {
            self.enqueue_again(successor, id, origin, depth);
        }
    }

    /// Opens a stored state again, the way to it as it was.
    fn enqueue_again(&mut self, successor: usize, id: Id, origin: Origin, depth: Cost) {
        let depth = self.depths.as_ref().map_or(depth, |depths| depths.get(id));
        self.enqueue(successor, id.0, origin, depth);
    }

    /// Tests a state at its expansion.
    fn test(&mut self, origin: Origin) -> bool {
        let open = self.findings.open_conditions(self.task);
        let state = &self.source.state;
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
        let admissible = self.guide.heuristic.as_ref().is_some_and(|h| h.claims().admissible);
        let shortest = match self.rank {
            _ if self.guide.preference.is_some() => false,
            Rank::Depth => true,
            Rank::Sum => admissible,
            Rank::Newest | Rank::Estimate => false,
        };
        Outcome {
            findings: self.findings,
            statistics: self.statistics,
            stopped,
            shortest: shortest && self.store.is_exact(),
        }
    }
}

/// Keys of A*: g + h above, then h, then what breaks ties.
mod sum_key {
    use homing_core::Cost;

    const SUM: u64 = (1 << 24) - 1;
    const ESTIMATE: u64 = (1 << 16) - 1;

    /// Sums and estimates too great to be told apart count as equally bad.
    pub(super) fn new(depth: Cost, estimate: Cost, tie: Cost) -> u64 {
        let sum = (u64::from(depth) + u64::from(estimate)).min(SUM);
        sum << 24 | u64::from(estimate).min(ESTIMATE) << 8 | u64::from(tie).min(0xff)
    }

    pub(super) fn sum(key: u64) -> Cost {
        (key >> 24 & SUM) as Cost
    }

    /// g, where the key tells it.
    pub(super) fn depth(key: u64) -> Option<Cost> {
        let estimate = key >> 8 & ESTIMATE;
        let exact = estimate < ESTIMATE && u64::from(sum(key)) < SUM;
        exact.then(|| sum(key) - estimate as Cost)
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
