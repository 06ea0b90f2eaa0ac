//! Searches for one error, their processor time measured.

use anyhow::{Context, Result};

use crate::homing::{FINDING, Homing, Searched};
use crate::table::{Row, cell};
use crate::tasks::Task;

/// Searches below so many seconds are repeated: a single one tells little.
const SHORT: f64 = 0.5;

/// What a search for an error came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Run {
    /// Processor seconds of the whole command; nothing where homing refuses to search so.
    pub seconds: Option<f64>,
    /// States expanded, where the search ended by itself.
    pub expanded: Option<u64>,
    /// The length of the trace, where the error was found.
    pub length: Option<u64>,
}

impl Run {
    /// The columns of [`Run::cells`].
    pub const COLUMNS: [&'static str; 3] = ["cpu_seconds", "expanded", "length"];

    /// The run as cells of a table.
    pub fn cells(&self) -> [String; 3] {
        let seconds = self.seconds.map(|seconds| format!("{seconds:.4}"));
        [cell(seconds), cell(self.expanded), cell(self.length)]
    }

    /// The run in a row of a table.
    pub fn kept(row: Row) -> Run {
        let [seconds, expanded, length] = Run::COLUMNS;
        Run {
            seconds: row.real(seconds),
            expanded: row.number(expanded),
            length: row.number(length),
        }
    }

    /// Whether the search was ended from outside, and before so many seconds.
    pub fn may_go_on(&self, most: u64) -> bool {
        let ended = self.expanded.is_none();
        self.seconds.is_some_and(|seconds| ended && seconds < most as f64)
    }

    /// Processor seconds until the error, where it was found.
    pub fn found(&self) -> Option<f64> {
        self.seconds.filter(|_| self.length.is_some())
    }

    /// Whether the error was found so soon that a single run tells little.
    pub fn is_short(&self) -> bool {
        self.found().is_some_and(|seconds| seconds < SHORT)
    }

    /// States expanded until the error, where it was found; at least one, for ratios.
    pub fn states(&self) -> Option<f64> {
        self.length.and(self.expanded).map(|states| states.max(1) as f64)
    }
}

/// What the planner does by itself, which tables otherwise turn off.
const BY_ITSELF: &[&str] = &["--reduction", "auto", "--symmetry", "auto"];

/// Makes searches, and counts the answers that are wrong.
pub struct Searches {
    /// The command.
    pub homing: Homing,
    /// Memory a search may take, as homing reads it.
    pub memory: String,
    /// Runs of a short search, of which the least time counts.
    pub runs: usize,
    /// Answers that cannot be right.
    pub wrong: usize,
}

impl Searches {
    /// The planner until the first error, as the user types it.
    pub fn find(&mut self, task: &Task, seconds: u64) -> Result<Run> {
        self.run(task, FINDING, BY_ITSELF, seconds)
    }

    /// Searches with a strategy, and further options, for at most so many processor
    /// seconds. A short search that finds the error is repeated; the least time counts.
    pub fn run(&mut self, task: &Task, strategy: &str, more: &[&str], seconds: u64) -> Result<Run> {
        let mut best = self.once(task, strategy, more, seconds)?;
        for _ in 1..self.runs {
            if !best.is_short() {
                break;
            }
            let again = self.once(task, strategy, more, seconds)?;
            if again.found() < best.found() {
                best.seconds = again.seconds;
            }
        }
        Ok(best)
    }

    fn once(&mut self, task: &Task, strategy: &str, more: &[&str], seconds: u64) -> Result<Run> {
        let memory = self.memory.clone();
        let options = ["--goal", &task.goal, "--strategy", strategy, "--memory", &memory];
        let options = [&options, more].concat();
        let what = || format!("{} with {strategy}", task.name);
        Ok(match self.homing.search(&task.model, &options, seconds).with_context(what)? {
            Searched::Refused(_) => Run::default(),
            Searched::Ended => Run { seconds: Some(seconds as f64), ..Run::default() },
            Searched::Answered { verdict, command, .. } => {
                if let Some(error) = verdict.mistake(true, task.steps) {
                    println!("WRONG: {}: {error}", what());
                    self.wrong += 1;
                }
                Run {
                    seconds: Some(command),
                    expanded: Some(verdict.statistics.expanded),
                    length: verdict.trace.map(|trace| trace.length),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_search_that_was_ended_goes_on() {
        let ended = Run { seconds: Some(2.0), ..Run::default() };
        assert!(ended.may_go_on(10) && !ended.may_go_on(2));
        assert!(!Run { expanded: Some(1), ..ended }.may_go_on(10), "it ran out of memory");
        assert!(!Run { expanded: Some(1), length: Some(1), ..ended }.may_go_on(10));
        assert!(!Run::default().may_go_on(10), "it was refused");
    }
}
