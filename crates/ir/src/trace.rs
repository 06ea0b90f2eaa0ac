//! Runs of a model, by the edges taken.

use serde::{Deserialize, Serialize};

use crate::network::EdgeRef;

/// One step: the edges that were taken together, in the order they took part
/// (the sender of a rendezvous first).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    /// The edges.
    pub edges: Vec<EdgeRef>,
}

/// A run from the initial state. It names edges of the original model, not
/// states, so that it can be replayed whatever passes the search used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
}
