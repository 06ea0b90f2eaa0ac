//! A race: several searches at the same time, each on a thread of its own; the first answer
//! counts.
//!
//! ```text
//! every contestant searches alone: its estimate, its visited set, its part of the limits
//! one ends with an answer (all that was asked for, or nothing after everything was searched):
//!   the others are stopped, through budgets of their own
//! all end without one: what found most counts, of equals the one named first
//! ```
//! The verdict is the same whoever wins, since none answers what it does not know. Which run
//! is shown, and what was counted, depends on who was quick. Where there are fewer cores than
//! contestants the system gives them turns.

use std::mem::take;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use homing_budget::Budget;
use homing_core::{Crew, Limits, Progress, StopReason};
use homing_search::{Findings, Strategy, Task};
use homing_space::CompiledSpace;

use super::{Aim, Configuration, Ran, Report, Runner, UsageError, cut, during};

/// What a contestant comes to.
pub(crate) trait Raced: Send {
    /// Its search.
    fn ran(&mut self) -> &mut Ran;
}

impl Raced for Ran {
    fn ran(&mut self) -> &mut Ran {
        self
    }
}

/// What a contestant needs to be a runner on a thread of its own.
struct Lane {
    budget: Budget,
    cancel: Arc<AtomicBool>,
    progress: Option<Report>,
    limits: Limits,
    memory: Option<usize>,
    crew: Crew,
}

impl Lane {
    fn run<T>(self, work: impl FnOnce(&Runner) -> Result<T, UsageError>) -> Result<T, UsageError> {
        let Lane { budget, cancel, progress, limits, memory, crew } = self;
        let runner = Runner {
            budget: budget.clone(),
            cancel,
            progress: Arc::new(Mutex::new(progress)),
            found: None,
            limits,
            memory,
            crew,
            start: Instant::now(),
            turn: Default::default(),
            grounds: Default::default(),
            elsewhere: None,
        };
        during(&budget, || work(&runner)).map_err(|stopped| UsageError::Stopped(cut(stopped)))?
    }
}

/// How a contestant ended.
struct Ended<T> {
    number: usize,
    result: Result<T, UsageError>,
}

impl Runner {
    /// Runs the contestants at the same time. Answers what the winner came to, with the work
    /// of all, and its number.
    pub(crate) fn race<T: Raced>(
        &self,
        contestants: &[Configuration],
        work: impl Fn(&Runner, usize) -> Result<T, UsageError> + Sync,
    ) -> Result<(usize, T), UsageError> {
        let lanes = self.lanes(contestants.len());
        let budgets: Vec<Budget> = lanes.iter().map(|lane| lane.budget.clone()).collect();
        let mut ended = Vec::new();
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for (number, lane) in lanes.into_iter().enumerate() {
                let (sender, work) = (sender.clone(), &work);
                scope.spawn(move || {
                    let result = lane.run(|runner| work(runner, number));
                    // Whoever listens does so until all have ended.
                    let _ = sender.send(Ended { number, result });
                });
            }
            drop(sender);
            for mut one in receiver {
                if one.is_answer() {
                    budgets.iter().for_each(|budget| _ = budget.cancel());
                }
                ended.push(one);
            }
        });
        concluded(contestants, ended)
    }

    /// For each contestant an equal part of the limits, and a budget that can be cancelled
    /// alone.
    fn lanes(&self, count: usize) -> Vec<Lane> {
        let part = |all: Option<u64>| all.map(|all| all / count as u64);
        let limits = Limits {
            memory: self.limits.memory.map(|memory| memory / count),
            states: part(self.limits.states),
            expansions: part(self.most_expansions()),
            time: self.time_left(),
            ..self.limits.clone()
        };
        let crew = Crew { threads: (self.crew.threads / count).max(1), ..self.crew };
        let reports = self.reports(count);
        reports
            .into_iter()
            .map(|progress| Lane {
                budget: self.budget.part(1),
                cancel: Arc::clone(&self.cancel),
                progress,
                limits: limits.clone(),
                memory: self.memory,
                crew,
            })
            .collect()
    }

    /// Who tells of progress: each contestant of that of all.
    fn reports(&self, count: usize) -> Vec<Option<Report>> {
        let told = self.progress.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        let all = Arc::new(Mutex::new(vec![Progress::default(); count]));
        let report = |number: usize| -> Report {
            let (all, progress) = (Arc::clone(&all), Arc::clone(&self.progress));
            Box::new(move |now, elapsed| {
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all[number] = *now;
                let sum = all.iter().fold(Progress::default(), |sum, one| one.beside(sum));
                let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(report) = &mut *progress {
                    report(&sum, elapsed);
                }
            })
        };
        (0..count).map(|number| told.then(|| report(number))).collect()
    }

    /// Races for states.
    pub(super) fn race_for_states(
        &self,
        parts: &Configuration,
        space: &CompiledSpace,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let contestants = parts.contestants();
        // A limit that is met ends the race.
        let Task { space: searched, conditions, deadlock, fault, lasso, count, pricing, .. } =
            *task;
        let (_, ran) = self.race(&contestants, |runner, number| {
            let goes_on = None;
            let task = &Task {
                space: searched,
                conditions,
                deadlock,
                fault,
                lasso,
                count,
                pricing,
                goes_on,
            };
            let mut ran = runner.run_task(&contestants[number], space, task, aim)?;
            // What an estimate leaves out is no answer where another may have one: see `doubt`.
            if ran.is_doubtful(space, task) {
                ran.outcome.stopped = Some(StopReason::Pruned);
            }
            Ok(ran)
        })?;
        Ok(ran)
    }
}

impl<T: Raced> Ended<T> {
    /// Whether it has an answer: nothing is left to look for, or to look at. What a lossy
    /// store did not show may still be there.
    fn is_answer(&mut self) -> bool {
        self.result.as_mut().is_ok_and(|done| {
            let ran = done.ran();
            let found = !ran.outcome.findings.is_empty();
            ran.outcome.stopped.is_none() && (found || ran.coverage.is_none())
        })
    }
}

/// What the winner came to, in the order in which they ended, and the work of all.
fn concluded<T: Raced>(
    contestants: &[Configuration],
    mut ended: Vec<Ended<T>>,
) -> Result<(usize, T), UsageError> {
    let first = ended.iter_mut().position(Ended::is_answer);
    let winner = first.map(|place| ended.remove(place));
    ended.sort_by_key(|one| one.number);
    let name = |number: usize| &contestants[number].strategy;
    let (answered, winner) = match winner {
        Some(winner) => (true, winner),
        None => (false, best(&mut ended)?),
    };
    let Ended { number, result } = winner;
    let mut winner = result?;
    let ran = winner.ran();
    ran.notices.push(told(name(number), contestants.len(), answered));
    ran.phases.push(told(name(number), contestants.len(), answered));
    for Ended { number, result } in ended {
        match result {
            Ok(mut other) => add(ran, other.ran()),
            Err(error @ (UsageError::Internal(_) | UsageError::More(_))) => return Err(error),
            Err(UsageError::Stopped(_)) => {}
            Err(error) => {
                let call = &name(number).call;
                ran.notices.push(format!("race: `{call}` could not take part: {error}"));
            }
        }
    }
    Ok((number, winner))
}

/// Of those who have no answer, the one who found most; or what is wrong with the first.
fn best<T: Raced>(ended: &mut Vec<Ended<T>>) -> Result<Ended<T>, UsageError> {
    let found = |one: &mut Ended<T>| match &mut one.result {
        Ok(done) => Some(number_of(&done.ran().outcome.findings)),
        Err(_) => None,
    };
    let all: Vec<Option<usize>> = ended.iter_mut().map(found).collect();
    let most = all.iter().copied().max().flatten();
    let place = all.iter().position(|one| *one == most);
    match place {
        Some(place) => Ok(ended.remove(place)),
        None => Err(UsageError::Internal("nobody took part in a race".into())),
    }
}

fn number_of(findings: &Findings) -> usize {
    let flags = [findings.deadlock.is_some(), findings.fault.is_some(), findings.lasso.is_some()];
    findings.conditions.iter().flatten().count() + flags.into_iter().filter(|one| *one).count()
}

fn told(winner: &Strategy, of: usize, answered: bool) -> String {
    match answered {
        true => format!("race: `{}` was first of {of} to have an answer", winner.call),
        false => format!("race: none of {of} has an answer; this is what `{}` did", winner.call),
    }
}

/// Adds the work of another search beside this one. The states stored are those of the one
/// whose answer counts: it says how many there are.
fn add(ran: &mut Ran, other: &mut Ran) {
    let statistics = &mut ran.outcome.statistics;
    let others = take(&mut other.outcome.statistics);
    let stored = statistics.progress.stored;
    statistics.progress = Progress { stored, ..statistics.progress.beside(others.progress) };
    statistics.estimated += others.estimated;
}
