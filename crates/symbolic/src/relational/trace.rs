//! From sets to a run: one moment picked from each, and what is not in their bits added.
//!
//! ```text
//! back:   from a moment of a ring, one of those before it in the ring before
//! forth:  rings around a moment until one meets a set, and back from there
//! run:    between two moments the inputs that make the step; latches that do not matter are
//!         what the circuit makes of them
//! ```
//! A loop in which those latches are not what they were goes on until they are.

use std::collections::HashMap;

use homing_budget::checkpoint;
use homing_gates::{Leaf, Literal};
use homing_ir::relation::Run;

use super::{Machine, Moments};
use crate::diagram::{Diagrams, Made, Set};

/// A moment: the values of its bits, by level, in order.
pub type Point = Vec<(u32, bool)>;

/// Moments one after the other, and where the first comes after the last again.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The moments, one at least.
    pub points: Vec<Point>,
    /// Of a run without an end, the moment that comes after the last one.
    pub back: Option<usize>,
}

/// The most moments of a run whose loop has to go on.
const LONGEST: usize = 20_000;

/// A set with one member.
pub(super) fn single(d: &Diagrams, point: &[(u32, bool)]) -> Made<Set> {
    point.iter().rev().try_fold(d.constant(true), |below, (level, value)| {
        let variable = d.variable(*level)?;
        if *value { d.and(&variable, &below) } else { d.minus(&below, &variable) }
    })
}

impl Moments<'_> {
    /// A moment of a set that is not empty.
    pub(super) fn pick(&self, set: &Set) -> Point {
        let decided = self.diagrams().pick(set);
        let value = |level: u32| {
            let found = decided.binary_search_by_key(&level, |(level, _)| *level);
            found.is_ok_and(|at| decided[at].1)
        };
        let mut levels: Vec<u32> = self.latches.union(&self.kept).copied().collect();
        levels.sort_unstable();
        levels.into_iter().map(|level| (level, value(level))).collect()
    }

    /// A way along rings to what was found in the last.
    pub fn trail(&self, rings: &[Set], found: &Set) -> Made<Trail> {
        let points = self.back(rings, self.pick(found))?;
        Ok(Trail { points, back: None })
    }

    /// The way through rings to a moment of the last.
    pub(super) fn back(&self, rings: &[Set], last: Point) -> Made<Vec<Point>> {
        let d = self.diagrams();
        let mut points = vec![last];
        for ring in rings.iter().rev().skip(1) {
            checkpoint();
            let here = single(d, &points[points.len() - 1])?;
            points.push(self.pick(&d.and(&self.pre(&here)?, ring)?));
        }
        points.reverse();
        Ok(points)
    }

    /// The shortest way from a moment to a set, through others; without the moment itself.
    /// Of no steps only where that is allowed. None where there is no way.
    pub(super) fn forth(
        &self,
        from: &Point,
        to: &Set,
        within: &Set,
        stay: bool,
    ) -> Made<Option<Vec<Point>>> {
        let d = self.diagrams();
        let first = single(d, from)?;
        if stay && !d.and(&first, to)?.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let mut rings = vec![first];
        let mut seen = d.constant(false);
        loop {
            checkpoint();
            let ring = d.and(&self.post(&rings[rings.len() - 1])?, within)?;
            let ring = d.minus(&ring, &seen)?;
            if ring.is_empty() {
                return Ok(None);
            }
            seen = d.or(&seen, &ring)?;
            let hit = d.and(&ring, to)?;
            rings.push(ring);
            if !hit.is_empty() {
                let points = self.back(&rings, self.pick(&hit))?;
                return Ok(Some(points[1..].to_vec()));
            }
        }
    }
}

/// The values of all latches and inputs of a circuit at one moment.
#[derive(Clone)]
struct Leaves {
    latches: Vec<bool>,
    inputs: Vec<bool>,
}

impl Moments<'_> {
    /// The run along a trail; in its last moment a condition holds, where one is given. None
    /// where a loop would take too long to close.
    pub fn run(&self, trail: &Trail, last: Option<&Set>) -> Made<Option<Run>> {
        let machine = self.machine();
        let (circuit, relation) = (machine.circuit, machine.relation);
        let count = trail.points.len();
        let mut rounds: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut known: Vec<Option<Leaves>> = vec![None; count];
        let mut run = Run { moments: Vec::new(), back: None };
        let (mut at, mut latches) = (0, None);
        loop {
            checkpoint();
            let leaves = match &known[at] {
                Some(leaves) => leaves.clone(),
                None => self.leaves(trail, at, last)?,
            };
            known[at] = Some(leaves.clone());
            let latches_now = latches.take().unwrap_or_else(|| leaves.latches.clone());
            if trail.back == Some(at)
                && let Some(before) = rounds.insert(latches_now.clone(), run.moments.len())
            {
                run.back = Some(before);
                return Ok(Some(run));
            }
            let nodes = circuit.evaluate(&latches_now, &leaves.inputs);
            run.moments.push(circuit.valuation(relation, &nodes));
            let next = |literal: Literal| homing_gates::value(&nodes, literal);
            latches = Some(circuit.latches.iter().map(|latch| next(latch.next)).collect());
            at += 1;
            if at == count {
                let Some(back) = trail.back else { return Ok(Some(run)) };
                at = back;
            }
            if run.moments.len() > LONGEST.max(2 * count) {
                return Ok(None);
            }
        }
    }

    /// The latches and inputs at one moment of a trail. Of latches, those that do not matter
    /// are as they may be at the beginning.
    fn leaves(&self, trail: &Trail, at: usize, last: Option<&Set>) -> Made<Leaves> {
        let (machine, d) = (self.machine(), self.diagrams());
        let mut point = trail.points[at].clone();
        let next = if at + 1 < trail.points.len() { Some(at + 1) } else { trail.back };
        if let Some(next) = next {
            let later = trail.points[next].iter();
            let later = later.filter(|(level, _)| self.latches.contains(level));
            point.extend(later.map(|(level, value)| (level + 1, *value)));
            point.sort_unstable();
        }
        let mut set = single(d, &point)?;
        let parts: &[Set] = if next.is_some() { &self.parts } else { &[] };
        let initial: &[Set] = if at == 0 { &machine.initial } else { &[] };
        let here = machine.admitted.iter().chain(initial).chain(parts);
        for part in here.chain(last.filter(|_| next.is_none())) {
            set = d.and(&set, part)?;
        }
        Ok(machine.leaves(&d.pick(&set)))
    }
}

impl Machine<'_> {
    /// Latches and inputs from values of bits, by level; all others are false.
    fn leaves(&self, decided: &[(u32, bool)]) -> Leaves {
        let circuit = self.circuit;
        let mut leaves = Leaves {
            latches: vec![false; circuit.latches.len()],
            inputs: vec![false; circuit.inputs.len()],
        };
        for (leaf, level) in self.levels.iter().enumerate() {
            let Some(level) = level else { continue };
            let found = decided.binary_search_by_key(level, |(level, _)| *level);
            let value = found.is_ok_and(|at| decided[at].1);
            match circuit.leaf(leaf) {
                Leaf::Latch(number) => leaves.latches[number] = value,
                Leaf::Input(number) => leaves.inputs[number] = value,
            }
        }
        leaves
    }
}
