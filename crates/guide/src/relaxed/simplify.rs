//! Fewer rules for the same layers.
//!
//! Every change keeps, in every state, the layer of the goal, also with any
//! label left out:
//!
//! ```text
//! relevant    rules from which no chain leads to the goal are dropped
//! unite       one label, (p, x ∈ S → c) and (p, x ∈ T → c):  (p, x ∈ S ∪ T → c)
//!             or, if S ∪ T is all that x can be:             (p → c)
//! dominated   one label, (p → c) and (p, q → c):             (p → c)
//! ```
//!
//! Uniting is exact because a condition is satisfied by the first of its
//! values. `x ∈ S ∪ T` may be a new condition: it is added by whatever adds
//! `x ∈ S` or `x ∈ T` (by itself where `x` is by value), and then those rules
//! can be united in turn. This is repeated while it makes the problem smaller.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Condition, Draft, Id, Unary};
use crate::ground::{Ground, Values};

/// A rule of the final form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rule {
    pub pre: Vec<Id>,
    pub adds: Vec<Id>,
    /// The steps that do this, ascending.
    pub labels: Vec<u32>,
}

/// Rounds of uniting.
const ROUNDS: usize = 8;

/// Problems with more rules are not united: it would take seconds.
const MOST_UNITED: usize = 200_000;

/// Alternatives compared with each other, each with each.
const MOST_COMPARED: usize = 64;

/// Makes the problem smaller.
pub(super) fn simplify(ground: &Ground, draft: Draft) -> Draft {
    let mut best = relevant(ground, draft);
    if best.rules.len() > MOST_UNITED {
        return best;
    }
    // New conditions do not always pay.
    for grow in [true, false] {
        for _ in 0..ROUNDS {
            let next = relevant(ground, unite(best.clone(), grow));
            if size(&next) >= size(&best) {
                break;
            }
            best = next;
        }
    }
    best
}

/// What an exploration may have to look at.
fn size(draft: &Draft) -> usize {
    draft.rules.iter().map(|rule| rule.pre.len() + 1).sum()
}

/// Drops rules and conditions from which no chain leads to the goal.
fn relevant(ground: &Ground, mut draft: Draft) -> Draft {
    let count = draft.conditions.list.len();
    let mut implied_by: Vec<Vec<Id>> = vec![Vec::new(); count];
    for (at, implied) in draft.implied(ground).into_iter().enumerate() {
        implied.into_iter().for_each(|id| implied_by[id as usize].push(at as Id));
    }
    let mut adders: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (at, rule) in draft.rules.iter().enumerate() {
        adders[rule.add as usize].push(at as u32);
    }
    let mut needed = vec![false; count];
    let mut open: Vec<Id> = draft.goals.iter().flatten().copied().collect();
    while let Some(id) = open.pop() {
        homing_budget::checkpoint();
        if !std::mem::replace(&mut needed[id as usize], true) {
            let rules = adders[id as usize].iter().map(|at| &draft.rules[*at as usize]);
            open.extend(rules.flat_map(|rule| rule.pre.iter().copied()));
            open.extend(implied_by[id as usize].iter().copied());
        }
    }
    draft.rules.retain(|rule| needed[rule.add as usize]);
    renumber(draft, &needed)
}

/// Leaves only the conditions that are needed.
fn renumber(mut draft: Draft, needed: &[bool]) -> Draft {
    let old = std::mem::take(&mut draft.conditions);
    let mut new = vec![Id::MAX; needed.len()];
    for (at, condition) in old.list.into_iter().enumerate().filter(|(at, _)| needed[*at]) {
        new[at] = draft.conditions.intern(condition);
    }
    let rename = |id: &mut Id| *id = new[*id as usize];
    for rule in &mut draft.rules {
        rename(&mut rule.add);
        rule.pre.iter_mut().for_each(rename);
    }
    draft.goals.iter_mut().flatten().for_each(rename);
    draft
}

/// Unites rules of one label that add the same.
fn unite(mut draft: Draft, grow: bool) -> Draft {
    let mut unions = Unions { grow, ..Unions::default() };
    let rules = std::mem::take(&mut draft.rules);
    let mut united: BTreeSet<Unary> = BTreeSet::new();
    for alternatives in rules.chunk_by(|a, b| (a.label, a.add) == (b.label, b.add)) {
        let (label, add) = (alternatives[0].label, alternatives[0].add);
        let pres = alternatives.iter().map(|rule| rule.pre.clone()).collect();
        let pres = unite_alternatives(&mut draft, &mut unions, pres);
        united.extend(pres.into_iter().map(|pre| Unary { label, add, pre }));
    }
    unions.add_to(&draft, &mut united);
    draft.rules = united.into_iter().collect();
    draft
}

/// Which conditions are unions of which.
#[derive(Default)]
struct Unions {
    /// Whether new ones may be made.
    grow: bool,
    of: BTreeMap<Id, BTreeSet<Id>>,
}

impl Unions {
    /// The conditions it was made of in this round; just itself if it was not.
    fn parts(&self, id: Id) -> BTreeSet<Id> {
        self.of.get(&id).cloned().unwrap_or_else(|| BTreeSet::from([id]))
    }

    /// Whatever adds a part of a union adds the union.
    fn add_to(&self, draft: &Draft, rules: &mut BTreeSet<Unary>) {
        let mut wholes: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        let by_value = |id: Id| draft.by_value[draft.conditions.var(id) as usize];
        for (whole, parts) in self.of.iter().filter(|(whole, _)| !by_value(**whole)) {
            parts.iter().for_each(|part| wholes.entry(*part).or_default().push(*whole));
        }
        let mut added = Vec::new();
        for rule in rules.iter() {
            for whole in wholes.get(&rule.add).into_iter().flatten() {
                homing_budget::checkpoint();
                // What the precondition asks for is there already.
                if !rule.pre.iter().any(|id| draft.conditions.implies(*id, *whole)) {
                    added.push(Unary { add: *whole, ..rule.clone() });
                }
            }
        }
        rules.extend(added);
    }
}

/// Unites preconditions that differ in one variable, variable after variable,
/// and drops the dominated.
fn unite_alternatives(draft: &mut Draft, unions: &mut Unions, pres: Vec<Vec<Id>>) -> Vec<Vec<Id>> {
    if pres.len() < 2 {
        return pres;
    }
    let mut pres: BTreeSet<Vec<Id>> = pres.into_iter().collect();
    let vars: BTreeSet<_> = pres.iter().flatten().map(|id| draft.conditions.var(*id)).collect();
    for var in vars {
        // By the rest of the precondition, the conditions on this variable.
        let mut rests: BTreeMap<Vec<Id>, Vec<Option<Id>>> = BTreeMap::new();
        for pre in pres {
            homing_budget::checkpoint();
            let own = pre.iter().copied().find(|id| draft.conditions.var(*id) == var);
            let rest = pre.into_iter().filter(|id| Some(*id) != own).collect();
            rests.entry(rest).or_default().push(own);
        }
        pres = BTreeSet::new();
        for (rest, own) in rests {
            let own: Option<Vec<Id>> = own.into_iter().collect();
            let united = own.map_or_else(Vec::new, |own| union(draft, unions, own));
            let with = |id: Option<Id>| {
                let at = rest.partition_point(|id| draft.conditions.var(*id) < var);
                [&rest[..at], id.as_slice(), &rest[at..]].concat()
            };
            pres.extend(united.iter().map(|id| with(Some(*id))));
            pres.extend(united.is_empty().then(|| with(None)));
        }
    }
    undominated(draft, pres.into_iter().collect())
}

/// The union of conditions on one variable: none where it is always satisfied,
/// all of them where it may not be made.
fn union(draft: &mut Draft, unions: &mut Unions, ids: Vec<Id>) -> Vec<Id> {
    if ids.len() == 1 {
        return ids;
    }
    let var = draft.conditions.var(ids[0]);
    let all = |values: Values, id: &Id| values.union(draft.conditions.values(*id));
    let values = ids.iter().fold(Values::none(), all);
    if values == draft.reachable[var as usize] {
        return Vec::new();
    }
    let whole = Condition { var, values, all: false };
    if draft.conditions.find(&whole).is_none() {
        if !unions.grow {
            return ids;
        }
        let parts = ids.iter().flat_map(|id| unions.parts(*id)).collect();
        unions.of.insert(draft.conditions.intern(whole.clone()), parts);
    }
    vec![draft.conditions.intern(whole)]
}

/// Without the preconditions that ask for more than another does.
fn undominated(draft: &Draft, pres: Vec<Vec<Id>>) -> Vec<Vec<Id>> {
    if pres.len() > MOST_COMPARED {
        return pres;
    }
    let implies = |strong: &[Id], weak: &[Id]| {
        weak.iter().all(|weak| strong.iter().any(|id| draft.conditions.implies(*id, *weak)))
    };
    // No two are equivalent: conditions are interned, one a variable.
    let dominated = |pre: &Vec<Id>| pres.iter().any(|other| other != pre && implies(pre, other));
    pres.iter().filter(|pre| !dominated(pre)).cloned().collect()
}

/// Puts together what is added under the same precondition, and the labels
/// that do the same.
pub(super) fn rules(draft: &Draft) -> Vec<Rule> {
    let mut adds: BTreeMap<(u32, &Vec<Id>), Vec<Id>> = BTreeMap::new();
    for rule in &draft.rules {
        adds.entry((rule.label, &rule.pre)).or_default().push(rule.add);
    }
    let mut labels: BTreeMap<(&Vec<Id>, Vec<Id>), Vec<u32>> = BTreeMap::new();
    for ((label, pre), adds) in adds {
        labels.entry((pre, adds)).or_default().push(label);
    }
    let rule = |((pre, adds), labels): ((&Vec<Id>, _), _)| Rule { pre: pre.clone(), adds, labels };
    labels.into_iter().map(rule).collect()
}
