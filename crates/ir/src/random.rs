//! Random networks, for differential tests: every engine is compared with the
//! reference interpreter on them.
//!
//! A network is made in two steps. A *sketch* is a plain tree of small numbers
//! without any invariant, so that it shrinks well: lists get shorter and
//! numbers smaller, independently of each other. *Building* reads the numbers
//! modulo what there is to choose from, so that every sketch makes a
//! well-formed network.
//!
//! ```text
//! proptest!(config(200), |(network in networks(Knobs::default()))| {
//!     let interpreter = Interpreter::new(&network)?;
//!     let expected = interpreter.explore(10_000);
//!     // ... compare an engine's answer, unless !expected.complete
//! });
//! ```
//!
//! Timed networks are made by [`timed_networks`], and compared with their
//! [`regions`].

mod behaviour;
mod build;
mod draw;
mod expressions;
pub mod regions;
mod sketch;
mod timed;

pub use draw::config;
pub use timed::{TimedKnobs, timed_networks, timed_networks_with_goals};

use proptest::prelude::*;

use crate::network::{Expr, Network};
use crate::wellformed::Feature;

/// What random networks may contain.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// The most processes, startable ones not counted.
    pub processes: usize,
    /// The most locations of a process.
    pub locations: usize,
    /// The most edges of a process.
    pub edges: usize,
    /// The most variables.
    pub variables: usize,
    /// The most channels.
    pub channels: usize,
    /// How deep expressions may be nested.
    pub depth: u32,
    /// Whether run-time errors may happen: divisors that may be zero, indices
    /// that may be out of bounds, values that may leave their type,
    /// assertions within effects, steps that are blocked or never end.
    pub faults: bool,
    /// Whether channels may be misused: values that denote none, messages of another
    /// length, looks into no buffer. Much of a network then fails in its first steps.
    pub misuse: bool,
    /// Whether expressions may look into buffers and effects may empty them.
    pub polls: bool,
    /// The features they may use beyond the plain core. Those that the
    /// interpreter does not execute are never used.
    pub features: Vec<Feature>,
}

impl Default for Knobs {
    /// Small networks of the plain core, with run-time errors.
    fn default() -> Knobs {
        Knobs {
            processes: 4,
            locations: 3,
            edges: 6,
            variables: 4,
            channels: 2,
            depth: 3,
            faults: true,
            misuse: false,
            polls: false,
            features: Vec::new(),
        }
    }
}

impl Knobs {
    /// Small networks with everything the interpreter executes, time aside.
    pub fn everything() -> Knobs {
        let timed = |feature: &Feature| {
            matches!(
                feature,
                Feature::Clocks
                    | Feature::Invariants
                    | Feature::UrgentLocations
                    | Feature::UrgentChannels
            )
        };
        let supported = crate::interp::Interpreter::SUPPORTED.iter().copied();
        let features: Vec<Feature> = supported.filter(|feature| !timed(feature)).collect();
        Knobs { polls: true, ..Knobs::with(&features) }
    }

    /// Small networks that may use these features.
    pub fn with(features: &[Feature]) -> Knobs {
        Knobs { features: features.to_vec(), ..Knobs::default() }
    }

    fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
}

/// Random well-formed networks.
pub fn networks(knobs: Knobs) -> impl Strategy<Value = Network> {
    sketch::network(&knobs).prop_map(move |sketch| build::network(&sketch, &knobs))
}

/// Random well-formed networks, each with a number of goals: expressions that
/// hold in some states.
pub fn networks_with_goals(
    knobs: Knobs,
    goals: usize,
) -> impl Strategy<Value = (Network, Vec<Expr>)> {
    let sketches =
        (sketch::network(&knobs), prop::collection::vec(sketch::condition(knobs.depth), goals));
    sketches.prop_map(move |(sketch, goals)| {
        let network = build::network(&sketch, &knobs);
        let goals = goals.iter().map(|goal| build::condition(&network, &knobs, goal)).collect();
        (network, goals)
    })
}

/// Random conditions on the states of a network.
pub fn goals(network: &Network, knobs: Knobs) -> impl Strategy<Value = Expr> + use<> {
    let network = network.clone();
    sketch::condition(knobs.depth).prop_map(move |goal| build::condition(&network, &knobs, &goal))
}

#[cfg(test)]
mod tests;
