//! Every estimate of the catalogue keeps its promises: on random networks and
//! on the project's models, in every state and on every step, compared with
//! exact distances.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod exact;
mod perimeter;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;

use exact::Explored;
use exact::expectations::{Subject, expectations, models};
use homing_core::catalogue::Capability;
use homing_core::expression::{Call, parse};
use homing_core::{Cost, DEAD_END, Heuristic, HeuristicFactory, Word};
use homing_guide::{ESTIMATES, Factory, Goal, Target, build, distance};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{
    Knobs, TimedKnobs, config, networks_with_goals, timed_networks_with_goals,
};
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use homing_space::zones::{ZoneOptions, ZoneSpace};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

/// What an estimate can be directed at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum For {
    Goals,
    Deadlocks,
    Anything,
}

/// What is tested. Every row of the catalogue has to stand here.
const TESTED: &[(&str, For)] = &[
    ("goal-count", For::Goals),
    ("hamming", For::Goals),
    ("hamming(unit=bits)", For::Goals),
    ("formula", For::Goals),
    ("formula(combine=sum)", For::Goals),
    ("fsm-max", For::Goals),
    ("fsm-sum", For::Goals),
    ("relaxed-layers", For::Goals),
    ("relaxed-trace", For::Goals),
    ("hadd", For::Goals),
    ("hff", For::Goals),
    ("lmcut", For::Goals),
    ("lmcut(cases=1)", For::Goals),
    ("landmarks", For::Goals),
    ("abstraction", For::Goals),
    ("abstraction(states=5, order=far)", For::Goals),
    ("abstraction(states=9, compose=default)", For::Goals),
    ("abstraction(states=7, keep=labels)", For::Goals),
    ("abstraction(states=20, compose=trace, keep=labels)", For::Goals),
    ("database", For::Goals),
    ("database(states=20)", For::Goals),
    ("russian-doll", For::Goals),
    ("russian-doll(states=20)", For::Goals),
    ("perimeter", For::Goals),
    ("perimeter(depth=1)", For::Goals),
    ("perimeter(depth=1000, most=300)", For::Goals),
    ("inferred(depth=3)", For::Goals),
    ("symbolic-database(bits=6)", For::Goals),
    ("active", For::Deadlocks),
    ("blocked", For::Deadlocks),
    ("blocked(combine=sum)", For::Deadlocks),
    ("expression('own')", For::Anything),
    ("max([formula, fsm-max, hamming])", For::Goals),
    ("max([blocked, active])", For::Deadlocks),
    ("sum([formula])", For::Goals),
    ("sum([fsm-max, goal-count])", For::Goals),
    ("weight(formula, by=0)", For::Goals),
    ("weight(formula, by=1)", For::Goals),
    ("weight(fsm-sum, by=3)", For::Goals),
    ("ties([formula, fsm-sum, expression('own')])", For::Goals),
    ("ties([fsm-max])", For::Goals),
    ("lazy(formula)", For::Goals),
    ("each([fsm-max, relaxed-layers])", For::Goals),
    ("cached(fsm-max, entries=4)", For::Goals),
    ("cached(ties([active, blocked]), entries=16)", For::Deadlocks),
];

/// The states looked at, at most.
const LIMIT: usize = 3000;

/// The zones looked at, at most.
const ZONES: usize = 1000;

/// The states that two threads estimate, at most.
const SHARED: usize = 300;

/// The most labels that are left out.
const LABELS: u32 = 4;

fn call(expression: &str) -> Call {
    parse(expression).unwrap().as_call().unwrap().clone()
}

#[test]
fn every_estimate_is_tested() {
    // What is new depends on what was seen before; its own file has its oracle.
    for row in ESTIMATES.iter().filter(|row| row.name != "novelty") {
        let tested = TESTED.iter().any(|(expression, _)| call(expression).name == row.name);
        assert!(tested, "`{}` is not among what is tested", row.name);
    }
}

/// An estimate for a goal, and how far every state really is from it.
struct Case<'a> {
    expression: &'a str,
    goal: Goal<'a>,
    explored: &'a Explored,
    wanted: Vec<bool>,
}

impl Case<'_> {
    /// What a step costs whose first move has this label.
    fn cost(&self) -> impl Fn(u32) -> Cost + '_ {
        |label| self.goal.step_cost(label)
    }

    fn build(&self) -> Factory<'_> {
        build(&self.goal, &call(self.expression))
            .unwrap_or_else(|error| panic!("{}: {error}", self.expression))
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let factory = self.build();
        let mut heuristic = factory.instance();
        let estimates: Vec<(Cost, Cost)> = (self.explored.states.iter())
            .map(|state| (heuristic.estimate(state, None), heuristic.tie()))
            .collect();
        let distances = self.explored.distances(&self.wanted, &self.cost(), None);
        let values: Vec<Cost> = estimates.iter().map(|(estimate, _)| *estimate).collect();
        self.check_distances(heuristic.as_ref(), &values, &distances)?;
        self.check_edges(heuristic.as_ref(), &values)?;
        self.check_via(&estimates)?;
        self.check_threads(&*factory, &estimates)?;
        self.check_without(heuristic.as_mut())
    }

    fn check_distances(
        &self,
        heuristic: &dyn Heuristic,
        estimates: &[Cost],
        distances: &[Option<Cost>],
    ) -> Result<(), TestCaseError> {
        let claims = heuristic.claims();
        for (state, (estimate, distance)) in estimates.iter().zip(distances).enumerate() {
            let Some(distance) = distance else { continue };
            let about = || format!("{} in {state}: {estimate} of {distance}", self.expression);
            prop_assert!(*estimate != DEAD_END, "not a dead end: {}", about());
            prop_assert!(!claims.admissible || estimate <= distance, "inadmissible: {}", about());
        }
        Ok(())
    }

    fn check_edges(
        &self,
        heuristic: &dyn Heuristic,
        estimates: &[Cost],
    ) -> Result<(), TestCaseError> {
        if !heuristic.claims().consistent {
            return Ok(());
        }
        for (from, edges) in self.explored.edges.iter().enumerate() {
            let goal = self.wanted[from];
            prop_assert!(!goal || estimates[from] == 0, "{}: {from}", self.expression);
            for (edge, to) in edges {
                let (before, after) = (estimates[from], estimates[*to]);
                let cost = self.goal.step_cost(edge.label);
                prop_assert!(
                    after.saturating_add(cost) >= before,
                    "inconsistent: {}: {before} to {after} by {edge:?}",
                    self.expression
                );
            }
        }
        Ok(())
    }

    /// Estimates are the same however a state is reached, in whatever order
    /// states are estimated, and by whichever tables.
    fn check_via(&self, estimates: &[(Cost, Cost)]) -> Result<(), TestCaseError> {
        let factory = self.build();
        let mut other = factory.instance();
        for (from, edges) in self.explored.edges.iter().enumerate().rev() {
            other.expanding(&self.explored.states[from]);
            for (edge, to) in edges {
                let estimate = other.estimate(&self.explored.states[*to], Some(*edge));
                prop_assert_eq!(
                    (estimate, other.tie()),
                    estimates[*to],
                    "{} via {:?}",
                    self.expression,
                    edge
                );
            }
        }
        Ok(())
    }

    /// Two instances of one factory, each in a thread of its own, estimate as one alone
    /// does, and leave steps out alike.
    fn check_threads(
        &self,
        factory: &dyn HeuristicFactory,
        estimates: &[(Cost, Cost)],
    ) -> Result<(), TestCaseError> {
        let labels = (self.goal.space.moves().list.len() as u32).min(LABELS);
        let states = &self.explored.states[..self.explored.states.len().min(SHARED)];
        let all = |backwards: bool| {
            let mut heuristic = factory.instance();
            let mut answers = vec![None; states.len()];
            for i in 0..states.len() {
                let i = if backwards { states.len() - 1 - i } else { i };
                let estimate = (heuristic.estimate(&states[i], None), heuristic.tie());
                let others = |label| {
                    (heuristic.without(&states[i], label), heuristic.helpful(&states[i], label))
                };
                answers[i] = Some((estimate, (0..labels).map(others).collect::<Vec<_>>()));
            }
            answers
        };
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(|| all(false)), scope.spawn(|| all(true)));
            (one.join().unwrap(), other.join().unwrap())
        });
        prop_assert_eq!(&one, &other, "{}", self.expression);
        let alone = one.iter().flatten().map(|(estimate, _)| *estimate);
        prop_assert!(alone.eq(estimates[..states.len()].iter().copied()), "{}", self.expression);
        Ok(())
    }

    /// Without a step, admissible estimates are admissible for the space
    /// without it.
    fn check_without(&self, heuristic: &mut dyn Heuristic) -> Result<(), TestCaseError> {
        let name = call(self.expression).name;
        let row = ESTIMATES.iter().find(|row| row.name == name).unwrap();
        let labels = (self.goal.space.moves().list.len() as u32).min(LABELS);
        for label in 0..labels {
            let distances = self.explored.distances(&self.wanted, &self.cost(), Some(label));
            for (state, distance) in self.explored.states.iter().zip(distances) {
                let estimate = heuristic.without(state, label);
                let able = estimate.is_some() || !row.gives(Capability::LeavesOut);
                prop_assert!(able, "{} cannot leave {label} out", self.expression);
                let (Some(estimate), Some(distance)) = (estimate, distance) else { continue };
                prop_assert!(
                    estimate != DEAD_END
                        && (estimate <= distance || !heuristic.claims().admissible),
                    "{} without {label}: {estimate} of {distance}",
                    self.expression
                );
            }
        }
        Ok(())
    }
}

/// Costs that steps are tested with: one each, some more, some none.
fn costs(labels: usize) -> [Option<Vec<Cost>>; 3] {
    let by = |f: fn(usize) -> usize| Some((0..labels).map(|label| f(label) as Cost).collect());
    [None, by(|label| 2 + label * 7 % 3), by(|label| label * 5 % 3)]
}

/// Checks all estimates for one target.
fn check_target(
    space: &CompiledSpace,
    explored: &Explored,
    target: Target,
    wanted: &[bool],
) -> Result<(), TestCaseError> {
    let notices = RefCell::new(Vec::new());
    let expressions = [("own".to_string(), 1)];
    for costs in costs(space.moves().list.len()) {
        let goal = Goal {
            space: space.prepared(),
            successors: space,
            target,
            costs: costs.as_deref(),
            expressions: &expressions,
            memory: usize::MAX,
            notices: &notices,
            grounds: None,
            hasty: false,
        };
        for (expression, made_for) in TESTED {
            let deadlock = matches!(target, Target::Deadlock);
            let fits = match made_for {
                For::Goals => !deadlock,
                For::Deadlocks => deadlock,
                For::Anything => true,
            };
            if fits {
                let wanted = wanted.to_vec();
                Case { expression, goal, explored, wanted }.check()?;
            } else {
                let refused = build(&goal, &call(expression)).is_err();
                prop_assert!(refused, "{expression} takes {target:?}");
            }
        }
    }
    Ok(())
}

/// Checks all estimates for a goal, for deadlocks and for a certain state;
/// answers whether the space is small enough.
fn check_network(network: &Network, wanted: &[Wanted; 2]) -> Result<bool, TestCaseError> {
    let space = CompiledSpace::new(network, wanted, Passes::ALL).unwrap();
    let Some(explored) = Explored::of(&space, LIMIT) else { return Ok(false) };
    let goal: Vec<bool> = explored.conditions.iter().map(|holding| holding & 1 == 1).collect();
    check_target(&space, &explored, Target::Condition(0), &goal)?;
    let last = explored.states.len() - 1;
    let that: Vec<bool> = (0..=last).map(|state| state == last).collect();
    check_target(&space, &explored, Target::State(&explored.states[last]), &that)?;
    check_between(&space, &explored)?;
    let unsliced = Passes { slice: false, ..Passes::ALL };
    let space = CompiledSpace::new(network, wanted, unsliced).unwrap();
    let Some(explored) = Explored::of(&space, LIMIT) else { return Ok(false) };
    check_target(&space, &explored, Target::Deadlock, &explored.deadlocks)?;
    Ok(true)
}

/// Checks all estimates on a timed network: they know its discrete part, and keep
/// their promises for its zones. Answers whether there are few enough of these.
fn check_timed(network: &Network, wanted: &[Wanted; 2]) -> Result<bool, TestCaseError> {
    let sliced = CompiledSpace::new(network, wanted, Passes::ALL).unwrap();
    // What zones cannot decide they refuse.
    let Ok(space) = ZoneSpace::new(&sliced, ZoneOptions::default()) else { return Ok(false) };
    let Some(explored) = Explored::of(&space, ZONES) else { return Ok(false) };
    let goal: Vec<bool> = explored.conditions.iter().map(|holding| holding & 1 == 1).collect();
    check_target(&sliced, &explored, Target::Condition(0), &goal)?;
    let own = sliced.layout().words;
    let last = &explored.states[explored.states.len() - 1];
    let that: Vec<bool> = explored.states.iter().map(|s| s[..own] == last[..own]).collect();
    check_target(&sliced, &explored, Target::State(last), &that)?;
    let unsliced = Passes { slice: false, ..Passes::ALL };
    let discrete = CompiledSpace::new(network, wanted, unsliced).unwrap();
    let options = ZoneOptions { deadlocks: true, ..ZoneOptions::default() };
    let Ok(space) = ZoneSpace::new(&discrete, options) else { return Ok(false) };
    let Some(explored) = Explored::of(&space, ZONES) else { return Ok(false) };
    check_target(&discrete, &explored, Target::Deadlock, &explored.deadlocks)?;
    Ok(true)
}

/// FSM distances between two states are what they are for one of them.
fn check_between(space: &CompiledSpace, explored: &Explored) -> Result<(), TestCaseError> {
    let notices = RefCell::new(Vec::new());
    for to in explored.states.iter().step_by(1 + explored.states.len() / 5) {
        let target = Target::State(to);
        let goal = Goal { target, ..Goal::condition(space.prepared(), space, 0, &notices) };
        for expression in ["fsm-max", "fsm-sum"] {
            let estimate = build(&goal, &call(expression)).unwrap();
            let mut estimate = estimate.instance();
            let distances =
                distance(&Goal::condition(space.prepared(), space, 0, &notices), expression)
                    .unwrap();
            for from in &explored.states {
                let between = distances.distance(from, to);
                prop_assert_eq!(between, estimate.estimate(from, None), "{}", expression);
            }
        }
    }
    Ok(())
}

/// What is tested is not only ever zero, and promises are made and not made.
#[test]
fn estimates_say_something() {
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    let mut claimed: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let notices = RefCell::new(Vec::new());
    let expressions = [("own".to_string(), 1)];
    for (_, network, wanted) in model_goals() {
        let space = CompiledSpace::new(&network, &wanted, Passes::ALL).unwrap();
        let Some(explored) = Explored::of(&space, LIMIT) else { continue };
        for (expression, made_for) in TESTED {
            let deadlock = *made_for == For::Deadlocks;
            let target = if deadlock { Target::Deadlock } else { Target::Condition(0) };
            let goal = Goal {
                target,
                expressions: &expressions,
                ..Goal::condition(space.prepared(), &space, 0, &notices)
            };
            let factory = build(&goal, &call(expression)).unwrap();
            let mut heuristic = factory.instance();
            let mut nonzero = |state: &&Vec<Word>| heuristic.estimate(state, None) > 0;
            *told.entry(expression).or_default() +=
                explored.states.iter().filter(&mut nonzero).count();
            claimed.entry(expression).or_default()[usize::from(heuristic.claims().consistent)] += 1;
        }
    }
    for (expression, told) in told {
        assert!(told > 0, "`{expression}` is always zero");
    }
    for expression in ["goal-count", "hamming", "formula(combine=sum)", "fsm-sum"] {
        assert!(claimed[expression].iter().all(|n| *n > 0), "{expression}: {claimed:?}");
    }
}

/// Everything but loops (an endless one takes its million rounds in every
/// state), either with run-time errors or with channels as values.
fn knobs(faults: bool) -> Knobs {
    let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
    let left_out = [Feature::Loops, left_out];
    let features: Vec<Feature> =
        SUPPORTED.iter().copied().filter(|feature| !left_out.contains(feature)).collect();
    Knobs { faults, ..Knobs::with(&features) }
}

fn samples() -> impl Strategy<Value = (Network, Vec<Expr>, bool)> {
    let networks = any::<bool>().prop_flat_map(|faults| networks_with_goals(knobs(faults), 2));
    (networks, any::<bool>()).prop_map(|((network, goals), failing)| (network, goals, failing))
}

#[test]
fn differential_random_networks() {
    let cases = 25;
    let small = Cell::new(0);
    let config = ProptestConfig { max_shrink_iters: 300, ..config(cases) };
    let cases = config.cases;
    let result = TestRunner::new(config).run(&samples(), |(network, goals, failing)| {
        let goal = Wanted { holds_on_failure: failing, ..Wanted::goal(goals[0].clone()) };
        let checked = check_network(&network, &[goal, Wanted::goal(goals[1].clone())])?;
        small.set(small.get() + u32::from(checked));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(small.get() > cases / 2, "only {} of {cases} networks are small enough", small.get());
}

#[test]
fn differential_timed_networks() {
    let small = Cell::new(0);
    let config = ProptestConfig { max_shrink_iters: 300, ..config(60) };
    let cases = config.cases;
    let knobs = (any::<bool>(), any::<bool>()).prop_map(|(diagonals, priorities)| TimedKnobs {
        diagonals,
        priorities,
        ..TimedKnobs::default()
    });
    let samples = knobs.prop_flat_map(|knobs| timed_networks_with_goals(knobs, 2));
    let result = TestRunner::new(config).run(&samples, |(network, goals)| {
        let wanted = [Wanted::goal(goals[0].clone()), Wanted::goal(goals[1].clone())];
        let checked = check_timed(&network, &wanted)?;
        small.set(small.get() + u32::from(checked));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(small.get() > cases / 2, "only {} of {cases} networks are small enough", small.get());
}

/// The project's models, each with a goal of its own, also as an estimate.
fn model_goals() -> Vec<(String, Network, [Wanted; 2])> {
    let language = homing_lang::by_extension("dve").unwrap();
    let mut all = Vec::new();
    for path in models("dve") {
        let text = fs::read_to_string(&path).unwrap();
        for expectation in expectations(&text) {
            let Subject::Goal(goal) = expectation.subject else { continue };
            let mut network =
                (language.parse)("model", &text, &homing_lang::Settings::default()).network;
            let expr = (language.expression)(&mut network, &goal, "goal").unwrap();
            let wanted = [Wanted::goal(expr.clone()), Wanted::goal(expr)];
            all.push((format!("{}: {goal}", path.display()), network, wanted));
        }
    }
    all
}

#[test]
fn differential_models() {
    let mut checked = 0;
    for (name, network, wanted) in model_goals() {
        match check_network(&network, &wanted) {
            Ok(small) => checked += usize::from(small),
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(checked > 5, "only {checked} goals were checked");
}
