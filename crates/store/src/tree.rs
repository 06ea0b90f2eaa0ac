//! The tree-compressed visited set: states that share parts share memory.
//!
//! After A. Laarman, J. van de Pol and M. Weber, "Parallel Recursive State
//! Compression for Free", SPIN 2011, and S. Blom, B. Lisser, J. van de Pol and
//! M. Weber, "A Database Approach to Distributed State Space Generation", PDMC
//! 2007.
//!
//! A state is folded in a binary tree. Each inner node has a table of pairs, in
//! which a pair occurs once; a pair's number stands for it in the node above.
//! The leaves are the halves of the state's words, and the pairs of the root
//! are the states:
//!
//! ```text
//! fold(node, state):   if node has leaves: pair := both halves of its word
//!                      else: pair := (fold(left, state), fold(right, state))
//!                      return the number of pair in the table of node, added where new
//! ```
//!
//! Where we deviate:
//! - The root is found by the hash of the whole state, not of its pair, so that
//!   its bucket can be fetched early and a known state is recognised by
//!   *unfolding* the candidate: reads in small tables, no look-ups. Only new
//!   states are folded.
//! - Folding goes along the state it came from and reuses the numbers of what
//!   did not change.
//! - Pairs take as few bytes as their numbers need ([`Pairs`]).

use crate::index::Index;
use crate::memory::Meter;
use crate::pairs::Pairs;
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::expression::Call;
use homing_core::hash::hash_words;
use homing_core::{Id, Store, Visit, Word};

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "tree",
    kind: Kind::Store,
    about: "keeps every state, parts that states share only once; the smallest exact one",
    cite: "Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free, SPIN 2011",
    parameters: &[],
    needs: &[],
    gives: &[
        Capability::Exact,
        Capability::KeepsStates,
        Capability::NumbersStates,
    ],
    build,
};

fn build(config: &StoreConfig, call: &Call) -> Result<Box<dyn Store>, String> {
    call.allow(&[])?;
    Ok(Box::new(Tree::new(config)?))
}

/// Keeps every state, parts that states share only once.
#[derive(Debug)]
pub struct Tree {
    folded: Folded,
    /// From a state's hash to its number.
    index: Index,
    meter: Meter,
    /// The states it may hold.
    most: usize,
    width: usize,
}

/// The tables of pairs.
#[derive(Debug)]
struct Folded {
    /// The pair of each state.
    states: Pairs,
    root: Shape,
    /// The nodes below the root.
    nodes: Vec<Node>,
}

/// What the two numbers of a node's pairs are.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Nothing: states of no words.
    Empty,
    /// The halves of a word of the state.
    Word(usize),
    /// The numbers of pairs of two other nodes.
    Branch(usize, usize),
}

/// A node below the root.
#[derive(Debug)]
struct Node {
    shape: Shape,
    pairs: Pairs,
    /// From a pair's hash to its number.
    index: Index,
}

impl Tree {
    /// An empty store, or a sentence.
    pub fn new(config: &StoreConfig) -> Result<Tree, String> {
        let mut meter = Meter::new(config.memory);
        let index = Index::new(&mut meter).ok_or(NO_MEMORY)?;
        let mut nodes = Vec::new();
        let root = plant(0, config.width, &mut nodes, &mut meter).ok_or(NO_MEMORY)?;
        let folded = Folded {
            states: Pairs::new(),
            root,
            nodes,
        };
        Ok(Tree {
            folded,
            index,
            meter,
            most: NUMBERS,
            width: config.width,
        })
    }

    /// Adds a state that is not stored; `None` where there is no room for it.
    fn add(&mut self, state: &[Word], hash: u64, from: Id) -> Option<u32> {
        if self.len() >= self.most || (self.index.is_full() && !self.grow()) {
            return None;
        }
        let id = self.folded.push(state, from, &mut self.meter)?;
        self.index.insert(hash, id);
        Some(id)
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let folded = &self.folded;
        let mut state = vec![0; self.width];
        self.index
            .grow(folded.states.record(), &mut self.meter, |id| {
                folded.unfold(folded.root, folded.states.get(id), &mut state);
                hash_words(&state)
            })
    }
}

impl Store for Tree {
    #[inline]
    fn visit(&mut self, state: &[Word], hash: u64, from: Id) -> Visit {
        let folded = &self.folded;
        if let Some(id) = self.index.find(hash, |id| folded.holds(id, state)) {
            return Visit::Known(Id(id));
        }
        self.add(state, hash, from)
            .map_or(Visit::Full, |id| Visit::New(Id(id)))
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }

    #[inline]
    fn prefetch_state(&self, hash: u64) {
        if let Some(id) = self.index.candidate(hash) {
            self.folded.states.prefetch(id);
        }
    }

    fn load(&self, id: Id, out: &mut [Word]) -> bool {
        self.folded
            .unfold(self.folded.root, self.folded.states.get(id.0), out);
        true
    }

    fn len(&self) -> usize {
        self.folded.states.len()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }
}

// The recursions below are as deep as the logarithm of the width.

/// The shape of a node over the words from `first` to `end`, with all nodes
/// below it added to `nodes`.
fn plant(first: usize, end: usize, nodes: &mut Vec<Node>, meter: &mut Meter) -> Option<Shape> {
    match end - first {
        0 => Some(Shape::Empty),
        1 => Some(Shape::Word(first)),
        words => {
            let middle = first + words.div_ceil(2);
            let mut child = |first, end| {
                let shape = plant(first, end, nodes, meter)?;
                nodes.push(Node {
                    shape,
                    pairs: Pairs::new(),
                    index: Index::new(meter)?,
                });
                Some(nodes.len() - 1)
            };
            Some(Shape::Branch(child(first, middle)?, child(middle, end)?))
        }
    }
}

impl Folded {
    /// Whether `state` is the state of this number.
    #[inline]
    fn holds(&self, id: u32, state: &[Word]) -> bool {
        self.unfolds_to(self.root, self.states.get(id), state)
    }

    /// Whether a pair of a node of this shape stands for what `state` has there.
    fn unfolds_to(&self, shape: Shape, pair: (u32, u32), state: &[Word]) -> bool {
        match shape {
            Shape::Empty => true,
            Shape::Word(at) => join(pair) == state[at],
            Shape::Branch(left, right) => {
                let (left, right) = (&self.nodes[left], &self.nodes[right]);
                self.unfolds_to(left.shape, left.pairs.get(pair.0), state)
                    && self.unfolds_to(right.shape, right.pairs.get(pair.1), state)
            }
        }
    }

    /// Writes the words that a pair of a node of this shape stands for.
    fn unfold(&self, shape: Shape, pair: (u32, u32), state: &mut [Word]) {
        match shape {
            Shape::Empty => {}
            Shape::Word(at) => state[at] = join(pair),
            Shape::Branch(left, right) => {
                let (left, right) = (&self.nodes[left], &self.nodes[right]);
                self.unfold(left.shape, left.pairs.get(pair.0), state);
                self.unfold(right.shape, right.pairs.get(pair.1), state);
            }
        }
    }

    /// Adds the pair of `state`; `None` where there is no room for it.
    fn push(&mut self, state: &[Word], from: Id, meter: &mut Meter) -> Option<u32> {
        let near = (from.index() < self.states.len()).then(|| self.states.get(from.0));
        let pair = self.fold(self.root, state, near, meter)?;
        self.states
            .ready(pair, meter)
            .then(|| self.states.push(pair))
    }

    /// The pair of `state` at a node of this shape. `near` is the pair there of
    /// a state that differs in little.
    fn fold(
        &mut self,
        shape: Shape,
        state: &[Word],
        near: Option<(u32, u32)>,
        meter: &mut Meter,
    ) -> Option<(u32, u32)> {
        match shape {
            Shape::Empty => Some((0, 0)),
            Shape::Word(at) => Some(split(state[at])),
            Shape::Branch(left, right) => Some((
                self.fold_node(left, state, near.map(|pair| pair.0), meter)?,
                self.fold_node(right, state, near.map(|pair| pair.1), meter)?,
            )),
        }
    }

    /// The number of the pair of `state` at a node.
    fn fold_node(
        &mut self,
        node: usize,
        state: &[Word],
        near: Option<u32>,
        meter: &mut Meter,
    ) -> Option<u32> {
        let near_pair = near.map(|id| self.nodes[node].pairs.get(id));
        let pair = self.fold(self.nodes[node].shape, state, near_pair, meter)?;
        if near_pair == Some(pair) {
            near
        } else {
            self.nodes[node].number(pair, meter)
        }
    }
}

impl Node {
    /// The number of `pair`, added where it is new; `None` where there is no
    /// room for it.
    fn number(&mut self, pair: (u32, u32), meter: &mut Meter) -> Option<u32> {
        let Node { pairs, index, .. } = self;
        let hash_of = |pair| hash_words(&[join(pair)]);
        let hash = hash_of(pair);
        if let Some(id) = index.find(hash, |id| pairs.get(id) == pair) {
            return Some(id);
        }
        let full = index.is_full();
        if full && !index.grow(pairs.record(), meter, |id| hash_of(pairs.get(id))) {
            return None;
        }
        if !pairs.ready(pair, meter) {
            return None;
        }
        let id = pairs.push(pair);
        index.insert(hash, id);
        Some(id)
    }
}

#[inline(always)]
fn join((low, high): (u32, u32)) -> Word {
    Word::from(low) | Word::from(high) << 32
}

#[inline(always)]
fn split(word: Word) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}
