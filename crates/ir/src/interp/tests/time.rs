use super::{locations, outcomes};
use crate::builder::*;
use crate::interp::{Interpreter, ReplayError, ReplayProblem, State, Stop};
use crate::network::{
    ChannelKind, Commitment, EdgeRef, Expr, Network, ProcessId, Type, VariableId,
};
use crate::trace::{Step, Trace};

/// P waits at `a` while x <= 3, and leaves from 2 on, resetting x.
fn window() -> (Builder, ProcessId, VariableId) {
    let mut b = Builder::default();
    let x = b.clock("x");
    let p = b.process("P", &["a", "b"]);
    b.invariant(p, 0, le(read(x), int(3)));
    b.add(p, edge(0, 1).when(ge(read(x), int(2))).set(x, int(0)));
    (b, p, x)
}

fn step(delay: i64, edges: &[(u32, u32)]) -> Step {
    let edges = edges.iter().map(|&(process, edge)| EdgeRef {
        process: ProcessId(process),
        edge,
        branch: 0,
    });
    Step { delay, ..Step::new(edges.collect()) }
}

fn replay(network: &Network, unit: i64, steps: &[Step]) -> Result<Vec<State>, ReplayError> {
    let interpreter = Interpreter::new(network).unwrap();
    interpreter.replay(&Trace { unit, ..Trace::new(steps.to_vec()) })
}

#[track_caller]
fn stops(network: &Network, delay: i64, expected: &str) {
    let interpreter = Interpreter::new(network).unwrap();
    let stopped = interpreter.delay(&interpreter.initial(), delay).unwrap_err();
    assert!(stopped.to_string().contains(expected), "{stopped}");
}

#[test]
fn guards_and_invariants_are_exact() {
    let (b, ..) = window();
    let after = |delay, unit| replay(&b.network, unit, &[step(delay, &[(0, 0)])]);
    assert_eq!(after(1, 1).unwrap_err().problem, ReplayProblem::NotEnabled);
    assert_eq!(after(3, 2).unwrap_err().problem, ReplayProblem::NotEnabled);
    let states = after(5, 2).unwrap();
    assert_eq!((states[1].values.as_slice(), states[1].unit), (&[0][..], 2));
    assert!(after(6, 2).is_ok());
    assert!(matches!(
        after(7, 2).unwrap_err().problem,
        ReplayProblem::Time(Stop::Invariant { .. })
    ));
}

#[test]
fn the_rest_of_a_trace_passes_behind_its_last_step() {
    let (b, ..) = window();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let trace = |rest| Trace { rest, ..Trace::new(vec![step(2, &[(0, 0)])]) };
    assert_eq!(interpreter.replay(&trace(7)).unwrap()[1].values, [7]);
    let only = |rest| Trace { rest, ..Trace::default() };
    assert_eq!(interpreter.replay(&only(3)).unwrap()[0].values, [3]);
    assert_eq!(interpreter.replay(&only(4)).unwrap_err().step, 0);
}

#[test]
fn units_and_delays_are_positive_and_countable() {
    let (b, ..) = window();
    for unit in [0, -1] {
        let error = replay(&b.network, unit, &[]).unwrap_err();
        assert_eq!(error.problem, ReplayProblem::Time(Stop::Unit));
    }
    stops(&b.network, -1, "negative");
    let (mut b, p, _) = window();
    b.location(p, 0).invariant = None;
    let interpreter = Interpreter::new(&b.network).unwrap();
    let late = interpreter.delay(&interpreter.initial(), i64::MAX).unwrap();
    assert_eq!(interpreter.delay(&late, 1), Err(ReplayProblem::Time(Stop::TooLong)));
    stops(&Network::default(), 1, "no clocks");
}

#[test]
fn time_stands_still_at_urgent_and_committed_locations() {
    let (mut b, p, _) = window();
    b.urgent(p, 0);
    stops(&b.network, 1, "`P` has to leave `a` at once");
    b.commit(p, 0);
    stops(&b.network, 1, "`P` has to leave `a` at once");
}

#[test]
fn time_stands_still_while_an_urgent_channel_can_be_used() {
    let mut b = Builder::default();
    b.clock("x");
    let n = b.variable("n", Type::Bool, &[1]);
    let c = b.channel("c", ChannelKind::Rendezvous, &[]);
    b.network.channels[c.index()].urgent = true;
    let (p, q) = (b.process("P", &["a"]), b.process("Q", &["a"]));
    b.add(p, edge(0, 0).send(channel(c), &[]).when(read(n)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert!(interpreter.delay(&interpreter.initial(), 5).is_ok());
    b.add(q, edge(0, 0).receive(channel(c), &[]));
    stops(&b.network, 1, "urgent channel `c`");
    b.network.variables[n.index()].initial = vec![0];
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert!(interpreter.delay(&interpreter.initial(), 5).is_ok());
    // A broadcast needs no receiver.
    b.network.channels[c.index()].kind = ChannelKind::Broadcast;
    b.network.processes[q.index()].edges.clear();
    b.network.variables[n.index()].initial = vec![1];
    stops(&b.network, 1, "urgent channel `c`");
}

#[test]
fn a_step_must_meet_the_invariants_it_arrives_at() {
    let (mut b, p, x) = window();
    b.invariant(p, 1, lt(read(x), int(1)));
    assert!(replay(&b.network, 1, &[step(2, &[(0, 0)])]).is_ok());
    b.network.processes[p.index()].edges[0].branches[0].effect.clear();
    let error = replay(&b.network, 1, &[step(2, &[(0, 0)])]).unwrap_err();
    assert_eq!(error.problem, ReplayProblem::NotEnabled);
}

#[test]
fn invariants_need_no_clocks() {
    let mut b = Builder::default();
    let n = b.variable("n", Type::wrapping(0, 9), &[3]);
    let p = b.process("P", &["a", "b"]);
    b.invariant(p, 1, lt(read(n), int(3)));
    b.add(p, edge(0, 1));
    b.add(p, edge(0, 1).set(n, int(2)));
    assert_eq!(outcomes(&b.network), [(vec![(0, 1, 0)], Ok(vec![2]))]);
}

#[test]
fn an_initial_state_against_an_invariant_has_no_steps() {
    let (mut b, p, x) = window();
    b.invariant(p, 0, gt(read(x), int(0)));
    b.add(p, edge(0, 1));
    assert_eq!(outcomes(&b.network), []);
    stops(&b.network, 1, "the invariant of `P` at `a`");
}

#[test]
fn moves_against_invariants_count_for_no_priority() {
    let mut b = Builder::default();
    let x = b.clock("x");
    let p = b.process("P", &["a", "b"]);
    b.invariant(p, 1, gt(read(x), int(0)));
    b.add(p, edge(0, 1).priority(1));
    b.add(p, edge(0, 0));
    assert_eq!(outcomes(&b.network), [(vec![(0, 1, 0)], Ok(vec![0]))]);
}

#[test]
fn clocks_are_set_to_numbers_and_to_clocks() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let n = b.variable("n", Type::wrapping(0, 9), &[4]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).set(x, read(n)).set(y, add(read(x), int(1))));
    b.add(p, edge(0, 0).set(y, add(int(2), read(x))));
    b.add(p, edge(0, 0).set(x, sub(read(n), int(5))));
    let states = replay(&b.network, 2, &[step(3, &[(0, 0)])]).unwrap();
    assert_eq!(states[1].values, [8, 10, 4]);
    let states = replay(&b.network, 2, &[step(3, &[(0, 1)])]).unwrap();
    assert_eq!(states[1].values, [3, 7, 4]);
    let error = replay(&b.network, 2, &[step(3, &[(0, 2)])]).unwrap_err();
    assert!(matches!(error.problem, ReplayProblem::Fault(_)));
}

#[test]
fn comparisons_do_not_wrap() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).set(x, int(0)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let state = interpreter.delay(&interpreter.initial(), 1 << 40).unwrap();
    let state = interpreter.take(&state, &step(0, &[(0, 0)])).unwrap();
    let value = |expr: Expr| interpreter.eval(&state, &expr).unwrap();
    assert_eq!(value(sub(read(y), read(x))), 1 << 40);
    assert_eq!(value(gt(sub(read(y), read(x)), int(i64::from(i32::MAX)))), 1);
    assert_eq!(value(lt(sub(read(x), read(y)), int(0))), 1);
}

#[test]
fn states_are_described_in_lowest_terms() {
    let (b, ..) = window();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let fine = interpreter.refined(&interpreter.initial(), 4).unwrap();
    let later = interpreter.delay(&fine, 6).unwrap();
    assert_eq!(interpreter.describe(&later)[1], ("x".to_owned(), "3/2".to_owned()));
    let changes = interpreter.changes(&later, &interpreter.delay(&later, 2).unwrap());
    assert_eq!((changes[0].from.as_str(), changes[0].to.as_str()), ("3/2", "2"));
}

/// Whether the initial state of one process with these guards and this invariant
/// is a deadlock.
fn deadlocked(invariant: Option<fn(VariableId) -> Expr>, guard: fn(VariableId) -> Expr) -> bool {
    let mut b = Builder::default();
    let x = b.clock("x");
    let p = b.process("P", &["a", "b"]);
    b.location(p, 0).invariant = invariant.map(|invariant| invariant(x));
    b.add(p, edge(0, 1).when(guard(x)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    interpreter.is_deadlock(&interpreter.initial())
}

#[test]
fn a_step_after_a_delay_is_no_deadlock() {
    assert!(!deadlocked(None, |x| eq(read(x), int(7))));
    assert!(!deadlocked(None, |x| gt(read(x), int(7))));
    assert!(!deadlocked(None, |x| and(gt(read(x), int(7)), lt(read(x), int(8)))));
    assert!(deadlocked(None, |x| and(gt(read(x), int(7)), lt(read(x), int(7)))));
    assert!(deadlocked(None, |x| lt(read(x), int(0))));
    assert!(!deadlocked(Some(|x| le(read(x), int(7))), |x| ge(read(x), int(7))));
    assert!(deadlocked(Some(|x| lt(read(x), int(7))), |x| ge(read(x), int(7))));
    assert!(deadlocked(Some(|x| le(read(x), int(6))), |x| gt(read(x), int(6))));
}

#[test]
fn deadlocks_look_at_the_invariants_behind_steps() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let p = b.process("P", &["a", "b"]);
    b.invariant(p, 1, and(gt(read(x), int(4)), lt(sub(read(y), read(x)), int(5))));
    // y - x is 5 + x behind the step, x as it was before it.
    b.add(p, edge(0, 1).set(y, add(read(x), int(5))).set(x, int(6)));
    let stuck = |network: &Network| {
        let interpreter = Interpreter::new(network).unwrap();
        interpreter.is_deadlock(&interpreter.initial())
    };
    assert!(!stuck(&b.network));
    b.invariant(p, 1, and(gt(read(x), int(4)), gt(read(y), int(9))));
    assert!(!stuck(&b.network));
    b.invariant(p, 1, and(gt(read(x), int(6)), gt(read(y), int(9))));
    assert!(stuck(&b.network));
}

#[test]
fn deadlock_is_told_in_conditions() {
    let (b, p, _) = window();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let deadlock = and(expr(crate::network::ExprKind::Deadlock), at(p, 1));
    assert_eq!(interpreter.eval(&interpreter.initial(), &deadlock), Ok(0));
    let states = replay(&b.network, 1, &[step(2, &[(0, 0)])]).unwrap();
    assert_eq!(interpreter.eval(&states[1], &deadlock), Ok(1));
}

#[test]
fn one_committed_participant_is_enough_for_any() {
    let mut b = Builder::default();
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[]));
    let all = channel(b.channel("all", ChannelKind::Broadcast, &[]));
    let l = b.label("l");
    let (p, q, r) = (b.process("P", &["a"]), b.process("Q", &["a"]), b.process("R", &["a"]));
    b.commit(p, 0);
    b.add(p, edge(0, 0));
    b.add(p, edge(0, 0).receive(c.clone(), &[]));
    b.add(p, edge(0, 0).label(l));
    b.add(q, edge(0, 0));
    b.add(q, edge(0, 0).send(c.clone(), &[]));
    b.add(q, edge(0, 0).send(all.clone(), &[]));
    b.add(q, edge(0, 0).label(l));
    b.add(r, edge(0, 0).receive(c, &[]));
    b.add(r, edge(0, 0).receive(all.clone(), &[]));
    b.add(r, edge(0, 0).label(l));
    b.vector(&[(p, l), (q, l)]);
    b.vector(&[(q, l), (r, l)]);
    let edges = |b: &Builder| -> Vec<Vec<(u32, u32, u32)>> {
        outcomes(&b.network).into_iter().map(|(edges, _)| edges).collect()
    };
    assert_eq!(edges(&b), [vec![(0, 0, 0)]]);
    b.network.commitment = Commitment::Any;
    let with_p = vec![(0, 2, 0), (1, 3, 0)];
    assert_eq!(edges(&b), [vec![(0, 0, 0)], vec![(1, 1, 0), (0, 1, 0)], with_p.clone()]);
    b.add(p, edge(0, 0).receive(all, &[]));
    let broadcast = vec![(1, 2, 0), (0, 3, 0), (2, 1, 0)];
    assert_eq!(edges(&b), [vec![(0, 0, 0)], vec![(1, 1, 0), (0, 1, 0)], broadcast, with_p]);
}

#[test]
fn optional_participants_move_where_they_can() {
    let mut b = Builder::default();
    let n = b.variable("n", Type::Bool, &[0]);
    let l = b.label("l");
    let (p, q) = (b.process("P", &["a", "b"]), b.process("Q", &["a", "b"]));
    b.add(p, edge(0, 1).label(l));
    b.add(q, edge(0, 1).label(l).when(read(n)));
    b.vector_with(&[(p, l)], &[(q, l)]);
    let reached = |network: &Network| -> Vec<Vec<i64>> {
        let interpreter = Interpreter::new(network).unwrap();
        let steps = interpreter.steps(&interpreter.initial()).into_iter();
        steps.map(|(_, outcome)| locations(&outcome.unwrap())).collect()
    };
    assert_eq!(reached(&b.network), [[1, 0]]);
    b.network.variables[n.index()].initial = vec![1];
    assert_eq!(reached(&b.network), [[1, 1]]);
    b.network.vectors[0].participants[0].optional = true;
    b.network.processes[p.index()].edges.clear();
    assert_eq!(reached(&b.network), [[0, 1]]);
    b.network.variables[n.index()].initial = vec![0];
    assert_eq!(reached(&b.network), Vec::<Vec<i64>>::new());
}
