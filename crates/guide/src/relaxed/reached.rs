//! What explorations of the relaxed problem have in common: what is reached
//! and by which rule, the rules that wait, and how far the goal is.
//!
//! Planners count how many preconditions of a rule are missing (Dowling,
//! Gallier 1984; Hoffmann, Nebel 2001). We let every rule watch one that is,
//! as satisfiability solvers do (Moskewicz et al. 2001), for here most rules
//! are cases of one step: a thousand rules ask for the same location, one of
//! them for the value that a variable has. With counters all are touched when
//! the location is reached. At first a rule watches the precondition that
//! fewest others ask for. There is nothing to reset for rules.

use homing_core::{Cost, Word};

use super::task::{SEVERAL, Task};

/// A way to explore the relaxed problem.
pub(super) trait Explore {
    fn new(task: &Task) -> Self;

    /// What a rule adds to the costs of what it asks for.
    fn step(task: &Task, rule: u32) -> Cost;

    /// How far the goal is from `state`, `None` where it is not reached. The
    /// rules that only steps of the label `without` do are left out.
    fn run(&mut self, task: &Task, state: &[Word], without: Option<u32>) -> Option<Cost>;

    fn reached(&self) -> &Reached;

    /// The memory it takes, in bytes.
    fn bytes(&self) -> usize;
}

/// The scratch memory of an exploration, and its result.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// For every condition, its layer, or what it costs.
    pub costs: Vec<Cost>,
    /// For every condition satisfied, the rule that added it, or [`NONE`]: the
    /// state satisfies it.
    pub achievers: Vec<u32>,
    /// Conditions in the order they were satisfied: the preconditions of an
    /// achiever before what it adds.
    pub order: Vec<u32>,
    /// The disjunct of the goal that was satisfied.
    pub goal: u32,
    /// For every condition, the first of the rules that came to watch it, and
    /// for every rule the next of them.
    pub watching: Vec<u32>,
    pub next: Vec<u32>,
    /// For every disjunct of the goal, the conditions missing.
    missing: Vec<u32>,
    /// The label that is left out.
    without: u32,
    /// The conditions satisfied and rules woken in all runs.
    touched: u64,
}

/// No layer, no cost: not satisfied.
pub(super) const NEVER: Cost = Cost::MAX;

/// No rule.
pub(super) const NONE: u32 = u32::MAX;

/// No label, nor several.
const NO_LABEL: u32 = SEVERAL - 1;

impl Reached {
    pub fn new(task: &Task) -> Reached {
        let conditions = task.conditions();
        Reached {
            costs: vec![NEVER; conditions],
            achievers: vec![NONE; conditions],
            order: Vec::with_capacity(conditions),
            watching: vec![NONE; conditions],
            next: vec![NONE; task.rules()],
            missing: task.goal_counters.clone(),
            ..Reached::default()
        }
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.next.len() + 4 * self.costs.len())
    }

    /// The work of all runs: four rules woken or conditions satisfied take about as
    /// long as a successor of a blind search, measured on BEEM's `at.4`.
    pub fn work(&self) -> u64 {
        self.touched / 4
    }

    /// Forgets what was reached.
    pub fn reset(&mut self, task: &Task, without: Option<u32>) {
        self.touched += (self.order.len() + self.costs.len() / 40 + 4) as u64;
        self.missing.copy_from_slice(&task.goal_counters);
        self.costs.fill(NEVER);
        self.watching.fill(NONE);
        self.order.clear();
        self.without = without.unwrap_or(NO_LABEL);
    }

    /// Whether the rule is left out.
    #[inline]
    pub fn leaves_out(&self, task: &Task, rule: u32) -> bool {
        task.only[rule as usize] == self.without
    }

    /// What the rule watched is satisfied. Where it asks for something that is
    /// not satisfied at `now`, it watches that; else what it asks for costs so
    /// much, all together, as `add` adds up.
    #[inline(always)]
    pub fn wake(
        &mut self,
        task: &Task,
        rule: u32,
        now: Cost,
        add: impl Fn(Cost, Cost) -> Cost,
    ) -> Option<Cost> {
        let mut sum = 0;
        self.touched += 1;
        for condition in task.pre.get(rule) {
            let known = self.costs[*condition as usize];
            if known > now {
                let watching = &mut self.watching[*condition as usize];
                self.next[rule as usize] = std::mem::replace(watching, rule);
                return None;
            }
            sum = add(sum, known);
        }
        Some(sum)
    }

    /// Counts a satisfied condition of the goal. Calls `complete` with every
    /// disjunct that this completes.
    pub fn count(&mut self, task: &Task, condition: u32, mut complete: impl FnMut(&[Cost], u32)) {
        for goal in task.goal_users.get(condition) {
            let missing = &mut self.missing[*goal as usize];
            *missing -= 1;
            if *missing == 0 {
                complete(&self.costs, *goal);
            }
        }
    }

    /// Whether the state itself satisfies a condition that is reached.
    #[inline]
    pub fn is_first(&self, condition: u32) -> bool {
        self.achievers[condition as usize] == NONE
    }
}
