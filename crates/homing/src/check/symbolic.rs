//! Questions about states, answered with sets of states.

use std::rc::Rc;

use super::answer::{Answer, is_known};
use super::gather::Search;
use super::states::Made;
use super::{Check, Questions};
use crate::options::{Options, UseEngine, UseReduction, UseSymmetry};
use crate::question::Hit;
use crate::run::UsageError;
use crate::searched::Searched;
use crate::symbolic::{self, Asked};

/// The options by which the parts of explicit searches are chosen: what a symbolic one is
/// asked for is not for them.
pub(super) fn parts_of(options: &Options) -> Result<Options, UsageError> {
    let mut chosen = options.clone();
    if options.engine != UseEngine::Symbolic {
        return Ok(chosen);
    }
    let unfit = [
        ("--store", options.store.is_some()),
        ("--estimate", options.estimate.is_some()),
        ("--minimise", options.minimise.is_some()),
        ("--different", options.different > 1),
        ("--reduction", matches!(options.reduction, UseReduction::By(_))),
        ("--symmetry", options.symmetry == UseSymmetry::Always),
    ];
    if let Some((name, _)) = unfit.into_iter().find(|(_, asked)| *asked) {
        let why = format!(
            "the engine `symbolic` searches sets of states, for which there is no `{name}`"
        );
        return Err(UsageError::Sentence(why));
    }
    symbolic::plan(options.strategy.as_deref()).map_err(UsageError::Sentence)?;
    chosen.strategy = Some("breadth".into());
    (chosen.reduction, chosen.symmetry) = (UseReduction::Never, UseSymmetry::Never);
    Ok(chosen)
}

impl Check<'_> {
    /// Looks for all that a search gathers.
    pub(super) fn symbolic(
        &mut self,
        search: &Search,
        questions: Questions,
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        let plan =
            symbolic::plan(self.options.strategy.as_deref()).map_err(UsageError::Sentence)?;
        let prepared = self.prepare_states(search)?;
        let space = Rc::clone(&prepared.space);
        let searched = Searched::new(&space, self.options.zones, search.asks(Hit::Deadlock))?;
        let asked = Asked {
            conditions: search.open(results),
            deadlock: search.asks(Hit::Deadlock),
            fault: search.asks(Hit::Fault),
        };
        let ran = symbolic::search(self.model, &space, &plan, asked, &self.runner)?;
        self.runner.enough(self.model, &space)?;
        self.note_compiled(&prepared);
        self.phases.extend(ran.phases.iter().cloned());
        let statistics = self.account(&ran);
        let cut = self.cut_off_by(search, &ran);
        let made = Made { search, searched: &searched, prices: None, ran: &ran, statistics, cut };
        for member in &search.members {
            if !is_known(&results[member.index]) {
                let question = &*questions[member.index];
                self.conclude(&made, *member, question, &mut results[member.index])?;
            }
        }
        Ok(())
    }
}
