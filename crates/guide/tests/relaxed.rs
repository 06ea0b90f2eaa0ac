//! The relaxed estimates on random networks: against the definition of layers,
//! taken literally, and against exact distances.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use homing_core::{Batch, Cost, DEAD_END, Edge, Space, Word, expression};
use homing_guide::ground::{Constraint, Ground, Value, Values};
use homing_guide::{Factory, Goal};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use proptest::prelude::*;

/// Networks with more states are left out.
const LIMIT: usize = 1000;

/// The reachable states, their steps, and whether the goal holds in them.
struct Explored {
    states: Vec<Vec<Word>>,
    steps: Vec<Vec<(Edge, usize)>>,
    goal: Vec<bool>,
}

fn explore(space: &CompiledSpace) -> Option<Explored> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut found = Explored { states: vec![batch.state(0).to_vec()], steps: vec![], goal: vec![] };
    let mut numbers = BTreeMap::from([(found.states[0].clone(), 0)]);
    while found.steps.len() < found.states.len() {
        let state = found.states[found.steps.len()].clone();
        batch.clear();
        expander.expand(&state, &mut batch);
        let mut steps = Vec::new();
        for i in 0..batch.len() {
            let number = *numbers.entry(batch.state(i).to_vec()).or_insert_with_key(|state| {
                found.states.push(state.clone());
                found.states.len() - 1
            });
            steps.push((batch.edge(i), number));
        }
        found.steps.push(steps);
        found.goal.push(expander.violated(&state) & 1 == 1);
        if found.states.len() > LIMIT {
            return None;
        }
    }
    Some(found)
}

impl Explored {
    /// The least number of steps to the goal, backwards from it.
    fn distances(&self) -> Vec<Cost> {
        let mut parents = vec![Vec::new(); self.states.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            steps.iter().for_each(|(_, to)| parents[*to].push(from));
        }
        let mut distances = vec![DEAD_END; self.states.len()];
        let goals = (0..self.states.len()).filter(|number| self.goal[*number]);
        let mut queue: VecDeque<(usize, Cost)> = goals.map(|number| (number, 0)).collect();
        while let Some((number, distance)) = queue.pop_front() {
            if distances[number] == DEAD_END {
                distances[number] = distance;
                queue.extend(parents[number].iter().map(|parent| (*parent, distance + 1)));
            }
        }
        distances
    }
}

/// The definition of h^L.
fn layers_by_definition(ground: &Ground, state: &[Word], left_out: Option<u32>) -> Cost {
    let value = |variable: &homing_guide::ground::Variable| variable.get(state);
    let values: Vec<Value> = ground.variables.iter().map(value).collect();
    let mut sets: Vec<Values> = values.into_iter().map(Values::one).collect();
    for layer in 0.. {
        let meets = |constraints: &[&Constraint]| {
            constraints.iter().all(|constraint| {
                let on = || constraints.iter().filter(|other| other.var == constraint.var);
                let mut values = sets[constraint.var as usize].iter();
                values.any(|value| on().all(|c| c.values.contains(value)))
            })
        };
        if ground.goals.iter().any(|goal| meets(&goal.iter().collect::<Vec<_>>())) {
            return layer;
        }
        let mut next = sets.clone();
        for operator in ground.operators.iter().filter(|o| Some(o.label) != left_out) {
            for effect in &operator.effects {
                if meets(&operator.pre.iter().chain(&effect.conditions).collect::<Vec<_>>()) {
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

fn build<'a>(goal: &Goal<'a>, name: &str) -> Factory<'a> {
    let expression = expression::parse(name).unwrap();
    homing_guide::build(goal, expression.as_call().unwrap()).unwrap()
}

/// What was seen, so that the comparison cannot be empty.
#[derive(Default, Debug)]
struct Seen {
    states: usize,
    dead_ends: usize,
    far: usize,
    exact: usize,
}

fn compare(
    network: &Network,
    goal: &Expr,
    passes: Passes,
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let wanted = Wanted::goal(goal.clone());
    let space = CompiledSpace::new(network, &[wanted], passes).expect("a supported network");
    let Some(found) = explore(&space) else { return Ok(()) };
    let notices = RefCell::new(Vec::new());
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    let (layers, trace) = (build(&goal, "relaxed-layers"), build(&goal, "relaxed-trace"));
    let (mut layers, mut trace) = (layers.instance(), trace.instance());
    prop_assert!(layers.claims().admissible && layers.claims().consistent);
    let ground = Ground::of(space.prepared(), &goal.term("test").unwrap());
    let distances = found.distances();
    for (number, state) in found.states.iter().enumerate() {
        let h_l = layers.estimate(state, None);
        prop_assert_eq!(h_l, layers_by_definition(&ground, state, None));
        prop_assert!(h_l <= distances[number], "{} > {}", h_l, distances[number]);
        let h_u = trace.estimate(state, None);
        prop_assert!(h_u >= h_l);
        prop_assert_eq!((h_u == 0, h_u == DEAD_END), (h_l == 0, h_l == DEAD_END));
        if ground.goals_exact {
            prop_assert_eq!(h_u == 0, found.goal[number]);
        }
        for (edge, target) in &found.steps[number] {
            let next = layers.estimate(&found.states[*target], Some(*edge));
            prop_assert!(h_l <= next.saturating_add(1), "{} to {} by {:?}", h_l, next, edge);
            let expected = layers_by_definition(&ground, state, Some(edge.label));
            prop_assert_eq!(layers.without(state, edge.label), Some(expected));
            let without = trace.without(state, edge.label).unwrap();
            prop_assert!(without >= expected && (without == DEAD_END) == (expected == DEAD_END));
            trace.helpful(state, edge.label).unwrap();
        }
        seen.states += 1;
        seen.dead_ends += usize::from(h_l == DEAD_END);
        seen.far += usize::from(h_l > 1 && h_l != DEAD_END);
        seen.exact += usize::from(h_l == distances[number]);
    }
    Ok(())
}

/// An endless loop takes its million rounds in every state; layers are moves,
/// and steps may be several.
const LEFT_OUT: &[Feature] = &[Feature::Loops, Feature::Atomic];

/// Everything but these.
fn samples() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    any::<bool>().prop_flat_map(|faults| {
        let features: Vec<Feature> =
            SUPPORTED.iter().copied().filter(|feature| !LEFT_OUT.contains(feature)).collect();
        networks_with_goals(Knobs { faults, ..Knobs::with(&features) }, 1)
    })
}

fn differential(passes: Passes) {
    let seen = RefCell::new(Seen::default());
    let config =
        ProptestConfig { max_shrink_iters: 1000, failure_persistence: None, ..config(200) };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&samples(), |(network, goals)| {
        compare(&network, &goals[0], passes, &mut seen.borrow_mut())
    });
    println!("{:?}", seen.borrow());
    result.unwrap();
    let seen = seen.into_inner();
    assert!(seen.dead_ends > 0 && seen.far > 0 && seen.exact > seen.states / 10, "{seen:?}");
}

#[test]
fn differential_distances() {
    differential(Passes::COUNTING);
}

#[test]
fn differential_distances_with_all_passes() {
    differential(Passes::ALL);
}
