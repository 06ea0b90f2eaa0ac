//! Words that repeat, and whether automata accept them.

use homing_ir::automaton::Automaton;

use crate::component::components;

/// Whether the automaton accepts the word of these letters that goes on from its
/// last letter with letter number `back`, for ever: whether a cycle of
/// (state, position) that can be reached has all marks.
pub fn accepts(automaton: &Automaton, letters: &[u64], back: usize) -> bool {
    let length = letters.len();
    let next = |i: usize| if i + 1 < length { i + 1 } else { back };
    let node = |state: u32, i: usize| state * length as u32 + i as u32;
    let mut steps: Vec<Vec<(u32, u64)>> = Vec::with_capacity(automaton.states.len() * length);
    for state in 0..automaton.states.len() as u32 {
        for (i, letter) in letters.iter().enumerate() {
            let open = automaton.open(state, *letter);
            steps.push(open.map(|one| (node(one.target, next(i)), one.marks)).collect());
        }
    }
    let roots = automaton.initial.iter().map(|state| node(*state, 0));
    let found = components(steps.len(), roots, |at, i| {
        steps[at as usize].get(i).map(|(target, _)| *target)
    });
    let mut marks = vec![None; found.count as usize];
    for (at, leaving) in steps.iter().enumerate().filter(|(at, _)| found.reached(*at as u32)) {
        for (target, with) in leaving {
            if found.together(at as u32, *target) {
                *marks[found.of[at] as usize].get_or_insert(0) |= with;
            }
        }
    }
    let all = automaton.all_sets();
    marks.iter().flatten().any(|marks| marks & all == all)
}
