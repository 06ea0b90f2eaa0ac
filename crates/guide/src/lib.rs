//! What directs a search: estimates of the distance to the goal, one file and
//! one row of [`ESTIMATES`] each, and preferences among transitions, one file
//! and one row of [`PREFERENCES`] each.

mod abstraction;
mod database;
mod goal;
mod goal_count;
pub mod ground;

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
pub const ESTIMATES: &[Row<EstimateBuilder>] =
    &[abstraction::ROW, database::DATABASE, database::RUSSIAN_DOLL, goal_count::ROW];

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
