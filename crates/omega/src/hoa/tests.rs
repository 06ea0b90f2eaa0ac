use super::*;
use crate::word::accepts;

fn wrong(text: &str, message: &str, line: usize, column: usize) {
    let problem = read(text).expect_err(text);
    let found = (problem.message.as_str(), problem.line, problem.column);
    assert_eq!(found, (message, line, column), "{text}");
}

fn body(header: &str, body: &str) -> String {
    format!("HOA: v1\n{header}\n--BODY--\n{body}\n--END--\n")
}

#[test]
fn what_is_written_is_read_again() {
    let automaton = Automaton {
        atoms: 2,
        sets: 2,
        initial: vec![1],
        states: vec![
            vec![transition(1, 2, 3, 0), transition(2, 0, 1, 1)],
            vec![transition(0, 0, 0, 0)],
        ],
    };
    let atoms = ["a".to_string(), "x == \"b\"".to_string()];
    let text = write(&automaton, &atoms, "a \\ \"name\"");
    let again = read(&text).expect("it was written by us");
    assert_eq!(again.automaton, automaton);
    assert_eq!(again.atoms, atoms);
    assert_eq!(again.name.as_deref(), Some("a \\ \"name\""));
}

fn transition(
    all_of: u64,
    none_of: u64,
    marks: u64,
    target: u32,
) -> homing_ir::automaton::Transition {
    let guard = homing_ir::automaton::Cube { all_of, none_of };
    homing_ir::automaton::Transition { guard, marks, target }
}

#[test]
fn states_may_be_accepting_and_labels_implicit() {
    let header = "States: 2 Start: 0 AP: 1 \"a\" acc-name: Buchi Acceptance: 1 Inf(0)";
    // Again and again `a`.
    let text = body(header, "State: 0 0 1 State: 1 \"good\" {0} /* a /* b */ */ 0 1");
    let automaton = read(&text).expect("a file").automaton;
    assert!(accepts(&automaton, &[0, 1], 0));
    assert!(!accepts(&automaton, &[1, 0], 1));
}

#[test]
fn aliases_stand_for_labels() {
    let header = "Start: 0 AP: 2 \"a\" \"b\" Alias: @x !(0 & 1) Alias: @y @x | 0&1 \
                  Acceptance: 2 Inf(1)";
    let automaton =
        read(&body(header, "State: 0 [!@x] 0 {1} [@y] 0 {0}")).expect("a file").automaton;
    assert_eq!(automaton.sets, 1);
    assert!(accepts(&automaton, &[3, 0], 0));
    assert!(!accepts(&automaton, &[3, 0, 1, 2], 1));
}

#[test]
fn what_is_not_read_is_named() {
    let header = |acceptance: &str| format!("AP: 1 \"a\" Acceptance: {acceptance}");
    let refused = "only (generalised) Büchi acceptance is read: `Inf(0) & Inf(1) …`";
    wrong(&body(&header("1 Fin(0)"), ""), refused, 2, 25);
    wrong(&body(&header("2 Inf(0) | Inf(1)"), ""), refused, 2, 32);
    wrong(&body("Start: 0&1", ""), "alternating automata are not read", 2, 9);
    wrong("", "a file begins with `HOA: v1`", 1, 1);
    wrong("HOA: v2", "only version `v1` is read", 1, 6);
    wrong("HOA: v1\nStates: x", "the number of states is expected here", 2, 9);
    wrong("HOA: v1\nStates: 99999999999", "the number is too large", 2, 9);
    wrong(&body("AP: 70", ""), "more than 64 propositions are not read", 2, 5);
    wrong(&body("Foo: 1", ""), "the header `Foo:` is not known", 2, 1);
    wrong(&body("", "State: 0"), "the header `Acceptance:` is missing", 4, 1);
    wrong(&body(&header("0 t"), "State: 0 [1] 0"), "there is no proposition 1", 4, 11);
    wrong(&body(&header("0 t"), "State: 0 [t] 7"), "there is no state 7", 4, 14);
    wrong(&body(&header("0 t"), "State: 0 [@b] 0"), "the alias `@b` is not defined before", 4, 11);
    wrong(&body(&header("0 t"), "State: 0 [t] 0 {0}"), "there is no acceptance set 0", 4, 17);
    wrong("HOA: v1 /* open", "this comment is not closed", 1, 9);
}

#[test]
fn broken_files_are_no_reason_to_panic() {
    let text = body(
        "States: 1 Start: 0 AP: 1 \"a\" Alias: @a 0 Acceptance: 1 Inf(0)",
        "State: 0 [@a | !0] 0 {0}",
    );
    for end in 0..text.len() {
        let _ = read(&text[..end]);
    }
    for at in 0..text.len() {
        for with in ["(", "]", "{", "\"", "9", "!", "@", "&", "x", "State:"] {
            let _ = read(&format!("{}{with}{}", &text[..at], &text[at + 1..]));
        }
    }
    let deep = format!("HOA: v1 AP: 1 \"a\" Alias: @a {}0", "(".repeat(100_000));
    assert!(read(&deep).expect_err("deep").message.contains("nested too deeply"));
}
