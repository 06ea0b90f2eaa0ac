//! BDDA*: A* whose open list is one diagram.
//!
//! Reffel, Edelkamp, "Error Detection with Directed Symbolic Model Checking" (FM 1999),
//! Fig. 1; first in Edelkamp, Reffel, "OBDDs in Heuristic Search" (KI 1998).
//!
//! ```text
//! Visited(s) := false
//! Open(f, s) := Start(s) and Heuristic(f, s)
//! while Open is not empty:
//!   fmin, Min(s), Open := what of Open has the least costs, and Open without that
//!   if Min meets Goal: return the error
//!   Succ(f, s) := exists s', h, h': Heuristic(h, s) and Heuristic(h', s') and Min(s')
//!                 and Trans(s', s) and f = fmin - h' + 1 + h
//!   Visited := Visited or Min
//!   Open := (Open or Succ) and not Visited
//! return "Complete exploration"
//! ```
//! The bits of `f` are the first in the order of variables, so the least costs are found in
//! one traversal, from the root to the first bit of a state.
//!
//! **Deviations.** The goal is tested on Min. The paper tests it on Open, which may find a
//! way that is not shortest: `Test::Open` does so; `tests/directed.rs` shows a system where
//! it is longer. With a weight `w` costs are `g + w h`, so `f = fmin - w h' + 1 + w h`.
//! Costs are bounded by the bits there are for them; what would cost more is cut, and the
//! search says so. Without Visited, which the paper found better on its ring, the search
//! need not end where there is no error.
//!
//! The counterexample is found backwards. A state that was expanded with costs `f` is
//! `f - w h` steps from the initial one, so what was expanded is kept by that number, and
//! images backwards lead from one to the next.

use homing_budget::Stop;

use crate::bits::{Arithmetic, Bits};
use crate::diagram::{Made, Set};
use crate::encode::COST_PAIRS;
use crate::estimate::{Estimate, Make};
use crate::reach::{Corridor, Outcome, Search, Sought, Told, Which};
use crate::steps::Steps;

/// Bits of a cost.
const BITS: u32 = COST_PAIRS / 4;

/// Where the goal is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Test {
    /// Among the states that are expanded next.
    #[default]
    Min,
    /// Among all that are known.
    Open,
}

/// How the search goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What the estimate is multiplied by: 1 for shortest ways.
    pub weight: u64,
    /// Whether states that were expanded are never expanded again.
    pub visited: bool,
    /// Where the goal is looked for.
    pub test: Test,
}

impl Default for Options {
    fn default() -> Options {
        Options { weight: 1, visited: true, test: Test::Min }
    }
}

/// Searches for all that is sought, one after the other, each by the estimate that is made
/// for it.
pub fn bdda_star(
    steps: &Steps,
    sought: &Sought,
    options: Options,
    estimate: &Make,
    told: &mut Told,
) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = each(&mut search, options, estimate, told).err();
    search.outcome
}

fn each(search: &mut Search, options: Options, make: &Make, told: &mut Told) -> Made<()> {
    for which in search.open() {
        let (goal, estimate) = search.estimate(which, make)?;
        search.outcome.reached = search.steps.encoding().diagrams().constant(false);
        let mut star = Star::new(search.steps, &estimate, options)?;
        star.run(search, (which, &goal), told)?;
    }
    Ok(())
}

/// A search under way.
struct Star<'r, 'e, 's> {
    steps: &'r Steps<'e, 's>,
    options: Options,
    layers: &'r [Set],
    /// Where the number in the bits of `h'` is the estimate, weighted.
    before: Set,
    /// Where the number in the bits of `h` is.
    after: Set,
    costs: Set,
    open: Set,
    /// By the number of steps from the initial state, what was expanded.
    expanded: Vec<Set>,
}

/// The levels of the bits of `f`, `h'` and `h`, the most significant first. Those of equal
/// weight stand together, so that sums are small.
fn levels(number: u32) -> Vec<u32> {
    (0..BITS).map(|bit| 2 * (3 * bit + number)).collect()
}

impl<'r, 'e, 's> Star<'r, 'e, 's> {
    fn new(steps: &'r Steps<'e, 's>, estimate: &'r Estimate, options: Options) -> Made<Self> {
        let d = steps.encoding().diagrams();
        let none = d.constant(false);
        let layers = estimate.layers();
        let [open, before, after, costs] = [(); 4].map(|()| none.clone());
        let expanded = Vec::new();
        let mut star = Star { steps, options, layers, before, after, costs, open, expanded };
        star.before = star.weighted(1)?;
        star.after = star.weighted(2)?;
        let start = d.and(steps.encoding().initial(), &star.weighted(0)?)?;
        star.open = start;
        star.costs = d.and(&d.cube(&levels(1))?, &d.cube(&levels(2))?)?;
        Ok(star)
    }

    /// A number of costs.
    fn number(&self, number: u32) -> Made<Bits> {
        let d = self.steps.encoding().diagrams();
        let bits = levels(number).into_iter().rev().map(|level| d.variable(level));
        Ok(Arithmetic(d).unsigned(bits.collect::<Made<_>>()?))
    }

    /// Where this number is the estimate of the state, weighted: `Heuristic(h, s)`.
    fn weighted(&self, number: u32) -> Made<Set> {
        let d = self.steps.encoding().diagrams();
        let (n, bits) = (Arithmetic(d), self.number(number)?);
        let mut all = d.constant(false);
        for (value, layer) in (0..).zip(self.layers) {
            let weighted = n.constant(value * self.options.weight as i64);
            let here = d.and(&n.equal(&bits, &weighted)?, layer)?;
            all = d.or(&all, &here)?;
        }
        Ok(all)
    }

    /// Where `f = fmin - h' + 1 + h`.
    fn sum(&self, least: u64) -> Made<Set> {
        let n = Arithmetic(self.steps.encoding().diagrams());
        let (f, before, after) = (self.number(0)?, self.number(1)?, self.number(2)?);
        let left = n.add(&f, &before)?;
        n.equal(&left, &n.add(&after, &n.constant(least as i64 + 1))?)
    }

    fn run(&mut self, search: &mut Search, goal: (Which, &Set), told: &mut Told) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        let (which, goal) = goal;
        let cost_bits = d.cube(&levels(0))?;
        while !self.open.is_empty() {
            if self.options.test == Test::Open {
                let known = d.exists(&self.open, &cost_bits)?;
                if !d.and(&known, goal)?.is_empty() {
                    let corridor = self.known_way(goal)?;
                    search.outcome.found.push((which, corridor));
                    return Ok(());
                }
            }
            let (least, min, rest) = d.least(&self.open, &levels(0))?;
            self.open = rest;
            let depth = self.note(least, &min)?;
            search.outcome.reached = d.or(&search.outcome.reached, &min)?;
            search.outcome.layers.push(min.clone());
            search.note_failing(&min)?;
            search.outcome.progress.depth = depth as u32;
            let hit = d.and(&min, goal)?;
            if !hit.is_empty() {
                let corridor = self.way(&hit)?;
                search.outcome.found.push((which, corridor));
                search.tell(&min, told)?;
                return Ok(());
            }
            search.tell(&min, told)?;
            self.expand(least, &min, &search.outcome.reached)?;
        }
        Ok(())
    }

    /// Keeps what is expanded by its distance; answers with the least of these.
    fn note(&mut self, least: u64, min: &Set) -> Made<usize> {
        let d = self.steps.encoding().diagrams();
        let mut nearest = usize::MAX;
        for (value, layer) in (0..).zip(self.layers) {
            let states = d.and(min, layer)?;
            let Some(steps) = least.checked_sub(self.options.weight * value) else { continue };
            if states.is_empty() {
                continue;
            }
            let steps = steps as usize;
            nearest = nearest.min(steps);
            while self.expanded.len() <= steps {
                self.expanded.push(d.constant(false));
            }
            self.expanded[steps] = d.or(&self.expanded[steps], &states)?;
        }
        Ok(nearest)
    }

    /// Adds the successors of `min` to the open states.
    fn expand(&mut self, least: u64, min: &Set, visited: &Set) -> Made<()> {
        let d = self.steps.encoding().diagrams();
        let highest = (self.layers.len() as u64).saturating_mul(self.options.weight);
        if least.saturating_add(highest) + 1 >= 1 << BITS {
            return Err(Stop::Memory);
        }
        let valued = d.and(min, &self.before)?;
        let image = d.and(&self.steps.next(&valued)?, &self.after)?;
        let new = d.and_exists(&image, &self.sum(least)?, &self.costs)?;
        self.open = d.or(&self.open, &new)?;
        if self.options.visited {
            self.open = d.minus(&self.open, visited)?;
        }
        Ok(())
    }

    /// The way to states that were expanded: from the nearest of them backwards.
    fn way(&self, hit: &Set) -> Made<Corridor> {
        let d = self.steps.encoding().diagrams();
        for (steps, set) in self.expanded.iter().enumerate() {
            let last = d.and(hit, set)?;
            if !last.is_empty() {
                return self.back(last, steps);
            }
        }
        Ok(Corridor::new())
    }

    fn back(&self, last: Set, steps: usize) -> Made<Corridor> {
        let d = self.steps.encoding().diagrams();
        let mut corridor = vec![last];
        for set in self.expanded[..steps].iter().rev() {
            let before = self.steps.previous(&corridor[corridor.len() - 1])?;
            corridor.push(d.and(&before, set)?);
        }
        corridor.reverse();
        Ok(corridor)
    }

    /// The way to goal states that are open: as the costs of the cheapest say.
    fn known_way(&self, goal: &Set) -> Made<Corridor> {
        let d = self.steps.encoding().diagrams();
        let open = d.and(&self.open, goal)?;
        let (least, last, _) = d.least(&open, &levels(0))?;
        for (value, layer) in (0..).zip(self.layers) {
            let here = d.and(&last, layer)?;
            if let (false, Some(steps)) =
                (here.is_empty(), least.checked_sub(self.options.weight * value))
            {
                return self.back(here, steps as usize);
            }
        }
        Ok(Corridor::new())
    }
}
