//! Automata as graphs for Graphviz.

use homing_ir::automaton::{Automaton, Cube};

use crate::guard::{Signs, grouped, quoted, sets, written};

const SIGNS: Signs = Signs { and: " && ", or: " || ", always: "true" };

/// The automaton as a graph; acceptance sets are written behind guards.
pub fn write(automaton: &Automaton, atoms: &[String], title: &str) -> String {
    let mut text = format!("digraph {} {{\n  rankdir=LR\n", quoted(title));
    for state in &automaton.initial {
        text += &format!("  start{state} [shape=point]\n  start{state} -> {state}\n");
    }
    for (from, leaving) in automaton.states.iter().enumerate() {
        text += &format!("  {from} [shape=circle]\n");
        for ((to, marks), guards) in grouped(leaving) {
            let label = label(&guards, marks, atoms);
            text += &format!("  {from} -> {to} [label={}]\n", quoted(&label));
        }
    }
    text + "}\n"
}

/// The transitions that leave a state, a line each.
pub fn lines(automaton: &Automaton, state: u32, atoms: &[String]) -> Vec<String> {
    let groups = grouped(&automaton.states[state as usize]).into_iter();
    let line = |((to, marks), guards): ((u32, u64), Vec<Cube>)| {
        format!("to {to} on {}", label(&guards, marks, atoms))
    };
    groups.map(line).collect()
}

/// Guards and acceptance sets.
fn label(guards: &[Cube], marks: u64, atoms: &[String]) -> String {
    let mut label = written(guards, &SIGNS, &|atom| atoms[atom as usize].clone());
    let seen: Vec<String> = sets(marks).map(|set| set.to_string()).collect();
    if !seen.is_empty() {
        label += &format!(" {{{}}}", seen.join(","));
    }
    label
}
