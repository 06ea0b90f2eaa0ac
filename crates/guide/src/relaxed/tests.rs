//! Made-up ground forms: examples by hand, and random ones compared with the
//! definitions, taken literally.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod oracles;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use homing_ir::layout::Field;
use homing_ir::system::SlotId;
use proptest::prelude::*;

use super::draft::Draft;
use super::*;
use crate::ground::{Constraint, Effect, Operator, Value, Values, Variable};

/// A variable of `size` values, eight bits each in a packed state.
fn variable(number: u32, size: u32) -> Variable {
    let field = Field { word: number / 8, shift: number % 8 * 8, bits: 8, lo: 0 };
    let bounds = (0..i64::from(size)).collect();
    Variable { slot: SlotId(number), field, bounds, last: i64::from(size) - 1, initial: 0 }
}

fn is(var: u32, values: &[Value]) -> Constraint {
    Constraint { var, values: values.iter().copied().collect() }
}

fn set(var: u32, value: Value) -> Effect {
    Effect { conditions: vec![], var, values: Values::one(value), may: false }
}

fn operator(label: u32, pre: &[Constraint], effects: &[Effect]) -> Operator {
    Operator { label, pre: pre.to_vec(), effects: effects.to_vec(), exact: true }
}

fn pack(values: &[Value]) -> Vec<Word> {
    let mut state = vec![0; values.len().div_ceil(8)];
    for (at, value) in values.iter().enumerate() {
        state[at / 8] |= Word::from(*value) << (at % 8 * 8);
    }
    state
}

fn labels(ground: &Ground) -> u32 {
    ground.operators.iter().map(|operator| operator.label + 1).max().unwrap_or(0)
}

fn relaxed(ground: &Ground, measure: Measure) -> Relaxed {
    Relaxed::new(Task::new(ground, |_| 1), labels(ground), measure, 1)
}

fn both(ground: &Ground, values: &[Value]) -> (Cost, Cost) {
    let of = |measure| relaxed(ground, measure).instance().estimate(&pack(values), None);
    (of(Measure::Layers), of(Measure::Trace))
}

/// Two counters that count up by labels 0 and 1; both must be at the end.
fn counters() -> Ground {
    let mut operators = Vec::new();
    for var in 0..2 {
        let step = |value| Effect { conditions: vec![is(var, &[value])], ..set(var, value + 1) };
        let steps: Vec<Effect> = (0..3).map(step).collect();
        operators.push(operator(var, &[is(var, &[0, 1, 2])], &steps));
    }
    let variables = (0..2).map(|number| variable(number, 4)).collect();
    let goals = vec![vec![is(0, &[3]), is(1, &[3])]];
    Ground { variables, operators, goals, goals_exact: true, coarse: false }
}

#[test]
fn layers_are_parallel_and_traces_are_not() {
    let ground = counters();
    assert_eq!(both(&ground, &[0, 0]), (3, 6));
    assert_eq!(both(&ground, &[2, 1]), (2, 3));
    assert_eq!(both(&ground, &[3, 3]), (0, 0));
}

#[test]
fn a_step_left_out_is_missed_only_where_it_is_needed() {
    let ground = counters();
    for measure in [Measure::Layers, Measure::Trace] {
        let relaxed = relaxed(&ground, measure);
        let mut estimate = relaxed.instance();
        assert_eq!(estimate.without(&pack(&[1, 3]), 0), Some(DEAD_END));
        let all = estimate.estimate(&pack(&[1, 3]), None);
        assert_eq!(estimate.without(&pack(&[1, 3]), 1), Some(all));
    }
}

#[test]
fn helpful_steps_start_the_trace() {
    let trace = relaxed(&counters(), Measure::Trace);
    let mut estimate = trace.instance();
    assert_eq!(estimate.helpful(&pack(&[1, 3]), 0), Some(true));
    assert_eq!(estimate.helpful(&pack(&[1, 3]), 1), Some(false));
    assert_eq!(estimate.helpful(&pack(&[3, 0]), 1), Some(true));
    let layers = relaxed(&counters(), Measure::Layers);
    assert_eq!(layers.instance().helpful(&pack(&[0, 0]), 0), None);
}

#[test]
fn effects_of_one_step_count_once() {
    let variables = (0..3).map(|number| variable(number, 2)).collect();
    let later = Effect { conditions: vec![is(0, &[0])], ..set(1, 1) };
    let operators = vec![operator(0, &[], &[set(2, 1), later, set(0, 1)])];
    let goals = vec![vec![is(0, &[1]), is(1, &[1]), is(2, &[1])]];
    let ground = Ground { variables, operators, goals, goals_exact: true, coarse: false };
    assert_eq!(both(&ground, &[0, 0, 0]), (1, 1));
    // Nothing else is ever reached from the initial state but this.
    assert_eq!(both(&ground, &[1, 1, 1]), (0, 0));
}

#[test]
fn goals_that_always_or_never_hold() {
    let mut ground = counters();
    ground.goals = vec![];
    assert_eq!(both(&ground, &[0, 0]), (DEAD_END, DEAD_END));
    ground.goals = vec![vec![is(0, &[3])], vec![]];
    assert_eq!(both(&ground, &[0, 0]), (0, 0));
    // All that can be reached.
    ground.goals = vec![vec![is(0, &[0, 1, 2, 3])]];
    assert_eq!(both(&ground, &[0, 0]), (0, 0));
}

#[test]
fn cases_of_a_guard_are_united() {
    // Whatever the second variable is: three rules become one.
    let mut ground = counters();
    let leap = |value| operator(2, &[is(0, &[0]), is(1, &[value])], &[set(0, 3)]);
    ground.operators.extend((0..4).map(leap));
    ground.goals = vec![vec![is(0, &[3])]];
    let task = relaxed(&ground, Measure::Layers).task;
    let leaps = (0..task.pre.len() as u32).filter(|rule| task.labels.get(*rule) == [2]);
    assert_eq!(leaps.map(|rule| task.pre.get(rule).len()).collect::<Vec<_>>(), [1]);
    assert_eq!(both(&ground, &[0, 2]), (1, 1));
}

#[test]
fn costs_scale_layers_and_add_up_in_traces() {
    let ground = counters();
    let task = || Task::new(&ground, |label| 2 + 3 * label);
    let trace = Relaxed::new(task(), 2, Measure::Trace, 2);
    assert_eq!(trace.instance().estimate(&pack(&[0, 1]), None), 3 * 2 + 2 * 5);
    let layers = Relaxed::new(task(), 2, Measure::Layers, 2);
    assert_eq!(layers.instance().estimate(&pack(&[0, 1]), None), 6);
}

/// A source of choices.
struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) % u64::from(count)) as u32
    }

    /// Some values, at times only one, never none and never all.
    fn some(&mut self, size: u32) -> Values {
        let one = Values::one(self.below(size));
        let some: Values = (0..size).filter(|_| self.below(3) == 0).collect();
        let both = one.union(&some);
        if self.below(2) == 0 || both.len() == size { one } else { both }
    }

    /// Constraints on some variables.
    fn conjunction(&mut self, sizes: &[u32], one_in: u32) -> Vec<Constraint> {
        let mut all = Vec::new();
        for (var, size) in sizes.iter().enumerate() {
            if self.below(one_in) == 0 {
                all.push(Constraint { var: var as u32, values: self.some(*size) });
            }
        }
        all
    }

    fn effect(&mut self, sizes: &[u32]) -> Effect {
        let var = self.below(sizes.len() as u32);
        let conditions = if self.below(2) == 0 { vec![] } else { self.conjunction(sizes, 3) };
        Effect { conditions, var, values: self.some(sizes[var as usize]), may: self.below(4) == 0 }
    }

    pub fn ground(&mut self) -> Ground {
        let sizes: Vec<u32> = (0..2 + self.below(3)).map(|_| 2 + self.below(4)).collect();
        let count = 1 + self.below(20);
        let operators = (0..count).map(|_| {
            let effects = (0..1 + self.below(3)).map(|_| self.effect(&sizes)).collect();
            let pre = self.conjunction(&sizes, 2);
            Operator { label: self.below(5), pre, effects, exact: false }
        });
        let operators = operators.collect();
        let goals = (0..1 + self.below(2)).map(|_| self.conjunction(&sizes, 1)).collect();
        let variables = sizes.iter().enumerate().map(|(number, size)| {
            let initial = self.below(*size);
            Variable { initial, ..variable(number as u32, *size) }
        });
        let variables = variables.collect();
        Ground { variables, operators, goals, goals_exact: false, coarse: false }
    }
}

/// Whether every variable has a value that meets all constraints on it.
fn meets(sets: &[Values], constraints: &[&Constraint]) -> bool {
    (0..sets.len() as u32).all(|var| {
        let on = || constraints.iter().filter(|constraint| constraint.var == var);
        sets[var as usize].iter().any(|value| on().all(|c| c.values.contains(value)))
    })
}

/// The definition of h^L.
fn layers_by_definition(ground: &Ground, values: &[Value], left_out: &[u32]) -> Cost {
    let mut sets: Vec<Values> = values.iter().map(|value| Values::one(*value)).collect();
    for layer in 0.. {
        if ground.goals.iter().any(|goal| meets(&sets, &goal.iter().collect::<Vec<_>>())) {
            return layer;
        }
        let mut next = sets.clone();
        for operator in ground.operators.iter().filter(|o| !left_out.contains(&o.label)) {
            for effect in &operator.effects {
                if meets(&sets, &operator.pre.iter().chain(&effect.conditions).collect::<Vec<_>>())
                {
                    let var = effect.var as usize;
                    next[var] = next[var].union(&effect.values);
                }
            }
        }
        if next == sets {
            return DEAD_END;
        }
        sets = next;
    }
    unreachable!("there are finitely many values")
}

fn holds(constraints: &[Constraint], values: &[Value]) -> bool {
    constraints.iter().all(|c| c.values.contains(values[c.var as usize]))
}

/// All steps from a state, by the meaning of the ground form.
fn successors(ground: &Ground, values: &[Value]) -> BTreeSet<(u32, Vec<Value>)> {
    let mut all = BTreeSet::new();
    for operator in ground.operators.iter().filter(|operator| holds(&operator.pre, values)) {
        let mut targets: Vec<Vec<Value>> = vec![vec![]];
        for (var, old) in values.iter().enumerate() {
            let applies = |e: &&Effect| e.var as usize == var && holds(&e.conditions, values);
            let effects: Vec<&Effect> = operator.effects.iter().filter(applies).collect();
            let mut new: BTreeSet<Value> = effects.iter().flat_map(|e| e.values.iter()).collect();
            if effects.iter().all(|effect| effect.may) {
                new.insert(*old);
            }
            let extend = |target: Vec<Value>| {
                new.iter().map(move |value| [&target[..], &[*value]].concat()).collect::<Vec<_>>()
            };
            targets = targets.into_iter().flat_map(extend).collect();
        }
        all.extend(targets.into_iter().map(|target| (operator.label, target)));
    }
    all
}

/// Every reachable state with its steps, and the exact distance of those that
/// can reach the goal.
struct Explored {
    pub steps: BTreeMap<Vec<Value>, BTreeSet<(u32, Vec<Value>)>>,
    pub distances: BTreeMap<Vec<Value>, Cost>,
}

fn explore(ground: &Ground) -> Explored {
    let initial: Vec<Value> = ground.variables.iter().map(|variable| variable.initial).collect();
    let mut steps = BTreeMap::new();
    let mut open = vec![initial];
    while let Some(state) = open.pop() {
        steps.entry(state).or_insert_with_key(|state| {
            let next = successors(ground, state);
            open.extend(next.iter().map(|(_, target)| target.clone()));
            next
        });
    }
    let mut parents: BTreeMap<Vec<Value>, Vec<Vec<Value>>> = BTreeMap::new();
    for (state, next) in &steps {
        for (_, target) in next {
            parents.entry(target.clone()).or_default().push(state.clone());
        }
    }
    let goal = |state: &&Vec<Value>| ground.goals.iter().any(|goal| holds(goal, state));
    let mut queue: VecDeque<(Vec<Value>, Cost)> =
        steps.keys().filter(goal).map(|state| (state.clone(), 0)).collect();
    let mut distances = BTreeMap::new();
    while let Some((state, distance)) = queue.pop_front() {
        distances.entry(state).or_insert_with_key(|state| {
            let parents = parents.get(state).into_iter().flatten();
            queue.extend(parents.map(|parent| (parent.clone(), distance + 1)));
            distance
        });
    }
    Explored { steps, distances }
}

/// Leaves out all labels that the trace extracted last does not use.
fn unused(estimate: &Relaxing<Exploration>, labels: u32) -> Vec<u32> {
    let taken = estimate.trace.taken.iter();
    let used: BTreeSet<u32> =
        taken.map(|taken| estimate.of.task.labels.get(taken.rule)[0]).collect();
    (0..labels).filter(|label| !used.contains(label)).collect()
}

fn compare(ground: &Ground, fewer: usize) -> Result<(), TestCaseError> {
    let explored = explore(ground);
    let labels = labels(ground);
    let task = || Task::of(ground, Draft::new(ground, fewer), |_| 1);
    let layers = Relaxed::new(task(), labels, Measure::Layers, 1);
    let trace = Relaxed::new(task(), labels, Measure::Trace, 1);
    let mut layers = Relaxing::<Exploration>::new(&layers);
    let mut trace = Relaxing::<Exploration>::new(&trace);
    for (values, steps) in &explored.steps {
        let state = pack(values);
        let h_l = layers.estimate(&state, None);
        prop_assert_eq!(h_l, layers_by_definition(ground, values, &[]), "{:?}", values);
        let distance = explored.distances.get(values).copied().unwrap_or(DEAD_END);
        prop_assert!(h_l <= distance, "{} > {} in {:?}", h_l, distance, values);
        for (_, target) in steps {
            let next = layers.estimate(&pack(target), None);
            prop_assert!(h_l <= next.saturating_add(1), "{:?} to {:?}", values, target);
        }
        let h_u = trace.estimate(&state, None);
        prop_assert!(h_u >= h_l);
        prop_assert_eq!(h_u == 0, h_l == 0);
        prop_assert_eq!(h_u == DEAD_END, h_l == DEAD_END);
        if h_u != DEAD_END {
            let left_out = unused(&trace, labels);
            prop_assert_eq!(layers_by_definition(ground, values, &left_out), h_l);
        }
        for label in 0..labels {
            let expected = layers_by_definition(ground, values, &[label]);
            prop_assert_eq!(layers.without(&state, label), Some(expected), "{}", label);
            let without = trace.without(&state, label).unwrap();
            prop_assert!(without >= expected);
            prop_assert_eq!(without == DEAD_END, expected == DEAD_END);
            let applies = |o: &Operator| o.label == label && holds(&o.pre, values);
            if trace.helpful(&state, label).unwrap() {
                prop_assert!(ground.operators.iter().any(applies), "{} is not there", label);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(homing_ir::random::config(1000))]

    #[test]
    fn differential_definition(seed in any::<u64>()) {
        let ground = Dice(seed).ground();
        // No variable by value, some, and all of them.
        for fewer in [usize::MAX / 1_000_000, 1, 0] {
            compare(&ground, fewer).map_err(|error| {
                TestCaseError::fail(format!("{error} in {ground:#?}"))
            })?;
        }
    }
}
