//! Queries about runs, on the command line.
#![allow(clippy::unwrap_used)]

use crate::support;

use support::{Folder, homing};

const MODEL: &str = "\
clock x;
process P() {
    state a, b { x <= 2 }, c { x <= 2 };
    init a;
    trans a -> b { assign x = 0; },
          b -> c { guard x >= 1; assign x = 0; },
          c -> b { guard x >= 1; assign x = 0; };
}
system P;
";

#[test]
fn a_run_that_goes_on_is_shown_with_its_loop() {
    let folder = Folder::new("queries");
    let model = folder.file("m.xta", MODEL);
    let queries = folder.file("m.q", "P.b --> P.a\nE[] P.a\nP.b --> P.c\n");
    let run = homing(&["check", &model, "--queries", &queries]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for line in [
        "P.b --> P.a: violated: 1 step, then 2 steps for ever",
        "E[] P.a: holds: for ever in the initial state",
        "P.b --> P.c: holds (",
        "and so on for ever: steps 2 to 3 again and again (executed 3 times)",
        "time may pass for ever here",
    ] {
        assert!(run.stdout.contains(line), "no `{line}` in {}", run.stdout);
    }
    let json = homing(&["check", &model, "--queries", &queries, "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let trace = &json["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|result| result["property"] == "P.b --> P.a");
    let trace = &trace.unwrap()["trace"];
    assert_eq!((&trace["loop"], &trace["length"]), (&1.into(), &3.into()));
    assert_eq!(trace["cause"]["kind"], "forever");
}

#[test]
fn greatest_values_are_told() {
    let folder = Folder::new("extremes");
    let model = folder.file("m.xta", MODEL);
    let queries = folder.file("m.q", "sup{P.b}: x\ninf{P.c}: x\nsup: x\n");
    let run = homing(&["check", &model, "--queries", &queries]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for line in [
        "sup{P.b}: x: holds: sup x = 2 after 1 step",
        "inf{P.c}: x: holds: inf x = 0 after 2 steps",
        "sup: x: holds: sup x is unbounded",
        " zones stored, ",
    ] {
        assert!(run.stdout.contains(line), "no `{line}` in {}", run.stdout);
    }
}
