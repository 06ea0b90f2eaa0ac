//! Guards that look at other edges: `else`, `unless`, `timeout`.

use super::*;
use crate::builder::*;
use crate::network::{ChannelKind, Composition, Expr, ProcessId, ReceiveOrder, Type};

const FAIL: fn() -> Expr = || div(int(1), int(0));
const ZERO: RuntimeErrorKind = RuntimeErrorKind::DivisionByZero;
const DIGIT: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 9, overflow: crate::network::Overflow::Wrap });

/// The edges of the moves of process 0, edge by edge.
fn taken(network: &Network) -> Vec<u32> {
    let own = outcomes(network).into_iter().filter(|(edges, _)| edges[0].0 == 0);
    own.map(|(edges, _)| edges[0].1).collect()
}

/// A process with one location and the edges given, the last one an `else`.
fn with_else(b: &mut Builder, edges: Vec<EdgeBuilder>) -> ProcessId {
    let p = b.process("P", &["a"]);
    let before = edges.len() as u32;
    edges.into_iter().for_each(|edge| b.add(p, edge));
    b.add(p, edge(0, 0).otherwise(before, int(1)));
    p
}

#[test]
fn else_holds_where_no_edge_before_it_can_be_taken() {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    with_else(&mut b, vec![edge(0, 0).when(eq(read(x), int(1)))]);
    assert_eq!(taken(&b.network), [1]);
    b.network.variables[0].initial = vec![1];
    assert_eq!(taken(&b.network), [0]);
}

#[test]
fn only_the_first_edges_of_the_location_count() {
    let mut b = Builder::default();
    let p = b.process("P", &["a", "b"]);
    b.add(p, edge(1, 0));
    b.add(p, edge(0, 0).when(int(0)));
    b.add(p, edge(0, 0));
    b.add(p, edge(0, 0).otherwise(1, int(1)));
    b.add(p, edge(0, 0).otherwise(2, int(1)));
    b.add(p, edge(0, 0).otherwise(0, int(1)));
    assert_eq!(taken(&b.network), [2, 3, 5]);
}

#[test]
fn an_otherwise_guard_has_a_condition_of_its_own() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).otherwise(0, int(0)));
    b.add(p, edge(0, 0).otherwise(1, int(2)));
    // Both looked at: the second can be taken, so the third cannot.
    b.add(p, edge(0, 0).otherwise(2, int(1)));
    assert_eq!(taken(&b.network), [1]);
}

#[test]
fn where_its_condition_is_false_nothing_else_is_looked_at() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).when(FAIL()));
    b.add(p, edge(0, 0).otherwise(1, int(0)));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(ZERO))]);
}

#[test]
fn a_failure_before_an_edge_that_can_be_taken_is_a_failure_of_else() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).when(FAIL()));
    b.add(p, edge(0, 0));
    b.add(p, edge(0, 0).otherwise(2, int(1)));
    let outcomes = outcomes(&b.network);
    assert_eq!(outcomes.len(), 3);
    assert_eq!(outcomes[2], (vec![(0, 2, 0)], Err(ZERO)));
    b.network.processes[0].edges.swap(0, 1);
    assert_eq!(taken(&b.network), [0, 1]);
}

#[test]
fn buffers_count_for_else() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Buffered(1), &[DIGIT]));
    let p = with_else(
        &mut b,
        vec![
            edge(0, 0).send(c.clone(), &[int(5)]),
            edge(0, 0).receive(c.clone(), &[matching(int(4))]),
        ],
    );
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    assert_eq!(taken(&b.network), [0]);
    let full = first(&interpreter, &initial);
    assert_eq!(outcomes_at(&interpreter, &full)[0].0, [(0, 2, 0)]);
    let mut waiting = full;
    waiting.buffers[0] = vec![vec![4]];
    assert_eq!(outcomes_at(&interpreter, &waiting)[0].0, [(0, 1, 0)]);
    // What is sent is not looked at to decide about else.
    b.network.processes[p.index()].edges[0] = edge(0, 0).send(c, &[FAIL()]).into_edge();
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(ZERO))]);
}

#[test]
fn rendezvous_broadcasts_and_labels_do_not_count_for_else() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let d = channel(b.channel("d", ChannelKind::Broadcast, &[]));
    let l = b.label("l");
    let p = with_else(
        &mut b,
        vec![
            edge(0, 0).send(c.clone(), &[]),
            edge(0, 0).send(d, &[]),
            edge(0, 0).label(l),
            edge(0, 0).timeout(int(1)),
        ],
    );
    let q = b.process("Q", &["a"]);
    b.add(q, edge(0, 0).receive(c, &[]));
    b.vector(&[(p, l)]);
    assert_eq!(taken(&b.network), [0, 1, 4, 2]);
}

#[test]
fn else_in_a_synchronous_network() {
    let mut b = Builder::default();
    b.network.composition = Composition::Synchronous;
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).when(int(0)));
    b.add(p, edge(0, 0).otherwise(1, int(1)));
    b.add(p, edge(0, 0).otherwise(2, int(1)));
    assert_eq!(taken(&b.network), [1]);
}

#[test]
fn timeout_holds_where_nothing_else_can_happen_and_its_condition_does() {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).timeout(int(0)));
    b.add(p, edge(0, 0).timeout(int(1)));
    b.add(p, edge(0, 0).timeout(FAIL()));
    b.add(q, edge(0, 0).otherwise(0, int(1)));
    assert_eq!(taken(&b.network), [] as [u32; 0]);
    b.network.processes[q.index()].edges[0] = edge(0, 0).when(read(x)).into_edge();
    assert_eq!(taken(&b.network), [1, 2]);
    // A fault counts as a step.
    b.network.processes[q.index()].edges[0] = edge(0, 0).when(FAIL()).into_edge();
    assert_eq!(taken(&b.network), [] as [u32; 0]);
}

#[test]
fn sender_and_receiver_may_both_wait_for_a_timeout() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).timeout(int(1)).send(c.clone(), &[]));
    b.add(q, edge(0, 0).timeout(int(1)).receive(c, &[]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 0, 0)], Ok(vec![]))]);
}

#[test]
fn polls_look_at_the_first_message_or_at_all() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Buffered(2), &[DIGIT, DIGIT]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let mut state = interpreter.initial();
    let polled = |state: &State, message: &[Option<Expr>], order| {
        interpreter.eval(state, &poll(c.clone(), message, order)).map_err(|error| error.kind)
    };
    let wanted = [Some(int(2)), None];
    assert_eq!(polled(&state, &[None, None], ReceiveOrder::First), Ok(0));
    state.buffers[0] = vec![vec![1, 3], vec![2, 4]];
    assert_eq!(polled(&state, &[None, None], ReceiveOrder::First), Ok(1));
    assert_eq!(polled(&state, &wanted, ReceiveOrder::First), Ok(0));
    assert_eq!(polled(&state, &wanted, ReceiveOrder::Any), Ok(1));
    let failing = [Some(int(1)), Some(FAIL())];
    assert_eq!(polled(&state, &failing, ReceiveOrder::First), Err(ZERO));
    assert_eq!(polled(&state, &[Some(int(5)), Some(FAIL())], ReceiveOrder::Any), Ok(0));
}
