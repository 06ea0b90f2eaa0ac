//! Sequences of moves in one step, and where processes may rest.

use super::*;
use crate::builder::*;
use crate::interp::{Piece, ReplayProblem};
use crate::network::{Atomic, ChannelKind, Expr, ProcessId, Type, VariableId};
use crate::trace::Step;

const DIGIT: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 9, overflow: crate::network::Overflow::Wrap });
const BLOCKED: RuntimeErrorKind = RuntimeErrorKind::Blocked;

/// All moves of a step as (process, edge), and the values after it.
type Sequence = (Vec<Vec<(u32, u32)>>, Result<Vec<i64>, RuntimeErrorKind>);

fn shown(step: &Step) -> Vec<Vec<(u32, u32)>> {
    let edge = |edge: &crate::network::EdgeRef| (edge.process.0, edge.edge);
    step.moves().map(|edges| edges.iter().map(edge).collect()).collect()
}

fn sequences_at(interpreter: &Interpreter, state: &State) -> Vec<Sequence> {
    let steps = interpreter.steps(state);
    for (step, outcome) in &steps {
        // Whatever is listed can be taken, with the same result.
        match interpreter.take(state, step) {
            Ok(next) => assert_eq!(Ok(next), *outcome),
            Err(error) => {
                let fault = outcome.clone().unwrap_err();
                assert_eq!(error.problem, ReplayProblem::Fault(fault));
            }
        }
    }
    let steps = steps.into_iter();
    steps
        .map(|(step, outcome)| {
            (shown(&step), outcome.map(|after| after.values).map_err(|error| error.kind))
        })
        .collect()
}

fn sequences(network: &Network) -> Vec<Sequence> {
    let interpreter = Interpreter::new(network).unwrap();
    sequences_at(&interpreter, &interpreter.initial())
}

/// Moves of process 0 alone, by the numbers of its edges.
fn alone(edges: &[u32]) -> Vec<Vec<(u32, u32)>> {
    edges.iter().map(|edge| vec![(0, *edge)]).collect()
}

fn increment(x: VariableId) -> Expr {
    add(read(x), int(1))
}

/// A digit, and a process P with locations a to e.
fn one() -> (Builder, VariableId, ProcessId) {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    let p = b.process("P", &["a", "b", "c", "d", "e"]);
    (b, x, p)
}

#[test]
fn a_sequence_is_one_step() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic).set(x, increment(x)));
    b.add(p, edge(1, 2).holding(Atomic::Atomic).set(x, increment(x)));
    b.add(p, edge(2, 3).set(x, increment(x)));
    let q = b.process("Q", &["a"]);
    b.add(q, edge(0, 0).set(x, int(9)));
    let expected = [(vec![vec![(1, 0)]], Ok(vec![9])), (alone(&[0, 1, 2]), Ok(vec![3]))];
    assert_eq!(sequences(&b.network), expected);
}

#[test]
fn branches_of_a_sequence_come_breadth_first_and_each_state_once() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(1, 2).holding(Atomic::Atomic));
    b.add(p, edge(1, 3).set(x, int(4)));
    b.add(p, edge(2, 1).holding(Atomic::Atomic));
    b.add(p, edge(2, 3).set(x, int(5)));
    b.add(p, edge(0, 4));
    let expected = [
        (alone(&[6]), Ok(vec![0])),
        (alone(&[0, 3]), Ok(vec![4])),
        (alone(&[0, 2, 5]), Ok(vec![5])),
    ];
    assert_eq!(sequences(&b.network), expected);
    // The way that was not kept is a step all the same.
    let interpreter = Interpreter::new(&b.network).unwrap();
    let moves = |edges: &[u32]| {
        let edge = |edge| crate::network::EdgeRef { process: ProcessId(0), edge, branch: 0 };
        let mut moves: Vec<_> = edges.iter().map(|number| vec![edge(*number)]).collect();
        let first = moves.remove(0);
        Step { delay: 0, edges: first, then: moves }
    };
    let take = |edges: &[u32]| interpreter.take(&interpreter.initial(), &moves(edges));
    assert_eq!(take(&[1, 2, 4, 3]).unwrap().values, [4]);
    for wrong in [&[0][..], &[0, 2], &[6, 3], &[3], &[0, 3, 2], &[0, 5]] {
        assert_eq!(take(wrong).unwrap_err().problem, ReplayProblem::NotEnabled, "{wrong:?}");
    }
    let states = interpreter.walk(&interpreter.initial(), &moves(&[0, 2, 5])).unwrap();
    let passed: Vec<Vec<i64>> = states.iter().map(locations).collect();
    assert_eq!(passed, [[1], [2], [3]]);
}

#[test]
fn a_blocked_holder_loses_control() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic).set(x, int(1)));
    b.add(p, edge(1, 2).when(eq(read(x), int(2))));
    b.add(p, edge(1, 2).timeout(int(1)));
    assert_eq!(sequences(&b.network), [(alone(&[0]), Ok(vec![1]))]);
    // The edges that keep it waiting count among what the step looks at.
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    let step = interpreter.steps(&initial).remove(0).0;
    assert!(!interpreter.influence(&initial, &step, true).reads.contains(&Piece::Scalar(0)));
    b.network.processes[0].edges[0].branches[0].effect.clear();
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert!(interpreter.influence(&initial, &step, true).reads.contains(&Piece::Scalar(0)));
}

#[test]
fn what_a_sequence_sets_it_does_not_depend_on() {
    let (mut b, x, p) = one();
    let y = b.variable("y", DIGIT, &[3]);
    b.add(p, edge(0, 1).holding(Atomic::Atomic).set(x, read(y)));
    b.add(p, edge(1, 2).when(eq(read(x), int(3))).set(x, increment(x)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    let (step, outcome) = interpreter.steps(&initial).remove(0);
    assert_eq!(outcome.unwrap().values, [4, 3]);
    let found = interpreter.influence(&initial, &step, true);
    let (place, x, y) = (Piece::Location(ProcessId(0)), Piece::Scalar(0), Piece::Scalar(1));
    assert_eq!(found.reads.into_iter().collect::<Vec<_>>(), [place, y]);
    assert_eq!(found.sets.into_iter().collect::<Vec<_>>(), [place, x]);
}

#[test]
fn a_deterministic_holder_takes_the_first_of_its_moves() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Deterministic));
    b.add(p, edge(1, 2).when(int(0)));
    b.add(p, edge(1, 2).set(x, int(1)).or(3).set(x, int(2)));
    b.add(p, edge(1, 2).set(x, int(3)));
    assert_eq!(sequences(&b.network), [(alone(&[0, 2]), Ok(vec![1]))]);
}

#[test]
fn which_move_is_the_first_depends_on_those_before() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Deterministic));
    b.add(p, edge(1, 2).when(read(x)));
    b.add(p, edge(1, 3));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    let (step, _) = interpreter.steps(&initial).remove(0);
    assert_eq!(shown(&step), alone(&[0, 2]));
    assert!(interpreter.influence(&initial, &step, true).reads.contains(&Piece::Scalar(0)));
}

#[test]
fn a_deterministic_holder_must_not_be_blocked() {
    let (mut b, _, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Deterministic));
    b.add(p, edge(1, 2).when(int(0)));
    b.add(p, edge(1, 2).timeout(int(1)));
    assert_eq!(sequences(&b.network), [(alone(&[0]), Err(BLOCKED))]);
    let found = Interpreter::new(&b.network).unwrap().explore(9);
    assert_eq!((found.states.len(), found.deadlocks.len(), found.faults.len()), (1, 0, 1));
}

#[test]
fn a_failure_inside_names_the_moves_to_it() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(1, 2).set(x, div(int(1), read(x))));
    b.add(p, edge(1, 2).when(div(int(1), read(x))));
    let zero = Err(RuntimeErrorKind::DivisionByZero);
    let expected = [(alone(&[0, 1]), zero.clone()), (alone(&[0, 2]), zero)];
    assert_eq!(sequences(&b.network), expected);
    let interpreter = Interpreter::new(&b.network).unwrap();
    let initial = interpreter.initial();
    let step = interpreter.steps(&initial).remove(0).0;
    let passage = interpreter.pass(&initial, &step);
    assert_eq!(passage.states.len(), 1);
    assert!(matches!(passage.problem, Some(ReplayProblem::Fault(_))));
}

#[test]
fn a_step_that_never_ends_is_a_failure_unless_another_does() {
    let (mut b, _, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(1, 1).holding(Atomic::Atomic));
    assert_eq!(sequences(&b.network), [(alone(&[0]), Err(RuntimeErrorKind::EndlessLoop))]);
    b.add(p, edge(0, 2));
    assert_eq!(sequences(&b.network), [(alone(&[2]), Ok(vec![0]))]);
}

#[test]
fn the_same_state_is_queued_once_for_each_kind_of_control() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(0, 1).holding(Atomic::Deterministic));
    b.add(p, edge(1, 2).set(x, int(1)));
    b.add(p, edge(1, 2).set(x, int(2)));
    let expected = [
        (alone(&[0, 2]), Ok(vec![1])),
        (alone(&[0, 3]), Ok(vec![2])),
        (alone(&[1, 2]), Ok(vec![1])),
    ];
    assert_eq!(sequences(&b.network), expected);
}

/// A sender P and a receiver Q, both with two more edges behind.
fn handover(sender: Atomic, receiver: Atomic) -> Vec<Sequence> {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[DIGIT]));
    let (p, q) = (b.process("P", &["a", "b", "c"]), b.process("Q", &["a", "b", "c"]));
    b.add(p, edge(0, 1).holding(sender).send(c.clone(), &[int(7)]));
    b.add(p, edge(1, 2).set(x, int(1)));
    b.add(q, edge(0, 1).holding(receiver).receive(c, &[store(x)]));
    b.add(q, edge(1, 2).set(x, int(2)));
    sequences(&b.network)
}

#[test]
fn a_rendezvous_gives_control_to_the_receiver_or_to_nobody() {
    let meeting = vec![(0, 0), (1, 0)];
    let plain = [(vec![meeting.clone()], Ok(vec![7]))];
    assert_eq!(handover(Atomic::Atomic, Atomic::No), plain);
    let handed = [(vec![meeting, vec![(1, 1)]], Ok(vec![2]))];
    assert_eq!(handover(Atomic::No, Atomic::Atomic), handed);
    assert_eq!(handover(Atomic::Atomic, Atomic::Deterministic), handed);
}

#[test]
fn the_holder_sends_but_waits_for_nobody() {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[DIGIT]));
    let d = channel(b.channel("d", ChannelKind::Buffered(1), &[DIGIT]));
    let (p, q) = (b.process("P", &["a", "b", "c"]), b.process("Q", &["a", "b"]));
    b.add(p, edge(0, 1).holding(Atomic::Atomic).send(d.clone(), &[int(3)]));
    b.add(p, edge(1, 2).receive(c.clone(), &[store(x)]));
    b.add(p, edge(1, 2).holding(Atomic::Atomic).receive(d, &[store(x)]));
    b.add(p, edge(2, 0).send(c.clone(), &[increment(x)]));
    b.add(q, edge(0, 1).receive(c.clone(), &[store(x)]));
    // Q would send, but P holds control; P's own send takes Q along.
    b.add(q, edge(0, 1).send(c, &[int(8)]));
    let moves = vec![vec![(0, 0)], vec![(0, 2)], vec![(0, 3), (1, 0)]];
    assert_eq!(sequences(&b.network), [(moves, Ok(vec![4]))]);
}

#[test]
fn priorities_and_commitment_do_not_matter_to_the_holder() {
    let (mut b, x, p) = one();
    b.add(p, edge(0, 1).holding(Atomic::Atomic).priority(1));
    b.add(p, edge(1, 2).set(x, int(1)));
    b.add(p, edge(1, 2).set(x, int(2)).priority(1));
    let q = b.process("Q", &["a"]);
    b.add(q, edge(0, 0));
    let expected = [(alone(&[0, 1]), Ok(vec![1])), (alone(&[0, 2]), Ok(vec![2]))];
    assert_eq!(sequences(&b.network), expected);
    b.commit(p, 0);
    b.commit(q, 0);
    assert_eq!(sequences(&b.network), expected);
}

#[test]
fn a_process_that_ends_holds_no_control() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, ending(0).holding(Atomic::Deterministic));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let found = interpreter.explore(9);
    assert_eq!((found.states.len(), found.faults.len()), (2, 0));
    // Nobody is left: not a deadlock.
    assert_eq!(found.deadlocks, [] as [usize; 0]);
}

#[test]
fn the_holder_does_not_broadcast() {
    let (mut b, _, p) = one();
    let c = channel(b.channel("c", ChannelKind::Broadcast, &[DIGIT]));
    b.add(p, edge(0, 1).holding(Atomic::Atomic));
    b.add(p, edge(1, 2).when(div(int(1), int(0))).send(c.clone(), &[int(1)]));
    b.add(p, edge(1, 2).send(c, &[div(int(1), int(0))]));
    assert_eq!(sequences(&b.network), [(alone(&[0]), Ok(vec![0]))]);
}

#[test]
fn resting_at_end_locations_is_no_deadlock() {
    let mut b = Builder::default();
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a", "b"]));
    b.add(q, edge(0, 1));
    let deadlocks = |b: &Builder| Interpreter::new(&b.network).unwrap().explore(9).deadlocks.len();
    assert_eq!(deadlocks(&b), 1);
    b.end(q, &[1]);
    assert_eq!(deadlocks(&b), 1);
    b.end(p, &[0]);
    assert_eq!(deadlocks(&b), 0);
    let interpreter = Interpreter::new(&b.network).unwrap();
    let last = first(&interpreter, &interpreter.initial());
    assert!(interpreter.steps(&last).is_empty() && !interpreter.is_deadlock(&last));
    b.end(p, &[]);
    b.location(p, 0).end = false;
    assert!(Interpreter::new(&b.network).unwrap().is_deadlock(&last));
}
