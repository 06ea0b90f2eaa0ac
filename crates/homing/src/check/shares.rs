//! Several searches share the budget.
//!
//! No search may take it all while another would need little. So all have their turns,
//! each longer than the one before:
//!
//! ```text
//! for budget in 8,000, 64,000, 512,000 expansions:     (Options::first_turn)
//!   each search that has no answer yet, by the budget
//! those that are left, one after the other, each by its share of the time that is left
//! ```
//! A search begins anew in every turn: all turns but the last cost less than a sixth more
//! than the longest of them. Budgets are counted in expansions, so that all runs do the
//! same; where there is a time limit, no turn takes more than its share of half the time
//! that is left.
//!
//! A single search has short turns only where the planner may find something to leave
//! out of the longer one (`lighter`); where there is nothing, it goes on in the first.

use std::cell::Cell;

use homing_core::StopReason;

use super::answer::{Answer, is_known};
use super::engine::Job;
use super::{Check, Questions};
use crate::run::UsageError;

/// Turns before the last ones.
const TURNS: u32 = 3;

/// How much longer a turn is than the one before.
const GROWTH: u64 = 8;

/// Tells what is known so far.
pub(super) type Post<'p> = &'p dyn Fn(&Check, &[Option<Answer>]);

/// The turn at hand.
#[derive(Default)]
pub(super) struct Turn {
    /// Which it is, from 0; that of the last ones is [`TURNS`].
    pub number: u32,
    /// Whether there is only one search left.
    pub alone: bool,
    /// Whether the turn, and no limit of the user's, ended a search.
    pub ended: Cell<bool>,
    /// Questions whose search was ended by a turn and will go on in another.
    pub open: Vec<usize>,
}

impl Check<'_> {
    /// Answers all questions.
    pub(super) fn answer_all(
        &mut self,
        questions: Questions,
        results: &mut [Option<Answer>],
        post: Post,
    ) -> Result<(), UsageError> {
        self.leave_undecided(questions);
        let mut jobs = self.jobs(questions)?;
        let turns = match jobs.len() {
            0 => 0,
            // What outlasts the process is not searched anew.
            _ if self.runner.is_elsewhere() => 0,
            1 if self.may_leave_out() => 2,
            1 => 0,
            _ => TURNS,
        };
        for number in 0..turns {
            let alone = jobs.len() == 1 && (number > 1 || !self.may_leave_out());
            if number > 0 && alone {
                break;
            }
            self.turn.number = number;
            let budget = self.options.first_turn.saturating_mul(GROWTH.pow(number));
            jobs = self.in_turn(jobs, Some(budget), questions, results, post)?;
        }
        self.turn.number = TURNS;
        self.in_turn(jobs, None, questions, results, post)?;
        Ok(())
    }

    /// Gives each its turn. Answers with those that need another.
    fn in_turn(
        &mut self,
        jobs: Vec<Job>,
        budget: Option<u64>,
        questions: Questions,
        results: &mut [Option<Answer>],
        post: Post,
    ) -> Result<Vec<Job>, UsageError> {
        let mut left = Vec::new();
        let count = jobs.len();
        self.turn.alone = count == 1;
        for (at, job) in jobs.into_iter().enumerate() {
            if is_answered(&job, results) && self.runner.is_spent() {
                // What it found out in its turn before is more than what it would now.
                continue;
            }
            let others = (count - at) as u32;
            self.runner.take_turn(budget, if budget.is_some() { 2 * others } else { others });
            self.turn.ended.set(false);
            let (phases, notices) = (self.phases.len(), self.notices.len());
            let planned = self.planned.len();
            self.work(&job, questions, results)?;
            self.runner.end_turn();
            self.note_open(&job, results);
            post(self, results);
            if !self.turn.ended.get() {
                continue;
            }
            if let Some(open) = unanswered(job, results) {
                self.phases.truncate(phases);
                self.planned[planned..].iter_mut().for_each(|search| search.anew = true);
                self.notices.truncate(notices);
                left.push(open);
            }
        }
        if let (Some(budget), false) = (budget, left.is_empty()) {
            let what = if count == 1 { "the search" } else { "each search" };
            self.phases.push(format!("{what} up to {budget} expansions, then anew"));
        }
        Ok(left)
    }

    /// Notes which questions of a job wait for another turn.
    fn note_open(&mut self, job: &Job, results: &[Option<Answer>]) {
        let members = members(job);
        self.turn.open.retain(|index| !members.contains(index));
        if self.turn.ended.get() {
            let unknown = members.into_iter().filter(|index| !is_known(&results[*index]));
            self.turn.open.extend(unknown);
        }
    }

    /// Notes that a search was ended by its turn, where no limit of the user's is as low.
    pub(super) fn note_turn(&self, stopped: StopReason) {
        if self.runner.turn_ends(stopped) {
            self.turn.ended.set(true);
        }
    }
}

/// Whether something is known about it, if only what a short turn found out.
fn is_answered(job: &Job, results: &[Option<Answer>]) -> bool {
    members(job).into_iter().all(|index| results[index].is_some())
}

/// The questions it is about.
fn members(job: &Job) -> Vec<usize> {
    match job {
        Job::States(search) => search.members.iter().map(|member| member.index).collect(),
        Job::Alone(index) => vec![*index],
    }
}

/// What of a job has no verdict yet.
fn unanswered(job: Job, results: &[Option<Answer>]) -> Option<Job> {
    let unknown = |index: usize| !is_known(&results[index]);
    match job {
        Job::States(mut search) => {
            search.members.retain(|member| unknown(member.index));
            (!search.members.is_empty()).then_some(Job::States(search))
        }
        Job::Alone(index) => unknown(index).then_some(job),
    }
}
