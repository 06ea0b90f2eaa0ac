use super::*;
use crate::builder::*;
use crate::network::{ExprKind, Unary};
use crate::timing::{Case, ClockTerm, TimedPart};

const DIGIT: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 9, overflow: crate::network::Overflow::Wrap });

/// A network of one process of one location, with clocks x, y and an integer n.
fn base() -> (Builder, ProcessId, [VariableId; 3]) {
    let mut b = Builder::default();
    let x = b.variable("x", Type::Clock, &[]);
    let y = b.variable("y", Type::Clock, &[3]);
    let n = b.variable("n", DIGIT, &[0]);
    let p = b.process("P", &["a"]);
    (b, p, [x, y, n])
}

fn flat(network: &Network) -> System {
    flatten(network, &[]).unwrap()
}

fn refused(network: &Network) -> String {
    flatten(network, &[]).unwrap_err()[0].message.clone()
}

fn timing(system: &System) -> &Timing {
    system.timing.as_ref().unwrap()
}

/// Guards are printed as people write them.
fn show(constraint: &Constraint) -> String {
    let clock = |term: &ClockTerm| match term {
        ClockTerm::Clock(clock) => clock.to_string(),
        ClockTerm::Element { first, count, .. } => format!("{first}[..{count}]"),
    };
    let term = |term: &Term| match term {
        Term::Const(value) => value.to_string(),
        Term::Slot(_) => "n".to_string(),
        Term::Unary(Unary::Not, _) => "not".to_string(),
        _ => "…".to_string(),
    };
    let relation = if constraint.strict { "<" } else { "<=" };
    let (left, right) = (clock(&constraint.left), clock(&constraint.right));
    let says = format!("{left} - {right} {relation} {}", term(&constraint.bound));
    match &constraint.when {
        Term::Const(1) => says,
        when => format!("{} => {says}", term(when)),
    }
}

/// What a guard becomes: whether the discrete part says anything, and the bounds.
fn guard(condition: impl Fn([VariableId; 3]) -> Expr) -> (Term, Vec<String>) {
    let (mut b, p, variables) = base();
    b.add(p, edge(0, 0).when(condition(variables)));
    let system = flat(&b.network);
    let bounds = timing(&system).parts[0].guard.iter().map(show).collect();
    (system.parts[0].guard.clone(), bounds)
}

fn bounds(condition: impl Fn([VariableId; 3]) -> Expr) -> Vec<String> {
    let (discrete, bounds) = guard(condition);
    assert_eq!(discrete, Term::Const(1));
    bounds
}

fn not(of: Expr) -> Expr {
    unary(Unary::Not, of)
}

#[test]
fn networks_without_clocks_have_no_timing() {
    let mut b = Builder::default();
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0));
    assert!(flat(&b.network).timing.is_none());
    let deadlock = Wanted::goal(expr(ExprKind::Deadlock));
    assert!(flatten(&b.network, &[deadlock]).unwrap().timing.is_some());
    b.add(p, edge(0, 0).priority(1));
    assert_eq!(timing(&flat(&b.network)).priorities, [(0, 0), (1, 0)]);
}

#[test]
fn clocks_have_numbers_and_no_slots() {
    let mut b = Builder::default();
    b.variable("x", Type::Clock, &[]);
    b.variable("xs", Type::Array(Box::new(Type::Clock), 2), &[1, 2]);
    b.variable("n", DIGIT, &[4]);
    let p = b.process("P", &["a"]);
    b.local(p, "z", Type::Clock, &[]);
    let system = flat(&b.network);
    let clocks = timing(&system).clocks.iter().map(|clock| (&clock.name[..], clock.initial));
    assert_eq!(clocks.collect::<Vec<_>>(), [("x", 0), ("xs[0]", 1), ("xs[1]", 2), ("P.z", 0)]);
    let slots: Vec<&str> = system.slots.iter().map(|slot| &slot.name[..]).collect();
    assert_eq!(slots, ["n", "P"]);
}

#[test]
fn comparisons_are_bounds_of_differences() {
    assert_eq!(bounds(|[x, ..]| lt(read(x), int(3))), ["1 - 0 < 3"]);
    assert_eq!(bounds(|[x, ..]| binary(Binary::Ge, read(x), int(3))), ["0 - 1 <= -3"]);
    assert_eq!(bounds(|[x, ..]| lt(int(3), read(x))), ["0 - 1 < -3"]);
    assert_eq!(bounds(|[x, ..]| eq(read(x), int(3))), ["1 - 0 <= 3", "0 - 1 <= -3"]);
    assert_eq!(bounds(|[x, y, _]| lt(read(x), add(read(y), int(2)))), ["1 - 2 < 2"]);
    let difference = |[x, y, _]: [VariableId; 3]| binary(Binary::Sub, read(x), read(y));
    assert_eq!(bounds(|v| binary(Binary::Gt, difference(v), int(1))), ["2 - 1 < -1"]);
    assert_eq!(bounds(|[x, _, n]| binary(Binary::Le, read(x), read(n))), ["1 - 0 <= n"]);
    assert_eq!(bounds(|[x, ..]| lt(read(x), add(read(x), int(1)))), ["0 - 0 < 1"]);
}

#[test]
fn negations_are_pushed_inwards() {
    assert_eq!(bounds(|[x, ..]| not(lt(read(x), int(3)))), ["0 - 1 <= -3"]);
    let either =
        |[x, y, _]: [VariableId; 3]| binary(Binary::Or, lt(read(x), int(1)), lt(int(2), read(y)));
    assert_eq!(bounds(|v| not(either(v))), ["0 - 1 <= -1", "2 - 0 <= 2"]);
    let implies = |[x, y, _]: [VariableId; 3]| {
        binary(Binary::Imply, lt(read(x), int(1)), lt(int(2), read(y)))
    };
    assert_eq!(bounds(|v| not(implies(v))), ["1 - 0 < 1", "2 - 0 <= 2"]);
}

#[test]
fn discrete_conjuncts_stay_and_discrete_conditions_say_when() {
    let both =
        |[x, _, n]: [VariableId; 3]| binary(Binary::And, lt(read(n), int(5)), lt(read(x), int(3)));
    let (discrete, bounds) = guard(both);
    assert_eq!(discrete, Term::binary(Binary::Lt, Term::Slot(SlotId(0)), Term::Const(5)));
    assert_eq!(bounds, ["1 - 0 < 3"]);
    let either =
        |[x, _, n]: [VariableId; 3]| binary(Binary::Or, lt(read(x), int(3)), lt(read(n), int(5)));
    assert_eq!(self::bounds(either), ["not => 1 - 0 < 3"]);
    let implies = |[x, _, n]: [VariableId; 3]| binary(Binary::Imply, read(n), lt(read(x), int(3)));
    // `not (not n)`, and where it holds there is the bound.
    assert_eq!(self::bounds(implies), ["not => 1 - 0 < 3"]);
    let choose = |[x, _, n]: [VariableId; 3]| {
        let [n, a, b] = [read(n), lt(read(x), int(1)), lt(read(x), int(2))].map(Box::new);
        expr(ExprKind::Choose(n, a, b))
    };
    assert_eq!(self::bounds(choose), ["n => 1 - 0 < 1", "not => 1 - 0 < 2"]);
}

#[test]
fn what_is_no_conjunction_is_refused() {
    let refuses = |condition: &dyn Fn([VariableId; 3]) -> Expr| {
        let (mut b, p, variables) = base();
        b.add(p, edge(0, 0).when(condition(variables)));
        refused(&b.network)
    };
    let choice = "a guard or invariant cannot choose among bounds of clocks";
    assert_eq!(refuses(&|[x, ..]| binary(Binary::Ne, read(x), int(1))), choice);
    let bound = |v: VariableId| lt(read(v), int(1));
    assert_eq!(refuses(&|[x, y, _]| binary(Binary::Or, bound(x), bound(y))), choice);
    let sum = refuses(&|[x, y, _]| lt(add(read(x), read(y)), int(1)));
    assert_eq!(sum, "only the difference of two clocks can be compared");
    let twice = refuses(&|[x, ..]| lt(binary(Binary::Mul, int(2), read(x)), int(1)));
    assert_eq!(twice, "a clock can be read only to compare or to copy it");
    assert_eq!(refuses(&|[x, ..]| read(x)), "a clock cannot be read here");
}

#[test]
fn what_may_fail_fails_in_the_discrete_guard() {
    let mut b = Builder::default();
    let xs = b.variable("xs", Type::Array(Box::new(Type::Clock), 3), &[]);
    let n = b.variable("n", DIGIT, &[0]);
    let p = b.process("P", &["a"]);
    let first = lt(element(xs, &[int(1)]), int(4));
    b.add(p, edge(0, 0).when(binary(Binary::And, first, lt(element(xs, &[read(n)]), int(3)))));
    let system = flat(&b.network);
    let part = &timing(&system).parts[0];
    assert_eq!(part.guard.iter().map(show).collect::<Vec<_>>(), ["2 - 0 < 4", "1[..3] - 0 < 3"]);
    assert!(system.parts[0].guard.may_fail());
    // Only what comes before the failing index must hold for it to fail.
    let mut sites = Vec::new();
    system.parts[0].guard.walk(&mut |term| {
        if let Term::Check(_, _, site) = term {
            sites.push(*site);
        }
    });
    assert_eq!(timing(&system).sites[sites[0].index()], part.guard[..1]);
}

#[test]
fn constants_are_folded_where_clocks_are_concerned() {
    let mut b = Builder::default();
    let xs = b.variable("xs", Type::Array(Box::new(Type::Clock), 3), &[]);
    let k = b.declare("k", DIGIT, &[2], None, Storage::Constant);
    let p = b.process("P", &["a"]);
    let reset = assign(place(xs, &[read(k)]), add(read(k), int(1)));
    b.add(p, edge(0, 0).when(lt(element(xs, &[read(k)]), read(k))).run(reset));
    let system = flat(&b.network);
    let TimedPart { guard, resets } = &timing(&system).parts[0];
    assert_eq!((show(&guard[0]), &resets[..]), ("3 - 0 < 2".to_string(), &[(3, 3)][..]));
    assert_eq!(timing(&system).pending, [None; 3]);
}

#[test]
fn numbers_at_fixed_places_are_resets() {
    let (mut b, p, [x, y, n]) = base();
    b.add(p, edge(0, 0).set(y, int(2)).set(n, int(1)).set(x, int(0)));
    let system = flat(&b.network);
    assert_eq!(timing(&system).parts[0].resets, [(2, 2), (1, 0)]);
    assert_eq!(system.parts[0].effect.len(), 2);
}

/// The pending slots of x and y after one part of a system ran alone.
fn pending_after(system: &System, part: usize, n: i64) -> Vec<Option<(i64, i64)>> {
    let layout = crate::layout::Layout::new(system);
    let mut values = system.initial();
    values[0] = n;
    let mut state = layout.pack(&values);
    let mut temps = std::collections::BTreeMap::new();
    run(&system.parts[part].effect, &layout.fields, &mut state, &mut temps);
    let pending = timing(system).pending.iter();
    let read = |slot: SlotId| layout.fields[slot.index()].get(&state);
    pending.map(|p| p.map(|p| (read(p.base), read(p.offset)))).collect()
}

fn run(
    commands: &[Command],
    fields: &[crate::layout::Field],
    state: &mut [u64],
    temps: &mut std::collections::BTreeMap<u32, i64>,
) {
    let value = |term: &Term, state: &[u64], temps: &std::collections::BTreeMap<u32, i64>| {
        let term = term.clone().rewrite(&mut |term| match term {
            Term::Temp(temp) => Term::Const(temps[&temp.0]),
            other => other,
        });
        crate::evaluate::evaluate(&term, fields, state).unwrap()
    };
    for command in commands {
        match command {
            Command::Set(slot, term) => fields[slot.index()].set(state, value(term, state, temps)),
            Command::SetElement { first, index, value: term, .. } => {
                let index = value(index, state, temps);
                fields[first.index() + index as usize].set(state, value(term, state, temps));
            }
            Command::Let(temp, term) => {
                temps.insert(temp.0, value(term, state, temps));
            }
            Command::If(condition, yes, no) => {
                let block = if value(condition, state, temps) != 0 { yes } else { no };
                run(block, fields, state, temps);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn other_assignments_go_through_slots() {
    let (mut b, p, [x, y, n]) = base();
    let conditional = StatementKind::If(read(n), vec![assign(place(x, &[]), int(4))], vec![]);
    b.add(p, edge(0, 0).run(statement(conditional)));
    b.add(p, edge(0, 0).set(x, add(read(y), read(n))));
    b.add(p, edge(0, 0).set(y, read(n)).set(x, add(read(y), int(1))).set(y, read(x)));
    b.add(p, edge(0, 0).set(x, add(read(x), int(2))).set(x, add(read(x), int(3))));
    let system = flat(&b.network);
    assert!(timing(&system).parts.iter().all(|part| part.resets.is_empty()));
    let none = Some((0, 0));
    assert_eq!(pending_after(&system, 0, 0), [none, none]);
    assert_eq!(pending_after(&system, 0, 1), [Some((1, 4)), none]);
    // x := y + n copies clock 2.
    assert_eq!(pending_after(&system, 1, 5), [Some((3, 5)), none]);
    // Later assignments see the earlier ones.
    assert_eq!(pending_after(&system, 2, 5), [Some((1, 6)), Some((1, 6))]);
    assert_eq!(pending_after(&system, 3, 0), [Some((2, 5)), none]);
}

#[test]
fn elements_are_assigned_through_slots_side_by_side() {
    let mut b = Builder::default();
    let n = b.variable("n", DIGIT, &[0]);
    let xs = b.variable("xs", Type::Array(Box::new(Type::Clock), 3), &[]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).run(assign(place(xs, &[read(n)]), int(7))));
    let copy = element(xs, &[read(n)]);
    b.add(p, edge(0, 0).run(assign(place(xs, &[int(0)]), copy)));
    let system = flat(&b.network);
    let none = Some((0, 0));
    assert_eq!(pending_after(&system, 0, 2), [none, none, Some((1, 7))]);
    assert_eq!(pending_after(&system, 1, 2), [Some((4, 0)), none, none]);
}

#[test]
fn invariants_hold_the_discrete_part_too() {
    let (mut b, p, [x, _, n]) = base();
    let invariant = binary(Binary::And, lt(read(n), int(5)), lt(read(x), int(3)));
    b.location(p, 0).invariant = Some(invariant);
    let system = flat(&b.network);
    let [discrete, clock] = &timing(&system).invariants[0][0][..] else { panic!() };
    assert_eq!((show(discrete), show(clock)), ("not => 0 - 0 <= -1".into(), "1 - 0 < 3".into()));
    let fields = crate::layout::Layout::new(&system).fields;
    let state = |n| crate::layout::Layout::new(&system).pack(&[n, 0]);
    assert_eq!(discrete.at(&fields, &state(4)), None);
    assert_eq!(discrete.at(&fields, &state(5)), Some(crate::timing::Difference::NEVER));
}

fn cases(condition: impl Fn([VariableId; 3]) -> Expr) -> (Term, Vec<Case>) {
    let (mut b, p, variables) = base();
    b.add(p, edge(0, 0));
    let wanted = Wanted::goal(condition(variables));
    let system = flatten(&b.network, &[wanted]).unwrap();
    (system.conditions[0].term.clone(), timing(&system).conditions[0].cases.clone())
}

#[test]
fn conditions_become_cases() {
    let is = |n: VariableId| eq(read(n), int(3));
    let (term, none) = cases(|[_, _, n]| is(n));
    assert_eq!((term.clone(), none.len()), (Term::is(SlotId(0), 3), 0));
    let (weak, one) = cases(|[x, _, n]| binary(Binary::And, is(n), lt(read(x), int(1))));
    assert_eq!((weak, &one[0].term), (term.clone(), &term));
    assert_eq!(show(&one[0].clocks[0]), "1 - 0 < 1");
    let (weak, two) = cases(|[x, ..]| binary(Binary::Ne, read(x), int(1)));
    assert_eq!(weak, Term::Const(1));
    let bounds: Vec<String> = two.iter().map(|case| show(&case.clocks[0])).collect();
    assert_eq!(bounds, ["1 - 0 < 1", "0 - 1 < -1"]);
    let (weak, two) = cases(|[x, _, n]| binary(Binary::Or, is(n), lt(read(x), int(1))));
    assert_eq!((weak, two.len()), (Term::Const(1), 2));
    // `x < 1` and `y < 1` are both true, or both false.
    let (_, same) = cases(|[x, y, _]| eq(lt(read(x), int(1)), lt(read(y), int(1))));
    assert_eq!(same.iter().map(|case| case.clocks.len()).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn conditions_may_ask_for_deadlocks() {
    let deadlock = || expr(ExprKind::Deadlock);
    let (weak, cases) = cases(|[_, _, n]| {
        binary(Binary::Or, not(deadlock()), binary(Binary::And, eq(read(n), int(1)), deadlock()))
    });
    assert_eq!(weak, Term::Const(1));
    let asked: Vec<Option<bool>> = cases.iter().map(|case| case.deadlock).collect();
    assert_eq!(asked, [Some(false), Some(true)]);
}

#[test]
fn too_many_cases_are_refused() {
    let (mut b, p, [x, ..]) = base();
    b.add(p, edge(0, 0));
    let choice = |k: i64| binary(Binary::Ne, read(x), int(k));
    let all = (1..12).fold(choice(0), |all, k| binary(Binary::And, all, choice(k)));
    let problems = flatten(&b.network, &[Wanted::goal(all)]).unwrap_err();
    assert!(problems[0].message.contains("too many cases"), "{problems:?}");
}

#[test]
fn passes_keep_what_clocks_are_assigned_through_and_drop_what_is_never_in_time() {
    let (mut b, p, [x, y, n]) = base();
    b.location(p, 0).invariant = Some(binary(Binary::Le, read(x), int(3)));
    b.add(p, edge(0, 0).set(y, read(n)).set(n, add(read(n), int(1))));
    b.add(p, edge(0, 0).when(lt(int(3), read(x))));
    b.add(p, edge(0, 0).when(lt(read(x), int(0))));
    b.add(p, edge(0, 0).when(binary(Binary::Ge, read(x), int(3))));
    let mut system = flatten(&b.network, &[Wanted::goal(lt(read(y), int(1)))]).unwrap();
    crate::passes::run(&mut system, crate::passes::Passes::ALL);
    let edges: Vec<u32> = system.parts.iter().map(|part| part.edge.edge).collect();
    assert_eq!(edges, [0, 3]);
    assert_eq!(timing(&system).parts.len(), 2);
    assert_eq!(pending_after(&system, 0, 5)[1], Some((1, 5)));
}

/// Which processes are left of several after slicing for `P` at its second
/// location, which it goes to when `x` is at least 1.
fn sliced(add: impl Fn(&mut Builder, VariableId)) -> Vec<u32> {
    let mut b = Builder::default();
    let x = b.variable("x", Type::Clock, &[]);
    let p = b.process("P", &["a", "b"]);
    b.add(p, edge(0, 1).when(lt(int(0), read(x))));
    add(&mut b, x);
    let goal = expr(ExprKind::At(p, LocationId(1)));
    let mut system = flatten(&b.network, &[Wanted::goal(goal)]).unwrap();
    let only_slice = crate::passes::Passes { slice: true, ..crate::passes::Passes::NONE };
    crate::passes::run(&mut system, only_slice);
    let mut left: Vec<u32> = system.parts.iter().map(|part| part.edge.process.0).collect();
    left.dedup();
    left
}

#[test]
fn slicing_keeps_who_can_stop_time_or_reset_a_clock_that_matters() {
    // Clocks of its own that bound nothing but its own steps do not matter.
    let idle = |b: &mut Builder, _| {
        let q = b.process("Q", &["a"]);
        let y = b.local(q, "y", Type::Clock, &[]);
        b.add(q, edge(0, 0).when(lt(int(1), read(y))).set(y, int(0)));
    };
    assert_eq!(sliced(idle), [0]);
    let bounded = |b: &mut Builder, _| {
        let q = b.process("Q", &["a"]);
        let y = b.local(q, "y", Type::Clock, &[]);
        b.add(q, edge(0, 0).set(y, int(0)));
        b.location(q, 0).invariant = Some(lt(read(y), int(1)));
    };
    assert_eq!(sliced(bounded), [0, 1]);
    let urgent = |b: &mut Builder, _| {
        let q = b.process("Q", &["a", "b"]);
        b.add(q, edge(0, 1));
        b.location(q, 0).urgency = Urgency::Urgent;
    };
    assert_eq!(sliced(urgent), [0, 1]);
    let resetting = |b: &mut Builder, x| {
        let q = b.process("Q", &["a"]);
        b.add(q, edge(0, 0).set(x, int(0)));
    };
    assert_eq!(sliced(resetting), [0, 1]);
    let meeting = |b: &mut Builder, _| {
        let hurry = b.channel("hurry", ChannelKind::Rendezvous, &[]);
        b.network.channels[hurry.index()].urgent = true;
        let n = b.variable("n", DIGIT, &[0]);
        let [q, r, s] = ["Q", "R", "S"].map(|name| b.process(name, &["a"]));
        b.add(q, edge(0, 0).when(read(n)).send(channel(hurry), &[]));
        b.add(r, edge(0, 0).receive(channel(hurry), &[]));
        b.add(s, edge(0, 0).set(n, int(1)));
    };
    assert_eq!(sliced(meeting), [0, 1, 2, 3]);
}

/// Each of two thousand processes broadcasts to the one before it. Looking through all
/// parts for each of their pairs would take minutes.
#[test]
fn thousands_of_broadcasters_are_brought_together() {
    const MANY: u32 = 2000;
    let mut b = Builder::default();
    let broadcast = ChannelKind::Broadcast;
    let channels: Vec<_> =
        (0..MANY).map(|at| b.channel(&format!("c{at}"), broadcast, &[])).collect();
    for at in 0..MANY {
        let next = channels[((at + 1) % MANY) as usize];
        let process = b.process(&format!("P{at}"), &["a"]);
        b.add(process, edge(0, 0).send(channel(channels[at as usize]), &[]));
        b.add(process, edge(0, 0).receive(channel(next), &[]));
    }
    let system = flat(&b.network);
    assert_eq!(system.joints.len(), MANY as usize);
    for (at, joint) in (0..).zip(&system.joints) {
        let leader = joint.leader.map(|leader| system.part(leader).component);
        assert_eq!(leader, Some(ComponentId(at)));
        let members: Vec<_> = joint.members.iter().map(|member| member.component).collect();
        assert_eq!(members, [ComponentId((at + MANY - 1) % MANY)]);
        assert!(joint.members[0].optional);
    }
}
