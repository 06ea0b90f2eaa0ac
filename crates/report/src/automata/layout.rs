//! Where the nodes of an automaton are drawn: in layers.
//!
//! After Sugiyama, Tagawa, Toda, "Methods for Visual Understanding of
//! Hierarchical System Structures", 1981, made simple:
//!
//! ```text
//! rank(v)     := breadth-first distance from the initial node
//! several times, down and up:
//!     sort each layer by the mean place of neighbours in the layer before
//! x(v)        := its number in the layer, layers centred
//! ```
//!
//! Deviations: ranks are distances, so edges may lead back, to the same layer
//! or over several; such edges are bent, there are no nodes put into them.

use std::collections::VecDeque;

use super::Automaton;

/// How often layers are sorted.
const SWEEPS: usize = 4;

/// The layers of an automaton, from the top; each from the left.
pub fn layers(automaton: &Automaton) -> Vec<Vec<usize>> {
    let neighbours = neighbours(automaton);
    let mut layers = ranked(automaton);
    for sweep in 0..SWEEPS {
        let mut order: Vec<usize> = (0..layers.len()).collect();
        if sweep % 2 == 1 {
            order.reverse();
        }
        for pair in order.windows(2) {
            let before = places(&layers[pair[0]], automaton.nodes.len());
            sort_by_means(&mut layers[pair[1]], &before, &neighbours);
        }
    }
    layers
}

/// Both ways, without loops.
fn neighbours(automaton: &Automaton) -> Vec<Vec<usize>> {
    let mut list = vec![Vec::new(); automaton.nodes.len()];
    for arrow in automaton.arrows.iter().filter(|arrow| arrow.from != arrow.to) {
        list[arrow.from].push(arrow.to);
        list[arrow.to].push(arrow.from);
    }
    list
}

/// Nodes by their distance; what is not reached comes last.
fn ranked(automaton: &Automaton) -> Vec<Vec<usize>> {
    let count = automaton.nodes.len();
    let mut next = vec![Vec::new(); count];
    for arrow in &automaton.arrows {
        next[arrow.from].push(arrow.to);
    }
    let mut rank: Vec<Option<usize>> = vec![None; count];
    let mut queue = VecDeque::new();
    if automaton.initial < count {
        rank[automaton.initial] = Some(0);
        queue.push_back((automaton.initial, 0));
    }
    let mut deepest = 0;
    while let Some((node, distance)) = queue.pop_front() {
        deepest = distance;
        for &to in &next[node] {
            if rank[to].is_none() {
                rank[to] = Some(distance + 1);
                queue.push_back((to, distance + 1));
            }
        }
    }
    let mut layers = vec![Vec::new(); deepest + 2];
    for (node, rank) in rank.iter().enumerate() {
        layers[rank.unwrap_or(deepest + 1)].push(node);
    }
    layers.retain(|layer| !layer.is_empty());
    layers
}

/// Where each node of a layer is, counted from its middle.
fn places(layer: &[usize], count: usize) -> Vec<Option<f64>> {
    let mut places = vec![None; count];
    for (at, &node) in layer.iter().enumerate() {
        places[node] = Some(at as f64 - (layer.len() as f64 - 1.0) / 2.0);
    }
    places
}

fn sort_by_means(layer: &mut Vec<usize>, before: &[Option<f64>], neighbours: &[Vec<usize>]) {
    let own = places(layer, before.len());
    let mean = |node: usize| {
        let found: Vec<f64> = neighbours[node].iter().filter_map(|other| before[*other]).collect();
        match found.is_empty() {
            true => own[node].unwrap_or(0.0),
            false => found.iter().sum::<f64>() / found.len() as f64,
        }
    };
    let mut keyed: Vec<(f64, usize)> = layer.iter().map(|&node| (mean(node), node)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    *layer = keyed.into_iter().map(|(_, node)| node).collect();
}
