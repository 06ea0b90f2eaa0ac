//! Automata as graphs for Graphviz.

use homing_ir::automaton::Automaton;

use crate::guard::{Signs, grouped, quoted, sets, written};

const SIGNS: Signs = Signs { and: " && ", or: " || ", always: "1" };

/// The automaton as a graph; acceptance sets are written behind guards.
pub fn write(automaton: &Automaton, atoms: &[String], title: &str) -> String {
    let mut text = format!("digraph {} {{\n  rankdir=LR\n", quoted(title));
    for state in &automaton.initial {
        text += &format!("  start{state} [shape=point]\n  start{state} -> {state}\n");
    }
    for (from, leaving) in automaton.states.iter().enumerate() {
        text += &format!("  {from} [shape=circle]\n");
        for ((to, marks), guards) in grouped(leaving) {
            let mut label = written(&guards, &SIGNS, &|atom| atoms[atom as usize].clone());
            let seen: Vec<String> = sets(marks).map(|set| set.to_string()).collect();
            if !seen.is_empty() {
                label += &format!(" {{{}}}", seen.join(","));
            }
            text += &format!("  {from} -> {to} [label={}]\n", quoted(&label));
        }
    }
    text + "}\n"
}
