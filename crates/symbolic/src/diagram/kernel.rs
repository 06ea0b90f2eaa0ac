//! Nodes: made once each, found by hashing, collected when nothing needs them.
//!
//! A function is an [`Edge`] to a node, perhaps complemented, so that negation costs
//! nothing (Brace, Rudell, Bryant, "Efficient Implementation of a BDD Package", DAC 1990).
//! Two functions are equal exactly if their edges are: a node is made only where its edges
//! differ, the edge to `high` is never complemented, and the same node is never made twice.
//!
//! ```text
//! node(level, high, low):
//!   high = low: high
//!   high complemented: the complement of node(level, not high, not low)
//!   else the one node with these three, found by its hash, or a new one
//! ```
//! Operations do not collect: what they hold is theirs. [`Kernel::collect`] runs between
//! them and keeps what can be reached from the roots it is given.

use homing_budget::{Budget, Stop};

/// A function: a node, perhaps complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Edge(u32);

impl Edge {
    /// True everywhere.
    pub(crate) const TRUE: Edge = Edge(0);
    /// True nowhere.
    pub(crate) const FALSE: Edge = Edge(1);

    /// The complement.
    pub(crate) fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }

    /// The complement, if asked for.
    pub(crate) fn not_if(self, complement: bool) -> Edge {
        Edge(self.0 ^ u32::from(complement))
    }

    /// The number of its node.
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    fn to(node: usize) -> Edge {
        Edge((node as u32) << 1)
    }
}

/// The level of constants, below all others.
pub(crate) const BOTTOM: u32 = u32::MAX;
/// The level of places without a node.
pub(super) const FREE: u32 = u32::MAX - 1;
/// No node: the end of a chain.
const END: u32 = u32::MAX;
/// Steps of operations between two looks at the budget.
const PATIENCE: u32 = 1 << 12;
/// What a node takes: itself, its share of the table of hashes and of the cache.
pub(crate) const BYTES_A_NODE: usize = 16 + 8 + 20;

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) level: u32,
    pub(super) high: Edge,
    pub(super) low: Edge,
    /// The next with the same hash, or the next free place.
    pub(super) next: u32,
}

/// A result that was computed before.
#[derive(Clone, Copy)]
struct Known {
    operation: u32,
    operands: [Edge; 3],
    result: Edge,
}

const NOTHING_KNOWN: Known = Known { operation: 0, operands: [Edge::TRUE; 3], result: Edge::TRUE };

/// All nodes.
pub(crate) struct Kernel {
    pub(super) nodes: Vec<Node>,
    /// The first node of every hash.
    heads: Vec<u32>,
    free: u32,
    used: usize,
    peak: usize,
    known: Vec<Known>,
    budget: Budget,
    patience: u32,
    /// Steps of operations so far, in units of [`PATIENCE`], and the most there may be.
    work: u64,
    most_work: u64,
    /// The most nodes there may be.
    most: usize,
    collections: u64,
}

const LEAST_HEADS: usize = 1 << 12;
const MOST_KNOWN: usize = 1 << 24;

impl Kernel {
    /// No nodes yet. Operations end when the budget is spent, or where there would be more
    /// than so many nodes.
    pub(crate) fn new(budget: Budget, most: usize) -> Kernel {
        let (level, high, low, next) = (BOTTOM, Edge::TRUE, Edge::TRUE, END);
        Kernel {
            nodes: vec![Node { level, high, low, next }],
            heads: vec![END; LEAST_HEADS],
            free: END,
            used: 1,
            peak: 1,
            known: vec![NOTHING_KNOWN; LEAST_HEADS],
            budget,
            patience: PATIENCE,
            work: 0,
            most_work: u64::MAX,
            most: most.min(END as usize >> 1),
            collections: 0,
        }
    }

    /// The level of a function's first variable; [`BOTTOM`] of a constant.
    #[inline]
    pub(crate) fn level(&self, edge: Edge) -> u32 {
        self.nodes[edge.node()].level
    }

    /// The function where the variable of a level, which is not below its first, is true,
    /// and where it is false.
    #[inline]
    pub(crate) fn cofactors(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        let node = &self.nodes[edge.node()];
        if node.level != level {
            return (edge, edge);
        }
        let complement = edge.is_complemented();
        (node.high.not_if(complement), node.low.not_if(complement))
    }

    /// The function that is `high` where the variable of a level is true, else `low`.
    #[inline]
    pub(crate) fn make(&mut self, level: u32, high: Edge, low: Edge) -> Result<Edge, Stop> {
        if high == low {
            return Ok(high);
        }
        let complement = high.is_complemented();
        let found = self.unique(level, high.not_if(complement), low.not_if(complement))?;
        Ok(found.not_if(complement))
    }

    fn unique(&mut self, level: u32, high: Edge, low: Edge) -> Result<Edge, Stop> {
        let head = self.head(level, high, low);
        let mut at = self.heads[head];
        while at != END {
            let node = &self.nodes[at as usize];
            if (node.level, node.high, node.low) == (level, high, low) {
                return Ok(Edge::to(at as usize));
            }
            at = node.next;
        }
        if self.used >= self.most {
            return Err(Stop::Memory);
        }
        let node = Node { level, high, low, next: self.heads[head] };
        let place = match self.free {
            END => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
            free => {
                self.free = self.nodes[free as usize].next;
                self.nodes[free as usize] = node;
                free as usize
            }
        };
        self.heads[head] = place as u32;
        self.used += 1;
        self.peak = self.peak.max(self.used);
        if self.used > self.heads.len() {
            self.rehash(self.heads.len() * 2);
        }
        Ok(Edge::to(place))
    }

    #[inline]
    fn head(&self, level: u32, high: Edge, low: Edge) -> usize {
        mix([level, high.bits(), low.bits(), 0]) & (self.heads.len() - 1)
    }

    /// Takes a node out of the table of hashes.
    pub(super) fn unchain(&mut self, place: usize) {
        let Node { level, high, low, next } = self.nodes[place];
        let head = self.head(level, high, low);
        if self.heads[head] == place as u32 {
            self.heads[head] = next;
            return;
        }
        let mut at = self.heads[head];
        while at != END {
            let after = self.nodes[at as usize].next;
            if after == place as u32 {
                self.nodes[at as usize].next = next;
                return;
            }
            at = after;
        }
    }

    /// Puts a node into it.
    pub(super) fn chain(&mut self, place: usize) {
        let Node { level, high, low, .. } = self.nodes[place];
        let head = self.head(level, high, low);
        self.nodes[place].next = self.heads[head];
        self.heads[head] = place as u32;
    }

    /// The node with these, whose `high` is not complemented, and whether it is new: then in
    /// a spare place, if there is one. The table of hashes does not grow.
    pub(super) fn find_or_add(
        &mut self,
        level: u32,
        high: Edge,
        low: Edge,
        spare: &mut Vec<u32>,
    ) -> (Edge, bool) {
        let mut at = self.heads[self.head(level, high, low)];
        while at != END {
            let node = &self.nodes[at as usize];
            if (node.level, node.high, node.low) == (level, high, low) {
                return (Edge::to(at as usize), false);
            }
            at = node.next;
        }
        let node = Node { level, high, low, next: END };
        let place = match spare.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place as usize
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.chain(place);
        (Edge::to(place), true)
    }

    /// Counts nodes and free places anew, and forgets results.
    pub(super) fn settle(&mut self) {
        (self.free, self.used) = (END, 1);
        for place in 1..self.nodes.len() {
            if self.nodes[place].level == FREE {
                self.nodes[place].next = self.free;
                self.free = place as u32;
            } else {
                self.used += 1;
            }
        }
        self.peak = self.peak.max(self.used);
        self.known.fill(NOTHING_KNOWN);
        self.rehash(self.heads.len());
    }

    /// Counts steps that were no operations, and asks whether there is budget left.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        self.patience = self.patience.saturating_sub(steps.min(PATIENCE as usize) as u32).max(1);
        self.work += steps as u64 / u64::from(PATIENCE);
        self.step()?;
        self.budget.check()
    }

    /// Chains all nodes anew.
    fn rehash(&mut self, heads: usize) {
        self.heads.clear();
        self.heads.resize(heads, END);
        for place in 1..self.nodes.len() {
            let Node { level, high, low, .. } = self.nodes[place];
            if level != FREE {
                let head = self.head(level, high, low);
                self.nodes[place].next = self.heads[head];
                self.heads[head] = place as u32;
            }
        }
        let size = heads.min(MOST_KNOWN);
        if size > self.known.len() {
            let old = std::mem::replace(&mut self.known, vec![NOTHING_KNOWN; size]);
            old.into_iter().filter(|one| one.operation != 0).for_each(|one| self.remember(one));
        }
    }

    /// What an operation came to, if that is still known.
    #[inline]
    pub(crate) fn recall(&mut self, operation: u32, operands: [Edge; 3]) -> Option<Edge> {
        let known = &self.known[self.place(operation, operands)];
        (known.operation == operation && known.operands == operands).then_some(known.result)
    }

    /// Notes what an operation, whose number is not 0, comes to.
    #[inline]
    pub(crate) fn note(&mut self, operation: u32, operands: [Edge; 3], result: Edge) {
        self.remember(Known { operation, operands, result });
    }

    fn remember(&mut self, known: Known) {
        let place = self.place(known.operation, known.operands);
        self.known[place] = known;
    }

    #[inline]
    fn place(&self, operation: u32, [f, g, h]: [Edge; 3]) -> usize {
        mix([f.bits(), g.bits(), h.bits(), operation]) & (self.known.len() - 1)
    }

    /// Asks now and then whether there is budget left: once a step of an operation.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.patience -= 1;
        if self.patience > 0 {
            return Ok(());
        }
        self.patience = PATIENCE;
        self.work += 1;
        if self.work > self.most_work { Err(Stop::Cancelled) } else { self.budget.check() }
    }

    /// Lets operations end after about so many steps, all together.
    pub(crate) fn limit(&mut self, steps: u64) {
        self.most_work = steps / u64::from(PATIENCE);
    }

    /// Forgets every node that cannot be reached from the roots.
    pub(crate) fn collect(&mut self, roots: impl Iterator<Item = Edge>) {
        let mut reached = vec![false; self.nodes.len()];
        reached[0] = true;
        let mut open: Vec<usize> = roots.map(Edge::node).collect();
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut reached[place], true) {
                open.extend([self.nodes[place].high.node(), self.nodes[place].low.node()]);
            }
        }
        for (place, reached) in reached.iter().enumerate() {
            let node = &mut self.nodes[place];
            if !reached && node.level != FREE {
                *node = Node { level: FREE, next: self.free, ..*node };
                self.free = place as u32;
                self.used -= 1;
            }
        }
        let dead = |one: &Known| {
            let [f, g, h] = one.operands;
            [f, g, h, one.result].iter().any(|edge| !reached[edge.node()])
        };
        self.known.iter_mut().filter(|one| dead(one)).for_each(|one| *one = NOTHING_KNOWN);
        self.rehash(self.heads.len());
        self.collections += 1;
    }

    /// How many nodes there are.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// The most nodes there have been at once, those included that nothing needed any more.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// The most nodes there may be.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// How often nodes were collected.
    pub(crate) fn collections(&self) -> u64 {
        self.collections
    }
}

/// A hash of four words.
#[inline]
fn mix([a, b, c, d]: [u32; 4]) -> usize {
    let low = u64::from(a) | u64::from(b) << 32;
    let high = u64::from(c) | u64::from(d) << 32;
    let product =
        u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
    (product as u64 ^ (product >> 64) as u64) as usize
}
