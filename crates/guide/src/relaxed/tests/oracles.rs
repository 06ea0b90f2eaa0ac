//! h^add, h^FF, LM-cut and landmarks of made-up ground forms, compared with
//! their definitions, taken literally.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::additive::Additive;
use super::super::draft::{Condition, Draft};
use super::super::graph::Graph;
use super::super::landmarks::{Finding, Landmarks};
use super::super::lmcut::LmCut;
use super::super::*;
use super::{Dice, both, counters, explore, labels, meets, operator, pack, set, variable};
use crate::ground::{Constraint, Value, Values};

/// What all values cost: of a rule's preconditions the sum counts, or the most.
fn costs_by_definition(
    ground: &Ground,
    values: &[Value],
    costs: &[Cost],
    combine: fn(Cost, Cost) -> Cost,
) -> Option<Cost> {
    let mut known: BTreeMap<(u32, Value), Cost> =
        values.iter().enumerate().map(|(var, value)| ((var as u32, *value), 0)).collect();
    let dearest = |constraints: &[&Constraint], known: &BTreeMap<(u32, Value), Cost>| {
        let vars: std::collections::BTreeSet<u32> = constraints.iter().map(|c| c.var).collect();
        vars.into_iter().try_fold(0, |all: Cost, var| {
            let on = || constraints.iter().filter(|constraint| constraint.var == var);
            let meets = |value: Value| on().all(|c| c.values.contains(value));
            let of = known.iter().filter(|((other, value), _)| *other == var && meets(*value));
            of.map(|(_, cost)| *cost).min().map(|least| combine(all, least))
        })
    };
    loop {
        let before = known.clone();
        for operator in &ground.operators {
            for effect in &operator.effects {
                let pre: Vec<&Constraint> = operator.pre.iter().chain(&effect.conditions).collect();
                let Some(pre) = dearest(&pre, &before) else { continue };
                for value in effect.values.iter() {
                    let cost = known.entry((effect.var, value)).or_insert(Cost::MAX);
                    *cost = (*cost).min(pre + costs[operator.label as usize]);
                }
            }
        }
        if known == before {
            let goals = ground.goals.iter();
            return goals
                .filter_map(|goal| dearest(&goal.iter().collect::<Vec<_>>(), &known))
                .min();
        }
    }
}

/// Whether the goal is reached under the relaxation though these values never
/// are.
fn reached_without(ground: &Ground, values: &[Value], forbidden: &Constraint) -> bool {
    let mut sets: Vec<Values> = values.iter().map(|value| Values::one(*value)).collect();
    loop {
        let mut next = sets.clone();
        for operator in &ground.operators {
            for effect in &operator.effects {
                let pre: Vec<&Constraint> = operator.pre.iter().chain(&effect.conditions).collect();
                if meets(&sets, &pre) {
                    let own = effect.var == forbidden.var;
                    let new = if own {
                        effect.values.without(&forbidden.values)
                    } else {
                        effect.values.clone()
                    };
                    next[effect.var as usize] = next[effect.var as usize].union(&new);
                }
            }
        }
        if next == sets {
            let goals = ground.goals.iter();
            return goals
                .map(|goal| goal.iter().collect::<Vec<_>>())
                .any(|goal| meets(&sets, &goal));
        }
        sets = next;
    }
}

/// The distance of every state, by costs.
fn distances(ground: &Ground, costs: &[Cost]) -> BTreeMap<Vec<Value>, Option<Cost>> {
    let explored = explore(ground);
    let mut distances: BTreeMap<Vec<Value>, Option<Cost>> = BTreeMap::new();
    for state in explored.steps.keys() {
        let goal = explored.distances.get(state) == Some(&0);
        distances.insert(state.clone(), goal.then_some(0));
    }
    loop {
        let mut changed = false;
        for (state, steps) in &explored.steps {
            let through = |(label, target): &(u32, Vec<Value>)| {
                distances[target].map(|distance| distance + costs[*label as usize])
            };
            let new = steps.iter().filter_map(through).chain(distances[state]).min();
            changed |= distances.insert(state.clone(), new) != Some(new);
        }
        if !changed {
            return distances;
        }
    }
}

/// h^add is as defined, h^FF no more than that and the cost of a relaxed trace.
fn compare_sums(ground: &Ground, fewer: usize, costs: &[Cost]) -> Result<(), TestCaseError> {
    let task = || Task::of(ground, Draft::new(ground, fewer), |label| costs[label as usize]);
    let sum = Relaxed::new(task(), costs.len() as u32, Measure::Sum, 1);
    let trace = Relaxed::new(task(), costs.len() as u32, Measure::Supporters, 1);
    let (mut sum, mut trace) = (Relaxing::<Additive>::new(&sum), Relaxing::<Additive>::new(&trace));
    for values in explore(ground).steps.keys() {
        let state = pack(values);
        let h_add = sum.estimate(&state, None);
        let expected = costs_by_definition(ground, values, costs, |a, b| a + b);
        prop_assert_eq!(h_add, expected.unwrap_or(DEAD_END), "{:?}", values);
        let h_ff = trace.estimate(&state, None);
        prop_assert_eq!(h_ff == DEAD_END, h_add == DEAD_END);
        prop_assert!(h_ff <= h_add);
        let h_max = costs_by_definition(ground, values, costs, Cost::max);
        prop_assert!(h_max.is_none_or(|h_max| h_max <= h_ff), "{:?} > {}", h_max, h_ff);
        for label in 0..costs.len() as u32 {
            let mut left = ground.clone();
            left.operators.retain(|operator| operator.label != label);
            let expected = costs_by_definition(&left, values, costs, |a, b| a + b);
            let without = sum.without(&state, label).unwrap();
            prop_assert_eq!(without == DEAD_END, expected.is_none());
            // What several labels do costs what the cheapest of all costs.
            let alike = costs.iter().all(|cost| *cost == costs[0]);
            prop_assert!(expected.is_none_or(|e| without <= e && (without == e || !alike)));
            let applies = |o: &crate::ground::Operator| o.label == label && o.applies(values);
            for estimate in [&mut sum, &mut trace] {
                let helpful = estimate.helpful(&state, label).unwrap();
                prop_assert!(!helpful || ground.operators.iter().any(applies), "{}", label);
            }
        }
    }
    Ok(())
}

/// LM-cut lies between h^max and the distance.
fn compare_cuts(ground: &Ground, cases: usize, costs: &[Cost]) -> Result<(), TestCaseError> {
    let split = ground.split(cases);
    let cut = LmCut::new(split.clone(), |label| costs[label as usize]);
    let mut cut = cut.instance();
    for (values, distance) in distances(ground, costs) {
        let h = cut.estimate(&pack(&values), None);
        let h_max = costs_by_definition(&split, &values, costs, Cost::max);
        prop_assert_eq!(h == DEAD_END, h_max.is_none());
        prop_assert!(distance.is_none_or(|d| h <= d), "{} > {:?} in {:?}", h, distance, values);
        prop_assert!(h_max.is_none_or(|h_max| h_max <= h), "{:?} > {}", h_max, h);
    }
    Ok(())
}

/// The landmarks are those conditions around which the goal is not reached,
/// and without whose values it is not.
fn compare_landmarks(ground: &Ground, fewer: usize) -> Result<(), TestCaseError> {
    let landmarks =
        Landmarks::new(Task::of(ground, Draft::new(ground, fewer), |_| 1), labels(ground));
    let mut finding = Finding::new(&landmarks);
    for values in explore(ground).steps.keys() {
        let h = finding.estimate(&pack(values), None);
        let h_max = costs_by_definition(ground, values, &[1; 5], Cost::max);
        prop_assert_eq!(h == DEAD_END, h_max.is_none());
        if h_max.is_none() || landmarks.task.trivial {
            continue;
        }
        let meaning = |id: u32| &landmarks.task.meanings[id as usize];
        let holds = |id: u32| {
            !meaning(id).all && meaning(id).values.contains(values[meaning(id).var as usize])
        };
        let all = 0..landmarks.task.conditions() as u32;
        let needed: Vec<u32> = all
            .filter(|id| !meaning(*id).all && !holds(*id))
            .filter(|id| !reached_around(&landmarks.graph, &holds, *id))
            .collect();
        for id in &needed {
            let Condition { var, values: set, .. } = meaning(*id).clone();
            let around = reached_without(ground, values, &Constraint { var, values: set });
            prop_assert!(!around, "{} is no landmark of {:?}", id, values);
        }
        let implies = |strong: u32, weak: u32| {
            let (strong, weak) = (meaning(strong), meaning(weak));
            strong != weak && strong.var == weak.var && strong.values.within(&weak.values)
        };
        let strongest = |id: &&u32| !needed.iter().any(|other| implies(*other, **id));
        prop_assert_eq!(h, needed.iter().filter(strongest).count() as Cost, "{:?}", values);
    }
    Ok(())
}

/// Whether the goal is reached in the graph though one condition never is.
fn reached_around(graph: &Graph, holds: &dyn Fn(u32) -> bool, without: u32) -> bool {
    let always = graph.goal - 1;
    let mut reached: Vec<bool> =
        (0..=graph.goal).map(|id| id == always || id < always && holds(id)).collect();
    loop {
        let before = reached.clone();
        for rule in 0..graph.rules() as u32 {
            if graph.pre.get(rule).iter().all(|id| reached[*id as usize]) {
                let adds = graph.adds.get(rule).iter().filter(|id| **id != without);
                adds.for_each(|id| reached[*id as usize] = true);
            }
        }
        if reached == before {
            return reached[graph.goal as usize];
        }
    }
}

#[test]
fn sums_count_what_is_shared_twice_and_traces_do_not() {
    // x must be 1 before y and z can be.
    let variables = (0..3).map(|number| variable(number, 2)).collect();
    let after = [Constraint { var: 0, values: Values::one(1) }];
    let operators = vec![
        operator(0, &[], &[set(0, 1)]),
        operator(1, &after, &[set(1, 1)]),
        operator(2, &after, &[set(2, 1)]),
    ];
    let goals = vec![vec![
        Constraint { var: 1, values: Values::one(1) },
        Constraint { var: 2, values: Values::one(1) },
    ]];
    let ground = Ground { variables, operators, goals, goals_exact: true, coarse: false };
    let of = |measure| {
        let relaxed = Relaxed::new(Task::new(&ground, |_| 1), 3, measure, 1);
        let mut instance = relaxed.instance();
        instance.estimate(&pack(&[0, 0, 0]), None)
    };
    assert_eq!((of(Measure::Sum), of(Measure::Supporters)), (4, 3));
    let cut = LmCut::new(ground.clone(), |_| 1);
    assert_eq!(cut.instance().estimate(&pack(&[0, 0, 0]), None), 3);
    let landmarks = Landmarks::new(Task::new(&ground, |_| 1), 3);
    assert_eq!(landmarks.instance().estimate(&pack(&[0, 0, 0]), None), 3);
    assert_eq!(landmarks.instance().estimate(&pack(&[1, 0, 1]), None), 1);
    assert_eq!(both(&ground, &[0, 0, 0]), (2, 3));
}

#[test]
fn cases_of_a_counter_are_cuts_of_their_own() {
    // The labels count up by conditional effects, three steps each.
    let ground = counters();
    let h = |cases| {
        let cut = LmCut::new(ground.split(cases), |_| 1);
        let mut cut = cut.instance();
        cut.estimate(&pack(&[0, 0]), None)
    };
    assert_eq!(h(256), 6);
    // Not multiplied out there is one operator a counter, and it is charged once.
    assert_eq!(h(1), 2);
}

#[test]
fn great_costs_stay_in_order() {
    let ground = counters();
    for scale in [1, 400, 5000, Cost::MAX / 4] {
        let task = Task::new(&ground, |label| scale * (label + 1));
        let relaxed = Relaxed::new(task, 2, Measure::Sum, 1);
        let h = relaxed.instance().estimate(&pack(&[1, 2]), None);
        assert_eq!(h, scale.saturating_mul(4).min(DEAD_END - 1));
    }
}

proptest! {
    #![proptest_config(homing_ir::random::config(300))]

    #[test]
    fn differential_costs(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let ground = dice.ground();
        let random: Vec<Cost> = (0..5).map(|_| dice.below(4)).collect();
        for costs in [vec![1; 5], random] {
            let tell = |error| TestCaseError::fail(format!("{error} with {costs:?} in {ground:#?}"));
            for fewer in [usize::MAX / 1_000_000, 1, 0] {
                compare_sums(&ground, fewer, &costs).map_err(tell)?;
            }
            for cases in [1, 3, 256] {
                compare_cuts(&ground, cases, &costs).map_err(tell)?;
            }
        }
        for fewer in [usize::MAX / 1_000_000, 0] {
            compare_landmarks(&ground, fewer).map_err(|error| {
                TestCaseError::fail(format!("{error} in {ground:#?}"))
            })?;
        }
    }
}
