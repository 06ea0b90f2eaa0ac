//! One file a strategy, or a family of them.

pub mod auto;
pub mod beam;
pub mod best;
pub mod blind;
pub mod refining;
