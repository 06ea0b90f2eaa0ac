//! Fuzzing: whatever the text, a model in TChecker's language is read without a
//! panic, and what is said of it can be placed. `scripts/fuzz tck SECONDS` goes on
//! for as long as wanted.

use homing_lang::tck;

/// Words in whose combinations errors of the parser hide.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "system", "clock", "int", "event", "process", "location", "edge", "sync", ":", "\n", "{", "}",
    "initial:", "invariant:", "committed:", "urgent:", "labels:", "provided:", "do:", "P", "l0",
    "l1", "x", "i", "a", "@", "?", "1", "0", "2", "-1", "99999999999", " && ", "||", "!", "<", "<=",
    "==", "!=", ">", "=", ";", "[", "]", "(", ")", "+", "-", "*", "/", "%", "if ", " then ",
    " else ", " end", "while ", " do ", "local ", "nop", ",", "#", " ", "§", "\0",
];

/// A beginning that makes more of what follows meaningful.
const PREAMBLE: &str = "system:s\nclock:1:x\nint:1:0:2:0:i\nint:2:0:2:0:a\nevent:e\nprocess:P\n\
                        location:P:l0{initial:}\nlocation:P:l1\n";

fn read(text: &str) {
    let mut parsed = tck::parse("fuzz.tck", text);
    for diagnostic in &parsed.diagnostics {
        parsed.network.sources.position(diagnostic.span);
        parsed.network.sources.text(diagnostic.span);
    }
    if let Err(said) = tck::expression(&mut parsed.network, text, "<goal>") {
        assert!(!said.is_empty());
    }
}

#[test]
fn fuzz_tck() {
    bolero::check!().with_iterations(10_000).for_each(|input: &[u8]| {
        read(&String::from_utf8_lossy(input));
        let word = |byte: &u8| WORDS[usize::from(*byte) % WORDS.len()];
        let words: String = input.iter().map(word).collect();
        read(&words);
        read(&format!("{PREAMBLE}{words}"));
        read(&format!("{PREAMBLE}edge:P:l0:l1:e{{provided: {words}}}"));
        read(&format!("{PREAMBLE}edge:P:l0:l1:e{{do: {words}}}"));
    });
}
