//! What directs a search: estimates of the distance to the goal, one file and
//! one row of [`ESTIMATES`] each, and preferences among transitions, one file
//! and one row of [`PREFERENCES`] each.
//!
//! # Modules
//!
//! - `goal`: what a search is directed at. `ground`: systems in the papers' own terms:
//!   variables with few values, operators with conditions on single variables. Its
//!   header has the contract all estimates that use it rely on (it never forbids a
//!   step), and `ground::sas` writes it for planners.
//! - One file or folder an estimate: `goal_count`, `hamming`, `formula`, `fsm`,
//!   `relaxed`, `abstraction`, `database`, `perimeter`; by sets of states `sets`; for deadlocks `active`, `blocked`;
//!   `expression`, the user's own; in `combine` those made of others.
//! - One file a preference: `contexts`, `useless`, `helpful`, `bounding`.
//!   `interference`: how far it is from one step to another by common variables.
//! - `changes`: by how much one step can change a slot.

mod abstraction;
mod active;
mod arguments;
mod blocked;
mod bounding;
mod changes;
mod combine;
mod contexts;
mod costs;
mod database;
pub mod expression;
mod formula;
mod fsm;
mod goal;
mod goal_count;
pub mod ground;
mod hamming;
mod hashing;
mod helpful;
mod interference;
mod perimeter;
mod relaxed;
mod sets;
mod staged;
mod useless;

use homing_core::catalogue::{self, Capability, Kind, Row};
use homing_core::expression::Call;
use homing_core::{Distance, HeuristicFactory, Preference};
use homing_ir::Prepared;

pub use goal::{Goal, Grounds, Target};
pub use staged::{Staged, Stages};

/// An estimate's tables, of which every thread makes an instance for itself.
pub type Factory<'a> = Box<dyn HeuristicFactory + 'a>;

/// Makes an estimate.
pub type EstimateBuilder = for<'a> fn(&Goal<'a>, &Call) -> Result<Factory<'a>, String>;

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
    relaxed::LAYERS,
    relaxed::TRACE,
    relaxed::additive::ADD,
    relaxed::additive::FF,
    relaxed::lmcut::ROW,
    relaxed::landmarks::ROW,
    abstraction::ROW,
    database::DATABASE,
    database::RUSSIAN_DOLL,
    perimeter::ROW,
    sets::INFERRED,
    sets::DATABASE,
    active::ROW,
    blocked::ROW,
    expression::ROW,
    combine::max::ROW,
    combine::sum::ROW,
    combine::weight::ROW,
    combine::ties::ROW,
    combine::each::ROW,
    combine::novelty::ROW,
    combine::lazy::ROW,
    combine::cached::ROW,
];

/// All preferences.
pub const PREFERENCES: &[Row<PreferenceBuilder>] =
    &[contexts::ROW, useless::ROW, helpful::ROW, bounding::ROW];

/// The name of the estimate that is an expression of the user's own.
pub const EXPRESSION: &str = "expression";

/// Makes the estimate that `call` names.
pub fn build<'a>(goal: &Goal<'a>, call: &Call) -> Result<Factory<'a>, String> {
    let _phase = homing_budget::phase("building the tables of an estimate");
    let row = catalogue::find(ESTIMATES, Kind::Estimate, &call.name)?;
    (row.build)(goal, call)
}

/// Makes a distance between any two states: `fsm-max` or `fsm-sum`. What the goal is does
/// not matter.
pub fn distance(goal: &Goal, name: &str) -> Result<Box<dyn Distance>, String> {
    match name {
        "fsm-max" => Ok(Box::new(fsm::Distances::of(goal, false))),
        "fsm-sum" => Ok(Box::new(fsm::Distances::of(goal, true))),
        other => Err(format!("there is no distance `{other}` between states")),
    }
}

/// Makes the preference that `call` names.
pub fn prefer<'a>(goal: &Goal<'a>, call: &Call) -> Result<Box<dyn Preference + 'a>, String> {
    let row = catalogue::find(PREFERENCES, Kind::Preference, &call.name)?;
    (row.build)(goal, call)
}

/// Whether the estimate tells the preference that `prefer` names what it needs
/// to know; a sentence where it does not.
pub fn fits(
    prefer: &Call,
    estimate: &(dyn HeuristicFactory + '_),
    space: &Prepared,
) -> Result<(), String> {
    let row = catalogue::find(PREFERENCES, Kind::Preference, &prefer.name)?;
    if space.moves().list.is_empty() {
        // There is no step to ask about, and none to prefer.
        return Ok(());
    }
    let initial = space.layout().pack(&space.system().initial());
    let mut heuristic = estimate.instance();
    for need in row.needs {
        let (tells, what) = match need {
            Capability::LeavesOut => {
                (heuristic.without(&initial, 0).is_some(), "leave a transition out")
            }
            Capability::Helpful => {
                (heuristic.helpful(&initial, 0).is_some(), "name helpful transitions")
            }
            _ => continue,
        };
        if !tells {
            let able = ESTIMATES.iter().filter(|row| row.gives(*need));
            let able: Vec<String> = able.map(|row| format!("`{}`", row.name)).collect();
            return Err(format!(
                "the preference `{}` needs an estimate that can {what}, such as {}",
                row.name,
                able.join(" or ")
            ));
        }
    }
    Ok(())
}
