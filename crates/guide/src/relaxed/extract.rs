//! The relaxed trace: steps that lead to the goal under the relaxation.
//!
//! ```text
//! Extract:
//!   need the conditions of the goal
//!   for every needed condition that the state does not satisfy, latest first:
//!     take its achiever, at the layer before; need its preconditions
//! ```
//!
//! An achiever's preconditions are satisfied before what it adds: one sweep
//! backwards in the order of exploration sees every needed condition after all
//! that need it.
//!
//! What is counted are steps: under the relaxation one step with all values at
//! once gives all results, so rules of one label taken at one layer (or cost)
//! are one step (conditional effects, cases of a guard).

use homing_core::Cost;

use super::reached::{Explore, Reached};
use super::task::Task;

/// A rule taken at a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub rule: u32,
    /// The condition that it is taken for.
    pub condition: u32,
    /// Whether this step was counted already: a rule of its label was taken at
    /// the same layer.
    pub again: bool,
}

/// The scratch memory of an extraction, and its result.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// What was taken, latest layer first.
    pub taken: Vec<Taken>,
    needed: Vec<bool>,
    /// For every label, the layer it was last taken at, plus one.
    counted: Vec<Cost>,
}

impl Trace {
    pub fn new(task: &Task, labels: u32) -> Trace {
        Trace {
            taken: Vec::with_capacity(task.conditions()),
            needed: vec![false; task.conditions()],
            counted: vec![0; labels as usize],
        }
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.needed.len() + 4 * self.counted.len() + size_of::<Taken>() * self.taken.capacity()
    }

    /// The trace of an exploration that reached the goal.
    pub fn extract<E: Explore>(&mut self, task: &Task, explored: &E) {
        for taken in self.taken.drain(..) {
            self.counted[task.labels.get(taken.rule)[0] as usize] = 0;
        }
        let reached = explored.reached();
        if reached.order.is_empty() {
            return;
        }
        let mut missing = 0;
        for condition in task.goals.get(reached.goal) {
            missing += self.need(reached, *condition);
        }
        for condition in reached.order.iter().rev() {
            if missing == 0 {
                break;
            }
            if std::mem::take(&mut self.needed[*condition as usize]) {
                missing -= 1;
                let rule = reached.achievers[*condition as usize];
                let layer = reached.costs[*condition as usize] - E::step(task, rule);
                self.take(task, *condition, layer, reached);
                for condition in task.pre.get(rule) {
                    missing += self.need(reached, *condition);
                }
            }
        }
    }

    /// Needs a condition, unless it is there from the start. How many more are
    /// needed now.
    fn need(&mut self, reached: &Reached, condition: u32) -> usize {
        let new = !reached.is_first(condition) && !self.needed[condition as usize];
        self.needed[condition as usize] |= new;
        usize::from(new)
    }

    /// Takes the achiever of a condition at a layer.
    fn take(&mut self, task: &Task, condition: u32, layer: Cost, reached: &Reached) {
        let rule = reached.achievers[condition as usize];
        let counted = &mut self.counted[task.labels.get(rule)[0] as usize];
        let again = *counted == layer + 1;
        *counted = layer + 1;
        self.taken.push(Taken { rule, condition, again });
    }
}
