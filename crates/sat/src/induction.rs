//! k-induction.
//!
//! Sheeran, Singh, Stålmarck, "Checking safety properties using induction and a SAT-solver"
//! (FMCAD 2000).
//!
//! ```text
//! for k = 0, 1, 2, …:
//!     base: a bad state within less than k steps is a counterexample
//!     step: if no path s₀ … sₖ of different states has ¬bad(s₀) … ¬bad(sₖ₋₁) and bad(sₖ): it holds
//! ```
//! Eén, Sörensson, "Temporal induction by incremental SAT solving" (BMC 2003): that states
//! are different is demanded only of those that were equal in a model, and both parts keep
//! one solver each. What is proven is proven again by another solver
//! ([`certificate`](crate::certificate)).
//!
//! Deviation: where what holds at first restricts inputs, a shortest counterexample may come
//! back to its first state, with other inputs. Its other states are different; so the base
//! looks one step further.

use std::rc::Rc;

use homing_gates::value;

use crate::bmc::{Bmc, Bounded};
use crate::certificate::{Unproven, certify_induction, certify_runs};
use crate::effort::{Effort, Interrupted};
use crate::solver::Solver;
use crate::unrolling::{Problem, Trace, Unrolling};

/// What a check found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A run to what was looked for.
    Found(Trace),
    /// There is none: by induction over so many steps.
    Inductive(usize),
    /// There is none: no run has so many steps.
    NoLongerRun(usize),
}

/// A check by induction, which can be interrupted and go on.
pub struct Induction<'c> {
    base: Bmc<'c>,
    steps: Steps<'c>,
}

impl<'c> Induction<'c> {
    /// Nothing is checked yet.
    pub fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        Induction { base: Bmc::new(problem, effort), steps: Steps::new(problem, effort) }
    }

    /// By how many steps it was tried.
    pub fn steps(&self) -> usize {
        self.steps.steps
    }

    /// Checks until it is known.
    pub fn run(&mut self) -> Result<Proof, Unproven> {
        loop {
            match self.base.run(self.steps.base())? {
                Bounded::Found(trace) => return Ok(Proof::Found(trace)),
                Bounded::NoLongerRun => return Ok(Proof::NoLongerRun(self.base.depth())),
                Bounded::Nothing => {}
            }
            if let Some(steps) = self.steps.run(self.base.depth())? {
                return Ok(Proof::Inductive(steps));
            }
        }
    }
}

/// The steps of inductions: whether paths of good states lead to good states alone.
pub struct Steps<'c> {
    problem: Problem<'c>,
    unrolling: Unrolling<'c>,
    solver: Solver,
    effort: Rc<Effort>,
    steps: usize,
    /// The pairs of states that were said to be different.
    different: Vec<(usize, usize)>,
    /// Steps that the base has to look further.
    further: usize,
}

impl<'c> Steps<'c> {
    /// Nothing is checked yet.
    pub fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        Steps {
            problem,
            unrolling: Unrolling::new(problem, false),
            solver: Solver::new(effort),
            effort: effort.clone(),
            steps: 0,
            different: Vec::new(),
            further: problem.restricts_first_inputs().into(),
        }
    }

    /// Less than how many steps the base has to have checked for the step to come.
    fn base(&self) -> usize {
        self.steps + self.further
    }

    /// Tries all inductions for which a base of less than so many steps is enough; over how
    /// many steps it is inductive, if it is.
    pub fn run(&mut self, base: usize) -> Result<Option<usize>, Unproven> {
        while self.base() <= base {
            if self.is_inductive()? {
                certify_runs(self.problem, self.base(), false, &self.effort)?;
                certify_induction(self.problem, self.steps, &self.different, &self.effort)?;
                return Ok(Some(self.steps));
            }
            self.steps += 1;
        }
        Ok(None)
    }

    /// The step for the present number of steps.
    fn is_inductive(&mut self) -> Result<bool, Interrupted> {
        let at = self.steps;
        if self.unrolling.moments.len() == at {
            self.effort.count(self.unrolling.size() / 16 + 1)?;
            self.unrolling.extend()?;
            let admitted = self.unrolling.moments[at].admitted;
            self.solver.assert(&self.unrolling.graph, admitted);
        }
        let moment = &self.unrolling.moments[at];
        let bad = self.solver.literal(&self.unrolling.graph, moment.bad);
        while self.solver.solve(&[bad])? {
            let pairs = self.equal_pairs(at);
            if pairs.is_empty() {
                self.solver.add([!bad]);
                let step = self.unrolling.moments[at].step;
                self.solver.assert(&self.unrolling.graph, step);
                return Ok(false);
            }
            for (one, other) in pairs {
                self.effort.count(self.unrolling.latches.len() as u64 / 16 + 1)?;
                let differ = self.unrolling.differ(one, other)?;
                self.solver.assert(&self.unrolling.graph, differ);
                self.different.push((one, other));
            }
        }
        Ok(true)
    }

    /// The pairs of equal states in the model, of each state with the one before that it
    /// equals.
    fn equal_pairs(&self, last: usize) -> Vec<(usize, usize)> {
        let graph = &self.unrolling.graph;
        let leaves = (0..graph.leaves()).map(|number| self.solver.value(graph.leaf_at(number)));
        let values = graph.evaluate(&leaves.collect::<Vec<bool>>());
        let mut seen = std::collections::BTreeMap::new();
        let states = self.unrolling.moments[..=last].iter().enumerate();
        states
            .filter_map(|(at, moment)| {
                let state: Vec<bool> =
                    moment.latches.iter().map(|one| value(&values, *one)).collect();
                seen.insert(state, at).map(|before| (before, at))
            })
            .collect()
    }
}
