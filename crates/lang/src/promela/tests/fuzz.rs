//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. Under `cargo test` this runs briefly on random texts and
//! on whole models with changes, which are made networks of.

use homing_fuzz::{Texts, pieces};

use super::{EVERYTHING, outcome};
use crate::Settings;
use crate::promela::LANGUAGE;

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
macro_rules! beginning {
    ($more:literal) => {
        concat!(
            "byte x; chan c = [1] of {byte}; typedef R { byte y };\n",
            "inline f(a, b) { a = b; f(a) }\ninit { ",
            $more
        )
    };
}

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[(beginning!(""), ""), (beginning!("if :: "), " fi }"), ("ltl p { ", " }")],
};

/// A small model of which much can be made.
const SMALL: &str = "mtype = { a, b }; typedef R { byte x; bit y[2] }; R r; byte g = 1;
chan c = [1] of { mtype, byte }; chan d = [0] of { byte };
inline step(v) { v = (v + 1) % 3 }
proctype Q(byte n; chan q) { byte k; do :: q!a,n -> step(n) :: n > 2 -> break od }
active [2] proctype P() provided (g < 3) {
  byte i; mtype m; pid p;
  p = run Q(1, c);
start: if :: c?m,i -> goto start :: c??b,i :: d!g :: else -> skip fi;
  atomic { g > 0 -> r.y[g % 2] = 1; d?i } unless { timeout };
  for (i : 0 .. 1) { d_step { g++; g-- } }
  assert(g < 4 && len(c) < 2); end: skip }
ltl p { [] (g < 3 -> <> (g == 0)) }
never { T0: do :: P[1]@start -> break :: true od }
";

#[test]
fn fuzz_promela() {
    bolero::check!().with_iterations(24_000).for_each(|input: &[u8]| {
        let outcome = outcome("fuzz.pml", &TEXTS.text(input));
        for diagnostic in &outcome.diagnostics {
            outcome.sources.position(diagnostic.span);
            outcome.sources.text(diagnostic.span);
            diagnostic.related.iter().for_each(|(span, _)| {
                outcome.sources.position(*span);
            });
        }
    });
}

/// Whole models, with changes, all the way to the network.
#[test]
fn fuzz_models() {
    let models = [pieces(SMALL), pieces(EVERYTHING)];
    bolero::check!().with_iterations(300).for_each(|input: &[u8]| {
        let Some((first, changes)) = input.split_first() else { return };
        let text = TEXTS.changed(&models[usize::from(*first > 200)], changes);
        let parsed = (LANGUAGE.parse)("fuzz.pml", &text, &Settings::default());
        for diagnostic in &parsed.diagnostics {
            parsed.network.sources.position(diagnostic.span);
        }
    });
}
