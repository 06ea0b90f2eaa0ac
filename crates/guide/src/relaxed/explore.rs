//! Layers of the relaxed exploration.
//!
//! ```text
//! Explore(s):
//!   Q_0 := conditions that s satisfies;  counter(r) := |pre(r)| for every rule r
//!   for i = 0, 1, …:
//!     if all conditions of a disjunct of the goal are in Q_0 ∪ … ∪ Q_i: return i
//!     if Q_i = ∅: return dead end
//!     for c in Q_i, for every rule r with c in pre(r):
//!       counter(r) := counter(r) - 1
//!       if counter(r) = 0: Q_{i+1} := Q_{i+1} ∪ (adds(r) \ (Q_0 ∪ … ∪ Q_i)); r is their achiever
//! ```
//!
//! The counters are those of Dowling and Gallier's linear-time test of Horn
//! formulas (1984), as the FF planner uses them.
//!
//! We stop at once when the condition that completes the goal is added, in the
//! middle of a layer. Of several achievers in the same layer the least
//! difficult is kept, as FF does: that with the least sum of layers of its
//! preconditions. The sum grows in the upper half of the counter.

use homing_core::Word;

use super::task::Task;

/// The scratch memory of an exploration, and its result.
#[derive(Debug, Default)]
pub(super) struct Exploration {
    /// For every rule, the conditions still missing and, in the upper half,
    /// the sum of the layers of the others.
    counters: Vec<u32>,
    goal_counters: Vec<u32>,
    /// For every condition, its layer.
    pub layers: Vec<u32>,
    /// For every condition beyond layer 0, the rule that added it.
    pub achievers: Vec<u32>,
    /// Conditions in the order they were satisfied, with room for one more.
    queue: Vec<u32>,
    /// How many of them there are.
    tail: usize,
    /// How many are in layer 0.
    pub first: usize,
    /// The disjunct of the goal that was satisfied.
    pub goal: u32,
}

/// No layer: not satisfied.
const NEVER: u32 = u32::MAX;

/// The half of a counter that counts.
const MISSING: u32 = 0xFFFF;

impl Exploration {
    pub fn new(task: &Task) -> Exploration {
        let conditions = task.conditions();
        Exploration {
            counters: vec![0; task.counters.len()],
            goal_counters: vec![0; task.goal_counters.len()],
            layers: vec![NEVER; conditions],
            achievers: vec![0; conditions],
            queue: vec![0; conditions + 1],
            ..Exploration::default()
        }
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.counters.len() + 3 * self.layers.len())
    }

    /// The conditions in the order they were satisfied.
    pub fn order(&self) -> &[u32] {
        &self.queue[..self.tail]
    }

    /// The number of layers to the goal, `None` where it is not reached.
    /// The rules that only steps of the label `without` do are left out.
    pub fn run(&mut self, task: &Task, state: &[Word], without: Option<u32>) -> Option<u32> {
        self.counters.copy_from_slice(&task.counters);
        self.goal_counters.copy_from_slice(&task.goal_counters);
        self.layers.fill(NEVER);
        self.tail = 0;
        self.first = 0;
        if task.trivial {
            return Some(0);
        }
        for rule in without.map_or(&[][..], |label| task.own.get(label)) {
            // Never counted down to nothing.
            self.counters[*rule as usize] = MISSING;
        }
        if self.start(task, state) {
            return Some(0);
        }
        for rule in &task.free {
            if self.counters[*rule as usize] == 0 && self.fire(task, *rule, 1) {
                return Some(1);
            }
        }
        self.layer_by_layer(task)
    }

    /// Layer 0. Whether it satisfies the goal.
    fn start(&mut self, task: &Task, state: &[Word]) -> bool {
        let mut done = false;
        for read in &task.reads {
            for condition in task.facts.get(read.fact(state)) {
                self.layers[*condition as usize] = 0;
                self.queue[self.tail] = *condition;
                self.tail += 1;
                done |= *condition < task.goal_conditions && self.completes(task, *condition);
            }
        }
        self.first = self.tail;
        done
    }

    fn layer_by_layer(&mut self, task: &Task) -> Option<u32> {
        let mut next = 0;
        let mut end = self.first;
        let mut layer = 0u32;
        while next < self.tail {
            while next < end {
                let condition = self.queue[next];
                next += 1;
                for rule in task.users.get(condition) {
                    let counter = &mut self.counters[*rule as usize];
                    *counter = counter.wrapping_add((layer << 16).wrapping_sub(1));
                    if *counter & MISSING == 0 && self.fire(task, *rule, layer + 1) {
                        return Some(layer + 1);
                    }
                }
            }
            end = self.tail;
            layer += 1;
        }
        None
    }

    /// Adds what `rule` adds to `layer`. Whether that completes the goal.
    #[inline]
    fn fire(&mut self, task: &Task, rule: u32, layer: u32) -> bool {
        for condition in task.adds.get(rule) {
            let known = &mut self.layers[*condition as usize];
            if *known > layer {
                *known = layer;
                self.achievers[*condition as usize] = rule;
                self.queue[self.tail] = *condition;
                self.tail += 1;
                if *condition < task.goal_conditions && self.completes(task, *condition) {
                    return true;
                }
            } else if *known == layer && self.is_easier(rule, *condition) {
                self.achievers[*condition as usize] = rule;
            }
        }
        false
    }

    /// Whether `rule` is less difficult than the achiever of `condition`.
    #[inline]
    fn is_easier(&self, rule: u32, condition: u32) -> bool {
        let achiever = self.achievers[condition as usize];
        self.counters[rule as usize] < self.counters[achiever as usize]
    }

    /// Counts the condition for the goal. Whether a disjunct is satisfied.
    fn completes(&mut self, task: &Task, condition: u32) -> bool {
        for goal in task.goal_users.get(condition) {
            let missing = &mut self.goal_counters[*goal as usize];
            *missing -= 1;
            if *missing == 0 {
                self.goal = *goal;
                return true;
            }
        }
        false
    }
}
