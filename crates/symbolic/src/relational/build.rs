//! Diagrams of circuits: a node of the circuit a diagram, made once, freed after its last use.
//!
//! ```text
//! for each node of the cone, fan-ins first:
//!   leaf: its variable        and(a, b): diagram(a) and diagram(b)
//!   let go of a fan-in that no later node and no root needs
//! ```

use homing_budget::checkpoint;
use homing_gates::{Graph, Literal, Node};

use crate::diagram::{Diagrams, Made, Set};

/// The diagrams of some literals, where leaves are the variables of these levels, by their
/// numbers in the graph.
pub(super) fn diagrams(
    d: &Diagrams,
    graph: &Graph,
    levels: &[Option<u32>],
    roots: &[Literal],
) -> Made<Vec<Set>> {
    let cone = graph.cone(roots.iter().copied());
    let mut needed = vec![0u32; graph.len()];
    roots.iter().for_each(|root| needed[root.node()] += 1);
    for node in &cone {
        if let Node::And(a, b) = graph.node(*node) {
            needed[a.node()] += 1;
            needed[b.node()] += 1;
        }
    }
    let mut made: Vec<Option<Set>> = vec![None; graph.len()];
    made[0] = Some(d.constant(false));
    let of = |made: &[Option<Set>], literal: Literal| match &made[literal.node()] {
        Some(set) if literal.is_complement() => d.not(set),
        Some(set) => set.clone(),
        None => d.constant(literal.is_complement()),
    };
    for node in cone {
        checkpoint();
        let set = match graph.node(node) {
            Node::Constant => continue,
            Node::Leaf(number) => match levels[number as usize] {
                Some(level) => d.variable(level)?,
                None => continue,
            },
            Node::And(a, b) => {
                let both = d.and(&of(&made, a), &of(&made, b))?;
                for fan_in in [a.node(), b.node()] {
                    needed[fan_in] -= 1;
                    if needed[fan_in] == 0 && fan_in != 0 {
                        made[fan_in] = None;
                    }
                }
                both
            }
        };
        made[node] = Some(set);
    }
    Ok(roots.iter().map(|root| of(&made, *root)).collect())
}

/// What a literal is the conjunction of.
pub(super) fn conjuncts(graph: &Graph, root: Literal) -> Vec<Literal> {
    let (mut left, mut found) = (vec![root], Vec::new());
    while let Some(literal) = left.pop() {
        checkpoint();
        match graph.node(literal.node()) {
            Node::And(a, b) if !literal.is_complement() => left.extend([b, a]),
            _ if literal == Literal::TRUE => {}
            _ => found.push(literal),
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|literal| seen.insert(*literal));
    found
}
