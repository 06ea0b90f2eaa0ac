//! Fuzzing: whatever the text, a model in PRISM's language is read without a panic, and what
//! is said of it can be placed; so is a goal. `scripts/fuzz prism` goes on for as long as
//! wanted.

use homing_fuzz::Texts;
use homing_lang::{Settings, prism};

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "dtmc ", "ctmc ", "mdp ", "pta ", "const ", "int ", "double ", "bool ", "rate ", "formula ",
    "label ", "\"a\"", "\"deadlock\"", "global ", "module ", "endmodule ", "rewards ",
    "endrewards ", "init ", "endinit ", "system ", "endsystem ", "true ", "false ", "M ", "N ",
    "x ", "y ", "b ", "f ", "a ", "[", "]", "[a]", "(", ")", "{", "}", "'=", "(x'=", "->", "<-",
    "=>", "<=>", "||", "|||", "|[", "]|", "..", ":", ";", ",", "?", "&", "|", "!", "=", "!=", "<",
    "<=", ">", ">=", "+", "-", "*", "/", "^", "0", "1", "2", "0.5", "1e-3", "1e400", "2147483647",
    "99999999999", "min(", "max(", "floor(", "ceil(", "round(", "pow(", "mod(", "log(", "func(",
    "//", "\n", "\"", "§", "\0",
];

/// A beginning that makes more of what follows meaningful.
macro_rules! beginning {
    ($more:literal) => {
        concat!(
            "const int N; const double p = 0.5; formula f = x+y; global y : [0..2];",
            "module M x : [0..3]; b : bool; [a] x=0 -> p : (x'=f) + 1-p : (b'=!b); ",
            $more
        )
    };
}

const TEXTS: Texts = Texts {
    words: WORDS,
    frames: &[
        ("", ""),
        (beginning!(""), " endmodule"),
        (beginning!("[] "), " -> true; endmodule"),
        (beginning!("[] true -> "), "; endmodule"),
        (beginning!("endmodule module K = M [x=z, b=c] endmodule "), ""),
    ],
};

#[test]
fn fuzz_prism() {
    let constants = ["N=2".to_string()];
    bolero::check!().with_iterations(30_000).for_each(|input: &[u8]| {
        let settings = Settings { constants: &constants, ..Settings::default() };
        let text = TEXTS.text(input);
        let mut parsed = prism::parse("fuzz.prism", &text, &settings);
        for diagnostic in &parsed.diagnostics {
            parsed.network.sources.position(diagnostic.span);
            parsed.network.sources.text(diagnostic.span);
        }
        if parsed.usable() {
            assert_eq!(homing_ir::wellformed::check(&parsed.network), [], "{text}");
            let goal: String = text.chars().rev().take(12).collect();
            let _ = prism::expression(&mut parsed.network, &goal, "<goal>");
        } else {
            assert!(!parsed.diagnostics.is_empty());
        }
    });
}
