//! The order of the bits of a circuit.
//!
//! Leaves are first taken in the order in which a walk through the circuit, depth first from
//! what each latch is next, comes to them (Malik, Wang, Brayton, Sangiovanni-Vincentelli,
//! "Logic Verification Using Binary Decision Diagrams in a Logic Synthesis Environment",
//! ICCAD 1988); then FORCE pulls together what gates connect ([`order`](crate::order)). A
//! latch and the gate that says what it is next are connected too.

use homing_budget::checkpoint;
use homing_gates::{Circuit, Literal, Node};

use crate::order::{Order, order};

/// The leaves in the cone of some literals, by their numbers in the graph, in order. Latches
/// that do not matter, but that the initial condition reads, come last.
pub(super) fn placed(
    circuit: &Circuit,
    roots: &[Literal],
    matters: &[bool],
    sorted: Order,
) -> Vec<usize> {
    let graph = &circuit.graph;
    let walk = walked(circuit, roots);
    let mut place = vec![usize::MAX; graph.len()];
    walk.iter().enumerate().for_each(|(at, node)| place[*node] = at);
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for node in &walk {
        if let Node::And(a, b) = graph.node(*node) {
            let ends = [*node, a.node(), b.node()].into_iter();
            edges.push(ends.filter(|end| *end != 0).map(|end| place[end]).collect());
        }
    }
    for (latch, _) in circuit.latches.iter().zip(matters).filter(|(_, matters)| **matters) {
        let ends = [place[latch.current.node()], place[latch.next.node()]];
        if !latch.next.is_constant() && !ends.contains(&usize::MAX) {
            edges.push(ends.to_vec());
        }
    }
    let sorted = order(sorted, walk.len(), &edges);
    let leaf = |node: usize| graph.leaf_number(Literal::of(node));
    let mut leaves: Vec<usize> = sorted.into_iter().filter_map(|at| leaf(walk[at])).collect();
    let mut has = vec![false; graph.leaves()];
    leaves.iter().for_each(|leaf| has[*leaf] = true);
    let current = circuit.latches.iter().zip(matters).filter(|(_, matters)| **matters);
    let current = current.filter_map(|(latch, _)| graph.leaf_number(latch.current));
    let initial = walked(circuit, &[circuit.initial.holds, circuit.initial.fails]);
    for leaf in current.chain(initial.into_iter().filter_map(leaf)) {
        if !std::mem::replace(&mut has[leaf], true) {
            leaves.push(leaf);
        }
    }
    leaves
}

/// The nodes that some literals depend on, depth first, in the order of leaving them. Latches
/// lead to what they are next.
fn walked(circuit: &Circuit, roots: &[Literal]) -> Vec<usize> {
    let graph = &circuit.graph;
    let mut entered = vec![false; graph.len()];
    entered[0] = true;
    let mut walk = Vec::new();
    for root in roots {
        let mut path = vec![(root.node(), false)];
        while let Some((node, done)) = path.pop() {
            checkpoint();
            if done {
                walk.push(node);
            } else if !std::mem::replace(&mut entered[node], true) {
                path.push((node, true));
                if let Node::And(a, b) = graph.node(node) {
                    path.extend([(b.node(), false), (a.node(), false)]);
                }
            }
        }
    }
    walk
}
