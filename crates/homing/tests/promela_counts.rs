//! Promela programs whose number of states or verdict was once not SPIN's, each
//! made as small as it goes. The figures are those of `pan -E -A -c0`, made by
//! `spin -a -o1 -o2 -o3` and `gcc -DSAFETY -DNOREDUCE -DNOCLAIM`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support::promela;

use homing::report::outcome::Verdict;
use promela::{check, deadlocks, states, verdict, violates};

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

/// `timeout` waits for what can move, and a process whose `provided` is false cannot.
#[test]
fn timeout_does_not_open_what_provided_forbids() {
    let text = "bit x; active proctype P1() { x = 1 - x }\n\
                active proctype P2() provided (x == 0) { do :: timeout -> break od }";
    check(text, (2, true, false));
}

#[test]
fn a_process_does_not_end_while_provided_is_false() {
    let text = "bit c; active proctype P0() { c = 1 }\n\
                active proctype P1() provided (c) { L1: skip }\n\
                active proctype P2() { c = 1; c = 0 }";
    check(text, (21, true, false));
}

/// A `d_step` is one step: `provided` is looked at before it only.
#[test]
fn a_d_step_goes_on_though_provided_turns_false() {
    let text = "byte y, m; active proctype P() provided (y != 2) {\n\
                byte l; do :: m = 2 -> d_step { y = (y + 1) % 3; l = 1 } od }";
    check(text, (5, true, false));
    let held = text.replace("d_step", "atomic").replace("l = 1", "l = 1; m = 1");
    let other = "active proctype Q() { y == 2; y = 0 }";
    check(&format!("{held} {other}"), (18, true, false));
}

#[test]
fn an_escape_that_is_always_possible_hides_an_assertion() {
    let text = "chan c = [2] of { byte }; byte g;\n\
                active proctype P() { do :: { assert(c??[2]) } unless { g = (g + 1) % 3 } od }";
    check(text, (3, false, false));
}

/// An escape that sends by rendezvous is taken where somebody receives.
#[test]
fn an_escape_by_rendezvous_needs_a_partner() {
    let text = "chan r = [0] of { byte };\n\
                proctype P() { byte l; { l = 0; l = 1 } unless { r!0; l = 3 } }";
    check(&format!("{text} init {{ run P() }}"), (6, false, false));
    check(&format!("{text} init {{ byte k; run P(); r?k }}"), (6, false, false));
    check(&format!("{text} init {{ run P(); r?1 }}"), (5, true, false));
}

/// SPIN forgets what it took of an escape when a rendezvous of the same escape, which
/// it tries later, does not come about. It tries the last option first.
#[test]
fn a_failed_rendezvous_takes_an_escape_back() {
    let text = |options: &str| {
        format!(
            "chan r = [0] of {{ byte }}; byte y, x; active proctype A() {{\n\
             {{ x = 1; x = 2 }} unless {{ if {options} fi; x = 3 }} }}"
        )
    };
    check(&text(":: y < 1 :: r!0"), (4, false, false));
    check(&text(":: r!0 :: y < 1"), (8, false, false));
}

/// In a rendezvous a receiver looks at receives only, at those of escapes first.
#[test]
fn a_receiver_in_a_rendezvous_looks_at_receives_only() {
    let text = |escape: &str, value: &str| {
        format!(
            "chan r = [0] of {{ byte }}; byte x;\n\
             active proctype A() {{ {{ r?{value}; x = 3 }} unless {{ {escape}; x = 5 }} }}\n\
             active proctype B() {{ if :: r!1 :: r!2 fi; assert(x != 3) }}"
        )
    };
    check(&text("r?_", "x"), (8, false, false));
    check(&text("r?1", "1"), (8, false, false));
    check(&text("x > 7", "x"), (11, false, true));
    let open = "chan r = [0] of { byte }; byte x;\n\
                active proctype A() { { r?x; x = 3 } unless { x < 1 } }\n\
                active proctype B() { r!1 }";
    check(open, (7, true, false));
}

/// What an escape does not receive from a rendezvous channel, the sequence before it does:
/// such programs were refused.
#[test]
fn an_escape_receives_some_messages_of_a_rendezvous_channel() {
    let one = "chan r = [0] of { byte }; byte x;\n\
               active proctype A() { { r?x; x = 3 } unless { r?1; x = 5 } }\n\
               active proctype B() { if :: r!1 :: r!2 fi; assert(x != 3) }";
    check(one, (15, false, true));
    let two = "chan r = [0] of { byte, byte }; byte x, y;\n\
               active proctype A() { { r?x,y; x = 3 } unless { r?1,2; x = 5 } }\n\
               active proctype B() { if :: r!1,2 :: r!1,3 :: r!2,2 fi; assert(x != 1 || y == 3) }";
    check(two, (22, false, false));
    let nested = "chan r = [0] of { byte }; byte x, y = 2; active proctype A() {\n\
                  { { r?x; x = 7 } unless { r?1; x = 8 } } unless { r?eval(y); x = 9 } }\n\
                  active proctype B() {\n\
                  if :: r!1 :: r!2 :: r!3 :: y = 1; r!1 :: y = 3; r!2 fi }";
    check(nested, (28, false, false));
    let met = "chan r = [0] of { byte }; byte x;\n\
               active proctype A() { byte l; { l = 1; l = 2 } unless { r!1; l = 3 } }\n\
               active proctype B() { { r?x; x = 4 } unless { r?1; x = 5 } }\n\
               active proctype C() { r!2 }";
    check(met, (28, true, false));
}

/// A channel that is held in a variable may be the escape's, another, or a buffer.
#[test]
fn an_escape_receives_some_messages_of_a_channel_in_a_variable() {
    let text = "chan r = [0] of { byte }; chan q = [1] of { byte };\n\
                chan s = [0] of { byte }; byte x;\n\
                active proctype A() { chan c; if :: c = r :: c = q :: c = s fi;\n\
                { c?x; x = 3 } unless { r?1; x = 5 } }\n\
                active proctype B() { if :: r!1 :: r!2 :: q!1 :: s!1 fi; assert(x != 3) }";
    check(text, (54, true, true));
}

/// The escape of the outer sequence comes before that of the inner one, which receives.
#[test]
fn nested_escapes_of_which_one_receives() {
    let text = "byte y; chan r = [0] of { byte }; chan q = [1] of { byte };\n\
                active proctype P() { byte l;\n\
                { { l = 0; l = 1 } unless { r?eval(_pid); empty(q) } } unless { (y < 1) } }\n\
                active proctype Q() { y = 1; r!0; y = 0 }";
    check(text, (13, true, false));
}

#[test]
fn escapes_by_timeout_come_before_other_timeouts() {
    let text = "byte x; active proctype A() { { timeout; x = 1 } unless { timeout; x = 2 } }";
    check(text, (4, false, false));
}

/// A `d_step` with several first statements is one way of an escape.
#[test]
fn an_escape_may_be_a_d_step_with_a_choice() {
    let text = "byte x, y; active proctype A() {\n\
                { x = 1; x = 2 } unless { d_step { if :: y == 1 :: y == 2 fi; x = 7 } } }\n\
                active proctype B() { if :: y = 1 :: y = 2 fi }";
    check(text, (23, false, false));
}

/// The escapes of a `d_step` are those of the whole: where they begin does not depend on
/// what is in it.
#[test]
fn a_d_step_is_left_as_a_whole() {
    let text = "chan q = [1] of { byte }; byte g, h; active proctype P() {\n\
                { d_step { g = 2; h = 1 }; g = 1; g == h }\n\
                unless { do :: q??0 :: break od; g == 5 } }\n\
                active proctype Q() { g = 3 }";
    check(text, (6, true, false));
}

#[test]
fn last_is_part_of_the_state_wherever_it_is_read() {
    let text = "byte g; proctype R(byte a) { g = a }\n\
                active proctype A() { g = 1; run R(_last) }\n\
                active proctype B() { g = 2; g = 3 }";
    check(text, (48, false, false));
}

/// A `d_step` is one step, behind which `_last` changes; it changed within.
#[test]
fn last_does_not_change_within_a_d_step() {
    let asked = "byte x, y = 1; active [2] proctype P() {\n\
                 d_step { y = 2; if :: _last == 1 -> x = 1 :: else fi }; x = 2 }";
    check(asked, (20, false, false));
    let asserted = "byte x, y = 1; active [2] proctype P() { y = _last;\n\
                    d_step { _last == 0; y = 2; x = _last; assert(x < 7); x = x + _last } }";
    check(asserted, (13, true, false));
}

/// SPIN lets `else` stand anywhere; where it is no option, it never waits.
#[test]
fn else_may_stand_anywhere() {
    check("byte x; active proctype P() { x = 1; else; x = 2 }", (5, false, false));
    check("byte g; active proctype P() { goto L; else -> g = 1; L: g = 2 }", (3, false, false));
}

/// What a label of dead code leads to is kept with it.
#[test]
fn dead_code_may_have_labels_and_else() {
    let text = "byte g; active proctype P() { goto E; M: do :: g == 1 -> g = 2\n\
                :: g == 3 -> if :: g == 4 :: else fi :: else -> g = 3 od; E: g = 5 }";
    check(text, (3, false, false));
}

/// A process may look at its own kind by number; a channel of an array may be an
/// initial value.
#[test]
fn a_process_looks_at_its_own_kind() {
    let text = "chan q[2] = [1] of { byte }; byte g;\n\
                active [2] proctype P() { chan c = q[_pid]; byte l; l = P[0]:l + 1;\n\
                P[0]:c != c -> g = P[1]:l; c!1 }";
    check(text, (17, true, false));
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
    assert_eq!(warnings(text), ["looking into the rendezvous channel `c` is an error"]);
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

/// A claim that accepts whatever follows needs no end.
#[test]
fn a_claim_may_accept_without_an_end() {
    let text = "byte g; active proctype P() { g = 1; g = 2 }\n\
                never { accept: if :: true -> goto accept fi; done: skip }";
    assert!(violates("never", text));
    let label = "byte g; active proctype P() { g = 1; L: g = 2 }\n\
                 never { T: if :: true -> goto accept_U fi;\n\
                 accept_U: if :: P[0]@L -> goto done :: true -> goto accept_U fi; done: skip }";
    assert!(violates("never", label));
}

/// SPIN's claims are processes, and count.
#[test]
fn claims_count_themselves() {
    let text = "byte g; active proctype P() { do :: g = 1 - g od }\n\
                never { { accept: do :: _nr_pr == 2 od } }";
    assert!(violates("never", text));
    assert!(!violates("never", &text.replace('2', "1")));
    let formula = "byte g; active proctype P() { do :: g = 1 - g od } ltl p { [] (_nr_pr == 2) }";
    assert!(!violates("p", formula));
    assert!(violates("p", &formula.replace('2', "1")));
}

/// Verdicts are those of `pan -a`, which knows `timeout` in claims where processes have it
/// too. It was refused.
#[test]
fn claims_ask_for_timeout() {
    let system = "byte x; chan r = [0] of { byte };\n\
                  active proctype P() { x = 1; r?5; x = 2 }\n\
                  active proctype Q() { timeout; x = 5; r!5; x == 7 }";
    for (when, violated) in
        [("x == 0", false), ("x == 1", true), ("x == 5", false), ("x == 2", true)]
    {
        let claim = format!("{system} never {{ do :: timeout && {when} -> break :: else od }}");
        assert_eq!(violates("never", &claim), violated, "{when}");
    }
    for (formula, violated) in [
        ("[] (timeout -> x != 5)", false),
        ("[] (timeout -> x == 1)", true),
        ("<> timeout", false),
        ("[] (x == 2 -> !timeout)", true),
        ("[]<> timeout", false),
        ("<> [] timeout", false),
        ("<> (!timeout && x == 2)", true),
        ("[] (x == 5 -> !timeout)", false),
    ] {
        let text = format!("{system} ltl p {{ {formula} }}");
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        assert_eq!(verdict(&text, "p"), expected, "{formula}");
    }
}

#[test]
fn claims_ask_what_is_enabled() {
    let text = "byte g; active proctype P() { do :: g == 1 -> g = 0 od }\n\
                active proctype Q() { do :: g == 0 -> g = 1 od }\n\
                never { do :: A && B -> break :: else od }";
    let claim = |a: &str, b: &str| text.replace('A', a).replace("B ", &format!("{b} "));
    assert!(violates("never", &claim("enabled(0)", "!enabled(1)")));
    assert!(!violates("never", &claim("enabled(0)", "enabled(1)")));
    assert!(!violates("never", &claim("!enabled(0)", "!enabled(1)")));
}

#[test]
fn claims_ask_for_progress() {
    let text = "byte g; active proctype P() { do :: g == 0 -> g = 1 :: g == 1 -> L: g = 0 od }\n\
                never { accept: do :: np_ od }";
    assert!(violates("never", text));
    assert!(!violates("never", &text.replace("L:", "progress:")));
}

/// Variables that hold channels, looked at from outside, beside labels and other variables of
/// the same process.
#[test]
fn remote_references_to_variables_that_hold_channels() {
    let held = "chan q = [1] of { byte }; chan r = [1] of { byte };\n\
                active proctype P1() { chan w; byte l;\n\
                w = q; L0: w!l; w = r; l = 1; w!l }\n\
                active proctype P2() { byte k;\n\
                (P1:w == q); (P1@L0 || P1:l == 1); r?k; (P1:w == r); q?k }";
    check(held, (21, true, false));
    let several = "chan q = [1] of { byte }; chan r = [1] of { byte };\n\
                   active proctype P1() { chan w[2]; byte l;\n\
                   w[0] = q; w[1] = r; L0: w[l]!l; l = 1; w[l]!l }\n\
                   active proctype P2() { byte k; (P1:w[0] == q && P1:w[1] == r);\n\
                   (P1@L0 || P1:l == 1); r?k; (P1:w[k] == r); q?k }";
    check(several, (19, false, false));
    let received = "chan q = [1] of { byte }; chan h = [1] of { chan }; byte x;\n\
                    active proctype P1() { chan w; byte l; h?w; L0: w?l; x = l }\n\
                    active proctype P2() {\n\
                    h!q; q!1; (P1@L0 || P1:l == 1); (P1:w == q); x = 2 }";
    check(received, (23, false, false));
}

#[test]
fn remote_references_to_channels_of_rendezvous_and_of_started_processes() {
    let meets = "chan r = [0] of { byte }; byte x;\n\
                 active proctype P1() { chan w = r; byte l;\n\
                 L0: do :: w!l; L1: w?l :: l = 1 - l od }\n\
                 active proctype P2() { chan w = r; byte k;\n\
                 (P1@L0); w?k; k = P1:l; (P1@L1); w!k; (P1:w == r && P1:l == k) }";
    check(meets, (20, false, false));
    let started = "chan q = [1] of { byte }; chan r = [0] of { byte }; byte x;\n\
                   proctype W(chan c; byte n) { chan v; v = c;\n\
                   L: if :: v!n :: v?x fi; n = 0 }\n\
                   init { run W(q, 1); run W(r, 2); (W[1]:v == q && W[2]@L);\n\
                   run W(W[1]:v, 2); (W[1]:n == 0); x = 2 }";
    check(started, (56, true, false));
}
