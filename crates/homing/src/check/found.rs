//! What was found: confirmed, priced, made shorter.

use homing_budget::{attempt, finishing};
use homing_core::Progress;
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_search::{Finding, Outcome};

use super::answer::{Answer, CONFIRMED};
use super::{Check, confirmed, internal};
use crate::minimise::Prices;
use crate::options::Options;
use crate::question::Question;
use crate::run::{Ran, UsageError};
use crate::searched::Searched;
use crate::shorten::{Shortened, improve};
use crate::times::Unconfirmed;

impl Check<'_> {
    /// A state that was found, its run re-executed by the interpreter on the original
    /// model. Nothing where clocks stop and it has no delays.
    pub(super) fn violated(
        &self,
        space: &Searched,
        question: &dyn Question,
        finding: &Finding,
        ran: &Ran,
        statistics: Statistics,
    ) -> Result<Option<Answer>, UsageError> {
        let confirmed = || confirmed(&self.interpreter, space, question, finding);
        let (trace, shown) = match finishing("confirming a run that was found", confirmed) {
            Ok(confirmed) => confirmed,
            Err(Unconfirmed::Spurious) => return Ok(None),
            Err(Unconfirmed::Wrong(error)) => return Err(internal(question.name(), &error)),
        };
        let (verdict, _) = question.verdicts();
        let (length, at_least) = (finding.length() as u64, ran.outcome.at_least);
        let outcome = PropertyOutcome {
            optimal: ran.outcome.optimal || length <= at_least,
            at_least: Some(at_least.min(length)),
            first: ran.first,
            trace: Some(shown),
            ..PropertyOutcome::new(question.name(), verdict, CONFIRMED, statistics)
        };
        Ok(Some(Answer { outcome, trace: Some(trace) }))
    }

    /// What a trace costs, where that is something else than its length.
    pub(super) fn price(
        &mut self,
        answer: &mut Answer,
        prices: &Prices,
        finding: &Finding,
        outcome: &Outcome,
    ) -> Result<(), UsageError> {
        let Answer { outcome: found, trace: Some(trace) } = answer else { return Ok(()) };
        let minimise = prices.minimise();
        let cost = minimise.cost(prices, &finding.path, &self.interpreter, trace);
        let cost = cost.map_err(|error| internal(&found.property, &error))?;
        found.optimal = outcome.optimal;
        // That is in steps.
        found.at_least = None;
        if !found.optimal {
            let doubt = minimise.doubt(cost, outcome);
            self.notices.push(format!("not proven to cost least, `{}`: {doubt}", found.property));
        }
        if let Some(shown) = &mut found.trace {
            shown.cost = minimise.shown(cost);
        }
        Ok(())
    }

    /// Where the planner decides, the second half of its budget for a shorter
    /// trace: searches directed at the one that was found.
    pub(super) fn shortened(
        &mut self,
        question: &dyn Question,
        answer: Answer,
    ) -> Result<Answer, UsageError> {
        let homing_search::Plan::Auto(auto) = self.parts.strategy.plan else { return Ok(answer) };
        let Answer { outcome: mut found, trace: Some(trace) } = answer else { return Ok(answer) };
        let expanded = found.statistics.expanded;
        let progress = Progress { expanded, ..Progress::default() };
        let spent = self.runner.bounded(None, None).watch(None).check(&progress).is_err();
        let exact = self.parts.keeps_exact_states();
        let probing = self.probes > 0;
        // A shorter one among zones need not be one.
        let stops = self.model.network.has_stopwatches();
        let effort = auto.effort(found.first.map_or(expanded, |first| first.expanded));
        let done = found.optimal || effort == 0;
        if done || self.minimise.is_some() || spent || !exact || probing || stops {
            return Ok(Answer { outcome: found, trace: Some(trace) });
        }
        let limits = &self.options.limits;
        let left = limits.expansions.map_or(u64::MAX, |most| most.saturating_sub(expanded));
        let runner = self.runner.bounded(None, Some(effort.min(left)));
        let directed = Options { strategy: None, estimate: None, ..self.options.clone() };
        let shorter =
            || improve(self.model, &directed, &self.interpreter, question, &trace, runner);
        let better = match attempt("looking for a shorter run", shorter) {
            Ok(better) => better?,
            Err(_) => return Ok(Answer { outcome: found, trace: Some(trace) }),
        };
        self.told_shorter(&mut found, trace.steps.len(), &better);
        Ok(Answer { outcome: found, trace: Some(better.trace) })
    }

    /// Puts a shorter trace in the place of the one that was found.
    fn told_shorter(&mut self, found: &mut PropertyOutcome, before: usize, better: &Shortened) {
        let outcome = &better.outcome;
        for gain in &outcome.gains {
            self.phases.push(format!("{}: {} steps", gain.by, gain.length));
        }
        found.at_least = found.at_least.max(Some(outcome.at_least));
        let length = better.trace.steps.len();
        found.optimal = outcome.optimal || found.at_least >= Some(length as u64);
        self.phases.push(match found.optimal {
            true => format!("directed searches below {before} steps: shortest"),
            false => format!(
                "directed searches below {before} steps, {} expansions: at least {} steps",
                outcome.statistics.expanded,
                found.at_least.unwrap_or(0)
            ),
        });
        self.total += outcome.statistics;
        found.statistics += outcome.statistics;
        found.trace = Some(outcome.trace.clone());
    }
}
