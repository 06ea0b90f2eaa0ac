//! The order of variables: what is decided together stands together.
//!
//! FORCE (Aloul, Markov, Sakallah, "FORCE: A Fast and Easy-To-Implement Variable-Ordering
//! Heuristic", GLSVLSI 2003):
//!
//! ```text
//! repeat:
//!   for each edge (the slots of a move): its centre of gravity is the mean of their places
//!   for each slot: its new place is the mean of the centres of the edges it is in
//!   sort the slots by their new places
//! until the edges together span no less than before; the best order counts
//! ```

use homing_budget::checkpoint;

/// How the slots of a system are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// As they are declared: what is global, then process by process.
    Declared,
    /// So that the slots of a move are near each other, by FORCE from the order declared;
    /// as declared where that is no better.
    #[default]
    Force,
}

/// The orders by name.
pub const ORDERS: &[(&str, Order)] = &[("declared", Order::Declared), ("force", Order::Force)];

/// The most rounds, and the most ends of edges that are looked at in all of them.
const ROUNDS: usize = 100;
const MOST_ENDS: usize = 50_000_000;

/// An order of so many slots, of which those of an edge belong together.
pub(crate) fn order(order: Order, slots: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let declared: Vec<usize> = (0..slots).collect();
    match order {
        Order::Declared => declared,
        Order::Force => force(declared, edges),
    }
}

fn force(mut now: Vec<usize>, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut best = (span(&now, edges), now.clone());
    let ends: usize = edges.iter().map(Vec::len).sum();
    for _ in 0..ROUNDS.min(MOST_ENDS / ends.max(1)) {
        now = pulled(&now, edges);
        let spans = span(&now, edges);
        if spans >= best.0 {
            break;
        }
        best = (spans, now.clone());
    }
    best.1
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, slot)| places[*slot] = place);
    places
}

/// How far the edges reach, all together.
fn span(order: &[usize], edges: &[Vec<usize>]) -> usize {
    let places = places(order);
    let reach = |edge: &Vec<usize>| {
        checkpoint();
        let all = || edge.iter().map(|slot| places[*slot]);
        all().max().unwrap_or(0) - all().min().unwrap_or(0)
    };
    edges.iter().map(reach).sum()
}

fn pulled(order: &[usize], edges: &[Vec<usize>]) -> Vec<usize> {
    let places = places(order);
    let mut pulls = vec![(0.0, 0.0); order.len()];
    for edge in edges.iter().filter(|edge| !edge.is_empty()) {
        checkpoint();
        let sum: usize = edge.iter().map(|slot| places[*slot]).sum();
        let centre = sum as f64 / edge.len() as f64;
        for slot in edge {
            pulls[*slot].0 += centre;
            pulls[*slot].1 += 1.0;
        }
    }
    let place = |slot: &usize| match pulls[*slot] {
        (_, 0.0) => places[*slot] as f64,
        (sum, count) => sum / count,
    };
    let mut pulled = order.to_vec();
    pulled.sort_by(|a, b| place(a).total_cmp(&place(b)));
    pulled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_brings_together_what_belongs_together() {
        // A ring whose neighbours are declared far from each other.
        let edges: Vec<Vec<usize>> = (0..8).map(|i| vec![i, i + 8]).collect();
        let found = order(Order::Force, 16, &edges);
        assert!(span(&found, &edges) <= 8 * 2, "{found:?}");
        let mut all = found;
        all.sort_unstable();
        assert_eq!(all, (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn an_order_that_is_best_is_kept() {
        let edges: Vec<Vec<usize>> = (0..7).map(|i| vec![i, i + 1]).collect();
        assert_eq!(order(Order::Force, 8, &edges), (0..8).collect::<Vec<_>>());
    }
}
