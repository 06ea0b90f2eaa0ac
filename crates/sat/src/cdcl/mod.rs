//! A solver for satisfiability that learns clauses from conflicts.
//!
//! Marques-Silva, Sakallah, "GRASP: a search algorithm for propositional satisfiability"
//! (IEEE ToC 48, 1999); Eén, Sörensson, "An extensible SAT-solver" (SAT 2003) and "Temporal
//! induction by incremental SAT solving" (BMC 2003): assumptions; Audemard, Simon,
//! "Predicting learnt clauses quality in modern SAT solvers" (IJCAI 2009): which of them to
//! keep.
//!
//! ```text
//! loop:
//!     propagate: a clause whose literals are false but one makes that one true
//!     if a clause is false:
//!         on no level: there is no model
//!         learn a clause by resolution, back to the first point that all reasons pass;
//!         go back to the level where it has one literal left
//!     else if it is time to: begin anew, drop learnt clauses that are worth little
//!     else if an assumption is not decided yet: decide it; if it is false: there is no model
//!     else if variables are left: decide the most active one as it was last
//!     else: this is a model
//! ```
//! Two things are there for queries by the thousand over one circuit, after Su, Yang, Ci,
//! Li, Bu, Huang, "Deeply optimizing the SAT solver for the IC3 algorithm" (CAV 2025):
//!
//! - A query may be *within* some variables: no others are decided. That is enough where the
//!   others are gates that do not feed these, since gates follow from what feeds them.
//! - A clause may be *for one query* ([`Cdcl::suppose`]). It has one literal more, which is
//!   an assumption; so what is learnt from it has it too, and is dropped together with it.
//!   The variable is used again.
//!
//! A model stays until something is added or asked.

mod analysis;
mod clauses;
mod literal;
mod order;
mod propagation;
mod reduction;
mod restarts;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use self::clauses::{Clauses, NOWHERE, Place};
pub(crate) use self::literal::Lit;
use self::order::Order;
use self::propagation::Watch;
use self::reduction::Reduction;
use self::restarts::Restarts;
use crate::effort::Effort;

/// The solver.
pub(crate) struct Cdcl {
    effort: Rc<Effort>,
    clauses: Clauses,
    /// Of each literal, the clauses to look at when it becomes true.
    watches: Vec<Vec<Watch>>,
    /// Of each literal: 1 true, -1 false, 0 not decided.
    values: Vec<i8>,
    /// Of each variable: what it was last, the level on which it was decided, and the clause
    /// that made it so.
    phases: Vec<bool>,
    levels: Vec<u32>,
    reasons: Vec<Place>,
    /// What is decided, in its order, and where levels begin.
    trail: Vec<Lit>,
    begins: Vec<u32>,
    /// How much of the trail was propagated.
    head: usize,
    order: Order,
    within: Within,
    restarts: Restarts,
    reduction: Reduction,
    contradictory: bool,
    /// The assumptions that were needed for there to be no model, by variable.
    core: Vec<Lit>,
    is_core: Vec<bool>,
    /// What clauses for one query are marked with, and those that there are.
    mark: Option<Lit>,
    marked: Vec<Place>,
    is_supposing: bool,
    /// Whether a query was asked since something was added.
    is_asked: bool,
    work: u64,
    learning: analysis::Learning,
}

/// Which variables are decided: all, or those with the present number.
struct Within {
    all: bool,
    number: u32,
    of: Vec<u32>,
}

/// What to do next.
enum Next {
    Decide(Lit),
    /// On the level of an assumption that is true already.
    Level,
    /// This assumption is false.
    Refuted(Lit),
    Model,
}

impl Cdcl {
    /// Without variables.
    pub(crate) fn new(effort: &Rc<Effort>) -> Cdcl {
        Cdcl {
            effort: effort.clone(),
            clauses: Clauses::default(),
            watches: Vec::new(),
            values: Vec::new(),
            phases: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            trail: Vec::new(),
            begins: Vec::new(),
            head: 0,
            order: Order::default(),
            within: Within { all: true, number: 0, of: Vec::new() },
            restarts: Restarts::default(),
            reduction: Reduction::default(),
            contradictory: false,
            core: Vec::new(),
            is_core: Vec::new(),
            mark: None,
            marked: Vec::new(),
            is_supposing: false,
            is_asked: false,
            work: 0,
            learning: analysis::Learning::default(),
        }
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Lit {
        let variable = self.levels.len();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([0, 0]);
        self.phases.push(false);
        self.levels.push(0);
        self.reasons.push(NOWHERE);
        self.is_core.push(false);
        self.within.of.push(0);
        self.learning.add();
        self.order.add();
        if self.within.all {
            self.order.insert(variable);
        }
        Lit::new(variable, true)
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, literals: &mut Vec<Lit>) {
        self.begin();
        if self.contradictory || !self.tidied(literals) {
            return;
        }
        match literals[..] {
            [] => self.contradictory = true,
            [one] => {
                self.enqueue(one, NOWHERE);
                self.contradictory = self.propagate().is_some();
            }
            _ => {
                let place = self.clauses.push(literals, None);
                self.attach(place, literals.len() == 2);
            }
        }
    }

    /// Drops literals that are false for good or there twice; whether the clause says
    /// anything.
    fn tidied(&mut self, literals: &mut Vec<Lit>) -> bool {
        literals.sort_unstable();
        literals.dedup();
        let says_nothing = literals.windows(2).any(|two| two[0] == !two[1])
            || literals.iter().any(|one| self.values[one.code()] > 0);
        literals.retain(|one| self.values[one.code()] == 0);
        !says_nothing
    }

    /// Adds a clause for the next query alone.
    pub(crate) fn suppose(&mut self, literals: &mut Vec<Lit>) {
        self.begin();
        let mark = match self.mark {
            Some(mark) if self.is_supposing || self.values[mark.code()] == 0 => mark,
            _ => self.fresh(),
        };
        (self.mark, self.is_supposing) = (Some(mark), true);
        // It is false where another clause of this query is.
        if self.values[mark.code()] < 0 || !self.tidied(literals) {
            return;
        }
        literals.push(!mark);
        if literals.len() == 1 {
            self.enqueue(!mark, NOWHERE);
            return;
        }
        let place = self.clauses.push(literals, None);
        self.attach(place, false);
        self.marked.push(place);
    }

    /// Looks for a model in which these are true; if it is said, deciding no variables but
    /// some. `None` if the effort was spent.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], within: Option<&[Lit]>) -> Option<bool> {
        self.begin();
        self.is_asked = true;
        for lit in self.core.drain(..) {
            self.is_core[lit.variable()] = false;
        }
        self.set_within(within);
        let mark = self.mark.filter(|_| self.is_supposing);
        let assumptions: Vec<Lit> = mark.iter().chain(assumptions).copied().collect();
        self.search(&assumptions)
    }

    fn search(&mut self, assumptions: &[Lit]) -> Option<bool> {
        if self.contradictory {
            return Some(false);
        }
        loop {
            if let Some(conflict) = self.propagate() {
                if self.depth() == 0 {
                    self.contradictory = true;
                    return Some(false);
                }
                self.learn(conflict);
                continue;
            }
            if self.effort.is_spent_after(std::mem::take(&mut self.work) / WORK + 1) {
                return None;
            }
            self.tidy_up(assumptions.len());
            match self.next(assumptions) {
                Next::Decide(lit) => {
                    self.descend();
                    self.enqueue(lit, NOWHERE);
                }
                Next::Level => self.descend(),
                Next::Refuted(lit) => {
                    self.blame(lit);
                    return Some(false);
                }
                Next::Model => return Some(true),
            }
        }
    }

    /// Begins anew, or drops clauses, where it is time to.
    fn tidy_up(&mut self, assumptions: usize) {
        if self.reduction.is_due() {
            self.backtrack(0);
            self.reduce();
        } else if self.restarts.is_due() {
            self.backtrack(assumptions.min(self.depth()));
        }
    }

    fn next(&mut self, assumptions: &[Lit]) -> Next {
        if let Some(lit) = assumptions.get(self.depth()) {
            return match self.values[lit.code()] {
                0 => Next::Decide(*lit),
                1 => Next::Level,
                _ => Next::Refuted(*lit),
            };
        }
        while let Some(variable) = self.order.pop() {
            let lit = Lit::new(variable, self.phases[variable]);
            if self.values[lit.code()] == 0 {
                return Next::Decide(lit);
            }
        }
        Next::Model
    }

    /// Whether an assumption was needed for there to be no model.
    pub(crate) fn was_needed(&self, assumption: Lit) -> bool {
        self.is_core[assumption.variable()]
    }

    /// Whether the clauses alone have no model.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.contradictory
    }

    /// Whether it is true in the model.
    pub(crate) fn holds(&self, lit: Lit) -> bool {
        self.values[lit.code()] > 0
    }

    /// Begins a level.
    fn descend(&mut self) {
        self.begins.push(self.trail.len() as u32);
        self.learning.descend(self.begins.len());
    }

    fn depth(&self) -> usize {
        self.begins.len()
    }

    /// Leaves what the last query came to, and drops what was for it alone.
    fn begin(&mut self) {
        self.backtrack(0);
        if std::mem::take(&mut self.is_asked) {
            self.is_supposing = false;
            for place in self.marked.drain(..) {
                self.clauses.drop(place);
            }
            if self.clauses.is_wasteful() && self.head == self.trail.len() {
                self.rebuild();
            }
        }
    }

    fn set_within(&mut self, within: Option<&[Lit]>) {
        let Some(within) = within else {
            if !std::mem::replace(&mut self.within.all, true) {
                (0..self.levels.len()).for_each(|variable| self.order.insert(variable));
            }
            return;
        };
        self.within.all = false;
        self.within.number += 1;
        self.order.clear();
        for variable in within.iter().map(|lit| lit.variable()) {
            self.within.of[variable] = self.within.number;
            if self.values[Lit::new(variable, true).code()] == 0 {
                self.order.insert(variable);
            }
        }
    }

    fn backtrack(&mut self, depth: usize) {
        if self.depth() <= depth {
            return;
        }
        let begin = self.begins[depth] as usize;
        for lit in self.trail.drain(begin..).rev() {
            let variable = lit.variable();
            self.values[lit.code()] = 0;
            self.values[(!lit).code()] = 0;
            self.phases[variable] = lit.is_positive();
            if self.within.all || self.within.of[variable] == self.within.number {
                self.order.insert(variable);
            }
        }
        self.begins.truncate(depth);
        self.head = begin;
    }
}

/// Watches that are looked at in the time of a step.
const WORK: u64 = 32;
