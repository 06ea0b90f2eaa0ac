//! Learnt clauses that are worth little are dropped.
//!
//! Audemard, Simon (IJCAI 2009); Oh, "Between SAT and UNSAT: the fundamental difference in
//! CDCL SAT" (SAT 2015): clauses of two levels stay, of few levels as long as they are used,
//! and of the others half goes, those of the most levels first.

use super::Cdcl;
use super::clauses::{Clauses, Place};
use super::literal::Lit;

const FEW: u32 = 6;
const FIRST: u64 = 2000;
const MORE: u64 = 300;

/// When it is time.
pub(super) struct Reduction {
    pub(super) conflicts: u64,
    next: u64,
    times: u64,
}

impl Default for Reduction {
    fn default() -> Reduction {
        Reduction { conflicts: 0, next: FIRST, times: 0 }
    }
}

impl Reduction {
    pub(super) fn conflict(&mut self) {
        self.conflicts += 1;
    }

    pub(super) fn is_due(&self) -> bool {
        self.conflicts >= self.next
    }

    fn done(&mut self) {
        self.times += 1;
        self.next = self.conflicts + FIRST + MORE * self.times;
    }
}

impl Cdcl {
    /// Drops what is worth little, and what is true for good. Nothing is decided now.
    pub(super) fn reduce(&mut self) {
        self.reduction.done();
        let learnt = self.clauses.all().filter(|place| self.clauses.is_learnt(*place));
        let learnt: Vec<Place> = learnt.collect();
        let mut poor: Vec<(u32, usize, Place)> = Vec::new();
        for place in learnt {
            let (levels, length) = (self.clauses.levels(place), self.clauses.length(place));
            let used = self.clauses.take_used(place);
            if length > 2 && levels > 2 && !(used && levels <= FEW) {
                poor.push((levels, length, place));
            }
        }
        poor.sort_unstable_by_key(|(levels, length, place)| (*levels, *length, place.0));
        for (_, _, place) in poor.split_off(poor.len() / 2) {
            self.clauses.drop(place);
        }
        self.rebuild();
    }

    /// Makes clauses and watches anew, without what was dropped and what is decided for good.
    pub(super) fn rebuild(&mut self) {
        self.watches.iter_mut().for_each(Vec::clear);
        let old = std::mem::take(&mut self.clauses);
        let marked = std::mem::take(&mut self.marked);
        let mut clause = Vec::new();
        for place in old.all() {
            clause.clear();
            clause.extend(old.literals(place));
            if clause.iter().any(|lit: &Lit| self.values[lit.code()] > 0) {
                continue;
            }
            clause.retain(|lit| self.values[lit.code()] == 0);
            let levels = old.is_learnt(place).then(|| old.levels(place));
            let is_marked = marked.binary_search_by_key(&place.0, |one| one.0).is_ok();
            let made = self.clauses.push(&clause, levels);
            self.clauses.take_used(made);
            self.attach(made, clause.len() == 2 && !is_marked);
            if is_marked {
                self.marked.push(made);
            }
        }
        drop::<Clauses>(old);
    }
}
