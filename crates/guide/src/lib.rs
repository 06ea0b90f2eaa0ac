//! What directs a search: estimates of the distance to the goal, one file and
//! one row of [`ESTIMATES`] each, and preferences among transitions, one file
//! and one row of [`PREFERENCES`] each.

mod active;
mod arguments;
mod blocked;
mod changes;
mod combine;
mod costs;
mod evaluate;
pub mod expression;
mod formula;
pub mod fsm;
mod goal;
mod goal_count;
pub mod ground;
mod hamming;

use homing_core::catalogue::{self, Kind, Row};
use homing_core::expression::Call;
use homing_core::{Heuristic, Preference};

pub use goal::{Goal, Target};

/// Makes an estimate.
pub type EstimateBuilder = for<'a> fn(&Goal<'a>, &Call) -> Result<Box<dyn Heuristic + 'a>, String>;

/// Makes a preference.
pub type PreferenceBuilder =
    for<'a> fn(&Goal<'a>, &Call) -> Result<Box<dyn Preference + 'a>, String>;

/// All estimates.
pub const ESTIMATES: &[Row<EstimateBuilder>] = &[
    goal_count::ROW,
    hamming::ROW,
    formula::ROW,
    fsm::MAX,
    fsm::SUM,
    active::ROW,
    blocked::ROW,
    expression::ROW,
    combine::max::ROW,
    combine::sum::ROW,
    combine::weight::ROW,
    combine::ties::ROW,
    combine::lazy::ROW,
    combine::cached::ROW,
];

/// All preferences.
pub const PREFERENCES: &[Row<PreferenceBuilder>] = &[];

/// Makes the estimate that `call` names.
pub fn build<'a>(goal: &Goal<'a>, call: &Call) -> Result<Box<dyn Heuristic + 'a>, String> {
    let row = catalogue::find(ESTIMATES, Kind::Estimate, &call.name)?;
    (row.build)(goal, call)
}

/// Makes the preference that `call` names.
pub fn prefer<'a>(goal: &Goal<'a>, call: &Call) -> Result<Box<dyn Preference + 'a>, String> {
    let row = catalogue::find(PREFERENCES, Kind::Preference, &call.name)?;
    (row.build)(goal, call)
}
