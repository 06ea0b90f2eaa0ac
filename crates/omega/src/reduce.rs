//! Smaller automata with the same language: pruning and simulation in turns.

use std::collections::BTreeMap;

use homing_ir::automaton::{Automaton, Cube, Transition};

use crate::cubes;
use crate::prune::{Acceptance, prune};
use crate::simulation::{Direction, simulate};

/// Rounds of reduction; each but the last makes the automaton smaller.
const MOST_ROUNDS: usize = 20;

/// A smaller automaton with the same language, acceptance on transitions.
pub fn reduce(automaton: &Automaton) -> Automaton {
    rounds(automaton, Acceptance::Transitions)
}

/// The same for a Büchi automaton with accepting states, which stay what they
/// are: all transitions that leave a state are in the one set, or none.
pub(crate) fn reduce_states(automaton: &Automaton) -> Automaton {
    rounds(automaton, Acceptance::States)
}

fn rounds(automaton: &Automaton, acceptance: Acceptance) -> Automaton {
    let mut best = tidy(prune(automaton, acceptance));
    for _ in 0..MOST_ROUNDS {
        let before = size(&best);
        for direction in [Direction::Direct, Direction::Reverse] {
            if let Some(smaller) = simulate(&best, direction, acceptance) {
                best = tidy(prune(&smaller, acceptance));
            }
        }
        if size(&best) >= before {
            break;
        }
    }
    best
}

/// What is to become small: states, then pairs of states with transitions, then
/// transitions.
pub(crate) fn size(automaton: &Automaton) -> (usize, usize, usize) {
    (automaton.states.len(), edges(automaton), automaton.states.iter().map(Vec::len).sum())
}

/// How many pairs of states have transitions, where those with other marks count
/// apart: the lines of a never claim.
pub fn edges(automaton: &Automaton) -> usize {
    let targets = |leaving: &Vec<Transition>| {
        let mut all: Vec<(u32, u64)> = leaving.iter().map(|one| (one.target, one.marks)).collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    automaton.states.iter().map(targets).sum()
}

/// Guards of transitions that lead to the same state with few cubes.
fn tidy(mut automaton: Automaton) -> Automaton {
    for leaving in &mut automaton.states {
        let mut groups: BTreeMap<(u32, u64), Vec<Cube>> = BTreeMap::new();
        for one in leaving.iter() {
            groups.entry((one.target, one.marks)).or_default().push(one.guard);
        }
        leaving.clear();
        for ((target, marks), mut guards) in groups {
            cubes::simplify(&mut guards);
            leaving.extend(guards.into_iter().map(|guard| Transition { guard, marks, target }));
        }
    }
    automaton
}
