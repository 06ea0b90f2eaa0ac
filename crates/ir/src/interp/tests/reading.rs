//! What people and engines read: changes, descriptions, traces, explorations.

use std::sync::Arc;

use super::*;
use crate::Relation;
use crate::builder::*;
use crate::interp::{Change, Passage, Passed, ReplayProblem, Way};
use crate::network::{
    Access, Atomic, ChannelId, ChannelKind, EnumId, Enumeration, Expr, ExprKind, Overflow, Pattern,
    Place, ProcessId, ReceiveOrder, Record, RecordId, StatementKind, Type, VariableId,
};
use crate::trace::{Step, Trace};

/// A network with a value of every type.
fn rich() -> Builder {
    let mut b = Builder::default();
    let values = ["red", "green"].map(str::to_owned).to_vec();
    b.network.enumerations.push(Enumeration {
        name: "Colour".into(),
        values,
        overflow: Overflow::Error,
    });
    let colour = Type::Enum(EnumId(0));
    let fields = vec![("hue".into(), colour.clone()), ("on".into(), Type::Bool)];
    b.network.records.push(Record { name: "Lamp".into(), fields });
    b.variable("lamp", Type::Array(Box::new(Type::Record(RecordId(0))), 2), &[]);
    b.variable("to", Type::Channel, &[]);
    b.variable("who", Type::Process, &[]);
    b.channel("c", ChannelKind::Buffered(3), std::slice::from_ref(&colour));
    b.channel("d", ChannelKind::Buffered(3), &[colour, Type::wrapping(0, 9)]);
    b.channel("e", ChannelKind::Rendezvous, &[]);
    let p = b.process("P", &["idle", "busy"]);
    b.slot("S", &["there"], 0);
    b.local(p, "n", Type::wrapping(-5, 5), &[0]);
    b
}

#[test]
fn changes_name_every_part_that_differs() {
    let b = rich();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let before = interpreter.initial();
    let mut after = before.clone();
    after.values = vec![0, 0, 1, 1, 2, 0, -3];
    after.locations =
        vec![Some(crate::network::LocationId(1)), Some(crate::network::LocationId(0))];
    after.buffers[0] = vec![vec![1], vec![0]];
    after.buffers[1] = vec![vec![0, 7]];
    let change = |name: &str, from: &str, to: &str| Change {
        name: name.into(),
        from: from.into(),
        to: to.into(),
    };
    let expected = [
        change("P", "idle", "busy"),
        change("S", "absent", "there"),
        change("lamp[1].hue", "red", "green"),
        change("lamp[1].on", "false", "true"),
        change("to", "none", "d"),
        change("who", "none", "P"),
        change("P.n", "0", "-3"),
        change("c", "[]", "[green, red]"),
        change("d", "[]", "[(red, 7)]"),
    ];
    assert_eq!(interpreter.changes(&before, &after), expected);
    assert_eq!(interpreter.changes(&after, &after), []);
}

#[test]
fn a_description_has_every_part_once() {
    let b = rich();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let all = interpreter.describe(&interpreter.initial());
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let lamps = ["lamp[0].hue", "lamp[0].on", "lamp[1].hue", "lamp[1].on"];
    let expected: Vec<&str> = [&["P", "S"][..], &lamps, &["to", "who", "P.n", "c", "d"]].concat();
    assert_eq!(names, expected);
}

/// Two processes that count to 2 each, on their own.
fn grid() -> Builder {
    let mut b = Builder::default();
    for name in ["P", "Q"] {
        let p = b.process(name, &["a"]);
        let x = b.local(p, "x", Type::checked(0, 2), &[0]);
        b.add(p, edge(0, 0).when(lt(read(x), int(2))).set(x, add(read(x), int(1))));
    }
    b
}

#[test]
fn exploration_counts_states_steps_levels_and_deadlocks() {
    let b = grid();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let found = interpreter.explore(100);
    assert_eq!((found.states.len(), found.transitions, found.levels()), (9, 12, 4));
    assert_eq!(found.deadlocks.len(), 1);
    assert!(found.complete && found.faults.is_empty());
    assert_eq!(found.distance(|state| state.values == [1, 2]), Some(3));
    assert_eq!(found.distance(|state| state.values == [3, 0]), None);
}

#[test]
fn exploration_says_when_it_stopped_early() {
    let b = grid();
    let found = Interpreter::new(&b.network).unwrap().explore(4);
    assert!(!found.complete && found.states.len() > 4);
}

#[test]
fn traces_replay_and_wrong_ones_do_not() {
    let b = grid();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let found = interpreter.explore(100);
    let last = found.deadlocks[0];
    let mut trace = found.trace(last);
    let states = interpreter.replay(&trace).unwrap();
    assert_eq!((states.len(), &states[4]), (5, &found.states[last]));
    trace.steps.push(trace.steps[0].clone());
    let error = interpreter.replay(&trace).unwrap_err();
    assert_eq!((error.step, &error.problem), (4, &ReplayProblem::NotEnabled));
    assert_eq!(error.to_string(), "step 5 is not enabled");
}

#[test]
fn a_trace_into_a_fault_says_which() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).when(div(int(1), int(0))));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let step = interpreter.steps(&interpreter.initial())[0].0.clone();
    let error = interpreter.replay(&Trace::new(vec![step])).unwrap_err();
    assert_eq!(error.to_string(), "step 1 is a run-time error: division by zero");
}

#[test]
fn what_it_does_not_execute_is_refused() {
    let mut b = Builder::default();
    b.process("P", &["a"]);
    b.network.relation = Some(Arc::new(Relation::default()));
    let problems = Interpreter::new(&b.network).unwrap_err();
    assert_eq!(
        problems[0].message,
        "models of hardware, which have no processes, are not supported here"
    );
}

#[test]
fn messages_and_prints_are_told() {
    let mut b = rich();
    let (c, e) = (channel(ChannelId(0)), channel(ChannelId(2)));
    let hue = expr(ExprKind::Read(Place {
        variable: VariableId(0),
        path: vec![Access::Index(int(1)), Access::Field(0)],
        span: crate::source::Span::default(),
    }));
    let p = ProcessId(0);
    let print = |format: &str, values: &[Expr]| {
        statement(StatementKind::Print(format.into(), values.to_vec()))
    };
    let one = print("%d %u %x %o %c|%%|%e %e%q", &[int(-1), int(-1), int(255), int(8), int(65)]);
    b.add(p, edge(0, 1).holding(Atomic::Atomic).send(c.clone(), &[int(1)]).run(one));
    let two = print("%3d\\t%e %e %e\\n\\\\%s", &[length(ChannelId(0)), hue, int(1), int(9)]);
    let get = edge(1, 0).holding(Atomic::Atomic);
    b.add(p, get.receive_as(c, &[Pattern::Ignore], ReceiveOrder::First, true).run(two));
    let q = b.process("Q", &["idle"]);
    b.add(q, edge(0, 0).receive(e.clone(), &[]));
    b.add(p, edge(0, 1).when(eq(length(ChannelId(0)), int(1))).send(e, &[]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    let numbers = [(0, 0), (0, 1), (0, 2)].map(|(process, edge)| crate::network::EdgeRef {
        process: ProcessId(process),
        edge,
        branch: 0,
    });
    let receiver = crate::network::EdgeRef { process: q, edge: 0, branch: 0 };
    let step = Step {
        delay: 0,
        edges: vec![numbers[0]],
        then: vec![vec![numbers[1]], vec![numbers[2], receiver]],
    };
    let Passage { states, told, problem } = interpreter.pass(&initial, &step);
    assert_eq!((states.len(), problem), (3, None));
    let printed: Vec<&str> = told.iter().map(|one| one.printed.as_str()).collect();
    assert_eq!(printed, ["-1 4294967295 ff 10 A|%|? ??", "1\tred green 9\n\\?", ""]);
    let passed = |channel, message: &[i64], way| {
        Some(Passed { channel: ChannelId(channel), message: message.to_vec(), way })
    };
    assert_eq!(told[0].passed, passed(0, &[1], Way::Inserted(0)));
    assert_eq!(told[1].passed, passed(0, &[1], Way::Kept(0)));
    assert_eq!(told[2].passed, passed(2, &[], Way::Direct));
    assert_eq!(interpreter.describe_message(ChannelId(0), &[1]), ["green"]);
}
