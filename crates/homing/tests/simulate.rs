//! Walks through random networks: what guides is where the interpreter is, and
//! takes the step it says it takes.
#![allow(clippy::unwrap_used)]

use homing::budget::Budget;
use homing::ir::Trace;
use homing::ir::flatten::SUPPORTED;
use homing::ir::network::{Property, PropertyKind};
use homing::ir::random::{Knobs, config, networks_with_goals};
use homing::ir::wellformed::Feature;
use homing::witness::outcome::CauseKind;
use homing::{Model, SimulateOptions, Simulation, Simulator, UsageError};
use proptest::prelude::*;

/// Networks with a goal as property `goal`, either with run-time errors or
/// with channels as values: where those of senders fail is not defined.
fn models() -> impl Strategy<Value = Model> {
    let knobs = |faults: bool| {
        let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
        let wanted = |feature: &Feature| ![Feature::Loops, left_out].contains(feature);
        let features: Vec<Feature> = SUPPORTED.iter().copied().filter(wanted).collect();
        Knobs { faults, ..Knobs::with(&features) }
    };
    let networks = any::<bool>().prop_flat_map(move |faults| networks_with_goals(knobs(faults), 1));
    networks.prop_map(|(mut network, goals)| {
        let kind = PropertyKind::Never(goals[0].clone());
        network.properties = vec![Property { name: "goal".into(), span: goals[0].span, kind }];
        network.sources.add("random", "");
        let model = homing::parse("empty.dve", "process P { state a; init a; } system async;");
        let mut model = model.unwrap();
        model.network = network;
        model
    })
}

fn options(property: &str, estimate: &str, seed: u64) -> SimulateOptions {
    SimulateOptions {
        property: Some(property.into()),
        estimate: Some(estimate.into()),
        seed,
        ..SimulateOptions::default()
    }
}

/// The least estimate among the states that steps lead to.
fn least(simulation: &mut Simulation) -> Option<u32> {
    let choices = simulation.choices();
    let mut least = None;
    for (i, (_, outcome)) in choices.iter().enumerate() {
        if outcome.is_ok() {
            simulation.take(i + 1).unwrap();
            let estimate = simulation.estimate().unwrap();
            assert_eq!(simulation.back(1), 1);
            least = Some(least.map_or(estimate, |least: u32| least.min(estimate)));
        }
    }
    least
}

/// Walks at random, then guided, and looks at every step of that.
fn walk(model: &Model, options: &SimulateOptions) -> Trace {
    let simulator = Simulator::new(model, options).unwrap();
    let mut simulation = simulator.start(&Trace::default()).unwrap();
    simulation.random_walk(10, &Budget::default());
    for _ in 0..10 {
        let expected = least(&mut simulation);
        let before = simulation.trace().steps.len();
        let walk = simulation.guided_walk(1, &Budget::default()).unwrap();
        assert_eq!(simulation.trace().steps.len(), before + walk.steps);
        match expected {
            Some(expected) => {
                assert_eq!((walk.steps, simulation.estimate().unwrap()), (1, expected));
            }
            None if walk.steps == 1 => {
                assert_eq!(simulation.violated().map(|_| simulation.causes().len()), Some(1));
                assert!(simulation.choices().is_empty());
            }
            None => assert!(simulation.choices().is_empty()),
        }
    }
    // What was walked is a run, which can be started from.
    let outcome = simulation.outcome().unwrap();
    assert_eq!(outcome.length, simulation.trace().steps.len());
    let again = simulator.start(simulation.trace()).unwrap();
    assert_eq!((again.state(), again.trace()), (simulation.state(), simulation.trace()));
    simulation.trace().clone()
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn differential_guided_steps_are_to_least_estimates(model in models(), seed in any::<u64>()) {
        for (property, estimate) in [("goal", "goal-count"), ("goal", "hamming"), ("deadlock", "active")] {
            let options = options(property, estimate, seed);
            prop_assert_eq!(walk(&model, &options), walk(&model, &options), "it does not repeat");
        }
    }
}

const MODEL: &str = "
    byte x, a[2];
    process P { state s; init s; assert s: x < 5; trans
        s -> s { guard x < 3; effect x = x + 1; },
        s -> s { guard x == 3; effect a[x] = 1; },
        s -> s { guard x == 2; effect x = 9; };
    }
    process Q { state s, t; init s; trans s -> t { guard x == 9; }; }
    system async;";

fn model() -> Model {
    homing::parse("m.dve", MODEL).unwrap()
}

fn kinds(simulation: &Simulation) -> Vec<CauseKind> {
    simulation.causes().iter().map(|cause| cause.kind).collect()
}

#[test]
fn all_that_can_be_met_is_said() {
    let model = model();
    let goal = SimulateOptions { goal: Some("x == 3".into()), ..SimulateOptions::default() };
    let simulator = Simulator::new(&model, &goal).unwrap();
    let mut simulation = simulator.start(&Trace::default()).unwrap();
    simulation.take(1).unwrap();
    simulation.take(1).unwrap();
    assert_eq!((kinds(&simulation), simulation.violated()), (vec![], None));
    assert!(simulation.take(3).unwrap_err().contains("only 1 to 2"));
    simulation.take(1).unwrap();
    assert_eq!(
        (kinds(&simulation), simulation.violated()),
        (vec![CauseKind::Goal], Some("x == 3"))
    );
    simulation.take(1).unwrap();
    assert_eq!(
        (kinds(&simulation), simulation.violated()),
        (vec![CauseKind::Error], Some("errors"))
    );
    assert!(simulation.choices().is_empty() && simulation.take(1).is_err());
    assert_eq!(simulation.random_walk(5, &Budget::default()).steps, 0);
    assert_eq!(simulation.outcome().unwrap().length, 4);
    // From a trace that ends in an error, nothing goes on.
    let mut longer = simulation.trace().clone();
    assert!(simulator.start(&longer).unwrap().choices().is_empty());
    longer.steps.push(longer.steps[0].clone());
    assert!(simulator.start(&longer).is_err());
    assert_eq!(simulation.back(2), 2);
    simulation.take(2).unwrap();
    assert_eq!(simulation.violated(), Some("assertions"));
    simulation.take(1).unwrap();
    assert_eq!(simulation.violated(), Some("assertions"), "said before the deadlock");
    assert_eq!(simulation.back(99), 4);
    assert_eq!(simulation.state(), &simulator.interpreter().initial());
}

#[test]
fn walks_stop_at_the_goal_and_repeat_with_their_seed() {
    let model = model();
    let goal = SimulateOptions { goal: Some("x == 3".into()), ..SimulateOptions::default() };
    let simulator = Simulator::new(&model, &goal).unwrap();
    let mut simulation = simulator.start(&Trace::default()).unwrap();
    simulation.random_walk(1, &Budget::default());
    let start = simulation.trace().clone();
    let walk = simulation.random_walk(50, &Budget::default());
    assert!(walk.steps <= 2 && !simulation.causes().is_empty());
    // From where it started, with the seed it told.
    let options = SimulateOptions { seed: walk.seed, ..goal };
    let other = Simulator::new(&model, &options).unwrap();
    let mut again = other.start(&start).unwrap();
    assert_eq!(again.random_walk(50, &Budget::default()).steps, walk.steps);
    assert_eq!(again.trace(), simulation.trace());
    let cancelled = Budget::default();
    cancelled.cancel();
    let stopped = again.random_walk(50, &cancelled);
    assert_eq!((stopped.steps, stopped.interrupted), (0, true));
}

#[test]
fn an_estimate_leads_to_the_goal() {
    let model = model();
    let own = SimulateOptions {
        goal: Some("x == 3".into()),
        estimate: Some("expression('(x > 3) * 9 + 3 - x')".into()),
        ..SimulateOptions::default()
    };
    let simulator = Simulator::new(&model, &own).unwrap();
    let mut simulation = simulator.start(&Trace::default()).unwrap();
    assert_eq!(simulation.estimate().unwrap(), 3);
    assert_eq!(simulation.guided_walk(50, &Budget::default()).unwrap().steps, 3);
    assert_eq!((kinds(&simulation), simulation.estimate().unwrap()), (vec![CauseKind::Goal], 0));
}

#[test]
fn what_cannot_guide_is_said() {
    let model = model();
    let said = |options: SimulateOptions| {
        let simulator = Simulator::new(&model, &options)?;
        let mut simulation = simulator.start(&Trace::default()).unwrap();
        simulation.guided_walk(1, &Budget::default())
    };
    let refused = |options: SimulateOptions, word: &str| {
        let error = said(options).unwrap_err();
        assert!(!matches!(error, UsageError::Internal(_)), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    };
    refused(SimulateOptions::default(), "`--goal`");
    refused(
        SimulateOptions { property: Some("errors".into()), ..Default::default() },
        "not states",
    );
    refused(options("deadlok", "active", 1), "`deadlock`?");
    refused(options("deadlock", "goal-count", 1), "made for goals");
    refused(options("deadlock", "actvie", 1), "`active`?");
    let both = SimulateOptions { goal: Some("x == 1".into()), ..options("deadlock", "active", 1) };
    refused(both, "not both");
    let deadlock = SimulateOptions { property: Some("deadlock".into()), ..Default::default() };
    assert_eq!(said(deadlock).unwrap().steps, 1);
}
