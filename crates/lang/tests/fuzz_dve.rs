//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. Under `cargo test` this runs briefly on random texts;
//! `cargo bolero test -p homing-lang fuzz_dve` goes on for as long as wanted.

use homing_lang::{Parsed, dve};

/// Words in whose combinations errors of the parser hide.
const WORDS: &[&str] = &[
    "byte ",
    "int ",
    "bool ",
    "const ",
    "channel ",
    "process ",
    "P",
    "Q",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "state ",
    "init ",
    "commit ",
    "accept ",
    "assert ",
    "trans ",
    "a",
    "b",
    "x",
    "c",
    "->",
    "=>",
    "guard ",
    "sync ",
    "effect ",
    ";",
    ",",
    ":",
    "!",
    "?",
    "=",
    "==",
    "1",
    "70000",
    "true",
    " and ",
    " or ",
    "not ",
    " imply ",
    "-",
    "+",
    "/",
    "%",
    "<<",
    "~",
    ".",
    "..",
    "for ",
    "key ",
    "property ",
    "system ",
    "async",
    "sync",
    "/*",
    "*/",
    "//",
    "\n",
    "§",
    "3x",
    "\\",
    "\0",
];

/// A beginning that makes more of what follows meaningful.
const PREAMBLE: &str = "byte x, y[3]; channel c, {byte} d[2]; process P { state a, b; init a; ";

fn read(text: &str) -> Parsed {
    let mut parsed = dve::parse("fuzz.dve", text);
    for diagnostic in &parsed.diagnostics {
        parsed.network.sources.position(diagnostic.span);
        parsed.network.sources.text(diagnostic.span);
    }
    if let Err(said) = dve::expression(&mut parsed.network, text, "<goal>") {
        assert!(!said.is_empty());
    }
    parsed
}

#[test]
fn fuzz_dve() {
    bolero::check!().with_iterations(20_000).for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        read(&text);
        let word = |byte: &u8| WORDS[usize::from(*byte) % WORDS.len()];
        let words: String = input.iter().map(word).collect();
        read(&words);
        read(&format!("{PREAMBLE}{words}"));
        read(&format!("{PREAMBLE}trans a -> b {{ guard {words}; }}; }} system async;"));
    });
}
