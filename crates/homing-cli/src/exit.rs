//! Exit codes: what scripts learn.

use std::process::ExitCode;

use homing::report::compare::CompareOutcome;
use homing::report::planned::PlanOutcome;
use homing::report::tuned::TuneOutcome;
use homing::report::{CheckOutcome, StatsOutcome, Verdict};

/// How a run of the command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Everything asked for holds, and everything was looked at.
    Success = 0,
    /// Something is violated.
    Violated = 1,
    /// The command line, the model or another file is wrong.
    Wrong = 2,
    /// Not known, or not everything was looked at.
    Unknown = 3,
    /// An error in homing itself.
    Internal = 70,
}

impl Exit {
    /// The exit that matters more: an internal error, a violation, something
    /// wrong, something unknown, in this order.
    pub fn and(self, other: Exit) -> Exit {
        let order = [Exit::Internal, Exit::Violated, Exit::Wrong, Exit::Unknown];
        let worst = order.into_iter().find(|exit| *exit == self || *exit == other);
        worst.unwrap_or(Exit::Success)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Holds => Exit::Success,
            Verdict::Violated => Exit::Violated,
            Verdict::Unknown => Exit::Unknown,
        }
    }
}

impl From<&CheckOutcome> for Exit {
    fn from(outcome: &CheckOutcome) -> Exit {
        // Where nothing was checked, nothing is known to hold.
        let nothing = outcome.results.is_empty();
        let start = if nothing { Exit::Unknown } else { Exit::Success };
        outcome.results.iter().fold(start, |exit, result| exit.and(result.verdict.into()))
    }
}

impl From<&StatsOutcome> for Exit {
    fn from(outcome: &StatsOutcome) -> Exit {
        if outcome.complete { Exit::Success } else { Exit::Unknown }
    }
}

impl From<&CompareOutcome> for Exit {
    fn from(outcome: &CompareOutcome) -> Exit {
        match (outcome.internal_errors.is_empty(), outcome.complete) {
            (false, _) => Exit::Internal,
            (true, true) => Exit::Success,
            (true, false) => Exit::Unknown,
        }
    }
}

impl From<&TuneOutcome> for Exit {
    fn from(outcome: &TuneOutcome) -> Exit {
        match (outcome.internal_errors.is_empty(), outcome.complete && outcome.written) {
            (false, _) => Exit::Internal,
            (true, true) => Exit::Success,
            (true, false) => Exit::Unknown,
        }
    }
}

impl From<&PlanOutcome> for Exit {
    fn from(outcome: &PlanOutcome) -> Exit {
        let unknown = outcome.results.iter().any(|result| result.verdict == Verdict::Unknown);
        if unknown { Exit::Unknown } else { Exit::Success }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_wins_over_unknown() {
        assert_eq!(Exit::Unknown.and(Exit::Violated), Exit::Violated);
        assert_eq!(Exit::Violated.and(Exit::Wrong), Exit::Violated);
        assert_eq!(Exit::Success.and(Exit::Unknown), Exit::Unknown);
        assert_eq!(Exit::Success.and(Exit::Success), Exit::Success);
        assert_eq!(Exit::Violated.and(Exit::Internal), Exit::Internal);
    }
}
