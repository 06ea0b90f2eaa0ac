//! Enforced hill climbing.
//!
//! Hoffmann, Nebel, "The FF Planning System: Fast Plan Generation Through
//! Heuristic Search" (JAIR 2001), section 4.
//!
//! ```text
//! s := initial state
//! while no goal is found:
//!   search breadth-first from s, until a goal or a state t with h(t) < h(s)
//!   if there is none: give up
//!   s := t
//! ```
//!
//! A phase remembers only what it visits itself. What lies behind states that
//! were left for a better one is not looked at, so that finding nothing means
//! nothing, with one exception: if the first phase finds no better state, it
//! has searched everything.
//!
//! Phases start with all states of equal standing: the first with all initial
//! states. The paper restricts itself to helpful actions; here that is left to
//! estimates and strategies that know them. Where two phases go through the same
//! state, the trace leaves out what lies between.

use std::collections::VecDeque;

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::hash::hash_words;
use homing_core::{
    Batch, Cost, DEAD_END, Edge, Expander, Fault, Id, Price, StopReason, Store, Visit, Watch, Word,
};

use crate::costs::{Costs, Priced, Steps};
use crate::guide::Guiding;
use crate::nodes::{Nodes, Origin};
use crate::path::Path;
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

/// The row.
pub const HILL_CLIMBING: Row<StrategyBuilder> = Row {
    name: "hill-climbing",
    kind: Kind::Strategy,
    about: "enforced hill climbing: breadth-first to the next state of smaller estimate, and on from there, never back",
    cite: "Hoffmann, Nebel 2001",
    parameters: &[ESTIMATE],
    needs: &[],
    gives: &[Capability::Directed, Capability::Lossy],
    uses: &[],
    build: |call, _| directed(call, &[], HillClimbing),
};

#[derive(Debug)]
struct HillClimbing;

impl Algorithm for HillClimbing {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        match run.task.pricing {
            None => climb(run, Steps),
            Some(pricing) => climb(run, Priced::new(pricing)),
        }
    }
}

fn climb<C: Costs>(run: Context<'_, '_>, costs: C) -> Outcome {
    let Context { task, stores, guide, watch } = run;
    let guide = &mut guide.instance();
    let mut climb = Climb::new(task, guide, watch, costs);
    let mut stopped = None;
    while !climb.findings.complete(task) {
        let ended = match stores.fresh() {
            Err(reason) => Err(reason),
            Ok(store) => climb.phase(store, watch),
        };
        match ended {
            Ok(true) => climb.phases += 1,
            Ok(false) => break,
            Err(reason) => {
                stopped = Some(reason);
                break;
            }
        }
    }
    climb.outcome(stopped)
}

/// A state that waits to be expanded: its entry, the cost of the path to it
/// from the initial state, and its steps.
struct Waiting<V> {
    entry: u32,
    path: V,
    depth: u32,
}

struct Climb<'a, 'g, C: Costs> {
    task: &'a Task<'a>,
    guide: &'a mut Guiding<'g>,
    costs: C,
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    state: Vec<Word>,
    open: VecDeque<Waiting<C::Value>>,
    /// The way up to the state that the phase starts from; none in the first.
    way: Option<Path>,
    /// What that way costs.
    way_cost: C::Value,
    /// The estimate to fall below.
    height: Cost,
    phases: u64,
    /// The states that the phases before visited.
    visited: u64,
    bound: Option<Price>,
    deepest: Option<u32>,
    /// Whether paths were cut.
    cut: bool,
    findings: Findings,
    statistics: Statistics,
}

impl<'a, 'g, C: Costs> Climb<'a, 'g, C> {
    fn new(
        task: &'a Task,
        guide: &'a mut Guiding<'g>,
        watch: &Watch,
        costs: C,
    ) -> Climb<'a, 'g, C> {
        let width = task.space.width();
        Climb {
            task,
            guide,
            way_cost: costs.one(),
            costs,
            expander: task.space.expander(),
            batch: Batch::new(width),
            state: vec![0; width],
            open: VecDeque::new(),
            way: None,
            height: DEAD_END,
            phases: 0,
            visited: 0,
            bound: watch.limits().bound,
            deepest: watch.limits().depth,
            cut: false,
            findings: Findings::default(),
            statistics: Statistics::default(),
        }
    }

    /// Searches breadth-first for a better state. Answers whether it went on to
    /// one.
    fn phase(&mut self, store: &mut dyn Store, watch: &mut Watch) -> Result<bool, StopReason> {
        let mut nodes = Nodes::new(store, self.batch.width(), true);
        self.open.clear();
        self.start(store, &mut nodes)?;
        self.look(store, &nodes, watch)?;
        let better = self.search(store, &mut nodes, watch);
        self.look(store, &nodes, watch).or_else(|reason| match better {
            // What was found is kept.
            Ok(_) if self.findings.complete(self.task) => Ok(()),
            _ => Err(reason),
        })?;
        // The state that a later phase starts from was counted before.
        self.visited += store.len() as u64 - u64::from(self.phases > 0);
        better
    }

    fn search(
        &mut self,
        store: &mut dyn Store,
        nodes: &mut Nodes,
        watch: &mut Watch,
    ) -> Result<bool, StopReason> {
        while let Some(next) = self.open.pop_front() {
            if self.findings.complete(self.task) {
                return Ok(false);
            }
            if store.is_dropped(Id(next.entry)) {
                continue;
            }
            if self.deepest.is_some_and(|most| next.depth >= most) {
                self.cut = true;
                continue;
            }
            let origin = nodes.take(store, next.entry, &mut self.state);
            self.expand(store, nodes, origin);
            self.statistics.levels = self.statistics.levels.max(next.depth);
            self.statistics.progress.depth = next.depth;
            for successor in 0..self.batch.len() {
                let edge = self.batch.edge(successor);
                let path = self.costs.after(next.path, edge);
                let reached = Waiting { entry: 0, path, depth: next.depth + 1 };
                if self.visit(store, nodes, successor, origin, reached)? {
                    return Ok(true);
                }
            }
            if watch.due() || watch.limits().expansions.is_some() {
                self.look(store, nodes, watch)?;
            }
        }
        Ok(false)
    }

    /// Puts the states that the phase starts from into the queue.
    fn start(&mut self, store: &mut dyn Store, nodes: &mut Nodes) -> Result<(), StopReason> {
        self.batch.clear();
        match &self.way {
            Some(way) => self.batch.push(way.state(way.len()), Edge::default()),
            None => self.expander.initial(&mut self.batch),
        }
        // No state is better than the best of these.
        if self.phases == 0 {
            for start in 0..self.batch.len() {
                let estimate = self.estimate(start, Origin::NONE);
                self.height = self.height.min(estimate);
            }
        }
        let depth = self.way.as_ref().map_or(0, Path::len) as u32;
        for start in 0..self.batch.len() {
            let reached = Waiting { entry: 0, path: self.way_cost, depth };
            self.visit(store, nodes, start, Origin::NONE, reached)?;
        }
        Ok(())
    }

    /// Expands the state at hand into the batch, and notes what only then
    /// shows.
    fn expand(&mut self, store: &dyn Store, nodes: &Nodes, origin: Origin) {
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        self.costs.leaving(&self.state);
        if let Some(heuristic) = &mut self.guide.heuristic {
            heuristic.expanding(&self.state);
        }
        let statistics = &mut self.statistics;
        statistics.progress.expanded += 1;
        statistics.progress.generated += self.batch.len() as u64;
        statistics.deadlocks += u64::from(self.batch.deadlock());
        statistics.faults += self.batch.faults().len() as u64;
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(store, nodes, origin, None));
        }
        if self.task.fault
            && self.findings.fault.is_none()
            && let Some(fault) = self.batch.faults().first().copied()
        {
            self.findings.fault = Some(self.finding(store, nodes, origin, Some(fault)));
        }
    }

    /// Looks at a successor. Answers whether the next phase starts from it.
    fn visit(
        &mut self,
        store: &mut dyn Store,
        nodes: &mut Nodes,
        successor: usize,
        origin: Origin,
        mut reached: Waiting<C::Value>,
    ) -> Result<bool, StopReason> {
        if self.is_beyond(reached.path) {
            return Ok(false);
        }
        let state = self.batch.state(successor);
        let id = match store.visit(state, hash_words(state), origin.id(nodes), 0) {
            Visit::Known(_) | Visit::Covered(_) => return Ok(false),
            Visit::New(id) => id,
            Visit::Full => return Err(StopReason::StoreFull),
        };
        reached.entry = nodes.add(id, state, origin, self.batch.edge(successor));
        let open = self.findings.open_conditions(self.task);
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            let here = nodes.origin_of(reached.entry);
            let path = self.finding(store, nodes, here, None).path;
            self.findings.found(violated, &path);
        }
        let estimate = self.estimate(successor, origin);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return Ok(false);
        }
        let better = estimate < self.height && !self.findings.complete(self.task);
        if better {
            self.height = estimate;
            self.way_cost = reached.path;
            let here = nodes.origin_of(reached.entry);
            self.way = Some(self.way_to(store, nodes, here));
        }
        self.open.push_back(reached);
        Ok(better)
    }

    /// Whether a path costs too much. It is not followed, although a cheaper one
    /// to the same state may come to light too late.
    fn is_beyond(&mut self, path: C::Value) -> bool {
        let beyond = self.bound.is_some_and(|bound| self.costs.ahead(path, 0) > bound);
        self.cut |= beyond;
        beyond
    }

    fn estimate(&mut self, successor: usize, origin: Origin) -> Cost {
        let Some(heuristic) = &mut self.guide.heuristic else { return 0 };
        let via = (origin != Origin::NONE).then(|| self.batch.edge(successor));
        let estimate = heuristic.estimate(self.batch.state(successor), via);
        if estimate != DEAD_END {
            let best = &mut self.statistics.progress.best;
            *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        }
        estimate
    }

    /// The way from an initial state: that of the phases before, and the way of
    /// this one.
    fn way_to(&self, store: &dyn Store, nodes: &Nodes, origin: Origin) -> Path {
        let inner = self.task.space.expander();
        let start = self.way.as_ref().map(|way| way.state(way.len()));
        let mut expander = Starting { inner, start };
        // A way that cannot be found again is left empty; replaying it will
        // not confirm the finding.
        let width = self.batch.width();
        let path = nodes.path(store, origin, &mut expander, width, self.task.pricing);
        let path = path.unwrap_or_default();
        match &self.way {
            None => path,
            Some(way) => way.clone().and(&path),
        }
    }

    fn finding(
        &self,
        store: &dyn Store,
        nodes: &Nodes,
        origin: Origin,
        fault: Option<Fault>,
    ) -> Finding {
        Finding { path: self.way_to(store, nodes, origin).without_loops(), fault }
    }

    fn look(
        &mut self,
        store: &dyn Store,
        nodes: &Nodes,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.visited + store.len() as u64 - u64::from(self.phases > 0);
        progress.frontier = self.open.len() as u64;
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes());
        let open = self.open.capacity() * size_of::<Waiting<C::Value>>();
        let bytes = store.bytes() + nodes.bytes() + open + tables;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    fn outcome(self, stopped: Option<StopReason>) -> Outcome {
        // The first phase leaves nothing out; those after it start where all
        // else was left behind.
        let everything = self.phases == 0 && !self.cut;
        let mut notices = Vec::new();
        if stopped.is_none() && !everything && !self.findings.complete(self.task) {
            let (phases, height) = (self.phases, self.height);
            notices.push(format!(
                "after {phases} phases no state of an estimate below {height} was left to climb to"
            ));
        }
        Outcome {
            stopped: match stopped {
                _ if self.findings.complete(self.task) => None,
                None if !everything => Some(StopReason::Pruned),
                other => other,
            },
            findings: self.findings,
            statistics: Statistics { estimated: self.guide.work(), ..self.statistics },
            optimal: false,
            at_least: 0,
            notices,
        }
    }
}

/// An expander whose only initial state is another.
struct Starting<'a, 's> {
    inner: Box<dyn Expander + 'a>,
    start: Option<&'s [Word]>,
}

impl Expander for Starting<'_, '_> {
    fn initial(&mut self, out: &mut Batch) {
        match self.start {
            Some(start) => out.push(start, Edge::default()),
            None => self.inner.initial(out),
        }
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.inner.expand(state, out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(state)
    }
}
