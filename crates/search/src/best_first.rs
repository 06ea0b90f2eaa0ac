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
//!       g(t) := g(s) × c(s, t), parent(t) := s
//!       insert t into open with rank(g(t), h(t)), unless g(t) × h(t) is above the bound
//! ```
//!
//! | search | rank | open list | goal test |
//! |---|---|---|---|
//! | breadth-first | g | FIFO | at generation: the first state of a level is as near as any |
//! | newest first | – | LIFO | at generation: any way will do |
//! | greedy | h | buckets | at generation: any way will do |
//! | A* | g × h, ties on h | bucket matrix | at expansion: a cheaper way may still be found while it waits |
//! | Dijkstra | g | heap | at expansion, as in A* |
//! | weighted A* | αg + (1 − α)h | bucket matrix | at expansion, as in A* |
//!
//! *k-best-first* search takes the k best states at a time and expands them
//! together; *k-beam* search then forgets all others that wait (survey,
//! section 4).
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
//! states are re-opened, as the survey's algorithm does. So they are in any
//! search under a bound, where a state reached too late would hide what lies
//! behind it (the survey's pitfall).

use homing_core::hash::hash_words;
use homing_core::{
    Batch, Column, Cost, DEAD_END, Heuristic, Id, Level, Open, Preference, Price, StopReason,
    Store, Taken, Visit, Watch, Word,
};

use crate::costs::{Costs, Priced, Steps};
use crate::keys::Weights;
use crate::nodes::{Nodes, Origin};
use crate::open::KEY_BITS;
use crate::recent::Recent;
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
    /// By the cost of the path and the estimate together.
    Sum(Weights),
}

impl Rank {
    fn is_sum(self) -> bool {
        matches!(self, Rank::Sum(_))
    }
}

/// How a best-first search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// How states are ranked.
    pub rank: Rank,
    /// How many states are expanded together, whatever their ranks.
    pub jointly: usize,
    /// Whether what waits behind them is forgotten.
    pub beam: bool,
}

impl Manner {
    /// One state after the other, none forgotten.
    pub fn by(rank: Rank) -> Manner {
        Manner { rank, jointly: 1, beam: false }
    }
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
    manner: Manner,
    store: &mut S,
    open: &mut O,
    guide: &mut Guide<'_>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    match task.pricing {
        None => search(task, manner, store, open, guide, watch, Steps),
        Some(pricing) => search(task, manner, store, open, guide, watch, Priced::new(pricing)),
    }
}

fn search<S: Store + ?Sized, O: Open, C: Costs>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    open: &mut O,
    guide: &mut Guide<'_>,
    watch: &mut Watch,
    costs: C,
) -> Outcome {
    let mut search = Search::new(task, manner, store, open, guide, watch, costs);
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

pub(crate) struct Search<'a, 'g, S: ?Sized, O, C: Costs> {
    task: &'a Task<'a>,
    manner: Manner,
    costs: C,
    pub(crate) store: &'a mut S,
    pub(crate) open: &'a mut O,
    guide: &'a mut Guide<'g>,
    pub(crate) expander: Box<dyn homing_core::Expander + 'a>,
    nodes: Nodes,
    /// The least cost known of each state; only where ranks need it.
    paths: Option<Column<C::Value>>,
    /// Whether each state was expanded since it was reached at that cost; only
    /// where states reached more cheaply are opened again.
    settled: Option<Column<bool>>,
    /// Whether they are.
    reopens: bool,
    /// Whether states wait that the estimate gives up.
    dead_ends: bool,
    /// Whether the levels of a search by depth are those of the space.
    levels: bool,
    /// What paths may cost.
    bound: Option<Price>,
    /// What the preference remembers of each state.
    marks: Option<Column<u32>>,
    /// The state being expanded, for those who look at where a step starts.
    source: Source,
    batch: Batch,
    recent: Option<Recent>,
    /// The successors to visit, by their places in the batch, and their hashes.
    pending: Vec<usize>,
    hashes: Vec<u64>,
    /// The states of the window: where each comes from, the cost of its path,
    /// where its successors end in `pending`, and its mark.
    window: Vec<(Origin, C::Value, usize, u32)>,
    /// The states themselves, where several are expanded jointly and somebody
    /// wants to look at them again.
    sources: Vec<Word>,
    pub(crate) findings: Findings,
    pub(crate) statistics: Statistics,
    /// No path that is still to be found costs less.
    at_least: Price,
    beyond: Option<StopReason>,
    /// Whether the cost of a path did not fit.
    saturated: bool,
}

impl<'a, 'g, S, O, C> Search<'a, 'g, S, O, C>
where
    S: Store + ?Sized,
    O: Open,
    C: Costs,
{
    pub(crate) fn new(
        task: &'a Task,
        manner: Manner,
        store: &'a mut S,
        open: &'a mut O,
        guide: &'a mut Guide<'g>,
        watch: &Watch,
        costs: C,
    ) -> Self {
        let rank = manner.rank;
        let limits = watch.limits();
        let bounded = limits.bound.is_some() || limits.depth.is_some();
        // A stack has no ranks, and stores without numbers no columns.
        let reopens =
            store.keeps_states() && (rank.is_sum() || bounded && !matches!(rank, Rank::Depth));
        let width = task.space.width();
        let merges = guide.preference.as_ref().is_some_and(|p| p.may_merge() || p.may_prune());
        let nodes = Nodes::new(&*store, width, task.wants_anything());
        Search {
            task,
            manner,
            bound: limits.bound,
            open,
            expander: task.space.expander(),
            nodes,
            paths: (reopens || rank == Rank::Estimate || C::steps(C::WORST).is_none())
                .then(|| Column::new(C::WORST)),
            settled: reopens.then(|| Column::new(false)),
            reopens,
            dead_ends: false,
            levels: true,
            marks: guide.preference.as_ref().map(|_| Column::new(u32::MAX)),
            source: Source { state: vec![0; width], ..Source::default() },
            guide,
            batch: Batch::new(width),
            recent: (rank == Rank::Depth && width > 0 && !merges).then(|| Recent::new(width)),
            pending: Vec::new(),
            hashes: Vec::new(),
            window: Vec::new(),
            sources: Vec::new(),
            findings: Findings::default(),
            statistics: Statistics::default(),
            at_least: 0,
            beyond: None,
            saturated: false,
            costs,
            store,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.start()?;
        self.look(watch)?;
        self.go(watch)
    }

    /// Goes on until everything is found or searched.
    fn go(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.go_while(watch, |_| true)?;
        self.look(watch).or(Ok(()))
    }

    /// Goes on as long as something is left, and `more` says so.
    pub(crate) fn go_while(
        &mut self,
        watch: &mut Watch,
        more: impl Fn(&Self) -> bool,
    ) -> Result<(), StopReason> {
        let mut rounds = 0;
        while !self.findings.complete(self.task) && more(self) && self.fill_window(watch) {
            self.visit_window()?;
            rounds += 1;
            if rounds % PATIENCE == 0 || watch.limits().expansions.is_some() {
                self.look(watch)?;
            }
        }
        Ok(())
    }

    /// Whether everything is found or searched.
    pub(crate) fn is_done(&self) -> bool {
        self.findings.complete(self.task) || self.open.is_empty()
    }

    /// Looks at the watch.
    pub(crate) fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = self.open.len() as u64;
        let columns = self.nodes.bytes()
            + self.paths.as_ref().map_or(0, Column::bytes)
            + self.settled.as_ref().map_or(0, Column::bytes)
            + self.marks.as_ref().map_or(0, Column::bytes);
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes())
            + self.guide.preference.as_ref().map_or(0, |p| p.bytes());
        let bytes = self.store.bytes() + self.open.bytes() + columns + tables;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    pub(crate) fn start(&mut self) -> Result<(), StopReason> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.window.clear();
        self.hash_from(0);
        self.window.push((Origin::NONE, self.costs.one(), self.pending.len(), 0));
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
        self.sources.clear();
        let Some(first) = self.open.least() else { return false };
        if self.manner.rank != Rank::Depth {
            self.fill_jointly(watch);
            return true;
        }
        let queue = (first >> KEY_BITS) as u16;
        while self.pending.len() < WINDOW && self.open.least() == Some(first) {
            let Some((entry, key)) = self.open.pop() else { break };
            let start = self.pending.len();
            if self.expand(entry, key, watch) && self.goes_before(queue, start) {
                break;
            }
        }
        true
    }

    /// Expands the k best states; a beam forgets all others.
    fn fill_jointly(&mut self, watch: &Watch) {
        while self.window.len() < self.manner.jointly {
            let Some((entry, key)) = self.open.pop() else { break };
            if self.expand(entry, key, watch) {
                if self.findings.complete(self.task) {
                    return;
                }
                if self.manner.jointly > 1 {
                    self.sources.extend_from_slice(&self.source.state);
                }
            }
        }
        if self.manner.beam && !self.open.is_empty() {
            self.open.clear();
            self.beyond = Some(StopReason::Pruned);
        }
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
        if self.is_stale(entry, key) {
            return false;
        }
        let path = self.path_of(entry, key);
        let origin = self.nodes.take(&*self.store, entry, &mut self.source.state);
        if let Some(depth) = C::steps(path) {
            self.statistics.levels = self.statistics.levels.max(depth);
            self.statistics.progress.depth = depth;
        }
        if self.manner.rank.is_sum() && self.test(origin) {
            return true;
        }
        let deepest = watch.limits().depth;
        if deepest.is_some_and(|most| C::steps(path).is_some_and(|depth| depth >= most)) {
            self.beyond.get_or_insert(StopReason::Depth);
            return false;
        }
        if !self.announce(entry, key, path) {
            return false;
        }
        if let Some(settled) = &mut self.settled {
            settled.set(Id(entry), true);
        }
        self.note_bound(key, path);
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
        self.window.push((origin, path, self.pending.len(), self.source.mark));
        true
    }

    /// The cost of the path to a state that waited with this key.
    fn path_of(&self, entry: u32, key: u64) -> C::Value {
        match &self.paths {
            None => self.costs.of_key(key),
            Some(paths) => paths.get(Id(entry)),
        }
    }

    /// Notes what every path to be found from now on costs at least.
    fn note_bound(&mut self, key: u64, path: C::Value) {
        match self.manner.rank {
            // What a level leads to was looked at, but for what is only seen
            // when a state is expanded.
            Rank::Depth if self.levels => {
                let unseen = u64::from(!(self.task.deadlock || self.task.fault));
                self.at_least = self.costs.ahead(path, 0) + unseen;
            }
            Rank::Sum(Weights::EQUAL) => {
                self.at_least = self.at_least.max(C::sum(key));
            }
            _ => {}
        }
    }

    /// Whether the state was expanded after it was queued, or is preferred
    /// elsewhere.
    fn is_stale(&self, entry: u32, key: u64) -> bool {
        let cheaper = self.settled.as_ref().is_some_and(|settled| settled.get(Id(entry)));
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
    fn announce(&mut self, entry: u32, key: u64, path: C::Value) -> bool {
        if let Some(marks) = &self.marks {
            self.source.mark = marks.get(Id(entry));
        }
        self.costs.leaving(&self.source.state);
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
        let Rank::Sum(weights) = self.manner.rank else { return true };
        let now = self.costs.key(weights, path, estimate, 0);
        let waits = C::sum(key) < C::sum(now);
        if waits {
            let queue = if self.marks.is_some() { key >> KEY_BITS << KEY_BITS } else { 0 };
            self.open.push(entry, queue | now);
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
            let (origin, path, end, mark) = self.window[window];
            self.source.mark = mark;
            self.turn_to(window);
            while next < end {
                let successor = self.pending[next];
                let path = match initial {
                    true => path,
                    false => self.costs.after(path, self.batch.edge(successor)),
                };
                self.visit(successor, self.hashes[next], origin, path)?;
                next += 1;
            }
        }
        Ok(())
    }

    /// Shows those who look at it the next of several states that were
    /// expanded jointly.
    fn turn_to(&mut self, window: usize) {
        let width = self.batch.width();
        let Some(state) = self.sources.get(window * width..(window + 1) * width) else { return };
        if width == 0 || self.sources.is_empty() {
            return;
        }
        self.source.state.copy_from_slice(state);
        self.costs.leaving(state);
        if let Some(heuristic) = &mut self.guide.heuristic {
            if heuristic.is_lazy() {
                self.source.estimate = heuristic.estimate(state, None);
            } else {
                heuristic.expanding(state);
            }
        }
    }

    fn visit(
        &mut self,
        successor: usize,
        hash: u64,
        origin: Origin,
        path: C::Value,
    ) -> Result<(), StopReason> {
        let initial = self.is_initial(origin);
        if self.is_beyond(path, 0) {
            return Ok(());
        }
        if let Some(preference) = self.guide.preference.as_ref().filter(|p| p.may_prune())
            && !initial
            && preference.prunes(self.source.mark, self.batch.edge(successor))
        {
            return Ok(());
        }
        let state = self.batch.state(successor);
        let from = origin.id(&self.nodes);
        match self.store.visit(state, hash, from) {
            Visit::New(id) => self.open_new(successor, id, origin, path),
            Visit::Known(id) => self.reopen(successor, id, origin, path),
            Visit::Full => return Err(StopReason::StoreFull),
        }
        Ok(())
    }

    /// Whether a path, with what is at least still to pay, is above the bound.
    fn is_beyond(&mut self, path: C::Value, estimate: Cost) -> bool {
        let Some(bound) = self.bound else { return false };
        let beyond = self.costs.ahead(path, estimate) > bound;
        if beyond {
            self.beyond.get_or_insert(StopReason::Bound);
        }
        beyond
    }

    fn open_new(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let state = self.batch.state(successor);
        let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
        if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
            self.statistics.counted += 1;
        }
        if !self.manner.rank.is_sum() && self.findings.open_conditions(self.task) != 0 {
            let violated = self.expander.violated(state) & self.findings.open_conditions(self.task);
            if violated != 0 {
                self.found(violated, self.nodes.origin_of(entry));
            }
        }
        let mark = self.mark(successor, origin);
        if let Some(marks) = &mut self.marks {
            marks.set(Id(entry), mark);
        }
        self.enqueue(successor, entry, origin, path);
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

    fn enqueue(&mut self, successor: usize, entry: u32, origin: Origin, path: C::Value) {
        if let Some(paths) = &mut self.paths {
            paths.set(Id(entry), path);
        }
        self.saturated |= self.costs.is_saturated(path);
        let Some(estimate) = self.estimate(successor, origin) else {
            if self.dead_ends {
                self.open.push(entry, u64::MAX);
            }
            return;
        };
        if self.bound.is_some() && self.is_admissible() && self.is_beyond(path, estimate) {
            return;
        }
        let level = self.level(successor, origin, estimate);
        let tie = self.guide.heuristic.as_ref().map_or(0, |h| h.tie()).min(0xffff);
        let key = match self.manner.rank {
            Rank::Depth | Rank::Newest => self.costs.ahead(path, 0),
            Rank::Estimate if self.has_ties() => {
                u64::from(estimate.min(0xff_ffff)) << 24
                    | u64::from(tie) << 8
                    | u64::from(level.tie)
            }
            Rank::Estimate => u64::from(estimate),
            Rank::Sum(weights) => {
                self.costs.key(weights, path, estimate, tie.max(level.tie.into()))
            }
        };
        self.open.push(entry, u64::from(level.queue) << KEY_BITS | key);
    }

    fn is_admissible(&self) -> bool {
        self.guide.heuristic.as_ref().is_none_or(|heuristic| heuristic.claims().admissible)
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
            true if self.manner.rank.is_sum() => C::rest(self.source.estimate),
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
    fn reopen(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let cheaper = self.reopens && self.paths.as_ref().is_some_and(|paths| path < paths.get(id));
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
        if let Some(settled) = &mut self.settled {
            settled.set(id, false);
        }
        if cheaper || merge.is_some_and(|merge| merge.better) {
            let state = self.batch.state(successor);
            let entry = self.nodes.add(id, state, origin, self.batch.edge(successor));
            self.enqueue(successor, entry, origin, path);
        } else {
            self.enqueue_again(successor, id, origin, path);
        }
    }

    /// Opens a stored state again, the way to it as it was.
    fn enqueue_again(&mut self, successor: usize, id: Id, origin: Origin, path: C::Value) {
        let path = self.paths.as_ref().map_or(path, |paths| paths.get(id));
        self.enqueue(successor, id.0, origin, path);
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

    /// Changes what the search goes by; the open list must have what waits.
    /// With `dead_ends`, what the estimate gives up still waits, with the
    /// greatest key.
    pub(crate) fn switch(&mut self, rank: Rank, dead_ends: bool) {
        self.manner.rank = rank;
        self.levels = false;
        self.dead_ends = dead_ends;
        self.settled.get_or_insert_with(|| Column::new(false));
    }

    /// The work that estimates took.
    pub(crate) fn estimating(&self) -> u64 {
        self.guide.heuristic.as_ref().map_or(0, |heuristic| heuristic.work())
    }

    /// What directs it.
    pub(crate) fn guide(&mut self) -> &mut Guide<'g> {
        self.guide
    }

    /// Estimates a state that waits; `None` where it is a dead end.
    pub(crate) fn estimate_waiting(&mut self, entry: u32) -> Option<Cost> {
        self.store.load(Id(entry), &mut self.source.state);
        let heuristic = self.guide.heuristic.as_mut()?;
        let estimate = heuristic.estimate(&self.source.state, None);
        (estimate != DEAD_END).then_some(estimate)
    }

    pub(crate) fn outcome(mut self, stopped: Option<StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        self.statistics.progress.stored = self.store.len() as u64;
        let stopped = match stopped {
            _ if complete => None,
            None => self.beyond,
            other => other,
        };
        let exact = self.store.is_exact()
            && self.guide.preference.is_none()
            && !self.saturated
            && self.beyond != Some(StopReason::Pruned);
        let one_by_one = self.manner.jointly == 1;
        let optimal = exact
            && match self.manner.rank {
                Rank::Depth => self.levels,
                // α of at least one half only makes the estimate smaller.
                Rank::Sum(weights) => {
                    one_by_one && self.is_admissible() && weights.path >= weights.estimate
                }
                Rank::Newest | Rank::Estimate => false,
            };
        Outcome {
            findings: self.findings,
            statistics: self.statistics,
            at_least: match stopped {
                _ if !exact => 0,
                None if !complete => Price::MAX,
                _ => self.at_least,
            },
            stopped,
            optimal,
            notices: Vec::new(),
        }
    }
}
