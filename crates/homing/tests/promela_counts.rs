//! Promela programs whose number of states or verdict was once not SPIN's, each
//! made as small as it goes. The figures are those of `pan -E -A -c0`, made by
//! `spin -a -o1 -o2 -o3` and `gcc -DSAFETY -DNOREDUCE -DNOCLAIM`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing::report::outcome::Verdict;
use homing::{Hooks, Options};

fn states(text: &str) -> u64 {
    let model = homing::parse("model.pml", text).expect("it is read");
    let stats = homing::stats(&model, &Options::default(), Hooks::default());
    stats.expect("it can be explored").states
}

fn deadlocks(text: &str) -> bool {
    let model = homing::parse("model.pml", text).expect("it is read");
    let options = Options { properties: vec!["deadlock".into()], ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("it can be checked");
    checked.outcome.results[0].verdict == Verdict::Violated
}

/// SPIN's lexer makes a choice of a `select` with two literals and a name
/// without underscores, outside of inlines; else it is a loop.
#[test]
fn select_of_literals_is_a_choice() {
    assert_eq!(states("active proctype A() { byte i; select (i : 0 .. 2); false }"), 4);
    let constant = "#define N 2\nactive proctype A() { byte i; select (i : 0 .. N); false }";
    assert_eq!(states(constant), 4);
}

#[test]
fn other_selects_are_loops() {
    assert_eq!(states("active proctype A() { byte an_i; select (an_i : 0 .. 2); false }"), 9);
    assert_eq!(states("active proctype A() { byte i; select (i : 0 .. (2)); false }"), 9);
    assert_eq!(states("active proctype A() { byte i; select (i : 0 .. 40); false }"), 123);
    let inline = "inline pick(v) { select (v : 0 .. 2) }\n\
                  active proctype A() { byte i; pick(i); false }";
    assert_eq!(states(inline), 9);
}

/// Behind a statement, a variable gets its value where it is declared, and is
/// 0 until then.
#[test]
fn late_variables_start_at_zero() {
    let scalar = "{ byte k = 2; x = 2 }";
    let array = "byte k[2] = 2; x = k[1]";
    let computed = "byte k = x + 1; x = 2";
    for late in [scalar, array, computed] {
        let text = format!("active proctype A() {{ byte x; again: x = 1; {late}; goto again }}");
        assert_eq!(states(&text), 5, "{late}");
    }
}

/// A label before `{ … } unless { … }` has a state of its own to stand at.
#[test]
fn a_label_before_unless_marks_an_end() {
    let text = "byte g; active proctype A() { g = 1; end: { g == 2; g = 1 } unless { g == 3 } }";
    assert_eq!(states(text), 2);
    assert!(!deadlocks(text));
    assert!(deadlocks(&text.replace("end:", "elsewhere:")));
}

/// A global that only processes yet to be started read is not dead.
#[test]
fn what_a_process_to_be_started_reads_is_live() {
    let text = "byte a; proctype S() { a++; a == 1 }\n\
                init { run S(); timeout; run S() }";
    assert_eq!(states(text), 8);
    assert!(deadlocks(text));
}
