//! AIGER and BTOR2: what texts become, what is said of texts that are none, models of the
//! corpus, and any text at all.

#![allow(clippy::expect_used, reason = "what a test expects must be there")]

use std::fs;
use std::path::{Path, PathBuf};

use homing_fuzz::Texts;
use homing_ir::relation::{Goal, Interpreter};
use homing_lang::{Parsed, aiger, btor2};

#[path = "../../../tests/support/corpus.rs"]
mod corpus;

/// The first message, with its line and column.
fn message(parsed: &Parsed) -> String {
    let Some(first) = parsed.diagnostics.first() else { return "read".into() };
    let place = parsed.network.sources.position(first.span);
    format!("{}:{}: {}", place.line, place.column, first.message)
}

fn aiger(text: &str) -> Parsed {
    aiger::parse("model.aag", text)
}

fn btor2(text: &str) -> Parsed {
    btor2::parse("model.btor2", text)
}

#[test]
fn a_toggle_has_two_states() {
    // The latch toggles where the input is set.
    let text = "aag 5 1 1 0 3 1\n2\n4 11\n11\n6 2 5\n8 3 4\n10 7 9\ni0 enable\nl0 light\nb0 lit\n";
    let parsed = aiger(text);
    assert_eq!(message(&parsed), "read");
    let relation = parsed.network.relation.expect("a relation");
    assert_eq!(relation.variables[1].name, "light");
    assert_eq!(relation.specifications[0].name, "lit");
    let interpreter = Interpreter::new(&relation).expect("an order");
    let initial = interpreter.initial().expect("no failure");
    let first = initial.first().expect("a state").clone();
    assert_eq!((initial.len(), interpreter.successors(&first).expect("no failure").len()), (1, 2));
}

#[test]
fn binary_files_are_those_in_ascii() {
    // A gate of two inputs: 6 = 4 & 2.
    let binary = "aig 3 2 0 1 1\n6\n\u{2}\u{2}c\nthe end\u{ff}\n";
    let ascii = "aag 3 2 0 1 1\n2\n4\n6\n6 4 2\n";
    let terms = |parsed: Parsed| {
        assert_eq!(message(&parsed), "read");
        let relation = parsed.network.relation.expect("a relation");
        let Goal::Invariant(term) = relation.specifications[0].goal else { panic!("an invariant") };
        (relation.terms.len(), term)
    };
    assert_eq!(terms(aiger(binary)), terms(aiger(ascii)));
    assert!(aiger::is_binary(binary.as_bytes()) && !aiger::is_binary(ascii.as_bytes()));
}

#[test]
fn circuits_that_are_none_are_refused() {
    for (text, expected) in [
        ("", "1:1: a file begins with `aag` or `aig`"),
        ("aag 1 2 0 0 0\n2\n4\n", "the header lies: 2 inputs, 0 latches and 0 gates are not 1"),
        ("aag 900000000 0 0 900000000 0\n", "the header lies: it promises more"),
        ("aig 900000000 900000000 0 0 0\n", "there are more than 10000000 inputs"),
        ("aag 99999999999 0 0 0 0\n", "1:5: the number is too large"),
        ("aag 1 0 0 1 0\n2\n", "2:1: the literal 2 is not defined"),
        ("aag 1 0 0 1 0\n4\n", "2:1: the literal 4 is larger than the header allows"),
        ("aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n", "depends on itself"),
        ("aag 1 0 0 0 1\n2 2 2\n", "read"),
        ("aag 1 1 0 0 0\n3\n", "2:1: a literal that is defined must be even"),
        ("aag 1 1 0 0 0\n", "2:1: expected a literal"),
        ("aag 2 2 0 0 0\n2\n2\n", "3:1: the literal 2 is defined twice"),
        ("aag 1 0 1 0 0\n2 0 3\n", "2:5: a latch begins with 0, 1 or itself"),
        ("aag 0 0 0 0 0\ni0 x\n", "there is nothing at this position"),
        ("aig 1 0 0 0 1\n\u{3}\u{0}", "a gate must come after"),
        ("aig 1 0 0 0 1\n", "2:1: the file ends within the gates"),
    ] {
        let found = message(&aiger(text));
        assert!(found.contains(expected), "{text:?}: {found}");
    }
}

#[test]
fn lines_that_are_none_are_refused() {
    for (text, expected) in [
        ("1 sort bitvec 0\n", "1:15: a word has one bit at least"),
        ("1 sort bitvec 99999999\n", "too wide"),
        ("1 sort bitvec 8\n2 add 1 3 3\n3 zero 1\n", "2:9: there is no node 3 before this line"),
        ("1 sort bitvec 8\n1 zero 1\n", "2:1: the number must be larger than 1"),
        ("1 sort bitvec 8\n2 zero 1\n3 ad 1 2 2\n", "`ad` is no kind of node; is it `add`?"),
        ("1 sort bitvec 8\n2 const 1 2\n", "no constant of 8 bits in base 2"),
        ("1 sort bitvec 8\n2 constd 1 256\n", "no constant of 8 bits in base 10"),
        ("1 sort bitvec 8\n2 constd 1 -128\n", "read"),
        ("1 sort bitvec 8\n2 constd 1 -129\n", "does not fit into 8 bits"),
        ("1 sort bitvec 8\n2 zero 1\n3 bad 2\n", "the operand is a word of 8 bits"),
        ("1 sort bitvec 8\n2 sort bitvec 4\n3 zero 1\n4 zero 2\n5 add 1 3 4\n", "3:3: the"),
        ("1 sort bitvec 8\n2 input 1\n3 next 1 2 2\n", "3:10: expected the number of a state"),
        ("1 sort bitvec 8\n2 state 1\n3 next 1 2 2\n4 next 1 2 2\n", "was said of the state"),
        ("1 sort bitvec 8\n2 zero 1 a b\n", "2:12: expected the end of the line"),
        // What needs a line that was left out is not complained about.
        ("1 sort bitvec 0\n2 zero 1\n3 neg 1 2\n", "1:15: a word has one bit at least"),
        ("x\n", "1:1: a line begins with the number of its node"),
        ("; nothing\n\n", "read"),
    ] {
        let parsed = btor2(text);
        let found = message(&parsed);
        let place = expected.starts_with("3:3") && found.starts_with("5:3");
        assert!(place || found.contains(expected), "{text:?}: {found}");
        assert!(parsed.diagnostics.len() <= 1, "{text:?}");
    }
}

#[test]
fn words_may_be_wide() {
    let text = "1 sort bitvec 10000\n2 state 1 x\n3 ones 1\n4 init 1 2 3\n5 mul 1 2 2\n\
                6 next 1 2 5\n7 sort bitvec 1\n8 one 1\n9 neq 7 2 8\n10 constraint 9\n";
    let parsed = btor2(text);
    assert_eq!(message(&parsed), "read");
    let relation = parsed.network.relation.expect("a relation");
    let interpreter = Interpreter::new(&relation).expect("an order");
    assert_eq!(interpreter.initial().expect("no failure").len(), 1);
}

#[test]
fn many_gates_are_read() {
    use std::fmt::Write;
    let mut text = String::from("aag 200001 1 0 1 200000\n2\n400002\n");
    for gate in 1..=200_000 {
        writeln!(text, "{} {} 2", 2 * gate + 2, 2 * gate + 1).expect("written");
    }
    assert_eq!(message(&aiger(&text)), "read");
}

/// The files of the corpus with these endings.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut left: Vec<PathBuf> = corpus::corpus(folder).into_iter().collect();
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path).expect("a folder").map(|e| e.expect("an entry").path()),
            );
        } else if path.extension().is_some_and(|e| endings.iter().any(|one| e == *one)) {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn parsed(path: &Path) -> Parsed {
    let text = String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
    match path.extension().is_some_and(|ending| ending == "aag") {
        true => aiger(&text),
        false => btor2(&text),
    }
}

#[test]
fn corpus_circuits_are_read() {
    for path in files("aiger", &["aag"]).into_iter().chain(files("btor", &["btor", "btor2"])) {
        assert_eq!(message(&parsed(&path)), "read", "{}", path.display());
    }
}

#[test]
fn corpus_btor2tools_agrees_on_what_is_read() {
    let mut differing = Vec::new();
    for path in files("btor/btor2tools/test/tests", &["in"]) {
        let Ok(expected) = fs::read_to_string(path.with_extension("out")) else { continue };
        let ours = message(&parsed(&path)) == "read";
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if ours == expected.contains("parse error") {
            differing.push(name);
        }
    }
    if !files("btor/btor2tools/test/tests", &["in"]).is_empty() {
        assert_eq!(differing, DIFFERING);
    }
}

/// Blanks that `catbtor` does not take are no harm; it reads arrays of arrays, which we refuse.
const DIFFERING: &[&str] = &[
    "andtrailspace",
    "inputemptysym",
    "inputsymspace",
    "nonewlinecomment",
    "sortarraywarrayarg",
    "tab",
];

const AIGER: Texts = Texts {
    words: &[
        "aag ",
        "aig ",
        "\n",
        " ",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "99999999999",
        "i0 x",
        "l0 y",
        "b0 z",
        "c\n",
        "\u{2}",
        "\u{83}",
        "-2",
        "\0",
        "§",
    ],
    frames: &[
        ("", ""),
        ("aag 5 1 2 1 2 1 1 1 1\n", ""),
        ("aag 5 1 1 1 3\n2\n4 11\n4\n", "6 2 5\n"),
        ("aig 4 1 1 1 2\n8\n8\n", ""),
        ("aig 5 1 2 0 2 1 1 1 1\n", "\u{2}\u{2}\u{2}\u{2}"),
    ],
};

const BTOR2: Texts = Texts {
    words: &[
        "\n8 ",
        "\n9 ",
        " ",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "99999999999",
        "sort",
        "bitvec",
        "array",
        "input",
        "state",
        "init",
        "next",
        "bad",
        "constraint",
        "fair",
        "justice",
        "output",
        "zero",
        "one",
        "ones",
        "const",
        "constd",
        "consth",
        "add",
        "mul",
        "udiv",
        "srem",
        "sll",
        "rol",
        "slice",
        "uext",
        "ite",
        "read",
        "write",
        "eq",
        "slt",
        "not",
        "-2",
        "-",
        ";",
        "\0",
        "§",
        "concat",
        "smulo",
        "redxor",
    ],
    frames: &[
        ("", ""),
        (
            "1 sort bitvec 3\n2 sort bitvec 1\n3 sort array 2 1\n4 state 1\n5 input 2\n6 state 3\n7 ",
            "",
        ),
        ("1 sort bitvec 2\n2 state 1\n3 input 1\n4 ", "\n90 redor 1 4\n91 bad 90\n"),
    ],
};

/// Whatever the text, it is read or refused with a place.
fn is_told(parsed: &Parsed) {
    for diagnostic in &parsed.diagnostics {
        let _ = parsed.network.sources.position(diagnostic.span);
    }
    assert!(!parsed.diagnostics.is_empty() || parsed.network.relation.is_some());
}

#[test]
fn fuzz_aiger() {
    let each = bolero::check!().with_iterations(20_000);
    each.for_each(|input: &[u8]| is_told(&aiger(&AIGER.text(input))));
}

#[test]
fn fuzz_btor2() {
    let each = bolero::check!().with_iterations(20_000);
    each.for_each(|input: &[u8]| is_told(&btor2(&BTOR2.text(input))));
}
