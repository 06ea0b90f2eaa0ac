//! Fuzzing: whatever the text, an automaton in the Hanoi format is read without a
//! panic, and one that is read can be written and read again. `scripts/fuzz hoa` goes on for as long as wanted.

use homing_fuzz::Texts;
use homing_omega::hoa;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "HOA: v1\n", "name: ", "\"a\" ", "States: ", "Start: ", "AP: ", "acc-name: ", "Buchi ",
    "generalized-Buchi ", "Acceptance: ", "Inf(", "Fin(", ")", "t ", "f ", "&", "|", "!", "0 ",
    "1 ", "2 ", "99999999999 ", "Alias: ", "@a ", "--BODY--\n", "--END--\n", "--ABORT--\n",
    "State: ", "[", "]", "{", "}", "\"", "/*", "*/", "\n", "properties: ", "deterministic ",
    "tool: ", "x: ", "(", "\\", "§", "\0",
];

/// A beginning that makes more of what follows meaningful.
macro_rules! beginning {
    ($more:literal) => {
        concat!(
            "HOA: v1\nStates: 3\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\n",
            "Acceptance: 1 Inf(0)\n--BODY--\n",
            $more
        )
    };
}

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[(beginning!(""), ""), (beginning!("State: 0 "), "\nState: 1\nState: 2\n--END--\n")],
};

fn read(text: &str) {
    match hoa::read(text) {
        Ok(read) => {
            let name = read.name.unwrap_or_default();
            let written = hoa::write(&read.automaton, &read.atoms, &name);
            assert!(hoa::read(&written).is_ok(), "{text}\nis written as\n{written}");
        }
        Err(problem) => assert!(!problem.message.is_empty()),
    }
}

#[test]
fn fuzz_hoa() {
    bolero::check!().with_iterations(60_000).for_each(|input: &[u8]| read(&TEXTS.text(input)));
}
