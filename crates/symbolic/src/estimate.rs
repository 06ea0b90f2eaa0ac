//! The estimate that is inferred from a goal and the next-state functions.
//!
//! Reffel, Edelkamp, "Error Detection with Directed Symbolic Model Checking" (FM 1999),
//! section 5. `Heu` of a bit is how many transitions it takes at least until the bit has a
//! value; of a formula, the least over its satisfying assignments of the most over the bits:
//!
//! ```text
//! Heu(f)(s)       = min over assignments x with f(x) of max over bits i of Heu(i = x_i)(s)
//! Heu(i = b)(s)   = 0 where bit i of s is b, else
//!                   1 + min over moves that make it b of Heu(where they do so)(s)
//! refinement depth 0: Heu(i = b)(s) = 0 where bit i of s is b, else 1
//! ```
//! This is the rule for general functions below Table 1, of which Tables 1 and 2 are what
//! comes of it for two arguments, with all transitions of a system for the "possibility to
//! change its value".
//!
//! As sets: `within(f, n)`, where `Heu(f)` is at most `n`, is `f` with each literal replaced
//! by where it takes at most `n` ([`Diagrams::relaxed`](crate::Diagrams)):
//!
//! ```text
//! within(i = b, 0) = where bit i is b
//! within(i = b, n) = within(i = b, n - 1) or within(where a move makes bit i b, n - 1)
//! within(i = b, depth + 1) = everything
//! ```
//! So a depth more is one layer more, and a state's estimate is the first layer it is in.
//!
//! **Deviations.** Moves may write bits of several modules; `max` stays right then, and is
//! used throughout. Where it may be replaced by a sum (goals about modules that no move
//! changes together), [`Estimate::sum`] does so for conjuncts of the goal, not within.
//! States in which control is held are none of the space, so one step may be many moves:
//! there the estimate is zero.
//!
//! Consistent, and therefore admissible: a step changes what every literal takes by at most
//! one (Theorem 2). Compared with exact distances in `tests/directed.rs`.

use std::collections::{BTreeMap, BTreeSet};

use homing_budget::checkpoint;

use crate::diagram::{Made, Set};
use crate::steps::Steps;

/// How the estimate for a goal is made.
pub type Make<'m> = dyn Fn(&Steps, &Set) -> Made<Estimate> + 'm;

/// A lower bound on distances: by value, the states that have it. From a state that has none
/// the goal is out of reach.
#[derive(Clone, Debug)]
pub struct Estimate {
    layers: Vec<Set>,
}

/// Values beyond are cut, which keeps an estimate consistent.
const MOST_LAYERS: usize = 10_000;

/// For every bit, where it takes at most so many steps until it is true, and false.
type Literals = BTreeMap<u32, (Set, Set)>;

impl Estimate {
    /// Zero everywhere.
    pub fn zero(steps: &Steps) -> Estimate {
        Estimate { layers: vec![steps.encoding().diagrams().constant(true)] }
    }

    /// An estimate by value: no state may be in two of the layers, and the goal is out of
    /// reach from states in none.
    pub fn given(layers: Vec<Set>) -> Estimate {
        Estimate { layers }
    }

    /// The estimate inferred for a goal, to this refinement depth.
    pub fn inferred(steps: &Steps, goal: &Set, depth: u32) -> Made<Estimate> {
        if steps.has_control() {
            return Ok(Estimate::zero(steps));
        }
        let within = Inference::new(steps, goal, depth)?.within(goal)?;
        Estimate::of(steps, within)
    }

    /// The estimate whose value is at most `n` in the set with this number, at most their
    /// number elsewhere.
    fn of(steps: &Steps, within: Vec<Set>) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let mut below = d.constant(false);
        let mut layers = Vec::new();
        for set in within.into_iter().chain([d.constant(true)]) {
            layers.push(d.minus(&set, &below)?);
            below = d.or(&below, &set)?;
        }
        Ok(Estimate { layers })
    }

    /// The estimate for the conjunction of goals about different modules: groups of which no
    /// move writes what two of them depend on, at any depth, add up; within a group the most
    /// counts.
    pub fn sum(steps: &Steps, goals: &[Set], depth: u32) -> Made<Estimate> {
        if steps.has_control() {
            return Ok(Estimate::zero(steps));
        }
        let d = steps.encoding().diagrams();
        let mut groups: Vec<(BTreeSet<u32>, Vec<Set>)> = Vec::new();
        for goal in goals {
            let inference = Inference::new(steps, goal, depth)?;
            let (mut bits, mut within) = (inference.bits.clone(), inference.within(goal)?);
            let (apart, together): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|(other, _)| !steps.writes_both(&bits, other));
            groups = apart;
            for (other, sets) in together {
                bits.extend(other);
                for (mine, theirs) in within.iter_mut().zip(sets) {
                    *mine = d.and(mine, &theirs)?;
                }
            }
            groups.push((bits, within));
        }
        let mut all = Estimate::zero(steps);
        for (_, within) in groups {
            all = all.plus(steps, &Estimate::of(steps, within)?)?;
        }
        Ok(all)
    }

    /// The same for a goal, taken apart into the bits that it fixes and the rest.
    pub fn summed(steps: &Steps, goal: &Set, depth: u32) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let (mut goals, mut fixed) = (Vec::new(), Vec::new());
        for level in d.support(goal) {
            let yes = d.variable(level)?;
            for literal in [d.not(&yes), yes] {
                if d.minus(goal, &literal)?.is_empty() {
                    goals.push(literal);
                    fixed.push(level);
                }
            }
        }
        goals.push(d.exists(goal, &d.cube(&fixed)?)?);
        Estimate::sum(steps, &goals, depth)
    }

    /// The same where dead ends, too, have a value, one more than all others: for searches that
    /// must see them.
    pub fn whole(mut self, steps: &Steps) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let mut dead = steps.encoding().valid().clone();
        for layer in &self.layers {
            dead = d.minus(&dead, layer)?;
        }
        if !dead.is_empty() {
            self.layers.push(dead);
        }
        Ok(self)
    }

    /// The estimate times a number, in as many layers as that takes.
    pub fn times(&self, steps: &Steps, by: usize) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let most = (self.layers.len() - 1).saturating_mul(by).min(MOST_LAYERS);
        let mut layers = vec![d.constant(false); most + 1];
        for (value, layer) in self.layers.iter().enumerate() {
            let value = value.saturating_mul(by).min(most);
            layers[value] = d.or(&layers[value], layer)?;
        }
        Ok(Estimate { layers })
    }

    /// The greater of two estimates of the same goal.
    pub fn max(&self, steps: &Steps, other: &Estimate) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let mut layers = vec![d.constant(false); self.layers.len().max(other.layers.len())];
        for (one, mine) in self.layers.iter().enumerate() {
            for (another, theirs) in other.layers.iter().enumerate() {
                let (value, both) = (one.max(another), d.and(mine, theirs)?);
                layers[value] = d.or(&layers[value], &both)?;
            }
        }
        Ok(Estimate { layers })
    }

    fn plus(&self, steps: &Steps, other: &Estimate) -> Made<Estimate> {
        let d = steps.encoding().diagrams();
        let mut layers = vec![d.constant(false); self.layers.len() + other.layers.len() - 1];
        for (value, one) in self.layers.iter().enumerate() {
            for (more, another) in other.layers.iter().enumerate() {
                let both = d.and(one, another)?;
                layers[value + more] = d.or(&layers[value + more], &both)?;
            }
        }
        Ok(Estimate { layers })
    }

    /// By value, the states that have it.
    pub fn layers(&self) -> &[Set] {
        &self.layers
    }

    /// The nodes it takes.
    pub fn size(&self, steps: &Steps) -> usize {
        steps.encoding().diagrams().size_of_all(&self.layers)
    }
}

/// What an estimate is inferred from.
struct Inference<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    depth: u32,
    /// The bits that matter to the goal, at any depth.
    bits: BTreeSet<u32>,
    /// Where some move makes a bit true, and false.
    causes: Literals,
}

impl<'r, 'e, 's> Inference<'r, 'e, 's> {
    fn new(steps: &'r Steps<'e, 's>, goal: &Set, depth: u32) -> Made<Self> {
        let d = steps.encoding().diagrams();
        let (mut bits, mut causes) = (d.support(goal), Literals::new());
        let mut new: Vec<u32> = bits.iter().copied().collect();
        for _ in 0..depth {
            let mut support = BTreeSet::new();
            for bit in new {
                checkpoint();
                let (yes, no) = (steps.causes(bit, true)?, steps.causes(bit, false)?);
                support.extend(d.support(&yes));
                support.extend(d.support(&no));
                causes.insert(bit, (yes, no));
            }
            new = support.difference(&bits).copied().collect();
            bits.extend(support);
        }
        Ok(Inference { steps, depth, bits, causes })
    }

    /// Where a goal takes at most so many steps, by their number, up to the depth.
    fn within(&self, goal: &Set) -> Made<Vec<Set>> {
        let d = self.steps.encoding().diagrams();
        let mut literals = Literals::new();
        for bit in &self.bits {
            let yes = d.variable(*bit)?;
            let no = d.not(&yes);
            literals.insert(*bit, (yes, no));
        }
        let mut within = vec![d.relaxed(goal, &literals)?];
        for _ in 0..self.depth {
            let mut next = literals.clone();
            for (bit, (yes, no)) in &self.causes {
                let (made_yes, made_no) = (d.relaxed(yes, &literals)?, d.relaxed(no, &literals)?);
                if let Some((yes, no)) = next.get_mut(bit) {
                    *yes = d.or(yes, &made_yes)?;
                    *no = d.or(no, &made_no)?;
                }
            }
            // A bit whose causes are beyond the depth may have any value from now on.
            for (bit, literal) in &mut next {
                if !self.causes.contains_key(bit) {
                    *literal = (d.constant(true), d.constant(true));
                }
            }
            literals = next;
            within.push(d.relaxed(goal, &literals)?);
        }
        Ok(within)
    }
}
