//! What all searches for accepted lassos stand on: the store and what is noted of
//! its states, expansion under reduction, what was found, and the limits.
//!
//! *Reduction.* Where the space says that some successors of a state are an ample set
//! ([`Batch::ample`](homing_core::Batch::ample)), only those are taken, and the
//! state is noted as [`REDUCED`]. A search whose cycle proviso fails at the state
//! takes the others too and clears the note ([`Base::take_all`]). From then on
//! every expansion, of whichever search, takes the same successors
//! ([`Base::chosen`]): an inner search that chose anew would walk in another
//! graph than the outer one (Holzmann, Peled, Yannakakis, "On Nested Depth First
//! Search", SPIN 1996). The proviso itself is the matter of the search order:
//!
//! | search | proviso | where |
//! |---|---|---|
//! | depth-first | no chosen successor is on the path (C3) | `walk` |
//! | breadth-first | no chosen successor is closed (C2cl) | `owcty` |

use homing_core::{
    Batch, Column, Edge, Expander, Fault, Id, Limits, Space, StopReason, Store, Visit, Watch, Word,
};

use crate::path::{Lasso, Path};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// The outer search has been at the state.
pub(crate) const ENTERED: u8 = 1;
/// The state is on the path of the outer search.
pub(crate) const ON_PATH: u8 = 1 << 1;
/// Of the state's successors only those are taken of the ample set that the space gives.
pub(crate) const REDUCED: u8 = 1 << 2;
/// No accepted cycle can be closed from here: the red of nested searches.
pub(crate) const RED: u8 = 1 << 3;
/// The state is in a component that is not complete yet, or in the one that is
/// looked at.
pub(crate) const CURRENT: u8 = 1 << 4;

/// The common base.
pub(crate) struct Base<'a> {
    pub task: &'a Task<'a>,
    pub store: &'a mut dyn Store,
    pub expander: Box<dyn Expander + 'a>,
    pub batch: Batch,
    /// What is noted of every stored state.
    flags: Column<u8>,
    /// All acceptance sets.
    pub all: u64,
    findings: Findings,
    /// Whether they are everything that was asked for.
    done: bool,
    pub statistics: Statistics,
    /// States after so many steps are not expanded, and why.
    deepest: Option<(u32, StopReason)>,
    /// Why not everything was seen, although the search went to its end.
    beyond: Option<StopReason>,
    /// A lasso was seen that is none: the store took two states for one.
    mistaken: bool,
    looked: u64,
}

impl<'a> Base<'a> {
    pub(crate) fn new(task: &'a Task<'a>, store: &'a mut dyn Store, limits: &Limits) -> Base<'a> {
        let steps = |bound: u64| (bound.min(u64::from(u32::MAX)) as u32, StopReason::Bound);
        let depth = limits.depth.map(|depth| (depth, StopReason::Depth));
        Base {
            task,
            store,
            expander: task.space.expander(),
            batch: Batch::new(task.space.width()),
            flags: Column::new(0),
            all: all_sets(task.space),
            findings: Findings::default(),
            done: false,
            statistics: Statistics::default(),
            deepest: depth.into_iter().chain(limits.bound.map(steps)).min_by_key(|limit| limit.0),
            beyond: None,
            mistaken: false,
            looked: 0,
        }
    }

    /// Whether a lasso is still looked for.
    pub(crate) fn wants_lasso(&self) -> bool {
        self.task.lasso && self.findings.lasso.is_none() && !self.mistaken
    }

    /// Whether not everything is seen: some state was not expanded, or not stored.
    pub(crate) fn is_cut(&self) -> bool {
        self.beyond.is_some()
    }

    /// Whether everything was found.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Whether these are all acceptance sets.
    pub(crate) fn accepts(&self, sets: u64) -> bool {
        sets & self.all == self.all
    }

    #[inline]
    pub(crate) fn has(&self, id: Id, flag: u8) -> bool {
        self.flags.get(id) & flag != 0
    }

    #[inline]
    pub(crate) fn note(&mut self, id: Id, flag: u8) {
        self.flags.update(id, |flags| flags | flag);
    }

    #[inline]
    pub(crate) fn forget(&mut self, id: Id, flag: u8) {
        self.flags.update(id, |flags| flags & !flag);
    }

    /// The number of a state, which is stored if it is not yet. `None` where
    /// another covers it: what cycles it is on is unknown then.
    #[inline]
    pub(crate) fn number(
        &mut self,
        state: &[Word],
        hash: u64,
        from: Id,
    ) -> Result<Option<Id>, StopReason> {
        match self.store.visit(state, hash, from, 0) {
            Visit::New(id) => Ok(Some(id)),
            Visit::Known(id) if id.is_some() => Ok(Some(id)),
            Visit::Known(_) | Visit::Covered(_) => {
                self.beyond = Some(StopReason::Pruned);
                Ok(None)
            }
            Visit::Full => Err(StopReason::StoreFull),
        }
    }

    /// Expands a state into the batch.
    pub(crate) fn expand(&mut self, state: &[Word]) {
        self.batch.clear();
        self.expander.expand(state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
    }

    /// Expands a state that is entered now, after so many steps, and notes whether
    /// some of its successors are an ample set.
    pub(crate) fn expand_first(&mut self, id: Id, state: &[Word], depth: u32) {
        self.statistics.progress.depth = depth;
        self.statistics.levels = self.statistics.levels.max(depth);
        if let Some((_, reason)) = self.deepest.filter(|(most, _)| depth >= *most) {
            self.batch.clear();
            self.beyond = Some(reason);
            return;
        }
        self.expand(state);
        self.statistics.deadlocks += u64::from(self.batch.deadlock());
        self.statistics.faults += self.batch.faults().len() as u64;
        if self.batch.ample().is_some_and(|ample| ample < self.batch.len()) {
            self.note(id, REDUCED);
        }
    }

    /// How many successors in the batch, which are those of this state, are taken.
    pub(crate) fn chosen(&self, id: Id) -> usize {
        match self.has(id, REDUCED) {
            true => self.batch.ample().unwrap_or(self.batch.len()),
            false => self.batch.len(),
        }
    }

    /// The proviso failed at a state, whose successors are in the batch: from now on
    /// all of them are taken. Answers where those begin that were not so far.
    pub(crate) fn take_all(&mut self, id: Id) -> usize {
        let chosen = self.chosen(id);
        self.forget(id, REDUCED);
        chosen
    }

    /// What is looked for, lassos aside, that a state shows which was just expanded
    /// for the first time.
    pub(crate) fn shows(&mut self, state: &[Word]) -> Shown {
        let open = self.findings.open_conditions(self.task);
        let asked = open | self.task.count;
        let violated = if asked == 0 { 0 } else { self.expander.violated(state) };
        self.statistics.counted += u64::from(violated & self.task.count != 0);
        let fault = self.batch.faults().first().copied();
        Shown {
            conditions: violated & open,
            deadlock: self.batch.deadlock()
                && self.task.deadlock
                && self.findings.deadlock.is_none(),
            fault: fault.filter(|_| self.task.fault && self.findings.fault.is_none()),
        }
    }

    /// Reports what a state shows that is reached by `path`.
    pub(crate) fn found(&mut self, shown: Shown, path: &Path) {
        if shown.conditions != 0 {
            self.findings.found(shown.conditions, path);
        }
        if shown.deadlock {
            self.findings.deadlock = Some(Finding { path: path.clone(), fault: None });
        }
        if shown.fault.is_some() {
            self.findings.fault = Some(Finding { path: path.clone(), fault: shown.fault });
        }
        self.done = self.findings.complete(self.task);
    }

    /// Reports a lasso: a path, and then a way round from where that ends. Where
    /// the two do not fit, the store took two states for one.
    pub(crate) fn report(&mut self, stem: Path, round: Option<Path>) {
        let Some(round) = round.filter(|round| {
            !round.is_empty() && round.state(0) == stem.last() && round.last() == stem.last()
        }) else {
            self.mistaken = true;
            self.beyond = Some(StopReason::Pruned);
            return;
        };
        let back = Some(stem.len());
        self.findings.lasso = Some(Lasso { path: stem.and(&round), back });
        self.done = self.findings.complete(self.task);
    }

    /// Reports a lasso: a path whose last state it passed before.
    pub(crate) fn report_path(&mut self, path: &Path, back: Option<usize>) {
        let stem = path.part(0, back.unwrap_or(path.len()));
        let round = back.map(|back| path.part(back, path.len()));
        self.report(stem, round);
    }

    /// Looks at the watch, if it is time to. `bytes` is what the search takes
    /// itself.
    #[inline]
    pub(crate) fn look(
        &mut self,
        watch: &mut Watch,
        frontier: usize,
        bytes: impl FnOnce() -> usize,
    ) -> Result<(), StopReason> {
        if self.statistics.progress.expanded == self.looked || !watch.due() {
            return Ok(());
        }
        self.look_now(watch, frontier, bytes())
    }

    pub(crate) fn look_now(
        &mut self,
        watch: &mut Watch,
        frontier: usize,
        bytes: usize,
    ) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        self.looked = progress.expanded;
        progress.stored = self.store.len() as u64;
        progress.frontier = frontier as u64;
        progress.bytes = progress.bytes.max(self.store.bytes() + self.flags.bytes() + bytes);
        watch.check(progress)
    }

    /// What was done and found.
    pub(crate) fn outcome(mut self, stopped: Option<StopReason>) -> Outcome {
        self.statistics.progress.stored = self.store.len() as u64;
        let done = self.is_done();
        Outcome {
            findings: self.findings,
            statistics: self.statistics,
            stopped: stopped.or(self.beyond).filter(|_| !done),
            optimal: false,
            at_least: 0,
            notices: Vec::new(),
        }
    }
}

/// What a state shows.
pub(crate) struct Shown {
    conditions: u64,
    deadlock: bool,
    fault: Option<Fault>,
}

impl Shown {
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        self.conditions == 0 && !self.deadlock && self.fault.is_none()
    }
}

/// All acceptance sets of a space.
pub(crate) fn all_sets(space: &dyn Space) -> u64 {
    let sets = space.acceptance_sets();
    1_u64.checked_shl(sets).map_or(u64::MAX, |next| next - 1)
}

/// The edge of initial states where none is of use.
pub(crate) const NO_EDGE: Edge = Edge { label: 0, choice: 0 };
