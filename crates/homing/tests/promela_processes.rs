//! Priorities of processes, `enabled`, `trace` and `notrace` in Promela. The figures are
//! those of `pan -E -A -c0`, `pan -A` and `pan -E`, made by `spin -a -o1 -o2 -o3` and
//! `gcc -DSAFETY -DNOREDUCE -DNOCLAIM`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support::promela;

use homing::report::outcome::Verdict;
use promela::{check, verdict, violates};

fn refused(text: &str) -> bool {
    homing::parse("model.pml", text).is_err()
}

#[test]
fn the_greater_priority_goes_first() {
    let text = "byte x; active proctype P() priority 5 {\n\
                x = 1; x == 3; _priority = 2; x = get_priority(_pid) }\n\
                active proctype Q() priority 2 { x = 3; set_priority(0, 4); run R() priority 7 }\n\
                proctype R() { x = 9 }";
    check(text, (15, false, false));
}

/// A process that is outranked in the midst of an atomic sequence loses control, but a
/// `d_step` goes on.
#[test]
fn a_priority_breaks_into_atomic_but_not_into_d_step() {
    let atomic = "byte x; active proctype P() priority 3 {\n\
                  atomic { x = 1; x == 2; x = 3 }; x = 4 }\n\
                  active proctype Q() { atomic { x = 5; x = 2; x = 6; x = 7 } }";
    check(atomic, (8, false, false));
    let certain = "byte x; active proctype P() priority 3 { x == 2; x = 3; x = 4 }\n\
                   active proctype Q() { d_step { x = 5; x = 2; x = 2 }; x = 8 }";
    check(certain, (8, false, false));
}

#[test]
fn priorities_count_among_those_that_wait_for_timeout() {
    let text = "byte x; active proctype P() priority 3 { timeout; x = 3; x == 9 }\n\
                active proctype Q() priority 2 {\n\
                timeout; x = 8; if :: timeout -> x = 9 :: x == 3 -> x = 7 fi }\n\
                active proctype R() { x = 1; timeout; x = 2 }";
    check(text, (14, false, false));
}

#[test]
fn who_is_not_provided_for_does_not_outrank() {
    let text = "byte x; active proctype P() priority 3 provided (x < 2) {\n\
                x = 1; x = 0; x = 2; x = 4 }\n\
                active proctype Q() { x++; x = 1; x = 3; x = 0 }";
    check(text, (11, false, false));
}

#[test]
fn else_and_channels_of_a_greater_priority() {
    let text = "byte x; chan c = [1] of { byte }; active proctype P() priority 3 { c?x;\n\
                if :: c?1 -> x = 1 :: x == 0 -> x = 2 :: else -> x = 3 fi; c!5 }\n\
                active proctype Q() { c!0; c!1; c?x; x = _priority }";
    check(text, (6, true, false));
}

/// `run` gives a priority, or 1: that of the process type is for those from the start.
#[test]
fn run_gives_priorities() {
    let text = "byte x; proctype R(byte n) priority 4 {\n\
                x = n; x = _priority; n == 0; set_priority(0, 9) }\n\
                init { atomic { run R(1) priority 2; run R(2); run R(0) priority 3 };\n\
                x = 7; x = get_priority(2); x = get_priority(7) }";
    check(text, (15, true, false));
    let usual = "byte x; active proctype P() priority 1 { x = 1; x = 2 }\n\
                 active proctype Q() { x = 3; run R() } proctype R() priority 4 { x = 9 }";
    check(usual, (30, false, false));
}

#[test]
fn an_escape_of_a_greater_priority_goes_first() {
    let text = "byte x; active proctype P() priority 2 {\n\
                { x = 1; x = 2; x == 7 } unless { x == 3 -> x = 4 } }\n\
                active proctype Q() { x = 3; x = 5; assert(x == 4) }";
    check(text, (10, false, true));
}

#[test]
fn several_processes_of_the_same_priority() {
    let text = "byte x; active [2] proctype P() priority 2 { x++; x > 2; x-- }\n\
                active proctype Q() {\n\
                do :: x++ :: x > 4 -> break od; set_priority(1, 1); x = 0 }";
    check(text, (778, false, false));
}

/// `_priority` keeps eight bits of what is assigned; `set_priority` takes 1 to 255.
#[test]
fn priorities_have_a_range() {
    let text = "byte x; active proctype P() {\n\
                x = _priority; _priority = 300; x = _priority; assert(x == 44) }\n\
                active proctype Q() {\n\
                x = get_priority(0); skip; x = get_priority(9); set_priority(0, x + 1) }";
    check(text, (44, false, false));
    let zero = "active proctype P() { set_priority(_pid, 0) }";
    assert!(violates("errors", zero));
    assert!(!violates("errors", &zero.replace("_pid", "7")));
    assert!(refused("active proctype P() priority 0 { skip }"));
    assert!(refused("active proctype P() { run Q() priority 256 } proctype Q() { skip }"));
}

/// Nor does SPIN have such programs.
#[test]
fn priorities_and_enabled_are_refused_beside_rendezvous() {
    let text = "chan c = [0] of { byte }; byte x;\n\
                active proctype P() { c!1 } active proctype Q() { c?x }";
    assert!(!refused(text));
    assert!(refused(&text.replace("P()", "P() priority 2")));
    assert!(refused(&text.replace("c?x", "c?x; enabled(0)")));
}

#[test]
fn enabled_in_a_process() {
    let text = "byte x; active proctype P() { if :: x == 1 -> x = 2 :: else -> x = 3 fi; x == 7 }\n\
                active proctype Q() { byte k;\n\
                do :: enabled(0) -> x = 1; break :: k < 3 -> k++ od;\n\
                k = pc_value(0); x = 5 + enabled(0); (enabled(0)) }";
    check(text, (94, true, false));
    let started = "byte x; chan c = [1] of { byte }; proctype W() { c?x; x = 2 }\n\
                   active proctype P() { c!1; c?x; run W(); c!2 }\n\
                   active proctype Q() {\n\
                   do :: enabled(0) -> x = 3 :: enabled(2) -> x = 4 :: !enabled(1 - 1) -> break od;\n\
                   assert(!enabled(2)) }";
    check(started, (75, false, true));
}

#[test]
fn enabled_does_not_look_at_provided() {
    let text = "byte x; active proctype P() provided (x == 1) { x = 2; x = 5 }\n\
                active proctype Q() { if :: enabled(0) -> x = 3 :: else -> x = 4 fi; x = 1 }";
    check(text, (7, true, false));
}

/// `enabled` looks at a process with the value that `timeout` has where it is asked.
#[test]
fn enabled_of_who_waits_for_timeout() {
    let text = "active proctype P1() { do :: timeout -> od }\n\
                active [2] proctype P2() { (enabled(0)) }";
    check(text, (7, false, false));
    let text = "byte x; active proctype P() { timeout; x = 1; timeout; x = 2 }\n\
                active proctype Q() { if :: !enabled(0) -> x = 5 :: enabled(0) -> x = 6 fi;\n\
                enabled(0); x = 7; enabled(0) }";
    check(text, (35, true, false));
    let escape = "byte x; active proctype P() { timeout; x = 1; timeout; x = 2 }\n\
                  active proctype Q() {\n\
                  { x == 9; x = 8 } unless { enabled(0); x = 3 }; enabled(0) }";
    check(escape, (33, true, false));
}

/// All that a process does may wait for `timeout`, its end, `else` and failing assertions
/// included.
#[test]
fn provided_may_wait_for_timeout() {
    let alone = "byte x; active proctype P() provided (timeout) { x = 1; x = 2 }";
    check(alone, (4, false, false));
    let choice = "byte x; active proctype P() provided (timeout) {\n\
                  if :: x == 1 -> x = 2 :: else -> x = 3; assert(x == 4) fi;\n\
                  atomic { x = 5; x = 6; x == 6; x = 7 } }\n\
                  active proctype Q() { x = 1; timeout; x = 1 }";
    check(choice, (36, true, false));
    check(&choice.replace("== 1", "== 2"), (41, true, true));
    let escape = "byte x; active proctype P() provided (timeout) {\n\
                  { x = 1; x = 2 } unless { x == 3 } }\n\
                  active proctype Q() { x = 3; x = 4; timeout; x = 3 }";
    check(escape, (15, false, false));
    let certain = "byte x; active proctype P() provided (timeout) {\n\
                   d_step { x = 1; x = 2; x == 2; x = 3 }; x = 4 }\n\
                   active proctype Q() { x = 3; x = 4; timeout; x = 3 }";
    check(certain, (17, false, false));
    let asks = "byte x; active proctype P() { do :: timeout -> x = 1 - x od }\n\
                active proctype Q() provided (enabled(0)) { byte k; k = 1; k = 2 }";
    check(asks, (16, false, false));
}

/// `timeout` opens a rendezvous to who sends, and is over when it comes to who receives.
#[test]
fn a_rendezvous_may_wait_for_timeout() {
    let sends = "byte x; chan r = [0] of { byte };\n\
                 active proctype P() provided (timeout) { r!1; r!2; x = 1 }\n\
                 active proctype Q() { byte k; r?k; x = 2; r?k }";
    check(sends, (7, false, false));
    let receives = "byte x; chan r = [0] of { byte }; active proctype P() { r!1; r!2; x = 1 }\n\
                    active proctype Q() provided (x == 1 || timeout) {\n\
                    byte k; r?k; x = 2; r?k }";
    check(receives, (1, true, false));
}

/// `pan` counts 14 and 12: going back, it puts another message into the channel than it took.
#[test]
fn what_is_received_may_wait_for_timeout() {
    let text = "byte x; chan c = [2] of { byte }; active proctype P() { c!1; timeout; x = 2 }\n\
                active proctype Q() { byte k; c?eval(timeout); k = 2 }";
    check(text, (12, false, false));
    let asks = "byte x; chan c = [2] of { byte };\n\
                active proctype P() { c!1; do :: timeout -> x = 1 - x od }\n\
                active proctype Q() { byte k; c?eval(enabled(0)); k = 2 }";
    check(asks, (17, false, false));
}

/// SPIN reports an error, too.
#[test]
fn a_process_cannot_ask_enabled_of_itself() {
    let text = "byte x; active proctype P() { (x == 7); x = 1 }\n\
                active proctype Q() { byte k; k = 1; enabled(k) -> x = 1 }";
    assert!(violates("errors", text));
    assert!(!violates("errors", &text.replace("k = 1;", "k = 0;")));
}

/// Where it would be asked without end; `pan` executes what it should look at.
#[test]
fn enabled_of_who_asks_enabled_is_refused() {
    assert!(refused("active proctype P() { enabled(1) } active proctype Q() { enabled(0) }"));
    let outranked = "active proctype P() priority 2 { enabled(1) } active proctype Q() { skip }";
    assert!(refused(outranked));
}

const SENDER: &str = "chan c = [2] of { byte }; byte x;\n\
                      active proctype A() { c!1; c!2; c?x; c?x; end: c?x }";

/// At the end of a run, an automaton must be at its own end or at an `end` label, where
/// some process is left.
#[test]
fn a_trace_must_be_completed() {
    for (trace, incomplete) in [
        ("trace { c!1; c!2; c!3 }", true),
        ("trace { c!1; c!2 }", false),
        ("trace { c!1; c!2; end: c!3 }", false),
        ("notrace { c!1; c!2; c!3 }", true),
        ("notrace { c!1; c!3 }", false),
        ("notrace { c!1; c!2; end: c!3 }", false),
        ("trace { do :: c!x od }", true),
    ] {
        check(&format!("{SENDER} {trace}"), (5, incomplete, false));
    }
    let nobody = SENDER.replace("end: c?x", "skip");
    check(&format!("{nobody} trace {{ c!1; c!2; c!3 }}"), (7, false, false));
}

/// SPIN goes on behind the error.
#[test]
fn an_event_that_cannot_be_followed_is_an_error() {
    for (trace, incomplete) in [
        ("trace { c!1; c!3 }", true),
        ("trace { do :: c!_ -> c?_ :: c?_ od }", true),
        ("trace { do :: c!1 -> c!2 -> c?1 od }", true),
        ("trace { goto L; c!1; L: c!2 }", false),
        ("notrace { c!1; c!2 }", false),
    ] {
        check(&format!("{SENDER} {trace}"), (5, incomplete, true));
    }
}

#[test]
fn two_ways_to_follow_an_event_are_an_error() {
    for trace in ["trace { do :: c!1 :: c!2 :: c!1 od }", "trace { do :: c!1 :: break od; c!2 }"] {
        assert!(violates("assertions", &format!("{SENDER} {trace}")), "{trace}");
    }
}

#[test]
fn where_a_trace_is_belongs_to_the_state() {
    let text = "chan c = [2] of { byte }; byte x; active proctype A() {\n\
                do :: c!1 :: c!2 :: c?x :: c??2 :: c?<x> :: x > 0 -> break od }\n\
                active proctype D() { x = 1; c!1; x = 0 }";
    for (trace, states, error) in [
        ("trace { do :: c!1 -> c?1 od }", 252, true),
        ("trace { do :: c!1; c!2 :: c!2 od }", 240, true),
        ("trace { do :: c!1 :: c!2 -> c!_; c?2 od }", 464, true),
        ("notrace { c!1; c!2; c?2 }", 233, false),
        ("notrace { do :: c!1 :: c!2 -> c?2 -> break od; c!2 }", 264, true),
        ("trace { do :: c?1 :: c?2 -> end: c?2 od }", 392, true),
    ] {
        check(&format!("{text} {trace}"), (states, true, error));
    }
}

/// In scope is what a trace names, even where it never gets: `r!1` cannot be followed here.
#[test]
fn what_a_trace_never_gets_to_is_in_its_scope() {
    let text = "chan r = [1] of { byte }; active proctype P() { r!1; r?_; end: r?_ }\n\
                trace { do :: r?_ od; r!0 }";
    check(text, (3, true, true));
}

/// Two events, and the sender knows what the receiver does not keep. The second program's
/// receiver writes what the sender reads.
#[test]
fn a_rendezvous_is_two_events() {
    let text = "chan c = [0] of { byte }; byte x; active proctype A() { c!1; c!2 }\n\
                active proctype B() { c?x; c?_; x = 0 }";
    check(&format!("{text} trace {{ c!1; c?1; c!2; c?2 }}"), (6, false, false));
    check(&format!("{text} trace {{ c!1; c!2 }}"), (6, false, false));
    check(&format!("{text} trace {{ c?1; c?3 }}"), (6, false, true));
    let writes = "chan c = [0] of { byte }; byte x = 4; active proctype A() { c!x + 1 }\n\
                  active proctype B() { c?x }";
    check(&format!("{writes} trace {{ c!5; c?5 }}"), (4, false, false));
}

#[test]
fn a_trace_follows_channels_by_what_they_are() {
    let parameter = "chan d = [0] of { byte }; chan c = [0] of { byte }; byte x;\n\
                     proctype A(chan q) { q!1 }\n\
                     active proctype B() { chan p = d; run A(p); p?x } trace { d?2 }";
    check(parameter, (5, false, true));
    let array = "chan d[2] = [2] of { byte };\n\
                 proctype A() { d[0]!1; d[1]!1; d[0]!3; d[0]?_; d[0]?_ }\n\
                 active proctype B() { run A() } trace { d[0]!1; d[1]!2 }";
    check(array, (9, false, true));
    let assigned = "chan d = [0] of { byte }; chan c = [1] of { byte }; byte x;\n\
                    proctype A(chan q) { q!1; d = c; q?x; q!1 }\n\
                    active proctype B() { run A(c); d!3 } trace { d!1 }";
    check(assigned, (8, true, true));
}

/// What is compared is what arrives.
#[test]
fn a_trace_compares_parts_of_messages() {
    let text = "mtype = { a, b }; chan d = [2] of { mtype, byte }; byte x; mtype k;\n\
                proctype A() { d!a,2; d!b,257; d?k,x; d?b,x } active proctype B() { run A() }\n\
                trace { d!a,2; d!b(1); d?a(x); d?b,_ }";
    check(text, (8, false, false));
}

/// Where only one process moved an automaton, its place was taken for a variable of that
/// process, and forgotten when it ended.
#[test]
fn where_a_trace_is_is_nobodys_variable() {
    let text = "chan c = [2] of { byte }; byte x; active proctype A() {\n\
                atomic { c!1; c!2; x = 1 }; atomic { c?x; c?x; c!2 } } trace { c!1; c!2; c!1 }";
    check(text, (4, false, true));
    let begins = text.replace("atomic { c!1", "d_step { c!1").replace("c!2; x = 1", "x = 1");
    check(&begins, (3, true, false));
}

/// Events are followed by several edges: what comes before `else` is counted anew.
#[test]
fn choices_among_events() {
    let text = "chan c = [2] of { byte }; byte x;\n\
                active proctype A() { c!1; if :: c!1 -> x = 1 :: c?1 -> x = 2 :: x == 4 fi }\n\
                active proctype B() { c!2; if :: c?_ :: x > 1 -> x = 0 fi }\n\
                trace { do :: c!1 -> c!_ :: c!2 :: c?1 od }";
    check(text, (41, true, true));
}

#[test]
fn what_cannot_be_compared_is_not_checked() {
    let program = "chan c = [2] of { byte }; byte x; active proctype A() { c!1; c?x }";
    let sorted = program.replace("c!1", "c!!1");
    // An event that could not be followed was not reported there.
    let certain = program.replace("c!1", "d_step { x = 1; c!2 }");
    for (text, trace) in [
        (&*sorted, "trace { c!1 }"),
        (&*certain, "trace { c!1 }"),
        (program, "trace { c?eval(x) }"),
        (program, "trace { c!x + 1 }"),
        (program, "trace { x == 1; c!1 }"),
    ] {
        let text = format!("{text} {trace}");
        assert_eq!(verdict(&text, "trace"), Verdict::Unknown, "{trace}");
        assert!(!violates("deadlock", &text), "{trace}");
    }
    assert!(refused(&format!("{program} trace {{ c!1 }} trace {{ c?1 }}")));
}
