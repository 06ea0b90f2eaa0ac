//! Bounded model checking.
//!
//! Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs" (TACAS 1999).
//!
//! ```text
//! for k = 0, 1, 2, …:
//!     if I(s₀) ∧ T(s₀, s₁) ∧ … ∧ T(sₖ₋₁, sₖ) ∧ bad(sₖ) has a model: it is a shortest counterexample
//! ```
//! One solver keeps what it learns from depth to depth. Where there is no run of k steps at
//! all, runs end, and what was not found does not exist: another solver is asked whether that
//! is so ([`certificate`](crate::certificate)).

use std::rc::Rc;

use crate::certificate::{Unproven, certify_runs};
use crate::effort::Effort;
use crate::solver::Solver;
use crate::unrolling::{Problem, Trace, Unrolling};

/// A bounded check, which can be interrupted and go on.
pub struct Bmc<'c> {
    problem: Problem<'c>,
    unrolling: Unrolling<'c>,
    solver: Solver,
    effort: Rc<Effort>,
    depth: usize,
}

/// What is known after a bounded check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bounded {
    /// A shortest run to what was looked for.
    Found(Trace),
    /// Nothing within so many steps.
    Nothing,
    /// Nothing, and no run is longer.
    NoLongerRun,
}

impl<'c> Bmc<'c> {
    /// Nothing is checked yet.
    pub fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        Bmc {
            problem,
            unrolling: Unrolling::new(problem, true),
            solver: Solver::new(effort),
            effort: effort.clone(),
            depth: 0,
        }
    }

    /// The number of steps within which nothing is found is less than this.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Checks all depths less than this one.
    pub fn run(&mut self, below: usize) -> Result<Bounded, Unproven> {
        while self.depth < below {
            if self.unrolling.moments.len() == self.depth {
                self.effort.count(self.unrolling.size() / 16 + 1)?;
                self.unrolling.extend()?;
                let moment = &self.unrolling.moments[self.depth];
                if self.depth == 0 {
                    self.solver.assert(&self.unrolling.graph, moment.initial);
                }
                self.solver.assert(&self.unrolling.graph, moment.admitted);
            }
            let moment = &self.unrolling.moments[self.depth];
            let bad = self.solver.literal(&self.unrolling.graph, moment.bad);
            if self.solver.solve(&[bad])? {
                let value = |leaf| self.solver.value(leaf);
                return Ok(Bounded::Found(self.unrolling.trace(self.depth, value)));
            }
            if self.solver.is_contradictory() {
                certify_runs(self.problem, self.depth, true, &self.effort)?;
                return Ok(Bounded::NoLongerRun);
            }
            self.solver.add([!bad]);
            self.solver.assert(&self.unrolling.graph, moment.step);
            self.depth += 1;
        }
        Ok(Bounded::Nothing)
    }
}
