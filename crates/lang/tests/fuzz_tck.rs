//! Fuzzing: whatever the text, a model in TChecker's language is read without a
//! panic, and what is said of it can be placed. `scripts/fuzz tck` goes on
//! for as long as wanted.

use homing_fuzz::Texts;
use homing_lang::tck;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "system", "clock", "int", "event", "process", "location", "edge", "sync", ":", "\n", "{", "}",
    "initial:", "invariant:", "committed:", "urgent:", "labels:", "provided:", "do:", "P", "l0",
    "l1", "x", "i", "a", "@", "?", "1", "0", "2", "-1", "99999999999", " && ", "||", "!", "<", "<=",
    "==", "!=", ">", "=", ";", "[", "]", "(", ")", "+", "-", "*", "/", "%", "if ", " then ",
    " else ", " end", "while ", " do ", "local ", "nop", ",", "#", " ", "§", "\0",
];

/// A beginning that makes more of what follows meaningful.
macro_rules! beginning {
    ($more:literal) => {
        concat!(
            "system:s\nclock:1:x\nint:1:0:2:0:i\nint:2:0:2:0:a\nevent:e\nprocess:P\n",
            "location:P:l0{initial:}\nlocation:P:l1\n",
            $more
        )
    };
}

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[
        (beginning!(""), ""),
        (beginning!("edge:P:l0:l1:e{provided: "), "}"),
        (beginning!("edge:P:l0:l1:e{do: "), "}"),
    ],
};

#[test]
fn fuzz_tck() {
    bolero::check!().with_iterations(50_000).for_each(|input: &[u8]| {
        let parsed = tck::parse("fuzz.tck", &TEXTS.text(input));
        for diagnostic in &parsed.diagnostics {
            parsed.network.sources.position(diagnostic.span);
            parsed.network.sources.text(diagnostic.span);
        }
    });
}
