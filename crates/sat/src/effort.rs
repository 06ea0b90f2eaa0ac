//! How much a check may still do: steps of its solvers, and the budget of the run.

use std::cell::Cell;

use homing_budget::{Stop, attempt, checkpoints};

/// Steps between two looks at the budget.
const PATIENCE: u64 = 64;

/// What was cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupted {
    /// The share of this turn is used up.
    Share,
    /// The budget of the run is spent.
    Budget(Stop),
    /// There are more clauses than the solver can number.
    Clauses,
}

/// What several solvers share of a run. Counted in steps: decisions and conflicts of
/// solvers, and what else takes about as long; so the same share ends the same work at the
/// same place in every run.
#[derive(Debug)]
pub struct Effort {
    steps: Cell<u64>,
    most: Cell<u64>,
    stopped: Cell<Option<Stop>>,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { steps: Cell::new(0), most: Cell::new(u64::MAX), stopped: Cell::new(None) }
    }
}

impl Effort {
    /// Allows so many steps from now on.
    pub fn allow(&self, share: u64) {
        self.most.set(self.steps.get().saturating_add(share));
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        self.most.get().saturating_sub(self.steps.get())
    }

    /// The steps so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Counts steps, and says whether to stop.
    pub(crate) fn is_spent_after(&self, count: u64) -> bool {
        let before = self.steps.get();
        self.steps.set(before + count);
        if before / PATIENCE != self.steps.get() / PATIENCE {
            let looked = attempt("solving", || checkpoints(PATIENCE));
            self.stopped.set(self.stopped.get().or(looked.err().map(|stopped| stopped.why)));
        }
        self.why().is_some()
    }

    /// Counts steps.
    pub(crate) fn count(&self, steps: u64) -> Result<(), Interrupted> {
        self.is_spent_after(steps);
        self.why().map_or(Ok(()), Err)
    }

    /// Why it is spent, if it is.
    pub(crate) fn why(&self) -> Option<Interrupted> {
        let share = (self.steps.get() > self.most.get()).then_some(Interrupted::Share);
        self.stopped.get().map(Interrupted::Budget).or(share)
    }
}
