//! Layers of the relaxed exploration.
//!
//! ```text
//! Explore(s):
//!   Q_0 := conditions that s satisfies;  every rule watches one of its preconditions
//!   for i = 0, 1, …:
//!     if all conditions of a disjunct of the goal are in Q_0 ∪ … ∪ Q_i: return i
//!     if Q_i = ∅: return dead end
//!     for c in Q_i, for every rule r that watches c:
//!       if some c' in pre(r) is not in Q_0 ∪ … ∪ Q_i: r watches c'
//!       else: Q_{i+1} := Q_{i+1} ∪ (adds(r) \ (Q_0 ∪ … ∪ Q_i)); r is their achiever
//! ```
//!
//! We stop at once when the condition that completes the goal is added, in the
//! middle of a layer. Of several achievers in the same layer the least
//! difficult is kept, as FF does: that with the least sum of layers of its
//! preconditions.

use homing_core::{Cost, Word};

use super::reached::{Explore, NONE, Reached};
use super::task::Task;

/// An exploration layer by layer.
#[derive(Debug)]
pub(super) struct Exploration {
    reached: Reached,
    /// For every rule applied, the sum of the layers of its preconditions.
    difficulties: Vec<u32>,
}

impl Explore for Exploration {
    fn new(task: &Task) -> Exploration {
        Exploration { reached: Reached::new(task), difficulties: vec![0; task.rules()] }
    }

    fn step(_task: &Task, _rule: u32) -> Cost {
        1
    }

    fn run(&mut self, task: &Task, state: &[Word], without: Option<u32>) -> Option<u32> {
        self.reached.reset(task, without);
        if task.trivial || self.start(task, state) {
            return Some(0);
        }
        let first = self.reached.order.len();
        for rule in &task.free {
            if self.apply(task, *rule, 1, 0) {
                return Some(1);
            }
        }
        self.layer_by_layer(task, first)
    }

    fn reached(&self) -> &Reached {
        &self.reached
    }

    fn bytes(&self) -> usize {
        self.reached.bytes() + 4 * self.difficulties.len()
    }
}

impl Exploration {
    /// Layer 0. Whether it satisfies the goal.
    fn start(&mut self, task: &Task, state: &[Word]) -> bool {
        let mut done = false;
        for read in &task.reads {
            for condition in task.facts.get(read.fact(state)) {
                done |= self.satisfy(task, *condition, 0, NONE);
            }
        }
        done
    }

    /// `first` conditions are in layer 0.
    fn layer_by_layer(&mut self, task: &Task, first: usize) -> Option<u32> {
        let (mut at, mut end, mut layer) = (0, first, 0);
        while at < self.reached.order.len() {
            while at < end {
                let condition = self.reached.order[at];
                at += 1;
                for rule in task.watched.get(condition) {
                    if self.wake(task, *rule, layer) {
                        return Some(layer + 1);
                    }
                }
                let mut rule = self.reached.watching[condition as usize];
                while rule != NONE {
                    let next = self.reached.next[rule as usize];
                    if self.wake(task, rule, layer) {
                        return Some(layer + 1);
                    }
                    rule = next;
                }
            }
            end = self.reached.order.len();
            layer += 1;
        }
        None
    }

    /// What the rule watched is satisfied: it watches another precondition or,
    /// if there is none, applies. Whether that completes the goal.
    #[inline]
    fn wake(&mut self, task: &Task, rule: u32, layer: u32) -> bool {
        match self.reached.wake(task, rule, layer, |sum, one| sum + one) {
            Some(difficulty) => self.apply(task, rule, layer + 1, difficulty),
            None => false,
        }
    }

    /// Adds what `rule` adds to `layer`; its preconditions are as difficult as
    /// said. Whether that completes the goal.
    #[inline]
    fn apply(&mut self, task: &Task, rule: u32, layer: u32, difficulty: u32) -> bool {
        if self.reached.leaves_out(task, rule) {
            return false;
        }
        self.difficulties[rule as usize] = difficulty;
        for condition in task.adds.get(rule) {
            let known = self.reached.costs[*condition as usize];
            if known > layer {
                if self.satisfy(task, *condition, layer, rule)
                    || self.imply(task, *condition, layer, rule)
                {
                    return true;
                }
            } else if known == layer && difficulty < self.difficulty_of(*condition) {
                self.reached.achievers[*condition as usize] = rule;
            }
        }
        false
    }

    /// How difficult the achiever of `condition` is.
    fn difficulty_of(&self, condition: u32) -> u32 {
        self.difficulties[self.reached.achievers[condition as usize] as usize]
    }

    /// What is satisfied with `condition`. Whether that completes the goal.
    #[inline]
    fn imply(&mut self, task: &Task, condition: u32, layer: u32, rule: u32) -> bool {
        for implied in task.implied.get(condition) {
            if self.reached.costs[*implied as usize] > layer
                && self.satisfy(task, *implied, layer, rule)
            {
                return true;
            }
        }
        false
    }

    /// Whether `condition` completes the goal.
    #[inline]
    fn satisfy(&mut self, task: &Task, condition: u32, layer: u32, by: u32) -> bool {
        self.reached.costs[condition as usize] = layer;
        self.reached.achievers[condition as usize] = by;
        self.reached.order.push(condition);
        condition < task.goal_conditions && self.completes(task, condition)
    }

    /// Counts the condition for the goal. Whether a disjunct is satisfied.
    fn completes(&mut self, task: &Task, condition: u32) -> bool {
        let mut complete = None;
        self.reached.count(task, condition, |_, goal| complete = complete.or(Some(goal)));
        if let Some(goal) = complete {
            self.reached.goal = goal;
        }
        complete.is_some()
    }
}
