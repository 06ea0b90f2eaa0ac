//! The ground form as rules between conditions.
//!
//! A *condition* is a set of values of one variable that some precondition or
//! the goal asks for. Under the relaxation a variable keeps all values it ever
//! had, so a condition is satisfied by the first of its values that is reached
//! and stays so. Values beyond that do not matter: a rule that adds a value
//! may as well add the conditions this value satisfies. What remains are rules
//! `pre → add` from conditions to one condition each, with the label of the
//! step they come from.
//!
//! Where a variable has so many conditions that this would make too many
//! rules, its rules add one condition of a second kind, that *all* of some
//! values are reached, which then satisfies the others: the variable is *by
//! value*.
//!
//! ```text
//! effect rules   operator's pre ∪ effect's conditions → values of a variable
//! reach          values and rules reached from the initial state, relaxed; the rest is dropped
//! unary rules    pre → condition, for every condition a given value satisfies
//! ```

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::ground::{Constraint, Ground, Value, Values, Var};
use crate::hashing::FixedMap;

/// The number of a condition.
pub(super) type Id = u32;

/// More constraints than this in one precondition are not looked at. That
/// only relaxes it further.
const MOST_PRE: usize = 1 << 12;

/// What is reached or not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Condition {
    pub var: Var,
    pub values: Values,
    /// Whether all of the values must be reached, not just one.
    pub all: bool,
}

/// Conditions, numbered.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    pub list: Vec<Condition>,
    ids: FixedMap<Condition, Id>,
}

/// `pre → add`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Unary {
    pub label: u32,
    pub add: Id,
    /// In order of the variables, one each.
    pub pre: Vec<Id>,
}

/// The relaxed problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub conditions: Conditions,
    pub rules: Vec<Unary>,
    /// The goal's disjuncts. None where it is never satisfied; an empty one
    /// always is.
    pub goals: Vec<Vec<Id>>,
    /// The values a variable can have, relaxed.
    pub reachable: Vec<Values>,
    /// Whether a variable's rules add all of their values at once.
    pub by_value: Vec<bool>,
}

impl Conditions {
    /// One of the values.
    pub fn some(&mut self, var: Var, values: Values) -> Id {
        self.intern(Condition { var, values, all: false })
    }

    /// All of the values.
    fn all(&mut self, var: Var, values: Values) -> Id {
        let all = values.len() > 1;
        self.intern(Condition { var, values, all })
    }

    pub fn intern(&mut self, condition: Condition) -> Id {
        let next = self.list.len() as Id;
        match self.ids.entry(condition) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.list.push(new.key().clone());
                *new.insert(next)
            }
        }
    }

    pub fn find(&self, condition: &Condition) -> Option<Id> {
        self.ids.get(condition).copied()
    }

    pub fn var(&self, id: Id) -> Var {
        self.list[id as usize].var
    }

    pub fn values(&self, id: Id) -> &Values {
        &self.list[id as usize].values
    }

    /// Whether whatever satisfies `stronger` satisfies `weaker`.
    pub fn implies(&self, stronger: Id, weaker: Id) -> bool {
        stronger == weaker
            || self.var(stronger) == self.var(weaker)
                && !self.list[weaker as usize].all
                && self.values(stronger).within(self.values(weaker))
    }

    /// For every variable and value, the conditions it satisfies alone.
    pub fn by_fact(&self, ground: &Ground) -> Vec<Vec<Vec<Id>>> {
        let empty = |size| vec![Vec::new(); size as usize];
        let mut facts: Vec<Vec<Vec<Id>>> =
            ground.variables.iter().map(|variable| empty(variable.size())).collect();
        for (id, condition) in self.list.iter().enumerate().filter(|(_, one)| !one.all) {
            for value in condition.values.iter() {
                facts[condition.var as usize][value as usize].push(id as Id);
            }
        }
        facts
    }
}

impl Draft {
    /// Variables are by value where that makes rules `fewer` times fewer.
    pub fn new(ground: &Ground, fewer: usize) -> Draft {
        let (conditions, rules) = effect_rules(ground);
        let (reachable, fired) = reach(ground, &conditions, &rules);
        let mut draft = Draft { reachable, ..Draft::default() };
        let known: Vec<Known> =
            conditions.list.iter().map(|c| draft.restrict(c.var, &c.values)).collect();
        for disjunct in &ground.goals {
            let goal: Vec<Known> =
                disjunct.iter().map(|c| draft.restrict(c.var, &c.values)).collect();
            draft.goals.extend(conjunction(&goal));
        }
        let rules = rules.iter().zip(fired).filter(|(_, fired)| *fired).map(|(rule, _)| rule);
        draft.add_rules(ground, &known, fewer, rules);
        draft
    }

    /// The condition, with the values that can be reached.
    fn restrict(&mut self, var: Var, values: &Values) -> Known {
        let reachable = &self.reachable[var as usize];
        let values = values.intersect(reachable);
        if values == *reachable {
            Known::Always
        } else if values.is_empty() {
            Known::Never
        } else {
            Known::Sometimes(self.conditions.some(var, values))
        }
    }

    fn add_rules<'a>(
        &mut self,
        ground: &Ground,
        known: &[Known],
        fewer: usize,
        rules: impl Iterator<Item = &'a EffectRule<'a>> + Clone,
    ) {
        let facts = self.conditions.by_fact(ground);
        self.choose_by_value(&facts, fewer, rules.clone());
        let mut unary = Vec::new();
        for rule in rules {
            homing_budget::checkpoint();
            let pre: Vec<Known> = rule.pre.iter().map(|id| known[*id as usize]).collect();
            let Some(pre) = conjunction(&pre) else { continue };
            // What the precondition asks for is there already.
            let mut adds = self.satisfied(rule, &facts);
            adds.retain(|add| !pre.iter().any(|id| self.conditions.implies(*id, *add)));
            let unary_rule = |add| Unary { label: rule.label, add, pre: pre.clone() };
            unary.extend(adds.into_iter().map(unary_rule));
        }
        unary.sort_unstable();
        unary.dedup();
        self.rules = unary;
    }

    /// Decides which variables are by value.
    fn choose_by_value<'a>(
        &mut self,
        facts: &[Vec<Vec<Id>>],
        fewer: usize,
        rules: impl Iterator<Item = &'a EffectRule<'a>>,
    ) {
        let mut given: Vec<BTreeMap<&Values, usize>> = vec![BTreeMap::new(); facts.len()];
        for rule in rules {
            homing_budget::checkpoint();
            *given[rule.var as usize].entry(rule.values).or_default() += 1;
        }
        let by_value = |(given, facts): (&BTreeMap<&Values, usize>, &Vec<Vec<Id>>)| {
            let (mut by_value, mut by_condition) = (0, 0);
            for (values, rules) in given {
                homing_budget::checkpoint();
                let satisfied: usize = values.iter().map(|v| facts[v as usize].len()).sum();
                by_value += satisfied + rules;
                by_condition += satisfied * rules;
            }
            fewer * by_value < by_condition
        };
        self.by_value = given.iter().zip(facts).map(by_value).collect();
    }

    /// The conditions a rule adds.
    fn satisfied(&mut self, rule: &EffectRule, facts: &[Vec<Vec<Id>>]) -> BTreeSet<Id> {
        let facts = &facts[rule.var as usize];
        let asked = rule.values.iter().filter(|value| !facts[*value as usize].is_empty());
        if !self.by_value[rule.var as usize] {
            return asked.flat_map(|value| facts[value as usize].iter().copied()).collect();
        }
        let asked: Values = asked.collect();
        let all = (!asked.is_empty()).then(|| self.conditions.all(rule.var, asked));
        all.into_iter().collect()
    }

    /// For every condition, those that are satisfied with it without a rule of
    /// their own: for values that are added at once, all they are in.
    pub fn implied(&self, ground: &Ground) -> Vec<Vec<Id>> {
        let facts = self.conditions.by_fact(ground);
        let implied = |(id, condition): (usize, &Condition)| {
            let values = condition.values.iter().filter(|_| self.is_added_at_once(condition));
            let all = values.flat_map(|value| &facts[condition.var as usize][value as usize]);
            let all: BTreeSet<Id> = all.copied().filter(|other| *other != id as Id).collect();
            all.into_iter().collect()
        };
        self.conditions.list.iter().enumerate().map(implied).collect()
    }

    /// Whether the condition is what rules add of a variable by value.
    pub fn is_added_at_once(&self, condition: &Condition) -> bool {
        condition.all || self.by_value[condition.var as usize] && condition.values.len() == 1
    }
}

/// What is known of a condition, whatever the state.
#[derive(Clone, Copy)]
enum Known {
    Always,
    Never,
    Sometimes(Id),
}

/// The conditions left of a conjunction; none where it is never satisfied.
fn conjunction(conditions: &[Known]) -> Option<Vec<Id>> {
    let left = conditions.iter().filter_map(|known| match known {
        Known::Always => None,
        Known::Never => Some(None),
        Known::Sometimes(id) => Some(Some(*id)),
    });
    left.collect()
}

/// One effect of an operator as a rule of its own.
struct EffectRule<'a> {
    label: u32,
    pre: Vec<Id>,
    var: Var,
    values: &'a Values,
}

fn effect_rules(ground: &Ground) -> (Conditions, Vec<EffectRule<'_>>) {
    let mut conditions = Conditions::default();
    let mut rules = Vec::new();
    for operator in &ground.operators {
        for effect in &operator.effects {
            homing_budget::checkpoint();
            let Some(pre) = join(&operator.pre, &effect.conditions) else { continue };
            let pre = pre.into_iter().take(MOST_PRE);
            let pre = pre.map(|constraint| conditions.some(constraint.var, constraint.values));
            let pre = pre.collect();
            let (label, var, values) = (operator.label, effect.var, &effect.values);
            rules.push(EffectRule { label, pre, var, values });
        }
    }
    (conditions, rules)
}

/// Both conjunctions, in the order of their variables, with one constraint each. A
/// state has just one value of it, so this value meets both. None where there is no
/// such value.
fn join(one: &[Constraint], other: &[Constraint]) -> Option<Vec<Constraint>> {
    debug_assert!([one, other].iter().all(|all| all.is_sorted_by(|a, b| a.var < b.var)));
    let mut joined = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let next = match (one.peek(), other.peek()) {
            (None, None) => return Some(joined),
            (Some(_), None) => one.next().cloned(),
            (None, Some(_)) => other.next().cloned(),
            (Some(a), Some(b)) => match a.var.cmp(&b.var) {
                Ordering::Less => one.next().cloned(),
                Ordering::Greater => other.next().cloned(),
                Ordering::Equal => {
                    let (var, values) = (a.var, a.values.intersect(&b.values));
                    one.next();
                    other.next();
                    (!values.is_empty()).then_some(Constraint { var, values })
                }
            },
        };
        joined.push(next?);
    }
}

/// The values reached from the initial state under the relaxation, and which
/// rules apply to them.
fn reach(
    ground: &Ground,
    conditions: &Conditions,
    rules: &[EffectRule],
) -> (Vec<Values>, Vec<bool>) {
    let facts = conditions.by_fact(ground);
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); conditions.list.len()];
    for (at, rule) in rules.iter().enumerate() {
        rule.pre.iter().for_each(|id| users[*id as usize].push(at as u32));
    }
    let mut reached: Vec<Values> = ground.variables.iter().map(|_| Values::none()).collect();
    let mut open: Vec<(Var, Value)> = Vec::new();
    let mut add = |open: &mut Vec<(Var, Value)>, var: Var, value: Value| {
        let known = &mut reached[var as usize];
        if !known.contains(value) {
            known.insert(value);
            open.push((var, value));
        }
    };
    let mut unsatisfied: Vec<usize> = rules.iter().map(|rule| rule.pre.len()).collect();
    let mut satisfied = vec![false; conditions.list.len()];
    for (var, variable) in ground.variables.iter().enumerate() {
        add(&mut open, var as Var, variable.initial);
    }
    for rule in rules.iter().filter(|rule| rule.pre.is_empty()) {
        rule.values.iter().for_each(|value| add(&mut open, rule.var, value));
    }
    while let Some((var, value)) = open.pop() {
        homing_budget::checkpoint();
        for id in &facts[var as usize][value as usize] {
            if std::mem::replace(&mut satisfied[*id as usize], true) {
                continue;
            }
            for at in &users[*id as usize] {
                let at = *at as usize;
                unsatisfied[at] -= 1;
                if unsatisfied[at] == 0 {
                    rules[at].values.iter().for_each(|value| add(&mut open, rules[at].var, value));
                }
            }
        }
    }
    (reached, unsatisfied.into_iter().map(|count| count == 0).collect())
}
