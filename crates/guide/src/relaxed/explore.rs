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
//! Planners count how many preconditions of a rule are missing (Dowling,
//! Gallier 1984; Hoffmann, Nebel 2001). We let every rule watch one that is,
//! as satisfiability solvers do (Moskewicz et al. 2001), for here most rules
//! are cases of one step: a thousand rules ask for the same location, one of
//! them for the value that a variable has. With counters all are touched when
//! the location is reached. At first a rule watches the precondition that
//! fewest others ask for. There is nothing to reset for rules.
//!
//! We stop at once when the condition that completes the goal is added, in the
//! middle of a layer. Of several achievers in the same layer the least
//! difficult is kept, as FF does: that with the least sum of layers of its
//! preconditions.

use homing_core::Word;

use super::task::{SEVERAL, Task};

/// The scratch memory of an exploration, and its result.
#[derive(Debug, Default)]
pub(super) struct Exploration {
    /// For every condition, its layer.
    pub layers: Vec<u32>,
    /// For every condition beyond layer 0, the rule that added it.
    pub achievers: Vec<u32>,
    /// For every condition, the first of the rules that came to watch it, and
    /// for every rule the next of them.
    watching: Vec<u32>,
    next: Vec<u32>,
    /// For every rule applied, the sum of the layers of its preconditions.
    difficulties: Vec<u32>,
    /// For every disjunct of the goal, the conditions missing.
    missing: Vec<u32>,
    /// Conditions in the order they were satisfied.
    queue: Vec<u32>,
    /// How many are in layer 0.
    pub first: usize,
    /// The disjunct of the goal that was satisfied.
    pub goal: u32,
    /// The label that is left out.
    without: u32,
    /// The conditions satisfied and rules woken in all runs.
    touched: u64,
}

/// No layer: not satisfied.
const NEVER: u32 = u32::MAX;

/// No rule.
const NONE: u32 = u32::MAX;

/// No label, nor several.
const NO_LABEL: u32 = SEVERAL - 1;

impl Exploration {
    pub fn new(task: &Task) -> Exploration {
        let conditions = task.conditions();
        Exploration {
            layers: vec![NEVER; conditions],
            achievers: vec![NONE; conditions],
            watching: vec![NONE; conditions],
            next: vec![NONE; task.rules()],
            difficulties: vec![0; task.rules()],
            missing: task.goal_counters.clone(),
            queue: Vec::with_capacity(conditions),
            ..Exploration::default()
        }
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        4 * (2 * self.next.len() + 4 * self.layers.len())
    }

    /// The work of all runs: measured on five models, eight rules woken or
    /// conditions satisfied take about as long as a successor does.
    pub fn work(&self) -> u64 {
        self.touched / 8
    }

    /// The conditions in the order they were satisfied.
    pub fn order(&self) -> &[u32] {
        &self.queue
    }

    /// The number of layers to the goal, `None` where it is not reached.
    /// The rules that only steps of the label `without` do are left out.
    pub fn run(&mut self, task: &Task, state: &[Word], without: Option<u32>) -> Option<u32> {
        self.touched += (self.queue.len() + self.layers.len() / 40 + 4) as u64;
        self.missing.copy_from_slice(&task.goal_counters);
        self.layers.fill(NEVER);
        self.watching.fill(NONE);
        self.queue.clear();
        self.first = 0;
        self.without = without.unwrap_or(NO_LABEL);
        if task.trivial || self.start(task, state) {
            return Some(0);
        }
        for rule in &task.free {
            if self.apply(task, *rule, 1, 0) {
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
                done |= self.satisfy(task, *condition, 0);
            }
        }
        self.first = self.queue.len();
        done
    }

    fn layer_by_layer(&mut self, task: &Task) -> Option<u32> {
        let (mut at, mut end, mut layer) = (0, self.first, 0);
        while at < self.queue.len() {
            while at < end {
                let condition = self.queue[at];
                at += 1;
                for rule in task.watched.get(condition) {
                    if self.wake(task, *rule, layer) {
                        return Some(layer + 1);
                    }
                }
                let mut rule = self.watching[condition as usize];
                while rule != NONE {
                    let next = self.next[rule as usize];
                    if self.wake(task, rule, layer) {
                        return Some(layer + 1);
                    }
                    rule = next;
                }
            }
            end = self.queue.len();
            layer += 1;
        }
        None
    }

    /// What the rule watched is satisfied: it watches another precondition or,
    /// if there is none, applies. Whether that completes the goal.
    #[inline]
    fn wake(&mut self, task: &Task, rule: u32, layer: u32) -> bool {
        let mut difficulty = 0;
        self.touched += 1;
        for condition in task.pre.get(rule) {
            let known = self.layers[*condition as usize];
            if known > layer {
                let watching = &mut self.watching[*condition as usize];
                self.next[rule as usize] = std::mem::replace(watching, rule);
                return false;
            }
            difficulty += known;
        }
        self.apply(task, rule, layer + 1, difficulty)
    }

    /// Adds what `rule` adds to `layer`; its preconditions are as difficult as
    /// said. Whether that completes the goal.
    #[inline]
    fn apply(&mut self, task: &Task, rule: u32, layer: u32, difficulty: u32) -> bool {
        if task.only[rule as usize] == self.without {
            return false;
        }
        self.difficulties[rule as usize] = difficulty;
        for condition in task.adds.get(rule) {
            let known = self.layers[*condition as usize];
            if known > layer {
                self.achievers[*condition as usize] = rule;
                if self.satisfy(task, *condition, layer) || self.imply(task, *condition, layer) {
                    return true;
                }
            } else if known == layer && difficulty < self.difficulty_of(*condition) {
                self.achievers[*condition as usize] = rule;
            }
        }
        false
    }

    /// How difficult the achiever of `condition` is.
    fn difficulty_of(&self, condition: u32) -> u32 {
        self.difficulties[self.achievers[condition as usize] as usize]
    }

    /// What is satisfied with `condition`. Whether that completes the goal.
    #[inline]
    fn imply(&mut self, task: &Task, condition: u32, layer: u32) -> bool {
        for implied in task.implied.get(condition) {
            if self.layers[*implied as usize] > layer {
                self.achievers[*implied as usize] = self.achievers[condition as usize];
                if self.satisfy(task, *implied, layer) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether `condition` completes the goal.
    #[inline]
    fn satisfy(&mut self, task: &Task, condition: u32, layer: u32) -> bool {
        self.layers[condition as usize] = layer;
        self.queue.push(condition);
        condition < task.goal_conditions && self.completes(task, condition)
    }

    /// Counts the condition for the goal. Whether a disjunct is satisfied.
    fn completes(&mut self, task: &Task, condition: u32) -> bool {
        for goal in task.goal_users.get(condition) {
            let missing = &mut self.missing[*goal as usize];
            *missing -= 1;
            if *missing == 0 {
                self.goal = *goal;
                return true;
            }
        }
        false
    }
}
