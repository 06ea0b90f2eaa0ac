//! Fuzzing: whatever the text, a goal or a formula over a model of any language is read
//! without a panic, or refused with a reason. `scripts/fuzz goals` goes on for as long as
//! wanted.
#![allow(clippy::expect_used)]

use homing_fuzz::Texts;
use homing_ir::Network;
use homing_lang::{Language, Settings, by_extension, formula};

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "x", "y", "a", "P", "P1", "c", "s", "S", "k", ".", "->", "@", "[", "]", "(", ")", ":", "0", "1",
    "-1", "256", "99999999999999999999", "==", "!=", "<", "<=", ">", ">=", "=", "+", "-", "*", "/",
    "%", "&", "|", "^", "~", "<<", ">>", "&&", "||", "!", " and ", " or ", "not ", " imply ", "true",
    "false", "len(", "empty(", "full(", "nfull(", "_nr_pr", "_pid", "timeout", "np_", "enabled(",
    "eval(", "run ", "forall (i : int[1,1]) ", "exists (i : id) ", "deadlock", "?", "<?", "\"a\"",
    "[]", "<>", " U ", " W ", "X ", "{", "}", ",", ";", " ", "\n", "'", "\"", "§", "\0",
];

const TEXTS: Texts = Texts { words: WORDS, frames: &[("x == ", ""), ("!(", ")"), ("[] (", ")")] };

/// One value a bound variable: forty quantifiers in a row are written out as one formula.
const MODELS: [(&str, &str); 4] = [
    (
        "dve",
        "byte x, y[3]; int k; channel {byte} c[2]; process P { state s, S; init s; \
         trans s -> S { guard x < 2; effect x = x + 1; }; } system async;",
    ),
    (
        "pml",
        "byte x; int y[3]; typedef R { byte k }; R a; chan c = [1] of { byte };\n\
         active [2] proctype P() { byte k; s: x++; S: c!k }",
    ),
    (
        "tck",
        "system:m\nclock:1:x\nint:2:0:2:0:y\nint:1:0:2:0:k\nevent:e\nprocess:P\n\
         location:P:s{initial:}\nlocation:P:S\nedge:P:s:S:e{provided: x > 1}",
    ),
    (
        "xta",
        "clock x; int y[3]; typedef int[1,1] id; struct { int k; } a; process P(id k) { state s, \
         S; init s; trans s -> S { guard x > k; }; } P1 = P(1); system P1;",
    ),
];

fn models() -> Vec<(&'static Language, Network)> {
    let read = |(extension, text): (&str, &str)| {
        let language = by_extension(extension).expect("it is a language");
        let parsed = (language.parse)("fuzz", text, &Settings::default());
        assert!(parsed.usable(), "{extension}: {:?}", parsed.diagnostics);
        (language, parsed.network)
    };
    MODELS.map(read).into()
}

/// The first byte chooses the language, and whether it is a formula.
#[test]
fn fuzz_goals() {
    let models = models();
    bolero::check!().with_iterations(40_000).for_each(|input: &[u8]| {
        let Some((first, rest)) = input.split_first() else { return };
        let (language, network) = &models[usize::from(*first) % models.len()];
        let (mut network, text) = (network.clone(), TEXTS.text(rest));
        let wrong = match first / 4 % 2 {
            0 => (language.expression)(&mut network, &text, "<goal>").err(),
            _ => formula(language, &mut network, &text, "<formula>").err(),
        };
        for diagnostic in wrong.iter().inspect(|list| assert!(!list.is_empty())).flatten() {
            network.sources.position(diagnostic.span);
        }
    });
}
