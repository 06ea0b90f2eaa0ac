//! Which step fails is named alike by the compiled space, whatever its passes,
//! and by the interpreter: else the trace to it does not replay. Each test is a
//! fixed bug, first found on random networks by `oracle_compiled`.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing_core::{Batch, Space};
use homing_ir::builder::*;
use homing_ir::interp::{Interpreter, ReplayError, ReplayProblem};
use homing_ir::network::{
    ChannelKind, Composition, Expr, IntType, Network, Overflow, Pattern, Type, VariableId,
};
use homing_ir::passes::Passes;
use homing_ir::trace::{Step, Trace};
use homing_space::CompiledSpace;

const BYTE: Type = Type::Int(IntType { lo: 0, hi: 255, overflow: Overflow::Wrap });

/// Fails where the variable is zero.
fn failing(zero: VariableId) -> Expr {
    div(int(1), read(zero))
}

/// In the initial state nothing moves and just the edges `expected`, given as
/// process and edge, fail.
fn expect_fault(network: &Network, expected: &[(u32, u32)]) {
    let interpreter = Interpreter::new(network).unwrap();
    let initial = interpreter.initial();
    let steps = interpreter.steps(&initial);
    let names = |step: &Step| -> Vec<(u32, u32)> {
        step.edges.iter().map(|edge| (edge.process.0, edge.edge)).collect()
    };
    assert!(steps.len() == 1 && steps[0].1.is_err(), "{steps:?}");
    assert_eq!(names(&steps[0].0), expected, "by the interpreter");
    let constants = Passes { constants: true, ..Passes::NONE };
    for passes in [Passes::NONE, constants, Passes::COUNTING] {
        let space = CompiledSpace::new(network, &[], passes).unwrap();
        let mut batch = Batch::new(space.width());
        let mut expander = space.expander();
        expander.initial(&mut batch);
        let state = batch.state(0).to_vec();
        batch.clear();
        expander.expand(&state, &mut batch);
        let about = format!("with {:?}", passes.names());
        assert_eq!((batch.len(), batch.deadlock()), (0, false), "{about}");
        let fault = batch.faults().first().expect(&about);
        let step = space.step(&state, fault.edge);
        assert_eq!(names(&step), expected, "{about}");
        let replayed = interpreter.replay(&Trace::new(vec![step]));
        let fails = |error: ReplayError| matches!(error.problem, ReplayProblem::Fault(_));
        assert!(replayed.is_err_and(fails), "{about}");
    }
}

/// The index fails for one receiver; the step named the others too.
#[test]
fn a_failing_index_in_a_broadcast_names_its_receiver_only() {
    let mut b = Builder::default();
    let (zero, x) = (b.variable("zero", BYTE, &[0]), b.variable("x", BYTE, &[0]));
    let array = b.variable("array", Type::Array(Box::new(BYTE), 2), &[]);
    let c = channel(b.channel("c", ChannelKind::Broadcast, &[BYTE]));
    let processes = ["P", "Q", "R"].map(|name| b.process(name, &["a"]));
    b.add(processes[0], edge(0, 0).send(c.clone(), &[int(1)]));
    b.add(processes[1], edge(0, 0).receive(c.clone(), &[store(x)]));
    let place = Pattern::Store(place(array, &[failing(zero)]));
    b.add(processes[2], edge(0, 0).receive(c, &[place]));
    expect_fault(&b.network, &[(0, 0), (2, 0)]);
}

/// The receiver that names the failure of a sender cannot move itself; it was
/// dropped, and the next one named.
#[test]
fn a_failing_sender_names_a_receiver_that_never_moves() {
    let mut b = Builder::default();
    let zero = b.variable("zero", BYTE, &[0]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let processes = ["P", "Q", "R"].map(|name| b.process(name, &["a"]));
    b.add(processes[0], edge(0, 0).when(failing(zero)).send(c.clone(), &[]));
    b.add(processes[1], edge(0, 0).when(int(0)).receive(c.clone(), &[]));
    b.add(processes[2], edge(0, 0).receive(c, &[]));
    expect_fault(&b.network, &[(0, 0), (1, 0)]);
}

/// Nothing ever arrives, as the guard of the only sender is false or fails: the
/// receiver was dropped and the failure with it.
#[test]
fn a_sender_that_can_only_fail_fails() {
    let mut b = Builder::default();
    let (zero, x) = (b.variable("zero", BYTE, &[0]), b.variable("x", BYTE, &[0]));
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[BYTE]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    let guard = lt(failing(zero), int(-300));
    b.add(p, edge(0, 0).when(guard).send(c.clone(), &[int(1)]));
    b.add(q, edge(0, 0).receive(c, &[store(x)]));
    expect_fault(&b.network, &[(0, 0), (1, 0)]);
}

/// One participant's guard fails before the next one's is found to be false;
/// that one was dropped, and nothing failed.
#[test]
fn a_vector_fails_although_a_participant_never_moves() {
    let mut b = Builder::default();
    let zero = b.variable("zero", BYTE, &[0]);
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    let label = b.label("l");
    b.add(p, edge(0, 0).when(failing(zero)).label(label));
    b.add(q, edge(0, 0).when(int(0)).label(label));
    b.vector(&[(p, label), (q, label)]);
    expect_fault(&b.network, &[(0, 0)]);
}

/// The same in a synchronous network.
#[test]
fn a_synchronous_step_fails_although_a_process_never_moves() {
    let mut b = Builder::default();
    let zero = b.variable("zero", BYTE, &[0]);
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).when(failing(zero)));
    b.add(q, edge(0, 0).when(int(0)));
    b.network.composition = Composition::Synchronous;
    expect_fault(&b.network, &[(0, 0)]);
}
