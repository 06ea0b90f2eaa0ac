//! Channels that processes are started with, and hold for good. The figures are those of
//! `pan -E -A -c0`, made by `spin -a -o1 -o2 -o3` and `gcc -DSAFETY -DNOREDUCE -DNOCLAIM`.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support::promela;

use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Hooks, Options};

fn reach(text: &str, goal: &str) -> PropertyOutcome {
    let options = Options { goals: vec![goal.into()], ..Options::default() };
    let model = homing::parse("m.pml", text).unwrap();
    homing::check(&model, &options, Hooks::default()).unwrap().outcome.results.remove(0)
}

/// A ring of processes, each with two channels of its own.
fn ring(count: usize) -> String {
    format!(
        "chan q[{count}] = [4] of {{ byte, byte }};
         proctype node(chan in, out; byte own) {{
           byte kind, nr;
           out!1,own;
           end: do
           :: in?1,nr -> if :: nr > own -> out!1,nr :: nr == own -> out!2,nr :: else fi
           :: in?2,nr -> if :: nr != own -> out!2,nr :: else fi; break
           od
         }}
         init {{
           byte i;
           atomic {{
             do
             :: i < {count} -> run node(q[i], q[(i + 1) % {count}], i + 1); i++
             :: i == {count} -> break
             od
           }}
         }}"
    )
}

/// Every statement had a part for every channel: rings of hundreds did not load.
#[test]
fn regression_a_ring_has_a_part_a_statement() {
    let parts = |count: usize| {
        let model = homing::parse("ring.pml", &ring(count)).unwrap();
        homing::ir::flatten(&model.network, &[]).unwrap().parts.len()
    };
    let (few, many) = (parts(5), parts(60));
    assert!(many < few * 13, "{few} of 5 processes, {many} of 60");
}

/// As in SPIN: what is put in the place of a variable changes no state.
#[test]
fn a_ring_has_the_states_that_spin_counts() {
    promela::check(&ring(3), (75, false, false));
    let end = "_nr_pr == 0 && len(q[0]) + len(q[1]) + len(q[2])";
    assert_eq!(reach(&ring(3), &format!("{end} == 0")).verdict, Verdict::Violated);
}

/// What is not the same in all runs, or not for ever, stays a value.
#[test]
fn channels_that_differ_between_runs_stay_values() {
    let sender = "chan a = [1] of { byte }; chan b = [1] of { byte };
                  proctype P(chan c) { c!1 }";
    let both = "len(a) == 1 && len(b) == 1";
    for (rest, goal, expected) in [
        ("init { if :: run P(a) :: run P(b) fi }", "len(b) == 1", Verdict::Violated),
        ("init { if :: run P(a) :: run P(b) fi }", both, Verdict::Holds),
        ("init { atomic { if :: run P(a) :: run P(b) fi } }", "len(b) == 1", Verdict::Violated),
        ("init { run P(a); _nr_pr == 1; run P(b) }", both, Verdict::Violated),
        ("init { run P(b); run P(b) }", "len(a) == 1", Verdict::Holds),
        (
            "byte x; init { do :: x < 2 -> x++ :: x == 2 -> break od; run P((x == 2 -> b : a)) }",
            "len(b) == 1",
            Verdict::Violated,
        ),
        ("proctype Q(chan c) { run P(c) } init { run Q(a); run Q(b) }", both, Verdict::Violated),
        ("proctype R(chan c) { c = b; c!1 } init { run R(a) }", "len(b) == 1", Verdict::Violated),
        ("proctype R(chan c) { c!1; c = b; c!1 } init { run R(a) }", both, Verdict::Violated),
        (
            "active proctype Q() { run P(a) } active proctype R() { run P(b) }",
            both,
            Verdict::Violated,
        ),
    ] {
        let result = reach(&format!("{sender} {rest}"), goal);
        assert_eq!(result.verdict, expected, "{rest}: {goal}: {}", result.reason);
    }
}
