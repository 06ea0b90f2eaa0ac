//! Estimates that direct the search. Each is one file and one row of
//! [`ESTIMATES`].

mod goal_count;

use homing_core::Heuristic;
use homing_core::catalogue::{self, Kind, Row};
use homing_core::expression::Call;
use homing_space::CompiledSpace;

/// What an estimate is made for.
pub struct Goal<'a> {
    /// The space that is searched.
    pub space: &'a CompiledSpace,
    /// Which of the conditions of its system is the goal.
    pub condition: usize,
}

/// Makes an estimate.
pub type EstimateBuilder = for<'a> fn(&Goal<'a>, &Call) -> Result<Box<dyn Heuristic + 'a>, String>;

/// All estimates.
pub const ESTIMATES: &[Row<EstimateBuilder>] = &[goal_count::ROW];

/// Makes the estimate that `call` names.
pub fn build<'a>(goal: &Goal<'a>, call: &Call) -> Result<Box<dyn Heuristic + 'a>, String> {
    (catalogue::find(ESTIMATES, Kind::Estimate, &call.name)?.build)(goal, call)
}
