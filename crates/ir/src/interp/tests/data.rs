//! Values, places and effects.

use super::*;
use crate::builder::*;
use crate::network::{
    Access, Arithmetic, Binary, EnumId, Enumeration, ExprKind, Overflow, Place, Record, RecordId,
    StatementKind, Storage, Type,
};

/// The outcome of one process that runs one statement on these variables.
fn effect(b: Builder, statement: crate::network::Statement) -> Result<Vec<i64>, RuntimeErrorKind> {
    let mut b = b;
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).run(statement));
    outcomes(&b.network)[0].1.clone()
}

#[test]
fn wrapping_assignment_is_modulo_the_range() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(-2, 4), &[4]);
    assert_eq!(effect(b, assign(place(x, &[]), add(read(x), int(2)))), Ok(vec![-1]));
}

#[test]
fn checked_assignment_outside_is_a_fault() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::checked(0, 4), &[4]);
    let outside = RuntimeErrorKind::OutOfRange { value: 5, lo: 0, hi: 4 };
    assert_eq!(effect(b, assign(place(x, &[]), add(read(x), int(1)))), Err(outside));
}

#[test]
fn booleans_wrap_and_enumerations_do_not() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::Bool, &[0]);
    assert_eq!(effect(b, assign(place(x, &[]), int(3))), Ok(vec![1]));
    let mut b = Builder::default();
    b.network.enumerations.push(Enumeration {
        name: "E".into(),
        values: vec!["u".into(), "v".into()],
        overflow: Overflow::Error,
    });
    let x = b.variable("x", Type::Enum(EnumId(0)), &[0]);
    let outside = RuntimeErrorKind::OutOfRange { value: 2, lo: 0, hi: 1 };
    assert_eq!(effect(b, assign(place(x, &[]), int(2))), Err(outside));
}

#[test]
fn missing_initial_values_are_zero_or_none() {
    let mut b = Builder::default();
    b.variable("a", Type::Array(Box::new(Type::wrapping(0, 9)), 3), &[7]);
    b.variable("c", Type::Channel, &[]);
    b.variable("p", Type::Process, &[]);
    let interpreter = Interpreter::new(&b.network).unwrap();
    assert_eq!(interpreter.initial().values, [7, 0, 0, 0, -1]);
}

#[test]
fn arrays_of_arrays_are_flattened_row_by_row() {
    let mut b = Builder::default();
    let row = Type::Array(Box::new(Type::wrapping(0, 9)), 3);
    let a = b.variable("a", Type::Array(Box::new(row), 2), &[0, 1, 2, 3, 4, 5]);
    let put = assign(place(a, &[int(1), int(0)]), element(a, &[int(0), int(2)]));
    assert_eq!(effect(b, put), Ok(vec![0, 1, 2, 2, 4, 5]));
}

#[test]
fn records_nest_in_arrays_and_hold_arrays() {
    let mut b = Builder::default();
    let pair = Type::Array(Box::new(Type::wrapping(0, 9)), 2);
    let fields = vec![("n".into(), Type::Bool), ("pair".into(), pair)];
    b.network.records.push(Record { name: "R".into(), fields });
    let r = b.variable("r", Type::Array(Box::new(Type::Record(RecordId(0))), 2), &[]);
    let path = vec![Access::Index(int(1)), Access::Field(1), Access::Index(int(0))];
    let target = Place { variable: r, path, span: Default::default() };
    assert_eq!(effect(b, assign(target, int(8))), Ok(vec![0, 0, 0, 0, 8, 0]));
}

#[test]
fn an_index_outside_is_a_fault() {
    let mut b = Builder::default();
    let a = b.variable("a", Type::Array(Box::new(Type::Bool), 3), &[]);
    for bad in [-1, 3] {
        let outside = RuntimeErrorKind::IndexOutOfBounds { index: bad, length: 3 };
        assert_eq!(effect(b.clone(), assign(place(a, &[int(bad)]), int(0))), Err(outside));
    }
}

#[test]
fn an_assignment_evaluates_the_value_then_the_place_then_fits() {
    let mut b = Builder::default();
    let a = b.variable("a", Type::Array(Box::new(Type::checked(0, 1)), 2), &[]);
    let bad_place = place(a, &[int(5)]);
    let division = assign(bad_place.clone(), div(int(1), int(0)));
    assert_eq!(effect(b.clone(), division), Err(RuntimeErrorKind::DivisionByZero));
    let outside = RuntimeErrorKind::IndexOutOfBounds { index: 5, length: 2 };
    assert_eq!(effect(b, assign(bad_place, int(9))), Err(outside));
}

#[test]
fn effects_see_the_earlier_ones() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(0, 9), &[1]);
    let y = b.variable("y", Type::wrapping(0, 9), &[2]);
    let p = b.process("P", &["a"]);
    b.add(p, edge(0, 0).set(x, read(y)).set(y, read(x)));
    assert_eq!(outcomes(&b.network)[0].1, Ok(vec![2, 2]));
}

#[test]
fn logical_operators_do_not_evaluate_what_is_decided() {
    let fails = || div(int(1), int(0));
    let b = Builder::default();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let value =
        |op, left| interpreter.eval(&interpreter.initial(), &binary(op, int(left), fails())).ok();
    assert_eq!([value(Binary::And, 0), value(Binary::And, 1)], [Some(0), None]);
    assert_eq!([value(Binary::Or, -2), value(Binary::Or, 0)], [Some(1), None]);
    assert_eq!([value(Binary::Imply, 0), value(Binary::Imply, 1)], [Some(1), None]);
}

#[test]
fn choose_evaluates_one_side_only() {
    let b = Builder::default();
    let interpreter = Interpreter::new(&b.network).unwrap();
    let fails = Box::new(div(int(1), int(0)));
    let choose = |c| expr(ExprKind::Choose(Box::new(int(c)), Box::new(int(7)), fails.clone()));
    assert_eq!(interpreter.eval(&interpreter.initial(), &choose(2)), Ok(7));
    assert!(interpreter.eval(&interpreter.initial(), &choose(0)).is_err());
}

#[test]
fn arithmetic_is_what_the_network_says() {
    let mut b = Builder::default();
    let sum = add(int(i64::from(i32::MAX)), int(1));
    let value = |network: &Network| {
        let interpreter = Interpreter::new(network).unwrap();
        interpreter.eval(&interpreter.initial(), &sum).unwrap()
    };
    assert_eq!(value(&b.network), i64::from(i32::MIN));
    b.network.arithmetic = Arithmetic::Checked64;
    assert_eq!(value(&b.network), i64::from(i32::MAX) + 1);
}

#[test]
fn if_runs_one_block() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(0, 9), &[0]);
    let put = |value| vec![assign(place(x, &[]), int(value))];
    let branch = |c| statement(StatementKind::If(int(c), put(1), put(2)));
    assert_eq!(effect(b.clone(), branch(1)), Ok(vec![1]));
    assert_eq!(effect(b, branch(0)), Ok(vec![2]));
}

#[test]
fn while_runs_until_its_condition_is_false() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(0, 9), &[0]);
    let step = vec![assign(place(x, &[]), add(read(x), int(2)))];
    assert_eq!(effect(b, statement(StatementKind::While(lt(read(x), int(5)), step))), Ok(vec![6]));
}

#[test]
fn a_loop_without_end_is_a_fault() {
    let endless = statement(StatementKind::While(int(1), Vec::new()));
    assert_eq!(effect(Builder::default(), endless), Err(RuntimeErrorKind::EndlessLoop));
}

#[test]
fn a_failed_assertion_in_an_effect_is_a_fault() {
    let check = |value| statement(StatementKind::Assert(int(value)));
    assert_eq!(effect(Builder::default(), check(0)), Err(RuntimeErrorKind::AssertionFailed));
    assert_eq!(effect(Builder::default(), check(2)), Ok(vec![]));
}

#[test]
fn scratch_variables_start_anew_in_every_step() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(0, 99), &[0]);
    let t = b.declare("t", Type::wrapping(0, 99), &[5], None, Storage::Scratch);
    let p = b.process("P", &["a"]);
    b.add(
        p,
        edge(0, 0)
            .when(eq(read(t), int(5)))
            .set(t, add(read(t), int(1)))
            .set(x, add(read(x), read(t))),
    );
    let interpreter = Interpreter::new(&b.network).unwrap();
    let once = first(&interpreter, &interpreter.initial());
    assert_eq!((once.values.clone(), first(&interpreter, &once).values), (vec![6], vec![12]));
    assert_eq!(interpreter.offset(t), None);
}

#[test]
fn constants_are_not_part_of_the_state() {
    let mut b = Builder::default();
    let n = b.declare("n", Type::wrapping(0, 99), &[42], None, Storage::Constant);
    let x = b.variable("x", Type::wrapping(0, 99), &[0]);
    assert_eq!(effect(b, assign(place(x, &[]), read(n))), Ok(vec![42]));
}

#[test]
fn location_assertions_hold_or_are_violated_or_fail() {
    let mut b = Builder::default();
    let x = b.variable("x", Type::wrapping(0, 9), &[0]);
    let p = b.process("P", &["a", "b"]);
    b.location(p, 0).assertions = vec![int(1), eq(read(x), int(1)), div(int(1), read(x))];
    b.location(p, 1).assertions = vec![int(0)];
    let interpreter = Interpreter::new(&b.network).unwrap();
    let found = interpreter.violated_assertions(&interpreter.initial());
    let errors: Vec<_> =
        found.iter().map(|violation| violation.error.map(|error| error.kind)).collect();
    assert_eq!(errors, [None, Some(RuntimeErrorKind::DivisionByZero)]);
    assert!(found.iter().all(|violation| violation.location.0 == 0));
}
