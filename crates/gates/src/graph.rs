//! And-inverter graphs: circuits of two-input conjunctions and complements.
//!
//! Kuehlmann, Paruthi, Krohm, Ganai, "Robust Boolean reasoning for equivalence checking and
//! functional property verification" (IEEE TCAD 21, 2002): equal nodes are made once
//! (structural hashing). Brummayer, Biere, "Local two-level and-inverter graph minimization
//! without blowup" (MEMICS 2006): what the fan-ins of the fan-ins decide is simplified.
//!
//! ```text
//! and(a, b):  a ∧ a = a   a ∧ ¬a = 0   0 ∧ a = 0   1 ∧ a = a
//!     (a ∧ b) ∧ ¬a       = 0          contradiction
//!     (a ∧ b) ∧ (¬a ∧ c) = 0          contradiction
//!     ¬(a ∧ b) ∧ ¬a      = ¬a         subsumption
//!     (a ∧ b) ∧ a        = a ∧ b      idempotence
//!     ¬(a ∧ b) ∧ a       = a ∧ ¬b     substitution
//! ```
//! Deviation: of the paper's rules those that look at one fan-in's fan-ins, and of those
//! that look at both fan-ins' the contradiction and nothing else.

use std::ops::Not;

use hashbrown::HashTable;
use homing_budget::checkpoint;

/// A node or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal(u32);

impl Literal {
    /// The constant 0.
    pub const FALSE: Literal = Literal(0);
    /// The constant 1.
    pub const TRUE: Literal = Literal(1);

    /// A constant.
    pub fn constant(value: bool) -> Literal {
        Literal(value.into())
    }

    /// The literal of a node.
    pub fn of(node: usize) -> Literal {
        Literal((node as u32) << 1)
    }

    /// Its node; that of constants is 0.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the complement of its node.
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is a constant.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// Itself, or its complement if `complement` is true.
    pub fn complemented_if(self, complement: bool) -> Literal {
        Literal(self.0 ^ u32::from(complement))
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant 0: node 0, and no other.
    Constant,
    /// What the circuit is given: its number among leaves.
    Leaf(u32),
    /// The conjunction of two literals.
    And(Literal, Literal),
}

/// The most nodes. A literal has 32 bits.
const MOST: usize = 1 << 31;

/// In the first place of a leaf, which has its number in the second.
const LEAF: Literal = Literal(u32::MAX);

/// An and-inverter graph. The fan-ins of a node have smaller numbers than it.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<[Literal; 2]>,
    leaves: Vec<u32>,
    known: HashTable<u32>,
    is_full: bool,
}

impl Default for Graph {
    fn default() -> Graph {
        let constant = [LEAF, LEAF];
        let (leaves, known) = (Vec::new(), HashTable::new());
        Graph { nodes: vec![constant], leaves, known, is_full: false }
    }
}

impl Graph {
    /// How many nodes there are, the constant and the leaves included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Whether more nodes were asked for than there can be: then it is not what was built.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// What a node is.
    pub fn node(&self, node: usize) -> Node {
        match self.nodes[node] {
            [LEAF, LEAF] => Node::Constant,
            [LEAF, Literal(number)] => Node::Leaf(number),
            [a, b] => Node::And(a, b),
        }
    }

    /// The number of a leaf among leaves, if the literal is one or the complement of one.
    pub fn leaf_number(&self, literal: Literal) -> Option<usize> {
        match self.node(literal.node()) {
            Node::Leaf(number) => Some(number as usize),
            _ => None,
        }
    }

    /// The leaf with a number among leaves.
    pub fn leaf_at(&self, number: usize) -> Literal {
        Literal::of(self.leaves[number] as usize)
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Literal {
        let number = Literal(self.leaves.len() as u32);
        let leaf = self.push([LEAF, number]);
        self.leaves.push(leaf.node() as u32);
        leaf
    }

    fn push(&mut self, node: [Literal; 2]) -> Literal {
        checkpoint();
        if self.nodes.len() >= MOST {
            self.is_full = true;
            return Literal::FALSE;
        }
        self.nodes.push(node);
        Literal::of(self.nodes.len() - 1)
    }

    /// Both.
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == Literal::TRUE {
            return b;
        }
        if a == Literal::FALSE || a == !b {
            return Literal::FALSE;
        }
        match self.simplified(a, b).or_else(|| self.simplified(b, a)) {
            Some(Simplified::Is(literal)) => literal,
            Some(Simplified::And(a, b)) => self.and(a, b),
            None => self.hashed([a, b]),
        }
    }

    /// What the fan-ins of the first decide.
    fn simplified(&self, first: Literal, other: Literal) -> Option<Simplified> {
        let Node::And(a, b) = self.node(first.node()) else { return None };
        let is_complement = first.is_complement();
        if !is_complement {
            if other == a || other == b {
                return Some(Simplified::Is(first));
            }
            let contradicts = |one: Literal| one == !a || one == !b;
            let inner = match self.node(other.node()) {
                Node::And(c, d) if !other.is_complement() => contradicts(c) || contradicts(d),
                _ => false,
            };
            return (contradicts(other) || inner).then_some(Simplified::Is(Literal::FALSE));
        }
        match other {
            _ if other == !a || other == !b => Some(Simplified::Is(other)),
            _ if other == a => Some(Simplified::And(a, !b)),
            _ if other == b => Some(Simplified::And(b, !a)),
            _ => None,
        }
    }

    fn hashed(&mut self, node: [Literal; 2]) -> Literal {
        let nodes = &self.nodes;
        let same = |at: &u32| nodes[*at as usize] == node;
        if let Some(at) = self.known.find(hash(node), same) {
            return Literal::of(*at as usize);
        }
        let made = self.push(node);
        if !self.is_full {
            let nodes = &self.nodes;
            let hasher = |at: &u32| hash(nodes[*at as usize]);
            self.known.insert_unique(hash(node), made.node() as u32, hasher);
        }
        made
    }

    /// Either.
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// One of them, not both.
    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        if a.is_constant() || b.is_constant() || a.node() == b.node() {
            return match (a, b) {
                (Literal::FALSE, b) => b,
                (Literal::TRUE, b) => !b,
                (a, Literal::FALSE) => a,
                (a, Literal::TRUE) => !a,
                _ => Literal::constant(a != b),
            };
        }
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        self.and(!both, !none)
    }

    /// Whether they are equal.
    pub fn same(&mut self, a: Literal, b: Literal) -> Literal {
        !self.xor(a, b)
    }

    /// The second if the first is true, the third if not.
    pub fn choose(&mut self, condition: Literal, a: Literal, b: Literal) -> Literal {
        match (a, b) {
            _ if a == b => a,
            _ if a == !b => self.same(condition, a),
            _ if condition == Literal::TRUE => a,
            _ if condition == Literal::FALSE => b,
            (Literal::TRUE, _) => self.or(condition, b),
            (Literal::FALSE, _) => self.and(!condition, b),
            (_, Literal::TRUE) => self.or(!condition, a),
            (_, Literal::FALSE) => self.and(condition, a),
            _ => {
                let (yes, no) = (self.and(condition, a), self.and(!condition, b));
                self.or(yes, no)
            }
        }
    }

    /// All of them.
    pub fn all(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        literals.into_iter().fold(Literal::TRUE, |all, one| self.and(all, one))
    }

    /// At least one of them.
    pub fn any(&mut self, literals: impl IntoIterator<Item = Literal>) -> Literal {
        literals.into_iter().fold(Literal::FALSE, |any, one| self.or(any, one))
    }

    /// Some literals' nodes and all that they depend on, fan-ins first; the constant is not
    /// among them.
    pub fn cone(&self, roots: impl IntoIterator<Item = Literal>) -> Vec<usize> {
        let mut seen = vec![false; self.len()];
        seen[0] = true;
        let mut cone = Vec::new();
        let mut left: Vec<usize> = roots.into_iter().map(Literal::node).collect();
        while let Some(node) = left.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            checkpoint();
            cone.push(node);
            if let Node::And(a, b) = self.node(node) {
                left.extend([a.node(), b.node()]);
            }
        }
        cone.sort_unstable();
        cone
    }

    /// The values of all nodes where leaves have these, by number ([`Graph::leaf_number`]).
    pub fn evaluate(&self, leaves: &[bool]) -> Vec<bool> {
        let mut values = Vec::with_capacity(self.len());
        for node in 0..self.len() {
            checkpoint();
            let value = match self.node(node) {
                Node::Constant => false,
                Node::Leaf(number) => leaves[number as usize],
                Node::And(a, b) => value(&values, a) && value(&values, b),
            };
            values.push(value);
        }
        values
    }
}

/// The value of a literal, from those of nodes ([`Graph::evaluate`]).
pub fn value(values: &[bool], literal: Literal) -> bool {
    values[literal.node()] != literal.is_complement()
}

enum Simplified {
    Is(Literal),
    And(Literal, Literal),
}

fn hash([Literal(a), Literal(b)]: [Literal; 2]) -> u64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every circuit of a few random gates is the function its gates say, whatever was
    /// simplified.
    #[test]
    fn simplification_keeps_the_function() {
        let mut random = 7u64;
        let mut roll = |sides: usize| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize % sides
        };
        for _ in 0..300 {
            let mut graph = Graph::default();
            // Columns of truth tables over four leaves.
            let columns = [0xaaaau16, 0xcccc, 0xf0f0, 0xff00];
            let mut made: Vec<(Literal, u16)> = vec![(Literal::TRUE, 0xffff)];
            made.extend(columns.map(|column| (graph.leaf(), column)));
            for _ in 0..30 {
                let mut pick = || {
                    let (literal, table) = made[roll(made.len())];
                    if roll(2) == 0 { (literal, table) } else { (!literal, !table) }
                };
                let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
                made.push(match roll(4) {
                    0 => (graph.xor(a, b), x ^ y),
                    1 => (graph.choose(a, b, c), x & y | !x & z),
                    _ => (graph.and(a, b), x & y),
                });
            }
            for row in 0..16 {
                let leaves: Vec<bool> = columns.iter().map(|c| c >> row & 1 == 1).collect();
                let values = graph.evaluate(&leaves);
                for (literal, table) in &made {
                    assert_eq!(value(&values, *literal), table >> row & 1 == 1);
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut graph = Graph::default();
        let (a, b) = (graph.leaf(), graph.leaf());
        let one = graph.and(a, b);
        assert_eq!(graph.and(b, a), one);
        assert_eq!(graph.and(one, !a), Literal::FALSE);
        assert_eq!(graph.cone([!one]), [a.node(), b.node(), one.node()]);
        let more = graph.or(a, one);
        assert_eq!(more, a);
    }
}
