//! Several searches share the budget.
//!
//! No search may take it all while another would need little. So all have their turns,
//! each longer than the one before:
//!
//! ```text
//! for budget in 20,000, 160,000, 1,280,000 expansions:     (Options::first_turn)
//!   each search that has no answer yet, by the budget
//! those that are left, one after the other, each by its share of the time that is left
//! ```
//! A search begins anew in every turn: all turns but the last cost less than a sixth more
//! than the longest of them. Budgets are counted in expansions, so that all runs do the
//! same; where there is a time limit, no turn takes more than its share of half the time
//! that is left.
//!
//! A single search has short turns only where the planner may find something to leave
//! out of the longer one (`lighter`).

use std::cell::Cell;
use std::rc::Rc;

use homing_core::StopReason;
use homing_ir::Network;
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_report::outcome::Verdict;
use homing_space::CompiledSpace;

use super::{Answer, Check, Search};
use crate::properties::{Kind, Property};
use crate::run::{UsageError, refused};

/// Turns before the last ones.
const TURNS: u32 = 3;

/// How much longer a turn is than the one before.
const GROWTH: u64 = 8;

/// Something to find out, with a search or several.
pub(super) enum Job {
    /// Whether states are reached.
    States(Box<Search>),
    /// Whether a run stays somewhere: a query.
    Query(usize),
    /// Whether all runs satisfy something.
    Runs(usize),
    /// How large a value gets.
    Extreme(usize),
}

/// Tells what is known so far.
pub(super) type Post<'p> = &'p dyn Fn(&Check, &[Option<Answer>]);

/// The turn at hand.
#[derive(Default)]
pub(super) struct Turn {
    /// Which it is, from 0; that of the last ones is [`TURNS`].
    pub number: u32,
    /// Whether the turn, and no limit of the user's, ended a search.
    pub ended: Cell<bool>,
    /// Properties whose search was ended by a turn and will go on in another.
    pub open: Vec<usize>,
}

impl Check<'_> {
    /// Answers all questions.
    pub(super) fn answer_all(
        &mut self,
        properties: &[Property],
        results: &mut [Option<Answer>],
        post: Post,
    ) -> Result<(), UsageError> {
        let mut jobs = self.jobs(properties)?;
        let turns = match jobs.len() {
            0 => 0,
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
            jobs = self.in_turn(jobs, Some(budget), properties, results, post)?;
        }
        self.turn.number = TURNS;
        self.in_turn(jobs, None, properties, results, post)?;
        Ok(())
    }

    /// All searches.
    fn jobs(&self, properties: &[Property]) -> Result<Vec<Job>, UsageError> {
        let mut jobs: Vec<Job> =
            self.searches(properties)?.into_iter().map(Box::new).map(Job::States).collect();
        let kinds = || properties.iter().map(|property| &property.kind).enumerate();
        jobs.extend(kinds().filter(|(_, kind)| is_query(kind)).map(|(index, _)| Job::Query(index)));
        let runs = kinds().filter(|(_, kind)| matches!(kind, Kind::Temporal(_)));
        jobs.extend(runs.map(|(index, _)| Job::Runs(index)));
        let extremes = kinds().filter(|(_, kind)| is_extreme(kind));
        jobs.extend(extremes.map(|(index, _)| Job::Extreme(index)));
        Ok(jobs)
    }

    /// Gives each its turn. Answers with those that need another.
    fn in_turn(
        &mut self,
        jobs: Vec<Job>,
        budget: Option<u64>,
        properties: &[Property],
        results: &mut [Option<Answer>],
        post: Post,
    ) -> Result<Vec<Job>, UsageError> {
        let mut left = Vec::new();
        let count = jobs.len();
        for (at, job) in jobs.into_iter().enumerate() {
            if is_answered(&job, results) && self.runner.is_spent() {
                // What it found out in its turn before is more than what it would now.
                continue;
            }
            let others = (count - at) as u32;
            self.runner.take_turn(budget, if budget.is_some() { 2 * others } else { others });
            self.turn.ended.set(false);
            let (phases, notices) = (self.phases.len(), self.notices.len());
            self.work(&job, properties, results)?;
            self.runner.end_turn();
            self.note_open(&job, results);
            post(self, results);
            if !self.turn.ended.get() {
                continue;
            }
            if let Some(open) = unanswered(job, results) {
                self.phases.truncate(phases);
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

    /// Notes which properties of a job wait for another turn.
    fn note_open(&mut self, job: &Job, results: &[Option<Answer>]) {
        let members = members(job);
        self.turn.open.retain(|index| !members.contains(index));
        if self.turn.ended.get() {
            let unknown = members.into_iter().filter(|index| !is_known(&results[*index]));
            self.turn.open.extend(unknown);
        }
    }

    fn work(
        &mut self,
        job: &Job,
        properties: &[Property],
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        match job {
            Job::States(search) => self.run(search, properties, results),
            Job::Query(index) => self.query(*index, &properties[*index], results),
            Job::Runs(index) => self.temporal(*index, &properties[*index], results),
            Job::Extreme(index) => self.extreme(&properties[*index], &mut results[*index]),
        }
    }

    /// What was compiled in a turn before, or is compiled now.
    pub(super) fn compiled(
        &self,
        key: Option<usize>,
        network: &Network,
        conditions: &[Wanted],
        passes: Passes,
    ) -> Result<Rc<CompiledSpace>, UsageError> {
        if let Some((_, space)) = self.compiled.iter().find(|(one, _)| Some(*one) == key) {
            return Ok(Rc::clone(space));
        }
        let space = CompiledSpace::new(network, conditions, passes);
        space.map(Rc::new).map_err(|error| refused(self.model, error))
    }

    /// Keeps what was compiled for the turns to come. Says whether it was kept before.
    pub(super) fn keep(&mut self, key: Option<usize>, space: &Rc<CompiledSpace>) -> bool {
        let known = self.compiled.iter().any(|(one, _)| Some(*one) == key);
        if let Some(key) = key.filter(|_| !known) {
            self.compiled.push((key, Rc::clone(space)));
        }
        known
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

/// The properties it is about.
fn members(job: &Job) -> Vec<usize> {
    match job {
        Job::States(search) => search.members.iter().map(|(index, _)| *index).collect(),
        Job::Query(index) | Job::Runs(index) | Job::Extreme(index) => vec![*index],
    }
}

/// What of a job has no verdict yet.
fn unanswered(job: Job, results: &[Option<Answer>]) -> Option<Job> {
    let unknown = |index: usize| !is_known(&results[index]);
    match job {
        Job::States(mut search) => {
            search.members.retain(|(index, _)| unknown(*index));
            (!search.members.is_empty()).then_some(Job::States(search))
        }
        Job::Query(index) | Job::Runs(index) | Job::Extreme(index) => unknown(index).then_some(job),
    }
}

/// Whether there is a verdict.
pub(super) fn is_known(answer: &Option<Answer>) -> bool {
    answer.as_ref().is_some_and(|(outcome, _)| outcome.verdict != Verdict::Unknown)
}

fn is_query(kind: &Kind) -> bool {
    matches!(kind, Kind::Query(_)) && !is_extreme(kind)
}

fn is_extreme(kind: &Kind) -> bool {
    matches!(kind, Kind::Query(homing_ir::network::PropertyKind::Extreme { .. }))
}
