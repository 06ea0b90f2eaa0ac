//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. Under `cargo test` this runs briefly on random texts and
//! on mutations of whole models.

use homing_ir::Sources;

use super::{EVERYTHING, Outcome, outcome};
use crate::promela::read::read_expression;
use crate::reports::Reports;

/// Words in whose combinations errors of the parser hide.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "byte ", "chan ", "mtype ", "typedef ", "R ", "unsigned ", "hidden ", "local ",
    "proctype ", "active ", "init ", "inline ", "never ", "trace ", "ltl ", "P", "f", "x", "c",
    "{", "}", "(", ")", "[", "]", "if ", "fi ", "do ", "od ", "::", ":", ";", "->", "else ",
    "for ", "in ", "select ", "..", "break ", "goto ", "atomic ", "d_step ", "unless ",
    "run ", "assert ", "printf(", "\"t\"", "return ", "eval(", "len(", "empty(", "timeout ",
    "np_ ", "skip ", "1", "70000", "99999999999", "3x", "0..3", "'a'", "'", "\"",
    "!", "!!", "?", "??", "<", ">", "=", "==", "++", "--", "+", "-", "*", "/", "%", "&&", "||",
    "~", "@", ",", ".", "[] ", "<> ", "U ", "priority ", "provided ", "xr ", "c_code ", "c_expr ",
    "\n", "\n#define M(a, b) a ## b #a\n", "\n#define N M(x, N) N\n", "M(", "N ", "\n#if ",
    "\n#else\n", "\n#endif\n", "\n#include \"x\"\n", "\n#undef M\n", "#", "##", "\\\n", "/*", "*/",
    "//", "__LINE__", "§", "\\", "$",
];

/// A beginning that makes more of what follows meaningful.
const PREAMBLE: &str = "byte x; chan c = [1] of {byte}; typedef R { byte y };
inline f(a, b) { a = b; f(a) }
init { ";

fn check(text: &str) -> Outcome {
    let outcome = outcome("fuzz.pml", text);
    for diagnostic in &outcome.diagnostics {
        outcome.sources.position(diagnostic.span);
        outcome.sources.text(diagnostic.span);
        diagnostic.related.iter().for_each(|(span, _)| {
            outcome.sources.position(*span);
        });
    }
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let expr = read_expression(text, "<goal>", &mut sources, &mut reports);
    assert!(expr.is_some() || reports.failed(), "{text}");
    outcome
}

#[test]
fn fuzz_promela() {
    bolero::check!().with_iterations(6_000).for_each(|input: &[u8]| {
        check(&String::from_utf8_lossy(input));
        let word = |byte: &u8| WORDS[usize::from(*byte) % WORDS.len()];
        let words: String = input.iter().map(word).collect();
        check(&words);
        check(&format!("{PREAMBLE}{words}"));
        check(&format!("{PREAMBLE}if :: {words} fi }}"));
        check(&format!("ltl p {{ {words} }}"));
    });
}

/// Words of a model are left out, doubled, swapped and replaced.
#[test]
fn fuzz_mutations() {
    let words: Vec<&str> =
        EVERYTHING.split_inclusive([' ', '\n', ';', '(', ')', '{', '}']).collect();
    bolero::check!().with_iterations(6_000).for_each(|input: &[u8]| {
        let mut mutated = words.clone();
        for change in input.chunks_exact(4) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % mutated.len();
            let other = usize::from(change[2]) * 7 % mutated.len();
            match change[3] % 4 {
                0 => drop(mutated.remove(at)),
                1 => mutated.insert(at, mutated[other]),
                2 => mutated.swap(at, other),
                _ => mutated[at] = WORDS[usize::from(change[2]) % WORDS.len()],
            }
        }
        check(&mutated.concat());
    });
}
