//! The search tree of memory-limited A*: nodes that can be forgotten, each
//! leaving its backed-up f behind in its parent.
//!
//! A *branch* stands for one successor of an expanded node, whether its node is
//! in memory or not; it holds f. Nodes, branches and the words of states lie in
//! arrays whose places are used again, so that nothing is allocated a state.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_core::{Price, Word};

/// No node, no branch.
pub(super) const NONE: u32 = u32::MAX;

/// The node whose successors are the initial states.
pub(super) const ROOT: u32 = 0;

/// f of what was searched to the end.
pub(super) const DONE: Price = Price::MAX;

/// A node in memory.
#[derive(Clone, Copy)]
struct Node<V> {
    /// The cost of the path to it.
    path: V,
    /// The steps of the path to it.
    depth: u32,
    parent: u32,
    /// The branch of the parent that stands for it.
    branch: u32,
    /// The first of its branches, in the order of successors.
    first: u32,
    is_expanded: bool,
    /// How many of its successors are in memory.
    children: u32,
    hash: u64,
    /// The next node in the same bucket.
    next: u32,
    /// Tells the latest entry among the leaves from those out of date.
    stamp: u32,
}

/// A successor of an expanded node.
#[derive(Clone, Copy)]
struct Branch {
    f: Price,
    /// Which successor.
    successor: u32,
    /// Its node, where it is in memory.
    node: u32,
    /// The next branch of the same node.
    next: u32,
}

/// A leaf: its f, depth, number and stamp. The first to be forgotten is the
/// greatest: highest f, and of these the shallowest.
type Leaf = (Price, Reverse<u32>, u32, u32);

/// A successor that is about to become a node.
#[derive(Clone, Copy)]
pub(super) struct Draft<'a, V> {
    pub parent: u32,
    pub successor: u32,
    pub path: V,
    pub depth: u32,
    pub state: &'a [Word],
    pub hash: u64,
}

/// The tree.
pub(super) struct Tree<V> {
    width: usize,
    words: Vec<Word>,
    nodes: Vec<Node<V>>,
    free: Vec<u32>,
    branches: Vec<Branch>,
    free_branches: Vec<u32>,
    /// The nodes by the hashes of their states.
    buckets: Vec<u32>,
    leaves: BinaryHeap<Leaf>,
}

impl<V: Copy + Ord> Tree<V> {
    /// The root alone.
    pub(super) fn new(width: usize, one: V) -> Tree<V> {
        let root = Node {
            path: one,
            depth: 0,
            parent: NONE,
            branch: 0,
            first: NONE,
            is_expanded: false,
            children: 0,
            hash: 0,
            next: NONE,
            stamp: 0,
        };
        Tree {
            width,
            words: vec![0; width],
            nodes: vec![root],
            free: Vec::new(),
            branches: vec![Branch { f: 0, successor: 0, node: ROOT, next: NONE }],
            free_branches: Vec::new(),
            buckets: vec![NONE; 1024],
            leaves: BinaryHeap::new(),
        }
    }

    /// The states in memory.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len() - 1
    }

    /// The most states ever in memory.
    pub(super) fn highest(&self) -> usize {
        self.nodes.len() - 1
    }

    pub(super) fn state(&self, node: u32) -> &[Word] {
        &self.words[node as usize * self.width..(node as usize + 1) * self.width]
    }

    pub(super) fn path(&self, node: u32) -> V {
        self.nodes[node as usize].path
    }

    pub(super) fn depth(&self, node: u32) -> u32 {
        self.nodes[node as usize].depth
    }

    pub(super) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    pub(super) fn is_expanded(&self, node: u32) -> bool {
        self.nodes[node as usize].is_expanded
    }

    pub(super) fn set_expanded(&mut self, node: u32) {
        self.nodes[node as usize].is_expanded = true;
    }

    pub(super) fn f(&self, node: u32) -> Price {
        self.branches[self.nodes[node as usize].branch as usize].f
    }

    /// Which successor of its parent a node is.
    pub(super) fn successor(&self, node: u32) -> u32 {
        self.branches[self.nodes[node as usize].branch as usize].successor
    }

    /// The best branch of a node (of equals the first), with its f, successor
    /// and node.
    pub(super) fn best(&self, node: u32) -> Option<(u32, Price, u32, u32)> {
        let least = self.branches_of(node).min_by_key(|branch| self.branches[*branch as usize].f);
        least.map(|branch| {
            let Branch { f, successor, node, .. } = self.branches[branch as usize];
            (branch, f, successor, node)
        })
    }

    fn branches_of(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |branch: u32| (branch != NONE).then_some(branch);
        let first = some(self.nodes[node as usize].first);
        std::iter::successors(first, move |branch| some(self.branches[*branch as usize].next))
    }

    /// Adds a branch behind `last`, the last one of the node.
    pub(super) fn add_branch(&mut self, node: u32, last: u32, successor: u32, f: Price) -> u32 {
        let branch = Branch { f, successor, node: NONE, next: NONE };
        let at = match self.free_branches.pop() {
            Some(at) => {
                self.branches[at as usize] = branch;
                at
            }
            None => {
                self.branches.push(branch);
                self.branches.len() as u32 - 1
            }
        };
        match last {
            NONE => self.nodes[node as usize].first = at,
            last => self.branches[last as usize].next = at,
        }
        at
    }

    /// Ends a branch: nothing better than what is known elsewhere lies there.
    pub(super) fn end_branch(&mut self, branch: u32) {
        self.branches[branch as usize].f = DONE;
    }

    /// Puts a successor into memory.
    pub(super) fn insert(&mut self, branch: u32, draft: &Draft<'_, V>) -> u32 {
        if self.len() >= self.buckets.len() {
            self.grow();
        }
        let bucket = self.bucket(draft.hash);
        let mut node = Node {
            path: draft.path,
            depth: draft.depth,
            parent: draft.parent,
            branch,
            first: NONE,
            is_expanded: false,
            children: 0,
            hash: draft.hash,
            next: self.buckets[bucket],
            stamp: 0,
        };
        let at = match self.free.pop() {
            Some(at) => {
                node.stamp = self.nodes[at as usize].stamp;
                self.nodes[at as usize] = node;
                let start = at as usize * self.width;
                self.words[start..start + self.width].copy_from_slice(draft.state);
                at
            }
            None => {
                self.nodes.push(node);
                self.words.extend_from_slice(draft.state);
                self.nodes.len() as u32 - 1
            }
        };
        self.buckets[bucket] = at;
        self.branches[branch as usize].node = at;
        self.nodes[draft.parent as usize].children += 1;
        self.note_leaf(at);
        at
    }

    fn bucket(&self, hash: u64) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    fn grow(&mut self) {
        let mut all: Vec<u32> = Vec::with_capacity(self.len());
        for bucket in &self.buckets {
            let mut at = *bucket;
            while at != NONE {
                all.push(at);
                at = self.nodes[at as usize].next;
            }
        }
        self.buckets = vec![NONE; 2 * self.buckets.len()];
        for node in all {
            let bucket = self.bucket(self.nodes[node as usize].hash);
            self.nodes[node as usize].next = self.buckets[bucket];
            self.buckets[bucket] = node;
        }
    }

    /// Notes that a node is a leaf, with its f of now.
    fn note_leaf(&mut self, node: u32) {
        if node == ROOT {
            return;
        }
        let f = self.f(node);
        let one = &mut self.nodes[node as usize];
        one.stamp = one.stamp.wrapping_add(1);
        self.leaves.push((f, Reverse(one.depth), node, one.stamp));
        // Entries out of date must not take the memory.
        if self.leaves.len() > 4 * self.nodes.len() + 1024 {
            let mut leaves = std::mem::take(&mut self.leaves).into_vec();
            leaves.retain(|leaf| self.is_leaf(leaf));
            self.leaves = leaves.into();
        }
    }

    fn is_leaf(&self, (_, _, node, stamp): &Leaf) -> bool {
        let node = &self.nodes[*node as usize];
        node.stamp == *stamp && node.children == 0
    }

    /// The leaf to be forgotten first, but for `kept`: its f and depth, and the
    /// node.
    pub(super) fn worst(&mut self, kept: u32) -> Option<(Price, Reverse<u32>, u32)> {
        let mut held = None;
        let worst = loop {
            let Some(leaf) = self.leaves.peek().copied() else { break None };
            if self.is_leaf(&leaf) && leaf.2 != kept {
                break Some((leaf.0, leaf.1, leaf.2));
            }
            self.leaves.pop();
            if leaf.2 == kept && self.is_leaf(&leaf) {
                held = Some(leaf);
            }
        };
        self.leaves.extend(held);
        worst
    }

    /// Forgets a leaf; its branch keeps its f.
    pub(super) fn forget(&mut self, leaf: u32) {
        let Node { parent, branch, first, hash, .. } = self.nodes[leaf as usize];
        let mut at = first;
        while at != NONE {
            self.free_branches.push(at);
            at = self.branches[at as usize].next;
        }
        self.unlink(leaf, hash);
        self.branches[branch as usize].node = NONE;
        let node = &mut self.nodes[leaf as usize];
        node.stamp = node.stamp.wrapping_add(1);
        self.free.push(leaf);
        let parent_node = &mut self.nodes[parent as usize];
        parent_node.children -= 1;
        if parent_node.children == 0 {
            self.note_leaf(parent);
        }
    }

    /// Takes a node out of its bucket.
    fn unlink(&mut self, node: u32, hash: u64) {
        let bucket = self.bucket(hash);
        let next = self.nodes[node as usize].next;
        if self.buckets[bucket] == node {
            self.buckets[bucket] = next;
            return;
        }
        let mut at = self.buckets[bucket];
        while at != NONE && self.nodes[at as usize].next != node {
            at = self.nodes[at as usize].next;
        }
        if at != NONE {
            self.nodes[at as usize].next = next;
        }
    }

    /// Ends the branch of a node and forgets all below it.
    pub(super) fn discard(&mut self, node: u32) {
        self.end_branch(self.nodes[node as usize].branch);
        let mut at = node;
        loop {
            if let Some(child) = self.child(at) {
                at = child;
                continue;
            }
            let parent = self.parent(at);
            self.forget(at);
            if at == node {
                return;
            }
            at = parent;
        }
    }

    /// A successor of a node that is in memory.
    fn child(&self, node: u32) -> Option<u32> {
        let mut children = self.branches_of(node).map(|branch| self.branches[branch as usize].node);
        children.find(|child| *child != NONE)
    }

    /// Backs up f from an expanded node: f is the least of its successors'.
    /// Answers the first node whose f stays the same: what is best below it
    /// has to be looked for again.
    pub(super) fn back_up(&mut self, node: u32) -> u32 {
        let mut at = node;
        loop {
            let least = self.best(at).map_or(DONE, |(_, f, ..)| f);
            let branch = self.nodes[at as usize].branch as usize;
            if least <= self.branches[branch].f {
                return at;
            }
            self.branches[branch].f = least;
            if self.nodes[at as usize].children == 0 {
                self.note_leaf(at);
            }
            if at == ROOT {
                return ROOT;
            }
            at = self.parent(at);
        }
    }

    /// Whether a node in memory makes the draft needless; those that the draft
    /// makes needless go to `needless`.
    ///
    /// A path makes another to the same state needless if it costs no more and
    /// comes before it: it is shorter, or as long and takes an earlier
    /// successor where they part. So a path that costs least, and comes first
    /// of those, is never needless, nor is any beginning of it.
    pub(super) fn is_needless(&self, draft: &Draft<'_, V>, needless: &mut Vec<u32>) -> bool {
        let mut at = self.buckets[self.bucket(draft.hash)];
        while at != NONE {
            let node = &self.nodes[at as usize];
            if node.hash == draft.hash && self.state(at) == draft.state {
                let before = node.depth < draft.depth
                    || node.depth == draft.depth && self.comes_before(at, draft);
                // A path through a state twice is needless whatever it costs.
                if before && (node.path <= draft.path || self.is_above(at, draft)) {
                    return true;
                }
                if !before && draft.path <= node.path {
                    needless.push(at);
                }
            }
            at = node.next;
        }
        false
    }

    /// Whether the path to a node takes an earlier successor than that to the
    /// draft, which is as long, where they part.
    fn comes_before(&self, node: u32, draft: &Draft<'_, V>) -> bool {
        let mut above = (self.parent(node), draft.parent);
        let mut by = (self.successor(node), draft.successor);
        while above.0 != above.1 {
            by = (self.successor(above.0), self.successor(above.1));
            above = (self.parent(above.0), self.parent(above.1));
        }
        by.0 < by.1
    }

    /// Whether a node lies on the path to the draft.
    fn is_above(&self, node: u32, draft: &Draft<'_, V>) -> bool {
        let mut at = draft.parent;
        while at != ROOT && self.depth(at) > self.depth(node) {
            at = self.parent(at);
        }
        at == node
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
            + self.nodes.capacity() * size_of::<Node<V>>()
            + self.branches.capacity() * size_of::<Branch>()
            + (self.free.capacity() + self.free_branches.capacity() + self.buckets.len())
                * size_of::<u32>()
            + self.leaves.capacity() * size_of::<Leaf>()
    }
}
