//! Automata as HOA text.

use homing_ir::automaton::{Automaton, Transition};

use crate::guard::{Signs, grouped, quoted, sets, written};

const SIGNS: Signs = Signs { and: "&", or: " | ", always: "t" };

/// The automaton as text.
pub fn write(automaton: &Automaton, atoms: &[String], name: &str) -> String {
    let mut text = String::from("HOA: v1\n");
    text += &format!("name: {}\ntool: \"homing\"\n", quoted(name));
    text += &format!("States: {}\n", automaton.states.len());
    for state in &automaton.initial {
        text += &format!("Start: {state}\n");
    }
    let names: String = atoms.iter().map(|atom| format!(" {}", quoted(atom))).collect();
    text += &format!("AP: {}{names}\n{}\n", atoms.len(), acceptance(automaton.sets));
    let on_states = automaton.states.iter().all(|leaving| same_marks(leaving));
    let place = if on_states { "state-acc" } else { "trans-acc" };
    text += &format!("properties: trans-labels explicit-labels {place}\n--BODY--\n");
    for (state, leaving) in automaton.states.iter().enumerate() {
        let own = leaving.first().filter(|_| on_states).map_or(0, |one| one.marks);
        text += &format!("State: {state}{}\n", marks(own));
        for ((to, with), guards) in grouped(leaving) {
            let guard = written(&guards, &SIGNS, &|atom| atom.to_string());
            let with = if on_states { 0 } else { with };
            text += &format!("[{guard}] {to}{}\n", marks(with));
        }
    }
    text + "--END--\n"
}

fn same_marks(leaving: &[Transition]) -> bool {
    leaving.iter().all(|one| one.marks == leaving[0].marks)
}

fn acceptance(count: u32) -> String {
    let all: Vec<String> = (0..count).map(|set| format!("Inf({set})")).collect();
    match count {
        0 => "acc-name: all\nAcceptance: 0 t".to_string(),
        1 => "acc-name: Buchi\nAcceptance: 1 Inf(0)".to_string(),
        _ => format!("acc-name: generalized-Buchi {count}\nAcceptance: {count} {}", all.join("&")),
    }
}

fn marks(marks: u64) -> String {
    let all: Vec<String> = sets(marks).map(|set| set.to_string()).collect();
    if all.is_empty() { String::new() } else { format!(" {{{}}}", all.join(" ")) }
}
