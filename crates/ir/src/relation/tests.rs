//! The interpreter of relations against brute force: every valuation, judged by the
//! definition of a run alone.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Domain, Failure, Interpreter, Kind, Relation, Run, Value, random};
use crate::random::config;

/// All valuations there are.
fn valuations(relation: &Relation) -> Vec<Vec<Value>> {
    relation.variables.iter().fold(vec![Vec::new()], |all, one| {
        let values: Vec<Value> =
            (0..one.domain.size().expect("small")).map(|n| one.domain.value(n)).collect();
        all.iter()
            .flat_map(|begun| {
                values.iter().map(|value| begun.iter().chain([value]).cloned().collect())
            })
            .collect()
    })
}

/// The state of a valuation: inputs are what they are in every state.
fn state(relation: &Relation, valuation: &[Value]) -> Vec<Value> {
    let remembered = relation.remembered();
    let all = relation.numbered().zip(valuation);
    all.map(|((id, one), value)| match remembered.contains(&id) {
        false => one.domain.value(0),
        true => value.clone(),
    })
    .collect()
}

fn compare(relation: &Relation) -> Result<(), TestCaseError> {
    let all = valuations(relation);
    prop_assume!(all.len() <= 100);
    let Ok(interpreter) = Interpreter::new(relation) else { return Ok(()) };
    // Where a term has no value, the two may differ in where they notice.
    let admitted: Result<Vec<_>, Failure> =
        all.iter().map(|one| Ok((relation.admits(one)?, one))).collect();
    let Ok(admitted) = admitted else { return Ok(()) };
    let admitted: Vec<_> = admitted.iter().filter(|(yes, _)| *yes).map(|(_, one)| *one).collect();
    let mut initial = BTreeSet::new();
    let mut steps: BTreeMap<Vec<Value>, BTreeSet<Vec<Value>>> = BTreeMap::new();
    for one in &admitted {
        match relation.is_initial(one) {
            Ok(true) => _ = initial.insert(state(relation, one)),
            Ok(false) => {}
            Err(_) => return Ok(()),
        }
        for next in &admitted {
            match relation.is_step(one, next) {
                Ok(true) => {
                    let from = steps.entry(state(relation, one)).or_default();
                    from.insert(state(relation, next));
                }
                Ok(false) => {}
                Err(_) => return Ok(()),
            }
        }
    }
    prop_assert_eq!(&initial, &interpreter.initial().expect("no failure"));
    for (from, to) in &steps {
        let found: BTreeSet<_> =
            interpreter.successors(from).expect("no failure").into_keys().collect();
        prop_assert_eq!(to, &found);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn oracle_interpreter_of_relations(relation in random::relation()) {
        compare(&relation)?;
    }
}

#[test]
fn runs_that_are_none_are_not_confirmed() {
    let relation = random::drawn(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let nothing = Run { moments: Vec::new(), back: None };
    assert!(relation.confirm(&nothing).is_err());
    let short = Run { moments: vec![Vec::new()], back: None };
    assert!(relation.confirm(&short).is_err());
    let first = valuations(&relation).remove(0);
    let nowhere = Run { moments: vec![first], back: Some(3) };
    assert!(relation.confirm(&nowhere).is_err());
}

/// Inputs that a run may begin with decide how it goes on: `init` says that the input is true,
/// and the state becomes what the input was.
#[test]
fn what_a_run_begins_with_is_not_forgotten() {
    let span = crate::Span::default();
    let mut relation = Relation::default();
    let state = relation.declare("x", Kind::State, Domain::Bool, span);
    let input = relation.declare("i", Kind::Input, Domain::Bool, span);
    let (begins, chosen) = (relation.terms.bool(true, span), relation.read(input, span));
    relation.initially.push(super::Definition { variable: state, value: begins, span });
    relation.next.push(super::Definition { variable: state, value: chosen, span });
    relation.init.push(chosen);
    let interpreter = Interpreter::new(&relation).expect("an order");
    let initial = interpreter.initial().expect("no failure");
    assert_eq!(initial, BTreeSet::from([vec![Value::Bool(true), Value::Bool(true)]]));
    let first = initial.into_iter().next().expect("one");
    let after: BTreeSet<_> =
        interpreter.successors(&first).expect("no failure").into_keys().collect();
    let expected = [false, true].map(|i| vec![Value::Bool(true), Value::Bool(i)]);
    assert_eq!(after, BTreeSet::from(expected));
}
