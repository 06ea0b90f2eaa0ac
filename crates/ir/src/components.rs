//! Strongly connected components of an automaton.
//!
//! Tarjan, "Depth-first search and linear graph algorithms" (1972), with a stack of
//! our own in place of recursion. A run of an automaton ends up in one component; it
//! can be accepting only where the transitions within are in all sets.

use crate::automaton::{Automaton, Transition};

/// The strongly connected components of an automaton.
#[derive(Clone, Debug)]
pub struct Components {
    /// By state, the number of its component: what it leads to has a number that
    /// is no greater.
    of: Vec<u32>,
    /// By component, whether a run may stay in it and be accepted.
    accepting: Vec<bool>,
    /// By component, whether every transition within is in all sets.
    all: Vec<bool>,
}

impl Components {
    /// The components of an automaton. Guards are not looked at, but for those
    /// that nothing satisfies.
    pub fn of(automaton: &Automaton) -> Components {
        let mut search = Tarjan::new(automaton);
        (0..automaton.states.len() as u32).for_each(|root| search.from(root));
        let Tarjan { of, count, .. } = search;
        let mut found = Components { of, accepting: Vec::new(), all: vec![true; count as usize] };
        let sets = automaton.all_sets();
        let mut marks = vec![None; count as usize];
        for (from, transition) in transitions(automaton) {
            if found.together(from, transition.target) {
                let component = found.of[from as usize] as usize;
                let marks: &mut Option<u64> = &mut marks[component];
                *marks = Some(marks.unwrap_or(0) | transition.marks);
                found.all[component] &= transition.marks & sets == sets;
            }
        }
        let covered = |marks: Option<u64>| marks.is_some_and(|marks| marks & sets == sets);
        found.accepting = marks.into_iter().map(covered).collect();
        found
    }

    /// The number of the component of a state.
    pub fn number(&self, state: u32) -> u32 {
        self.of[state as usize]
    }

    /// Whether a run may stay in the component of a state and be accepted.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[self.of[state as usize] as usize]
    }

    /// Whether every cycle of the component of a state is seen to be accepted: all its
    /// transitions are in all sets.
    pub fn accepts_all(&self, state: u32) -> bool {
        self.all[self.of[state as usize] as usize]
    }

    /// Whether two states are in one component.
    pub fn together(&self, a: u32, b: u32) -> bool {
        self.of[a as usize] == self.of[b as usize]
    }
}

/// Whether whatever the automaton accepts shows after finitely many letters: a run
/// that stays elsewhere than in a state that accepts everything is not accepted.
pub fn is_terminal(automaton: &Automaton) -> bool {
    let components = Components::of(automaton);
    (0..automaton.states.len() as u32)
        .all(|state| automaton.accepts_all(state) || !components.is_accepting(state))
}

fn transitions(automaton: &Automaton) -> impl Iterator<Item = (u32, &Transition)> {
    let states = automaton.states.iter().zip(0..);
    states.flat_map(|(leaving, from)| {
        let possible = leaving.iter().filter(|transition| !transition.guard.is_empty());
        possible.map(move |transition| (from, transition))
    })
}

const UNSEEN: u32 = u32::MAX;

struct Tarjan<'a> {
    automaton: &'a Automaton,
    /// By state, when it was found.
    number: Vec<u32>,
    low: Vec<u32>,
    of: Vec<u32>,
    /// States without a component yet.
    open: Vec<u32>,
    found: u32,
    count: u32,
}

impl<'a> Tarjan<'a> {
    fn new(automaton: &'a Automaton) -> Tarjan<'a> {
        let none = vec![UNSEEN; automaton.states.len()];
        let (low, of) = (none.clone(), none.clone());
        Tarjan { automaton, number: none, low, of, open: Vec::new(), found: 0, count: 0 }
    }

    fn enter(&mut self, state: u32) {
        self.number[state as usize] = self.found;
        self.low[state as usize] = self.found;
        self.found += 1;
        self.open.push(state);
    }

    fn from(&mut self, root: u32) {
        if self.number[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        // The path, with the next transition of each state on it.
        let mut path = vec![(root, 0)];
        while let Some((state, next)) = path.last_mut() {
            let at = *state as usize;
            let transition = self.automaton.states[at].get(*next);
            *next += 1;
            match transition {
                Some(transition) if transition.guard.is_empty() => {}
                Some(transition) => {
                    let to = transition.target as usize;
                    if self.number[to] == UNSEEN {
                        self.enter(transition.target);
                        path.push((transition.target, 0));
                    } else if self.of[to] == UNSEEN {
                        self.low[at] = self.low[at].min(self.number[to]);
                    }
                }
                None => {
                    path.pop();
                    self.leave(at, path.last().map(|(parent, _)| *parent as usize));
                }
            }
        }
    }

    fn leave(&mut self, at: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[at]);
        }
        if self.low[at] != self.number[at] {
            return;
        }
        while let Some(state) = self.open.pop() {
            self.of[state as usize] = self.count;
            if state as usize == at {
                break;
            }
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Cube;

    /// An automaton of one set, its transitions written as from, to, marks.
    fn automaton(states: usize, transitions: &[(usize, u32, u64)]) -> Automaton {
        let mut automaton =
            Automaton { atoms: 0, sets: 1, initial: vec![0], states: vec![Vec::new(); states] };
        for (from, target, marks) in transitions {
            let one = Transition { guard: Cube::TRUE, marks: *marks, target: *target };
            automaton.states[*from].push(one);
        }
        automaton
    }

    #[test]
    fn components_are_found() {
        let made = automaton(5, &[(0, 1, 1), (1, 2, 0), (2, 1, 1), (2, 3, 1), (3, 3, 0)]);
        let found = Components::of(&made);
        assert!(found.together(1, 2) && !found.together(0, 1) && !found.together(2, 3));
        assert_eq!(
            [0, 1, 2, 3, 4].map(|q| found.is_accepting(q)),
            [false, true, true, false, false]
        );
        assert!(found.number(3) < found.number(1));
    }

    #[test]
    fn terminal_automata_are_told() {
        assert!(is_terminal(&automaton(2, &[(0, 0, 0), (0, 1, 0), (1, 1, 1)])));
        assert!(!is_terminal(&automaton(2, &[(0, 1, 1), (1, 0, 0)])));
    }
}
