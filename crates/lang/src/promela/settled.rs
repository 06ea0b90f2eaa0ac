//! Which channels the first processes are started with.
//!
//! Most programs start their processes before anything else happens, each with channels of
//! its own, which it never changes. An edge whose channel is a value has a part for every
//! channel there is ([`flatten`](homing_ir::flatten)), so that a ring of n processes would
//! have n² of them for every statement. Here the channel is found out:
//!
//! ```text
//! s := the initial state
//! while s has one step, by one process, which has no other choice on the way:
//!   s := the state behind it                                    all runs begin so
//! for every process p that runs in s, and that nothing ahead of s starts again,
//! and every variable v of p that no edge sets:
//!   in all edges of p, v is the channel that it holds in s
//! ```
//! Edges keep their numbers, so traces mean what they meant. A channel that belongs to a
//! process stays a value: it is a channel only as long as that process runs.

use std::collections::{HashMap, HashSet};

use homing_ir::Network;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{
    Action, ChannelId, Edge, EdgeRef, Expr, ExprKind, Guard, Lifetime, LocationId, Pattern,
    ProcessId, Statement, StatementKind, Storage, Target, TemplateId, Type, VariableId,
};

/// The most steps that are followed.
const STEPS: usize = 1_000;

/// The channels of a process by its variables that hold them and nothing else.
type Known = HashMap<VariableId, ChannelId>;

/// The edges of a network by the locations that they leave.
type Leaving<'n> = HashMap<(usize, LocationId), Vec<&'n Edge>>;

/// Puts channels in the place of variables that always hold them.
pub(super) fn settle(network: &mut Network) {
    let held = network.variables.iter().any(|one| is_candidate(network, one.owner, &one.ty));
    if !held || !network.processes.iter().any(|one| one.edges.iter().any(uses_value)) {
        return;
    }
    for (process, known) in known(network) {
        for edge in &mut network.processes[process.index()].edges {
            if let Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) =
                &mut edge.action
            {
                replace(channel, &known);
            }
            if let Guard::When(when) | Guard::Otherwise { when, .. } = &mut edge.guard {
                replace_asked(when, &known);
            }
        }
    }
}

fn is_candidate(network: &Network, owner: Option<ProcessId>, ty: &Type) -> bool {
    let startable = |owner: ProcessId| {
        matches!(network.processes[owner.index()].lifetime, Lifetime::Startable(_))
    };
    matches!(ty, Type::Channel) && owner.is_some_and(startable)
}

/// Whether an edge sends or receives by a channel value.
fn uses_value(edge: &Edge) -> bool {
    matches!(&edge.action,
        Some(Action::Send { channel, .. } | Action::Receive { channel, .. })
            if matches!(channel.kind, ExprKind::Read(_)))
}

/// What is known of each process.
fn known(network: &Network) -> HashMap<ProcessId, Known> {
    let mut known: HashMap<ProcessId, Known> = HashMap::new();
    let Ok(interpreter) = Interpreter::new(network) else { return known };
    let mut leaving = Leaving::new();
    for (at, process) in network.processes.iter().enumerate() {
        for edge in &process.edges {
            leaving.entry((at, edge.from)).or_default().push(edge);
        }
    }
    let passed = beginning(&interpreter, &leaving);
    let Some(last) = passed.last() else { return known };
    let (again, set) = (started_ahead(network, last, &leaving), set_somewhere(network));
    for (at, variable) in network.variables.iter().enumerate() {
        let id = VariableId(at as u32);
        let Some(owner) = variable.owner.filter(|_| variable.storage == Storage::State) else {
            continue;
        };
        let runs_on = match network.processes[owner.index()].lifetime {
            Lifetime::Startable(template) => !again.contains(&template),
            Lifetime::Permanent => false,
        };
        if matches!(variable.ty, Type::Channel)
            && runs_on
            && !set.contains(&id)
            && let Some(offset) = interpreter.offset(id)
            && let Some(channel) = held(network, &passed, owner, offset)
        {
            known.entry(owner).or_default().insert(id, channel);
        }
    }
    known
}

/// The channel that is held at an offset of all states in which a process runs, the last
/// of them included.
fn held(network: &Network, passed: &[State], owner: ProcessId, offset: usize) -> Option<ChannelId> {
    let last = passed.last().filter(|state| state.location(owner).is_some())?;
    let value = last.values[offset];
    let mut running = passed.iter().filter(|state| state.location(owner).is_some());
    let channel =
        ChannelId::of_value(value).filter(|_| running.all(|one| one.values[offset] == value))?;
    network.channels.get(channel.index()).filter(|one| one.owner.is_none()).map(|_| channel)
}

/// The states that every run begins with, those within atomic sequences among them.
fn beginning(interpreter: &Interpreter, leaving: &Leaving) -> Vec<State> {
    let mut passed = vec![interpreter.initial()];
    for _ in 0..STEPS {
        homing_budget::checkpoint();
        let state = &passed[passed.len() - 1];
        let mut steps = interpreter.steps(state);
        let (Some((step, Ok(_))), true) = (steps.pop(), steps.is_empty()) else { break };
        let states = interpreter.pass(state, &step).states;
        let moves = std::iter::once(&step.edges).chain(&step.then);
        let before = std::iter::once(state).chain(&states);
        let mut moves = moves.zip(before);
        if !moves.all(|(edges, state)| is_forced(interpreter, edges, state, leaving)) {
            break;
        }
        passed.extend(states);
    }
    passed
}

/// Whether a process that moves alone has no other edge to take.
fn is_forced(
    interpreter: &Interpreter,
    edges: &[EdgeRef],
    state: &State,
    leaving: &Leaving,
) -> bool {
    let [taken] = edges else { return false };
    let own = interpreter.network().edge(*taken);
    let otherwise = matches!(own.guard, Guard::Otherwise { .. });
    let closed = |edge: &Edge| match &edge.guard {
        Guard::When(when) => interpreter.eval(state, when) == Ok(0),
        // It is possible only where the one that was taken is not.
        Guard::Otherwise { .. } => !otherwise,
        _ => false,
    };
    let mut others = leaving[&(taken.process.index(), own.from)].iter();
    own.branches.len() == 1
        && own.action.is_none()
        && others.all(|edge| std::ptr::eq(*edge, own) || closed(edge))
}

/// The templates that may be started behind a state.
fn started_ahead(network: &Network, state: &State, leaving: &Leaving) -> HashSet<TemplateId> {
    let mut open: Vec<(usize, LocationId)> = Vec::new();
    for (at, location) in state.locations.iter().enumerate() {
        open.extend(location.map(|location| (at, location)));
    }
    let mut started = HashSet::new();
    let mut seen: HashSet<(usize, LocationId)> = open.iter().copied().collect();
    while let Some((at, location)) = open.pop() {
        homing_budget::checkpoint();
        let edges = leaving.get(&(at, location)).into_iter().flatten();
        for branch in edges.flat_map(|edge| &edge.branches) {
            let mut next = Vec::new();
            if let Target::Location(target) = branch.target {
                next.push((at, target));
            }
            for template in templates(&branch.effect) {
                if started.insert(template) {
                    let own = |one: &homing_ir::network::Process| {
                        one.lifetime == Lifetime::Startable(template)
                    };
                    let all = network.processes.iter().enumerate().filter(|(_, one)| own(one));
                    next.extend(all.map(|(at, one)| (at, one.initial)));
                }
            }
            open.extend(next.into_iter().filter(|place| seen.insert(*place)));
        }
    }
    started
}

fn templates(block: &[Statement]) -> Vec<TemplateId> {
    let mut found = Vec::new();
    each_statement(block, &mut |statement| {
        if let StatementKind::Start { template, .. } = &statement.kind {
            found.push(*template);
        }
    });
    found
}

fn each_statement<'s>(block: &'s [Statement], visit: &mut dyn FnMut(&'s Statement)) {
    for statement in block {
        visit(statement);
        match &statement.kind {
            StatementKind::If(_, yes, no) => {
                each_statement(yes, visit);
                each_statement(no, visit);
            }
            StatementKind::While(_, body) => each_statement(body, visit),
            _ => {}
        }
    }
}

/// The variables that some edge sets.
fn set_somewhere(network: &Network) -> HashSet<VariableId> {
    let mut set = HashSet::new();
    for edge in network.processes.iter().flat_map(|process| &process.edges) {
        if let Some(Action::Receive { message, .. }) = &edge.action {
            set.extend(message.iter().filter_map(Pattern::place).map(|place| place.variable));
        }
        for branch in &edge.branches {
            each_statement(&branch.effect, &mut |statement| match &statement.kind {
                StatementKind::Assign(place, _) => drop(set.insert(place.variable)),
                StatementKind::Start { started: Some(place), .. } => {
                    set.insert(place.variable);
                }
                _ => {}
            });
        }
    }
    set
}

/// Puts the channel in the place of an expression that reads a known variable.
fn replace(channel: &mut Expr, known: &Known) {
    if let ExprKind::Read(place) = &channel.kind
        && place.path.is_empty()
        && let Some(id) = known.get(&place.variable)
    {
        channel.kind = ExprKind::Channel(*id);
    }
}

/// The same wherever a condition asks what is in a channel.
fn replace_asked(expr: &mut Expr, known: &Known) {
    match &mut expr.kind {
        ExprKind::Length(channel) | ExprKind::Poll { channel, .. } => replace(channel, known),
        ExprKind::Unary(_, inner) => replace_asked(inner, known),
        ExprKind::Binary(_, left, right) => {
            replace_asked(left, known);
            replace_asked(right, known);
        }
        ExprKind::Choose(condition, yes, no) => {
            for inner in [condition, yes, no] {
                replace_asked(inner, known);
            }
        }
        _ => {}
    }
}
