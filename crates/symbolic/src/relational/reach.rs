//! What can be reached: breadth first, forward and backward.
//!
//! ```text
//! forward:  layers 0, 1, …: the initial moments, then what is new after the layer before
//! backward: layers 0, 1, …: what is looked for, then what is new before
//! ```
//! Each layer is an onion ring: a way to it is found by a step from ring to ring.
//!
//! (Burch, Clarke, McMillan, Dill, Hwang, "Symbolic Model Checking: 10^20 States and Beyond",
//! 1992.)

use super::Moments;
use crate::diagram::{Made, Set};
use crate::reach::{Progress, Told};

/// What was reached.
pub struct Reached {
    /// All of it.
    pub all: Set,
    /// The rings, from where it began.
    pub layers: Vec<Set>,
    /// Moments in which a term has no value that matters there.
    pub fails: bool,
    /// How far it came.
    pub progress: Progress,
}

impl Reached {
    fn new(moments: &Moments) -> Reached {
        let none = moments.diagrams().constant(false);
        Reached { all: none, layers: Vec::new(), fails: false, progress: Progress::default() }
    }

    fn add(&mut self, moments: &Moments, layer: &Set, told: &mut Told) -> Made<()> {
        let d = moments.diagrams();
        let progress = &mut self.progress;
        progress.depth = self.layers.len() as u32;
        self.all = d.or(&self.all, layer)?;
        self.layers.push(layer.clone());
        progress.iterations += 1;
        (progress.nodes, progress.bytes) = (d.nodes(), d.bytes());
        progress.frontier = moments.count(layer)?;
        progress.states = progress.states.saturating_add(progress.frontier);
        told(progress)
    }
}

/// Searches from the initial moments, until `enough` says so of a layer.
pub fn forward(
    moments: &Moments,
    enough: &mut dyn FnMut(&Set, usize) -> Made<bool>,
    told: &mut Told,
) -> Made<Reached> {
    let d = moments.diagrams();
    let failing = Failing::new(moments)?;
    let mut reached = Reached::new(moments);
    reached.fails = !moments.machine().fails[0].is_empty();
    let mut layer = moments.initial().clone();
    while !layer.is_empty() {
        reached.add(moments, &layer, told)?;
        reached.fails |= failing.in_moments(moments, &layer)?;
        if enough(&layer, reached.layers.len() - 1)? {
            break;
        }
        let image = moments.image(&layer)?;
        reached.fails |= !d.and(&image, &failing.admitted)?.is_empty();
        layer = d.minus(&d.and(&image, moments.space())?, &reached.all)?;
    }
    Ok(reached)
}

/// Searches backward from some moments, until initial ones are reached.
pub fn backward(moments: &Moments, from: &Set, told: &mut Told) -> Made<Reached> {
    let d = moments.diagrams();
    let mut reached = Reached::new(moments);
    let mut layer = d.and(from, moments.space())?;
    while !layer.is_empty() {
        reached.add(moments, &layer, told)?;
        if !d.and(&layer, moments.initial())?.is_empty() {
            break;
        }
        layer = d.minus(&moments.pre(&layer)?, &reached.all)?;
    }
    Ok(reached)
}

/// Where terms have no value.
struct Failing {
    /// States, of which nothing else is known.
    admitted: Set,
    /// States that constraints allow.
    others: Set,
}

impl Failing {
    fn new(moments: &Moments) -> Made<Failing> {
        let (machine, d) = (moments.machine(), moments.diagrams());
        let inputs: Vec<u32> = machine.passing.union(&machine.kept).copied().collect();
        let inputs = d.cube(&inputs)?;
        let mut others = machine.fails[2].clone();
        let pairs = machine.compassion.iter().flat_map(|(asked, granted)| [asked, granted]);
        for one in machine.asked.iter().chain(&machine.justice).chain(pairs) {
            others = d.or(&others, &one.fails)?;
        }
        for part in &machine.admitted {
            others = d.and(&others, part)?;
        }
        let admitted = d.exists(&machine.fails[1], &inputs)?;
        Ok(Failing { admitted, others: d.exists(&others, &inputs)? })
    }

    fn in_moments(&self, moments: &Moments, layer: &Set) -> Made<bool> {
        Ok(!moments.diagrams().and(layer, &self.others)?.is_empty())
    }
}
