//! Symbolic abstraction databases: exact distances in a projection of the system, as layers.
//!
//! Edelkamp, "External Symbolic Heuristic Search with Pattern Databases" (ICAPS 2005), and
//! Qian, Nymeyer, "Guided Invariant Model Checking Based on Abstraction and Symbolic Pattern
//! Databases" (TACAS 2004):
//!
//! ```text
//! pattern: some of the slots; all others may have any value
//! H(0) := the goal, projected onto the pattern; n := 0
//! until H(n) is empty:
//!   H(n + 1) := states with a projected step into H(n), minus H(0) to H(n)
//!   n := n + 1
//! dead ends: what is in no layer
//! ```
//! A step of the system is a step of its projection, or stays where it is, so distances there
//! are lower bounds, and consistent. Nothing is enumerated: a pattern may have very many states
//! as long as its layers have few nodes.
//!
//! **The pattern** is taken outwards from the goal: the slots that it is about, those read by
//! moves that write these, and so on, as many as fit into the bits that are allowed. In a round
//! that does not fit as a whole, slots with fewer bits are taken first.
//!
//! Where one step is several moves (control that is held), steps are projected by forgetting
//! after every image backwards, not before.

use std::collections::BTreeSet;

use crate::diagram::{Made, Set};
use crate::estimate::Estimate;
use crate::steps::{Part, Steps};

/// The most layers; all that is further away than the last but one has its value and one more.
const MOST_LAYERS: usize = 100_000;

/// The distances to a goal in a projection onto at most so many bits.
pub fn database(steps: &Steps, goal: &Set, bits: usize) -> Made<Estimate> {
    let pattern = pattern(steps, goal, bits);
    distances(steps, goal, &pattern)
}

/// The bits of a pattern around a goal, by their levels.
fn pattern(steps: &Steps, goal: &Set, most: usize) -> BTreeSet<u32> {
    let encoding = steps.encoding();
    let (mut kept, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let mut near = encoding.diagrams().support(goal);
    loop {
        let mut slots = encoding.slots_with(&near);
        slots.retain(|levels| !kept.contains(&levels[0]) && !refused.contains(&levels[0]));
        if slots.is_empty() {
            return kept;
        }
        slots.sort_by_key(Vec::len);
        for levels in slots {
            let fits = kept.len() + levels.len() <= most;
            if fits { &mut kept } else { &mut refused }.extend(levels);
        }
        near = steps.influences(&kept);
    }
}

/// Exact distances in a projection.
fn distances(steps: &Steps, goal: &Set, pattern: &BTreeSet<u32>) -> Made<Estimate> {
    let encoding = steps.encoding();
    let d = encoding.diagrams();
    let others = encoding.levels().iter().copied().filter(|level| !pattern.contains(level));
    let others = d.cube(&others.collect::<Vec<_>>())?;
    let projected = match steps.has_control() {
        true => None,
        false => Some(steps.projected(pattern)?),
    };
    let mut layer = d.exists(goal, &others)?;
    let (mut layers, mut all) = (Vec::new(), d.constant(false));
    while !layer.is_empty() && layers.len() < MOST_LAYERS {
        all = d.or(&all, &layer)?;
        layers.push(layer.clone());
        let before = before(steps, projected.as_ref(), &layer, &others)?;
        layer = d.minus(&before, &all)?;
    }
    match layer.is_empty() {
        // A goal that no state satisfies: there are dead ends only.
        true if layers.is_empty() => layers.push(layer),
        true => {}
        false => layers.push(d.not(&all)),
    }
    Ok(Estimate::given(layers))
}

fn before(steps: &Steps, projected: Option<&Part>, layer: &Set, others: &Set) -> Made<Set> {
    let d = steps.encoding().diagrams();
    match projected {
        Some(part) => steps.previous_by(part, layer),
        None => {
            let before = steps.previous(layer)?;
            d.exists(&d.and(&before, steps.encoding().valid())?, others)
        }
    }
}
