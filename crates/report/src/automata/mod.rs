//! Drawings of a model's processes: locations with what must hold there, edges
//! with what is written on them, as DOT for Graphviz ([`dot`]) and as a picture
//! of our own ([`svg`]).
//!
//! What is written is shown as it is in the model's text, so processes that are
//! instances of one template look alike and are drawn once. Edges that differ
//! only in values (one a value of UPPAAL's `select`) are one line.

use homing_ir::network::{
    Action, Edge, Expr, Guard, Location, Network, Pattern, ProcessId, Target, Urgency,
};
use homing_ir::{Sources, Span};

use homing_witness::outcome::text_of;

mod dot;
mod layout;
mod svg;
#[cfg(test)]
mod tests;

pub use dot::dot;
pub use svg::svg;

/// Longer texts are cut.
const LONGEST_LINE: usize = 40;
/// More lines on an edge are left out.
const MOST_LINES: usize = 8;
/// More names of equal processes are counted only.
const MOST_NAMES: usize = 4;

/// A process, or several that look alike.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Automaton {
    names: Vec<String>,
    nodes: Vec<Node>,
    arrows: Vec<Arrow>,
    initial: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    name: String,
    /// What must hold.
    lines: Vec<String>,
    urgency: Urgency,
    /// Whether runs may end here, or accept.
    marked: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Arrow {
    from: usize,
    to: usize,
    lines: Vec<String>,
}

impl Automaton {
    /// The names of the processes.
    fn title(&self) -> String {
        let shown = self.names.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
        match self.names.len().saturating_sub(MOST_NAMES) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    }
}

/// The processes of a model, each kind once.
fn automata(network: &Network) -> Vec<Automaton> {
    let mut list: Vec<Automaton> = Vec::new();
    for index in 0..network.processes.len() {
        let one = automaton(network, ProcessId(index as u32));
        let same = |other: &&mut Automaton| {
            (&other.nodes, &other.arrows, other.initial) == (&one.nodes, &one.arrows, one.initial)
        };
        match list.iter_mut().find(same) {
            Some(other) => other.names.extend(one.names),
            None => list.push(one),
        }
    }
    list
}

fn automaton(network: &Network, id: ProcessId) -> Automaton {
    let process = &network.processes[id.index()];
    let node = |location: &Location| node(&network.sources, location);
    let mut nodes: Vec<Node> = process.locations.iter().map(node).collect();
    let end = nodes.len();
    let mut arrows: Vec<Arrow> = Vec::new();
    for edge in &process.edges {
        for branch in &edge.branches {
            let to = match branch.target {
                Target::Location(location) => location.index(),
                Target::End => end,
            };
            let effect = branch.effect.iter().map(|statement| statement.span);
            let lines = lines_of(network, id, edge, effect);
            arrows.push(Arrow { from: edge.from.index(), to, lines });
        }
    }
    if arrows.iter().any(|arrow| arrow.to == end) {
        let urgency = Urgency::None;
        nodes.push(Node { name: "(end)".into(), lines: Vec::new(), urgency, marked: true });
    }
    without_repetitions(&mut arrows);
    let names = vec![process.name.clone()];
    Automaton { names, nodes, arrows, initial: process.initial.index() }
}

/// Leaves out what is the same as an arrow before.
fn without_repetitions(arrows: &mut Vec<Arrow>) {
    let mut seen = std::collections::BTreeSet::new();
    arrows.retain(|arrow| seen.insert((arrow.from, arrow.to, arrow.lines.clone())));
}

fn node(sources: &Sources, location: &Location) -> Node {
    let bound = location.invariant.as_ref().map(|invariant| invariant.span);
    let told =
        |span: &Span| bound.is_some_and(|bound| bound.start <= span.start && span.end <= bound.end);
    let stopped = location.stopwatches.iter().map(|watch| watch.clock.span);
    let lines = bound.into_iter().chain(stopped.filter(|span| !told(span)));
    let lines = lines.map(|span| written(sources, span)).filter(|line| !line.is_empty());
    Node {
        name: cut(&location.name),
        lines: lines.collect(),
        urgency: location.urgency,
        marked: location.end || location.accepting,
    }
}

/// What is written on an edge: its condition, what it does with channels, and
/// what it changes. The edges of a program are its statements.
fn lines_of(
    network: &Network,
    process: ProcessId,
    edge: &Edge,
    effect: impl Iterator<Item = Span>,
) -> Vec<String> {
    let sources = &network.sources;
    let mut lines: Vec<String> = Vec::new();
    if edge.piece {
        lines.push(cut(&network.edge_written(process, edge)));
    } else if network.statements {
        lines.push(written(sources, edge.span));
    } else {
        lines.extend(guard(sources, &edge.guard));
        lines.extend(edge.action.as_ref().map(|action| communication(network, action)));
        lines.extend(effect.map(|span| written(sources, span)));
    }
    lines.retain(|line| !line.is_empty());
    // What one text became several statements is shown once.
    lines.dedup();
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES - 1);
        lines.push("…".into());
    }
    lines
}

fn guard(sources: &Sources, guard: &Guard) -> Option<String> {
    match guard {
        Guard::Always => None,
        Guard::When(when) => Some(written(sources, when.span)),
        Guard::Otherwise { .. } => Some("else".into()),
        Guard::Timeout(_) => Some("timeout".into()),
    }
}

fn communication(network: &Network, action: &Action) -> String {
    let sources = &network.sources;
    let with = |channel: &Expr, sign: char, parts: Vec<String>| {
        format!("{}{sign}{}", written(sources, channel.span), parts.join(", "))
    };
    match action {
        Action::Send { channel, message, .. } => {
            with(channel, '!', message.iter().map(|part| written(sources, part.span)).collect())
        }
        Action::Receive { channel, message, .. } => {
            let parts = message.iter().map(|part| received(sources, part)).collect();
            with(channel, '?', parts)
        }
        Action::Label(label) => network.labels.get(label.index()).cloned().unwrap_or_default(),
    }
}

fn received(sources: &Sources, part: &Pattern) -> String {
    match part {
        Pattern::Store(place) => written(sources, place.span),
        Pattern::Match(value) => written(sources, value.span),
        Pattern::Ignore => "_".into(),
        Pattern::Except(value, besides) => {
            format!("{} ≠ {}", received(sources, besides), written(sources, value.span))
        }
    }
}

fn written(sources: &Sources, span: Span) -> String {
    cut(&text_of(sources, span))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
