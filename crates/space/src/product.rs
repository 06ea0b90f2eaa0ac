//! The product of a space and an automaton on infinite words.
//!
//! Vardi, Wolper, "An automata-theoretic approach to automatic program
//! verification" (LICS 1986): a system violates a property if its product with
//! an automaton of the violating runs has a run that is accepted.
//!
//! ```text
//! post(s, q) = { (s', q') | q → q' reads the letter of s, s → s' }
//! marks      = those of q → q', and those of s → s' where runs must be fair
//! requested  = what s requests, where they must be strongly fair
//! ended(s, q) = q accepts all, or some q → q' that reads s leads to such a q'
//! ```
//! The letter of s is the set of atoms that hold in it: the first conditions of the
//! inner space. So the automaton reads the initial state first. One word is added
//! to every state, where the automaton is.
//!
//! *The system stutters* where it has no step: s → s, by a step with a label of
//! its own. A state whose only steps fail does not.
//! With clocks it may also stutter where it has steps, but need not take any
//! ([`Product::resting`]). Where the automaton accepts whatever follows, there is nothing to look at any
//! more, and the product stays there.
//!
//! `ended` is condition 0 of this space: a violation that shows after finitely
//! many steps is an ordinary goal.
//!
//! Deviations: two transitions q → q' that read the same letter are one here, in
//! the sets of both. The run of the automaton that takes them in turn is in all
//! these sets, and its word is the same. Observers of finite behaviour
//! ([`Product::of_finite_runs`]) do not stutter: where the system has stopped, SPIN's
//! `pan` stores every place that the claim goes on to; here that is one state (as
//! `pan` with `-DNOSTUTTER` counts).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use homing_core::{Accepts, Batch, Class, Classes, Edge, Expander, Space, Word};
use homing_ir::automaton::{Automaton, Cube, Transition};
use homing_ir::components::Components;

use crate::fairness::{Fairness, Judge};

/// In the automaton's word: the system rests for ever, though it has steps.
const RESTS: Word = 1 << 32;

/// A space and an automaton that move together.
pub struct Product<'a> {
    inner: &'a dyn Space,
    automaton: &'a Automaton,
    components: Components,
    /// By state of the automaton, whether it accepts whatever follows.
    terminal: Vec<bool>,
    /// The number of labels of the inner space.
    labels: u32,
    /// By how much the labels of one state of the automaton are apart from those
    /// of the next; zero where numbers do not suffice to tell steps apart.
    stride: u32,
    /// Whether runs without an end are looked at, and not only finite ones.
    infinite: bool,
    stutters: bool,
    rests: bool,
    reduces: bool,
    not_entered: Option<u32>,
    fairness: Option<&'a Fairness<'a>>,
    /// Every condition that held in a state that was expanded.
    seen: AtomicU64,
    /// Whether the system stuttered in some state that was expanded.
    stuttered: AtomicBool,
}

impl<'a> Product<'a> {
    /// The product of `inner`, whose first conditions are the atoms of the automaton.
    pub fn new(inner: &'a dyn Space, automaton: &'a Automaton) -> Product<'a> {
        let states = automaton.states.len() as u32;
        let labels = inner.labels();
        // One label more, for the step of a system that has none.
        let stride = labels.saturating_add(1);
        // A space around this one may need as many again.
        let enough = stride.checked_mul(states.max(1)).is_some_and(|all| all < u32::MAX / 2);
        Product {
            inner,
            automaton,
            components: Components::of(automaton),
            terminal: (0..states).map(|state| automaton.accepts_all(state)).collect(),
            labels,
            stride: if enough { stride } else { 0 },
            infinite: true,
            stutters: true,
            rests: false,
            reduces: false,
            not_entered: None,
            fairness: None,
            seen: AtomicU64::new(0),
            stuttered: AtomicBool::new(false),
        }
    }

    /// Looks at finite runs only: the system does not stutter, and what it would
    /// take to reach `not_entered` counts, but nobody goes there.
    pub fn of_finite_runs(mut self, not_entered: u32) -> Product<'a> {
        self.infinite = false;
        self.stutters = false;
        self.not_entered = Some(not_entered);
        self
    }

    /// A system that has no step comes to an end: it does not stutter.
    pub fn without_stuttering(mut self) -> Product<'a> {
        self.stutters = false;
        self
    }

    /// The system may stutter wherever the inner space says so ([`Batch::deadlock`]), also
    /// where it has steps: runs may rest there, for ever.
    pub fn resting(mut self) -> Product<'a> {
        self.rests = true;
        self
    }

    /// Lets the search leave out the steps that the inner space says it may leave
    /// out. Only where the automaton cannot tell how often a letter is repeated.
    pub fn reducing(mut self) -> Product<'a> {
        self.reduces = self.fairness.is_none();
        self
    }

    /// Accepts only runs that are fair, too.
    pub fn fair(mut self, fairness: &'a Fairness<'a>) -> Product<'a> {
        self.fairness = Some(fairness);
        self.reduces = false;
        self
    }

    /// Every condition of the inner space that held in some state that was
    /// expanded, as a bit set.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Whether the system stutters where it has no step.
    pub fn stutters(&self) -> bool {
        self.stutters
    }

    /// Whether it stuttered in some state that was expanded.
    pub fn stuttered(&self) -> bool {
        self.stuttered.load(Ordering::Relaxed)
    }

    /// Whether there are states from which on everything is accepted.
    pub fn may_end(&self) -> bool {
        self.terminal.contains(&true)
    }

    /// The components of the automaton.
    pub(crate) fn components(&self) -> &Components {
        &self.components
    }

    fn sets_of_automaton(&self) -> u64 {
        self.automaton.all_sets()
    }

    fn all_sets(&self) -> u64 {
        let fair = self.fairness.map_or(0, Fairness::all_sets);
        self.sets_of_automaton() | fair.checked_shl(self.automaton.sets).unwrap_or(0)
    }
}

impl Space for Product<'_> {
    fn width(&self) -> usize {
        self.inner.width() + 1
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.inner)
    }

    fn labels(&self) -> u32 {
        match self.stride {
            0 => self.labels.saturating_add(1),
            stride => stride * self.automaton.states.len().max(1) as u32,
        }
    }

    fn project<'s>(&self, state: &'s [Word], edge: Edge) -> Option<(&'s [Word], Edge)> {
        let label = edge.label.checked_rem(self.stride).unwrap_or(edge.label);
        if label == self.labels {
            return None;
        }
        self.inner.project(&state[..self.inner.width()], Edge { label, ..edge })
    }

    fn cover(&self) -> Option<&dyn homing_core::Cover> {
        self.inner.cover()
    }

    fn acceptance_sets(&self) -> u32 {
        self.automaton.sets + self.fairness.map_or(0, Fairness::sets)
    }

    fn streett_pairs(&self) -> u32 {
        self.fairness.map_or(0, Fairness::streett_pairs)
    }

    fn classes(&self) -> Option<&dyn Classes> {
        Some(self)
    }

    fn needs_proviso(&self) -> bool {
        self.reduces && self.inner.needs_proviso()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ProductExpander {
            product: self,
            inner: self.inner.expander(),
            batch: Batch::new(self.inner.width()),
            state: vec![0; self.width()],
            ways: Vec::new(),
            judge: self.fairness.map(Fairness::judge),
            marks: Vec::new(),
        })
    }
}

impl Classes for Product<'_> {
    fn class(&self, state: &[Word]) -> Class {
        let at = state[self.inner.width()] as u32;
        let accepts = match (self.components.is_accepting(at), self.components.accepts_all(at)) {
            (false, _) => Accepts::None,
            (true, true) if self.fairness.is_none() => Accepts::All,
            (true, _) => Accepts::Some,
        };
        Class { component: self.components.number(at), accepts }
    }
}

struct ProductExpander<'a> {
    product: &'a Product<'a>,
    inner: Box<dyn Expander + 'a>,
    batch: Batch,
    state: Vec<Word>,
    /// Where the automaton may go, and in which sets that is.
    ways: Vec<(u32, u64)>,
    judge: Option<Judge<'a>>,
    /// What the inner successors are marked with where runs must be fair.
    marks: Vec<u64>,
}

impl ProductExpander<'_> {
    /// The ways that are open to the automaton.
    fn find_ways(&mut self, at: u32, letter: u64) {
        let Product { automaton, not_entered, infinite, .. } = self.product;
        let all = automaton.all_sets();
        self.ways.clear();
        for Transition { marks, target, .. } in automaton.open(at, letter).filter(|one| {
            // What makes an end of the observer's is no way on.
            let rests = one.guard == Cube::TRUE && one.target == at && one.marks == all;
            Some(one.target) != *not_entered && (*infinite || !rests)
        }) {
            match self.ways.iter_mut().find(|(to, _)| to == target) {
                Some((_, known)) => *known |= marks,
                None => self.ways.push((*target, *marks)),
            }
        }
    }

    /// Adds the inner successors in `range`, once for every way.
    fn hand_over(&mut self, range: std::ops::Range<usize>, out: &mut Batch) {
        let (stride, infinite) = (self.product.stride, self.product.infinite);
        for (to, marks) in &self.ways {
            for i in range.clone() {
                let edge = self.batch.edge(i);
                // A step is found again by its edge.
                let edge = Edge { label: edge.label + stride * to, ..edge };
                let marks = marks | self.marks.get(i).copied().unwrap_or(0);
                let marks = infinite.then_some(marks);
                out.push_extended((&self.batch, i), Word::from(*to), edge, marks);
            }
        }
    }

    /// The step of a system that has none, or rests.
    fn stutter(&mut self, system: &[Word], out: &mut Batch) {
        let rests = if self.product.rests { RESTS } else { 0 };
        let width = self.state.len() - 1;
        self.state[..width].copy_from_slice(system);
        // Nobody has a step, so all are treated fairly.
        let fair = self.product.all_sets() & !self.product.sets_of_automaton();
        for (to, marks) in &self.ways {
            self.state[width] = Word::from(*to) | rests;
            let label = self.product.labels + self.product.stride * to;
            self.product.push(&self.state, Edge { label, choice: 0 }, marks | fair, out);
        }
    }

    /// Whether the automaton comes to an end by going on alone.
    fn ends_alone(&mut self, at: u32, letter: u64) -> bool {
        self.find_ways(at, letter);
        let product = self.product;
        let mut next = 0;
        while let Some((from, _)) = self.ways.get(next).copied() {
            next += 1;
            for transition in product.automaton.open(from, letter) {
                if product.terminal[transition.target as usize] {
                    return true;
                }
                if !self.ways.iter().any(|(to, _)| *to == transition.target) {
                    self.ways.push((transition.target, 0));
                }
            }
        }
        false
    }

    fn has_stopped(&mut self, system: &[Word]) -> bool {
        self.batch.clear();
        self.inner.expand(system, &mut self.batch);
        self.batch.is_empty() && self.batch.faults().is_empty()
    }
}

impl Product<'_> {
    fn push(&self, state: &[Word], edge: Edge, marks: u64, out: &mut Batch) {
        match self.infinite {
            true => out.push_marked(state, edge, marks),
            false => out.push(state, edge),
        }
    }
}

impl Expander for ProductExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        let width = self.state.len() - 1;
        for (number, at) in self.product.automaton.initial.iter().enumerate() {
            self.state[width] = Word::from(*at);
            for i in 0..self.batch.len() {
                let edge = self.batch.edge(i);
                self.state[..width].copy_from_slice(self.batch.state(i));
                let label = edge.label + self.product.stride * number as u32;
                out.push(&self.state, Edge { label, ..edge });
            }
        }
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let product = self.product;
        let (system, at) = split(state);
        let letter = self.inner.violated(system);
        if letter & !product.seen.load(Ordering::Relaxed) != 0 {
            product.seen.fetch_or(letter, Ordering::Relaxed);
        }
        out.set_deadlock(false);
        out.set_ample(None);
        out.set_requested(0);
        if product.infinite && product.terminal[at as usize] {
            let label = product.labels + product.stride * at;
            return out.push_marked(state, Edge { label, choice: 0 }, product.all_sets());
        }
        self.find_ways(at, letter);
        if self.ways.is_empty() {
            return;
        }
        if state[state.len() - 1] & RESTS != 0 {
            return self.stutter(system, out);
        }
        self.batch.clear();
        self.inner.expand(system, &mut self.batch);
        self.marks.clear();
        if let Some(judge) = &mut self.judge {
            let first = product.automaton.sets;
            let requested = judge.marks(system, &self.batch, &mut self.marks);
            self.marks.iter_mut().for_each(|marks| *marks <<= first);
            out.set_requested(requested << first);
        }
        let ample = self.batch.ample().filter(|_| product.reduces);
        let (first, all) = (ample.unwrap_or(0), self.batch.len());
        self.hand_over(0..first, out);
        out.set_ample(ample.map(|_| out.len()));
        self.hand_over(first..all, out);
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
        let stops = match product.rests {
            true => self.batch.deadlock(),
            false => all == 0 && self.batch.faults().is_empty(),
        };
        if product.stutters && stops {
            product.stuttered.store(true, Ordering::Relaxed);
            self.stutter(system, out);
        }
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let (system, at) = split(state);
        let product = self.product;
        if product.terminal[at as usize] {
            return 1;
        }
        let letter = self.inner.violated(system);
        let mut open = product.automaton.open(at, letter);
        let ended = open.any(|transition| product.terminal[transition.target as usize])
            || !product.infinite && self.ends_alone(at, letter) && self.has_stopped(system);
        u64::from(ended)
    }
}

/// The system's words, and where the automaton is.
fn split(state: &[Word]) -> (&[Word], u32) {
    let (at, system) = state.split_last().unwrap_or((&0, &[]));
    (system, *at as u32)
}
