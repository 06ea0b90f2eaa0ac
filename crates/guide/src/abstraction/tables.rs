//! The abstraction as tables: α as a tree of binary functions, and d_A.
//!
//! A leaf maps the value of a variable to the state of its process, an inner
//! node the states of two processes to that of their abstracted product, the
//! root the last two to a distance. ⊥ is the number after the last state; every
//! table has a row and a column for it, so that looking up never asks.
//!
//! Nodes are numbered bottom-up. The values of all nodes are kept for the state
//! that is being expanded. For a successor only the leaves that its label may
//! change are read, and from those that did change the way to the root is
//! followed while values differ; then the old values are put back. A chain of
//! 128 processes so costs a few lookups, not 128.

use homing_core::{Cost, Word};

use super::processes::States;
use crate::ground::{Ground, Variable};

/// No parent: the node's value goes into the root.
const ROOT: u32 = u32::MAX;

/// The tables while they are made. Leaves and nodes have the numbers of the
/// processes they stand for.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// For every variable, the classes of its states.
    leaves: Vec<Vec<u16>>,
    nodes: Vec<Branch>,
    root: Root,
    bytes: usize,
}

#[derive(Debug)]
struct Branch {
    left: u32,
    right: u32,
    stride: u32,
    table: Vec<u16>,
}

/// d_A.
#[derive(Debug, Default)]
pub(crate) struct Root {
    left: Option<u32>,
    right: Option<u32>,
    stride: u32,
    distances: Vec<Cost>,
}

impl Root {
    /// Distances of the pairs of two processes' states, row by row, with the
    /// border for ⊥; or of just one's, in the first of two columns.
    pub(crate) fn new(left: u32, right: Option<u32>, columns: u32, distances: Vec<Cost>) -> Root {
        Root { left: Some(left), right, stride: columns + 1, distances }
    }

    /// The same distance everywhere.
    pub(crate) fn constant(distance: Cost) -> Root {
        Root { distances: vec![distance], ..Root::default() }
    }
}

impl Tree {
    /// Adds the process of a variable: the classes of its states.
    pub(crate) fn leaf(&mut self, classes: Vec<u16>) {
        self.bytes += classes.len() * 2;
        self.leaves.push(classes);
    }

    /// Adds a composed process: a table of rows for the left factor and
    /// columns for the right one, with the border for ⊥.
    pub(crate) fn node(&mut self, left: u32, right: u32, columns: u32, table: Vec<u16>) {
        self.bytes += table.len() * 2;
        self.nodes.push(Branch { left, right, stride: columns + 1, table });
    }

    pub(crate) fn finish(&mut self, root: Root) {
        self.bytes += root.distances.len() * size_of::<Cost>();
        self.root = root;
    }

    /// What the tables take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Which leaves and nodes the root depends on.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.leaves.len() + self.nodes.len()];
        for number in [self.root.left, self.root.right].into_iter().flatten() {
            used[number as usize] = true;
        }
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if used[self.leaves.len() + i] {
                used[node.left as usize] = true;
                used[node.right as usize] = true;
            }
        }
        used
    }
}

/// A leaf: where its variable lies, and its states.
pub(crate) struct Leaf {
    word: u32,
    shift: u32,
    mask: u64,
    /// Where its states begin.
    table: u32,
    /// What turns bits into values, where there are too many to list.
    variable: Option<Box<Variable>>,
}

struct Node {
    left: u32,
    right: u32,
    stride: u32,
    /// Where its table begins.
    table: usize,
}

/// The abstraction, ready to be looked up.
pub(crate) struct Lookup {
    leaves: Vec<Leaf>,
    nodes: Vec<Node>,
    tables: Vec<u16>,
    /// For every leaf and node the node it goes into, or [`ROOT`].
    parents: Vec<u32>,
    root: Root,
    /// For every label, the leaves it may change.
    written: Vec<u32>,
    written_starts: Vec<u32>,
}

/// Leaves and nodes that are evaluated at once rather than one by one: so many
/// take as long as to follow a change, with what that needs to be prepared.
/// (Tests are small, and should follow changes.)
const SMALL: usize = if cfg!(test) { 1 } else { 40 };

/// Bits of a field whose values are listed one by one.
const LISTED_BITS: u32 = 12;

impl Lookup {
    pub(crate) fn new(tree: Tree, ground: &Ground, states: &States) -> Lookup {
        let used = tree.used();
        let mut numbers = vec![ROOT; used.len()];
        for (next, number) in (0..used.len()).filter(|number| used[*number]).enumerate() {
            numbers[number] = next as u32;
        }
        let number = |old: u32| numbers[old as usize];
        let mut tables = vec![];
        let mut leaves = vec![];
        for (var, classes) in tree.leaves.iter().enumerate().filter(|(var, _)| used[*var]) {
            leaves.push(leaf(&ground.variables[var], states.of(var), classes, &mut tables));
        }
        let mut nodes = vec![];
        let mut parents = vec![ROOT; used.iter().filter(|used| **used).count()];
        for (i, branch) in tree.nodes.iter().enumerate() {
            if !used[tree.leaves.len() + i] {
                continue;
            }
            let node = (leaves.len() + nodes.len()) as u32;
            let (left, right) = (number(branch.left), number(branch.right));
            parents[left as usize] = node;
            parents[right as usize] = node;
            nodes.push(Node { left, right, stride: branch.stride, table: tables.len() });
            tables.extend_from_slice(&branch.table);
        }
        let (left, right) = (tree.root.left.map(number), tree.root.right.map(number));
        let root = Root { left, right, ..tree.root };
        let (written_starts, written) = written(ground, &numbers);
        Lookup { leaves, nodes, tables, parents, root, written, written_starts }
    }

    fn evaluate(&self, state: &[Word], values: &mut [u16]) {
        for (leaf, value) in self.leaves.iter().zip(values.iter_mut()) {
            *value = leaf.get(state, &self.tables);
        }
        for (i, node) in self.nodes.iter().enumerate() {
            values[self.leaves.len() + i] = node.get(values, &self.tables);
        }
    }

    /// Whether evaluating all is as fast as following changes.
    fn is_small(&self) -> bool {
        self.parents.len() <= SMALL
    }
}

/// Where one search is in an abstraction.
pub(crate) struct Walk<'a> {
    lookup: &'a Lookup,
    /// The states of leaves and nodes where the search is.
    values: Vec<u16>,
    /// The same for a state that stands for itself.
    elsewhere: Vec<u16>,
    /// What was overwritten for the successor at hand.
    replaced: Vec<(u32, u16)>,
    /// Nodes to be looked up again, descending.
    pending: Vec<u32>,
    /// Leaves and nodes looked up so far.
    looked_up: u64,
}

/// So many are looked up, roughly, while a blind search makes a successor. On four models a
/// state took two to eight times as long with such an estimate as without.
const A_SUCCESSOR: u64 = 6;

impl Walk<'_> {
    pub(crate) fn new(lookup: &Lookup) -> Walk<'_> {
        let values = vec![0; lookup.parents.len()];
        let elsewhere = values.clone();
        let (replaced, pending, looked_up) = (vec![], vec![], 0);
        Walk { lookup, values, elsewhere, replaced, pending, looked_up }
    }

    /// Moves to a state: reads all leaves.
    pub(crate) fn expanding(&mut self, state: &[Word]) {
        if !self.lookup.is_small() {
            self.looked_up += self.values.len() as u64;
            self.lookup.evaluate(state, &mut self.values);
        }
    }

    /// The distance of any state.
    pub(crate) fn alone(&mut self, state: &[Word]) -> Cost {
        self.looked_up += self.elsewhere.len() as u64;
        self.lookup.evaluate(state, &mut self.elsewhere);
        self.lookup.root.get(&self.elsewhere)
    }

    /// The distance of a successor by `label` of the state moved to.
    pub(crate) fn successor(&mut self, state: &[Word], label: u32) -> Cost {
        let lookup = self.lookup;
        if lookup.is_small() {
            return self.alone(state);
        }
        let label = label as usize;
        let written = lookup.written_starts[label]..lookup.written_starts[label + 1];
        for i in written {
            let number = lookup.written[i as usize];
            let value = lookup.leaves[number as usize].get(state, &lookup.tables);
            self.replace(number, value);
        }
        while let Some(number) = self.pending.pop() {
            let node = &lookup.nodes[number as usize - lookup.leaves.len()];
            let value = node.get(&self.values, &lookup.tables);
            self.replace(number, value);
        }
        self.looked_up += A_SUCCESSOR + self.replaced.len() as u64;
        let distance = lookup.root.get(&self.values);
        for (number, value) in self.replaced.drain(..) {
            self.values[number as usize] = value;
        }
        distance
    }

    /// Gives a leaf or node another value for now; its parent is looked up
    /// again if it differs.
    #[inline]
    fn replace(&mut self, number: u32, value: u16) {
        let old = &mut self.values[number as usize];
        if *old == value {
            return;
        }
        self.replaced.push((number, *old));
        *old = value;
        let parent = self.lookup.parents[number as usize];
        if parent != ROOT {
            let place = self.pending.iter().rposition(|other| *other >= parent);
            if place.is_none_or(|place| self.pending[place] != parent) {
                self.pending.insert(place.map_or(0, |place| place + 1), parent);
            }
        }
    }

    /// The work done so far, in successors of a blind search.
    pub(crate) fn work(&self) -> u64 {
        self.looked_up / A_SUCCESSOR
    }

    /// The labels that steps may have.
    pub(crate) fn knows(&self, label: u32) -> bool {
        (label as usize) + 1 < self.lookup.written_starts.len()
    }

    /// What the tables take.
    pub(crate) fn bytes(&self) -> usize {
        let Lookup { leaves, nodes, tables, parents, root, written, written_starts } = self.lookup;
        tables.len() * 2
            + root.distances.len() * size_of::<Cost>()
            + leaves.len() * size_of::<Leaf>()
            + nodes.len() * size_of::<Node>()
            + (written.len() + written_starts.len() + parents.len()) * 4
    }
}

impl Leaf {
    #[inline]
    pub(crate) fn get(&self, state: &[Word], tables: &[u16]) -> u16 {
        let bits = match &self.variable {
            None => (state[self.word as usize] >> self.shift & self.mask) as u32,
            Some(variable) => variable.get(state),
        };
        tables[(self.table + bits) as usize]
    }
}

impl Root {
    #[inline]
    fn get(&self, values: &[u16]) -> Cost {
        let value = |number: Option<u32>| number.map_or(0, |n| values[n as usize] as usize);
        self.distances[value(self.left) * self.stride as usize + value(self.right)]
    }
}

impl Node {
    #[inline]
    fn get(&self, values: &[u16], tables: &[u16]) -> u16 {
        let left = values[self.left as usize] as usize;
        let right = values[self.right as usize] as usize;
        tables[self.table + left * self.stride as usize + right]
    }
}

/// Lists the states of a leaf, by the bits of its field or by its values.
pub(crate) fn leaf(
    variable: &Variable,
    states: &[u32],
    classes: &[u16],
    tables: &mut Vec<u16>,
) -> Leaf {
    let field = variable.field;
    let table = tables.len() as u32;
    let state = |value: u32| classes[states[value as usize] as usize];
    let listed = field.bits <= LISTED_BITS;
    if listed {
        let number = |bits: u64| (bits as i64 + field.lo).clamp(variable.bounds[0], variable.last);
        tables.extend((0..=field.mask()).map(|bits| state(variable.class(number(bits)))));
    } else {
        tables.extend((0..variable.size()).map(state));
    }
    Leaf {
        word: field.word,
        shift: field.shift,
        mask: field.mask(),
        table,
        variable: (!listed).then(|| Box::new(variable.clone())),
    }
}

/// For every label the leaves that its operators write.
fn written(ground: &Ground, numbers: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let changes = ground.operators.iter().flat_map(|operator| {
        operator.effects.iter().map(|effect| (operator.label, numbers[effect.var as usize]))
    });
    let mut changes: Vec<(u32, u32)> = changes.filter(|(_, leaf)| *leaf != ROOT).collect();
    changes.sort_unstable();
    changes.dedup();
    let labels = ground.operators.iter().map(|operator| operator.label + 1).max().unwrap_or(0);
    let start = |label: u32| changes.partition_point(|(other, _)| *other < label) as u32;
    let starts = (0..=labels).map(start).collect();
    (starts, changes.into_iter().map(|(_, leaf)| leaf).collect())
}
