//! Channels.

use super::*;
use crate::builder::*;
use crate::network::{ChannelKind, EffectOrder, Pattern, ReceiveOrder, Type, Unary};

const BYTE: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 255, overflow: crate::network::Overflow::Wrap });

/// A sender P and a receiver Q, each with one location, on a channel `c` of
/// bytes, and variables x and y.
struct Pair {
    b: Builder,
    c: crate::network::Expr,
    x: crate::network::VariableId,
    y: crate::network::VariableId,
    p: crate::network::ProcessId,
    q: crate::network::ProcessId,
}

fn pair(kind: ChannelKind) -> Pair {
    let mut b = Builder::default();
    let (x, y) = (b.variable("x", BYTE, &[0]), b.variable("y", BYTE, &[0]));
    let c = channel(b.channel("c", kind, &[BYTE]));
    let (p, q) = (b.process("P", &["a", "b"]), b.process("Q", &["a", "b"]));
    Pair { b, c, x, y, p, q }
}

const FAIL: fn() -> crate::network::Expr = || div(int(1), int(0));
const ZERO: RuntimeErrorKind = RuntimeErrorKind::DivisionByZero;

#[test]
fn a_rendezvous_moves_both_and_passes_the_value() {
    let Pair { mut b, c, x, p, q, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 1).send(c.clone(), &[int(258)]));
    b.add(q, edge(0, 1).receive(c, &[store(x)]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 0, 0)], Ok(vec![2, 0]))]);
    assert_eq!(locations(&first(&interpreter, &interpreter.initial())), [1, 1]);
}

#[test]
fn a_process_does_not_meet_itself() {
    let Pair { mut b, c, p, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 1).send(c.clone(), &[int(1)]));
    b.add(p, edge(0, 1).receive(c, &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn receivers_run_before_the_sender_or_after() {
    let Pair { mut b, c, x, y, p, q } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 0).send(c.clone(), &[int(7)]).set(y, add(read(x), int(1))));
    b.add(
        q,
        edge(0, 0)
            .receive(c, &[store(x)])
            .set(x, add(read(x), int(10)))
            .set(x, add(read(x), read(y))),
    );
    // Receiver first: x = 7, 17, 17; y = 18. Sender first: y = 8; x = 17, 25.
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![17, 18]));
    b.network.effect_order = EffectOrder::SenderFirst;
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![25, 8]));
}

#[test]
fn a_participant_moves_after_its_own_effects() {
    let Pair { mut b, c, x, y, p, q } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 1).send(c.clone(), &[int(0)]).set(x, at(q, 1)));
    b.add(q, edge(0, 1).receive(c, &[Pattern::Ignore]).set(y, add(at(q, 0), at(p, 0))));
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![1, 2]));
}

#[test]
fn messages_and_indices_are_evaluated_in_the_source_state() {
    let mut b = Builder::default();
    let a = b.variable("a", Type::Array(Box::new(BYTE), 2), &[]);
    let i = b.variable("i", BYTE, &[0]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[BYTE, BYTE]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[int(1), add(read(i), int(5))]));
    let slot = Pattern::Store(place(a, &[read(i)]));
    b.add(q, edge(0, 0).receive(c, &[store(i), slot]));
    // Although i becomes 1 first, the second part goes to a[0].
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![5, 0, 1]));
}

#[test]
fn a_match_compares_with_the_fitted_value() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 0).send(c.clone(), &[int(258)]));
    b.add(q, edge(0, 0).receive(c.clone(), &[matching(int(2))]));
    b.add(q, edge(0, 0).receive(c, &[matching(int(258))]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 0, 0)], Ok(vec![0, 0]))]);
}

#[test]
fn a_senders_guard_fails_once_and_only_before_receivers() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 0).when(FAIL()).send(c.clone(), &[int(1)]));
    b.add(q, edge(1, 0).receive(c.clone(), &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), []);
    b.add(q, edge(0, 0).receive(c.clone(), &[Pattern::Ignore]));
    b.add(q, edge(0, 1).receive(c, &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 1, 0)], Err(ZERO))]);
}

#[test]
fn a_false_sender_keeps_receivers_from_being_evaluated() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 0).when(int(0)).send(c.clone(), &[FAIL()]));
    b.add(q, edge(0, 0).when(FAIL()).receive(c, &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), []);
}

#[test]
fn a_false_receiver_keeps_the_message_from_being_evaluated() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Rendezvous);
    b.add(p, edge(0, 0).send(c.clone(), &[FAIL()]));
    b.add(q, edge(0, 0).when(int(0)).receive(c.clone(), &[Pattern::Ignore]));
    b.add(q, edge(0, 0).when(int(1)).receive(c, &[matching(FAIL())]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 1, 0)], Err(ZERO))]);
}

#[test]
fn a_message_outside_a_checked_type_is_a_fault() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[Type::checked(0, 3)]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[int(4)]));
    b.add(q, edge(0, 0).receive(c, &[Pattern::Ignore]));
    let outside = RuntimeErrorKind::OutOfRange { value: 4, lo: 0, hi: 3 };
    assert_eq!(outcomes(&b.network)[0].1, Err(outside));
}

#[test]
fn indices_of_places_are_not_evaluated_where_a_match_fails() {
    let mut b = Builder::default();
    let a = b.variable("a", Type::Array(Box::new(BYTE), 1), &[]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[BYTE, BYTE]));
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(c.clone(), &[int(1), int(1)]));
    let bad = || Pattern::Store(place(a, &[int(3)]));
    b.add(q, edge(0, 0).receive(c.clone(), &[bad(), matching(int(2))]));
    b.add(q, edge(0, 0).receive(c, &[bad(), matching(int(1))]));
    let outside = RuntimeErrorKind::IndexOutOfBounds { index: 3, length: 1 };
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 1, 0)], Err(outside))]);
}

#[test]
fn a_buffer_is_first_in_first_out_and_bounded() {
    let Pair { mut b, c, x, y, p, q } = pair(ChannelKind::Buffered(2));
    b.add(p, edge(0, 0).send(c.clone(), &[add(read(x), int(1))]).set(x, add(read(x), int(1))));
    b.add(q, edge(0, 0).receive(c.clone(), &[store(y)]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let one = first(&interpreter, &interpreter.initial());
    let two = first(&interpreter, &one);
    assert_eq!(two.buffers[0], [vec![1], vec![2]]);
    // The buffer is full: only the receiver moves, and gets the oldest.
    assert_eq!(outcomes_at(&interpreter, &two), [(vec![(1, 0, 0)], Ok(vec![2, 1]))]);
    assert_eq!(first(&interpreter, &two).buffers[0], [vec![2]]);
}

#[test]
fn a_full_buffer_keeps_the_message_from_being_evaluated() {
    let Pair { mut b, c, p, .. } = pair(ChannelKind::Buffered(1));
    b.add(p, edge(0, 1).send(c.clone(), &[int(1)]));
    b.add(p, edge(1, 1).send(c, &[FAIL()]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let full = first(&interpreter, &interpreter.initial());
    assert_eq!(outcomes_at(&interpreter, &full), []);
}

#[test]
fn a_failing_message_to_a_buffer_is_a_fault_of_the_sender() {
    let Pair { mut b, c, p, .. } = pair(ChannelKind::Buffered(1));
    b.add(p, edge(0, 1).send(c, &[FAIL()]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(ZERO))]);
}

#[test]
fn a_process_may_receive_what_it_sent_to_a_buffer() {
    let Pair { mut b, c, x, p, .. } = pair(ChannelKind::Buffered(1));
    b.add(p, edge(0, 1).send(c.clone(), &[int(9)]));
    b.add(p, edge(1, 0).receive(c, &[store(x)]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let sent = first(&interpreter, &interpreter.initial());
    assert_eq!(first(&interpreter, &sent).values, [9, 0]);
}

/// A state with the messages 1, 2, 3 waiting in channel 0.
fn three(interpreter: &Interpreter) -> State {
    let buffers = vec![vec![vec![1], vec![2], vec![3]]];
    State { buffers, ..interpreter.initial() }
}

#[test]
fn first_looks_at_the_first_message_only_and_any_at_all() {
    let Pair { mut b, c, p, .. } = pair(ChannelKind::Buffered(3));
    let two = [matching(int(2))];
    b.add(p, edge(0, 0).receive(c.clone(), &two));
    b.add(p, edge(0, 1).receive_as(c, &two, ReceiveOrder::Any, false));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let state = three(&interpreter);
    assert_eq!(outcomes_at(&interpreter, &state), [(vec![(0, 1, 0)], Ok(vec![0, 0]))]);
    assert_eq!(first(&interpreter, &state).buffers[0], [vec![1], vec![3]]);
}

#[test]
fn any_takes_the_first_that_matches() {
    let Pair { mut b, c, x, p, .. } = pair(ChannelKind::Buffered(3));
    b.add(p, edge(0, 1).receive_as(c, &[store(x)], ReceiveOrder::Any, false));
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert_eq!(first(&interpreter, &three(&interpreter)).values, [1, 0]);
}

#[test]
fn keep_leaves_the_message() {
    let Pair { mut b, c, x, p, .. } = pair(ChannelKind::Buffered(3));
    b.add(p, edge(0, 1).receive_as(c, &[store(x)], ReceiveOrder::First, true));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let state = three(&interpreter);
    let after = first(&interpreter, &state);
    assert_eq!((after.values.clone(), after.buffers), (vec![1, 0], state.buffers));
}

#[test]
fn sorted_sends_go_before_the_first_greater_message() {
    let Pair { mut b, c, p, .. } = pair(ChannelKind::Buffered(4));
    b.add(p, edge(0, 0).send_sorted(c, &[int(2)]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let after = first(&interpreter, &three(&interpreter));
    assert_eq!(after.buffers[0], [vec![1], vec![2], vec![2], vec![3]]);
}

#[test]
fn length_counts_waiting_messages_before_the_effects() {
    let Pair { mut b, c, x, p, .. } = pair(ChannelKind::Buffered(4));
    let id = crate::network::ChannelId(0);
    b.add(p, edge(0, 0).when(eq(length(id), int(3))).send(c, &[length(id)]).set(x, length(id)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let after = first(&interpreter, &three(&interpreter));
    assert_eq!((after.buffers[0][3].clone(), after.values), (vec![3], vec![4, 0]));
}

#[test]
fn a_broadcast_moves_every_process_that_can_receive() {
    let Pair { mut b, c, x, y, p, q } = pair(ChannelKind::Broadcast);
    let r = b.process("R", &["a"]);
    let deaf = b.process("S", &["a"]);
    b.add(p, edge(0, 1).send(c.clone(), &[int(5)]).set(x, add(read(x), int(1))));
    b.add(q, edge(0, 1).receive(c.clone(), &[store(x)]));
    b.add(r, edge(0, 0).receive(c.clone(), &[store(y)]));
    b.add(r, edge(0, 0).receive(c.clone(), &[Pattern::Ignore]));
    b.add(deaf, edge(0, 0).when(int(0)).receive(c, &[matching(FAIL())]));
    let both = [
        (vec![(0, 0, 0), (1, 0, 0), (2, 0, 0)], Ok(vec![6, 5])),
        (vec![(0, 0, 0), (1, 0, 0), (2, 1, 0)], Ok(vec![6, 0])),
    ];
    assert_eq!(outcomes(&b.network), both);
}

#[test]
fn a_broadcast_needs_no_receiver() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Broadcast);
    b.add(p, edge(0, 1).send(c.clone(), &[int(5)]));
    b.add(q, edge(0, 1).receive(c, &[matching(int(4))]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Ok(vec![0, 0]))]);
}

#[test]
fn a_failing_receiver_makes_the_broadcast_one_fault() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Broadcast);
    b.add(p, edge(0, 1).send(c.clone(), &[int(5)]));
    b.add(q, edge(0, 1).receive(c.clone(), &[Pattern::Ignore]));
    b.add(q, edge(0, 1).when(FAIL()).receive(c.clone(), &[Pattern::Ignore]));
    b.add(q, edge(0, 1).when(FAIL()).receive(c, &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0), (1, 1, 0)], Err(ZERO))]);
}

#[test]
fn a_failing_message_makes_the_broadcast_a_fault_of_the_sender() {
    let Pair { mut b, c, p, q, .. } = pair(ChannelKind::Broadcast);
    b.add(p, edge(0, 1).send(c.clone(), &[FAIL()]));
    b.add(q, edge(0, 1).when(FAIL()).receive(c, &[Pattern::Ignore]));
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(ZERO))]);
}

#[test]
fn all_stores_of_a_broadcast_come_before_all_effects() {
    let Pair { mut b, c, x, y, p, q } = pair(ChannelKind::Broadcast);
    let r = b.process("R", &["a"]);
    b.add(p, edge(0, 0).send(c.clone(), &[int(5)]));
    b.add(q, edge(0, 0).receive(c.clone(), &[Pattern::Ignore]).set(x, read(y)));
    b.add(r, edge(0, 0).receive(c, &[store(y)]));
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![5, 5]));
}

#[test]
fn channels_are_values() {
    let mut b = Builder::default();
    let x = b.variable("x", BYTE, &[0]);
    let to = b.variable("to", Type::Channel, &[2]);
    let empty = b.channel("c", ChannelKind::Buffered(1), &[BYTE]);
    let meeting = b.channel("d", ChannelKind::Rendezvous, &[BYTE]);
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a", "b"]));
    b.add(p, edge(0, 0).send(read(to), &[int(3)]).set(to, channel(empty)));
    b.add(q, edge(0, 1).receive(channel(meeting), &[store(x)]));
    b.add(q, edge(1, 1).receive(read(to), &[store(x)]));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let met = first(&interpreter, &interpreter.initial());
    assert_eq!((met.values.clone(), locations(&met)), (vec![3, 1], vec![0, 1]));
    let waiting = first(&interpreter, &met);
    assert_eq!(waiting.buffers[0], [vec![3]]);
    assert_eq!(outcomes_at(&interpreter, &waiting), [(vec![(1, 1, 0)], Ok(vec![3, 1]))]);
}

#[test]
fn a_value_that_denotes_no_fitting_channel_fails() {
    let mut b = Builder::default();
    let to = b.variable("to", Type::Channel, &[]);
    b.channel("c", ChannelKind::Buffered(1), &[BYTE, BYTE]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).send(read(to), &[int(3)]));
    let failing = |error| [(vec![(0, 0, 0)], Err(error))];
    assert_eq!(outcomes(&b.network), failing(RuntimeErrorKind::NoChannel { value: 0 }));
    b.network.variables[to.index()].initial = vec![1];
    let length = RuntimeErrorKind::MessageLength { given: 1, wanted: 2 };
    assert_eq!(outcomes(&b.network), failing(length));
    b.network.channels[0].message.pop();
    assert!(outcomes(&b.network)[0].1.is_ok());
    let interpreter = Interpreter::new(&b.network).unwrap();
    let no_channel = unary(Unary::Neg, int(1));
    let waiting = expr(crate::network::ExprKind::Length(Box::new(no_channel)));
    let asked = interpreter.eval(&interpreter.initial(), &waiting).unwrap_err();
    assert_eq!(asked.kind, RuntimeErrorKind::NoChannel { value: -1 });
}

#[test]
fn a_failing_channel_expression_is_a_fault_of_its_edge() {
    let mut b = Builder::default();
    let to = b.variable("to", Type::Array(Box::new(Type::Channel), 1), &[1]);
    b.channel("c", ChannelKind::Rendezvous, &[BYTE]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).send(element(to, &[int(1)]), &[int(3)]));
    let outside = RuntimeErrorKind::IndexOutOfBounds { index: 1, length: 1 };
    assert_eq!(outcomes(&b.network), [(vec![(0, 0, 0)], Err(outside))]);
}
