//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. `scripts/fuzz dve` goes on for as long as wanted.

use homing_fuzz::Texts;
use homing_lang::dve;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "byte ", "int ", "bool ", "const ", "channel ", "process ", "P", "Q", "{", "}", "(", ")", "[",
    "]", "state ", "init ", "commit ", "accept ", "assert ", "trans ", "a", "b", "x", "c", "->",
    "=>", "guard ", "sync ", "effect ", ";", ",", ":", "!", "?", "=", "==", "1", "70000", "true",
    " and ", " or ", "not ", " imply ", "-", "+", "/", "%", "<<", "~", ".", "..", "for ", "key ",
    "property ", "system ", "async", "sync", "/*", "*/", "//", "\n", "§", "3x", "\\", "\0",
];

const PROCESS: &str = "byte x, y[3]; channel c, {byte} d[2]; process P { state a, b; init a; ";
const GUARD: &str = "byte x, y[3]; channel c, {byte} d[2]; process P { state a, b; init a; \
                     trans a -> b { guard ";

const TEXTS: Texts =
    Texts { words: WORDS, frames: &[(PROCESS, ""), (GUARD, "; }; } system async;")] };

#[test]
fn fuzz_dve() {
    bolero::check!().with_iterations(60_000).for_each(|input: &[u8]| {
        let parsed = dve::parse("fuzz.dve", &TEXTS.text(input));
        for diagnostic in &parsed.diagnostics {
            parsed.network.sources.position(diagnostic.span);
            parsed.network.sources.text(diagnostic.span);
        }
    });
}
