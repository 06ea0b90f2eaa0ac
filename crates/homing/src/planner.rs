//! What the planner chooses from: the rows of estimates say what each is good for.

use homing_core::catalogue::{Job, strategies_for};
use homing_guide::{ESTIMATES, Target};
use homing_search::Strategy;

use crate::run::parse;

/// What there is to do to find something: at once, and then; among zones or plain states.
pub(crate) fn jobs(target: Target, zones: bool) -> [Job; 2] {
    match (target, zones) {
        (Target::Deadlock, false) => [Job::BeginDeadlock, Job::FindDeadlock],
        (Target::Deadlock, true) => [Job::BeginDeadlock, Job::FindTimedDeadlock],
        (_, false) => [Job::Begin, Job::FindState],
        (_, true) => [Job::BeginTimed, Job::FindTimedState],
    }
}

/// The strategies for a job, in the order in which they are tried.
pub(crate) fn strategies(job: Job) -> Vec<&'static str> {
    strategies_for(ESTIMATES, job)
}

/// The first of them.
pub(crate) fn first(job: Job) -> Option<&'static str> {
    strategies(job).into_iter().next()
}

/// A strategy that is written in a row, made. What does not fit together is passed over.
pub(crate) fn made(strategy: &str, seed: u64) -> Option<Strategy> {
    let call = parse(strategy, "strategy").ok()?;
    homing_search::strategy::build(&call, seed).ok().map(|(strategy, _)| strategy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A typing error in a row would only make the planner worse, which nobody would see.
    #[test]
    fn every_use_is_a_strategy() {
        for offered in ESTIMATES.iter().flat_map(|row| row.uses) {
            let made = made(offered.strategy, 1);
            assert!(made.is_some_and(|made| made.estimate.is_some()), "{}", offered.strategy);
        }
        for job in [Job::FindState, Job::FindDeadlock, Job::Refute, Job::Shortest, Job::Walk] {
            assert!(first(job).is_some(), "{job:?}");
        }
    }
}
