//! What was expanded: sorted runs, the older ones together.
//!
//! Each layer is a run. Where there are many, runs that follow each other become one, those
//! that take least work: a search through many thin layers does not read thousands of files
//! for each of them, and one through few thick layers writes each state once.

use homing_external::{Directory, Run, Trouble, merge_all};

/// How many runs there may be: a state that is not new is asked of half of them.
const MOST: usize = 24;

/// Runs that become one.
const TOGETHER: usize = 8;

/// The expanded states of one estimate.
#[derive(Debug, Default)]
pub(super) struct Closed {
    /// In the order of expansion.
    pub(super) runs: Vec<Run>,
}

impl Closed {
    /// Adds a layer.
    pub(super) fn add(&mut self, run: Run) {
        self.runs.push(run);
    }

    /// Whether there are so many runs that some should become one.
    pub(super) fn is_untidy(&self) -> bool {
        self.runs.len() > MOST
    }

    /// Makes one run of several.
    pub(super) fn tidy(&mut self, directory: &Directory) -> Result<(), Trouble> {
        let size = |some: &[Run]| some.iter().map(|run| run.count).sum::<u64>();
        let windows = self.runs.windows(TOGETHER).enumerate();
        let Some((first, _)) = windows.min_by_key(|(_, some)| size(some)) else { return Ok(()) };
        let together = first..first + TOGETHER;
        let one = merge_all(directory, &self.runs[together.clone()], false)?;
        let merged: Vec<Run> = self.runs.splice(together, [one]).collect();
        merged.into_iter().for_each(|run| directory.drop_run(run));
        Ok(())
    }
}
