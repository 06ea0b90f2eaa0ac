//! Runs as text in the manner of UPPAAL's `verifyta -t`.
//!
//! ```text
//! State:
//! ( P.A Q.I )
//! x=0 y=0 n=0
//!
//! Delay: 2
//!
//! State: …
//!
//! Transitions:
//!   P.A->P.B { x >= 2, go!, n = n + 1 }
//!   Q.I->Q.J { 1, go?, 1 }
//! ```
//! A state stands behind every delay and every transition. Values are those of the
//! run as the interpreter executes it, clocks as rational numbers (`3/2`). In braces
//! stand guard, synchronisation and assignments as they are written in the model; 1
//! and `tau` for what an edge does not have. Only for people: UPPAAL's own trace
//! files (`.xtr`) need its compiled model and are not written.

use std::io::{self, Write};

use homing_ir::interp::{Interpreter, State, ratio};
use homing_ir::network::{Action, EdgeRef, Expr, Guard, Network, Statement};
use homing_ir::trace::Step;
use homing_ir::{Span, Trace};

use crate::format::{Draw, Format};

/// A run as UPPAAL writes it.
pub const TEXT: Format<Draw> = Format {
    name: "uppaal",
    about: "states, delays and transitions, as UPPAAL writes them",
    write: |out, run, _| match Interpreter::new(run.network) {
        Ok(interpreter) => text(out, &interpreter, run.trace),
        // Every run that is shown was executed.
        Err(_) => Ok(()),
    },
};

/// Writes a run; as far as it can be executed.
pub fn text(out: &mut dyn Write, interpreter: &Interpreter, trace: &Trace) -> io::Result<()> {
    let Some(mut state) = interpreter.refined(&interpreter.initial(), trace.unit) else {
        return Ok(());
    };
    write_state(out, interpreter, &state)?;
    for step in &trace.steps {
        let Some(waited) = write_delay(out, interpreter, &state, step.delay)? else {
            return Ok(());
        };
        write_transitions(out, interpreter.network(), step)?;
        // The delay was taken already.
        let now = Step { delay: 0, ..step.clone() };
        let Ok(next) = interpreter.take(&waited, &now) else { return Ok(()) };
        state = next;
        write_state(out, interpreter, &state)?;
    }
    write_delay(out, interpreter, &state, trace.rest).map(|_| ())
}

fn write_state(out: &mut dyn Write, interpreter: &Interpreter, state: &State) -> io::Result<()> {
    let processes = interpreter.network().system_processes().count();
    let all = interpreter.describe(state);
    let (places, values) = all.split_at(processes.min(all.len()));
    let places: Vec<String> =
        places.iter().map(|(name, place)| format!("{name}.{place}")).collect();
    let values: Vec<String> =
        values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    writeln!(out, "State:\n( {} )\n{}\n", places.join(" "), values.join(" "))
}

/// The state some time later, and that it is; none where so much may not pass.
fn write_delay(
    out: &mut dyn Write,
    interpreter: &Interpreter,
    state: &State,
    delay: i64,
) -> io::Result<Option<State>> {
    if delay == 0 {
        return Ok(Some(state.clone()));
    }
    let Ok(later) = interpreter.delay(state, delay) else { return Ok(None) };
    writeln!(out, "Delay: {}\n", ratio(delay, state.unit))?;
    write_state(out, interpreter, &later)?;
    Ok(Some(later))
}

fn write_transitions(out: &mut dyn Write, network: &Network, step: &Step) -> io::Result<()> {
    writeln!(out, "Transitions:")?;
    for at in step.edges.iter().chain(step.then.iter().flatten()) {
        writeln!(out, "  {}", transition(network, *at))?;
    }
    writeln!(out)
}

fn transition(network: &Network, at: EdgeRef) -> String {
    let process = &network.processes[at.process.index()];
    let edge = network.edge(at);
    let place = |location: homing_ir::network::LocationId| {
        format!("{}.{}", process.name, process.locations[location.index()].name)
    };
    let branch = &edge.branches[at.branch as usize];
    let to = match branch.target {
        homing_ir::network::Target::Location(location) => place(location),
        _ => "end".to_owned(),
    };
    let written = |span: Span| network.sources.text(span).split_whitespace().collect::<Vec<_>>();
    let on_one_line = |span: Span| written(span).join(" ");
    let guard = match &edge.guard {
        Guard::When(guard) => on_one_line(guard.span),
        _ => "1".to_owned(),
    };
    let channel = |channel: &Expr, sign: char| format!("{}{sign}", on_one_line(channel.span));
    let sync = match &edge.action {
        Some(Action::Send { channel: on, .. }) => channel(on, '!'),
        Some(Action::Receive { channel: on, .. }) => channel(on, '?'),
        Some(Action::Label(_)) | None => "tau".to_owned(),
    };
    let mut updates: Vec<String> = Vec::new();
    for Statement { span, .. } in &branch.effect {
        let update = on_one_line(*span);
        // What is written once may have become several statements.
        if !update.is_empty() && updates.last() != Some(&update) {
            updates.push(update);
        }
    }
    let updates = if updates.is_empty() { "1".to_owned() } else { updates.join(", ") };
    format!("{}->{to} {{ {guard}, {sync}, {updates} }}", place(edge.from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::builder::*;

    #[test]
    fn states_delays_and_transitions() {
        let mut b = Builder::default();
        let x = b.clock("x");
        let process = b.process("P", &["A", "B"]);
        b.add(process, edge(0, 1).when(ge(read(x), int(1))).set(x, int(0)));
        let interpreter = Interpreter::new(&b.network).unwrap();
        let at = EdgeRef { process, edge: 0, branch: 0 };
        let mut trace = Trace::new(vec![Step { delay: 3, ..Step::new(vec![at]) }]);
        (trace.unit, trace.rest) = (2, 1);
        let mut out = Vec::new();
        text(&mut out, &interpreter, &trace).unwrap();
        let written = String::from_utf8(out).unwrap();
        let expected = "\
State:
( P.A )
x=0

Delay: 3/2

State:
( P.A )
x=3/2

Transitions:
  P.A->P.B { , tau, 1 }

State:
( P.B )
x=0

Delay: 1/2

State:
( P.B )
x=1/2

";
        // What a builder makes is written nowhere.
        assert_eq!(written, expected);
    }
}
