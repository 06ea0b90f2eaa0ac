use crate::builder::*;
use crate::interp::{Interpreter, Schedule};
use crate::network::{ChannelKind, EdgeRef, Expr, ExprKind, Network, ProcessId};
use crate::trace::{Step, Trace};

/// The run that takes these edges, each step a list of (process, edge).
fn run(steps: &[&[(u32, u32)]]) -> Trace {
    let reference =
        |&(process, edge): &(u32, u32)| EdgeRef { process: ProcessId(process), edge, branch: 0 };
    let steps = steps.iter().map(|edges| Step::new(edges.iter().map(reference).collect()));
    Trace::new(steps.collect())
}

/// Delays and rest, and how many of them a unit of time has.
fn delays(trace: &Trace) -> (Vec<i64>, i64, i64) {
    (trace.steps.iter().map(|step| step.delay).collect(), trace.rest, trace.unit)
}

fn schedule(
    network: &Network,
    steps: &[&[(u32, u32)]],
    end: Option<&Expr>,
) -> Option<(Vec<i64>, i64, i64)> {
    let interpreter = Interpreter::new(network).unwrap();
    interpreter.schedule(&run(steps), end, false).map(|trace| delays(&trace))
}

fn fastest(network: &Network, steps: &[&[(u32, u32)]]) -> Schedule {
    Interpreter::new(network).unwrap().fastest(&run(steps), None).unwrap()
}

/// P leaves `a` by an edge with this guard, which resets nothing, and then by one
/// with the other.
fn twice(first: fn(Expr) -> Expr, second: fn(Expr, Expr) -> Expr) -> Network {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let p = b.process("P", &["a", "b", "c"]);
    b.add(p, edge(0, 1).when(first(read(x))).set(y, int(0)));
    b.add(p, edge(1, 2).when(second(read(x), read(y))));
    b.network
}

const BOTH: &[&[(u32, u32)]] = &[&[(0, 0)], &[(0, 1)]];

#[test]
fn steps_are_taken_as_early_as_possible() {
    let network = twice(|x| ge(x, int(2)), |x, y| and(ge(x, int(3)), ge(y, int(4))));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![2, 4], 0, 1)));
    let found = fastest(&network, BOTH);
    assert_eq!((found.total, found.attained), ((6, 1), true));
}

#[test]
fn later_bounds_delay_earlier_steps() {
    let network = twice(|x| ge(x, int(2)), |x, y| and(ge(x, int(7)), le(y, int(1))));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![6, 1], 0, 1)));
}

#[test]
fn units_are_divided_where_they_must_be() {
    let network = twice(|x| gt(x, int(2)), |x, _| lt(x, int(3)));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![5, 0], 0, 2)));
    let network = twice(|x| gt(x, int(2)), |x, y| and(lt(x, int(3)), gt(y, int(0))));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![9, 1], 0, 4)));
}

#[test]
fn what_contradicts_itself_has_no_delays() {
    let network = twice(|x| gt(x, int(2)), |x, _| le(x, int(2)));
    assert_eq!(schedule(&network, BOTH, None), None);
    let network = twice(|x| ge(x, int(2)), |x, _| le(x, int(2)));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![2, 0], 0, 1)));
    assert_eq!(schedule(&network, &[&[(0, 1)]], None), None);
}

#[test]
fn an_infimum_may_not_be_attained() {
    let network = twice(|x| gt(x, int(2)), |_, _| int(1));
    let found = fastest(&network, BOTH);
    assert_eq!((found.total, found.attained), ((2, 1), false));
    assert_eq!(delays(&found.trace), (vec![3, 0], 0, 1));
    // A step strictly before a time that is reached.
    let network = twice(|x| gt(x, int(1)), |x, y| and(ge(x, int(2)), gt(y, int(0))));
    assert_eq!(schedule(&network, BOTH, None), Some((vec![2, 1], 0, 1)));
    let found = fastest(&network, BOTH);
    assert_eq!((found.total, found.attained), ((2, 1), true));
    assert_eq!(delays(&found.trace), (vec![3, 1], 0, 2));
}

#[test]
fn a_goal_is_waited_for() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let p = b.process("P", &["a", "b"]);
    b.invariant(p, 1, le(read(y), int(5)));
    b.add(p, edge(0, 1).when(ge(read(x), int(2))).set(y, int(1)));
    let goal = |expr: Expr| schedule(&b.network, &[&[(0, 0)]], Some(&expr));
    assert_eq!(goal(gt(read(y), int(3))), Some((vec![2], 3, 1)));
    assert_eq!(goal(gt(read(y), int(5))), None);
    let either = or(gt(read(y), int(5)), ge(sub(read(x), read(y)), int(6)));
    assert_eq!(goal(either), Some((vec![7], 0, 1)));
    assert_eq!(goal(not(eq(read(y), int(1)))), Some((vec![2], 1, 1)));
    assert_eq!(goal(and(at(p, 1), lt(read(x), int(2)))), None);
}

#[test]
fn whoever_stays_away_could_not_come() {
    let mut b = Builder::default();
    let x = b.clock("x");
    let c = channel(b.channel("c", ChannelKind::Broadcast, &[]));
    let (p, q) = (b.process("P", &["a", "b"]), b.process("Q", &["a", "b"]));
    b.add(p, edge(0, 1).send(c.clone(), &[]).when(ge(read(x), int(1))));
    b.add(q, edge(0, 1).receive(c, &[]).when(lt(read(x), int(3))));
    assert_eq!(schedule(&b.network, &[&[(0, 0)]], None), Some((vec![3], 0, 1)));
    assert_eq!(schedule(&b.network, &[&[(0, 0), (1, 0)]], None), Some((vec![1], 0, 1)));
}

#[test]
fn what_comes_first_is_waited_for() {
    let mut b = Builder::default();
    let x = b.clock("x");
    let p = b.process("P", &["a", "b", "c"]);
    b.invariant(p, 2, lt(read(x), int(4)));
    b.add(p, edge(0, 1));
    b.add(p, edge(0, 2).priority(1));
    assert_eq!(schedule(&b.network, &[&[(0, 0)]], None), Some((vec![4], 0, 1)));
}

#[test]
fn deadlocks_are_waited_for() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let p = b.process("P", &["a", "b"]);
    b.add(p, edge(0, 1).set(y, int(0)));
    b.add(p, edge(1, 0).when(and(le(read(x), int(5)), ge(read(y), int(2)))));
    let deadlock = expr(ExprKind::Deadlock);
    // No way back once x is beyond 5, or will be when y is 2.
    let found = schedule(&b.network, &[&[(0, 0)]], Some(&deadlock));
    assert_eq!(found, Some((vec![0], 6, 1)));
    let interpreter = Interpreter::new(&b.network).unwrap();
    let found = interpreter.fastest(&run(&[&[(0, 0)]]), Some(&deadlock)).unwrap();
    assert_eq!((found.total, found.attained), ((3, 1), false));
    assert_eq!(delays(&found.trace), (vec![4], 0, 1));
    assert_eq!(schedule(&b.network, &[], Some(&deadlock)), None);
    let alive = and(not(deadlock), gt(read(x), int(4)));
    assert_eq!(schedule(&b.network, &[&[(0, 0)]], Some(&alive)), Some((vec![0], 5, 1)));
}

#[test]
fn a_run_may_end_in_a_failing_step() {
    let mut b = Builder::default();
    let x = b.clock("x");
    let n = b.variable("n", crate::network::Type::wrapping(0, 3), &[0]);
    let p = b.process("P", &["a"]);
    let fails = edge(0, 0).when(ge(read(x), int(2)));
    b.add(p, fails.set(n, div(int(1), read(n))));
    assert_eq!(schedule(&b.network, &[&[(0, 0)]], None), Some((vec![2], 0, 1)));
    assert_eq!(schedule(&b.network, &[&[(0, 0)]], Some(&int(1))), None);
}
