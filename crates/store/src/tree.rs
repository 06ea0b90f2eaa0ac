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
//! fold(state):      numbers := state
//!                   for each node below the root, children first:
//!                       numbers[node] := number of node's pair in its table, added where new
//!                   return the pair of the root
//! unfold(id):       pair of the root := pair id in the root's table
//!                   for each node below the root, parents first:
//!                       pair of node := pair numbers[node] in its table
//! ```
//!
//! One buffer of the state's width serves both: a node's number lies where the
//! first of its words does, and a pair is the numbers of the two nodes below,
//! or the halves of a word.
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
use crate::memory::MemoryMeter;
use crate::pairs::Pairs;
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::expression::Call;
use homing_core::hash::hash_words;
use homing_core::{Id, Price, Store, Visit, Word};
use std::collections::VecDeque;

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "tree",
    kind: Kind::Store,
    about: "keeps every state, parts that states share only once; the smallest exact one",
    cite: "Laarman, van de Pol, Weber: Parallel Recursive State Compression for Free, SPIN 2011",
    parameters: &[],
    needs: &[],
    gives: &[Capability::Exact, Capability::KeepsStates, Capability::NumbersStates],
    uses: &[],
    build,
};

fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    call.allow_named(&[])?;
    Ok(Box::new(Tree::new(config)?))
}

/// Keeps every state, parts that states share only once.
#[derive(Debug)]
pub struct Tree {
    /// The pair of each state.
    states: Pairs,
    /// From a state's hash to its number.
    index: Index,
    root: Place,
    /// The nodes below the root, parents first.
    nodes: Vec<Node>,
    /// The state folded or unfolded last.
    buffer: Vec<Word>,
    /// The numbers, node by node, of the state that the last one came from.
    near: Vec<u32>,
    near_id: Id,
    meter: MemoryMeter,
    /// The states it may hold.
    pub(crate) most: usize,
}

/// Where the two numbers of a node's pair lie in the buffer.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Nowhere: states of no words.
    Nowhere,
    /// The halves of this word.
    Halves(usize),
    /// The numbers of the nodes that start at these words.
    Both(usize, usize),
}

/// A node below the root: its place and its pairs.
#[derive(Debug)]
struct Node {
    place: Place,
    pairs: Pairs,
    /// From a pair's hash to its number.
    index: Index,
}

impl Tree {
    /// An empty store, or a sentence.
    pub fn new(config: &StoreConfig) -> Result<Tree, String> {
        let mut meter = MemoryMeter::new(config.memory);
        let places = places(config.width);
        let node = |place: &Place| Node::new(*place, &mut meter);
        let nodes: Option<Vec<Node>> = places[1..].iter().map(node).collect();
        let nodes = nodes.ok_or(NO_MEMORY)?;
        Ok(Tree {
            states: Pairs::new(),
            index: Index::new(&mut meter).ok_or(NO_MEMORY)?,
            root: places[0],
            buffer: vec![0; config.width],
            near: vec![0; nodes.len()],
            near_id: Id::NONE,
            nodes,
            meter,
            most: config.most(NUMBERS),
        })
    }

    /// Adds a state that is not stored; `None` where there is no room for it.
    fn add(&mut self, state: &[Word], hash: u64, from: Id) -> Option<u32> {
        if self.len() >= self.most || (self.index.is_full() && !self.grow()) {
            return None;
        }
        self.come_from(from);
        let pair = self.fold(state)?;
        if !self.states.ready(pair, &mut self.meter) {
            return None;
        }
        let id = self.states.push(pair);
        self.index.insert(hash, id);
        Some(id)
    }

    /// Notes the numbers of the state that the next one came from. Any state
    /// will do; a near one saves look-ups.
    fn come_from(&mut self, from: Id) {
        if from == self.near_id || from.index() >= self.states.len() {
            return;
        }
        self.root.write(self.states.get(from.0), &mut self.buffer);
        for (node, near) in self.nodes.iter().zip(&mut self.near) {
            *near = self.buffer[node.place.start()] as u32;
            node.unfold(&mut self.buffer);
        }
        self.near_id = from;
    }

    /// The pair of `state`; `None` where there is no room for its parts.
    fn fold(&mut self, state: &[Word]) -> Option<(u32, u32)> {
        self.buffer.copy_from_slice(state);
        for (node, near) in self.nodes.iter_mut().zip(&self.near).rev() {
            let pair = node.place.read(&self.buffer);
            let same = (*near as usize) < node.pairs.len() && node.pairs.get(*near) == pair;
            let number = if same { *near } else { node.number(pair, &mut self.meter)? };
            self.buffer[node.place.start()] = Word::from(number);
        }
        Some(self.root.read(&self.buffer))
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let Tree { states, index, root, nodes, buffer, meter, .. } = self;
        index.grow(states.record(), meter, |id| {
            unfold(*root, nodes, states.get(id), buffer);
            hash_words(buffer)
        })
    }
}

impl Store for Tree {
    #[inline]
    fn visit(&mut self, state: &[Word], hash: u64, from: Id, _cost: Price) -> Visit {
        let Tree { states, index, root, nodes, buffer, .. } = self;
        let known = index.find(hash, |id| {
            unfold(*root, nodes, states.get(id), buffer);
            buffer == state
        });
        match known {
            Some(id) => Visit::Known(Id(id)),
            None => self.add(state, hash, from).map_or(Visit::Full, |id| Visit::New(Id(id))),
        }
    }

    fn prefetch(&self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.index.prefetch(*hash));
    }

    fn prefetch_states(&self, hashes: &[u64]) {
        for id in hashes.iter().filter_map(|hash| self.index.candidate(*hash)) {
            self.states.prefetch(id);
        }
    }

    fn load(&self, id: Id, out: &mut [Word]) -> bool {
        unfold(self.root, &self.nodes, self.states.get(id.0), out);
        true
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }
}

/// Writes the state that a pair of the root stands for.
#[inline]
fn unfold(root: Place, nodes: &[Node], pair: (u32, u32), state: &mut [Word]) {
    root.write(pair, state);
    for node in nodes {
        node.unfold(state);
    }
}

/// The places of a balanced tree over this many words, parents first.
fn places(width: usize) -> Vec<Place> {
    let mut places = Vec::new();
    let mut ranges = VecDeque::from([(0, width)]);
    while let Some((first, end)) = ranges.pop_front() {
        let middle = first + (end - first).div_ceil(2);
        places.push(match end - first {
            0 => Place::Nowhere,
            1 => Place::Halves(first),
            _ => {
                ranges.extend([(first, middle), (middle, end)]);
                Place::Both(first, middle)
            }
        });
    }
    places
}

impl Place {
    #[inline(always)]
    fn read(self, buffer: &[Word]) -> (u32, u32) {
        match self {
            Place::Nowhere => (0, 0),
            Place::Halves(at) => (buffer[at] as u32, (buffer[at] >> 32) as u32),
            Place::Both(left, right) => (buffer[left] as u32, buffer[right] as u32),
        }
    }

    #[inline(always)]
    fn write(self, pair: (u32, u32), buffer: &mut [Word]) {
        match self {
            Place::Nowhere => {}
            Place::Halves(at) => buffer[at] = join(pair),
            Place::Both(left, right) => {
                buffer[left] = Word::from(pair.0);
                buffer[right] = Word::from(pair.1);
            }
        }
    }

    /// The word at which the number of the node itself lies.
    #[inline(always)]
    fn start(self) -> usize {
        match self {
            Place::Nowhere => 0,
            Place::Halves(at) | Place::Both(at, _) => at,
        }
    }
}

impl Node {
    fn new(place: Place, meter: &mut MemoryMeter) -> Option<Node> {
        Some(Node { place, pairs: Pairs::new(), index: Index::new(meter)? })
    }

    /// Replaces the number of this node by its pair.
    #[inline(always)]
    fn unfold(&self, buffer: &mut [Word]) {
        let number = buffer[self.place.start()] as u32;
        self.place.write(self.pairs.get(number), buffer);
    }

    /// The number of `pair`, added where it is new; `None` where there is no
    /// room for it.
    fn number(&mut self, pair: (u32, u32), meter: &mut MemoryMeter) -> Option<u32> {
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
