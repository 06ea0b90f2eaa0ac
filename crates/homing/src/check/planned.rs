//! What the planner did, for those who ask.

use homing_report::planned::{PlanOutcome, PlannedResult};
use homing_search::Plan;

use super::gather::Search;
use super::{Check, Checked, Questions, check};
use crate::load::Model;
use crate::options::Options;
use crate::question::Hit;
use crate::run::{Configuration, Hooks, Ran, UsageError, stop_reason};

/// Checks a model as [`check`] does, and says what the planner did. With `dry`, only what
/// it would try: nothing is expanded.
pub fn explain_plan(
    model: &Model,
    options: &Options,
    dry: bool,
    hooks: Hooks,
) -> Result<PlanOutcome, UsageError> {
    let mut options = options.clone();
    if dry {
        options.limits.expansions = Some(0);
    }
    let parts = Configuration::choose(model, &options, "auto")?;
    if !matches!(parts.strategy.plan, Plan::Auto(_)) {
        return Err(UsageError::Sentence(format!(
            "only `auto` makes a plan, `{}` does what it says: see `homing parts {}`",
            parts.strategy.call, parts.strategy.call.name
        )));
    }
    let Checked { outcome, planned, .. } = check(model, &options, hooks)?;
    let results = outcome.results.iter().map(PlannedResult::from);
    Ok(PlanOutcome {
        model: outcome.model,
        command: outcome.command,
        seed: outcome.seed,
        strategy: outcome.plan.strategy,
        dry_run: dry,
        searches: planned,
        phases: if dry { Vec::new() } else { outcome.plan.phases },
        results: if dry { Vec::new() } else { results.collect() },
        notices: outcome.notices,
        statistics: outcome.statistics,
    })
}

impl Check<'_> {
    /// Notes what a search did that was planned. Questions that are asked for the sake of
    /// another one are left out.
    pub(super) fn note_plan(&mut self, search: &Search, questions: Questions, ran: &Ran) {
        let Some(record) = ran.record.as_ref().filter(|_| self.probes == 0) else { return };
        let name = |hit: Hit| {
            let member = search.members.iter().find(|member| member.hit == hit);
            let known = member.map(|member| questions[member.index].name());
            known.unwrap_or("a step that fails by an assertion").to_string()
        };
        let mut told = record.told(&name);
        let names = search.members.iter().map(|one| questions[one.index].name().to_string());
        told.properties = names.collect();
        told.ended = match ran.outcome.stopped {
            Some(_) if self.options.limits.expansions == Some(0) => String::new(),
            Some(reason) => stop_reason(reason, &self.options.limits),
            None if ran.outcome.findings.is_empty() => "everything was searched".into(),
            None => "all that is looked for was found, or everything was searched".into(),
        };
        self.planned.push(told);
    }
}
