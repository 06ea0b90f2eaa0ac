//! Searches over state spaces.
//!
//! There is one [`best_first`](mod@best_first) kernel: breadth-first search, greedy best-first search
//! and A* differ in the open list and in the rank a state gets, not in the
//! loop. Depth-first searches share one explicit stack,
//! [`depth_first`](mod@depth_first); searches that forget most of what they saw
//! go layer by layer, `layered`; searches for runs without an end are in
//! [`emptiness`]. What a search looks for is a [`Task`], what it finds are
//! [`Findings`].

pub mod alternating;
pub mod best_first;
mod costs;
pub mod depth_first;
pub mod emptiness;
mod guide;
mod keys;
mod layered;
pub mod leads_to;
mod nodes;
pub mod open;
pub mod path;
pub mod persistence;
mod proviso;
mod recent;
pub mod side_by_side;
pub mod strategies;
pub mod strategy;
pub mod task;
pub mod turns;

pub use guide::{Guide, Guiding};
pub use keys::Weights;
pub use path::{Lasso, Path};
pub use strategies::auto::Auto;
pub use strategies::refining::Refine;
pub use strategy::{Algorithm, Context, Plan, STRATEGIES, Strategy};
pub use task::{Finding, Findings, Outcome, Statistics, Task};
