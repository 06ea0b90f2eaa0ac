//! The space of a relation against its reference interpreter, on random relations.

#![allow(clippy::expect_used, reason = "what a test expects must be there")]

use std::collections::{BTreeSet, VecDeque};

use homing_core::{Batch, Space};
use homing_ir::random::config;
use homing_ir::relation::{Evaluation, Goal, Interpreter, Relation, Run, Value, random};
use homing_space::{Condition, RelationSpace};
use proptest::prelude::*;

type State = Vec<Value>;

/// The states that a batch holds.
fn states(space: &RelationSpace, batch: &Batch) -> BTreeSet<State> {
    (0..batch.len()).map(|i| space.state(batch.state(i))).collect()
}

/// Whether the interpreter finds inputs under which the term is false.
fn violated(relation: &Relation, interpreter: &Interpreter, state: &State) -> Option<bool> {
    let Goal::Invariant(term) = relation.specifications[0].goal else { return None };
    let mut any = false;
    for moment in interpreter.moments(state).ok()? {
        any |= !Evaluation::new(relation, &moment, &[]).holds(term).ok()?;
    }
    Some(any)
}

fn compare(relation: &Relation) -> Result<(), TestCaseError> {
    let Ok(interpreter) = Interpreter::new(relation) else { return Ok(()) };
    let Goal::Invariant(term) = relation.specifications[0].goal else { return Ok(()) };
    let space = RelationSpace::new(relation, &[Condition::Violates(term)], &[]).expect("small");
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let Ok(initial) = interpreter.initial() else { return Ok(()) };
    if space.trouble().is_some() {
        return Ok(());
    }
    prop_assert_eq!(&states(&space, &batch), &initial);
    let mut seen = initial;
    let mut open: VecDeque<Vec<u64>> = (0..batch.len()).map(|i| batch.state(i).to_vec()).collect();
    while let Some(words) = open.pop_front().filter(|_| seen.len() < 60) {
        let state = space.state(&words);
        let Ok(successors) = interpreter.successors(&state) else { return Ok(()) };
        batch.clear();
        expander.expand(&words, &mut batch);
        let found = expander.violated(&words) == 1;
        let Some(expected) = violated(relation, &interpreter, &state) else { return Ok(()) };
        if space.trouble().is_some() {
            return Ok(());
        }
        prop_assert_eq!(&states(&space, &batch), &successors.into_keys().collect());
        prop_assert_eq!(found, expected);
        prop_assert_eq!(batch.deadlock(), batch.is_empty());
        for i in 0..batch.len() {
            let next = batch.state(i);
            // What is told of a step is one.
            let moment = space.moment(&words, Some(next), None).expect("inputs");
            prop_assert!(relation.admits(&moment).unwrap_or(false));
            prop_assert!(relation.is_step(&moment, &space.state(next)).unwrap_or(false));
            if seen.insert(space.state(next)) {
                open.push_back(next.to_vec());
            }
        }
        if found {
            let moment = space.moment(&words, None, Some(0)).expect("inputs");
            if relation.is_initial(&moment).unwrap_or(false) {
                let run = Run { moments: vec![moment], back: None };
                prop_assert_eq!(
                    relation.confirm_violation(&run, &relation.specifications[0].goal),
                    Ok(())
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn oracle_relational(relation in random::relation()) {
        compare(&relation)?;
    }
}
