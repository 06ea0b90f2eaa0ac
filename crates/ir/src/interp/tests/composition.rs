//! Who may move, and with whom.

use super::*;
use crate::builder::*;
use crate::network::{
    ChannelKind, Composition, Expr, ExprKind, Guard, Pattern, ProcessId, Role, StatementKind,
    TemplateId, Type, VariableId,
};

const FAIL: fn() -> Expr = || div(int(1), int(0));
const ZERO: RuntimeErrorKind = RuntimeErrorKind::DivisionByZero;
const DIGIT: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 9, overflow: crate::network::Overflow::Wrap });

/// The edges of the steps of the initial state.
fn steps(network: &Network) -> Vec<Vec<(u32, u32, u32)>> {
    outcomes(network).into_iter().map(|(edges, _)| edges).collect()
}

#[test]
fn edges_are_taken_at_their_location_when_their_guard_holds() {
    let mut b = Builder::default();
    let p = b.process("P", &["a", "b"]);
    b.add(p, edge(1, 0));
    b.add(p, edge(0, 1).when(int(0)));
    b.add(p, edge(0, 1).when(int(-2)));
    assert_eq!(steps(&b.network), [vec![(0, 2, 0)]]);
}

#[test]
fn a_failing_guard_is_a_fault_and_no_deadlock() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).when(FAIL()));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(ZERO))]);
    let found = Interpreter::new(&b.network).unwrap().explore(10);
    assert_eq!((found.states.len(), found.transitions, found.deadlocks.len()), (1, 0, 0));
    assert_eq!(found.faults.len(), 1);
}

#[test]
fn several_branches_are_a_choice() {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).set(x, int(1)).or(0).set(x, FAIL()).or(0).set(x, int(3)));
    let choice = [
        (vec![(0, 0, 0)], Ok(vec![1])),
        (vec![(0, 0, 1)], Err(ZERO)),
        (vec![(0, 0, 2)], Ok(vec![3])),
    ];
    assert_eq!(outcomes(&b.network), choice);
}

#[test]
fn branches_of_sender_and_receiver_combine_the_receivers_fastest() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[]).or(0));
    b.add(q, edge(0, 0).receive(c, &[]).or(0));
    let branches: Vec<_> = steps(&b.network).iter().map(|edges| (edges[0].2, edges[1].2)).collect();
    assert_eq!(branches, [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

#[test]
fn only_committed_processes_move_while_there_are_some() {
    let mut b = Builder::default();
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).when(FAIL()));
    b.add(q, edge(0, 0));
    b.commit(q, 0);
    assert_eq!(steps(&b.network), [vec![(1, 0, 0)]]);
}

#[test]
fn in_a_rendezvous_both_must_be_committed() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[]));
    b.add(q, edge(0, 0).receive(c, &[]));
    b.commit(p, 0);
    assert_eq!(outcomes(&b.network), []);
    b.commit(q, 0);
    assert_eq!(steps(&b.network).len(), 1);
}

#[test]
fn receivers_that_are_not_committed_miss_a_broadcast() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Broadcast, &[]));
    let processes = ["P", "Q", "R"].map(|name| b.process(name, &["a"]));
    let [p, q, r] = processes;
    b.add(p, edge(0, 0).send(c.clone(), &[]));
    b.add(q, edge(0, 0).receive(c.clone(), &[]));
    b.add(r, edge(0, 0).receive(c, &[]));
    b.commit(p, 0);
    b.commit(r, 0);
    assert_eq!(steps(&b.network), [vec![(0, 0, 0), (2, 0, 0)]]);
}

/// Three processes with one location, and two labels.
fn three() -> (Builder, [ProcessId; 3], [crate::network::LabelId; 2]) {
    let mut b = Builder::default();
    let processes = ["P", "Q", "R"].map(|name| b.process(name, &["a"]));
    let labels = ["l", "m"].map(|name| b.label(name));
    (b, processes, labels)
}

#[test]
fn a_vector_moves_all_its_participants_in_its_order() {
    let (mut b, [p, q, r], [l, m]) = three();
    let x = b.variable("x", DIGIT, &[1]);
    b.add(p, edge(0, 0).label(l).set(x, add(read(x), int(1))));
    b.add(q, edge(0, 0).label(l).set(x, add(read(x), read(x))));
    b.add(q, edge(0, 0).label(m).set(x, int(0)));
    b.add(r, edge(0, 0).label(m));
    b.vector(&[(q, l), (p, l)]);
    // x doubles before it grows.
    assert_eq!(outcomes(&b.network), [(vec![(1, 0, 0), (0, 0, 0)], Ok(vec![3]))]);
}

#[test]
fn a_vector_needs_every_participant() {
    let (mut b, [p, q, _], [l, m]) = three();
    b.add(p, edge(0, 0).when(FAIL()).label(l));
    b.add(q, edge(0, 0).label(m));
    b.vector(&[(p, l), (q, l)]);
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn the_first_failing_guard_makes_a_vector_one_fault() {
    let (mut b, [p, q, r], [l, _]) = three();
    b.add(p, edge(0, 0).label(l));
    b.add(q, edge(0, 0).label(l));
    b.add(q, edge(0, 0).when(FAIL()).label(l));
    b.add(r, edge(0, 0).when(FAIL()).label(l));
    b.vector(&[(p, l), (q, l), (r, l)]);
    assert_eq!(outcomes(&b.network), [(vec![(1, 1, 0)], Err(ZERO))]);
}

#[test]
fn a_blocked_participant_ends_the_evaluation_of_a_vector() {
    let (mut b, [p, q, _], [l, _]) = three();
    b.add(p, edge(0, 0).when(int(0)).label(l));
    b.add(q, edge(0, 0).when(FAIL()).label(l));
    b.vector(&[(p, l), (q, l)]);
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn choices_of_a_vector_combine_the_last_participant_fastest() {
    let (mut b, [p, q, _], [l, _]) = three();
    b.add(p, edge(0, 0).label(l));
    b.add(p, edge(0, 0).label(l));
    b.add(q, edge(0, 0).label(l).or(0));
    b.add(q, edge(0, 0).label(l));
    b.vector(&[(p, l), (q, l)]);
    let chosen: Vec<_> = steps(&b.network).iter().map(|e| (e[0].1, e[1].1, e[1].2)).collect();
    assert_eq!(chosen, [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0)]);
}

#[test]
fn in_a_vector_all_must_be_committed() {
    let (mut b, [p, q, _], [l, _]) = three();
    b.add(p, edge(0, 0).label(l));
    b.add(q, edge(0, 0).label(l));
    b.vector(&[(p, l), (q, l)]);
    b.commit(p, 0);
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn a_synchronous_network_moves_all_at_once_in_process_order() {
    let mut b = Builder::default();
    b.network.composition = Composition::Synchronous;
    let x = b.variable("x", DIGIT, &[1]);
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).set(x, add(read(x), int(1))));
    b.add(q, edge(0, 0).set(x, add(read(x), read(x))));
    b.add(q, edge(0, 0).when(eq(read(x), int(1))));
    let both =
        [(vec![(0, 0, 0), (1, 0, 0)], Ok(vec![4])), (vec![(0, 0, 0), (1, 1, 0)], Ok(vec![2]))];
    assert_eq!(outcomes(&b.network), both);
}

#[test]
fn one_blocked_process_blocks_a_synchronous_network() {
    let mut b = Builder::default();
    b.network.composition = Composition::Synchronous;
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0));
    b.add(q, edge(0, 0).when(int(0)));
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn else_in_a_synchronous_network_looks_at_its_own_process() {
    let mut b = Builder::default();
    b.network.composition = Composition::Synchronous;
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0));
    b.add(p, edge(0, 0).guard(Guard::Otherwise { before: 1, when: int(1) }));
    b.add(q, edge(0, 0).when(int(0)));
    b.add(q, edge(0, 0).guard(Guard::Otherwise { before: 1, when: int(1) }));
    assert_eq!(steps(&b.network), [vec![(0, 0, 0), (1, 1, 0)]]);
}

#[test]
fn edges_of_greater_priority_come_first_then_processes() {
    let mut b = Builder::default();
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.network.processes[p.index()].priority = 1;
    b.add(p, edge(0, 0));
    b.add(q, edge(0, 0));
    assert_eq!(steps(&b.network), [vec![(0, 0, 0)]]);
    b.add(q, edge(0, 0).priority(1));
    assert_eq!(steps(&b.network), [vec![(1, 1, 0)]]);
}

#[test]
fn the_greatest_priority_of_its_participants_is_that_of_a_step() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[]));
    b.add(q, edge(0, 0).receive(c, &[]).priority(2));
    b.add(q, edge(0, 0).priority(1));
    assert_eq!(steps(&b.network), [vec![(0, 0, 0), (1, 0, 0)]]);
}

/// A process that starts others, with two slots for them.
fn starter(arguments: &[Expr]) -> (Builder, VariableId) {
    let mut b = Builder::default();
    let last = b.variable("last", Type::Process, &[]);
    let p = b.process("P", &["a"]);
    let start = StatementKind::Start {
        template: TemplateId(0),
        arguments: arguments.to_vec(),
        started: Some(place(last, &[])),
    };
    b.add(p, edge(0, 0).run(statement(start)));
    for name in ["S1", "S2"] {
        let slot = b.slot(name, &["a", "b"], 0);
        let n = b.local(slot, "n", DIGIT, &[0]);
        let m = b.local(slot, "m", DIGIT, &[4]);
        b.network.processes[slot.index()].parameters = vec![n];
        b.add(slot, edge(0, 1).set(m, read(n)));
        b.add(slot, ending(1));
    }
    (b, last)
}

#[test]
fn a_start_takes_the_first_free_slot_with_its_arguments() {
    let (b, _) = starter(&[int(13)]);
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    assert_eq!(locations(&initial), [0, -1, -1]);
    let one = first(&interpreter, &initial);
    assert_eq!((locations(&one), one.values.clone()), (vec![0, 0, -1], vec![1, 3, 4, 0, 4]));
    let two = first(&interpreter, &one);
    assert_eq!((locations(&two), two.values.clone()), (vec![0, 0, 0], vec![2, 3, 4, 3, 4]));
    assert_eq!(outcomes_at(&interpreter, &two)[0].1, Err(RuntimeErrorKind::NoFreeSlot));
}

#[test]
fn arguments_are_evaluated_before_a_slot_is_looked_for() {
    let (mut b, _) = starter(&[FAIL()]);
    assert_eq!(outcomes(&b.network)[0].1, Err(ZERO));
    b.network.processes.truncate(2);
    b.network.variables.truncate(3);
    assert_eq!(outcomes(&b.network)[0].1, Err(ZERO));
}

#[test]
fn what_ends_frees_its_slot_and_forgets_its_variables() {
    let (b, _) = starter(&[int(7)]);
    let interpreter = Interpreter::new(&b.network).unwrap();
    let one = first(&interpreter, &interpreter.initial());
    let moved = interpreter.steps(&one)[1].1.clone().unwrap();
    assert_eq!(moved.values, [1, 7, 7, 0, 4]);
    let ended = interpreter.steps(&moved)[1].1.clone().unwrap();
    assert_eq!((locations(&ended), ended.values), (vec![0, -1, -1], vec![1, 0, 4, 0, 4]));
}

#[test]
fn running_and_at_tell_where_processes_are() {
    let (b, _) = starter(&[int(7)]);
    let interpreter = Interpreter::new(&b.network).unwrap();
    let one = first(&interpreter, &interpreter.initial());
    let running = |p| interpreter.eval(&one, &expr(ExprKind::Running(ProcessId(p)))).unwrap();
    assert_eq!([running(0), running(1), running(2)], [1, 1, 0]);
    let at = |p, l| interpreter.eval(&one, &at(ProcessId(p), l)).unwrap();
    assert_eq!([at(1, 0), at(1, 1), at(2, 0)], [1, 0, 0]);
}

#[test]
fn observers_are_not_part_of_the_state() {
    let mut b = Builder::default();
    let (p, o) = (b.process("P", &["a"]), b.process("O", &["a"]));
    let seen = b.local(o, "seen", DIGIT, &[0]);
    b.network.processes[o.index()].role = Role::Observer;
    b.add(p, edge(0, 0));
    b.add(o, edge(0, 0).set(seen, int(1)));
    b.commit(o, 0);
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert_eq!(interpreter.initial().values, []);
    assert_eq!(steps(&b.network), [vec![(0, 0, 0)]]);
}

#[test]
fn steps_come_process_by_process_then_vector_by_vector() {
    let (mut b, [p, q, r], [l, _]) = three();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    b.add(p, edge(0, 0).receive(c.clone(), &[]));
    b.add(p, edge(0, 0).label(l));
    b.add(q, edge(0, 0));
    b.add(r, edge(0, 0).send(c.clone(), &[]));
    b.add(r, edge(0, 0));
    b.add(q, edge(0, 0).receive(c, &[]));
    b.vector(&[(p, l)]);
    let expected = [
        vec![(1, 0, 0)],
        vec![(2, 0, 0), (0, 0, 0)],
        vec![(2, 0, 0), (1, 1, 0)],
        vec![(2, 1, 0)],
        vec![(0, 1, 0)],
    ];
    assert_eq!(steps(&b.network), expected);
}

#[test]
fn patterns_may_ignore() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[DIGIT]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[int(1)]));
    b.add(q, edge(0, 0).receive(c, &[Pattern::Ignore]));
    assert_eq!(steps(&b.network).len(), 1);
}
