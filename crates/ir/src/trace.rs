//! Runs of a model, by the edges taken.

use serde::{Deserialize, Serialize};

use crate::network::EdgeRef;

/// One step: the edges that were taken together, in the order they took part
/// (the sender of a rendezvous first), and what follows while control stays
/// with a process ([`Atomic`](crate::network::Atomic)).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    /// The edges taken first.
    pub edges: Vec<EdgeRef>,
    /// The edges taken next, move by move, until control is given up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Vec<EdgeRef>>,
}

impl Step {
    /// A step of one move.
    pub fn new(edges: Vec<EdgeRef>) -> Step {
        Step { edges, then: Vec::new() }
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

/// A run from the initial state. It names edges of the original model, not
/// states, so that it can be replayed whatever passes the search used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
}
