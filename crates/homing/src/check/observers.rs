//! Observers: a search in the product of the model and the observer.

use homing_ir::network::{Process, ProcessId, Target};
use homing_ir::passes::Passes;
use homing_report::outcome::{PropertyOutcome, Verdict};
use homing_search::Plan;
use homing_space::Automaton;

use super::{Check, Search};
use crate::properties::{Kind, Property};
use crate::run::{Options, Parts, UsageError};

/// Why an automaton over infinite runs is not checked: that needs a search for
/// cycles.
pub(super) const INFINITE: &str = "a property of infinite runs, which this version cannot check";

/// How observers are searched for where the planner is to decide.
const BLIND: &str = "breadth";

impl Check<'_> {
    /// An observer has a search of its own, in the product with it. Slicing
    /// would change how often it moves.
    pub(super) fn observers(&mut self, properties: &[Property]) -> Vec<Search> {
        let mut searches = Vec::new();
        for (index, property) in properties.iter().enumerate() {
            let Kind::Observer(process) = property.kind else { continue };
            match self.observer(process) {
                Ok(automaton) => {
                    let mut search = Search::new(Passes { slice: false, ..self.passes });
                    search.members.push((index, Some(0)));
                    search.values = automaton.conditions().to_vec();
                    search.aim.observer = Some(automaton);
                    searches.push(search);
                }
                Err(why) => self.unsearched.push((index, why)),
            }
        }
        searches
    }

    /// The observer as an automaton, or why no search is made for it.
    fn observer(&self, process: ProcessId) -> Result<Automaton, String> {
        let observer = &self.model.network.processes[process.index()];
        let accepts = observer.locations.iter().any(|location| location.accepting);
        if accepts && !may_end(observer) {
            return Err(INFINITE.into());
        }
        let automaton = Automaton::of(&self.model.network, process)?;
        if self.minimise.is_some() {
            return Err("observers are not searched for with `--minimise`".into());
        }
        if self.parts.strategy.is_directed() {
            return Err("an observer is no goal to direct a search at; \
                 take a strategy without an estimate, such as `breadth`"
                .into());
        }
        Ok(automaton)
    }

    /// The parts of a search: observers leave nothing for the planner to
    /// direct.
    pub(super) fn parts_for(&self, search: &Search) -> Result<Option<Parts>, UsageError> {
        let planned = matches!(self.parts.strategy.plan, Plan::Auto(_));
        if search.aim.observer.is_none() || !planned {
            return Ok(None);
        }
        let plain =
            Options { strategy: Some(BLIND.into()), estimate: None, ..self.options.clone() };
        Parts::choose(self.model, &plain, BLIND).map(Some)
    }
}

fn may_end(observer: &Process) -> bool {
    let mut branches = observer.edges.iter().flat_map(|edge| &edge.branches);
    observer.locations.iter().any(|location| location.end)
        || branches.any(|branch| branch.target == Target::End)
}

/// An observer that never ends, but might accept infinite runs.
pub(super) fn half_checked(outcome: &mut PropertyOutcome) {
    if outcome.verdict == Verdict::Holds {
        outcome.verdict = Verdict::Unknown;
        outcome.reason = "its end is never reached; whether it accepts a run that goes on for \
             ever (an acceptance cycle), this version cannot check"
            .into();
    }
}
