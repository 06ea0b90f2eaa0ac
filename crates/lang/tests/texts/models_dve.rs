//! The project's own DVE models mean what their first lines say, according to
//! the reference interpreter.

use std::fs;

use crate::support::expectations::{Subject, verdict};
use crate::support::{mean_what_they_say, models, render_all};
use homing_ir::Network;
use homing_ir::interp::{Exploration, Interpreter};
use homing_lang::dve;

/// What the interpreter finds for the subject of an expectation.
fn observe(network: &mut Network, subject: &Subject) -> String {
    let goal = match subject {
        Subject::Goal(goal) => Some(
            dve::expression(network, goal, "<goal>")
                .unwrap_or_else(|said| panic!("{}", render_all(&network.sources, &said))),
        ),
        _ => None,
    };
    let interpreter = match Interpreter::new(network) {
        Ok(interpreter) => interpreter,
        Err(said) => panic!("{}", render_all(&network.sources, &said)),
    };
    let found: Exploration = interpreter.explore(10_000);
    assert!(found.complete);
    match (subject, goal) {
        (Subject::States, _) => found.states.len().to_string(),
        (Subject::Deadlock, _) => {
            verdict(found.deadlocks.first().map(|state| found.depths[*state]))
        }
        (Subject::Error, _) => {
            verdict(found.faults.first().map(|fault| found.depths[fault.state] + 1))
        }
        (Subject::Assertion, _) => {
            verdict(found.distance(|state| !interpreter.violated_assertions(state).is_empty()))
        }
        (_, Some(goal)) => verdict(
            found.distance(|state| interpreter.eval(state, &goal).is_ok_and(|value| value != 0)),
        ),
        (Subject::Goal(_), None) => unreachable!("the goal was read above"),
    }
}

#[test]
fn models_mean_what_they_say() {
    mean_what_they_say("dve", dve::parse, observe);
}

/// Cut anywhere, a model is still read without harm, and with a complaint
/// where the last line is missing.
#[test]
fn every_beginning_of_a_model_is_read() {
    for path in models("dve").into_iter().chain(models("dve/bad")) {
        let text = fs::read_to_string(&path).unwrap();
        let whole = dve::parse("whole.dve", &text).usable();
        let last = text.trim_end().len();
        for end in (0..last).filter(|end| text.is_char_boundary(*end)) {
            let parsed = dve::parse("cut.dve", &text[..end]);
            assert!(!parsed.usable() || !whole, "{} cut at {end}", path.display());
        }
    }
}
