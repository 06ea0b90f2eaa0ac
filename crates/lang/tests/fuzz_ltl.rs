//! Fuzzing: whatever the text, a formula is read without a panic, and what is said
//! of it can be placed. `scripts/fuzz ltl` goes on for as long as wanted.

use homing_fuzz::Texts;
use homing_lang::ltl;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "[]", "<>", "G ", "F ", "X ", " U ", " W ", " R ", " V ", " M ", "!", "&&", "||", "->", "<->",
    "(", ")", "p", "q", "P->x", "x == 1", "\"a b\"", "\"", "true", "false", " and ", " or ",
    "not ", "{", "}", "[", "]", "1", ".", "@", ";", " ", "§", "\0",
];

fn read(text: &str) {
    for foreign in [true, false] {
        if let Err(problem) = ltl::parse_with(text, &|_| foreign) {
            assert!(!problem.message.is_empty());
            assert!(problem.range.start <= text.len(), "{text}: {:?}", problem.range);
        }
    }
}

const TEXTS: Texts = Texts { words: WORDS, frames: &[("[] (p -> ", ")")] };

#[test]
fn fuzz_ltl() {
    bolero::check!().with_iterations(40_000).for_each(|input: &[u8]| read(&TEXTS.text(input)));
}
