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

fn verdict(text: &str, property: &str) -> Verdict {
    let model = homing::parse("model.pml", text).expect("it is read");
    let options = Options { properties: vec![property.into()], ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).expect("it can be checked");
    checked.outcome.results[0].verdict
}

fn warnings(text: &str) -> Vec<String> {
    let model = homing::parse("model.pml", text).expect("it is read");
    model.warnings.iter().map(|warning| warning.message.clone()).collect()
}

/// A `chan` variable holds any byte; only using it as a channel asks for one.
#[test]
fn a_channel_variable_holds_a_number() {
    let text = "chan q = [1] of { chan };\n\
                active proctype P() { q!7 }\n\
                active proctype Q() { chan x; q?x; assert(x != 7) }";
    assert_eq!(states(text), 6);
    assert_eq!(verdict(text, "assertions"), Verdict::Violated);
    assert_eq!(verdict(text, "errors"), Verdict::Holds);
    let none = "chan c = [1] of { chan };\n\
                active proctype P() { chan x; if :: x == 0 -> c!x :: else -> c!5 fi }";
    assert_eq!(states(none), 4);
}

/// As SPIN numbers them: from 1, in the order of their declarations.
#[test]
fn channels_are_numbered_from_one() {
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte };\n\
                active proctype P() { chan x; x = b; assert(x == 2); assert(a == 1) }";
    assert_eq!(states(text), 5);
    assert_eq!(verdict(text, "assertions"), Verdict::Holds);
}

/// Lines are handed over on the channel that symbolic names come by.
#[test]
fn channels_and_symbolic_names_share_a_channel() {
    let text = "mtype = { talk, move };\n\
                chan base[2] = [1] of { chan };\n\
                proctype Phone(chan line) { chan got;\n\
                  do :: line?got ->\n\
                    if :: got == talk -> skip\n\
                       :: got == move -> line?got; line = got\n\
                    fi\n\
                  od }\n\
                active proctype Centre() { chan used = base[0], other = base[1], swap;\n\
                  run Phone(used);\n\
                  do :: used!talk\n\
                     :: used!move; used!other; swap = used; used = other; other = swap\n\
                  od }";
    assert_eq!(states(text), 86);
    assert!(!deadlocks(text));
    assert_eq!(verdict(text, "errors"), Verdict::Holds);
}

#[test]
fn records_are_arguments() {
    let text = "typedef R { byte a; byte b }; R g;\n\
                proctype P(R r; byte k) { byte z = k; assert(r.a == 1); r.b = 3 + z }\n\
                init { g.a = 1; run P(g, 2); assert(g.b == 0) }";
    assert_eq!(states(text), 11);
    assert_eq!(verdict(text, "assertions"), Verdict::Holds);
    let scalar = text.replace("run P(g, 2)", "run P(1, 2)");
    assert!(homing::parse("model.pml", &scalar).is_err());
}

/// Who uses a channel is known: a claim that does not hold is told of.
#[test]
fn claims_of_exclusive_use_are_checked() {
    let text = "chan c = [1] of { byte };\n\
                active proctype P() { xs c; c!1; c!2 }\n\
                active proctype Q() { xr c; byte x; c?x }";
    assert_eq!(states(text), 7);
    assert_eq!(warnings(text), [] as [&str; 0]);
    let shared = format!("{text} active proctype R() {{ c!3 }}");
    assert_eq!(warnings(&shared), ["`xs c`, but P[0] and R[2] send to it"]);
    let met = text.replace("[1]", "[0]");
    assert_eq!(warnings(&met).len(), 2);
}

#[test]
fn looking_into_a_rendezvous_channel_is_told_of() {
    let text = "chan c = [0] of { byte }; byte x;\n\
                active proctype P() { c!1 }\n\
                active proctype Q() { if :: c?[1] -> x = 1 :: else -> x = 2 fi; c?1 }";
    assert_eq!(states(text), 6);
    assert_eq!(warnings(text), ["looking into the rendezvous channel `c` is always false"]);
}

/// Reading is linear in the text: long programs are no different.
#[test]
fn long_programs_are_read() {
    let steps = 6_000;
    let body = "x = x + 3; if :: x > 7 -> x = 0 :: else fi;\n".repeat(steps / 2);
    let text = format!("byte x; active proctype P() {{ {body} }}");
    // Two steps for each, one more where `x` is put back, every third time.
    assert_eq!(states(&text), (steps + steps / 6 + 2) as u64);
    assert!(!deadlocks(&text));
}
