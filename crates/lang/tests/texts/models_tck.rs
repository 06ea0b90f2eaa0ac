//! The project's own models in TChecker's language mean what their first lines say,
//! according to the region graph over the reference interpreter.

use std::fs;

use crate::support::expectations::{Subject, verdict};
use crate::support::{mean_what_they_say, models, render_all};
use homing_ir::Network;
use homing_ir::interp::Interpreter;
use homing_ir::network::Expr;
use homing_ir::random::regions::Regions;
use homing_lang::tck;

/// What the interpreter finds for the subject of an expectation.
fn observe(network: &mut Network, subject: &Subject) -> String {
    let goal: Vec<Expr> = match subject {
        Subject::Goal(goal) => vec![
            tck::expression(network, goal, "<goal>")
                .unwrap_or_else(|said| panic!("{}", render_all(&network.sources, &said))),
        ],
        _ => Vec::new(),
    };
    let interpreter = match Interpreter::new(network) {
        Ok(interpreter) => interpreter,
        Err(said) => panic!("{}", render_all(&network.sources, &said)),
    };
    let found = Regions::explore(&interpreter, &goal, 100_000);
    assert!(found.complete, "too many regions");
    match (subject, &goal[..]) {
        (Subject::Deadlock, _) => verdict(found.deadlock_distance()),
        (Subject::Error, _) => {
            verdict(found.faults.iter().map(|region| found.depths[*region] + 1).min())
        }
        (Subject::Goal(_), [goal]) => verdict(found.distance(&interpreter, goal)),
        _ => panic!("timed models have no such thing"),
    }
}

#[test]
fn models_mean_what_they_say() {
    mean_what_they_say("tck", tck::parse, observe);
}

/// Cut anywhere, a model is still read without harm.
#[test]
fn every_beginning_of_a_model_is_read() {
    for path in models("tck").into_iter().chain(models("tck/bad")) {
        let text = fs::read_to_string(&path).unwrap();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let parsed = tck::parse("cut.tck", &text[..end]);
            assert!(!parsed.network.sources.get(homing_ir::SourceId(0)).name.is_empty());
        }
    }
}

/// Any few characters changed, a model is still read without harm, and goals too.
#[test]
fn damaged_models_are_read() {
    let pieces = ["{", "}", ":", "#", "((((", "!", "\n", "é", "x", "99999999999999999999", "&&"];
    for path in models("tck") {
        let text = fs::read_to_string(&path).unwrap();
        for (i, piece) in (0..text.len()).step_by(7).zip(pieces.iter().cycle()) {
            if text.is_char_boundary(i) {
                let damaged = format!("{}{piece}{}", &text[..i], &text[i..]);
                let mut parsed = tck::parse("damaged.tck", &damaged);
                let goal = &damaged[damaged.len().saturating_sub(20)..];
                let _ = tck::expression(&mut parsed.network, goal, "<goal>");
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let model = |value: &str| {
        format!(
            "system:s\nint:1:0:9:0:n\nprocess:P\nevent:e\nlocation:P:a{{initial:}}\n\
             edge:P:a:a:e{{{value}}}\n"
        )
    };
    for (open, inner, close) in [("(", "n", ")"), ("!", "n", ""), ("-", "n", ""), ("n[", "0", "]")]
    {
        let value = format!("provided: {}{inner}{}", open.repeat(100_000), close.repeat(100_000));
        assert!(!tck::parse("deep.tck", &model(&value)).usable());
    }
    let nested = format!("do: {}nop{}", "if n then ".repeat(100_000), " end".repeat(100_000));
    assert!(!tck::parse("deep.tck", &model(&nested)).usable());
    let long = format!("provided: n{}", " + n".repeat(100_000));
    assert!(!tck::parse("deep.tck", &model(&long)).usable());
    let wide = format!("provided: n == 0{}", " && n == 0".repeat(10_000));
    assert!(tck::parse("wide.tck", &model(&wide)).usable());
}
