//! An estimate, looked up for single states.
//!
//! All layers become one diagram whose ends are values (Clarke, Fujita, McGeer, McMillan, Yang,
//! Zhao, "Multi-Terminal Binary Decision Diagrams", 1993), so a look-up asks for every bit at
//! most once:
//!
//! ```text
//! node(layers): if one of them is everything: its number
//!               if all are nothing: no number, a dead end
//!               else (first bit x of any; node(layers where x); node(layers where not x))
//! ```
//! It holds numbers only, and outlives the diagrams.

use std::collections::HashMap;

use homing_budget::checkpoint;
use homing_ir::system::SlotId;

use crate::diagram::Set;
use crate::encode::Encoding;
use crate::estimate::Estimate;

/// A value, by the values of slots.
#[derive(Clone, Debug)]
pub struct Lookup {
    nodes: Vec<Node>,
    root: Place,
}

/// A decision on one bit of a slot.
#[derive(Clone, Copy, Debug)]
struct Node {
    slot: SlotId,
    /// What the slot's zero means.
    base: i64,
    bit: u32,
    high: Place,
    low: Place,
}

/// A node, or what there is at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Node(u32),
    Value(u32),
    DeadEnd,
}

impl Lookup {
    /// The values of an estimate.
    pub fn new(encoding: &Encoding, estimate: &Estimate) -> Lookup {
        let mut making = Making { encoding, nodes: Vec::new(), known: HashMap::new() };
        let layers = (0..).zip(estimate.layers().iter().cloned());
        let layers: Vec<_> = layers.filter(|(_, layer)| !layer.is_empty()).collect();
        let root = making.place(&layers);
        Lookup { nodes: making.nodes, root }
    }

    /// The value of the state whose slots have these values; none where the goal is out of
    /// reach.
    #[inline]
    pub fn value(&self, slot: impl Fn(SlotId) -> i64) -> Option<u32> {
        let mut at = self.root;
        loop {
            match at {
                Place::Value(value) => return Some(value),
                Place::DeadEnd => return None,
                Place::Node(number) => {
                    let node = &self.nodes[number as usize];
                    let offset = slot(node.slot).wrapping_sub(node.base);
                    at = if offset >> node.bit & 1 == 1 { node.high } else { node.low };
                }
            }
        }
    }
}

struct Making<'m, 's> {
    encoding: &'m Encoding<'s>,
    nodes: Vec<Node>,
    /// By what is left of the layers: their values, with the identities of their sets.
    known: HashMap<Vec<(u32, u32)>, Place>,
}

impl Making<'_, '_> {
    /// Layers that are empty are none. The recursion is as deep as there are bits.
    fn place(&mut self, layers: &[(u32, Set)]) -> Place {
        checkpoint();
        if let Some((value, _)) = layers.iter().find(|(_, layer)| layer.is_all()) {
            return Place::Value(*value);
        }
        let d = self.encoding.diagrams();
        let Some(level) = layers.iter().filter_map(|(_, layer)| d.first(layer)).min() else {
            return Place::DeadEnd;
        };
        let key = layers.iter().map(|(value, layer)| (*value, layer.identity())).collect();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let (mut high, mut low) = (Vec::new(), Vec::new());
        for (value, layer) in layers {
            let (one, other) = d.halves(layer, level);
            high.extend((!one.is_empty()).then_some((*value, one)));
            low.extend((!other.is_empty()).then_some((*value, other)));
        }
        let (high, low) = (self.place(&high), self.place(&low));
        let place = if high == low { high } else { self.node(level, high, low) };
        self.known.insert(key, place);
        place
    }

    fn node(&mut self, level: u32, high: Place, low: Place) -> Place {
        let (slot, bit, base) = self.encoding.bit(level);
        self.nodes.push(Node { slot, base, bit, high, low });
        Place::Node(self.nodes.len() as u32 - 1)
    }
}
