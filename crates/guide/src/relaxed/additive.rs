//! h^add, the costs of the goal's conditions added up, and h^FF, the cost of a
//! relaxed trace made of the cheapest supporters.
//!
//! Bonet, Geffner, "Planning as heuristic search" (Artificial Intelligence
//! 129, 2001); Hoffmann, Nebel, "The FF planning system" (2001), with
//! supporters by h^add as Keyder, Geffner, "Heuristics for planning with action
//! costs revisited" (ECAI 2008). Costs are found in order by Knuth's
//! generalisation of Dijkstra's algorithm (1977), as Liu, Koenig, Furcy (2002)
//! propose.
//!
//! ```text
//! Explore(s):
//!   cost(c) := 0 for the conditions that s satisfies, ∞ for all others
//!   open := those conditions;  every rule watches one of its preconditions
//!   while there is c in open, one of least cost, less than that of a disjunct of the goal
//!         whose conditions were all taken from open:
//!     take c from open
//!     for every rule r that watches c:
//!       if cost(c') > cost(c) for some c' in pre(r): r watches c'
//!       else: d := cost(r) + Σ cost(c') over pre(r)
//!         for c' in adds(r): if d < cost(c'): cost(c') := d; supporter(c') := r; open c'
//! h^add(s) := the least Σ cost(c) over the conditions of a disjunct of the goal
//! h^FF(s)  := Σ cost(a) over the steps a of the trace of supporters of that disjunct
//! ```
//!
//! A condition on a set of values costs what the cheapest of its values costs:
//! so the values are those of the task in which every combination of values is
//! an operator of its own, which is what Fast Downward is given.
//!
//! Deviations: an operator with effects on conditions, or one case of a step
//! among several, is a rule for each; rules of one label whose preconditions
//! cost the same are one step of the trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use homing_core::catalogue::{Capability, Job, Kind, Row, Use};
use homing_core::{Cost, Word};

use super::reached::{Explore, NEVER, NONE, Reached};
use super::task::Task;
use super::{Measure, Relaxed};
use crate::EstimateBuilder;
use crate::costs::GREATEST;

pub(crate) const ADD: Row<EstimateBuilder> = Row {
    name: "hadd",
    kind: Kind::Estimate,
    about: "the costs of all values the goal asks for, added up, if variables kept their values",
    cite: "Bonet, Geffner 2001",
    parameters: &[],
    needs: &[],
    gives: &[Capability::LeavesOut, Capability::Helpful],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(Relaxed::of(goal, Measure::Sum)?))
    },
};

pub(crate) const FF: Row<EstimateBuilder> = Row {
    name: "hff",
    kind: Kind::Estimate,
    about: "the cost of a trace of cheapest supporters if variables kept all their values (h^FF)",
    cite: "Hoffmann, Nebel 2001; Keyder, Geffner 2008",
    parameters: &[],
    needs: &[],
    gives: &[Capability::LeavesOut, Capability::Helpful],
    uses: &[Use::new(Job::FindState, 2, "greedy(hff, prefer=useless)")],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(Relaxed::of(goal, Measure::Supporters)?))
    },
};

/// An exploration in the order of costs.
#[derive(Debug)]
pub(super) struct Additive {
    reached: Reached,
    open: Queue,
}

impl Explore for Additive {
    fn new(task: &Task) -> Additive {
        Additive { reached: Reached::new(task), open: Queue::default() }
    }

    fn step(task: &Task, rule: u32) -> Cost {
        task.costs[rule as usize]
    }

    fn run(&mut self, task: &Task, state: &[Word], without: Option<u32>) -> Option<Cost> {
        self.reached.reset(task, without);
        self.open.clear();
        if task.trivial {
            return Some(0);
        }
        for read in &task.reads {
            for condition in task.facts.get(read.fact(state)) {
                self.satisfy(*condition, 0, NONE);
            }
        }
        task.free.iter().for_each(|rule| self.apply(task, *rule, 0));
        self.by_cost(task)
    }

    fn reached(&self) -> &Reached {
        &self.reached
    }

    fn bytes(&self) -> usize {
        self.reached.bytes() + self.open.bytes()
    }
}

impl Additive {
    fn by_cost(&mut self, task: &Task) -> Option<Cost> {
        let mut best = NEVER;
        while let Some((condition, cost)) = self.open.pop() {
            if cost >= best {
                break;
            }
            if self.reached.costs[condition as usize] < cost {
                continue;
            }
            self.reached.order.push(condition);
            if condition < task.goal_conditions {
                best = self.completes(task, condition, best);
            }
            self.wake_all(task, condition, cost);
        }
        (best != NEVER).then_some(best)
    }

    /// Counts the condition for the goal. What the cheapest disjunct costs that
    /// is satisfied.
    fn completes(&mut self, task: &Task, condition: u32, mut best: Cost) -> Cost {
        let mut goal = self.reached.goal;
        self.reached.count(task, condition, |costs, complete| {
            let all = task.goals.get(complete).iter().map(|id| costs[*id as usize]);
            let sum = all.fold(0, add);
            if sum < best {
                (best, goal) = (sum, complete);
            }
        });
        self.reached.goal = goal;
        best
    }

    /// Wakes the rules that watch `condition`.
    fn wake_all(&mut self, task: &Task, condition: u32, cost: Cost) {
        for rule in task.watched.get(condition) {
            self.wake(task, *rule, cost);
        }
        let mut rule = self.reached.watching[condition as usize];
        while rule != NONE {
            let next = self.reached.next[rule as usize];
            self.wake(task, rule, cost);
            rule = next;
        }
    }

    #[inline]
    fn wake(&mut self, task: &Task, rule: u32, now: Cost) {
        if let Some(sum) = self.reached.wake(task, rule, now, add) {
            self.apply(task, rule, sum);
        }
    }

    /// Adds what `rule` adds; its preconditions cost `sum`.
    #[inline]
    fn apply(&mut self, task: &Task, rule: u32, sum: Cost) {
        if self.reached.leaves_out(task, rule) {
            return;
        }
        let cost = add(sum, task.costs[rule as usize]);
        for condition in task.adds.get(rule) {
            if cost < self.reached.costs[*condition as usize] {
                self.satisfy(*condition, cost, rule);
                for implied in task.implied.get(*condition) {
                    if cost < self.reached.costs[*implied as usize] {
                        self.satisfy(*implied, cost, rule);
                    }
                }
            }
        }
    }

    #[inline]
    fn satisfy(&mut self, condition: u32, cost: Cost, by: u32) {
        self.reached.costs[condition as usize] = cost;
        self.reached.achievers[condition as usize] = by;
        self.open.push(condition, cost);
    }
}

/// The sum, of conditions that are satisfied.
fn add(one: Cost, other: Cost) -> Cost {
    one.saturating_add(other).min(GREATEST)
}

/// Conditions by cost, those of equal cost in the order they came: lists for
/// small costs, a heap for those beyond.
#[derive(Debug, Default)]
pub(super) struct Queue {
    near: Vec<Vec<u32>>,
    /// The list and the place in it that is next.
    at: (usize, usize),
    far: BinaryHeap<Reverse<(Cost, u32, u32)>>,
    /// How many were ever put on the heap.
    count: u32,
}

/// Costs below this have lists of their own.
const NEAR: usize = 1 << 10;

impl Queue {
    pub fn clear(&mut self) {
        self.near.iter_mut().for_each(Vec::clear);
        self.far.clear();
        (self.at, self.count) = ((0, 0), 0);
    }

    #[inline]
    pub fn push(&mut self, item: u32, cost: Cost) {
        let list = cost as usize;
        if list >= NEAR {
            self.far.push(Reverse((cost, self.count, item)));
            self.count += 1;
            return;
        }
        if list >= self.near.len() {
            self.near.resize_with(list + 1, Vec::new);
        }
        self.near[list].push(item);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(u32, Cost)> {
        while let Some(list) = self.near.get(self.at.0) {
            if let Some(item) = list.get(self.at.1) {
                self.at.1 += 1;
                return Some((*item, self.at.0 as Cost));
            }
            self.at = (self.at.0 + 1, 0);
        }
        self.far.pop().map(|Reverse((cost, _, item))| (item, cost))
    }

    pub fn bytes(&self) -> usize {
        let near: usize = self.near.iter().map(|list| 4 * list.capacity()).sum();
        near + 24 * self.near.capacity() + 12 * self.far.capacity()
    }
}
