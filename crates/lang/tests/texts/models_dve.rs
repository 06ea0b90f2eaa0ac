//! The project's own DVE models mean what their first lines say, according to
//! the reference interpreter.

use std::fs;

use crate::support::expectations::Subject;
use crate::support::{explored, mean_what_they_say, models};
use homing_ir::Network;
use homing_lang::dve;

fn observe(network: &mut Network, subject: &Subject) -> String {
    explored(network, subject, dve::expression)
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
