//! The paper's example, and random ground forms against exhaustive search.

use std::collections::VecDeque;

use homing_core::{Cost, DEAD_END, Edge, Word};
use homing_ir::layout::Field;
use homing_ir::system::SlotId;

use super::*;
use crate::ground::{Effect, Operator, Value, Values, Variable};

/// A variable of eight bits in a word of its own.
fn variable(number: u32, size: u32) -> Variable {
    Variable {
        slot: SlotId(number),
        field: Field { word: number, shift: 0, bits: 8, lo: 0 },
        bounds: (0..i64::from(size)).collect(),
        last: i64::from(size) - 1,
        initial: 0,
    }
}

fn is(var: u32, value: Value) -> Constraint {
    Constraint { var, values: Values::one(value) }
}

fn becomes(var: u32, value: Value) -> Effect {
    Effect { conditions: vec![], var, values: Values::one(value), may: false }
}

/// An operator for every pair of moves with this action of two processes.
fn action(
    label: u32,
    (one, moves): (u32, &[(Value, Value)]),
    (other, partners): (u32, &[(Value, Value)]),
) -> Vec<Operator> {
    let joint = |(a, b): (&(Value, Value), &(Value, Value))| Operator {
        label,
        pre: vec![is(one, a.0), is(other, b.0)],
        effects: vec![becomes(one, a.1), becomes(other, b.1)],
        exact: true,
    };
    moves.iter().flat_map(|a| partners.iter().map(move |b| joint((a, b)))).collect()
}

/// The system of Fig. 1. The figure's drawing is not in the text; these are the
/// fewest edges with which all numbers of sections 3 and 6 come out.
fn figure_1() -> Ground {
    let mut operators =
        action(0, (0, &[(1, 2), (2, 0), (2, 2)]), (1, &[(1, 2), (0, 1), (0, 2), (2, 2)]));
    operators.extend(action(1, (0, &[(0, 1)]), (2, &[(0, 1), (2, 0)])));
    operators.extend(action(2, (1, &[(0, 1)]), (2, &[(1, 2), (0, 2)])));
    Ground {
        variables: (0..3).map(|number| variable(number, 3)).collect(),
        operators,
        goals: vec![vec![is(0, 2), is(1, 2), is(2, 2)]],
        goals_exact: true,
        coarse: false,
    }
}

fn options(states: u32) -> Options {
    Options { states, order: Order::Near, compose: Compose::Ranking, keep: Keep::Steps }
}

fn build(ground: &Ground, options: &Options) -> Abstraction {
    let owners = vec![None; ground.variables.len()];
    Abstraction::of(ground, &owners, options, |_| 1, usize::MAX).unwrap()
}

#[test]
fn the_papers_tables_come_out() {
    const BOTTOM: usize = 3;
    let alpha = [[2, 2, 2], [1, 1, 1], [BOTTOM, 1, 0]];
    let distance = [[4, 5, 0], [2, 2, 1], [3, 4, 3], [DEAD_END; 3]];
    let abstraction = build(&figure_1(), &options(3));
    let mut abstraction = abstraction.instance();
    for (p, row) in alpha.iter().enumerate() {
        for (q, a) in row.iter().enumerate() {
            for (r, expected) in distance[*a].iter().enumerate() {
                let state = [p as Word, q as Word, r as Word];
                assert_eq!(abstraction.estimate(&state, None), *expected, "{state:?}");
            }
        }
    }
}

#[test]
fn the_papers_ranking_comes_out() {
    let ground = figure_1();
    let processes = Processes::of(&ground, &States::new(&ground), &ground.goals[0], |_| 1);
    let mut strategy = super::strategy::Strategy::new(Compose::Ranking);
    assert_eq!(strategy.choose(&processes, &[0, 1, 2]), Some((0, 1)));
}

/// Either of two clients, 1 and 2, may ask the server, 0; a clock, 3, ticks.
fn clients() -> Ground {
    let ask = |label: u32, client: u32| action(label, (client, &[(0, 1)]), (0, &[(0, 1), (1, 2)]));
    let tick =
        Operator { label: 2, pre: vec![is(3, 0)], effects: vec![becomes(3, 1)], exact: true };
    let operators = [ask(0, 1), ask(1, 2), vec![tick]].concat();
    Ground {
        variables: (0..4).map(|number| variable(number, 3)).collect(),
        operators,
        goals: vec![vec![is(0, 1)]],
        goals_exact: true,
        coarse: false,
    }
}

fn relevant(ground: &Ground) -> Option<Vec<bool>> {
    let processes = Processes::of(ground, &States::new(ground), &ground.goals[0], |_| 1);
    super::relevance::on_relaxed_trace(&processes)
}

#[test]
fn one_of_two_clients_is_enough() {
    assert_eq!(relevant(&clients()), Some(vec![true, true, false, false]));
    assert_eq!(relevant(&figure_1()), Some(vec![true; 3]));
}

#[test]
fn an_error_out_of_reach_has_no_relaxed_trace() {
    let mut ground = clients();
    ground.operators.retain(|operator| operator.label == 2);
    assert_eq!(relevant(&ground), None);
    let options = Options { compose: Compose::Trace, ..options(10) };
    assert!(build(&ground, &options).lookups.is_empty());
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn values(&mut self, size: u32) -> Values {
        let some: Values = (0..size).filter(|_| self.below(3) == 0).collect();
        if some.is_empty() { Values::one(self.below(size)) } else { some }
    }

    fn constraints(&mut self, sizes: &[u32], share: u32) -> Vec<Constraint> {
        let mut constraints = vec![];
        for (var, size) in (0..).zip(sizes) {
            if self.below(share) == 0 {
                constraints.push(Constraint { var, values: self.values(*size) });
            }
        }
        constraints
    }

    fn effect(&mut self, sizes: &[u32]) -> Effect {
        let var = self.below(sizes.len() as u32);
        let size = sizes[var as usize];
        let values =
            if self.below(3) == 0 { self.values(size) } else { Values::one(self.below(size)) };
        let conditions = if self.below(3) == 0 { self.constraints(sizes, 3) } else { vec![] };
        Effect { conditions, var, values, may: self.below(4) == 0 }
    }

    fn ground(&mut self) -> Ground {
        let count = 1 + self.below(5);
        let sizes: Vec<u32> = (0..count).map(|_| 2 + self.below(4)).collect();
        let labels = 2 + self.below(10);
        let operator = |dice: &mut Dice| Operator {
            label: dice.below(labels),
            pre: dice.constraints(&sizes, 2),
            effects: (0..1 + dice.below(2)).map(|_| dice.effect(&sizes)).collect(),
            exact: false,
        };
        Ground {
            operators: (0..3 + self.below(15)).map(|_| operator(self)).collect(),
            goals: (0..1 + self.below(3)).map(|_| self.constraints(&sizes, 2)).collect(),
            variables: (0..).zip(&sizes).map(|(n, size)| variable(n, *size)).collect(),
            goals_exact: false,
            coarse: false,
        }
    }
}

fn holds(constraints: &[Constraint], state: &[Word]) -> bool {
    constraints.iter().all(|c| c.values.contains(state[c.var as usize] as Value))
}

/// All states an operator may lead to, by the contract of the ground form.
fn after(ground: &Ground, operator: &Operator, state: &[Word]) -> Vec<Vec<Word>> {
    if !holds(&operator.pre, state) {
        return vec![];
    }
    let mut all = vec![vec![]];
    for (var, old) in (0..ground.variables.len() as u32).zip(state) {
        let applying =
            operator.effects.iter().filter(|e| e.var == var && holds(&e.conditions, state));
        let applying: Vec<&Effect> = applying.collect();
        let mut values: Vec<Word> =
            applying.iter().flat_map(|effect| effect.values.iter()).map(Word::from).collect();
        if applying.iter().all(|effect| effect.may) {
            values.push(*old);
        }
        values.sort_unstable();
        values.dedup();
        let with = |value: Word| all.iter().map(move |s: &Vec<Word>| [&s[..], &[value]].concat());
        all = values.into_iter().flat_map(with).collect();
    }
    all
}

/// The numbers of two states, and the label between.
type Step = (usize, u32, usize);

/// The reachable part: states and edges with labels, by number.
fn explore(ground: &Ground) -> (Vec<Vec<Word>>, Vec<Step>) {
    let initial: Vec<Word> = ground.variables.iter().map(|v| Word::from(v.initial)).collect();
    let mut numbers = std::collections::BTreeMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut edges = vec![];
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        for operator in &ground.operators {
            for to in after(ground, operator, &states[at].clone()) {
                let number = *numbers.entry(to.clone()).or_insert_with(|| {
                    states.push(to);
                    queue.push_back(states.len() - 1);
                    states.len() - 1
                });
                edges.push((at, operator.label, number));
            }
        }
    }
    (states, edges)
}

fn exact(
    ground: &Ground,
    states: &[Vec<Word>],
    edges: &[Step],
    cost: impl Fn(u32) -> Cost,
) -> Vec<Cost> {
    let is_goal = |state: &Vec<Word>| ground.goals.iter().any(|goal| holds(goal, state));
    let mut distances: Vec<Cost> =
        states.iter().map(|state| if is_goal(state) { 0 } else { DEAD_END }).collect();
    loop {
        let mut changed = false;
        for (from, label, to) in edges {
            if distances[*to] != DEAD_END && distances[*to] + cost(*label) < distances[*from] {
                distances[*from] = distances[*to] + cost(*label);
                changed = true;
            }
        }
        if !changed {
            return distances;
        }
    }
}

/// Admissible, consistent, and the same by both ways of looking up. Whether the
/// initial state is estimated exactly.
fn compare(ground: &Ground, options: &Options, cost: impl Fn(u32) -> Cost + Copy) -> bool {
    let (states, edges) = explore(ground);
    let distances = exact(ground, &states, &edges, cost);
    let owners: Vec<Option<u32>> =
        (0..ground.variables.len() as u32).map(|var| (var < 3).then_some(var / 2)).collect();
    let abstraction = Abstraction::of(ground, &owners, options, cost, usize::MAX).unwrap();
    let mut abstraction = abstraction.instance();
    let estimates: Vec<Cost> = states.iter().map(|s| abstraction.estimate(s, None)).collect();
    for (state, (estimate, distance)) in states.iter().zip(estimates.iter().zip(&distances)) {
        assert!(estimate <= distance, "{estimate} > {distance} in {state:?}");
    }
    for (from, label, to) in &edges {
        let after = estimates[*to].saturating_add(cost(*label));
        assert!(
            !abstraction.claims().consistent || estimates[*from] <= after,
            "{options:?}: {:?} to {:?}",
            states[*from],
            states[*to]
        );
        abstraction.expanding(&states[*from]);
        let edge = Edge { label: *label, choice: 0 };
        assert_eq!(abstraction.estimate(&states[*to], Some(edge)), estimates[*to]);
    }
    estimates[0] == distances[0]
}

#[test]
fn random_ground_forms_are_never_overestimated() {
    for seed in 0..400 {
        let ground = Dice(seed).ground();
        for states in [2, 3, 5, 10, 1000] {
            for order in [Order::Near, Order::Far] {
                for compose in [Compose::Ranking, Compose::Default, Compose::Trace] {
                    for keep in [Keep::Steps, Keep::Labels] {
                        let options = Options { states, order, compose, keep };
                        compare(&ground, &options, |_| 1);
                        compare(&ground, &options, |label| label % 4);
                    }
                }
            }
        }
    }
}

/// Without conditions on other variables, nothing is lost if N is large.
#[test]
fn large_abstractions_are_exact() {
    let mut reachable = 0;
    for seed in 0..400 {
        let mut ground = Dice(seed).ground();
        for effect in ground.operators.iter_mut().flat_map(|operator| &mut operator.effects) {
            effect.conditions.clear();
        }
        assert!(compare(&ground, &options(10_000), |_| 1), "seed {seed}");
        assert!(compare(&ground, &options(10_000), |label| label % 4), "seed {seed}");
        reachable += usize::from(!build(&ground, &options(100)).lookups.is_empty());
    }
    assert!(reachable > 100, "only {reachable} goals to be reached");
}

#[test]
fn many_conjunctions_are_covered() {
    for seed in 0..100 {
        let mut dice = Dice(seed);
        let mut ground = dice.ground();
        let sizes: Vec<u32> = ground.variables.iter().map(Variable::size).collect();
        ground.goals = (0..60).map(|_| dice.constraints(&sizes, 2)).collect();
        ground.goals.retain(|goal| goal.len() > 1);
        assert!(goals(&ground.goals).len() <= MOST_GOALS);
        compare(&ground, &options(20), |_| 1);
    }
}
