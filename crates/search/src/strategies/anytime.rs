//! Anytime searches: weighted A* with smaller and smaller weights, each trace better than
//! the one before, and with each a proof how good it is.
//!
//! Likhachev, Gordon, Thrun, "ARA*: Anytime A* with Provable Bounds on Sub-Optimality"
//! (NIPS 2003); Richter, Thayer, Ruml, "The Joy of Forgetting: Faster Anytime Search via
//! Restarting" (ICAPS 2010).
//!
//! ```text
//! ARA*:  g(start) := 0, OPEN := {start}, INCONS := ∅
//!        for every weight w, the last one until OPEN and INCONS are empty:
//!          OPEN := OPEN ∪ INCONS, by g + w·h; INCONS, CLOSED := ∅
//!          ImprovePath(); publish the path, and the bound
//!            ε' := g(goal) / min {g(s) + h(s) | s ∈ OPEN ∪ INCONS}
//!
//! RWA*:  for every weight w, the last one until OPEN is empty:
//!          OPEN := {start}, CLOSED := ∅; all other states are *seen*
//!          ImprovePath(); publish the path
//!
//! ImprovePath():  while f(goal) > min f over OPEN:
//!   move s of least f = g + w·h from OPEN to CLOSED
//!   for every successor s' of s, unless g(s) + c + h(s') ≥ g(goal):
//!     if g(s') > g(s) + c:  g(s') := g(s) + c, parent(s') := s
//!       if s' ∈ CLOSED:  ARA*: insert s' into INCONS;  RWA*: insert it into OPEN again
//!       else: insert s' into OPEN
//!     else if s' is seen (RWA*): insert it into OPEN, by the g it has
//! ```
//! A restart forgets the order of the search so far, which a great weight may have led
//! astray, but neither paths nor estimates: what was estimated is not estimated again.
//!
//! The bound ε' is as good for RWA*: on a best way there is a first state that waits, g of
//! which is that way's, so that no way costs less than the least g + h of what waits. This
//! takes an admissible estimate, not a consistent one.
//!
//! Deviations:
//! - What costs no less than the best known is left out of ARA*, too; with an estimate that
//!   is not admissible, g alone decides. The last weight is searched until nothing better
//!   can be left, which proves the path a best one with any estimate.
//! - Weights are given, not computed from ε'; ARA* goes round with the last one as long as
//!   there are inconsistent states.
//! - Where several things are looked for, g(goal) is that of the worst of them.
//! - Costs are steps.

mod met;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::hash::hash_words;
use homing_core::{
    Batch, Column, Cost, DEAD_END, Expander, Id, Open, Price, StopReason, Store, Visit, Watch, Word,
};

use self::met::{Best, DEADLOCK, FAULT, Met};
use crate::guide::Guiding;
use crate::keys::Weights;
use crate::nodes::{Nodes, Origin};
use crate::open::Matrix;
use crate::strategy::{Algorithm, Context, ESTIMATE, Strategy, StrategyBuilder, directed};
use crate::task::{Outcome, Statistics, Task};

const WEIGHTS: Parameter = Parameter {
    name: "weights",
    about: "the weights of the estimate, one after the other, none greater than the one before",
    default: "[5, 3, 2, 1]",
};

/// Restarting weighted A*.
pub const RWA: Row<StrategyBuilder> = Row {
    name: "rwa",
    kind: Kind::Strategy,
    about: "restarting weighted A*: every trace found starts the search again, with a smaller weight; the last trace is a best one",
    cite: "Richter, Thayer, Ruml 2010",
    parameters: &[ESTIMATE, WEIGHTS],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete, Capability::Shortest, Capability::Directed, Capability::Optimal],
    uses: &[],
    build: |call, _| anytime(call, true),
};

/// Anytime repairing A*.
pub const ARA: Row<StrategyBuilder> = Row {
    name: "ara",
    about: "anytime repairing A*: weighted A* that goes on from where it found a trace, with a smaller weight; the last trace is a best one",
    cite: "Likhachev, Gordon, Thrun 2003",
    build: |call, _| anytime(call, false),
    ..RWA
};

fn anytime(call: &Call, restarts: bool) -> Result<Strategy, String> {
    let weights = match call.named(WEIGHTS.name) {
        None => vec![5, 3, 2, 1],
        Some(Expression::List(list)) => list.iter().map(weight).collect::<Result<_, _>>()?,
        Some(one) => vec![weight(one)?],
    };
    if weights.is_empty() || weights.windows(2).any(|pair| pair[0] < pair[1]) {
        return Err(format!("`weights` of `{}` fall, as in `[5, 3, 2, 1]`", call.name));
    }
    directed(call, &[WEIGHTS.name], Anytime { weights, restarts })
}

fn weight(given: &Expression) -> Result<u32, String> {
    match given {
        Expression::Number(n @ 1..=1000) => Ok(*n as u32),
        other => Err(format!("a weight is a number from 1 to 1000, `{other}` is not")),
    }
}

#[derive(Debug)]
struct Anytime {
    weights: Vec<u32>,
    /// RWA*, not ARA*.
    restarts: bool,
}

impl Algorithm for Anytime {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, stores, guide, watch } = run;
        let guide = &mut guide.instance();
        match stores.fresh() {
            Err(reason) => Outcome::stopped(reason),
            Ok(store) => {
                let mut search = Search::new(task, store, guide, watch, self.restarts);
                let ended = search.run(&self.weights, watch);
                search.outcome(ended)
            }
        }
    }
}

/// No estimate was made yet.
const UNKNOWN: Cost = DEAD_END - 1;

struct Search<'a, 'g> {
    task: &'a Task<'a>,
    store: &'a mut dyn Store,
    guide: &'a mut Guiding<'g>,
    restarts: bool,
    admissible: bool,
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    state: Vec<Word>,
    nodes: Nodes,
    g: Column<u32>,
    h: Column<Cost>,
    /// In which round a state was last put into OPEN, twice that; one more once it was
    /// moved to CLOSED.
    places: Column<u32>,
    round: u32,
    weight: u32,
    open: Matrix,
    incons: Vec<u32>,
    best: Best,
    bound: Option<Price>,
    depth: Option<u32>,
    beyond: Option<StopReason>,
    /// No way costs less.
    at_least: Price,
    statistics: Statistics,
    notices: Vec<String>,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(
        task: &'a Task,
        store: &'a mut dyn Store,
        guide: &'a mut Guiding<'g>,
        watch: &Watch,
        restarts: bool,
    ) -> Search<'a, 'g> {
        let width = task.space.width();
        let admissible = guide.heuristic.as_ref().is_none_or(|h| h.claims().admissible);
        Search {
            nodes: Nodes::new(store, width, true),
            expander: task.space.expander(),
            batch: Batch::new(width),
            state: vec![0; width],
            g: Column::new(u32::MAX),
            h: Column::new(UNKNOWN),
            places: Column::new(0),
            round: 0,
            weight: 1,
            open: Matrix::default(),
            incons: Vec::new(),
            best: Best::default(),
            bound: watch.limits().bound,
            depth: watch.limits().depth,
            beyond: None,
            at_least: 0,
            statistics: Statistics::default(),
            notices: Vec::new(),
            task,
            store,
            guide,
            restarts,
            admissible,
        }
    }

    fn run(&mut self, weights: &[u32], watch: &mut Watch) -> Result<(), StopReason> {
        for (n, weight) in weights.iter().enumerate() {
            let last = n + 1 == weights.len();
            loop {
                self.begin(*weight)?;
                self.look(watch)?;
                self.improve_path(last, watch)?;
                let rest = self.wait();
                self.publish();
                if rest.is_empty() && self.incons.is_empty() {
                    return Ok(());
                }
                self.incons.extend(rest);
                if !last || self.settled() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Begins a round: with the initial states in OPEN or, where nothing is forgotten,
    /// with all that wait.
    fn begin(&mut self, weight: u32) -> Result<(), StopReason> {
        let first = self.round == 0;
        self.round += 1;
        self.weight = weight;
        let waiting = std::mem::take(&mut self.incons);
        if first || self.restarts {
            self.batch.clear();
            self.expander.initial(&mut self.batch);
            return (0..self.batch.len()).try_for_each(|i| self.reach(i, Origin::NONE, 0));
        }
        for entry in waiting {
            self.insert(entry);
        }
        Ok(())
    }

    /// Searches until the worst of what is looked for costs no more than the least f of
    /// what waits; in the last round, until nothing better can be left.
    fn improve_path(&mut self, last: bool, watch: &mut Watch) -> Result<(), StopReason> {
        let exhausts = last && !(self.admissible && self.weight == 1);
        while let Some(f) = self.open.least().map(Weights::sum) {
            if !exhausts && self.best.worst.is_some_and(|worst| worst <= f) {
                break;
            }
            let Some((entry, _)) = self.open.pop() else { break };
            if self.places.get(Id(entry)) == 2 * self.round {
                self.expand(entry)?;
            }
            if watch.due() || watch.limits().expansions.is_some() {
                self.look(watch)?;
            }
        }
        self.look(watch)
            .or_else(|reason| if self.best.worst.is_some() { Ok(()) } else { Err(reason) })
    }

    /// Takes out all that waits in OPEN, and notes what no way costs less than.
    fn wait(&mut self) -> Vec<u32> {
        let mut waiting = Vec::new();
        while let Some((entry, _)) = self.open.pop() {
            let place = self.places.get(Id(entry));
            if place == 2 * self.round && !self.is_useless(entry) {
                self.places.set(Id(entry), place + 1);
                waiting.push(entry);
            }
        }
        if self.admissible {
            let ahead = waiting.iter().chain(&self.incons).map(|entry| self.ahead(*entry)).min();
            let least = ahead.unwrap_or(Price::MAX).min(self.best.worst.unwrap_or(Price::MAX));
            self.at_least = self.at_least.max(least);
        }
        waiting
    }

    /// g + h of a state that waits.
    fn ahead(&self, entry: u32) -> Price {
        Price::from(self.g.get(Id(entry))) + Price::from(self.h.get(Id(entry)))
    }

    /// Whether nothing better than what is known can be left.
    fn settled(&self) -> bool {
        self.admissible && self.best.worst.is_some_and(|worst| worst <= self.at_least)
    }

    fn expand(&mut self, entry: u32) -> Result<(), StopReason> {
        if self.is_useless(entry) || self.store.is_dropped(Id(entry)) {
            return Ok(());
        }
        let g = self.g.get(Id(entry));
        self.statistics.levels = self.statistics.levels.max(g);
        self.statistics.progress.depth = g;
        if self.depth.is_some_and(|most| g >= most) {
            self.beyond.get_or_insert(StopReason::Depth);
            return Ok(());
        }
        self.places.set(Id(entry), 2 * self.round + 1);
        let origin = self.nodes.take(&*self.store, entry, &mut self.state);
        if let Some(heuristic) = &mut self.guide.heuristic {
            heuristic.expanding(&self.state);
        }
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
        self.note_ends(entry);
        (0..self.batch.len()).try_for_each(|i| self.reach(i, origin, g.saturating_add(1)))
    }

    /// Relaxes the step to a successor, or enters an initial state.
    fn reach(&mut self, successor: usize, from: Origin, g: u32) -> Result<(), StopReason> {
        if self.bound.is_some_and(|most| Price::from(g) > most) {
            self.beyond.get_or_insert(StopReason::Bound);
            return Ok(());
        }
        let state = self.batch.state(successor);
        let parent = from.id(&self.nodes);
        let id = match self.store.visit(state, hash_words(state), parent, g.into()) {
            Visit::New(id) | Visit::Known(id) => id,
            Visit::Covered(_) => return Ok(()),
            Visit::Full => return Err(StopReason::StoreFull),
        };
        let (known, place) = (self.g.get(id), self.places.get(id));
        let seen = self.restarts && place < 2 * self.round;
        if g >= known && !seen {
            return Ok(());
        }
        if !self.estimate(successor, id, from) || self.costs_too_much(g.min(known), id) {
            return Ok(());
        }
        if g < known {
            self.g.set(id, g);
            let edge = self.batch.edge(successor);
            self.nodes.add(id, self.batch.state(successor), from, edge);
            self.note_conditions(successor, id);
        }
        match place == 2 * self.round + 1 && !self.restarts {
            true => self.incons.push(id.0),
            false => self.insert(id.0),
        }
        Ok(())
    }

    /// Inserts a state into OPEN.
    fn insert(&mut self, entry: u32) {
        self.places.set(Id(entry), 2 * self.round);
        let weights = Weights { path: 1, estimate: self.weight };
        let (g, h) = (self.g.get(Id(entry)), self.h.get(Id(entry)));
        self.open.push(entry, weights.key(g, h, 0));
    }

    /// Estimates a state, if nobody has. Answers whether it is no dead end.
    fn estimate(&mut self, successor: usize, id: Id, from: Origin) -> bool {
        if self.h.get(id) == UNKNOWN {
            let via = (from != Origin::NONE).then(|| self.batch.edge(successor));
            let state = self.batch.state(successor);
            let estimate = self.guide.heuristic.as_mut().map_or(0, |h| h.estimate(state, via));
            self.h.set(id, if estimate == UNKNOWN { UNKNOWN - 1 } else { estimate });
            if estimate == DEAD_END {
                self.statistics.dead_ends += 1;
            } else {
                let best = &mut self.statistics.progress.best;
                *best = Some(best.map_or(estimate, |best| best.min(estimate)));
            }
        }
        self.h.get(id) != DEAD_END
    }

    /// Whether a state is reached too late: no way through it is better than what is
    /// known, or within the bound.
    fn costs_too_much(&mut self, g: u32, id: Id) -> bool {
        let h = if self.admissible { self.h.get(id) } else { 0 };
        let price = Price::from(g) + Price::from(h);
        let beyond = self.bound.is_some_and(|most| price > most);
        if beyond {
            self.beyond.get_or_insert(StopReason::Bound);
        }
        beyond || self.best.worst.is_some_and(|worst| price >= worst)
    }

    /// Whether no way through a state that waits is better than what is known.
    fn is_useless(&self, entry: u32) -> bool {
        let price = if self.admissible { self.ahead(entry) } else { self.g.get(Id(entry)).into() };
        self.best.worst.is_some_and(|worst| price >= worst)
    }

    /// Notes what shows on a state itself.
    fn note_conditions(&mut self, successor: usize, id: Id) {
        if self.task.conditions == 0 {
            return;
        }
        let violated = self.expander.violated(self.batch.state(successor)) & self.task.conditions;
        for bit in (0..64).filter(|bit| violated >> bit & 1 == 1) {
            self.best.note(self.task, &self.g, bit, Met { at: id, fault: None });
        }
    }

    /// Notes what only shows when a state is expanded.
    fn note_ends(&mut self, entry: u32) {
        let (deadlock, fault) = (self.batch.deadlock(), self.batch.faults().first().copied());
        self.statistics.deadlocks += u64::from(deadlock);
        self.statistics.faults += self.batch.faults().len() as u64;
        if deadlock && self.task.deadlock {
            let met = Met { at: Id(entry), fault: None };
            self.best.note(self.task, &self.g, DEADLOCK, met);
        }
        if fault.is_some() && self.task.fault {
            self.best.note(self.task, &self.g, FAULT, Met { at: Id(entry), fault });
        }
    }

    /// Says what the round came to.
    fn publish(&mut self) {
        let Some(worst) = self.best.worst else { return };
        let (weight, expanded) = (self.weight, self.statistics.progress.expanded);
        let proven = match self.admissible {
            true => format!(", at least {}", self.at_least.min(worst)),
            false => String::new(),
        };
        self.notices
            .push(format!("weight {weight}: {worst} steps{proven}, after {expanded} expansions"));
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = self.open.len() as u64;
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes());
        let columns = self.g.bytes() + self.h.bytes() + self.places.bytes() + self.nodes.bytes();
        let lists = self.open.bytes() + self.incons.capacity() * size_of::<u32>();
        progress.bytes = progress.bytes.max(self.store.bytes() + columns + lists + tables);
        watch.check(progress)
    }

    fn outcome(mut self, ended: Result<(), StopReason>) -> Outcome {
        let early = ended.err();
        // Between two expansions, what waits says what no way costs less than.
        if self.round > 0 && early.is_some_and(|reason| reason != StopReason::StoreFull) {
            self.wait();
        }
        self.statistics.progress.stored = self.store.len() as u64;
        let complete = self.best.worst.is_some();
        let exact = self.store.is_exact();
        let behind = match self.beyond {
            Some(StopReason::Depth) => self.task.behind_limit(self.depth),
            Some(_) => self.bound.map_or(0, |bound| bound.saturating_add(1)),
            None => Price::MAX,
        };
        // Everything that may be better was searched.
        let settled = early.is_none() && exact;
        let optimal = settled && self.best.worst.is_none_or(|worst| worst <= behind);
        let least = self.best.least(self.task, &self.g).unwrap_or(Price::MAX).min(behind);
        let at_least = match settled {
            true => least,
            false if exact => self.at_least.min(least),
            false => 0,
        };
        Outcome {
            findings: self.best.findings(self.task, &self.nodes, &*self.store),
            stopped: early.or(self.beyond).filter(|_| !complete),
            optimal,
            at_least,
            statistics: Statistics { estimated: self.guide.work(), ..self.statistics },
            notices: self.notices,
        }
    }
}
