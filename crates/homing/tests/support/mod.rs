//! What several tests of the façade need.
#![allow(dead_code, clippy::unwrap_used)]

#[path = "../../../../tests/support/expectations.rs"]
pub mod expectations;

use homing::catalogue::{Capability, Kind, Row};
use homing::ir::Trace;
use homing::ir::interp::{Interpreter, ReplayProblem, State};
use homing::ir::network::Expr;
use homing::report::outcome::PropertyOutcome;
use homing::{Checked, Hooks, Model, Options};

/// A strategy and a store that fit each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Combination {
    /// The strategy's expression.
    pub strategy: String,
    /// Whether it needs a goal.
    pub directed: bool,
    /// Whether it always finds a shortest trace.
    pub shortest: bool,
    /// The store's expression.
    pub store: String,
    /// Whether the store never takes two states for one.
    pub exact: bool,
}

impl Combination {
    /// Options that choose it.
    pub fn options(&self) -> Options {
        Options { strategy: self.strategy.clone(), store: self.store.clone(), ..Options::default() }
    }
}

/// Every strategy of the catalogue, directed ones with every estimate for
/// goals, with every store that gives what it needs; but every estimate after
/// the first with one store only.
pub fn combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for strategy in of_kind(Kind::Strategy) {
        for (number, expression) in expressions(&strategy).into_iter().enumerate() {
            let fits = |store: &Row<()>| strategy.needs.iter().all(|need| store.gives(*need));
            let most = if number == 0 { usize::MAX } else { 1 };
            for store in of_kind(Kind::Store).filter(fits).take(most) {
                all.push(Combination {
                    strategy: expression.clone(),
                    directed: strategy.gives(Capability::Directed),
                    shortest: strategy.gives(Capability::Shortest),
                    store: small(store.name),
                    exact: store.gives(Capability::Exact),
                });
            }
        }
    }
    all
}

/// The parts of one kind.
pub fn of_kind(kind: Kind) -> impl Iterator<Item = Row<()>> {
    homing::catalogue().into_iter().filter(move |row| row.kind == kind)
}

/// A strategy with every estimate it may be directed by.
fn expressions(strategy: &Row<()>) -> Vec<String> {
    if !strategy.gives(Capability::Directed) {
        return vec![strategy.name.into()];
    }
    of_kind(Kind::Estimate)
        .filter(|estimate| !estimate.gives(Capability::Deadlock))
        .filter_map(|estimate| with_arguments(estimate.name))
        .map(|estimate| format!("{}({estimate})", strategy.name))
        .collect()
}

/// An estimate with the arguments it must have; none where these depend on the
/// model.
fn with_arguments(estimate: &str) -> Option<String> {
    Some(match estimate {
        "expression" => return None,
        "max" | "sum" | "ties" => format!("{estimate}([formula, fsm-max])"),
        "weight" | "lazy" | "cached" => format!("{estimate}(formula)"),
        plain => plain.into(),
    })
}

/// A store that does not ask for the machine's memory at once.
fn small(store: &str) -> String {
    match store {
        "bitstate" => "bitstate(bits=20)".into(),
        other => other.into(),
    }
}

/// Checks, and expects an answer.
pub fn check(model: &Model, options: &Options) -> Checked {
    homing::check(model, options, Hooks::default())
        .unwrap_or_else(|error| panic!("{}: {error}", model.network.name))
}

/// What the last state of a trace is, by the interpreter; `None` where the
/// last step fails. Anything else is a wrong trace.
pub fn end(interpreter: &Interpreter, trace: &Trace) -> Option<State> {
    match interpreter.replay(trace) {
        Ok(states) => states.last().cloned(),
        Err(error) => {
            assert_eq!(error.step + 1, trace.steps.len(), "the trace does not replay: {error}");
            assert!(matches!(error.problem, ReplayProblem::Fault(_)), "not enabled: {error}");
            None
        }
    }
}

/// Whether an expression holds; one that cannot be evaluated does not.
pub fn holds(interpreter: &Interpreter, state: &State, expr: &Expr) -> bool {
    interpreter.eval(state, expr).is_ok_and(|value| value != 0)
}

/// A result's numbers fit each other.
pub fn expect_sane(result: &PropertyOutcome, directed: bool) {
    let statistics = result.statistics;
    assert!(statistics.stored >= 1, "the initial state: {result:?}");
    assert!(statistics.peak_bytes > 0 && statistics.seconds >= 0.0, "{result:?}");
    assert!(statistics.generated + 1 >= statistics.stored, "{result:?}");
    // A* may expand a state again.
    assert!(directed || statistics.expanded <= statistics.stored, "{result:?}");
    if let Some(trace) = &result.trace {
        assert_eq!(trace.length, trace.steps.len());
        assert!(trace.cause.is_some(), "{result:?}");
        assert!(trace.length as u64 <= statistics.stored, "{result:?}");
    }
}
