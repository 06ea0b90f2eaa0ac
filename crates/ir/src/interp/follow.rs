//! Moves one at a time, for those who follow a run that another tool made.

use super::{Interpreter, RuntimeError, State};
use crate::network::EdgeRef;

/// A move that is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Possible {
    /// The edges taken, the sender of a rendezvous first.
    pub edges: Vec<EdgeRef>,
    /// Whether it begins a step; otherwise a process goes on that holds
    /// control.
    pub begins: bool,
    /// The state behind it.
    pub outcome: Result<State, RuntimeError>,
}

impl Interpreter<'_> {
    /// The moves of a state that was reached by taking the edges `last`
    /// together (none: in the initial state), in the documented order. Where a
    /// process holds control these are its moves; where it holds control and
    /// has none, all moves of the state, unless it must not be blocked.
    pub fn possible(&self, state: &State, last: &[EdgeRef]) -> Vec<Possible> {
        let control = self.control_after(last);
        let held = control.map(|control| self.held_moves(state, control)).unwrap_or_default();
        let blocked = control.is_some_and(|control| control.deterministic);
        let (moves, begins) = match held.is_empty() && !blocked {
            true => (self.moves(state), true),
            false => (held, false),
        };
        let made = moves.into_iter().map(|one| Possible {
            begins,
            outcome: match &one.plan {
                Ok(plan) => self.execute(state, plan),
                Err(error) => Err(*error),
            },
            edges: one.edges,
        });
        made.collect()
    }
}
