//! Answers: what a question has come to.

use homing_core::{Progress, StopReason};
use homing_ir::Trace;
use homing_report::Verdict;
use homing_report::outcome::{PropertyOutcome, Queues, Statistics};
use homing_report::style::counted;
use homing_search::side_by_side::STEP;

use super::Check;
use crate::question::Question;
use crate::run::{Ran, peak, stop_reason};
use crate::stats::lossy;

/// What is known of a question: verdict, values, statistics, and the run that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// As it is shown.
    pub outcome: PropertyOutcome,
    /// The run, confirmed.
    pub trace: Option<Trace>,
}

impl Answer {
    /// One without a run.
    pub(super) fn of(outcome: PropertyOutcome) -> Answer {
        Answer { outcome, trace: None }
    }

    /// What is said where no search was made.
    pub(super) fn unsearched(question: &dyn Question, why: Option<&str>) -> Answer {
        let (verdict, reason) = question.unsearched(why);
        let statistics = Statistics::default();
        Answer::of(PropertyOutcome::new(question.name(), verdict, reason, statistics))
    }
}

/// Whether there is a verdict.
pub(super) fn is_known(answer: &Option<Answer>) -> bool {
    answer.as_ref().is_some_and(|answer| answer.outcome.verdict != Verdict::Unknown)
}

/// Why a run that was found can be relied on.
pub(super) const CONFIRMED: &str = "found, and confirmed by the reference interpreter";

impl Check<'_> {
    /// Adds what a search took to the total.
    pub(super) fn account(&mut self, ran: &Ran) -> Statistics {
        let queues = ran.outcome.statistics.queues.map(|queues| Queues {
            pushed: queues.pushed,
            popped: queues.popped,
            last: queues.last,
        });
        let progress = ran.outcome.statistics.progress;
        let estimated = ran.outcome.statistics.estimated;
        let mut statistics = Statistics { queues, ..self.spent(progress, ran.seconds) };
        statistics.work += estimated;
        self.total.work += estimated;
        statistics
    }

    /// The same of one that has nothing but its progress to tell.
    pub(super) fn spent(&mut self, progress: Progress, seconds: f64) -> Statistics {
        let step = if self.model.network.is_timed() { STEP } else { 1 };
        let statistics = Statistics {
            stored: progress.stored,
            expanded: progress.expanded,
            generated: progress.generated,
            work: progress.generated * step,
            seconds,
            peak_bytes: peak(&progress),
            queues: None,
        };
        self.total += statistics;
        statistics
    }

    pub(super) fn stop_reason(&self, stopped: StopReason) -> String {
        self.note_turn(stopped);
        let limits = &self.options.limits;
        let beyond = self.minimise.as_ref().and_then(|one| one.beyond(stopped, limits));
        beyond.unwrap_or_else(|| stop_reason(stopped, limits))
    }

    /// Nothing was found, which is a verdict if everything was looked at and nothing of it
    /// is cut off.
    pub(super) fn not_found(
        &self,
        question: &dyn Question,
        ran: &Ran,
        statistics: Statistics,
        cut: Option<&str>,
    ) -> PropertyOutcome {
        let (verdict, reason) = match (ran.outcome.stopped, ran.coverage) {
            (Some(stopped), _) => (Verdict::Unknown, self.stop_reason(stopped)),
            (None, Some(coverage)) => (Verdict::Unknown, lossy(coverage)),
            (None, None) if let Some(cut) = cut => (Verdict::Unknown, cut.into()),
            (None, None) => match question.verdicts().1 {
                Verdict::Violated => {
                    (Verdict::Violated, format!("not to be reached: {}", exhausted(ran)))
                }
                verdict => (verdict, exhausted(ran)),
            },
        };
        let stopped = ran.outcome.stopped.is_some() && self.minimise.is_none();
        PropertyOutcome {
            at_least: stopped.then_some(ran.outcome.at_least),
            ..PropertyOutcome::new(question.name(), verdict, reason, statistics)
        }
    }
}

/// Why nothing found means that there is nothing.
fn exhausted(ran: &Ran) -> String {
    match ran.outcome.statistics.dead_ends {
        _ if ran.reduced.is_some_and(|reduced| reduced > 0) => {
            "all states were searched that partial-order reduction leaves".into()
        }
        _ if ran.proved => "the estimate proves by abstraction that it cannot be reached".into(),
        0 => "all reachable states were searched".into(),
        ends => {
            let ends = counted(ends, "dead end");
            format!(
                "all reachable states were searched, but behind {ends} that the estimate proves"
            )
        }
    }
}
