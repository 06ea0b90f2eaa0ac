//! The solver of others by which proofs are checked: MiniSat, in Rust.

use std::rc::Rc;

use batsat::{Callbacks, SolverInterface, SolverOpts, lbool};

use crate::cdcl::Lit;
use crate::effort::Effort;
use crate::solver::Clausal;

/// Lets the effort end a search for a model.
struct Watching(Rc<Effort>);

impl Callbacks for Watching {
    fn stop(&self) -> bool {
        self.0.is_spent_after(1)
    }
}

/// A solver that shares nothing with ours.
pub(crate) struct Independent {
    inner: batsat::Solver<Watching>,
    variables: Vec<batsat::Lit>,
    clause: Vec<batsat::Lit>,
}

impl Independent {
    fn theirs(&self, lit: Lit) -> batsat::Lit {
        let variable = self.variables[lit.variable()];
        if lit.is_positive() { variable } else { !variable }
    }
}

impl Clausal for Independent {
    fn new(effort: &Rc<Effort>) -> Independent {
        let watching = Watching(effort.clone());
        let inner = batsat::Solver::new(SolverOpts::default(), watching);
        Independent { inner, variables: Vec::new(), clause: Vec::new() }
    }

    fn fresh(&mut self) -> Lit {
        let variable = self.inner.new_var_default();
        self.variables.push(batsat::Lit::new(variable, true));
        Lit::new(self.variables.len() - 1, true)
    }

    fn add(&mut self, clause: &mut Vec<Lit>) {
        let mut theirs = std::mem::take(&mut self.clause);
        theirs.clear();
        theirs.extend(clause.iter().map(|lit| self.theirs(*lit)));
        self.inner.add_clause_reuse(&mut theirs);
        self.clause = theirs;
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Option<bool> {
        let assumptions = assumptions.iter().map(|lit| self.theirs(*lit));
        let assumptions: Vec<batsat::Lit> = assumptions.collect();
        let found = self.inner.solve_limited(&assumptions);
        (found != lbool::UNDEF).then_some(found == lbool::TRUE)
    }
}
