//! Questions about states: one search answers all that it gathers.

use std::rc::Rc;

use homing_core::{Pricing, Watch};
use homing_ir::Trace;
use homing_ir::flatten::Wanted;
use homing_ir::interp::Interpreter;
use homing_ir::passes::Passes;
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_search::{Finding, Task};
use homing_space::reduction::Asked;
use homing_witness::outcome::TraceOutcome;
use homing_witness::why::explained;

use super::answer::{Answer, is_known};
use super::cut::unevaluated;
use super::gather::{Member, Search};
use super::prepared::Prepared;
use super::stopwatches::spurious;
use super::{Check, Questions};
use crate::different::{Looking, different};
use crate::minimise::Prices;
use crate::question::{Hit, Question};
use crate::run::{Aim, Ran, UsageError};
use crate::searched::Searched;
use crate::stats::lossy;
use crate::symmetric;
use crate::times::{Unconfirmed, scheduled};

/// A search that has been made, and what its answers are read off.
pub(super) struct Made<'m> {
    pub search: &'m Search,
    pub searched: &'m Searched<'m>,
    pub prices: Option<&'m Prices<'m>>,
    pub ran: &'m Ran,
    pub statistics: Statistics,
    /// Why what was not found may still be there.
    pub cut: Option<&'static str>,
}

impl Check<'_> {
    /// Looks for all that a search gathers.
    pub(super) fn states(
        &mut self,
        search: &Search,
        questions: Questions,
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        let prepared = self.prepare_states(search)?;
        let space = Rc::clone(&prepared.space);
        let first_price = search.conditions.len() + search.values.len();
        let minimise = self.minimise.clone();
        let prices = minimise.as_ref().map(|one| one.prices(&space, first_price));
        let (deadlock, fault) = (search.asks(Hit::Deadlock), search.asks(Hit::Fault));
        let searched = Searched::new(&space, self.options.zones, deadlock)?;
        if self.proven(search, questions, &searched, results)? {
            return Ok(());
        }
        let conditions = search.open(results);
        // What fails without being asked for must not be left out either: see `cut`.
        let asked = Asked { conditions, deadlock, fault: fault || space.may_fail(), lasso: false };
        let searched = self.lighten(search.key, searched, asked)?;
        let task = Task {
            conditions,
            deadlock,
            fault,
            pricing: prices.as_ref().map(|prices| prices as &dyn Pricing),
            ..Task::explore(searched.space())
        };
        let ran = self.searched(search, &searched, asked, &task, prices.as_ref())?;
        self.note_compiled(&prepared);
        let statistics = self.account(&ran);
        self.note_plan(search, questions, &ran);
        let cut = self.cut_off_by(search, &ran);
        self.give_up_reduction(search.key, &ran);
        let (searched, ran, prices) = (&searched, &ran, prices.as_ref());
        let made = Made { search, searched, prices, ran, statistics, cut };
        for member in &search.members {
            if !is_known(&results[member.index]) {
                self.conclude(
                    &made,
                    *member,
                    &*questions[member.index],
                    &mut results[member.index],
                )?;
            }
        }
        Ok(())
    }

    /// The space of a search, with what it is asked for and what steps cost.
    pub(super) fn prepare_states(&mut self, search: &Search) -> Result<Prepared, UsageError> {
        let mut conditions = [&search.conditions[..], &search.values].concat();
        conditions.extend(self.minimise.iter().flat_map(|minimise| minimise.values()));
        let key = (self.probes == 0).then_some(search.key);
        self.prepare(key, search.asserts, &conditions, search.passes)
    }

    fn searched(
        &mut self,
        search: &Search,
        searched: &Searched,
        asked: Asked,
        task: &Task,
        prices: Option<&Prices>,
    ) -> Result<Ran, UsageError> {
        let aim = Aim {
            costs: prices.and_then(Prices::costs),
            classes: prices.and_then(Prices::movers).map(<[u32]>::to_vec),
            representatives: searched.is_symmetric(),
            ..search.aim.clone()
        };
        self.runner.guard(self.model, searched.discrete);
        let goes_on = |watch: &mut Watch| {
            self.goes_on(search, searched, asked) && self.runner.outlast_turn(watch)
        };
        let task = &Task { goes_on: Some(&goes_on), ..*task };
        let ran = self.runner.run(&self.parts, searched, task, &aim)?;
        self.runner.enough(self.model, searched.discrete)?;
        symmetric::once_each(&mut self.notices, &ran.notices);
        self.notices.extend(prices.and_then(Prices::notices));
        self.phases.extend(ran.phases.iter().cloned());
        Ok(ran)
    }

    /// Reads one answer off a search.
    pub(super) fn conclude(
        &mut self,
        made: &Made,
        member: Member,
        question: &dyn Question,
        result: &mut Option<Answer>,
    ) -> Result<(), UsageError> {
        let Made { searched, prices, ran, statistics, .. } = *made;
        let Some(finding) = member.hit.of(&ran.outcome.findings) else {
            return self.nothing(made, member, question, result);
        };
        let found = self.violated(searched, question, finding, ran, statistics)?;
        let Some(mut found) = found else {
            *result = Some(Answer::of(spurious(question, statistics)));
            return Ok(());
        };
        if let Some(prices) = prices {
            self.price(&mut found, prices, finding, &ran.outcome)?;
        }
        let mut answer = self.shortened(question, found)?;
        *result = Some(answer.clone());
        if self.options.different > 1 && self.probes == 0 {
            self.add_different(made, member, question, finding, &mut answer)?;
        }
        *result = Some(answer);
        Ok(())
    }

    /// Nothing was found.
    fn nothing(
        &mut self,
        made: &Made,
        Member { index, hit }: Member,
        question: &dyn Question,
        result: &mut Option<Answer>,
    ) -> Result<(), UsageError> {
        let Made { searched, ran, statistics, cut, .. } = *made;
        let asked = hit.bit().map_or(0, |bit| 1 << bit);
        let cut = cut.or_else(|| unevaluated(searched.discrete, asked, Some(ran)));
        let outcome = match hit {
            Hit::Never if cut.is_some() => {
                let unsearched = Answer::unsearched(question, None).outcome;
                PropertyOutcome { statistics, ..unsearched }
            }
            _ => self.not_found(question, ran, statistics, cut),
        };
        let estimated = ran.outcome.statistics.dead_ends > 0 && self.probes == 0;
        self.estimated.extend(estimated.then_some(index));
        // Known even if there is no time to see whether it is vacuous.
        *result = Some(Answer::of(outcome.clone()));
        *result = Some(Answer::of(self.unless_vacuous(question, outcome)?));
        Ok(())
    }

    /// Looks for other counterexamples than the first.
    fn add_different(
        &mut self,
        made: &Made,
        member: Member,
        question: &dyn Question,
        finding: &Finding,
        answer: &mut Answer,
    ) -> Result<(), UsageError> {
        let whole = self.runner.bounded(self.runner.limits().bound, None);
        let looking = Looking {
            interpreter: &self.interpreter,
            runner: &whole,
            parts: &self.parts,
            space: made.searched,
            question,
            hit: member.hit,
            aim: &made.search.aim,
            most: self.options.different,
            expanded: made.statistics.expanded,
        };
        if let (Some(told), Some(trace)) = (&answer.outcome.trace, &answer.trace) {
            let (different, traces) = different(&looking, (finding, trace, told))?;
            answer.outcome.different = Some(different);
            self.others.push((member.index, traces));
        }
        Ok(())
    }
}

/// How many states satisfy a condition.
pub(crate) struct Counted {
    pub states: u64,
    /// Why there may be more.
    pub stopped: Option<String>,
    pub statistics: Statistics,
}

impl Check<'_> {
    /// Explores everything and counts the states that satisfy a condition. Nothing is left
    /// out, and only passes run that keep the number of states.
    pub(crate) fn count(&mut self, wanted: Wanted) -> Result<Counted, UsageError> {
        let passes = self.options.passes.apply(Passes::COUNTING)?;
        let prepared = self.prepare(None, false, &[wanted], passes)?;
        let searched = Searched::new(&prepared.space, self.options.zones, false)?;
        let parts = self.chosen("breadth")?;
        let task = Task { count: 1, ..Task::explore(searched.space()) };
        self.runner.guard(self.model, &prepared.space);
        let ran = self.runner.run(&parts, &searched, &task, &Aim::default())?;
        self.runner.enough(self.model, &prepared.space)?;
        self.note_compiled(&prepared);
        let statistics = self.account(&ran);
        let cut = self.cut_off(ran.outcome.statistics.faults, false);
        let cut = cut.or_else(|| unevaluated(&prepared.space, 1, None));
        let stopped = match (ran.outcome.stopped, ran.coverage) {
            (Some(stopped), _) => Some(self.stop_reason(stopped)),
            (None, Some(coverage)) => Some(lossy(coverage)),
            (None, None) => cut.map(String::from),
        };
        Ok(Counted { states: ran.outcome.statistics.counted, stopped, statistics })
    }
}

/// The edges of the network along a finding. When each was taken, is not known.
pub(crate) fn trace_of(space: &Searched, finding: &Finding) -> Trace {
    let path = &finding.path;
    let mut steps: Vec<_> = path.steps().map(|(state, edge)| space.step(state, edge)).collect();
    if let Some(fault) = finding.fault {
        steps.push(space.step(path.state(path.len()), fault.edge));
    }
    Trace::new(steps)
}

/// A finding as a run of the network, executed by the interpreter: first, where
/// there are clocks, at times at which every step is possible.
pub(crate) fn confirmed(
    interpreter: &Interpreter,
    space: &Searched,
    question: &dyn Question,
    finding: &Finding,
) -> Result<(Trace, TraceOutcome), Unconfirmed> {
    let claim = question.claim().ok_or_else(|| "nobody knows what it shows".to_string())?;
    let trace = scheduled(interpreter, &trace_of(space, finding), claim)?;
    let shown = explained(interpreter, &trace, claim)?;
    Ok((trace, shown))
}
