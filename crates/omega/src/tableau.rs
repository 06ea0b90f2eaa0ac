//! From formulas to generalised Büchi automata.
//!
//! Couvreur, "On-the-fly verification of linear temporal logic" (1999): a state is
//! a set of formulas that must hold from now on. What they ask of the present
//! letter and of the next state is read off the expansion laws; putting an
//! eventuality off is a *promise*:
//!
//! ```text
//! terms(p)     = (p, {}, {})            a letter, next state, promises
//! terms(X f)   = (true, {f}, {})
//! terms(f ∧ g) = terms(f) × terms(g)    all three joined
//! terms(f ∨ g) = terms(f) ∪ terms(g)
//! terms(f U g) = terms(g) ∪ terms(f) × (true, {f U g}, {g})
//! terms(f R g) = terms(g) × (terms(f) ∪ (true, {f R g}, {}))
//!
//! transitions of the state S: the terms of ⋀ S
//! acceptance set i: transitions that do not promise gᵢ
//! ```
//! A term goes where another reads more letters, asks for less and promises less.
//!
//! Deviations: what `f R g` asks for at once, g, is not kept beside it: the terms of
//! g with themselves are no others, so {G F p, F p} is {G F p}. And states with the
//! same terms are one state, whatever formulas they are made of.

use std::collections::BTreeMap;

use homing_ir::automaton::{Automaton, Cube, MOST, Transition};

use crate::cubes::{both, within};
use crate::formulas::{FALSE, Formulas, Id, Node, TRUE};
use crate::translate::Error;

/// The most terms of a state, and the most states.
const MOST_TERMS: usize = 4_000;
const MOST_STATES: usize = 5_000;
/// The most transitions of an automaton before it is reduced.
const MOST_TRANSITIONS: usize = 60_000;
/// How many pairs of terms may be looked at.
const MOST_PAIRS: u64 = 20_000_000;

/// One way to go on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    guard: Cube,
    /// What must hold next, in order.
    next: Vec<Id>,
    /// What is put off, as a bit set.
    promises: u64,
}

/// The automaton of a formula, as the laws give it.
pub(crate) fn tableau(formulas: &Formulas, f: Id, atoms: u32) -> Result<Automaton, Error> {
    let mut tableau = Tableau {
        formulas,
        known: BTreeMap::new(),
        promised: Vec::new(),
        pairs: 0,
        met: BTreeMap::new(),
        states: BTreeMap::new(),
        order: Vec::new(),
    };
    let start = tableau.state(&conjuncts(formulas, f))?;
    let mut states: Vec<Vec<Transition>> = Vec::new();
    let mut count = 0;
    while states.len() < tableau.order.len() {
        homing_budget::checkpoint();
        let terms = tableau.order[states.len()].clone();
        count += terms.len();
        if count > MOST_TRANSITIONS {
            return Err(Error::TooLarge);
        }
        let mut leaving = Vec::with_capacity(terms.len());
        for term in terms {
            let target = tableau.state(&term.next)?;
            leaving.push(Transition { guard: term.guard, marks: term.promises, target });
        }
        states.push(leaving);
    }
    let sets = tableau.promised.len() as u32;
    let mut automaton = Automaton { atoms, sets, initial: vec![start], states };
    let all = automaton.all_sets();
    for transition in automaton.states.iter_mut().flatten() {
        transition.marks = all & !transition.marks;
    }
    Ok(automaton)
}

/// The formulas that must all hold.
fn conjuncts(formulas: &Formulas, f: Id) -> Vec<Id> {
    match formulas.node(f) {
        Node::Constant(true) => Vec::new(),
        Node::And(parts) => parts.to_vec(),
        _ => vec![f],
    }
}

struct Tableau<'a> {
    formulas: &'a Formulas,
    /// The terms of formulas.
    known: BTreeMap<Id, Vec<Term>>,
    /// What may be put off: the right sides of `U`. All with one right side are
    /// kept at once.
    promised: Vec<Id>,
    pairs: u64,
    /// States by the formulas they were met as.
    met: BTreeMap<Vec<Id>, u32>,
    /// States by their terms.
    states: BTreeMap<Vec<Term>, u32>,
    order: Vec<Vec<Term>>,
}

impl Tableau<'_> {
    /// The state for a set of formulas.
    fn state(&mut self, set: &[Id]) -> Result<u32, Error> {
        if let Some(state) = self.met.get(set) {
            return Ok(*state);
        }
        let state = self.new_state(set)?;
        self.met.insert(set.to_vec(), state);
        Ok(state)
    }

    fn new_state(&mut self, set: &[Id]) -> Result<u32, Error> {
        let mut terms = vec![Term { guard: Cube::TRUE, next: Vec::new(), promises: 0 }];
        for f in set {
            let more = self.terms(*f)?;
            terms = self.times(&terms, &more)?;
        }
        terms.sort_unstable();
        if let Some(state) = self.states.get(&terms) {
            return Ok(*state);
        }
        let state = self.order.len() as u32;
        if self.order.len() >= MOST_STATES {
            return Err(Error::TooLarge);
        }
        self.states.insert(terms.clone(), state);
        self.order.push(terms);
        Ok(state)
    }

    fn terms(&mut self, f: Id) -> Result<Vec<Term>, Error> {
        if let Some(known) = self.known.get(&f) {
            return Ok(known.clone());
        }
        let then = |next, promises| vec![Term { guard: Cube::TRUE, next, promises }];
        let formulas = self.formulas;
        let terms = match formulas.node(f) {
            Node::Constant(false) => Vec::new(),
            Node::Constant(true) => then(Vec::new(), 0),
            Node::Literal { atom, positive } => {
                let bit = 1 << atom;
                let (all_of, none_of) = if *positive { (bit, 0) } else { (0, bit) };
                let guard = Cube { all_of, none_of };
                vec![Term { guard, next: Vec::new(), promises: 0 }]
            }
            Node::Next(f) if *f == FALSE => Vec::new(),
            Node::Next(f) => then(conjuncts(formulas, *f), 0),
            Node::And(parts) => {
                let mut terms = then(Vec::new(), 0);
                for part in parts {
                    let more = self.terms(*part)?;
                    terms = self.times(&terms, &more)?;
                }
                terms
            }
            Node::Or(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    terms.extend(self.terms(*part)?);
                }
                self.best(terms)?
            }
            Node::Until(left, right) => {
                let promise = 1 << self.promise(*right)?;
                let later = self.terms(*left)?;
                let mut terms = self.times(&later, &then(vec![f], promise))?;
                terms.extend(self.terms(*right)?);
                self.best(terms)?
            }
            Node::Release(left, right) => {
                let mut ends = if *left == TRUE { then(Vec::new(), 0) } else { self.terms(*left)? };
                ends.extend(then(vec![f], 0));
                let now = self.terms(*right)?;
                self.times(&now, &ends)?
            }
        };
        self.known.insert(f, terms.clone());
        Ok(terms)
    }

    /// The number of a promise.
    fn promise(&mut self, right: Id) -> Result<u32, Error> {
        if let Some(at) = self.promised.iter().position(|known| *known == right) {
            return Ok(at as u32);
        }
        if self.promised.len() >= MOST as usize {
            return Err(Error::TooManySets);
        }
        self.promised.push(right);
        Ok(self.promised.len() as u32 - 1)
    }

    /// Every term of one list with every term of the other.
    fn times(&mut self, a: &[Term], b: &[Term]) -> Result<Vec<Term>, Error> {
        let mut terms = Vec::with_capacity(a.len() * b.len());
        for a in a {
            for b in b {
                homing_budget::checkpoint();
                let guard = both(a.guard, b.guard);
                if guard.is_empty() {
                    continue;
                }
                let mut next = a.next.clone();
                next.extend_from_slice(&b.next);
                next.sort_unstable();
                next.dedup();
                let whole = next.clone();
                next.retain(|f| !whole.iter().any(|g| contains(self.formulas, *g, *f)));
                terms.push(Term { guard, next, promises: a.promises | b.promises });
            }
            if terms.len() > 4 * MOST_TERMS {
                return Err(Error::TooLarge);
            }
        }
        self.best(terms)
    }

    /// The terms that no other makes superfluous.
    fn best(&mut self, mut terms: Vec<Term>) -> Result<Vec<Term>, Error> {
        self.pairs += (terms.len() * terms.len()) as u64;
        if self.pairs > MOST_PAIRS {
            return Err(Error::TooLarge);
        }
        terms.sort_unstable();
        terms.dedup();
        let formulas = self.formulas;
        let superfluous =
            |one: &Term| terms.iter().any(|other| one != other && covers(formulas, other, one));
        let keep: Vec<bool> = terms.iter().map(|one| !superfluous(one)).collect();
        let mut keep = keep.into_iter();
        terms.retain(|_| keep.next().unwrap_or(true));
        if terms.len() > MOST_TERMS { Err(Error::TooLarge) } else { Ok(terms) }
    }
}

/// Whether whatever is accepted by way of `small` is by way of `large`. Different
/// terms never cover each other both ways.
fn covers(formulas: &Formulas, large: &Term, small: &Term) -> bool {
    let asked = |f: &Id| {
        small.next.binary_search(f).is_ok() || small.next.iter().any(|g| contains(formulas, *g, *f))
    };
    within(small.guard, large.guard)
        && large.promises & !small.promises == 0
        && large.next.iter().all(asked)
}

/// Whether `g` is `h R f`, or `h R (f ∧ …)`.
fn contains(formulas: &Formulas, g: Id, f: Id) -> bool {
    let Node::Release(_, right) = formulas.node(g) else { return false };
    *right == f
        || matches!(formulas.node(*right), Node::And(parts) if parts.binary_search(&f).is_ok())
}
