//! Timed automata that share clocks and bounded integers and meet in pairs on
//! channels: the papers' form of a timed system, and how it is written for UPPAAL
//! (`.xta`) and for TChecker (`.tck`).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::automata::Action;

/// A comparison of a clock or an integer with a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The clock or integer.
    pub name: String,
    /// `<`, `<=`, `==`, `>=` or `>`.
    pub relation: &'static str,
    /// What it is compared with.
    pub constant: i64,
}

/// What is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Constant(i64),
    /// The value of an integer.
    Of(String),
}

/// An assignment to a clock or an integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The clock or integer.
    pub name: String,
    /// Its new value.
    pub value: Value,
}

/// A place of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// What must hold while the automaton is here.
    pub invariant: Option<Test>,
    /// Whether it must be left at once, before any automaton that is not in such a
    /// location moves.
    pub committed: bool,
}

/// An edge between two locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The location it leaves.
    pub from: String,
    /// The location it enters.
    pub to: String,
    /// When it may be taken: all of these.
    pub guard: Vec<Test>,
    /// Whom it meets.
    pub action: Action,
    /// What it changes.
    pub updates: Vec<Update>,
}

/// One automaton. Its first location is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its edges, in the order they are tried.
    pub edges: Vec<Edge>,
}

/// A bounded integer, 0 at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    /// Its name.
    pub name: String,
    /// Its largest value; the smallest is 0.
    pub most: i64,
}

/// Automata side by side, and the error to look for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The clocks.
    pub clocks: Vec<String>,
    /// The integers.
    pub integers: Vec<Integer>,
    /// The automata.
    pub processes: Vec<Process>,
    /// Processes, by name, with the locations they must be in at once.
    pub goal: Vec<(String, String)>,
}

/// A test in a line.
pub fn test(name: &str, relation: &'static str, constant: i64) -> Test {
    Test { name: name.to_string(), relation, constant }
}

/// The test that an integer has this value.
pub fn is(name: &str, constant: i64) -> Test {
    test(name, "==", constant)
}

/// The assignment of a constant.
pub fn set(name: &str, constant: i64) -> Update {
    Update { name: name.to_string(), value: Value::Constant(constant) }
}

/// The assignment of another integer's value.
pub fn copy(name: &str, from: &str) -> Update {
    Update { name: name.to_string(), value: Value::Of(from.to_string()) }
}

impl Process {
    /// An automaton without locations.
    pub fn new(name: impl Into<String>) -> Process {
        Process { name: name.into(), locations: Vec::new(), edges: Vec::new() }
    }

    /// Adds a location; the first one is the initial one.
    pub fn location(&mut self, name: &str, invariant: Option<Test>) {
        self.locations.push(Location { name: name.to_string(), invariant, committed: false });
    }

    /// Adds a committed location.
    pub fn committed(&mut self, name: &str) {
        self.locations.push(Location { name: name.to_string(), invariant: None, committed: true });
    }

    /// Adds an edge on which the automaton moves alone.
    pub fn edge(&mut self, from: &str, to: &str, guard: Vec<Test>, updates: Vec<Update>) {
        self.meeting(from, to, guard, Action::Internal, updates);
    }

    /// Adds an edge on which it may meet another.
    pub fn meeting(
        &mut self,
        from: &str,
        to: &str,
        guard: Vec<Test>,
        action: Action,
        updates: Vec<Update>,
    ) {
        let (from, to) = (from.to_string(), to.to_string());
        self.edges.push(Edge { from, to, guard, action, updates });
    }

    fn uses(&self, channel: &str, send: bool) -> bool {
        self.edges.iter().any(|edge| match &edge.action {
            Action::Internal => false,
            Action::Send(name) => send && name == channel,
            Action::Receive(name) => !send && name == channel,
        })
    }
}

impl System {
    /// Adds a clock.
    pub fn clock(&mut self, name: &str) {
        self.clocks.push(name.to_string());
    }

    /// Adds an integer from 0 to `most`.
    pub fn integer(&mut self, name: &str, most: i64) {
        self.integers.push(Integer { name: name.to_string(), most });
    }

    /// Adds an automaton that changes an integer from 0 to 1 and back at will.
    pub fn at_will(&mut self, integer: &str) {
        let mut world = Process::new(format!("World_{integer}"));
        world.location("here", None);
        for (from, to) in [(0, 1), (1, 0)] {
            world.edge("here", "here", vec![is(integer, from)], vec![set(integer, to)]);
        }
        self.processes.push(world);
    }

    /// The error as an expression over locations, for both languages' readers.
    pub fn goal_text(&self) -> String {
        let places: Vec<_> =
            self.goal.iter().map(|(process, location)| format!("{process}.{location}")).collect();
        places.join(" && ")
    }

    /// The label that a location of the goal carries in TChecker's language.
    pub fn labels(&self) -> Vec<String> {
        self.goal.iter().map(|(process, _)| format!("error_{process}")).collect()
    }

    fn channels(&self) -> Vec<&str> {
        let edges = self.processes.iter().flat_map(|process| &process.edges);
        let channels: BTreeSet<&str> = edges.filter_map(|edge| edge.action.channel()).collect();
        channels.into_iter().collect()
    }

    /// The system in UPPAAL's textual language.
    pub fn to_xta(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "clock {};", self.clocks.join(", "));
        for Integer { name, most } in &self.integers {
            let _ = writeln!(text, "int[0,{most}] {name} := 0;");
        }
        if !self.channels().is_empty() {
            let _ = writeln!(text, "chan {};", self.channels().join(", "));
        }
        for process in &self.processes {
            let _ = write!(text, "\n{}", process.to_xta());
        }
        let names: Vec<_> = self.processes.iter().map(|process| process.name.as_str()).collect();
        text + &format!("\nsystem {};\n", names.join(", "))
    }

    /// The system in TChecker's language; the places of the goal carry [`System::labels`].
    pub fn to_tck(&self, name: &str) -> String {
        let mut text = format!("system:{name}\n\nevent:alone\n");
        for channel in self.channels() {
            let _ = writeln!(text, "event:{channel}");
        }
        for clock in &self.clocks {
            let _ = writeln!(text, "clock:1:{clock}");
        }
        for Integer { name, most } in &self.integers {
            let _ = writeln!(text, "int:1:0:{most}:0:{name}");
        }
        for process in &self.processes {
            let _ = write!(text, "\n{}", process.to_tck(&self.goal));
        }
        text.push('\n');
        for channel in self.channels() {
            for sender in self.processes.iter().filter(|process| process.uses(channel, true)) {
                for receiver in self.processes.iter().filter(|process| process.uses(channel, false))
                {
                    let (sender, receiver) = (&sender.name, &receiver.name);
                    let _ = writeln!(text, "sync:{sender}@{channel}:{receiver}@{channel}");
                }
            }
        }
        text
    }
}

impl Process {
    fn to_xta(&self) -> String {
        let location = |Location { name, invariant, .. }: &Location| match invariant {
            Some(invariant) => format!("{name} {{ {} }}", invariant.text()),
            None => name.clone(),
        };
        let locations: Vec<_> = self.locations.iter().map(location).collect();
        let mut text = format!("process {}() {{\nstate {};\n", self.name, locations.join(", "));
        let committed = self.locations.iter().filter(|location| location.committed);
        let committed: Vec<_> = committed.map(|location| location.name.as_str()).collect();
        if !committed.is_empty() {
            let _ = writeln!(text, "commit {};", committed.join(", "));
        }
        if let Some(initial) = self.locations.first() {
            let _ = writeln!(text, "init {};", initial.name);
        }
        let edges: Vec<_> = self.edges.iter().map(Edge::to_xta).collect();
        text + &format!("trans\n{};\n}}\n", edges.join(",\n"))
    }

    fn to_tck(&self, goal: &[(String, String)]) -> String {
        let mut text = format!("process:{}\n", self.name);
        for (i, location) in self.locations.iter().enumerate() {
            let mut attributes = Vec::new();
            if i == 0 {
                attributes.push("initial:".to_string());
            }
            if let Some(invariant) = &location.invariant {
                attributes.push(format!("invariant:{}", invariant.text()));
            }
            if location.committed {
                attributes.push("committed:".to_string());
            }
            if goal.contains(&(self.name.clone(), location.name.clone())) {
                attributes.push(format!("labels:error_{}", self.name));
            }
            let (process, name) = (&self.name, &location.name);
            let _ = writeln!(text, "location:{process}:{name}{{{}}}", attributes.join(" : "));
        }
        for edge in &self.edges {
            let _ = writeln!(text, "edge:{}:{}", self.name, edge.to_tck());
        }
        text
    }
}

impl Edge {
    fn to_xta(&self) -> String {
        let mut parts = String::new();
        if !self.guard.is_empty() {
            let _ = write!(parts, " guard {};", conjunction(&self.guard));
        }
        match &self.action {
            Action::Internal => {}
            Action::Send(channel) => parts.push_str(&format!(" sync {channel}!;")),
            Action::Receive(channel) => parts.push_str(&format!(" sync {channel}?;")),
        }
        if !self.updates.is_empty() {
            let updates: Vec<_> = self.updates.iter().map(|update| update.text(" := ")).collect();
            let _ = write!(parts, " assign {};", updates.join(", "));
        }
        format!("  {} -> {} {{{parts} }}", self.from, self.to)
    }

    fn to_tck(&self) -> String {
        let mut attributes = Vec::new();
        if !self.guard.is_empty() {
            attributes.push(format!("provided:{}", conjunction(&self.guard)));
        }
        if !self.updates.is_empty() {
            let updates: Vec<_> = self.updates.iter().map(|update| update.text("=")).collect();
            attributes.push(format!("do:{}", updates.join(";")));
        }
        let event = self.action.channel().unwrap_or("alone");
        format!("{}:{}:{event}{{{}}}", self.from, self.to, attributes.join(" : "))
    }
}

fn conjunction(tests: &[Test]) -> String {
    tests.iter().map(Test::text).collect::<Vec<_>>().join(" && ")
}

impl Test {
    fn text(&self) -> String {
        format!("{} {} {}", self.name, self.relation, self.constant)
    }
}

impl Update {
    fn text(&self, assigns: &str) -> String {
        match &self.value {
            Value::Constant(constant) => format!("{}{assigns}{constant}", self.name),
            Value::Of(other) => format!("{}{assigns}{other}", self.name),
        }
    }
}
