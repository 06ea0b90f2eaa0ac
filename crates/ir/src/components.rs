//! Strongly connected components of an automaton.
//!
//! Tarjan, "Depth-first search and linear graph algorithms" (1972), without
//! recursion: the call stack is the vector `path`.
//!
//! ```text
//! visit(v):  low[v] := index[v] := next number; push v on open
//!            for each w after v:
//!                if w has no number: visit(w); low[v] := min(low[v], low[w])
//!                else if w is on open: low[v] := min(low[v], index[w])
//!            if low[v] = index[v]: pop open down to v: a component
//! ```
//! Components get their numbers in this order, so that every transition that
//! leaves a component leads to one with a smaller number.
//!
//! A run of an automaton ends up in one component; it
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
        let possible: Vec<Vec<u32>> = automaton
            .states
            .iter()
            .map(|leaving| {
                let possible = leaving.iter().filter(|transition| !transition.guard.is_empty());
                possible.map(|transition| transition.target).collect()
            })
            .collect();
        let states = possible.len();
        let (of, count) = strongly_connected(states, 0..states as u32, |state, i| {
            possible[state as usize].get(i).copied()
        });
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

/// The number of the component of states that cannot be reached.
pub const UNREACHED: u32 = u32::MAX;

/// The components of the part of a graph that can be reached from `roots`. The
/// graph is given by `successor(state, i)`, the state that the `i`-th step leads
/// to, `None` behind the last. Answers by state the number of its component,
/// [`UNREACHED`] for those that cannot be reached, and how many there are.
pub fn strongly_connected(
    states: usize,
    roots: impl IntoIterator<Item = u32>,
    successor: impl Fn(u32, usize) -> Option<u32>,
) -> (Vec<u32>, u32) {
    let mut of = vec![UNREACHED; states];
    let mut index = vec![UNREACHED; states];
    let mut low = vec![0; states];
    let (mut next, mut count) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in roots {
        if index[root as usize] == UNREACHED {
            path.push((root, 0));
        }
        while let Some((v, i)) = path.last_mut() {
            let v = *v;
            if *i == 0 && index[v as usize] == UNREACHED {
                index[v as usize] = next;
                low[v as usize] = next;
                next += 1;
                open.push(v);
            }
            let after = successor(v, *i);
            *i += 1;
            match after {
                Some(w) if index[w as usize] == UNREACHED => path.push((w, 0)),
                // Only states without a component are still open.
                Some(w) if of[w as usize] == UNREACHED => {
                    low[v as usize] = low[v as usize].min(index[w as usize]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        low[*above as usize] = low[*above as usize].min(low[v as usize]);
                    }
                    if low[v as usize] == index[v as usize] {
                        while let Some(w) = open.pop() {
                            of[w as usize] = count;
                            if w == v {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    (of, count)
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
