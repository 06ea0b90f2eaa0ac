//! Automata as never claims of Promela.

use homing_ir::automaton::Automaton;

use crate::guard::{Signs, grouped, written};

const SIGNS: Signs = Signs { and: " && ", or: ") || (", always: "1" };

/// The claim of a Büchi automaton with accepting states
/// ([`state_based`](crate::degeneralise::state_based)).
pub fn write(automaton: &Automaton, atoms: &[String], title: &str) -> String {
    let automaton = &with_one_start(automaton);
    let comment = title.replace("*/", "* /");
    let mut text = format!("never {{    /* {comment} */\n");
    let Some(start) = automaton.initial.first().copied() else {
        return text + "T0_init:\n\tfalse;\n}\n";
    };
    let name = |state: u32| name(automaton, state, start);
    let others = (0..automaton.states.len() as u32).filter(|state| *state != start);
    for state in std::iter::once(start).chain(others) {
        text += &format!("{}:\n", name(state));
        if automaton.accepts_all(state) {
            text += "\tskip;\n";
            continue;
        }
        text += "\tif\n";
        for ((to, _), guards) in grouped(&automaton.states[state as usize]) {
            let guard = written(&guards, &SIGNS, &|atom| bracketed(&atoms[atom as usize]));
            let guard = if guards.len() > 1 { format!("({guard})") } else { guard };
            text += &format!("\t:: ({guard}) -> goto {}\n", name(to));
        }
        text += "\tfi;\n";
    }
    text + "}\n"
}

fn name(automaton: &Automaton, state: u32, start: u32) -> String {
    let accepting = automaton.states[state as usize].iter().any(|one| one.marks != 0);
    match (automaton.accepts_all(state), accepting, state == start) {
        (true, _, _) => format!("accept_all{state}"),
        (_, true, true) => "accept_init".to_string(),
        (_, true, false) => format!("accept_S{state}"),
        (_, false, true) => "T0_init".to_string(),
        (_, false, false) => format!("T0_S{state}"),
    }
}

/// A claim begins at its first statement: where there are several places to
/// start, one more state has all their transitions.
fn with_one_start(automaton: &Automaton) -> Automaton {
    if automaton.initial.len() < 2 {
        return automaton.clone();
    }
    let mut automaton = automaton.clone();
    let leaving = automaton.initial.iter().flat_map(|state| &automaton.states[*state as usize]);
    let mut start: Vec<_> = leaving.copied().collect();
    start.iter_mut().for_each(|one| one.marks = 0);
    automaton.initial = vec![automaton.states.len() as u32];
    automaton.states.push(start);
    automaton
}

/// An atom that `!` can stand before.
fn bracketed(atom: &str) -> String {
    let plain = atom.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { atom.to_string() } else { format!("({atom})") }
}
