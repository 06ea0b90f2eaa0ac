//! Searches over state spaces.
//!
//! There is one [`best_first`](mod@best_first) kernel: breadth-first search, greedy best-first search
//! and A* differ in the open list and in the rank a state gets, not in the
//! loop. Depth-first searches share one explicit stack,
//! [`depth_first`](mod@depth_first); searches that forget most of what they saw
//! go layer by layer, `layered`; searches for runs without an end are in
//! [`emptiness`]. What a search looks for is a [`Task`], what it finds are
//! [`Findings`].
//!
//! # Modules
//!
//! - `best_first`: the one loop behind breadth-first search, Dijkstra's algorithm, greedy
//!   search, A*, k-best-first and beam search; `costs`: its type parameter, steps or any
//!   cost algebra. What there is to decide is a policy each: `closing`, `bound`, `promise`,
//!   `lead`; what searches over one visited set share is `explored`.
//! - `alternating`: several of these, blind and directed, over one visited set;
//!   `side_by_side`: each over its own, for zones. `turns`: what each did in its turns, a log
//!   of bounded size.
//! - `guide`: what directs a search, shared by its workers, and what each has for itself.
//! - `depth_first`: depth-first searches on one explicit stack, and the table of fixed
//!   size that iterative deepening remembers states in.
//! - `layered`: breadth-first search that keeps the last layers only.
//! - `external`: breadth-first search and A* over states on disk. `kept`: searches in memory
//!   that are kept in a file.
//! - `strategies`: one file a strategy, or a family, with its row. `strategy`: the
//!   catalogue, and what all rows need.
//! - `open`: FIFO, LIFO, buckets, the bucket matrix of A*, heap, levels of any of these,
//!   two side by side, several that take turns (`alternation`), and those that explore:
//!   `types`, `epsilon`, `local`. `nodes`: what an entry of an open list stands for.
//! - `emptiness`: searches for accepted runs without an end. All but two are depth-first *walks* told
//!   as events (`Entered`, `Met`, `Finished`): an algorithm file reads events and keeps its own
//!   books, so that it stays near its pseudo-code; `owcty` goes breadth-first, `cndfs` by several
//!   threads over one shared store. All but that one stand on one `Base`: store, notes on
//!   states, limits, reduction with its proviso. `streett` refines
//!   components until what is requested is granted. `shallow` (the same search, not so deep) and
//!   `improve` make lassos shorter. `proviso`: no step is ignored for ever, in any order.
//! - `sharded`: one search over many shards, each with an owner; threads.
//! - `persistence`: runs that never leave a space, for `E[]`, `A<>` and `-->`.
//! - `path`: from a stored state back to the initial one.
//! - `task`: what is looked for, what was found, what is proven (`Outcome::at_least`).

pub mod alternating;
pub mod best_first;
mod costs;
pub mod depth_first;
pub mod emptiness;
pub mod external;
mod guide;
pub mod kept;
mod keys;
mod layered;
pub mod leads_to;
mod nodes;
pub mod open;
pub mod path;
pub mod persistence;
mod proviso;
mod recent;
pub mod sharded;
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
