//! Random networks, explored state by state.

use std::collections::{BTreeSet, HashMap};

use homing_core::{Batch, Space, Word};
use homing_ir::flatten::SUPPORTED;
use homing_ir::random::Knobs;
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use homing_symbolic::{Encoding, Set};

/// States explored before a network is given up as too large.
const LIMIT: usize = 1_000;

/// A state as it was explored.
pub struct Explored {
    pub words: Vec<Word>,
    pub depth: usize,
    pub successors: BTreeSet<usize>,
    /// The label of every step, and where it leads.
    pub edges: Vec<(u32, usize)>,
    pub deadlock: bool,
    pub fails: bool,
    pub goal: bool,
}

/// All states, breadth first; none where there are too many.
pub fn explore(space: &CompiledSpace) -> Option<Vec<Explored>> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let new = |words: &[Word], depth: usize| Explored {
        words: words.to_vec(),
        depth,
        successors: BTreeSet::new(),
        edges: Vec::new(),
        deadlock: false,
        fails: false,
        goal: false,
    };
    let mut known = HashMap::from([(batch.state(0).to_vec(), 0)]);
    let mut all = vec![new(batch.state(0), 0)];
    let mut at = 0;
    while at < all.len() {
        let words = all[at].words.clone();
        all[at].goal = expander.violated(&words) & 1 == 1;
        batch.clear();
        expander.expand(&words, &mut batch);
        (all[at].deadlock, all[at].fails) = (batch.deadlock(), !batch.faults().is_empty());
        for i in 0..batch.len() {
            let number = *known.entry(batch.state(i).to_vec()).or_insert(all.len());
            if number == all.len() {
                let depth = all[at].depth + 1;
                all.push(new(batch.state(i), depth));
            }
            all[at].successors.insert(number);
            all[at].edges.push((batch.edge(i).label, number));
        }
        at += 1;
        if all.len() > LIMIT {
            return None;
        }
    }
    Some(all)
}

/// The states of a set, by their numbers.
pub fn members(
    encoding: &Encoding,
    space: &CompiledSpace,
    all: &[Explored],
    set: &Set,
) -> BTreeSet<usize> {
    let fields = &space.layout().fields;
    let within = |words: &[Word]| encoding.contains(set, |slot| fields[slot.index()].get(words));
    (0..all.len()).filter(|number| within(&all[*number].words)).collect()
}

/// Everything that systems express, either with run-time errors or with channels as values.
pub fn knobs(faults: bool) -> Knobs {
    let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
    let features = SUPPORTED.iter().copied();
    let features: Vec<Feature> =
        features.filter(|one| *one != Feature::Loops && *one != left_out).collect();
    Knobs { faults, ..Knobs::with(&features) }
}
