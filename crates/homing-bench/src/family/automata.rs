//! Finite automata that meet on channels: the papers' form of a system, and how
//! it is written in DVE.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What an automaton does on an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It moves alone.
    Internal,
    /// It meets an automaton that receives on this channel.
    Send(String),
    /// It meets an automaton that sends on this channel.
    Receive(String),
}

/// An edge between two locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The location it leaves.
    pub from: String,
    /// The location it enters.
    pub to: String,
    /// What happens on it.
    pub action: Action,
}

/// One automaton. Its locations are those of its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The location it starts in.
    pub initial: String,
    /// Its edges, in the order they are tried.
    pub edges: Vec<Edge>,
}

/// Automata side by side, and the error to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The automata.
    pub processes: Vec<Process>,
    /// Processes, by index, with the locations they must be in at once.
    pub goal: Vec<(usize, String)>,
}

impl Process {
    /// An automaton without edges.
    pub fn new(name: impl Into<String>, initial: impl Into<String>) -> Process {
        Process { name: name.into(), initial: initial.into(), edges: Vec::new() }
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: &str, to: &str, action: Action) {
        self.edges.push(Edge { from: from.to_string(), to: to.to_string(), action });
    }

    /// Adds an edge on which it sends.
    pub fn send(&mut self, from: &str, to: &str, channel: &str) {
        self.edge(from, to, Action::Send(channel.to_string()));
    }

    /// Adds an edge on which it receives.
    pub fn receive(&mut self, from: &str, to: &str, channel: &str) {
        self.edge(from, to, Action::Receive(channel.to_string()));
    }

    /// Its locations, the initial one first.
    pub fn locations(&self) -> Vec<&str> {
        let mut locations = vec![self.initial.as_str()];
        let mut known = BTreeSet::from([self.initial.as_str()]);
        for location in self.edges.iter().flat_map(|edge| [&edge.from, &edge.to]) {
            if known.insert(location) {
                locations.push(location);
            }
        }
        locations
    }

    fn to_dve(&self) -> String {
        let locations = self.locations().join(", ");
        let edges: Vec<_> = self.edges.iter().map(Edge::to_dve).collect();
        let (name, initial) = (&self.name, &self.initial);
        format!(
            "process {name} {{\nstate {locations};\ninit {initial};\ntrans\n{};\n}}\n",
            edges.join(",\n")
        )
    }
}

impl Action {
    /// The channel on which another automaton is met.
    pub fn channel(&self) -> Option<&str> {
        match self {
            Action::Internal => None,
            Action::Send(channel) | Action::Receive(channel) => Some(channel),
        }
    }
}

impl Edge {
    /// The channel it meets another automaton on.
    pub fn channel(&self) -> Option<&str> {
        self.action.channel()
    }

    fn to_dve(&self) -> String {
        let sync = match &self.action {
            Action::Internal => String::new(),
            Action::Send(channel) => format!(" sync {channel}!; "),
            Action::Receive(channel) => format!(" sync {channel}?; "),
        };
        format!("  {} -> {} {{{sync}}}", self.from, self.to)
    }
}

impl System {
    /// The system in DVE.
    pub fn to_dve(&self) -> String {
        let mut text = String::new();
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let channels: BTreeSet<_> = edges.filter_map(Edge::channel).collect();
        if !channels.is_empty() {
            let channels: Vec<_> = channels.into_iter().collect();
            let _ = writeln!(text, "channel {};\n", channels.join(", "));
        }
        for process in &self.processes {
            let _ = writeln!(text, "{}", process.to_dve());
        }
        text + "system async;\n"
    }

    /// The error as an expression over locations.
    pub fn goal_text(&self) -> String {
        let place = |(process, location): &(usize, String)| {
            format!("{}.{location}", self.processes[*process].name)
        };
        self.goal.iter().map(place).collect::<Vec<_>>().join(" && ")
    }
}
