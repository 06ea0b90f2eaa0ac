//! Zones.
pub mod dbm;
pub mod extrapolation;
pub mod federation;
pub mod packed;
pub mod subsumption;
