//! States told apart by how far they are from labels.
//!
//! Algorithm 3 spends its bound on bisimulation, bucket by bucket: states differ when
//! their next steps do. But a composed process matters to the others by *when* it
//! can take part in their labels. So before that, states of equal distance to the error
//! are told apart by their distances to the labels that other processes take part in:
//!
//! ```text
//! for the open labels a, those first that happen nearest the error (section 6's r):
//!     d_a(q) := the distance of q to a state with an a-step
//!     R* := {(q, q') ∈ ∼ | d_a(q) = d_a(q')};  if that makes at most N classes:  ∼ := R*
//! ```
//!
//! What is left of the bound goes to bisimulation. It is the paper's own first
//! priority, to keep distances, for the errors that the process will have when it is
//! composed with others. In arbiter trees of height k these distances make a number of
//! classes that grows with about the square of k, bisimulation one that grows
//! exponentially. It is no gain everywhere: where many labels compete for the bound,
//! bisimulation can be the better use of it.

use homing_core::Cost;

use super::distance::Backwards;
use super::product::{NONE, Product};
use crate::hashing::FixedMap;

/// The most labels that distances are computed for.
const MOST_LABELS: usize = 16;

/// Refines classes, which are numbered by their distances, to at most `bound`.
pub(crate) fn by_labels(
    process: &Product,
    distances: &[Cost],
    mut class: Vec<u32>,
    bound: u32,
) -> Vec<u32> {
    let buckets = class.clone();
    let backwards = Backwards::new(class.len(), process.all_edges());
    for label in nearest(process, distances, &class) {
        homing_budget::checkpoint();
        let starts = |state: u32| {
            let leads = |(l, to): &(u32, u32)| *l == label && class[*to as usize] != NONE;
            process.edges(state).iter().any(leads)
        };
        let starts: Vec<bool> = (0..class.len() as u32).map(starts).collect();
        let to_label = backwards.distances(&starts);
        let (finer, count) = combine(&class, &to_label);
        if count <= bound {
            class = finer;
        }
    }
    in_order(&buckets, &class)
}

/// The open labels that happen nearest the error, nearest first.
fn nearest(process: &Product, distances: &[Cost], class: &[u32]) -> Vec<u32> {
    let mut least = vec![Cost::MAX; process.labels.len()];
    for (_, label, to) in process.steps().filter(|(.., to)| class[*to as usize] != NONE) {
        let least = &mut least[label as usize];
        *least = (*least).min(distances[to as usize]);
    }
    let happens = (0..process.labels.len() as u32)
        .filter(|l| !process.labels[*l as usize].internal && least[*l as usize] != Cost::MAX);
    let mut open: Vec<(Cost, u32)> = happens.map(|l| (least[l as usize], l)).collect();
    open.sort_unstable();
    open.truncate(MOST_LABELS);
    open.into_iter().map(|(_, label)| label).collect()
}

/// Classes of equal class and distance, and how many there are.
fn combine(class: &[u32], distance: &[Cost]) -> (Vec<u32>, u32) {
    let mut numbers: FixedMap<(u32, Cost), u32> = FixedMap::default();
    let number = |(class, distance): (&u32, &Cost)| {
        if *class == NONE {
            return NONE;
        }
        let next = numbers.len() as u32;
        *numbers.entry((*class, *distance)).or_insert(next)
    };
    let finer = class.iter().zip(distance).map(number).collect();
    (finer, numbers.len() as u32)
}

/// The classes renumbered, those of the first buckets first.
fn in_order(buckets: &[u32], class: &[u32]) -> Vec<u32> {
    let both = buckets.iter().zip(class).filter(|(_, class)| **class != NONE);
    let mut order: Vec<(u32, u32)> = both.map(|(bucket, class)| (*bucket, *class)).collect();
    order.sort_unstable();
    order.dedup();
    let mut places = vec![NONE; order.len()];
    for ((_, class), place) in order.iter().zip(0..) {
        places[*class as usize] = place;
    }
    class.iter().map(|c| if *c == NONE { NONE } else { places[*c as usize] }).collect()
}
