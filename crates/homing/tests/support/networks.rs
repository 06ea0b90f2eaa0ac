//! Random networks with goals, and what the interpreter says of them.

use std::cell::Cell;

use homing::Model;
use homing::ir::Network;
use homing::ir::flatten::SUPPORTED;
use homing::ir::interp::{Exploration, Fault, Interpreter, RuntimeErrorKind};
use homing::ir::network::{Expr, Property, PropertyKind};
use homing::ir::random::{Knobs, config, networks_with_goals};
use homing::ir::wellformed::Feature;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::{end, fails_by_assertion, holds};

/// Networks with more states are left to others.
pub const LIMIT: usize = 1000;

/// The goals of a network.
pub const GOALS: usize = 3;

/// Everything but loops (an endless one takes its million rounds in every
/// state), either with run-time errors or with channels as values: which of
/// several channels a sender with a failing guard would have used is not
/// defined, so neither is where it fails.
fn knobs(faults: bool) -> Knobs {
    let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
    let left_out = [Feature::Loops, left_out];
    let features: Vec<Feature> =
        SUPPORTED.iter().copied().filter(|feature| !left_out.contains(feature)).collect();
    Knobs { faults, ..Knobs::with(&features) }
}

/// Networks, with their goals as properties p0, p1 and so on.
pub fn samples() -> impl Strategy<Value = (Model, Vec<Expr>)> {
    let networks = any::<bool>().prop_flat_map(|faults| networks_with_goals(knobs(faults), GOALS));
    networks.prop_map(|(network, goals)| (model(network, &goals), goals))
}

pub fn model(mut network: Network, goals: &[Expr]) -> Model {
    let properties = goals.iter().enumerate().map(|(i, goal)| Property {
        name: format!("p{i}"),
        span: goal.span,
        kind: PropertyKind::Never(goal.clone()),
    });
    network.properties = properties.collect();
    // Spans have to point somewhere.
    network.sources.add("random", "");
    // The language is only asked to read goals, of which there are none.
    let model = homing::parse("empty.dve", "process P { state a; init a; } system async;");
    let mut model = model.unwrap();
    model.network = network;
    model
}

/// A property, and the least number of steps to its violation.
pub struct Expected {
    /// Its name.
    pub name: String,
    /// The goal, where it is one.
    pub goal: Option<Expr>,
    /// The length of its shortest violation.
    pub length: Option<u32>,
    /// Whether steps fail, so that what lies behind them is not known.
    pub cut: bool,
    /// Whether it cannot be evaluated in some state.
    pub unevaluated: bool,
}

pub fn expected(interpreter: &Interpreter, found: &Exploration, goals: &[Expr]) -> Vec<Expected> {
    // A step that fails by an assertion violates `assertions`.
    let failure = |assertion: bool| {
        let fails = |fault: &&Fault| is_assertion(fault) == assertion;
        found.faults.iter().find(fails).map(|fault| found.depths[fault.state] + 1)
    };
    let violated = found.distance(|state| !interpreter.violated_assertions(state).is_empty());
    let general = [
        ("deadlock", found.deadlocks.first().map(|state| found.depths[*state])),
        ("errors", failure(false)),
        ("assertions", violated.into_iter().chain(failure(true)).min()),
    ];
    let cut = !found.faults.is_empty();
    let general = general.map(|(name, length)| Expected {
        name: name.into(),
        goal: None,
        length,
        cut,
        unevaluated: false,
    });
    let goals = goals.iter().enumerate().map(|(i, goal)| Expected {
        name: format!("p{i}"),
        goal: Some(goal.clone()),
        length: found.distance(|state| holds(interpreter, state, goal)),
        cut,
        unevaluated: found.distance(|state| interpreter.eval(state, goal).is_err()).is_some(),
    });
    general.into_iter().chain(goals).collect()
}

/// Whether a step fails by an assertion.
pub fn is_assertion(fault: &Fault) -> bool {
    fault.error.kind == RuntimeErrorKind::AssertionFailed
}

/// Whether the interpreter sees the violation at the end of its trace.
pub fn shown(interpreter: &Interpreter, expected: &Expected, trace: &homing::ir::Trace) -> bool {
    match (end(interpreter, trace), &expected.goal, expected.name.as_str()) {
        (None, _, name) => {
            name == if fails_by_assertion(interpreter, trace) { "assertions" } else { "errors" }
        }
        (Some(state), Some(goal), _) => holds(interpreter, &state, goal),
        (Some(state), None, "deadlock") => interpreter.is_deadlock(&state),
        (Some(state), None, "assertions") => !interpreter.violated_assertions(&state).is_empty(),
        _ => false,
    }
}

/// Runs a test over random networks that are small enough, and expects that
/// most are.
pub fn over_networks(
    cases: u32,
    test: impl Fn(&Model, &[Expr], &Interpreter, &Exploration) -> Result<(), TestCaseError>,
) {
    let small = Cell::new(0);
    let config = ProptestConfig { max_shrink_iters: 500, ..config(cases) };
    let cases = config.cases;
    let result = TestRunner::new(config).run(&samples(), |(model, goals)| {
        let interpreter = Interpreter::new(&model.network).unwrap();
        let found = interpreter.explore(LIMIT);
        if !found.complete {
            return Ok(());
        }
        small.set(small.get() + 1);
        test(&model, &goals, &interpreter, &found)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(small.get() > cases / 2, "only {} of {cases} networks are small enough", small.get());
}
