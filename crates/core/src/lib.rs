//! The vocabulary every other crate of homing speaks.
//!
//! A state is a slice of [`Word`]s; a stored state is an [`Id`]; successors
//! come in a [`Batch`]; what is remembered about a stored state lives in a
//! [`Column`]; limits, progress and cancellation are a [`Watch`]. The roles a
//! search is put together from ([`Space`], [`Store`], [`Open`],
//! [`Heuristic`]) are traits here, and [`catalogue`] describes the parts that
//! fill them, by name, with what they need and what they promise.
//!
//! # Modules
//!
//! - `batch`: successors in one flat buffer. `Edge` says how a successor was reached,
//!   `Fault` which step failed and where.
//! - `roles`: the traits a search is put together from: `Space` and its `Expander`,
//!   `Store`, `Open`, `Heuristic` and its factory, `Preference`.
//! - `column`: one value a stored state, in chunks.
//! - `watch`: limits, progress, cancellation. An algorithm asks `Watch::due`, calls `Watch::check` and
//!   ends with `?`.
//! - `catalogue`: `Row`, what a part promises and needs, as data.
//! - `expression`: the notation `astar(goal-count)`, and lists of it, `a; b`.
//! - `algebra`: the cost algebras; what they claim is tested with random values, the
//!   survey's counterexample among the tests.
//! - `random`: SplitMix64, the one source of random numbers.
//! - `hash`: the one hash of packed states.

pub mod algebra;
pub mod batch;
pub mod catalogue;
pub mod column;
pub mod expression;
pub mod hash;
pub mod random;
pub mod roles;
pub mod watch;

pub use batch::{Batch, Edge, Fault};
pub use column::Column;
pub use homing_budget::{Carried, carried};
pub use random::Random;
pub use roles::{
    Accepts, Accesses, Claims, Class, Classes, Cost, CostAlgebra, Cover, DEAD_END, Distance,
    Expander, Heuristic, HeuristicFactory, Known, Level, Merge, Open, Preference, Price, Pricing,
    QUEUES, Sharded, SharedStore, Space, StepCosts, Store, Stores, Taken, Visit,
};
pub use watch::{Crew, Limits, Progress, StopReason, Watch};

/// A machine word of a packed state.
pub type Word = u64;

/// The number of a stored state, dense from zero in order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(pub u32);

impl Id {
    /// No state: the parent of an initial state, and what stores answer that
    /// do not number their states.
    pub const NONE: Id = Id(u32::MAX);

    /// The position in a [`Column`].
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is a state at all.
    pub fn is_some(self) -> bool {
        self != Id::NONE
    }
}
