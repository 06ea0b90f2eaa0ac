//! Every invariant, broken once.

use super::*;
use crate::builder::*;
use crate::network::{
    Access, Atomic, Branch, ChannelId, Composition, EnumId, ExprKind, LabelId, LocationId, Place,
    Property, ReceiveOrder, Record, RecordId, Statement, StatementKind, Target, Type, Unary,
};

const DIGIT: Type =
    Type::Int(crate::network::IntType { lo: 0, hi: 9, overflow: crate::network::Overflow::Wrap });

/// A sound network: variable 0 `x`, variable 1 `a[3]`, channel 0 `c` of one
/// digit, label 0, processes 0 `P` and 1 `Q` and 2, the observer `O` with
/// variable 2 `o`, process 3, a startable `S` with parameter 3.
fn sound() -> Builder {
    let mut b = Builder::default();
    let x = b.variable("x", DIGIT, &[0]);
    b.variable("a", Type::Array(Box::new(DIGIT), 3), &[1, 2]);
    let c = channel(b.channel("c", ChannelKind::Rendezvous, &[DIGIT]));
    let l = b.label("l");
    let (p, q) = (b.process("P", &["a", "b"]), b.process("Q", &["a"]));
    let o = b.process("O", &["a"]);
    let own = b.local(o, "o", DIGIT, &[0]);
    b.network.processes[o.index()].role = Role::Observer;
    let s = b.slot("S", &["a"], 0);
    let n = b.local(s, "n", DIGIT, &[]);
    b.network.processes[s.index()].parameters = vec![n];
    b.add(p, edge(0, 1).when(lt(read(x), int(3))).send(c.clone(), &[read(x)]));
    b.add(q, edge(0, 0).receive(c, &[store(x)]).set(x, at(p, 1)));
    b.add(p, edge(1, 0).label(l));
    b.add(o, edge(0, 0).when(at(p, 0)).set(own, add(read(own), read(x))));
    b.add(s, ending(0));
    b.vector(&[(p, l)]);
    b
}

/// Expects `check` to complain about what `spoil` does, with these words.
#[track_caller]
fn complains(words: &str, spoil: impl FnOnce(&mut Builder)) {
    let mut b = sound();
    assert_eq!(check(&b.network), []);
    spoil(&mut b);
    let messages: Vec<String> = check(&b.network).into_iter().map(|found| found.message).collect();
    assert!(messages.iter().any(|message| message.contains(words)), "{messages:?}");
}

/// Expects a complaint about an expression as a guard of P.
#[track_caller]
fn complains_about(words: &str, guard: Expr) {
    complains(words, |b| b.add(ProcessId(0), edge(0, 0).when(guard)));
}

/// Expects a complaint about a statement in an effect of P.
#[track_caller]
fn complains_about_effect(words: &str, statement: Statement) {
    complains(words, |b| b.add(ProcessId(0), edge(0, 0).run(statement)));
}

fn path(variable: u32, path: Vec<Access>) -> Place {
    Place { variable: VariableId(variable), path, span: Span::default() }
}

#[test]
fn types() {
    complains("without values", |b| {
        b.variable("y", Type::wrapping(3, 2), &[]);
    });
    complains("an enumeration that does not exist", |b| {
        b.variable("y", Type::Enum(EnumId(0)), &[]);
    });
    complains("a record that is not declared", |b| {
        let fields = vec![("me".to_owned(), Type::Record(RecordId(0)))];
        b.network.records.push(Record { name: "R".into(), fields });
    });
    complains("too many variables", |b| {
        let row = Type::Array(Box::new(Type::Bool), u32::MAX);
        b.variable("y", Type::Array(Box::new(row), u32::MAX), &[]);
    });
    complains("nested too deeply", |b| {
        let deep = (0..=MAX_DEPTH).fold(Type::Bool, |inner, _| Type::Array(Box::new(inner), 1));
        b.variable("y", deep, &[]);
    });
}

#[test]
fn variables() {
    complains("belongs to no process", |b| {
        b.local(ProcessId(9), "y", DIGIT, &[]);
    });
    complains("more initial values", |b| {
        b.variable("y", DIGIT, &[1, 2]);
    });
    complains("initial value 10", |b| {
        b.variable("y", DIGIT, &[10]);
    });
    complains("initial value 0 of `y` does not fit", |b| {
        b.variable("y", Type::wrapping(1, 2), &[]);
    });
}

#[test]
fn channels() {
    complains("room for no message", |b| {
        b.channel("d", ChannelKind::Buffered(0), &[]);
    });
    complains("no scalar", |b| {
        b.channel("d", ChannelKind::Rendezvous, &[Type::Array(Box::new(DIGIT), 2)]);
    });
    complains("a process that does not exist", |b| {
        b.network.channels[0].owner = Some(ProcessId(9));
    });
}

#[test]
fn shapes_of_processes() {
    complains("starts at a location", |b| b.network.processes[0].initial = LocationId(2));
    complains("no scalar of its own", |b| b.network.processes[3].parameters = vec![VariableId(0)]);
    complains("other parameters", |b| {
        b.slot("S2", &["a"], 0);
    });
    complains("not there from the start", |b| {
        b.network.processes[2].lifetime = Lifetime::Startable(TemplateId(7));
    });
}

#[test]
fn edges() {
    let p = ProcessId(0);
    complains("leaves a location", |b| b.add(p, edge(5, 0)));
    complains("leads to a location", |b| b.add(p, edge(0, 5)));
    complains("leads nowhere", |b| b.network.processes[0].edges[0].branches.clear());
    complains("others not", |b| {
        let target = Target::Location(LocationId(0));
        b.network.processes[0].edges[0].branches.push(Branch {
            weight: Some(int(1)),
            effect: Vec::new(),
            target,
        });
    });
    complains("without a denominator", |b| {
        b.network.processes[0].edges[0].cost = Some(expr(ExprKind::Ratio(1, 0)));
    });
}

#[test]
fn actions() {
    let p = ProcessId(0);
    complains("a label that does not exist", |b| b.add(p, edge(0, 0).label(LabelId(3))));
    complains("denotes no channel", |b| b.add(p, edge(0, 0).send(int(0), &[int(0)])));
    complains("a channel that does not exist", |b| {
        b.add(p, edge(0, 0).send(channel(crate::network::ChannelId(4)), &[]));
    });
    complains("communication where all", |b| b.network.composition = Composition::Synchronous);
    complains("committed location where all", |b| {
        b.network.composition = Composition::Synchronous;
        b.commit(p, 0);
    });
}

#[test]
fn expressions() {
    let variable = |id, accesses| expr(ExprKind::Read(path(id, accesses)));
    complains_about("a variable that does not exist", variable(9, vec![]));
    complains_about("not a scalar", variable(1, vec![]));
    complains_about("not a scalar", variable(0, vec![Access::Index(int(0))]));
    complains_about("not a scalar", variable(1, vec![Access::Field(0)]));
    complains_about(
        "a variable that does not exist",
        element(VariableId(1), &[variable(9, vec![])]),
    );
    complains_about("a process that does not exist", at(ProcessId(9), 0));
    complains_about("a location that `P` does not have", at(ProcessId(0), 2));
    complains_about("the length of no channel", expr(ExprKind::Length(Box::new(int(0)))));
    complains_about("a fraction", expr(ExprKind::Ratio(1, 2)));
    let deep = (0..=MAX_DEPTH).fold(int(1), |inner, _| unary(Unary::Not, inner));
    complains_about("nested too deeply", deep);
}

#[test]
fn statements() {
    let put = |id| assign(path(id, vec![]), int(0));
    complains_about_effect("a variable that does not exist", put(9));
    complains_about_effect("not a scalar", put(1));
    let start = |template, arguments| {
        statement(StatementKind::Start { template: TemplateId(template), arguments, started: None })
    };
    complains_about_effect("0 arguments where `S` has 1", start(0, vec![]));
    let nest = |inner, _| statement(StatementKind::If(int(1), vec![inner], vec![]));
    complains_about_effect("nested too deeply", (0..=MAX_DEPTH + 1).fold(put(0), nest));
    complains("the constant `k` is assigned to", |b| {
        let k = b.declare("k", DIGIT, &[1], None, Storage::Constant);
        b.add(ProcessId(0), edge(0, 0).set(k, int(2)));
    });
}

#[test]
fn observers() {
    let o = ProcessId(2);
    complains("which is not its own", |b| b.add(o, edge(0, 0).set(VariableId(0), int(1))));
    complains("an observer communicates", |b| b.add(o, edge(0, 0).label(LabelId(0))));
    complains("moves the observer", |b| b.vector(&[(o, LabelId(0))]));
    complains_about("a variable of an observer", read(VariableId(2)));
    complains_about("reads the observer", at(o, 0));
    let start =
        StatementKind::Start { template: TemplateId(0), arguments: vec![int(1)], started: None };
    complains("an observer starts", |b| b.add(o, edge(0, 0).run(statement(start))));
}

#[test]
fn vectors() {
    let (p, l) = (ProcessId(0), LabelId(0));
    complains("without participants", |b| b.vector(&[]));
    complains("a process twice", |b| b.vector(&[(p, l), (p, l)]));
    complains("names a process that", |b| b.vector(&[(ProcessId(9), l)]));
    complains("names a label that", |b| b.vector(&[(p, LabelId(9))]));
}

#[test]
fn properties() {
    let property = |kind| Property { name: "good".into(), span: Span::default(), kind };
    complains("a process that does not exist", |b| {
        b.network.properties.push(property(PropertyKind::Never(at(ProcessId(9), 0))));
    });
    complains("names no observer", |b| {
        b.network.properties.push(property(PropertyKind::Observer(ProcessId(0))));
    });
}

#[test]
fn goals() {
    let b = sound();
    assert_eq!(check_expression(&b.network, &at(ProcessId(0), 1)), []);
    assert_eq!(check_expression(&b.network, &at(ProcessId(0), 2)).len(), 1);
}

#[test]
fn guards_control_and_polls() {
    let otherwise = |before| edge(0, 0).otherwise(before, int(1));
    complains("that do not come before it", |b| b.add(ProcessId(0), otherwise(2)));
    let mut b = sound();
    b.add(ProcessId(0), otherwise(1));
    assert_eq!(check(&b.network), []);
    let held = |edge: EdgeBuilder| edge.holding(Atomic::Atomic);
    complains("an observer holds control", |b| b.add(ProcessId(2), held(edge(0, 0))));
    complains("after moving with many", |b| {
        b.add(ProcessId(0), held(edge(0, 0).label(LabelId(0))))
    });
    complains("after moving with many", |b| {
        let d = channel(b.channel("d", ChannelKind::Broadcast, &[]));
        b.add(ProcessId(0), held(edge(0, 0).send(d, &[])));
    });
    complains("where all move at once", |b| {
        b.network.composition = Composition::Synchronous;
        b.add(ProcessId(0), held(edge(0, 0)));
    });
    let c = || channel(crate::network::ChannelId(0));
    let look = |of, message: &[Option<Expr>]| poll(of, message, ReceiveOrder::First);
    complains_about("a look into no channel", look(int(0), &[None]));
    complains_about("a variable that does not exist", look(c(), &[Some(read(VariableId(9)))]));
}

/// Expects a complaint about an expression as a guard of P, where `t` is a clock.
#[track_caller]
fn complains_about_time(words: &str, guard: impl FnOnce(Expr) -> Expr) {
    complains(words, |b| {
        let t = b.clock("t");
        b.network.processes[3].edges[0].branches[0].target = Target::Location(LocationId(0));
        b.add(ProcessId(0), edge(0, 0).when(guard(read(t))));
    });
}

#[test]
fn clocks_in_conditions() {
    complains_about_time("whole number", |t| eq(element(VariableId(1), &[t]), int(1)));
    complains_about_time("truth value", |t| t);
    complains_about_time("other than in a comparison", |t| {
        lt(binary(crate::network::Binary::Mul, t, int(2)), int(1))
    });
    complains_about_time("more than one clock", |t| lt(add(t.clone(), t), int(1)));
    complains_about_time("no conjunction", |t| or(lt(t.clone(), int(1)), gt(t, int(2))));
    complains_about_time("no conjunction", |t| not(and(lt(t.clone(), int(1)), gt(t, int(2)))));
    complains_about_time("must differ", |t| not(eq(t, int(1))));
    complains_about_time("must differ", |t| binary(crate::network::Binary::Ne, t, int(1)));
    complains_about_time("beyond", |t| lt(t, int(CLOCK_BOUND + 1)));
    complains_about_time("beyond", |t| gt(t, unary(Unary::Neg, int(CLOCK_BOUND + 1))));
    complains_about_time("`deadlock` outside a property", |_| expr(ExprKind::Deadlock));
}

#[test]
fn conditions_on_clocks_that_are_fine() {
    let mut b = Builder::default();
    let (x, y) = (b.clock("x"), b.clock("y"));
    let n = b.variable("n", DIGIT, &[0]);
    let p = b.process("P", &["a"]);
    let small = || lt(read(x), read(n));
    b.add(p, edge(0, 0).when(and(small(), ge(sub(read(x), read(y)), int(-3)))));
    b.add(p, edge(0, 0).when(or(read(n), small())));
    b.add(p, edge(0, 0).when(not(or(small(), not(eq(read(x), int(1)))))));
    b.add(p, edge(0, 0).when(le(read(x), add(read(y), int(3)))));
    b.add(p, edge(0, 0).set(x, add(read(y), read(n))).set(y, int(2)));
    let anything = or(not(eq(read(x), int(1))), expr(ExprKind::Deadlock));
    let kind = crate::network::PropertyKind::Never(anything.clone());
    b.network.properties.push(Property { name: "p".into(), span: Span::default(), kind });
    assert_eq!(check(&b.network), []);
    assert_eq!(check_expression(&b.network, &anything), []);
}

#[test]
fn clocks_elsewhere() {
    let effect = |b: &mut Builder, change: fn(VariableId) -> Statement| {
        let t = b.clock("t");
        b.add(ProcessId(1), edge(0, 0).run(change(t)));
    };
    complains("less than zero", |b| effect(b, |t| assign(place(t, &[]), int(-1)).clone()));
    complains("beyond", |b| effect(b, |t| assign(place(t, &[]), int(SETTING_BOUND + 1))));
    complains("more than one clock", |b| {
        effect(b, |t| assign(place(t, &[]), add(read(t), read(t))));
    });
    complains("whole number", |b| effect(b, |t| assign(place(VariableId(0), &[]), read(t))));
    complains("whole number", |b| {
        effect(b, |t| statement(StatementKind::Assert(lt(read(t), int(1)))));
    });
    complains("outside the state", |b| {
        b.declare("t", Type::Clock, &[], None, Storage::Scratch);
    });
    complains("of an observer", |b| {
        b.local(ProcessId(2), "t", Type::Clock, &[]);
    });
    complains("an observer reads a clock", |b| {
        let t = b.clock("t");
        b.add(ProcessId(2), edge(0, 0).when(lt(read(t), int(1))));
    });
    complains("where a number is stored", |b| {
        let t = b.clock("t");
        b.add(ProcessId(1), edge(0, 0).receive(channel(ChannelId(0)), &[store(t)]));
    });
}

#[test]
fn what_does_not_go_with_clocks() {
    complains("an urgent channel", |b| {
        let t = b.clock("t");
        b.network.channels[0].urgent = true;
        let guard = lt(read(t), int(1));
        b.add(ProcessId(0), edge(0, 0).when(guard).send(channel(ChannelId(0)), &[int(0)]));
    });
    complains("beside clocks", |b| {
        b.clock("t");
        b.add(ProcessId(0), edge(0, 0).timeout(int(1)));
    });
    complains("beside clocks", |b| {
        b.clock("t");
        b.add(ProcessId(0), edge(0, 0).holding(Atomic::Atomic));
    });
    complains("all processes move at once", |b| {
        b.clock("t");
        b.network.composition = Composition::Synchronous;
    });
}
