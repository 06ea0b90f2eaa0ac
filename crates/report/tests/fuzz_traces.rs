//! Fuzzing: whatever the text, a stored trace or one of SPIN's trails is read
//! without a panic. `scripts/fuzz trace` and `scripts/fuzz trail` go on
//! for as long as wanted.
#![allow(clippy::expect_used)]

use std::path::Path;

use homing_fuzz::Texts;
use homing_ir::Network;
use homing_lang::{Settings, by_extension};
use homing_report::{trace_file, trail};

/// A program whose steps are single, atomic, joint and endless.
const MODEL: &str = "byte x; chan c = [0] of { byte };
active proctype P() { do :: x < 2 -> x++ :: c!x :: atomic { x == 2 -> x = 0; x = 1 } od }
active proctype Q() { do :: c?x :: d_step { x > 0; x = 0 } od }";

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "{", "}", "[", "]", ":", ",", "\"", "\"format\"", "\"model\"", "\"property\"", "\"steps\"",
    "\"edges\"", "\"process\"", "\"edge\"", "\"then\"", "\"repeats\"", "\"delay\"", "\"P\"", "\"Q\"",
    "0", "1", "2", "-1", "-2", "-4", "99999999999999999999", "null", "true", "\n", " ", "§", "\\",
];

fn model() -> Network {
    let promela = by_extension("pml").expect("Promela is read");
    let parsed = (promela.parse)("fuzz.pml", MODEL, &Settings::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.network
}

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[(
        r#"{"format":"homing-trace","version":1,"model":"","property":"","steps":[{"edges":["#,
        "]}]}",
    )],
};

#[test]
fn fuzz_trace() {
    let network = model();
    bolero::check!().with_iterations(20_000).for_each(|input: &[u8]| {
        let text = TEXTS.text(input);
        if let Err(error) = trace_file::decode(Path::new("fuzz.trace"), &text, &network) {
            assert!(!error.to_string().is_empty());
        }
    });
}

/// A trail is three numbers a line; where the first byte is 255, two bytes are a line.
fn trail_of(input: &[u8]) -> String {
    let Some((255, steps)) = input.split_first() else { return TEXTS.text(input) };
    let lines = steps.chunks(2).enumerate().map(|(depth, step)| {
        let [process, statement] = [step[0] % 4, step.get(1).copied().unwrap_or(0) % 24];
        format!("{}:{process}:{statement}\n", depth + 1)
    });
    lines.collect()
}

#[test]
fn fuzz_trail() {
    let network = model();
    bolero::check!().with_iterations(15_000).for_each(|input: &[u8]| {
        if let Err(error) = trail::decode(Path::new("fuzz.trail"), &trail_of(input), &network) {
            assert!(!error.to_string().is_empty());
        }
    });
}
