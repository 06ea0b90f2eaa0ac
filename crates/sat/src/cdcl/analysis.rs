//! What is learnt from a conflict.
//!
//! ```text
//! learn:  resolve the false clause with the reasons of its literals, last first, until one
//!         literal of the last level is left (the first unique implication point)
//!         drop literals that follow from the others (Sörensson, Biere, "Minimizing learned
//!         clauses", SAT 2009)
//!         back to the last level of the others: there it makes the one true
//! blame:  the assumptions from which it follows that one of them is false
//! ```

use super::Cdcl;
use super::clauses::{NOWHERE, Place};
use super::literal::Lit;

/// What analysis keeps from conflict to conflict.
#[derive(Default)]
pub(super) struct Learning {
    clause: Vec<Lit>,
    seen: Vec<bool>,
    /// The variables that are seen.
    marked: Vec<u32>,
    left: Vec<Lit>,
    /// Of each level, when it was counted last.
    counted: Vec<u64>,
    count: u64,
}

impl Learning {
    pub(super) fn add(&mut self) {
        self.seen.push(false);
    }

    /// There is a level of this number.
    pub(super) fn descend(&mut self, level: usize) {
        if self.counted.len() <= level {
            self.counted.resize(2 * level + 1, 0);
        }
    }

    fn mark(&mut self, variable: usize) {
        self.seen[variable] = true;
        self.marked.push(variable as u32);
    }

    /// Whether no literal that was counted last is of a level.
    fn is_apart(&self, level: u32) -> bool {
        self.counted[level as usize] != self.count
    }

    /// Forgets the marks from a number of them on.
    fn unmark(&mut self, from: usize) {
        for variable in self.marked.drain(from..) {
            self.seen[variable as usize] = false;
        }
    }
}

impl Cdcl {
    /// Learns from a clause that is false, and goes back to where that says something.
    pub(super) fn learn(&mut self, conflict: Place) {
        self.resolve(conflict);
        self.minimise();
        self.learning.unmark(0);
        let mut clause = std::mem::take(&mut self.learning.clause);
        let spanned = self.spanned(&clause);
        let depth = self.second_level(&mut clause);
        self.backtrack(depth);
        if clause.len() == 1 {
            self.enqueue(clause[0], NOWHERE);
        } else {
            self.keep(&clause, spanned);
        }
        self.learning.clause = clause;
        self.order.decay();
        self.reduction.conflict();
        self.restarts.conflict(spanned);
    }

    fn keep(&mut self, clause: &[Lit], spanned: u32) {
        let is_for_one = self.mark.is_some_and(|mark| clause.contains(&!mark));
        let place = self.clauses.push(clause, Some(spanned));
        self.attach(place, clause.len() == 2 && !is_for_one);
        if is_for_one {
            self.marked.push(place);
        }
        self.enqueue(clause[0], place);
    }

    /// Resolution back to the first unique implication point, which comes first.
    fn resolve(&mut self, conflict: Place) {
        self.learning.clause.clear();
        self.learning.clause.push(Lit::new(0, true));
        let (mut place, mut at, mut open) = (conflict, self.trail.len(), 0);
        loop {
            self.note_use(place);
            for number in 0..self.clauses.length(place) {
                let lit = Lit::from_word(self.clauses.of(place)[number]);
                open += u32::from(self.resolve_with(lit));
            }
            let lit = loop {
                at -= 1;
                if self.learning.seen[self.trail[at].variable()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                self.learning.clause[0] = !lit;
                return;
            }
            place = self.reasons[lit.variable()];
        }
    }

    /// Takes a literal of a reason in; whether it is one of the last level.
    fn resolve_with(&mut self, lit: Lit) -> bool {
        let variable = lit.variable();
        let level = self.levels[variable] as usize;
        if level == 0 || self.learning.seen[variable] {
            return false;
        }
        self.learning.mark(variable);
        self.order.bump(variable);
        let is_last = level == self.depth();
        if !is_last {
            self.learning.clause.push(lit);
        }
        is_last
    }

    /// Notes that a learnt clause was worth keeping.
    fn note_use(&mut self, place: Place) {
        if self.clauses.is_learnt(place) {
            let before = self.clauses.levels(place);
            let now = if before > 2 { self.spanned_by(place) } else { before };
            self.clauses.use_with(place, now);
        }
    }

    fn spanned_by(&mut self, place: Place) -> u32 {
        let Cdcl { learning: Learning { counted, count, .. }, clauses, levels, .. } = self;
        spanned(clauses.literals(place), levels, counted, count)
    }

    /// How many levels the literals are of.
    fn spanned(&mut self, clause: &[Lit]) -> u32 {
        let Cdcl { learning: Learning { counted, count, .. }, levels, .. } = self;
        spanned(clause.iter().copied(), levels, counted, count)
    }

    /// Drops literals that follow from the others.
    fn minimise(&mut self) {
        let mut clause = std::mem::take(&mut self.learning.clause);
        self.spanned(&clause);
        let mut first = true;
        clause.retain(|lit| std::mem::take(&mut first) || !self.follows(*lit));
        self.learning.clause = clause;
    }

    /// Whether a literal is false because those that are seen are.
    fn follows(&mut self, lit: Lit) -> bool {
        if self.reasons[lit.variable()] == NOWHERE {
            return false;
        }
        let before = self.learning.marked.len();
        self.learning.left.clear();
        self.learning.left.push(lit);
        while let Some(lit) = self.learning.left.pop() {
            let place = self.reasons[lit.variable()];
            for number in 0..self.clauses.length(place) {
                let one = Lit::from_word(self.clauses.of(place)[number]);
                let variable = one.variable();
                if self.learning.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                // What is on a level of no other literal does not follow from them.
                let is_apart = self.learning.is_apart(self.levels[variable]);
                if is_apart || self.reasons[variable] == NOWHERE {
                    self.learning.unmark(before);
                    return false;
                }
                self.learning.mark(variable);
                self.learning.left.push(one);
            }
        }
        true
    }

    /// Moves a literal of the second highest level to the second place; that level.
    fn second_level(&self, clause: &mut [Lit]) -> usize {
        let level = |at: &usize| self.levels[clause[*at].variable()];
        let Some(at) = (1..clause.len()).max_by_key(level) else { return 0 };
        let found = level(&at);
        clause.swap(1, at);
        found as usize
    }

    /// The assumptions from which it follows that this one is false.
    pub(super) fn blame(&mut self, refuted: Lit) {
        self.is_to_blame(refuted);
        if self.levels[refuted.variable()] > 0 {
            self.learning.mark(refuted.variable());
        }
        let first = self.begins.first().map_or(self.trail.len(), |first| *first as usize);
        for at in (first..self.trail.len()).rev() {
            let lit = self.trail[at];
            if !self.learning.seen[lit.variable()] {
                continue;
            }
            let place = self.reasons[lit.variable()];
            if place == NOWHERE {
                self.is_to_blame(lit);
                continue;
            }
            for number in 0..self.clauses.length(place) {
                let variable = Lit::from_word(self.clauses.of(place)[number]).variable();
                if self.levels[variable] > 0 && !self.learning.seen[variable] {
                    self.learning.mark(variable);
                }
            }
        }
        self.learning.unmark(0);
    }

    fn is_to_blame(&mut self, assumption: Lit) {
        if !std::mem::replace(&mut self.is_core[assumption.variable()], true) {
            self.core.push(assumption);
        }
    }
}

fn spanned(
    literals: impl Iterator<Item = Lit>,
    levels: &[u32],
    counted: &mut [u64],
    count: &mut u64,
) -> u32 {
    *count += 1;
    let mut spanned = 0;
    for lit in literals {
        let last = &mut counted[levels[lit.variable()] as usize];
        spanned += u32::from(*last != *count);
        *last = *count;
    }
    spanned
}
