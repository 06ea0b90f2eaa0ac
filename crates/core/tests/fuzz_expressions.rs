//! Fuzzing: whatever the text, a strategy expression is read without a panic, and
//! what is said of it can be placed. `scripts/fuzz strategy` goes on for as
//! long as wanted.

use homing_core::expression::{Expression, ExpressionError, parse, parse_several};
use homing_fuzz::Texts;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "astar", "max", "x", "prefer", "(", ")", "[", "]", ",", "=", ";", " ", "'", "\"", "1", "0.5",
    "99999999999999999999", "-", "_", "k-best", "§", "\\", "\n", "\0",
];

fn placed<T>(text: &str, read: Result<T, ExpressionError>) -> Option<T> {
    read.map_err(|error| assert!(error.at <= text.len(), "{text}")).ok()
}

fn read(text: &str) {
    if let Some(Expression::Call(call)) = placed(text, parse(text)) {
        let _ = call.number("k", 1);
        assert!(call.unnamed().count() <= text.len());
    }
    placed(text, parse_several(text));
}

const TEXTS: Texts = Texts { words: WORDS, frames: &[("astar(max([", "]))")] };

#[test]
fn fuzz_strategy() {
    bolero::check!().with_iterations(40_000).for_each(|input: &[u8]| read(&TEXTS.text(input)));
}
