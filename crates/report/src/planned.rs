//! What the planner did: the object that `homing explain-plan` prints.
//!
//! Work is counted in units of about what a blind search takes for a successor, and says
//! the same in every run.

mod chart;
mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::outcome::{PropertyOutcome, Statistics, Verdict};

pub use chart::plot;
pub use text::text;

/// What the planner did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The strategy, with its parameters.
    pub strategy: String,
    /// Whether nothing was searched: then guides are those that would be tried.
    pub dry_run: bool,
    /// The searches that took turns, one after the other.
    pub searches: Vec<PlannedSearch>,
    /// All that was done, in words.
    pub phases: Vec<String>,
    /// What came of it, a property each.
    pub results: Vec<PlannedResult>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// What the whole run took.
    pub statistics: Statistics,
}

/// What came of a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlannedResult {
    /// The property's name, or the text of a goal.
    pub property: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Why that is the verdict.
    pub reason: String,
    /// The steps of the trace in the end.
    pub length: Option<u64>,
    /// Whether that is proven to be a shortest one.
    pub optimal: bool,
    /// Proven: no trace is shorter than this.
    pub at_least: Option<u64>,
}

impl From<&PropertyOutcome> for PlannedResult {
    fn from(outcome: &PropertyOutcome) -> PlannedResult {
        PlannedResult {
            property: outcome.property.clone(),
            verdict: outcome.verdict,
            reason: outcome.reason.clone(),
            length: outcome.trace.as_ref().map(|trace| trace.length as u64),
            optimal: outcome.optimal,
            at_least: outcome.at_least,
        }
    }
}

/// Searches that took turns.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlannedSearch {
    /// What they looked for.
    pub properties: Vec<String>,
    /// Whether all share one visited set; among zones each has its own.
    pub shared: bool,
    /// How they ended.
    pub ended: String,
    /// Whether it was only their turn that ended: another one begins anew.
    pub anew: bool,
    /// The guides, in the order in which they were tried.
    pub guides: Vec<PlannedGuide>,
    /// The turns, in the order in which they began. Of many, neighbours are added up.
    pub turns: Vec<PlannedTurn>,
    /// The search for a shorter trace after them.
    pub improved: Option<PlannedImprovement>,
}

/// A guide of a directed search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlannedGuide {
    /// Its number, from 1, where it was made.
    pub number: Option<u64>,
    /// The strategy of the catalogue that it is taken from.
    pub strategy: String,
    /// What it leads to.
    pub property: String,
    /// What became of it.
    pub state: GuideState,
    /// Why it was made then, or why it was not.
    pub why: String,
    /// The work of all searches before it was made.
    pub made_at: Option<u64>,
    /// The seconds that making it took.
    pub seconds: f64,
}

/// What became of a guide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GuideState {
    /// It was made.
    Made,
    /// It could not be made here.
    Refused,
    /// Its turn to be made did not come.
    Waiting,
}

/// Who had a turn.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Searcher {
    /// The breadth-first search before there are others.
    Probe,
    /// A directed search.
    Guide,
    /// The search that takes the newest state.
    Dive,
    /// The blind search, which misses nothing.
    Blind,
}

/// One turn, or several of one search that were added up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlannedTurn {
    /// Whose it was.
    pub search: Searcher,
    /// The number of its guide.
    pub guide: Option<u64>,
    /// How many turns there are in it.
    pub turns: u64,
    /// The work of all searches before it.
    pub began_at: u64,
    /// Its work: successors, and what estimates took.
    pub took: u64,
    /// The states it expanded.
    pub expanded: u64,
    /// The least estimate of its search by its end.
    pub least: Option<u32>,
    /// What it found.
    pub found: Vec<PlannedFinding>,
    /// Proven by its end: nothing else is nearer than so many steps.
    pub at_least: u64,
}

impl PlannedTurn {
    /// The work of all searches at its end.
    pub fn ended_at(&self) -> u64 {
        self.began_at + self.took
    }

    /// The name of its search.
    pub fn name(&self) -> String {
        match (self.search, self.guide) {
            (Searcher::Probe, _) => "breadth-first".into(),
            (Searcher::Guide, Some(number)) => format!("guide {number}"),
            (Searcher::Guide, None) => "a guide".into(),
            (Searcher::Dive, _) => "dive".into(),
            (Searcher::Blind, _) => "blind".into(),
        }
    }
}

/// Something that was found in a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlannedFinding {
    /// Which property it is about.
    pub property: String,
    /// The steps to it, as it was found.
    pub length: u64,
}

/// A breadth-first search for something shorter than what was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlannedImprovement {
    /// It looked for traces shorter than this.
    pub below: u64,
    /// The states it expanded.
    pub expanded: u64,
    /// Proven by its end: what is not found is not shorter than this.
    pub at_least: u64,
    /// Whether it went to its end: then what is found is shortest.
    pub complete: bool,
}
