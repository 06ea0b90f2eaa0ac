//! Depth-first search on one explicit stack.
//!
//! ```text
//! search(U):
//!   enter the initial state
//!   while the stack is not empty:
//!     s := top
//!     if s has a successor t not looked at yet: enter t
//!     else pop s
//!
//! enter(t), reached at cost g(t) = g(s) × c(s, t):
//!   unless g(t) × h(t) is above U, or t was entered before at no greater cost:
//!     note g(t), push t
//! ```
//! A state is marked when the search goes on to it, not when it is generated:
//! a best-first search with a last-in-first-out open list is *not* this, its
//! stack is no path, and what relies on the path (cycle detection, provisos)
//! would be wrong with it.
//!
//! The bound U is that of Edelkamp, Schuppan, Bošnački, Wijs, Fehnker,
//! Aljazzar, "Survey on Directed Model Checking" (MoChArt 2008), Fig. 3. The
//! survey warns of a pitfall there: a state first reached at great cost is
//! cut off early, and must not be taken for done when it is reached again at
//! less. Hence "at no greater cost" above; without a bound any second visit is
//! left out. What decides this is a `Memory`.
//!
//! Opening states again is dear: a search that goes deep first meets most
//! states by long ways first. So every search under a bound first goes without
//! (`bounded`): if that finds what is wanted, or nothing is cut, it is the
//! answer.
//!
//! | search | U | order of successors | memory |
//! |---|---|---|---|
//! | depth-first | the user's, or none | as they come, or random | store |
//! | iterative-deepening A* | the least sum that was cut the round before | least sum first | table |
//! | branch and bound | just below the best found so far | least sum first | table |
//! | threshold refinement | doubled until something is found, then halved | least sum first | store |

pub(crate) mod bounded;
mod memory;
pub(crate) mod stack;
pub(crate) mod table;

use homing_core::hash::hash_words;
use homing_core::{
    Batch, Cost, DEAD_END, Expander, Fault, Id, Price, Random, StopReason, Watch, Word,
};

use crate::costs::Costs;
use crate::guide::Guiding;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};
pub use bounded::depth_first;
use memory::{Entry, Memory, Reached};
use stack::{OnPath, Stack};

/// Whether steps are limited and are not what paths cost.
pub(crate) fn counts_apart<C: Costs>(watch: &Watch) -> bool {
    watch.limits().depth.is_some() && C::steps(C::WORST).is_none()
}

/// Whether a best path starts with best paths, and no path gets better by
/// going on: only then is it right to leave out what is worse already.
pub(crate) fn keeps_order(task: &Task) -> bool {
    task.pricing.is_none_or(|pricing| {
        let algebra = pricing.algebra();
        algebra.is_isotone() && algebra.is_monotone()
    })
}

/// The order in which the successors of a state are entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// As they come.
    Given,
    /// At random, from this seed.
    Random(u64),
    /// The least sum of path and estimate first, of equal ones the least
    /// estimate.
    Best,
}

/// How a depth-first search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The order of successors.
    pub order: Order,
    /// Whether the threshold cuts by the estimate whatever it promises. Else
    /// only an estimate that is admissible cuts anything.
    pub trusting: bool,
    /// Whether the search goes on for better traces than those found.
    pub improving: bool,
    /// The bytes the stack may use; states for which there is no room are not
    /// entered.
    pub stack: usize,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { order: Order::Given, trusting: false, improving: false, stack: usize::MAX }
    }
}

fn least(before: Option<Price>, now: Price) -> Option<Price> {
    Some(before.map_or(now, |before| before.min(now)))
}

/// Places among [`Search::prices`], behind those of the conditions.
pub(crate) const DEADLOCK: usize = 64;
pub(crate) const FAULT: usize = 65;

/// A successor that is worth following.
struct Successor<V> {
    place: usize,
    hash: u64,
    path: V,
    /// What paths through it cost at least.
    sum: Price,
    /// The order among its siblings.
    key: (Price, Cost),
}

/// A depth-first search.
pub(crate) struct Search<'a, 'g, M, C: Costs> {
    task: &'a Task<'a>,
    manner: Manner,
    costs: C,
    pub(crate) memory: M,
    guide: &'a mut Guiding<'g>,
    expander: Box<dyn Expander + 'a>,
    random: Option<Random>,
    stack: Stack<C::Value>,
    on_path: OnPath,
    batch: Batch,
    state: Vec<Word>,
    successors: Vec<Successor<C::Value>>,
    findings: Findings,
    statistics: Statistics,
    /// What each trace found costs.
    prices: Vec<Option<Price>>,
    /// What the user says paths may cost.
    bound: Option<Price>,
    deepest: Option<u32>,
    counts_apart: bool,
    admissible: bool,
    /// What the strategy says paths may cost for now.
    pub(crate) threshold: Option<Price>,
    /// The least sum that was above the threshold in this round.
    pub(crate) cut: Option<Price>,
    /// The least that was above the bound.
    above: Option<Price>,
    beyond: Option<StopReason>,
    /// The least sum of a state that was not expanded, in any round: at the
    /// limit of depth, or for want of stack.
    unexpanded: Option<Price>,
    /// Whether that happened for want of stack.
    pub(crate) overflown: bool,
    /// Whether what was not found is known not to be there.
    settled: bool,
    /// The least sum of an initial state.
    root: Price,
    /// Whether the cost of a path did not fit.
    saturated: bool,
    /// Whether successors may be left out that the space says are not needed: not
    /// where others are left out for what they cost, nor where states are
    /// forgotten and expanded again.
    reduces: bool,
}

impl<'a, 'g, M: Memory<C::Value>, C: Costs> Search<'a, 'g, M, C> {
    pub(crate) fn new(
        task: &'a Task,
        manner: Manner,
        memory: M,
        guide: &'a mut Guiding<'g>,
        watch: &Watch,
        costs: C,
    ) -> Self {
        let width = task.space.width();
        let random = match manner.order {
            Order::Random(seed) => Some(Random::new(seed)),
            Order::Given | Order::Best => None,
        };
        Search {
            task,
            manner,
            memory,
            expander: task.space.expander(),
            random,
            stack: Stack::new(width),
            on_path: OnPath::default(),
            batch: Batch::new(width),
            state: vec![0; width],
            successors: Vec::new(),
            findings: Findings::default(),
            statistics: Statistics::default(),
            prices: vec![None; FAULT + 1],
            bound: watch.limits().bound,
            deepest: watch.limits().depth,
            counts_apart: counts_apart::<C>(watch),
            admissible: guide.heuristic.as_ref().is_none_or(|h| h.claims().admissible),
            guide,
            threshold: None,
            cut: None,
            above: None,
            beyond: None,
            unexpanded: None,
            settled: false,
            overflown: false,
            root: Price::MAX,
            saturated: false,
            reduces: task.space.needs_proviso()
                && !M::FORGETS
                && manner.order != Order::Best
                && watch.limits().bound.is_none()
                && watch.limits().depth.is_none(),
            costs,
        }
    }

    /// Searches from the initial states on, below the threshold. What was
    /// found in rounds before stays found.
    pub(crate) fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.begin();
        // The first state is seen whatever the limits are.
        if let Some(first) = self.stack.advance() {
            self.enter(first)?;
        }
        self.look(watch)?;
        while !self.is_done() {
            let Some(successor) = self.stack.advance() else {
                if !self.leave() {
                    break;
                }
                continue;
            };
            if self.enter(successor)? && watch.due() {
                self.look(watch)?;
            }
        }
        self.look(watch).or(Ok(()))
    }

    /// From the next round on, only better traces than those found are looked
    /// for. What the rounds before did not expand is forgotten.
    /// `settled` says that what was not found is not there.
    pub(crate) fn improve(&mut self, settled: bool) {
        self.manner.improving = true;
        self.settled = settled;
        self.unexpanded = None;
        self.overflown = false;
        self.lower_threshold();
    }

    /// Only what is better than all that was found is of use.
    fn lower_threshold(&mut self) {
        if self.manner.improving && (self.is_complete() || self.settled) {
            self.threshold = self.worst().map(|worst| worst.saturating_sub(1));
        }
    }

    /// Whether something was cut, and states were left out behind which more
    /// may lie within the bound.
    pub(crate) fn is_blurred(&self) -> bool {
        self.memory.is_blurred() && (self.beyond.is_some() || self.cut.is_some())
    }

    /// The least price above the user's bound, if any was.
    pub(crate) fn above(&self) -> Option<Price> {
        self.above
    }

    /// Whether everything that was asked for was found.
    pub(crate) fn is_complete(&self) -> bool {
        self.findings.complete(self.task)
    }

    /// Whether going on is of no use.
    fn is_done(&self) -> bool {
        match self.manner.improving {
            false => self.is_complete(),
            true => (self.is_complete() || self.settled) && self.worst() <= Some(self.at_least()),
        }
    }

    /// What each trace found costs: those of conditions at their bits, then
    /// at [`DEADLOCK`] and [`FAULT`].
    pub(crate) fn prices(&self) -> &[Option<Price>] {
        &self.prices
    }

    /// The price of the worst trace found.
    fn worst(&self) -> Option<Price> {
        self.prices.iter().flatten().max().copied()
    }

    /// The price of the best trace found.
    pub(crate) fn best(&self) -> Option<Price> {
        self.prices.iter().flatten().min().copied()
    }

    /// No path to a goal costs less, by the estimate of the initial states.
    pub(crate) fn at_least(&self) -> Price {
        match keeps_order(self.task) {
            true => self.root,
            false => 0,
        }
    }

    /// Whether only sums above the bound or the threshold were left out that
    /// can matter to the traces found.
    pub(crate) fn is_exhaustive(&self) -> bool {
        let seen =
            |sum: Price| self.is_complete() && self.worst().is_some_and(|worst| sum >= worst);
        self.memory.is_exact()
            && !self.saturated
            && keeps_order(self.task)
            && self.unexpanded.is_none_or(seen)
    }

    /// Whether the estimate may cut: there is none, or it is admissible.
    pub(crate) fn is_admissible(&self) -> bool {
        self.admissible
    }

    /// Why the last round, though it went to its end, did not see everything.
    pub(crate) fn beyond(&self) -> Option<StopReason> {
        match self.beyond {
            // Behind states that were taken for done there may be more within
            // the limits.
            Some(_) if self.memory.is_blurred() => Some(StopReason::Pruned),
            _ if self.overflown => Some(StopReason::Memory),
            beyond => beyond,
        }
    }

    /// Puts the initial states on the empty stack.
    fn begin(&mut self) {
        self.stack.clear();
        self.on_path.clear();
        self.cut = None;
        self.beyond = None;
        self.statistics.deadlocks = 0;
        self.statistics.faults = 0;
        self.statistics.counted = 0;
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.stack.open(Id::NONE);
        self.follow(None);
    }

    /// Leaves the state on top. Answers whether there was one.
    fn leave(&mut self) -> bool {
        if self.knows_path()
            && let Some(successor) = self.stack.taken().next_back()
        {
            self.on_path.pop(&self.stack, successor);
        }
        self.stack.pop()
    }

    /// Enters a successor of the top, unless there is nothing to be found.
    /// Answers whether it did.
    fn enter(&mut self, successor: usize) -> Result<bool, StopReason> {
        // The threshold may have fallen since the successor was put there.
        if self.threshold.is_some_and(|most| self.stack.sum(successor) > most) {
            return Ok(false);
        }
        let (path, hash) = (self.stack.path_to(successor), self.stack.hash(successor));
        self.state.copy_from_slice(self.stack.state(successor));
        if M::FORGETS && self.on_path.has(&self.stack, &self.state, hash) {
            return Ok(false);
        }
        // Not noted either: a shorter way to the state may leave room for it.
        if self.stack.used() > self.manner.stack {
            self.unexpanded = least(self.unexpanded, self.stack.sum(successor));
            self.overflown = true;
            return Ok(false);
        }
        let reached = self.reached(path);
        let (id, new) = match self.memory.enter(&self.state, hash, self.stack.top(), reached)? {
            Entry::Known => return Ok(false),
            Entry::New(id) => (id, true),
            Entry::Again(id) => (id, false),
        };
        self.stack.open(id);
        if self.knows_path() {
            self.on_path.push(&self.stack, successor);
        }
        self.expand(self.stack.sum(successor), new);
        self.test(path, new);
        self.follow(Some(path));
        Ok(true)
    }

    /// How a successor of the top is reached by a path of this cost.
    fn reached(&self, path: C::Value) -> Reached<C::Value> {
        let depth = if self.counts_apart { self.stack.frames() as u32 - 1 } else { 0 };
        Reached { path, depth }
    }

    /// Expands the state on top into the batch.
    fn expand(&mut self, sum: Price, new: bool) {
        // Below it lies the frame without a state.
        let depth = self.stack.frames() as u32 - 2;
        self.statistics.levels = self.statistics.levels.max(depth);
        self.statistics.progress.depth = depth;
        self.batch.clear();
        if self.deepest.is_some_and(|most| depth >= most) {
            self.unexpanded = least(self.unexpanded, sum);
            self.beyond = Some(StopReason::Depth);
            return;
        }
        self.expander.expand(&self.state, &mut self.batch);
        self.reduce();
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
        if new {
            self.statistics.deadlocks += u64::from(self.batch.deadlock());
            self.statistics.faults += self.batch.faults().len() as u64;
        }
    }

    /// Drops the successors that are not needed, where one that is kept is not on
    /// the stack: what is ignored is there still when that one is left, and that is
    /// before this state is left. (Holzmann, Godefroid, Pirottin, "Coverage
    /// preserving reduction strategies for reachability analysis", 1992.) The state
    /// itself is on the stack.
    fn reduce(&mut self) {
        let Some(first) = self.batch.ample().filter(|_| self.reduces) else { return };
        let is_new = |place: &usize| {
            let state = self.batch.state(*place);
            !self.on_path.has(&self.stack, state, hash_words(state))
        };
        let new = (0..self.batch.further().last().copied().unwrap_or(first)).find(is_new);
        let mut ends = [first].into_iter().chain(self.batch.further().iter().copied());
        let enough = new.and_then(|new| ends.find(|end| new < *end));
        if let Some(enough) = enough {
            self.batch.truncate(enough);
            self.statistics.reduced += 1;
        }
    }

    /// Whether states are looked up on the path.
    fn knows_path(&self) -> bool {
        M::FORGETS || self.reduces
    }

    /// Tests the state on top.
    fn test(&mut self, path: C::Value, new: bool) {
        if new && self.task.count != 0 && self.expander.violated(&self.state) & self.task.count != 0
        {
            self.statistics.counted += 1;
        }
        let price = self.costs.ahead(path, 0);
        let open = match self.manner.improving {
            true => self.task.conditions,
            false => self.findings.open_conditions(self.task),
        };
        let violated = if open == 0 { 0 } else { self.expander.violated(&self.state) & open };
        if violated != 0 {
            self.found_conditions(violated, price);
        }
        if self.batch.deadlock() && self.task.deadlock && self.is_better(DEADLOCK, price) {
            self.findings.deadlock = Some(self.finding(None));
            self.found(DEADLOCK, price);
        }
        if let Some(fault) = self.batch.faults().first().copied()
            && self.task.fault
            && self.is_better(FAULT, price)
        {
            self.findings.fault = Some(self.finding(Some(fault)));
            self.found(FAULT, price);
        }
    }

    fn found_conditions(&mut self, violated: u64, price: Price) {
        let better = (0..DEADLOCK).filter(|bit| violated >> bit & 1 == 1);
        let better: Vec<usize> = better.filter(|bit| self.is_better(*bit, price)).collect();
        if better.is_empty() {
            return;
        }
        let bits = better.iter().fold(0, |bits, bit| bits | 1 << bit);
        self.findings.found(bits, &self.stack.path());
        better.iter().for_each(|bit| self.found(*bit, price));
    }

    /// Whether a trace of this price is wanted.
    fn is_better(&self, place: usize, price: Price) -> bool {
        self.prices[place].is_none_or(|before| self.manner.improving && price < before)
    }

    /// Notes the price of a trace. From now on only better ones are of use.
    fn found(&mut self, place: usize, price: Price) {
        self.prices[place] = Some(price);
        self.lower_threshold();
    }

    fn finding(&self, fault: Option<Fault>) -> Finding {
        Finding { path: self.stack.path(), fault }
    }

    /// Puts what is worth following of the batch on the stack: successors of
    /// the state on top, which was reached at this cost, or initial states.
    fn follow(&mut self, from: Option<C::Value>) {
        self.successors.clear();
        if self.batch.is_empty() {
            return;
        }
        if from.is_some() {
            self.costs.leaving(&self.state);
            if self.asks()
                && let Some(heuristic) = &mut self.guide.heuristic
            {
                heuristic.expanding(&self.state);
            }
        }
        // Most searches follow all successors, as they come.
        let all = self.bound.is_none() && self.manner.order == Order::Given;
        for place in 0..self.batch.len() {
            let hash = hash_words(self.batch.state(place));
            let path = match from {
                None => self.costs.one(),
                Some(from) => self.costs.after(from, self.batch.edge(place)),
            };
            self.saturated |= self.costs.is_saturated(path);
            if all {
                let (state, edge) = (self.batch.state(place), self.batch.edge(place));
                self.stack.add(state, edge, hash, path, None);
            } else if let Some((sum, key)) = self.judge(place, hash, path, from.is_none()) {
                self.successors.push(Successor { place, hash, path, sum, key });
            }
        }
        match (self.manner.order, &mut self.random) {
            (Order::Best, _) => self.successors.sort_unstable_by_key(|s| (s.key, s.place)),
            (_, Some(random)) => random.shuffle(&mut self.successors),
            _ => {}
        }
        let weighs = self.manner.order == Order::Best;
        for successor in &self.successors {
            let Successor { place, hash, path, sum, .. } = *successor;
            let (state, edge) = (self.batch.state(place), self.batch.edge(place));
            self.stack.add(state, edge, hash, path, weighs.then_some(sum));
        }
        self.memory.prefetch(self.stack.top_hashes());
    }

    /// Whether estimates are of use.
    fn asks(&self) -> bool {
        self.manner.order == Order::Best || self.bound.is_some() && self.admissible
    }

    /// What paths through a successor cost at least, and its order among its
    /// siblings; `None` where it is not worth following.
    fn judge(
        &mut self,
        place: usize,
        hash: u64,
        path: C::Value,
        initial: bool,
    ) -> Option<(Price, (Price, Cost))> {
        if self.bound.is_none() && self.manner.order != Order::Best {
            return Some((0, (0, 0)));
        }
        let price = self.costs.ahead(path, 0);
        if self.is_above_bound(price) {
            return None;
        }
        let state = self.batch.state(place);
        let known = self.memory.knows(state, hash, self.reached(path))
            || M::FORGETS && self.on_path.has(&self.stack, state, hash);
        if known {
            return None;
        }
        let estimate = self.estimate(place, initial)?;
        let likely = self.costs.ahead(path, estimate);
        if initial {
            self.root = self.root.min(if self.admissible { likely } else { price });
        }
        if self.admissible && self.is_above_bound(likely) {
            return None;
        }
        let sum = if self.admissible || self.manner.trusting { likely } else { price };
        if self.threshold.is_some_and(|most| sum > most) {
            self.cut = least(self.cut, sum);
            return None;
        }
        Some((sum, (likely, estimate)))
    }

    fn is_above_bound(&mut self, price: Price) -> bool {
        let above = self.bound.is_some_and(|most| price > most);
        if above {
            self.above = least(self.above, price);
            self.beyond.get_or_insert(StopReason::Bound);
        }
        above
    }

    /// The estimate of a successor; `None` where it is a dead end.
    fn estimate(&mut self, place: usize, initial: bool) -> Option<Cost> {
        if !self.asks() {
            return Some(0);
        }
        let Some(heuristic) = &mut self.guide.heuristic else { return Some(0) };
        let via = (!initial && !heuristic.is_lazy()).then(|| self.batch.edge(place));
        let estimate = heuristic.estimate(self.batch.state(place), via);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate)
    }

    /// Looks at the watch.
    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let tables = self.guide.heuristic.as_ref().map_or(0, |heuristic| heuristic.bytes());
        let stack = self.stack.bytes() + self.on_path.bytes();
        let progress = &mut self.statistics.progress;
        progress.stored = self.memory.len() as u64;
        progress.frontier = self.stack.len() as u64;
        progress.bytes = progress.bytes.max(self.memory.bytes() + stack + tables);
        watch.check(progress)
    }

    /// What the search did.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = self.statistics;
        statistics.progress.stored = self.memory.len() as u64;
        statistics.estimated = self.guide.work();
        statistics
    }

    /// What the search did and found.
    pub(crate) fn outcome(
        self,
        stopped: Option<StopReason>,
        optimal: bool,
        at_least: Price,
    ) -> Outcome {
        let statistics = self.statistics();
        let notices = Vec::new();
        Outcome { findings: self.findings, statistics, stopped, optimal, at_least, notices }
    }
}
