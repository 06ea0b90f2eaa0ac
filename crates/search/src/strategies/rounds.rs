//! Repeated rounds that keep the costs: for costs that are not monotone along
//! paths, where a path may become better by going on.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (MoChArt 2008), section 4, "Forward Reachability with
//! Costs": a breadth-first round settles at least one more state of an optimal
//! path, so that rounds without re-initialising C settle all of it. It is the
//! algorithm of Bellman (1958), Ford and Moore (1959).
//!
//! ```text
//! C(s) := 1 for s ∈ I, open := I
//! while open is not empty:                              (a round)
//!   for every s of open, for every successor t of s by a step of cost c:
//!     if C(s) × c ≺ C(t):                               (relaxation; C(t) = 0 at first)
//!       C(t) := C(s) × c, parent(t) := s, next := next ∪ {t}
//!   open := next
//!   if the parents go round: no cost is the least, stop relaxing
//! the best goal is the one of least C
//! ```
//!
//! Deviations: a round expands only states whose cost changed since they were
//! expanded last. A cycle that makes paths better each time it is taken is not
//! found by counting rounds up to the number of states, but as soon as it shows
//! in the parents (Cherkassky, Goldberg, "Negative-cycle detection algorithms",
//! 1999): while they form a tree, each cost is no less than that of a path
//! without a cycle, of which there are finitely many. What is not reached by
//! then is still explored, so that nothing found means that there is nothing.
//!
//! The goal test is on all states at the end: no state is settled before.

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::hash::hash_words;
use homing_core::{
    Batch, Column, Expander, Fault, Id, Price, StopReason, Store, Visit, Watch, Word,
};

use crate::costs::{Costs, Priced, Steps};
use crate::path::Path;
use crate::strategy::{Algorithm, Context, StrategyBuilder, blind};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// The row.
pub const ROUNDS: Row<StrategyBuilder> = Row {
    name: "rounds",
    kind: Kind::Strategy,
    about: "repeated rounds until no cost changes: for costs that may be negative; looks at every state",
    cite: "Bellman 1958; Ford 1956; Moore 1959",
    parameters: &[],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Shortest, Capability::Costs],
    uses: &[],
    build: |call, _| {
        call.allow_named(&[])?;
        blind(call, &[], Rounds)
    },
};

#[derive(Debug)]
struct Rounds;

impl Algorithm for Rounds {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, stores, watch, .. } = run;
        let store = match stores.fresh() {
            Ok(store) => store,
            Err(reason) => return Outcome::stopped(reason),
        };
        match task.pricing {
            None => search(task, store, watch, Steps),
            Some(pricing) => search(task, store, watch, Priced::new(pricing)),
        }
    }
}

fn search<C: Costs>(task: &Task, store: &mut dyn Store, watch: &mut Watch, costs: C) -> Outcome {
    let mut relaxation = Relaxation::new(task, store, watch, costs);
    let stopped = relaxation.run(watch).err();
    relaxation.outcome(stopped, watch)
}

/// A state that is looked for.
struct Met {
    id: Id,
    conditions: u64,
    deadlock: bool,
    fault: Option<Fault>,
}

struct Relaxation<'a, C: Costs> {
    task: &'a Task<'a>,
    store: &'a mut dyn Store,
    expander: Box<dyn Expander + 'a>,
    costs: C,
    /// C.
    paths: Column<C::Value>,
    parents: Column<u32>,
    /// The states by which states were first reached: a tree in any case. Only
    /// where the parents may be none.
    first: Option<Column<u32>>,
    /// Whether a state waits to be expanded (1), and was before (2).
    marks: Column<u8>,
    open: Vec<u32>,
    next: Vec<u32>,
    /// The numbers of states given out so far, those dropped since included.
    numbers: usize,
    met: Vec<Met>,
    state: Vec<Word>,
    batch: Batch,
    bound: Option<Price>,
    /// Whether costs never fall along a path.
    monotone: bool,
    /// Whether costs are still updated: no cycle makes them better for ever.
    relaxing: bool,
    beyond: Option<StopReason>,
    saturated: bool,
    statistics: Statistics,
}

const WAITS: u8 = 1;
const EXPANDED: u8 = 2;

impl<'a, C: Costs> Relaxation<'a, C> {
    fn new(task: &'a Task, store: &'a mut dyn Store, watch: &Watch, costs: C) -> Self {
        let width = task.space.width();
        let monotone = task.pricing.is_none_or(|pricing| pricing.algebra().is_monotone());
        Relaxation {
            task,
            store,
            expander: task.space.expander(),
            costs,
            paths: Column::new(C::WORST),
            parents: Column::new(Id::NONE.0),
            first: (!monotone).then(|| Column::new(Id::NONE.0)),
            marks: Column::new(0),
            open: Vec::new(),
            next: Vec::new(),
            numbers: 0,
            met: Vec::new(),
            state: vec![0; width],
            batch: Batch::new(width),
            bound: watch.limits().bound,
            monotone,
            relaxing: true,
            beyond: None,
            saturated: false,
            statistics: Statistics::default(),
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.expander.initial(&mut self.batch);
        for initial in 0..self.batch.len() {
            self.reach(initial, Id::NONE, self.costs.one())?;
        }
        let mut checked = 0;
        while !self.next.is_empty() {
            std::mem::swap(&mut self.open, &mut self.next);
            self.look(watch)?;
            self.round(watch)?;
            let expanded = self.statistics.progress.expanded;
            if !self.monotone && self.relaxing && expanded - checked >= self.store.len() as u64 {
                self.relaxing = !self.goes_round();
                checked = expanded;
            }
        }
        self.look(watch).or(Ok(()))
    }

    fn round(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        for place in 0..self.open.len() {
            self.expand(Id(self.open[place]), watch)?;
            if watch.due() {
                self.look(watch)?;
            }
        }
        self.open.clear();
        Ok(())
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = (self.open.len() + self.next.len()) as u64;
        let queues = (self.open.capacity() + self.next.capacity()) * size_of::<u32>();
        let columns = self.paths.bytes()
            + self.parents.bytes()
            + self.first.as_ref().map_or(0, Column::bytes)
            + self.marks.bytes();
        let met = self.met.capacity() * size_of::<Met>();
        progress.bytes = progress.bytes.max(self.store.bytes() + queues + columns + met);
        watch.check(progress)
    }

    fn expand(&mut self, id: Id, watch: &Watch) -> Result<(), StopReason> {
        if self.store.is_dropped(id) {
            return Ok(());
        }
        let again = self.marks.get(id) & EXPANDED != 0;
        let path = self.paths.get(id);
        if let Some(depth) = C::steps(path) {
            self.statistics.levels = self.statistics.levels.max(depth);
            self.statistics.progress.depth = depth;
            if watch.limits().depth.is_some_and(|most| depth >= most) {
                self.beyond.get_or_insert(StopReason::Depth);
                return Ok(());
            }
        }
        self.marks.set(id, EXPANDED);
        self.saturated |= self.costs.is_saturated(path);
        self.store.load(id, &mut self.state);
        self.costs.leaving(&self.state);
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
        if !again {
            self.note(id);
        }
        for successor in 0..self.batch.len() {
            let cost = self.costs.after(path, self.batch.edge(successor));
            self.reach(successor, id, cost)?;
        }
        Ok(())
    }

    /// Notes what only shows when a state is expanded.
    fn note(&mut self, id: Id) {
        let deadlock = self.batch.deadlock();
        let fault = self.batch.faults().first().copied();
        self.statistics.deadlocks += u64::from(deadlock);
        self.statistics.faults += self.batch.faults().len() as u64;
        let deadlock = deadlock && self.task.deadlock;
        let fault = fault.filter(|_| self.task.fault);
        if deadlock || fault.is_some() {
            self.met.push(Met { id, conditions: 0, deadlock, fault });
        }
    }

    /// Relaxes the step from `from` to a successor.
    fn reach(&mut self, successor: usize, from: Id, cost: C::Value) -> Result<(), StopReason> {
        if self.monotone && self.bound.is_some_and(|bound| self.costs.ahead(cost, 0) > bound) {
            self.beyond.get_or_insert(StopReason::Bound);
            return Ok(());
        }
        let state = self.batch.state(successor);
        let price = self.costs.ahead(cost, 0);
        let id = match self.store.visit(state, hash_words(state), from, price) {
            Visit::New(id) => {
                self.numbers = self.numbers.max(id.index() + 1);
                self.meet(successor, id);
                if let Some(first) = &mut self.first {
                    first.set(id, from.0);
                }
                id
            }
            Visit::Known(id) if self.relaxing && cost < self.paths.get(id) => id,
            Visit::Known(_) | Visit::Covered(_) => return Ok(()),
            Visit::Full => return Err(StopReason::StoreFull),
        };
        self.paths.set(id, cost);
        self.parents.set(id, from.0);
        if self.marks.get(id) & WAITS == 0 {
            self.marks.set(id, self.marks.get(id) | WAITS);
            self.next.push(id.0);
        }
        Ok(())
    }

    /// Notes what shows on a new state itself.
    fn meet(&mut self, successor: usize, id: Id) {
        if self.task.conditions | self.task.count == 0 {
            return;
        }
        let violated = self.expander.violated(self.batch.state(successor));
        self.statistics.counted += u64::from(violated & self.task.count != 0);
        let conditions = violated & self.task.conditions;
        if conditions != 0 {
            self.met.push(Met { id, conditions, deadlock: false, fault: None });
        }
    }

    /// Whether following parents from some state leads round.
    fn goes_round(&self) -> bool {
        // The walk on which each state was passed.
        let mut passed = vec![u32::MAX; self.numbers];
        for walk in 0..self.numbers as u32 {
            let mut at = walk;
            while at != Id::NONE.0 && passed[at as usize] == u32::MAX {
                passed[at as usize] = walk;
                at = self.parents.get(Id(at));
            }
            if at != Id::NONE.0 && passed[at as usize] == walk {
                return true;
            }
        }
        false
    }

    fn outcome(mut self, stopped: Option<StopReason>, watch: &Watch) -> Outcome {
        self.statistics.progress.stored = self.store.len() as u64;
        let mut findings = Findings::default();
        let mut least = Price::MAX;
        for wanted in self.targets() {
            let best = self.met.iter().filter(|met| wanted.is(met));
            let Some(best) = best.min_by_key(|met| self.paths.get(met.id)) else { continue };
            let cost = self.costs.ahead(self.paths.get(best.id), 0);
            if self.bound.is_some_and(|bound| cost > bound) {
                self.beyond.get_or_insert(StopReason::Bound);
                continue;
            }
            least = least.min(cost);
            let finding =
                Finding { path: self.path(best.id).unwrap_or_default(), fault: best.fault };
            match wanted {
                Wanted::Condition(bit) => findings.found(1 << bit, &finding.path),
                Wanted::Deadlock => findings.deadlock = Some(finding),
                Wanted::Fault => findings.fault = Some(finding),
            }
        }
        let beyond = self.beyond.filter(|_| !findings.complete(self.task));
        let settled = stopped.is_none() && self.relaxing && !self.saturated;
        let isotone = self.task.pricing.is_none_or(|pricing| pricing.algebra().is_isotone());
        let optimal = settled && isotone && self.store.is_exact();
        // What was not followed costs more than the bound, or lies behind the
        // limit of steps.
        let unseen = match self.beyond {
            None => Price::MAX,
            Some(StopReason::Bound) => self.bound.map_or(0, |bound| bound.saturating_add(1)),
            Some(_) => self.task.behind_limit(watch.limits().depth),
        };
        Outcome {
            findings,
            statistics: self.statistics,
            stopped: stopped.or(beyond),
            optimal,
            at_least: if optimal { least.min(unseen) } else { 0 },
            notices: Vec::new(),
        }
    }

    fn targets(&self) -> Vec<Wanted> {
        let conditions = (0..64).filter(|bit| self.task.conditions >> bit & 1 == 1);
        let deadlock = self.task.deadlock.then_some(Wanted::Deadlock);
        let fault = self.task.fault.then_some(Wanted::Fault);
        conditions.map(Wanted::Condition).chain(deadlock).chain(fault).collect()
    }

    /// The way to a state by the parents; by the first ones, where those go
    /// round.
    fn path(&self, id: Id) -> Option<Path> {
        let states =
            self.chain(id, &self.parents).or_else(|| self.chain(id, self.first.as_ref()?))?;
        let mut expander = self.task.space.expander();
        Path::along(&states, &mut *expander, self.task.pricing)
    }

    fn chain(&self, id: Id, parents: &Column<u32>) -> Option<Vec<Vec<Word>>> {
        let mut ids = Vec::new();
        let mut at = id.0;
        while at != Id::NONE.0 {
            if ids.len() > self.numbers {
                return None;
            }
            ids.push(at);
            at = parents.get(Id(at));
        }
        let load = |id: &u32| {
            let mut state = vec![0; self.state.len()];
            self.store.load(Id(*id), &mut state);
            state
        };
        Some(ids.iter().rev().map(load).collect())
    }
}

/// One thing that is looked for.
#[derive(Clone, Copy)]
enum Wanted {
    Condition(u32),
    Deadlock,
    Fault,
}

impl Wanted {
    fn is(self, met: &Met) -> bool {
        match self {
            Wanted::Condition(bit) => met.conditions >> bit & 1 == 1,
            Wanted::Deadlock => met.deadlock,
            Wanted::Fault => met.fault.is_some(),
        }
    }
}
