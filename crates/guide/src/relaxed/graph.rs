//! The relaxed problem as a graph of conditions and rules, for explorations
//! that follow it in both directions.
//!
//! Conditions are those of the [task](super::task), and two more: one that is
//! always satisfied, for rules that ask for nothing, and the goal. Rules are
//! those of the task; behind them one for every disjunct of the goal, and one
//! for every condition that others are satisfied along with.

use homing_core::Word;

use super::task::{Lists, Task};

#[derive(Debug)]
pub(super) struct Graph {
    /// For every rule, the conditions it asks for, at least one.
    pub pre: Lists,
    /// For every condition, the rules that ask for it.
    pub users: Lists,
    /// For every rule, the conditions it adds.
    pub adds: Lists,
    /// For every condition, the rules that add it.
    pub adders: Lists,
    /// For every rule, how many conditions it asks for.
    pub asked: Vec<u32>,
    /// The condition that is always satisfied.
    always: u32,
    /// The condition that is the goal.
    pub goal: u32,
}

impl Graph {
    /// The task is not trivial.
    pub fn new(task: &Task) -> Graph {
        let always = task.conditions() as u32;
        let goal = always + 1;
        let asks = |rule: u32| match task.pre.get(rule) {
            [] => vec![always],
            pre => pre.to_vec(),
        };
        let rules = 0..task.rules() as u32;
        let mut pre: Vec<Vec<u32>> = rules.clone().map(asks).collect();
        let mut adds: Vec<Vec<u32>> = rules.map(|rule| task.adds.get(rule).to_vec()).collect();
        for disjunct in 0..task.goals.len() as u32 {
            pre.push(task.goals.get(disjunct).to_vec());
            adds.push(vec![goal]);
        }
        for condition in (0..always).filter(|id| !task.implied.get(*id).is_empty()) {
            pre.push(vec![condition]);
            adds.push(task.implied.get(condition).to_vec());
        }
        let (pre, adds) = (Lists::of(pre), Lists::of(adds));
        let (users, adders) =
            (pre.transposed(goal as usize + 1), adds.transposed(goal as usize + 1));
        Graph { asked: pre.lengths(), users, adders, pre, adds, always, goal }
    }

    /// The number of conditions.
    pub fn conditions(&self) -> usize {
        self.users.len()
    }

    /// The number of rules.
    pub fn rules(&self) -> usize {
        self.pre.len()
    }

    /// The conditions satisfied at first.
    pub fn facts(&self, task: &Task, state: &[Word], out: &mut Vec<u32>) {
        out.clear();
        out.push(self.always);
        for read in &task.reads {
            out.extend_from_slice(task.facts.get(read.fact(state)));
        }
    }

    pub fn bytes(&self) -> usize {
        let lists = [&self.pre, &self.users, &self.adds, &self.adders];
        lists.iter().map(|lists| lists.bytes()).sum::<usize>() + 4 * self.asked.len()
    }
}
