//! Models with clocks as a shell sees them.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;

use support::{Folder, homing, refused};

/// The goal is reached after two time units at the earliest.
const TIMED: &str = "\
system:timed
event:a
clock:1:x
process:P
location:P:start{initial:}
location:P:goal{}
edge:P:start:goal:a{provided: x>=2}
";

/// The same in another language.
const QUERIES: &str = "\
clock x;
process P() {
  state start, goal;
  init start;
  trans start -> goal { guard x >= 2; };
}
system P;
";

#[test]
fn traces_have_times_and_come_back() {
    let folder = Folder::new("timed");
    let (model, trace) = (folder.file("m.tck", TIMED), folder.path("t.json"));
    let run = homing(&["check", &model, "--goal", "P.goal", "--trace", &trace]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("at 2 after 2  P"), "{}", run.stdout);
    let kept = fs::read_to_string(&trace).unwrap();
    assert!(kept.contains("\"time\":{\"unit\":1,\"delays\":[2],\"rest\":0}"), "{kept}");
    let again = homing(&["replay", &model, &trace, "--chart", "timeline"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stdout.contains("at 2 after 2  P"), "{}", again.stdout);
    assert!(again.stdout.contains("> goal"), "{}", again.stdout);
    // Too early, it is no run of the model.
    fs::write(&trace, kept.replace("[2]", "[1]")).unwrap();
    refused(&["replay", &model, &trace], &["was the trace made from another model"]);
    fs::write(&trace, kept.replace("[2]", "[2,3]")).unwrap();
    refused(&["replay", &model, &trace], &["2 delays for 1 steps"]);
}

#[test]
fn zones_can_be_chosen() {
    let folder = Folder::new("zones");
    let model = folder.file("m.tck", TIMED);
    for options in [["--extrapolation", "m"], ["--bounds", "global"], ["--subsumption", "alu"]] {
        let run = homing(&[&["stats", &model][..], &options].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("states         2"), "{}", run.stdout);
    }
    refused(&["stats", &model, "--extrapolation", "x"], &["there are: none, m, m+, lu, lu+"]);
    let asked = ["check", &model, "--property", "deadlock", "--extrapolation", "lu"];
    let run = homing(&asked);
    assert!(run.stdout.contains("extrapolation `lu` is not sound here"), "{}", run.stdout);
}

#[test]
fn a_query_that_is_reached_holds() {
    let folder = Folder::new("queries");
    let model = folder.file("m.xta", QUERIES);
    let ask = |query: &str| {
        let queries = folder.file("q.q", query);
        homing(&["check", &model, "--queries", &queries])
    };
    let run = ask("E<> P.goal\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("E<> P.goal: holds: reached after 1 step"), "{}", run.stdout);
    let run = ask("E<> P.goal && x < 2\n");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("violated: not to be reached"), "{}", run.stdout);
    assert_eq!(ask("A[] P.goal imply x >= 2\n").code, Some(0));
}

#[test]
fn models_are_drawn() {
    let folder = Folder::new("drawn");
    let model = folder.file("m.tck", TIMED);
    let dot = homing(&["export", "--dot", &model]);
    assert!(dot.code == Some(0) && dot.stdout.starts_with("digraph"), "{}", dot.stdout);
    let svg = homing(&["export", "--svg", &model]);
    assert!(svg.code == Some(0) && svg.stdout.starts_with("<svg"), "{}", svg.stdout);
}

#[test]
fn runs_are_written_as_uppaal_writes_them() {
    let folder = Folder::new("timed-uppaal");
    let text = QUERIES.replace("guard x >= 2;", "guard x >= 2; assign x = 0;");
    let (model, file) = (folder.file("m.xta", &text), folder.path("run.txt"));
    let chart = format!("uppaal={file}");
    let run = homing(&["check", &model, "--goal", "P.goal", "--chart", &chart]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let expected = "\
State:
( P.start )
x=0

Delay: 2

State:
( P.start )
x=2

Transitions:
  P.start->P.goal { x >= 2, tau, x = 0 }

State:
( P.goal )
x=0

";
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
}

/// Hundreds of clocks make states wider than caches; the search must still begin,
/// and limits end it.
#[test]
fn many_clocks_do_not_hang() {
    let folder = Folder::new("timed-wide");
    let mut text = String::from("clock x[200];\nprocess P() {\n state a, b;\n init a;\n trans ");
    for clock in 0..200 {
        text += &format!("a -> b {{ guard x[{clock}] >= {}; }},\n", clock + 1);
    }
    text += "b -> a { assign x[0] = 0; };\n}\nsystem P;\n";
    let model = folder.file("m.xta", &text);
    let run = homing(&["check", &model, "--goal", "P.b", "--strategy", "breadth"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
}
