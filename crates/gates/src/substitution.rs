//! A circuit with other literals in the places of some latches.

use homing_budget::checkpoint;

use crate::circuit::{Circuit, Condition, Latch};
use crate::graph::{Graph, Literal, Node};

/// A circuit made anew, and what the literals of the old one are in it.
pub struct Substituted {
    /// The circuit: latches, inputs and leaves have the numbers they had.
    pub circuit: Circuit,
    literals: Vec<Literal>,
}

impl Substituted {
    /// What a literal of the old circuit is in this one.
    pub fn of(&self, literal: Literal) -> Literal {
        of(&self.literals, literal)
    }
}

fn of(literals: &[Literal], literal: Literal) -> Literal {
    literals[literal.node()].complemented_if(literal.is_complement())
}

impl Circuit {
    /// The circuit where everything that reads a latch reads a literal instead: a constant, or
    /// a latch that nothing else stands for, or its complement. The latches are there still.
    pub fn substituted(&self, instead: &[(usize, Literal)]) -> Substituted {
        let mut graph = Graph::default();
        let mut literals = Vec::with_capacity(self.graph.len());
        let mut other = vec![None; self.graph.len()];
        for (latch, literal) in instead {
            other[self.latches[*latch].current.node()] = Some(*literal);
        }
        // Leaves come first: what stands for one may be a later one.
        let leaves: Vec<Literal> = (0..self.graph.leaves()).map(|_| graph.leaf()).collect();
        let leaf = |literal: Literal| match self.graph.leaf_number(literal) {
            Some(number) => leaves[number].complemented_if(literal.is_complement()),
            None => literal,
        };
        for (node, other) in other.iter().enumerate() {
            checkpoint();
            let literal = match (self.graph.node(node), other) {
                (_, Some(literal)) => leaf(*literal),
                (Node::Constant, _) => Literal::FALSE,
                (Node::Leaf(number), _) => leaves[number as usize],
                (Node::And(a, b), _) => graph.and(of(&literals, a), of(&literals, b)),
            };
            literals.push(literal);
        }
        let circuit = self.mapped(graph, &|literal| of(&literals, literal), &leaf);
        Substituted { circuit, literals }
    }

    /// The circuit over another graph; `leaf` maps what has to stay a leaf.
    fn mapped(
        &self,
        graph: Graph,
        of: &dyn Fn(Literal) -> Literal,
        leaf: &dyn Fn(Literal) -> Literal,
    ) -> Circuit {
        let condition = |one: Condition| Condition { holds: of(one.holds), fails: of(one.fails) };
        let all = |conditions: &[Condition]| conditions.iter().map(|one| condition(*one)).collect();
        let latches = self.latches.iter();
        let latches =
            latches.map(|one| Latch { current: leaf(one.current), next: of(one.next), ..*one });
        let pairs = self.compassion.iter().map(|(a, b)| (condition(*a), condition(*b)));
        Circuit {
            graph,
            latches: latches.collect(),
            inputs: self.inputs.iter().map(|input| leaf(*input)).collect(),
            initial: condition(self.initial),
            beyond_resets: of(self.beyond_resets),
            admitted: condition(self.admitted),
            step: condition(self.step),
            justice: all(&self.justice),
            compassion: pairs.collect(),
            asked: all(&self.asked),
            variables: self
                .variables
                .iter()
                .map(|bits| bits.iter().map(|bit| of(*bit)).collect())
                .collect(),
            leaves: self.leaves.clone(),
        }
    }
}
