//! What was found: confirmed, priced, made shorter.

use homing_budget::{attempt, finishing};
use homing_core::Progress;
use homing_ir::Trace;
use homing_report::outcome::{PropertyOutcome, Statistics, Verdict};
use homing_search::{Finding, Outcome};

use super::{Answer, Check, confirmed, internal};
use crate::minimise::Prices;
use crate::options::Options;
use crate::properties::{Kind, Property};
use crate::run::{Ran, UsageError};
use crate::searched::Searched;
use crate::shorten::improve;
use crate::times::Unconfirmed;

impl Check<'_> {
    /// A violation, or that a state can be reached, re-executed by the interpreter
    /// on the original model. Nothing where clocks stop and it has no delays.
    pub(super) fn violated(
        &self,
        space: &Searched,
        property: &Property,
        finding: &Finding,
        ran: &Ran,
        statistics: Statistics,
    ) -> Result<Option<(PropertyOutcome, Trace)>, UsageError> {
        let confirmed = || confirmed(&self.interpreter, space, property, finding);
        let (trace, shown) = match finishing("confirming a run that was found", confirmed) {
            Ok(confirmed) => confirmed,
            Err(Unconfirmed::Spurious) => return Ok(None),
            Err(Unconfirmed::Wrong(error)) => return Err(internal(&property.name, &error)),
        };
        let outcome = PropertyOutcome {
            property: property.name.clone(),
            verdict: match property.kind {
                Kind::Reachable(..) => Verdict::Holds,
                _ => Verdict::Violated,
            },
            reason: "found, and confirmed by the reference interpreter".into(),
            optimal: ran.outcome.optimal || finding.length() as u64 <= ran.outcome.at_least,
            at_least: Some(ran.outcome.at_least.min(finding.length() as u64)),
            trace: Some(shown),
            different: None,
            statistics,
        };
        Ok(Some((outcome, trace)))
    }

    /// What a trace costs, where that is something else than its length.
    pub(super) fn price(
        &mut self,
        found: &mut PropertyOutcome,
        trace: &Trace,
        prices: &Prices,
        finding: &Finding,
        outcome: &Outcome,
    ) -> Result<(), UsageError> {
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
        property: &Property,
        mut found: PropertyOutcome,
        trace: Trace,
    ) -> Result<Answer, UsageError> {
        let homing_search::Plan::Auto(auto) = self.parts.strategy.plan else {
            return Ok((found, Some(trace)));
        };
        let expanded = found.statistics.expanded;
        let progress = Progress { expanded, ..Progress::default() };
        let spent = self.runner.bounded(None, None).watch(None).check(&progress).is_err();
        let exact = self.parts.keeps_exact_states();
        let probing = self.probes > 0;
        // A shorter one among zones need not be one.
        let stops = self.model.network.has_stopwatches();
        if found.optimal || self.minimise.is_some() || spent || !exact || probing || stops {
            return Ok((found, Some(trace)));
        }
        let limits = &self.options.limits;
        let left = limits.expansions.map(|most| most.saturating_sub(found.statistics.expanded));
        let budget = match limits.time {
            Some(_) => left,
            None => Some(auto.improve.min(left.unwrap_or(u64::MAX))),
        };
        let runner = self.runner.bounded(None, budget);
        let directed = Options { strategy: None, estimate: None, ..self.options.clone() };
        let shorter =
            || improve(self.model, &directed, &self.interpreter, property, &trace, runner);
        let better = match attempt("looking for a shorter run", shorter) {
            Ok(better) => better?,
            Err(_) => return Ok((found, Some(trace))),
        };
        let outcome = better.outcome;
        let before = trace.steps.len();
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
        let statistics = outcome.statistics;
        for all in [&mut self.total, &mut found.statistics] {
            all.expanded += statistics.expanded;
            all.generated += statistics.generated;
            all.seconds += statistics.seconds;
            all.stored = all.stored.max(statistics.stored);
            all.peak_bytes = all.peak_bytes.max(statistics.peak_bytes);
        }
        found.trace = Some(outcome.trace);
        Ok((found, Some(better.trace)))
    }
}
