//! The relaxed problem in flat arrays, laid out for exploration.
//!
//! Conditions and rules are numbered in the order in which an exploration from
//! the initial state meets them, so that those used together lie together. The
//! conditions of the goal come first: a comparison tells them.

use super::draft::{Condition, Draft, Id};
use super::simplify::{self, Rule};
use crate::ground::{Ground, Variable};
use homing_core::{Cost, Word};

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// The relaxed problem.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// What the conditions say.
    pub meanings: Vec<Condition>,
    /// What is read of a state.
    pub reads: Vec<Read>,
    /// For every entry of the reads' tables, the conditions satisfied.
    pub facts: Lists,
    /// For every condition, those satisfied with it at once.
    pub implied: Lists,
    /// For every condition, the rules that watch it: it is the first they ask
    /// for.
    pub watched: Lists,
    /// For every rule, the conditions it adds.
    pub adds: Lists,
    /// For every rule, the conditions it asks for, those that few others ask
    /// for first.
    pub pre: Lists,
    /// The rules that ask for nothing.
    pub free: Vec<u32>,
    /// For every rule, the labels of the steps that do it.
    pub labels: Lists,
    /// For every rule, its label if only steps of one do it.
    pub only: Vec<u32>,
    /// For every rule, the least cost of a step that does it.
    pub costs: Vec<Cost>,
    /// Conditions below this one belong to the goal.
    pub goal_conditions: u32,
    /// For every condition of the goal, the disjuncts that ask for it.
    pub goal_users: Lists,
    /// For every disjunct of the goal, its conditions.
    pub goals: Lists,
    /// For every disjunct of the goal, how many conditions it has.
    pub goal_counters: Vec<u32>,
    /// Whether the goal is satisfied in every state.
    pub trivial: bool,
}

/// No label.
pub(super) const SEVERAL: u32 = u32::MAX;

/// How the value of a variable is read from a packed state.
#[derive(Clone, Debug)]
pub(super) struct Read {
    word: u32,
    shift: u32,
    mask: u64,
    /// Which of the lists of facts belongs to the first value.
    first: u32,
    by: By,
}

#[derive(Clone, Debug)]
enum By {
    /// There is a list for every pattern of bits.
    Bits,
    /// There is a list for every class of values.
    Class(Box<Variable>),
}

/// Variables are by value where that makes rules so many times fewer.
const FEWER: usize = 4;

/// Variables of at most this many bits are read by a table of their patterns.
const TABLE_BITS: u32 = 10;

impl Lists {
    pub fn of<I: IntoIterator<Item = u32>>(lists: impl IntoIterator<Item = I>) -> Lists {
        let mut all = Lists { starts: vec![0], items: Vec::new() };
        lists.into_iter().for_each(|list| all.push(list));
        all
    }

    fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.starts.push(self.items.len() as u32);
    }

    /// The other way round: for each of `count` items, the lists it is in.
    pub fn transposed(&self, count: usize) -> Lists {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
        for at in 0..self.len() as u32 {
            self.get(at).iter().for_each(|item| lists[*item as usize].push(at));
        }
        Lists::of(lists)
    }

    pub fn lengths(&self) -> Vec<u32> {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).collect()
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub fn get(&self, at: u32) -> &[u32] {
        &self.items[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }

    pub fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.items.capacity())
    }
}

impl Read {
    /// The number of the list of conditions that the variable's value in
    /// `state` satisfies.
    #[inline]
    pub fn fact(&self, state: &[Word]) -> u32 {
        let bits = state[self.word as usize] >> self.shift & self.mask;
        match &self.by {
            By::Bits => self.first + bits as u32,
            By::Class(variable) => self.first + variable.get(state),
        }
    }
}

impl Task {
    /// `cost` is what a step of a label costs.
    pub fn new(ground: &Ground, cost: impl Fn(u32) -> Cost) -> Task {
        Task::of(ground, Draft::new(ground, FEWER), cost)
    }

    pub fn of(ground: &Ground, draft: Draft, cost: impl Fn(u32) -> Cost) -> Task {
        let draft = simplify::simplify(ground, draft);
        let implied = Lists::of(draft.implied(ground));
        let (numbers, rules) = order(ground, &draft, &implied, simplify::rules(&draft));
        let rename = |ids: &[Id]| ids.iter().map(|id| numbers[*id as usize]).collect::<Vec<_>>();
        let goals = Lists::of(draft.goals.iter().map(|goal| rename(goal)));
        let goal_conditions = goals.items.iter().max().map_or(0, |last| last + 1);
        let mut implications = vec![Vec::new(); numbers.len()];
        let mut meanings = draft.conditions.list.clone();
        for (old, new) in numbers.iter().enumerate() {
            implications[*new as usize] = rename(implied.get(old as u32));
            meanings[*new as usize].clone_from(&draft.conditions.list[old]);
        }
        let pre = Lists::of(rules.iter().map(|rule| rule.pre.iter().copied()));
        let first = Lists::of(rules.iter().map(|rule| rule.pre.first().copied()));
        let only = |rule: &Rule| if rule.labels.len() == 1 { rule.labels[0] } else { SEVERAL };
        let least = |rule: &Rule| rule.labels.iter().map(|label| cost(*label)).min().unwrap_or(0);
        let mut task = Task {
            meanings,
            implied: Lists::of(implications),
            watched: first.transposed(numbers.len()),
            adds: Lists::of(rules.iter().map(|rule| rule.adds.iter().copied())),
            free: (0..rules.len() as u32).filter(|at| pre.get(*at).is_empty()).collect(),
            labels: Lists::of(rules.iter().map(|rule| rule.labels.iter().copied())),
            only: rules.iter().map(only).collect(),
            costs: rules.iter().map(least).collect(),
            goal_conditions,
            goal_users: goals.transposed(goal_conditions as usize),
            goal_counters: goals.lengths(),
            trivial: draft.goals.iter().any(Vec::is_empty),
            pre,
            goals,
            ..Task::default()
        };
        task.facts.starts.push(0);
        task.read(ground, &draft, &numbers);
        task
    }

    /// The number of conditions.
    pub fn conditions(&self) -> usize {
        self.implied.len()
    }

    /// The number of rules.
    pub fn rules(&self) -> usize {
        self.pre.len()
    }

    /// How variables are read, and what conditions their values satisfy.
    fn read(&mut self, ground: &Ground, draft: &Draft, numbers: &[Id]) {
        let facts = draft.conditions.by_fact(ground);
        for (variable, facts) in ground.variables.iter().zip(facts) {
            // Also where the variable is not needed at all.
            if facts.iter().all(|satisfied| satisfied.is_empty()) {
                continue;
            }
            let satisfied = |class: usize| facts[class].iter().map(|id| numbers[*id as usize]);
            let first = self.facts.len() as u32;
            let field = variable.field;
            let by = if field.bits <= TABLE_BITS {
                for bits in 0..1i64 << field.bits {
                    let value = bits + field.lo;
                    let possible = (variable.bounds[0]..=variable.last).contains(&value);
                    let class = possible.then(|| variable.class(value) as usize);
                    self.facts.push(class.into_iter().flat_map(satisfied));
                }
                By::Bits
            } else {
                (0..facts.len()).for_each(|class| self.facts.push(satisfied(class)));
                By::Class(Box::new(variable.clone()))
            };
            let (word, shift, mask) = (field.word, field.shift, field.mask());
            self.reads.push(Read { word, shift, mask, first, by });
        }
    }

    /// The memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        let lists =
            [&self.facts, &self.implied, &self.watched, &self.adds, &self.pre, &self.labels];
        let lists: usize = lists.iter().map(|lists| lists.bytes()).sum();
        lists + 8 * self.rules()
    }
}

/// The new number of every condition, and the rules in their new order, with
/// conditions so numbered.
fn order(
    ground: &Ground,
    draft: &Draft,
    implied: &Lists,
    rules: Vec<Rule>,
) -> (Vec<Id>, Vec<Rule>) {
    let count = draft.conditions.list.len();
    let users = Lists::of(rules.iter().map(|rule| rule.pre.iter().copied())).transposed(count);
    let initial = |id: &Id| {
        let condition = &draft.conditions.list[*id as usize];
        !condition.all
            && condition.values.contains(ground.variables[condition.var as usize].initial)
    };
    let mut met = Met { open: Vec::with_capacity(count), known: vec![false; count] };
    // First the goal's, then in the order of exploration, then any left.
    draft.goals.iter().flatten().for_each(|id| met.add(*id));
    (0..count as Id).filter(initial).for_each(|id| met.add(id));
    let mut unsatisfied: Vec<usize> = rules.iter().map(|rule| rule.pre.len()).collect();
    let mut order: Vec<usize> = (0..rules.len()).filter(|at| unsatisfied[*at] == 0).collect();
    order.iter().flat_map(|at| &rules[*at].adds).for_each(|id| met.add(*id));
    let mut next = 0;
    while next < met.open.len() {
        homing_budget::checkpoint();
        let id = met.open[next];
        implied.get(id).iter().for_each(|id| met.add(*id));
        for at in users.get(id) {
            let at = *at as usize;
            unsatisfied[at] -= 1;
            if unsatisfied[at] == 0 {
                order.push(at);
                rules[at].adds.iter().for_each(|id| met.add(*id));
            }
        }
        next += 1;
    }
    (0..count as Id).for_each(|id| met.add(id));
    order.extend((0..rules.len()).filter(|at| unsatisfied[*at] > 0));
    let mut numbers = vec![0; count];
    met.open.iter().enumerate().for_each(|(new, old)| numbers[*old as usize] = new as Id);
    let rename = |ids: &[Id]| ids.iter().map(|id| numbers[*id as usize]).collect();
    let renamed = order.iter().map(|at| {
        let Rule { mut pre, adds, labels } = rules[*at].clone();
        pre.sort_by_key(|id| users.get(*id).len());
        Rule { pre: rename(&pre), adds: rename(&adds), labels }
    });
    let renamed = renamed.collect();
    (numbers, renamed)
}

/// Conditions in the order they are met.
struct Met {
    open: Vec<Id>,
    known: Vec<bool>,
}

impl Met {
    fn add(&mut self, id: Id) {
        if !std::mem::replace(&mut self.known[id as usize], true) {
            self.open.push(id);
        }
    }
}
