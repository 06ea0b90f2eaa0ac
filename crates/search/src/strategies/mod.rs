//! One file a strategy, or a family of them.

pub mod beam;
pub mod best;
pub mod blind;
pub mod guided_walk;
pub mod hill_climbing;
pub mod memory_limited;
pub mod perimeter;
pub mod refining;
