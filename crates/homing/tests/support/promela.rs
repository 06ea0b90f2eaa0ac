//! What tests ask of Promela programs.
#![allow(dead_code, clippy::expect_used)]

use homing::report::outcome::Verdict;
use homing::{Hooks, Options};

/// The number of states.
pub fn states(text: &str) -> u64 {
    let model = homing::parse("model.pml", text).expect("it is read");
    let stats = homing::stats(&model, &Options::default(), Hooks::default());
    stats.expect("it can be explored").states
}

/// What is said of a property.
pub fn verdict(text: &str, property: &str) -> Verdict {
    let model = homing::parse("model.pml", text).expect("it is read");
    let options = Options { properties: vec![property.into()], ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("it can be checked");
    checked.outcome.results[0].verdict
}

/// Whether a property is violated.
pub fn violates(property: &str, text: &str) -> bool {
    verdict(text, property) == Verdict::Violated
}

/// Whether there is an invalid end state.
pub fn deadlocks(text: &str) -> bool {
    violates("deadlock", text)
}

/// What `pan` says: states, whether there is an invalid end state, whether an assertion
/// is violated.
pub fn check(text: &str, figures: (u64, bool, bool)) {
    let failed = violates("assertions", text) || violates("errors", text);
    assert_eq!((states(text), deadlocks(text), failed), figures, "{text}");
}
