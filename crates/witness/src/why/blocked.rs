//! What every process of a deadlock waits for.

use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{
    Action, ChannelId, ChannelKind, Composition, Edge, Expr, ExprKind, Guard, ProcessId, Target,
    Urgency,
};

use crate::outcome::{BlockedOutcome, Location, text_of};

/// For every running process of a state without any step, where it is and why
/// it cannot leave.
pub(super) fn blocked(interpreter: &Interpreter, state: &State) -> Vec<BlockedOutcome> {
    let network = interpreter.network();
    let mut all = Vec::new();
    for (id, process) in network.system_processes() {
        let Some(location) = state.location(id) else { continue };
        let mut waits: Vec<String> = interpreter
            .edges_at(state, id)
            .map(|edge| wait(interpreter, state, id, edge))
            .collect();
        waits.dedup();
        let location = &process.locations[location.index()];
        if waits.is_empty() {
            let rests = "it may rest here for ever";
            waits.push(if location.end { rests } else { "it has no way on" }.into());
        }
        all.push(BlockedOutcome {
            process: process.name.clone(),
            location: location.name.clone(),
            waits,
            place: Location::new(&network.sources, location.span),
        });
    }
    all
}

/// Why an edge cannot be taken.
fn wait(interpreter: &Interpreter, state: &State, process: ProcessId, edge: &Edge) -> String {
    let network = interpreter.network();
    let guard = match &edge.guard {
        Guard::Always => None,
        Guard::When(when) | Guard::Timeout(when) | Guard::Otherwise { when, .. } => Some(when),
    };
    if let Some(guard) = guard
        && interpreter.eval(state, guard) == Ok(0)
    {
        let ends = edge.branches.iter().all(|branch| branch.target == Target::End);
        let text = text_of(&network.sources, guard.span);
        if ends && text == "}" {
            // The end of a process is no condition that anybody wrote.
            return "it ends when all that started later have ended".into();
        }
        return format!("`{text}` is false");
    }
    let committed = |id: ProcessId| {
        state.location(id).is_some_and(|location| {
            let locations = &network.processes[id.index()].locations;
            locations[location.index()].urgency == Urgency::Committed
        })
    };
    let others = network.system_processes().map(|(id, _)| id);
    if !committed(process)
        && let Some(first) = others.into_iter().find(|id| committed(*id))
    {
        let name = &network.processes[first.index()].name;
        return format!("{name} is at a committed location and must move first");
    }
    match &edge.action {
        Some(Action::Send { channel, .. }) => match kind(interpreter, state, channel) {
            Some((name, ChannelKind::Buffered(_))) => format!("`{name}` is full"),
            Some((name, _)) => format!("nobody receives on `{name}`"),
            None => "it sends on no channel".into(),
        },
        Some(Action::Receive { channel, .. }) => match kind(interpreter, state, channel) {
            Some((name, ChannelKind::Buffered(_))) => format!("no such message in `{name}`"),
            Some((name, _)) => format!("nobody sends what it takes on `{name}`"),
            None => "it receives from no channel".into(),
        },
        Some(Action::Label(label)) => {
            format!("not all who take part in `{}` can", network.labels[label.index()])
        }
        None if network.composition == Composition::Synchronous => "others cannot move".into(),
        None => "it cannot move".into(),
    }
}

/// The channel an expression denotes: its name, and how messages pass.
fn kind<'i>(
    interpreter: &'i Interpreter,
    state: &State,
    channel: &Expr,
) -> Option<(&'i str, ChannelKind)> {
    let id = match channel.kind {
        ExprKind::Channel(id) => id,
        _ => ChannelId::of_value(interpreter.eval(state, channel).ok()?)?,
    };
    let found = interpreter.network().channels.get(id.index())?;
    Some((&found.name, found.kind))
}
