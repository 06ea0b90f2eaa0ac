//! Fewer states and transitions by simulation.
//!
//! Etessami and Holzmann (2000), Somenzi and Bloem (2000); for acceptance on
//! transitions Babiak et al. (2013); what may be removed: Clemente and Mayr,
//! "Advanced automata minimization" (2013).
//!
//! ```text
//! q ≤ q'   (direct)  every transition q –a,m→ r has for every letter of a some
//!                    q' –m'→ r' with m ⊆ m' and r ≤ r'
//! q ≤ q'   (reverse) the same with transitions into q and q', and if q is
//!                    initial so is q'
//! start with all pairs, remove those that break the rule until none does
//!
//! states that simulate each other are one
//! a transition goes if another from the same state reads its letters, has its
//!     marks and leads to a state that simulates its target (direct); or
//!     if another to the same state comes from one that simulates its source
//!     (reverse)
//! ```

use homing_ir::automaton::{Automaton, Cube, Transition};

use crate::cubes;
use crate::prune::Acceptance;

/// Larger automata are left as they are.
const MOST_STATES: usize = 400;
const MOST_WORK: usize = 3_000_000;

/// Which way simulation looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Direct,
    Reverse,
}

/// A step of the graph that is looked at: for `Reverse` the transitions turned
/// round, `target` being where they come from.
type Steps = Vec<Vec<Transition>>;

/// Merges states that simulate each other and removes superfluous transitions.
/// Returns nothing where the automaton is too large.
pub(crate) fn simulate(
    automaton: &Automaton,
    direction: Direction,
    acceptance: Acceptance,
) -> Option<Automaton> {
    let count = automaton.states.len();
    let transitions: usize = automaton.states.iter().map(Vec::len).sum();
    if count > MOST_STATES || transitions * transitions > MOST_WORK {
        return None;
    }
    let steps = steps(automaton, direction);
    let relation = relation(automaton, &steps, direction, acceptance);
    let class: Vec<u32> = (0..count)
        .map(|q| {
            let first = (0..q).find(|p| relation.holds(*p, q) && relation.holds(q, *p));
            first.unwrap_or(q) as u32
        })
        .collect();
    let mut merged = merged(automaton, &class, direction);
    match direction {
        Direction::Direct => less_to(&mut merged, &relation),
        Direction::Reverse => less_from(&mut merged, &relation),
    }
    merged.initial.sort_unstable();
    merged.initial.dedup();
    if direction == Direction::Direct {
        let all = merged.initial.clone();
        merged
            .initial
            .retain(|p| !all.iter().any(|q| p != q && relation.holds(*p as usize, *q as usize)));
    }
    let representative: Vec<bool> = (0..count).map(|q| class[q] == q as u32).collect();
    Some(crate::prune::keep(&merged, |state| representative[state as usize]))
}

fn steps(automaton: &Automaton, direction: Direction) -> Steps {
    if direction == Direction::Direct {
        return automaton.states.clone();
    }
    let mut steps: Steps = vec![Vec::new(); automaton.states.len()];
    for (from, leaving) in automaton.states.iter().enumerate() {
        for one in leaving {
            steps[one.target as usize].push(Transition { target: from as u32, ..*one });
        }
    }
    steps
}

/// A relation of states.
struct Relation {
    count: usize,
    holds: Vec<bool>,
}

impl Relation {
    /// Whether `large` simulates `small`.
    fn holds(&self, small: usize, large: usize) -> bool {
        self.holds[small * self.count + large]
    }
}

fn relation(
    automaton: &Automaton,
    steps: &Steps,
    direction: Direction,
    acceptance: Acceptance,
) -> Relation {
    let count = steps.len();
    let initial: Vec<bool> =
        (0..count as u32).map(|state| automaton.initial.contains(&state)).collect();
    let accepting = |q: usize| automaton.states[q].iter().any(|one| one.marks != 0);
    let may = |small: usize, large: usize| match (direction, acceptance) {
        (Direction::Direct, _) => true,
        (Direction::Reverse, Acceptance::Transitions) => !initial[small] || initial[large],
        // A state keeps its acceptance.
        (Direction::Reverse, Acceptance::States) => {
            (!initial[small] || initial[large]) && accepting(small) == accepting(large)
        }
    };
    let pairs = (0..count).flat_map(|small| (0..count).map(move |large| (small, large)));
    let mut relation = Relation { count, holds: pairs.map(|(p, q)| may(p, q)).collect() };
    let mut changed = true;
    while changed {
        changed = false;
        for small in 0..count {
            for large in 0..count {
                homing_budget::checkpoint();
                if small != large
                    && relation.holds(small, large)
                    && !matches(&steps[small], &steps[large], &relation)
                {
                    relation.holds[small * count + large] = false;
                    changed = true;
                }
            }
        }
    }
    relation
}

/// Whether every step of `small` is answered by steps of `large`.
fn matches(small: &[Transition], large: &[Transition], relation: &Relation) -> bool {
    let mut answers: Vec<Cube> = Vec::new();
    small.iter().all(|step| {
        answers.clear();
        answers.extend(large.iter().filter(|other| answer(step, other, relation)).map(|o| o.guard));
        cubes::covered(step.guard, &answers)
    })
}

/// Whether `other` leads at least as far, for the letters it reads.
fn answer(step: &Transition, other: &Transition, relation: &Relation) -> bool {
    step.marks & !other.marks == 0 && relation.holds(step.target as usize, other.target as usize)
}

/// One state a class: with the transitions of its first member, which are worth
/// those of the others (direct), or with all (reverse).
fn merged(automaton: &Automaton, class: &[u32], direction: Direction) -> Automaton {
    let mut states = vec![Vec::new(); automaton.states.len()];
    for (from, leaving) in automaton.states.iter().enumerate() {
        let into = class[from] as usize;
        if direction == Direction::Reverse || into == from {
            let moved = leaving.iter();
            let moved = moved.map(|one| Transition { target: class[one.target as usize], ..*one });
            states[into].extend(moved);
        }
    }
    states.iter_mut().for_each(tidy);
    let initial = automaton.initial.iter().map(|state| class[*state as usize]).collect();
    Automaton { initial, states, ..*automaton }
}

/// Transitions in order, each once.
fn tidy(leaving: &mut Vec<Transition>) {
    leaving.sort_unstable();
    leaving.dedup();
}

/// Without transitions that others from the same state are worth.
fn less_to(automaton: &mut Automaton, relation: &Relation) {
    for leaving in &mut automaton.states {
        let mut i = 0;
        while i < leaving.len() {
            let one = leaving[i];
            let others = leaving.iter().enumerate().filter(|(j, _)| *j != i);
            let answers: Vec<Cube> = others
                .filter(|(_, other)| answer(&one, other, relation))
                .map(|(_, other)| other.guard)
                .collect();
            if cubes::covered(one.guard, &answers) {
                leaving.remove(i);
            } else {
                i += 1;
            }
        }
    }
}

/// Without transitions that others to the same state are worth.
fn less_from(automaton: &mut Automaton, relation: &Relation) {
    let into = steps(automaton, Direction::Reverse);
    for (target, entering) in into.iter().enumerate() {
        for one in entering {
            let better = entering.iter().any(|other| {
                other.target != one.target
                    && relation.holds(one.target as usize, other.target as usize)
                    && one.marks & !other.marks == 0
                    && cubes::within(one.guard, other.guard)
            });
            if better {
                let gone = Transition { target: target as u32, ..*one };
                automaton.states[one.target as usize].retain(|transition| *transition != gone);
            }
        }
    }
}
