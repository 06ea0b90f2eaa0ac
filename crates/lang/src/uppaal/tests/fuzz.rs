//! Fuzzing: whatever the text, it is read without a panic, and what is said of
//! it can be placed. Under `cargo test` this runs briefly on random texts and
//! on mutations of whole models.

use homing_ir::Sources;

use super::{EVERYTHING, EVERYTHING_XML, Outcome, outcome_with};
use crate::reports::Reports;

/// Words in whose combinations errors of the parser hide.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "int ", "bool ", "clock ", "chan ", "const ", "urgent ", "broadcast ", "meta ", "hybrid ",
    "typedef ", "struct ", "scalar", "void ", "double ", "T ", "x", "f", "P ", "process ", "state ",
    "commit ", "init ", "trans ", "select ", "guard ", "sync ", "assign ", "probability ",
    "branchpoint ", "system ", "priority ", "default ", "before_update ", "import ", "dynamic ",
    "IO ", "progress ", "gantt ", "query ", "for ", "while ", "do ", "if ", "else ", "return ",
    "break ", "continue ", "switch ", "assert ", "forall ", "exists ", "sum ", "spawn ", "exit ",
    "deadlock ", "and ", "or ", "not ", "imply ", "xor ", "true ", "E", "A", "<>", "[]", "-->",
    "sup", "inf", "bounds", "Pr", "simulate ", "control", "strategy ", "under ", "{", "}", "(",
    ")", "[", "]", ";", ",", ":", ".", "'", "=", ":=", "+=", "<<=", "==", "!=", "<", "<=", ">",
    "<?", ">?", "<<", "->", "-u->", "+", "-", "++", "--", "*", "**", "/", "&", "&&", "|", "^",
    "!", "?", "1", "2.5", "99999999999999999999", "3x", "\"t\"", "\"", "/*", "*/", "//", "\n",
    "\\\n", "§", "\u{feff}", "#", "@",
];

/// A beginning that makes more of what follows meaningful.
const PREAMBLE: &str = "int x; typedef int[0,1] T; process P() { state S; init S; trans S -> S { ";

fn check(text: &str) -> Outcome {
    let found = outcome_with("fuzz.xta", text, Some(("fuzz.q", text)));
    for diagnostic in &found.diagnostics {
        found.sources.text(diagnostic.span);
        let related = diagnostic.related.iter().map(|(span, _)| *span);
        related.chain([diagnostic.span]).for_each(|span| {
            found.sources.position(span);
            assert!(span.start <= span.end);
        });
    }
    found
}

fn check_goal(text: &str) {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let expr = crate::uppaal::goal("<goal>", text, &mut sources, &mut reports);
    assert!(expr.is_some() || reports.failed(), "{text}");
}

#[test]
fn fuzz_uppaal() {
    bolero::check!().with_iterations(4_000).for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        check(&text);
        check(&format!("<nta><declaration>{text}</declaration></nta>"));
        let word = |byte: &u8| WORDS[usize::from(*byte) % WORDS.len()];
        let words: String = input.iter().map(word).collect();
        check(&words);
        check_goal(&words);
        check(&format!("{PREAMBLE}{words}"));
        check(&format!("void f() {{ {words}"));
        let escaped = words.replace('&', "&amp;").replace('<', "&lt;");
        check(&format!("<nta><system>{escaped}</system></nta>"));
    });
}

/// Words of a model are left out, doubled, swapped and replaced.
#[test]
fn fuzz_mutations() {
    let cuts = [' ', '\n', ';', '(', ')', '{', '}', '>', '<', ','];
    for model in [EVERYTHING, EVERYTHING_XML] {
        let words: Vec<&str> = model.split_inclusive(cuts).collect();
        bolero::check!().with_iterations(3_000).for_each(|input: &[u8]| {
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
}
