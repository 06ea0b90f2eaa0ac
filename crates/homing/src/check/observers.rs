//! Observers of finite runs: a search in the product of the model and the observer.
//! Those that accept infinite runs: see `temporal`.

use homing_ir::network::ProcessId;
use homing_ir::passes::Passes;
use homing_search::Plan;
use homing_space::Observer;

use super::{Check, Search};
use crate::options::Options;
use crate::properties::{Kind, Property};
use crate::run::{Parts, UsageError};

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
                Ok(observer) => {
                    let mut search = Search::new(Passes { slice: false, ..self.passes });
                    search.members.push((index, Some(0)));
                    search.values = observer.conditions();
                    search.aim.observer = Some(observer);
                    searches.push(search);
                }
                Err(why) => self.unsearched.push((index, why)),
            }
        }
        searches
    }

    /// The observer as an automaton, or why no search is made for it.
    fn observer(&self, process: ProcessId) -> Result<Observer, String> {
        let observer = Observer::of(&self.model.network, process)?;
        if self.minimise.is_some() {
            return Err("observers are not searched for with `--minimise`".into());
        }
        if self.parts.strategy.is_directed() {
            return Err("an observer is no goal to direct a search at; \
                 take a strategy without an estimate, such as `breadth`"
                .into());
        }
        Ok(observer)
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
