//! One test a rule, on networks small enough to work out by hand.

mod communication;
mod composition;
mod control;
mod data;
mod guards;
mod properties;
mod reading;
mod schedule;
mod time;

use super::{Interpreter, RuntimeErrorKind, State};
use crate::network::Network;

/// The edges of a step's first move as (process, edge, branch), and the values after it.
type Outcome = (Vec<(u32, u32, u32)>, Result<Vec<i64>, RuntimeErrorKind>);

/// The steps of a state.
fn outcomes_at(interpreter: &Interpreter, state: &State) -> Vec<Outcome> {
    let steps = interpreter.steps(state).into_iter();
    steps
        .map(|(step, outcome)| {
            let edges = step.edges.iter().map(|edge| (edge.process.0, edge.edge, edge.branch));
            (edges.collect(), outcome.map(|after| after.values).map_err(|error| error.kind))
        })
        .collect()
}

/// The steps of the initial state.
fn outcomes(network: &Network) -> Vec<Outcome> {
    let interpreter = Interpreter::new(network).unwrap();
    outcomes_at(&interpreter, &interpreter.initial())
}

/// The state behind the first step of `state`.
fn first(interpreter: &Interpreter, state: &State) -> State {
    interpreter.steps(state)[0].1.clone().unwrap()
}

/// The locations of a state; -1 for processes that are not running.
fn locations(state: &State) -> Vec<i64> {
    state
        .locations
        .iter()
        .map(|location| location.map_or(-1, |location| i64::from(location.0)))
        .collect()
}
