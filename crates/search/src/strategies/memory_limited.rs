//! Memory-limited A*: SMA*.
//!
//! Russell, "Efficient memory-bounded search methods" (ECAI 1992); section 4 of
//! the survey. A* over a tree of which at most M nodes are in memory. When it
//! is full, the worst leaf is forgotten: its f stays behind in its parent, and
//! it is generated again once nothing better is left.
//!
//! ```text
//! loop:
//!   n := root; while n is expanded: n := its successor of least f (of equals the first),
//!                                        generated again if it is forgotten
//!   if n is a goal: done; if f(n) = ∞: there is no goal
//!   for every successor s of n: f(s) := max(f(n), g(s) + h(s))
//!     if memory is full: forget the leaf of highest f, of these the shallowest (perhaps s)
//!   back up: f(n) := the least f of its successors, forgotten ones included; so for its ancestors
//! ```
//!
//! Where we deviate from the paper:
//!
//! - All successors of a node are generated at once, as our spaces do.
//! - The parent keeps the f of *every* forgotten successor, not just the least:
//!   otherwise a successor that was searched in vain is forgotten together with
//!   that result and searched again, perhaps for ever.
//! - Of equal f the paper takes the deepest node. We go down from the root and
//!   take the first of the best successors, at every level. That is as deep, and
//!   as it never turns back within one f, the search ends on finite spaces: the
//!   successors before those on the path all have a higher f, and nothing on
//!   the path is forgotten.
//! - The paper searches a tree. We drop a path if a path in memory to the same
//!   state costs no more and comes first, by length and then by the order of
//!   successors. Which path comes first does not depend on what is in memory,
//!   so that two paths can never be dropped in favour of each other: the first
//!   of the cheapest paths to a goal is never dropped (algebras must be
//!   isotone). A node whose path loses is dropped with all below it. As long as
//!   memory suffices, states are thus searched once; beyond, duplicates of
//!   forgotten states are searched again, in the worst case exponentially
//!   often. The survey names this price.
//!
//! A path longer than M does not fit: it is cut, and the answer is no longer
//! "there is none".

mod tree;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::hash::hash_words;
use homing_core::{Batch, Cost, DEAD_END, Expander, Fault, Price, StopReason, Watch, Word};

use self::tree::{DONE, Draft, NONE, ROOT, Tree};
use crate::costs::{Costs, Priced, Steps};
use crate::depth_first::keeps_order;
use crate::guide::Guiding;
use crate::path::Path;
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

const STATES: Parameter = Parameter {
    name: "states",
    about: "the most states in memory, M; traces as long as that cannot be found",
    default: "1000000",
};

/// The row.
pub const MEMORY_LIMITED: Row<StrategyBuilder> = Row {
    name: "sma",
    kind: Kind::Strategy,
    about: "memory-limited A*: forgets the worst states when memory is full and generates them again when they are the best left",
    cite: "Russell 1992",
    parameters: &[ESTIMATE, STATES],
    needs: &[],
    gives: &[
        Capability::Complete,
        Capability::Directed,
        Capability::Optimal,
        Capability::MemoryBounded,
        Capability::Costs,
    ],
    uses: &[],
    build: |call, _| {
        let most = STATES.at_least(call, 2)?;
        if most >= u64::from(NONE) {
            return Err(format!("`states` of `{}` is below {NONE}", call.name));
        }
        directed(call, &[STATES.name], MemoryLimited { most: most as usize })
    },
};

#[derive(Debug)]
struct MemoryLimited {
    most: usize,
}

impl Algorithm for MemoryLimited {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, guide, watch, .. } = run;
        let guide = &mut guide.instance();
        match task.pricing {
            None => search(task, self.most, guide, watch, Steps),
            Some(pricing) => search(task, self.most, guide, watch, Priced::new(pricing)),
        }
    }
}

fn search<C: Costs>(
    task: &Task,
    most: usize,
    guide: &mut Guiding<'_>,
    watch: &mut Watch,
    costs: C,
) -> Outcome {
    let mut search = Search::new(task, most, guide, watch, costs);
    let stopped = search.run(watch).err();
    search.outcome(stopped)
}

struct Search<'a, 'g, C: Costs> {
    task: &'a Task<'a>,
    /// M.
    most: usize,
    guide: &'a mut Guiding<'g>,
    costs: C,
    expander: Box<dyn Expander + 'a>,
    tree: Tree<C::Value>,
    batch: Batch,
    /// The state that is expanded.
    state: Vec<Word>,
    /// Where the way down to the best leaf starts: all above it is as it was.
    from: u32,
    /// Nodes that became needless.
    needless: Vec<u32>,
    bound: Option<Price>,
    deepest: Option<u32>,
    findings: Findings,
    statistics: Statistics,
    beyond: Option<StopReason>,
    /// The least f of what did not fit the memory.
    cut: Price,
    /// f of the root: no path that is still to be found costs less.
    at_least: Price,
    /// What paths behind the limit of steps cost at least, if there are any.
    behind: Price,
    optimal: bool,
}

impl<'a, 'g, C: Costs> Search<'a, 'g, C> {
    fn new(
        task: &'a Task,
        most: usize,
        guide: &'a mut Guiding<'g>,
        watch: &Watch,
        costs: C,
    ) -> Search<'a, 'g, C> {
        let width = task.space.width();
        let admissible = guide.heuristic.as_ref().is_none_or(|h| h.claims().admissible);
        Search {
            task,
            most,
            expander: task.space.expander(),
            tree: Tree::new(width, costs.one()),
            guide,
            costs,
            batch: Batch::new(width),
            state: vec![0; width],
            from: ROOT,
            needless: Vec::new(),
            bound: watch.limits().bound,
            deepest: watch.limits().depth,
            findings: Findings::default(),
            statistics: Statistics::default(),
            beyond: None,
            cut: DONE,
            at_least: 0,
            behind: Price::MAX,
            optimal: admissible && keeps_order(task),
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.look(watch)?;
        while !self.findings.complete(self.task) {
            let Some(best) = self.best_leaf() else { break };
            self.expand(best);
            if watch.due() {
                self.look(watch)?;
            }
        }
        self.look(watch).or(Ok(()))
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.tree.highest() as u64;
        progress.frontier = self.tree.len() as u64;
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes());
        progress.bytes = progress.bytes.max(self.tree.bytes() + tables);
        watch.check(progress)
    }

    /// The node to expand next; none where everything was searched.
    fn best_leaf(&mut self) -> Option<u32> {
        let mut at = std::mem::replace(&mut self.from, ROOT);
        while self.tree.is_expanded(at) {
            let (branch, f, successor, node) = self.tree.best(at).unwrap_or((NONE, DONE, 0, NONE));
            if f == DONE {
                self.note_end();
                return None;
            }
            at = match node {
                NONE => self.again(at, branch, successor),
                node => node,
            };
        }
        self.at_least = self.at_least.max(self.tree.f(ROOT).min(self.cut));
        Some(at)
    }

    /// Everything that fits was searched: what is left did not fit.
    fn note_end(&mut self) {
        if self.cut < DONE && self.bound.is_none() && self.deepest.is_none() {
            self.at_least = self.at_least.max(self.cut);
        }
    }

    /// Generates a forgotten successor again. Answers where to go on.
    fn again(&mut self, parent: u32, branch: u32, successor: u32) -> u32 {
        self.generate(parent);
        let (path, depth) = (self.path_of(parent, successor), self.depth_below(parent));
        let state = self.batch.state(successor as usize);
        let draft = Draft { parent, successor, path, depth, state, hash: hash_words(state) };
        if self.tree.is_needless(&draft, &mut self.needless) {
            self.needless.clear();
            self.tree.end_branch(branch);
            self.tree.back_up(parent);
            return ROOT;
        }
        let displaces = drop_needless(&mut self.tree, &mut self.needless);
        if self.tree.len() >= self.most
            && let Some((.., worst)) = self.tree.worst(parent)
        {
            self.tree.forget(worst);
        }
        let node = self.tree.insert(branch, &draft);
        if displaces { ROOT } else { node }
    }

    /// Fills the batch with the successors of a node.
    fn generate(&mut self, node: u32) {
        self.batch.clear();
        if node == ROOT {
            self.expander.initial(&mut self.batch);
            return;
        }
        self.state.copy_from_slice(self.tree.state(node));
        self.costs.leaving(&self.state);
        self.expander.expand(&self.state, &mut self.batch);
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
    }

    fn path_of(&mut self, parent: u32, successor: u32) -> C::Value {
        match parent {
            ROOT => self.costs.one(),
            _ => self.costs.after(self.tree.path(parent), self.batch.edge(successor as usize)),
        }
    }

    fn depth_below(&self, parent: u32) -> u32 {
        if parent == ROOT { 0 } else { self.tree.depth(parent) + 1 }
    }

    /// Expands a node, unless it ends the search or lies at the depth limit.
    fn expand(&mut self, node: u32) {
        if node != ROOT && !self.enter(node) {
            return;
        }
        self.generate(node);
        if node != ROOT {
            self.note_ends(node);
        }
        self.tree.set_expanded(node);
        let mut last = NONE;
        let mut displaced = false;
        for successor in 0..self.batch.len() as u32 {
            displaced |= self.add(node, successor, &mut last);
        }
        let from = self.tree.back_up(node);
        self.from = if displaced { ROOT } else { from };
    }

    /// Tests a node that is about to be expanded. Answers whether to go on.
    fn enter(&mut self, node: u32) -> bool {
        let depth = self.tree.depth(node);
        self.statistics.levels = self.statistics.levels.max(depth);
        self.statistics.progress.depth = depth;
        let open = self.findings.open_conditions(self.task);
        let state = self.tree.state(node);
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            let path = self.finding(node, None).path;
            self.findings.found(violated, &path);
            if self.findings.complete(self.task) {
                return false;
            }
        }
        if self.deepest.is_some_and(|most| depth >= most) {
            if self.beyond != Some(StopReason::Pruned) {
                self.beyond = Some(StopReason::Depth);
            }
            self.behind = self.task.behind_limit(self.deepest);
            self.tree.set_expanded(node);
            self.from = self.tree.back_up(node);
            return false;
        }
        if let Some(heuristic) = &mut self.guide.heuristic {
            heuristic.expanding(self.tree.state(node));
        }
        true
    }

    /// Notes what only shows when a node is expanded.
    fn note_ends(&mut self, node: u32) {
        self.statistics.deadlocks += u64::from(self.batch.deadlock());
        self.statistics.faults += self.batch.faults().len() as u64;
        let fault = self.batch.faults().first().copied();
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(node, None));
        }
        if let Some(fault) = fault
            && self.task.fault
            && self.findings.fault.is_none()
        {
            self.findings.fault = Some(self.finding(node, Some(fault)));
        }
    }

    /// Adds a successor behind `last`, into memory if it is good enough.
    /// Answers whether nodes elsewhere were dropped for it.
    fn add(&mut self, parent: u32, successor: u32, last: &mut u32) -> bool {
        let path = self.path_of(parent, successor);
        if self.is_beyond(path, 0) {
            return false;
        }
        let state = self.batch.state(successor as usize);
        let depth = self.depth_below(parent);
        let hash = hash_words(state);
        let draft = Draft { parent, successor, path, depth, state, hash };
        if self.tree.is_needless(&draft, &mut self.needless) {
            self.needless.clear();
            return false;
        }
        let displaced = drop_needless(&mut self.tree, &mut self.needless);
        let Some(estimate) = self.estimate(parent, successor) else { return displaced };
        let admissible = self.guide.heuristic.as_ref().is_none_or(|h| h.claims().admissible);
        if admissible && self.is_beyond(path, estimate) {
            return displaced;
        }
        self.optimal &= !self.costs.is_saturated(path);
        // The greatest f there is stands for what was searched to the end.
        let f = self.costs.ahead(path, estimate).max(self.tree.f(parent)).min(DONE - 1);
        if depth as usize >= self.most {
            self.cut = self.cut.min(f);
            self.beyond = Some(StopReason::Pruned);
            return displaced;
        }
        *last = self.tree.add_branch(parent, *last, successor, f);
        if self.tree.len() >= self.most {
            let rank = (f, std::cmp::Reverse(depth));
            match self.tree.worst(parent) {
                Some((f, depth, worst)) if (f, depth) > rank => self.tree.forget(worst),
                _ => return displaced,
            }
        }
        let state = self.batch.state(successor as usize);
        self.tree.insert(*last, &Draft { parent, successor, path, depth, state, hash });
        displaced
    }

    fn is_beyond(&mut self, path: C::Value, estimate: Cost) -> bool {
        let Some(bound) = self.bound else { return false };
        let beyond = self.costs.ahead(path, estimate) > bound;
        if beyond && keeps_order(self.task) {
            self.beyond.get_or_insert(StopReason::Bound);
        } else if beyond {
            // It might have become better by going on.
            self.beyond = Some(StopReason::Pruned);
        }
        beyond
    }

    /// The estimate of a successor; `None` where it is a dead end.
    fn estimate(&mut self, parent: u32, successor: u32) -> Option<Cost> {
        let Some(heuristic) = &mut self.guide.heuristic else { return Some(0) };
        let successor = successor as usize;
        let via = (parent != ROOT).then(|| self.batch.edge(successor));
        let estimate = heuristic.estimate(self.batch.state(successor), via);
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
            return None;
        }
        let best = &mut self.statistics.progress.best;
        *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        Some(estimate)
    }

    /// The way to a node.
    fn finding(&mut self, node: u32, fault: Option<Fault>) -> Finding {
        self.optimal &= self.tree.f(node) <= self.cut;
        let mut nodes = vec![node];
        while let Some(parent) = nodes.last().map(|node| self.tree.parent(*node))
            && parent != ROOT
        {
            nodes.push(parent);
        }
        nodes.reverse();
        let mut path = Path::starting_at(self.tree.state(nodes[0]));
        let mut expander = self.task.space.expander();
        let mut batch = Batch::new(self.batch.width());
        for pair in nodes.windows(2) {
            batch.clear();
            expander.expand(self.tree.state(pair[0]), &mut batch);
            let successor = self.tree.successor(pair[1]) as usize;
            path.push(batch.edge(successor), batch.state(successor));
        }
        Finding { path, fault }
    }

    fn outcome(self, stopped: Option<StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        let stopped = match stopped {
            _ if complete => None,
            None => self.beyond,
            other => other,
        };
        let mut notices = Vec::new();
        if self.cut < DONE && !complete {
            let most = self.most;
            notices.push(format!("paths of {most} steps and more do not fit {most} states"));
        }
        Outcome {
            findings: self.findings,
            statistics: Statistics { estimated: self.guide.work(), ..self.statistics },
            at_least: match stopped {
                _ if !self.optimal => 0,
                None if !complete => Price::MAX,
                _ => self.at_least.min(self.behind),
            },
            stopped,
            optimal: self.optimal,
            notices,
        }
    }
}

/// Drops nodes that became needless, with all below them. Answers whether there
/// was any.
fn drop_needless<V: Copy + Ord>(tree: &mut Tree<V>, needless: &mut Vec<u32>) -> bool {
    let any = !needless.is_empty();
    for node in needless.drain(..) {
        let parent = tree.parent(node);
        tree.discard(node);
        tree.back_up(parent);
    }
    any
}
