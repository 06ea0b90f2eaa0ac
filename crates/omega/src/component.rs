//! Strongly connected components of automata, and what kind they are.
//!
//! The classes are those of Edelkamp, Leue and Lluch Lafuente, "Directed
//! explicit-state model checking in the validation of communication protocols"
//! (2004): in a component that is *not accepting* no cycle is accepting, in one
//! that is *fully accepting* every cycle is, in the others some are.

use homing_ir::automaton::Automaton;
use homing_ir::components::{UNREACHED, strongly_connected};

/// Which states of a graph can reach each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    /// By state, its component; `u32::MAX` for those that cannot be reached.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Components {
    /// Whether both states are in one component.
    pub fn together(&self, a: u32, b: u32) -> bool {
        self.of[a as usize] == self.of[b as usize]
    }

    /// Whether the state can be reached.
    pub fn reached(&self, state: u32) -> bool {
        self.of[state as usize] != UNREACHED
    }
}

/// What runs that stay in a component are worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// No run stays in it, or none that does is accepting.
    NonAccepting,
    /// Some runs that stay in it are accepting, others are not.
    PartiallyAccepting,
    /// Runs stay in it, and all that do are accepting.
    FullyAccepting,
}

/// The components of the part of a graph that can be reached from `roots`
/// ([`strongly_connected`]).
pub fn components(
    states: usize,
    roots: impl IntoIterator<Item = u32>,
    successor: impl Fn(u32, usize) -> Option<u32>,
) -> Components {
    let (of, count) = strongly_connected(states, roots, successor);
    Components { of, count }
}

/// The components of an automaton, of what can be reached.
pub fn of_automaton(automaton: &Automaton) -> Components {
    components(automaton.states.len(), automaton.initial.iter().copied(), |state, i| {
        automaton.states[state as usize].get(i).map(|transition| transition.target)
    })
}

/// The class of each component.
pub fn classes(automaton: &Automaton, components: &Components) -> Vec<Class> {
    let all = automaton.all_sets();
    let mut marks = vec![None; components.count as usize];
    for (from, _, with) in inner(automaton, components) {
        *marks[components.of[from as usize] as usize].get_or_insert(0) |= with;
    }
    let accepting = |marks: Option<u64>| match marks {
        Some(marks) if marks & all == all => Class::FullyAccepting,
        _ => Class::NonAccepting,
    };
    let mut classes: Vec<Class> = marks.into_iter().map(accepting).collect();
    // Where there is a cycle without a set, not every cycle is accepting.
    for set in 0..automaton.sets {
        let without = Without::new(automaton, components, 1 << set);
        let found = without.components();
        for (from, ..) in without.inside(&found) {
            let class = &mut classes[components.of[from as usize] as usize];
            if *class == Class::FullyAccepting {
                *class = Class::PartiallyAccepting;
            }
        }
    }
    classes
}

/// The graph of an automaton without some transitions.
pub(crate) struct Without {
    steps: Vec<Vec<(u32, u64)>>,
}

impl Without {
    /// Without those between components and those with one of `marks`.
    pub fn new(automaton: &Automaton, components: &Components, marks: u64) -> Without {
        let mut steps = vec![Vec::new(); automaton.states.len()];
        for (from, to, with) in inner(automaton, components) {
            if with & marks == 0 {
                steps[from as usize].push((to, with));
            }
        }
        Without { steps }
    }

    /// The components of this graph.
    pub fn components(&self) -> Components {
        components(self.steps.len(), 0..self.steps.len() as u32, |state, i| {
            self.steps[state as usize].get(i).map(|(to, _)| *to)
        })
    }

    /// The steps inside of components of this graph: from where, in which
    /// component, with which marks.
    pub fn inside<'a>(
        &'a self,
        found: &'a Components,
    ) -> impl Iterator<Item = (u32, u32, u64)> + 'a {
        self.steps.iter().enumerate().flat_map(move |(from, steps)| {
            let part = found.of[from];
            let inside = steps.iter().filter(move |(to, _)| part == found.of[*to as usize]);
            inside.map(move |(_, marks)| (from as u32, part, *marks))
        })
    }
}

/// The transitions inside of components: from where, to where, their marks.
pub(crate) fn inner<'a>(
    automaton: &'a Automaton,
    components: &'a Components,
) -> impl Iterator<Item = (u32, u32, u64)> + 'a {
    let reached = (0..automaton.states.len() as u32).filter(|state| components.reached(*state));
    reached.flat_map(move |from| {
        let leaving = automaton.states[from as usize].iter();
        let inside = leaving.filter(move |one| components.together(from, one.target));
        inside.map(move |one| (from, one.target, one.marks))
    })
}
