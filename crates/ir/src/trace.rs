//! Runs of a model, by the edges taken.

use serde::{Deserialize, Serialize};

use crate::network::EdgeRef;

/// One step: the edges that were taken together, in the order they took part
/// (the sender of a rendezvous first), and what follows while control stays
/// with a process ([`Atomic`](crate::network::Atomic)).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    /// The time that passes before it, in units of [`Trace::unit`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: i64,
    /// The edges taken first.
    pub edges: Vec<EdgeRef>,
    /// The edges taken next, move by move, until control is given up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Vec<EdgeRef>>,
}

impl Step {
    /// A step of one move.
    pub fn new(edges: Vec<EdgeRef>) -> Step {
        Step { delay: 0, edges, then: Vec::new() }
    }

    /// The edges of all its moves, in order.
    pub fn all(&self) -> impl Iterator<Item = &EdgeRef> {
        self.moves().flatten()
    }

    /// Its moves, in order.
    pub fn moves(&self) -> impl Iterator<Item = &[EdgeRef]> {
        std::iter::once(&self.edges[..]).chain(self.then.iter().map(|edges| &edges[..]))
    }
}

fn is_zero(delay: &i64) -> bool {
    *delay == 0
}

/// A run from the initial state. It names edges of the original model, not
/// states, so that it can be replayed whatever passes the search used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
    /// Delays are multiples of one part in this many of a unit of time.
    pub unit: i64,
    /// The time that passes behind the last step, in the same units.
    pub rest: i64,
    /// Of a run that goes on for ever, the steps before those that it repeats;
    /// nothing where it ends or rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
}

impl Trace {
    /// A run in no time.
    pub fn new(steps: Vec<Step>) -> Trace {
        Trace { steps, unit: 1, rest: 0, repeats: None }
    }
}

impl Default for Trace {
    fn default() -> Trace {
        Trace::new(Vec::new())
    }
}
