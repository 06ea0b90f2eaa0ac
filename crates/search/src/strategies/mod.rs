//! One file a strategy, or a family of them.

pub mod anytime;
pub mod auto;
pub mod beam;
pub mod beam_stack;
pub mod best;
pub mod blind;
pub mod branch_and_bound;
pub mod breadth_heuristic;
pub mod exploring;
pub mod frontier;
pub mod guided_walk;
pub mod hill_climbing;
pub mod iterative_deepening;
pub mod lassos;
pub mod memory_limited;
pub mod perimeter;
pub mod race;
pub mod refining;
pub mod rounds;
pub mod threshold;
pub mod width;
