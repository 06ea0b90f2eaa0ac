//! Büchi automata of generalised ones.
//!
//! Giannakopoulou and Lerda, "From states to transitions" (2002): a state is
//! copied for every *level*, the number of sets that were seen since the last
//! accepting state, in a fixed order:
//!
//! ```text
//! level(l, marks):  if l = sets: l := 0              (the state was accepting)
//!                   while l < sets and set l is in marks: l := l + 1
//! (q, l) → (r, level(l, marks)) for each q → r with these marks
//! (q, sets) is accepting
//! ```
//! Improved as in Babiak et al., "Compositional approach to suspension and other
//! improvements to LTL translation" (2013):
//!
//! - Levels mean something only inside of a component. A transition into another
//!   component may begin at any level: at the one at which the state was met
//!   before (level caching), else at the highest or at the lowest.
//! - States of components that are not accepting have one copy; those of
//!   components in which every cycle is accepting have one, too, an accepting one.
//! - The order of sets matters: several are tried.

use std::collections::BTreeMap;

use homing_ir::automaton::{Automaton, Transition};

use crate::component::{self, Class};
use crate::reduce::{reduce, reduce_states, size};

/// How many orders of acceptance sets are tried.
const MOST_ORDERS: usize = 24;
/// Of larger automata, with copies of their states, one order.
const MOST_COPIES: usize = 1_000;
/// How many of them are reduced.
const MOST_REDUCED: usize = 4;

/// A Büchi automaton with accepting states: with one set, which has all
/// transitions that leave an accepting state, and no others.
pub fn state_based(automaton: &Automaton) -> Automaton {
    smallest(automaton, true, reduce_states)
}

/// An automaton with at most one acceptance set, of transitions.
pub fn degeneralise(automaton: &Automaton) -> Automaton {
    if automaton.sets <= 1 {
        return automaton.clone();
    }
    smallest(automaton, false, reduce)
}

/// Of all orders and first levels, the one that becomes smallest; only those that
/// are small before are reduced.
fn smallest(
    automaton: &Automaton,
    on_states: bool,
    reduce: fn(&Automaton) -> Automaton,
) -> Automaton {
    let small = automaton.states.len() * automaton.sets as usize <= MOST_COPIES;
    let orders = orders(automaton.sets).into_iter().take(if small { MOST_ORDERS } else { 1 });
    let mut tried: Vec<Automaton> = orders
        .flat_map(|order| [true, false].map(|high| levels(automaton, &order, on_states, high)))
        .collect();
    tried.sort_by_key(size);
    let reduced = tried.iter().take(MOST_REDUCED).map(reduce);
    reduced.min_by_key(size).unwrap_or_else(|| automaton.clone())
}

/// Some orders of the sets: all of few sets, else as they are, turned.
fn orders(sets: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for set in 0..sets {
        let longer = all.iter().flat_map(|order: &Vec<u32>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, set);
                order
            })
        });
        all = longer.take(MOST_ORDERS).collect();
    }
    all
}

/// A copy of a state. For acceptance on transitions levels are `0..sets`.
type Copy = (u32, u32);

struct Levels<'a> {
    order: &'a [u32],
    on_states: bool,
    /// The level to begin with.
    first: u32,
    component: Vec<u32>,
    classes: Vec<Class>,
    number: BTreeMap<Copy, u32>,
    copies: Vec<Copy>,
    /// By state, the level at which it was met first.
    cache: Vec<Option<u32>>,
}

fn levels(automaton: &Automaton, order: &[u32], on_states: bool, high: bool) -> Automaton {
    let components = component::of_automaton(automaton);
    let classes = component::classes(automaton, &components);
    let mut levels = Levels {
        order,
        on_states,
        first: match (high, on_states) {
            (false, _) => 0,
            (true, true) => automaton.sets,
            (true, false) => automaton.sets.saturating_sub(1),
        },
        component: components.of,
        classes,
        number: BTreeMap::new(),
        copies: Vec::new(),
        cache: vec![None; automaton.states.len()],
    };
    let initial = automaton.initial.iter().map(|state| levels.enter(*state)).collect();
    let mut states = Vec::new();
    while let Some((state, level)) = levels.copies.get(states.len()).copied() {
        homing_budget::checkpoint();
        let leaving = automaton.states[state as usize].iter();
        states.push(leaving.map(|one| levels.step(state, level, one)).collect());
    }
    Automaton { atoms: automaton.atoms, sets: 1, initial, states }
}

impl Levels<'_> {
    fn sets(&self) -> u32 {
        self.order.len() as u32
    }

    fn class(&self, state: u32) -> Class {
        self.classes[self.component[state as usize] as usize]
    }

    /// The copy of a state to begin with.
    fn enter(&mut self, state: u32) -> u32 {
        let level = match self.class(state) {
            Class::FullyAccepting if self.on_states => self.sets(),
            Class::PartiallyAccepting => self.cache[state as usize].unwrap_or(self.first),
            _ => 0,
        };
        self.copy(state, level)
    }

    fn copy(&mut self, state: u32, level: u32) -> u32 {
        self.cache[state as usize].get_or_insert(level);
        let next = self.copies.len() as u32;
        *self.number.entry((state, level)).or_insert_with(|| {
            self.copies.push((state, level));
            next
        })
    }

    fn step(&mut self, state: u32, level: u32, one: &Transition) -> Transition {
        let inside = self.component[state as usize] == self.component[one.target as usize];
        let class = self.class(state);
        let accepting = self.on_states && level == self.sets();
        if !inside || class != Class::PartiallyAccepting {
            let marks = match self.on_states {
                true => accepting,
                false => inside && class == Class::FullyAccepting,
            };
            return Transition { marks: marks.into(), target: self.enter(one.target), ..*one };
        }
        let start = if level == self.sets() { 0 } else { level };
        let mut next = self.passed(start, one.marks);
        let mut marks = accepting;
        if !self.on_states && next == self.sets() {
            marks = true;
            // What is left of this step counts for the next round.
            next = self.passed(0, one.marks) % self.sets();
        }
        Transition { marks: marks.into(), target: self.copy(one.target, next), ..*one }
    }

    /// The level behind a transition with these marks.
    fn passed(&self, level: u32, marks: u64) -> u32 {
        let rest = self.order[level as usize..].iter();
        level + rest.take_while(|set| marks >> **set & 1 == 1).count() as u32
    }
}
