//! Automata as DOT. The same model always gives the same bytes.

use std::fmt::Write as _;

use homing_ir::Network;
use homing_ir::network::Urgency;

use super::{Automaton, Node, automata};

/// The processes of a model as a graph for Graphviz: a cluster each, double
/// ellipses for initial locations, dashed ones for urgent and bold ones for
/// committed locations.
pub fn dot(network: &Network) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "digraph {} {{", quoted(&[&network.name]));
    out.push_str("  node [shape=ellipse, fontsize=11];\n  edge [fontsize=10];\n");
    for (number, automaton) in automata(network).iter().enumerate() {
        cluster(&mut out, number, automaton);
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, number: usize, automaton: &Automaton) {
    let _ = writeln!(out, "  subgraph cluster_{number} {{");
    let _ = writeln!(out, "    label={};", quoted(&[&automaton.title()]));
    for (at, node) in automaton.nodes.iter().enumerate() {
        let mut lines = vec![node.name.as_str()];
        lines.extend(node.lines.iter().map(String::as_str));
        let mut more = String::new();
        if at == automaton.initial {
            more.push_str(", peripheries=2");
        }
        more.push_str(style(node));
        let _ = writeln!(out, "    p{number}_{at} [label={}{more}];", quoted(&lines));
    }
    for arrow in &automaton.arrows {
        let lines: Vec<&str> = arrow.lines.iter().map(String::as_str).collect();
        let (from, to) = (arrow.from, arrow.to);
        let _ = writeln!(out, "    p{number}_{from} -> p{number}_{to} [label={}];", quoted(&lines));
    }
    out.push_str("  }\n");
}

fn style(node: &Node) -> &'static str {
    match (node.urgency, node.marked) {
        (Urgency::Urgent, _) => ", style=dashed",
        (Urgency::Committed, _) => ", style=bold",
        (Urgency::None, true) => ", style=filled, fillcolor=\"#eeeeee\"",
        (Urgency::None, false) => "",
    }
}

/// Lines as one string of DOT.
fn quoted(lines: &[&str]) -> String {
    let mut out = String::from("\"");
    for (number, line) in lines.iter().enumerate() {
        if number > 0 {
            out.push_str("\\n");
        }
        for letter in line.chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                letter if letter.is_control() => out.push(' '),
                letter => out.push(letter),
            }
        }
    }
    out.push('"');
    out
}
