//! Operators without conditional effects, for abstractions.

use std::collections::BTreeMap;

use super::{Constraint, Effect, Ground, Operator, Values, Var};

impl Ground {
    /// The same with no conditional effect: operators are multiplied out, into
    /// at most `limit` a label (but at least as many as there are). Where that
    /// is not enough, effects that may apply become effects that `may` happen.
    pub fn split(&self, limit: usize) -> Ground {
        let mut of_label: BTreeMap<u32, usize> = BTreeMap::new();
        for operator in &self.operators {
            *of_label.entry(operator.label).or_default() += 1;
        }
        let share = |operator: &Operator| (limit / of_label[&operator.label]).max(1);
        let operators = self.operators.iter().flat_map(|o| self.multiply(o, share(o)));
        Ground {
            coarse: self.coarse,
            variables: self.variables.clone(),
            operators: operators.collect(),
            goals: self.goals.clone(),
            goals_exact: self.goals_exact,
        }
    }

    fn multiply(&self, operator: &Operator, limit: usize) -> Vec<Operator> {
        let mut open = vec![operator.clone()];
        let mut done = Vec::new();
        while let Some(operator) = open.pop() {
            homing_budget::checkpoint();
            let Some(var) = most_asked(&operator) else {
                done.push(finish(operator));
                continue;
            };
            let groups = self.groups(&operator, var);
            if open.len() + done.len() + groups.len() > limit {
                done.push(finish(Operator { exact: false, ..operator }));
                continue;
            }
            let all = groups.len() == 1;
            let each = groups.into_iter().map(|values| restrict(&operator, var, values, all));
            open.extend(each);
        }
        done
    }

    /// What `var` may be where the operator applies, grouped by the conditions
    /// that hold.
    fn groups(&self, operator: &Operator, var: Var) -> Vec<Values> {
        let domain = match operator.pre.binary_search_by_key(&var, |c| c.var) {
            Ok(at) => operator.pre[at].values.clone(),
            Err(_) => Values::all(self.variables[var as usize].size()),
        };
        let conditions: Vec<&Values> = operator
            .effects
            .iter()
            .flat_map(|effect| effect.conditions.iter().filter(|c| c.var == var))
            .map(|condition| &condition.values)
            .collect();
        let mut groups: BTreeMap<Vec<bool>, Values> = BTreeMap::new();
        for value in domain.iter() {
            let holding = conditions.iter().map(|values| values.contains(value)).collect();
            groups.entry(holding).or_default().insert(value);
        }
        groups.into_values().collect()
    }
}

/// The variable in most conditions.
fn most_asked(operator: &Operator) -> Option<Var> {
    let mut asked: BTreeMap<Var, usize> = BTreeMap::new();
    for condition in operator.effects.iter().flat_map(|effect| &effect.conditions) {
        *asked.entry(condition.var).or_default() += 1;
    }
    asked.into_iter().max_by_key(|(var, count)| (*count, *var)).map(|(var, _)| var)
}

/// The operator where `var` has one of `values`, which conditions cannot tell
/// apart. `all` of what it may be: no new constraint.
fn restrict(operator: &Operator, var: Var, values: Values, all: bool) -> Operator {
    let mut operator = operator.clone();
    operator.effects.retain_mut(|effect| {
        let at = effect.conditions.iter().position(|condition| condition.var == var);
        at.is_none_or(|at| values.within(&effect.conditions.remove(at).values))
    });
    if !all {
        match operator.pre.binary_search_by_key(&var, |constraint| constraint.var) {
            Ok(at) => operator.pre[at].values = values,
            Err(at) => operator.pre.insert(at, Constraint { var, values }),
        }
    }
    operator
}

/// One effect a variable, without conditions: all that may become of it, unless
/// that is the only value it can have anyway.
fn finish(mut operator: Operator) -> Operator {
    let mut merged: BTreeMap<Var, Effect> = BTreeMap::new();
    for effect in operator.effects {
        let may = effect.may || !effect.conditions.is_empty();
        let var = effect.var;
        let new = Effect { conditions: Vec::new(), var, values: Values::none(), may: true };
        let one = merged.entry(var).or_insert(new);
        one.values = one.values.union(&effect.values);
        one.may &= may;
    }
    let pre = &operator.pre;
    let changes = |effect: &Effect| {
        let known = pre.iter().find(|constraint| constraint.var == effect.var);
        known.is_none_or(|known| known.values.len() > 1 || known.values != effect.values)
    };
    operator.effects = merged.into_values().filter(changes).collect();
    operator
}
