//! What people read: why a run is a violation, and whether README's commands work.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{DEADLOCK, Folder, homing, refused};

fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Two processes, each with a flag of its own.
const FLAGS: &str = "\
bool a[2] = { true, true };
process P(const int id) {
  state safe, bad;
  init safe;
  trans safe -> bad { assign a[id] := false; };
}
P0 = P(0); P1 = P(1);
system P0, P1;
";

fn asked(test: &str, query: &str) -> String {
    let folder = Folder::new(test);
    let model = folder.file("flags.xta", FLAGS);
    let queries = folder.file("flags.q", query);
    homing(&["check", &model, "--queries", &queries]).stdout
}

#[test]
fn a_violated_invariant_is_false_and_not_reached() {
    let said = asked("invariant", "A[] P0.safe\n");
    assert!(said.contains("the invariant is false here"), "{said}");
    assert!(said.contains("A[] P0.safe") && !said.contains("reached  "), "{said}");
    let folder = Folder::new("invariant-ltl");
    let model = folder.file("m.dve", DEADLOCK);
    let said = homing(&["check", &model, "--ltl", "[] x < 2"]).stdout;
    assert!(said.contains("the invariant is false here  <formula>:1:1  [] x < 2"), "{said}");
    let said = homing(&["check", &model, "--goal", "x == 2"]).stdout;
    assert!(said.contains("the goal is reached"), "{said}");
}

#[test]
fn reasons_name_processes_and_bound_values_once() {
    let said = asked("reasons", "A[] not (P0.bad and P1.bad)\n");
    assert!(said.contains("since step 1: P0.bad\n  since step 2: P1.bad\n"), "{said}");
    let all = "A[] forall (i : int[0,1]) forall (j : int[0,1]) (i != j imply (a[i] or a[j]))\n";
    let said = asked("bound", all);
    assert!(said.contains("since step 1: not a[0]\n  since step 2: not a[1]\n"), "{said}");
    assert_eq!(said.matches("since step").count(), 2, "{said}");
}

#[test]
fn lassos_say_what_never_happens() {
    let said = asked("lasting", "A<> P0.bad and P1.bad\n");
    assert!(said.contains("  never: P0.bad && P1.bad\n"), "{said}");
    let folder = Folder::new("lassos");
    let model = folder.file(
        "m.pml",
        "byte x; bool p = true;\n\
         active proctype P() { do :: x = 1 - x; :: p = !p od }\n\
         ltl five { <> (x == 5) }\n\
         ltl again { []<> p }\n\
         ltl answer { [] (p -> <> (x == 1 && !p)) }\n\
         ltl stays { <>[] p }\n",
    );
    let said = homing(&["check", &model]).stdout;
    for line in [
        "  never: (x == 5)\n",
        "  never since step 1: p\n",
        "  at the start: p\n  never: (x == 1) && !p\n",
        "  again and again: not p\n",
    ] {
        assert!(said.contains(line), "no `{line}` in {said}");
    }
}

#[test]
fn a_step_of_a_for_shows_what_it_does() {
    let folder = Folder::new("for");
    let text =
        "int x;\nactive proctype P() { int i; for (i : 0 .. 1) { x = x + i } assert(false) }";
    let model = folder.file("m.pml", text);
    let said = homing(&["check", &model]).stdout;
    for piece in ["i = 0 ", "i <= 1 ", "i = i + 1 ", "else "] {
        assert!(said.contains(&format!("P[0]  {piece}")), "no `{piece}` in {said}");
    }
    assert!(!said.contains("for ("), "{said}");
}

#[test]
fn a_part_says_which_parameters_it_has() {
    let folder = Folder::new("parameters");
    let model = folder.file("m.dve", DEADLOCK);
    let asked = ["check", &model, "--goal", "x == 2", "--strategy", "perimeter(hamming)"];
    refused(&asked, &["`depth`, `most`", "`astar(hamming)`"]);
}

#[test]
fn charts_may_be_asked_for_several_times() {
    let folder = Folder::new("charts");
    let text = "chan c = [0] of { byte };\n\
                active proctype P() { c!1 }\nactive proctype Q() { byte x; c?x; assert(false) }";
    let model = folder.file("m.pml", text);
    let (svg, mermaid) = (folder.path("a.svg"), folder.path("a.mmd"));
    let (as_svg, as_mermaid) = (format!("svg={svg}"), format!("mermaid={mermaid}"));
    let run = homing(&["check", &model, "--chart", &as_svg, "--chart", &as_mermaid, "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(&mermaid).unwrap().contains("sequenceDiagram"));
    let same = format!("text={svg}");
    refused(&["check", &model, "--chart", &as_svg, "--chart", &same], &["two charts"]);
}

/// Every line of README's shell blocks that calls `homing`, executed as written in a copy of
/// the examples: it works, or ends with 1 where it finds an error.
#[test]
fn commands_of_the_readme_work() {
    let folder = Folder::new("readme");
    fs::create_dir_all(folder.path("examples")).unwrap();
    for entry in fs::read_dir(project().join("examples")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        fs::copy(entry.path(), folder.path(&format!("examples/{name}"))).unwrap();
    }
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> =
        blocks.flat_map(str::lines).filter(|line| line.starts_with("homing ")).collect();
    assert!(lines.len() >= 5, "{lines:?}");
    let spin = Command::new("spin").arg("-V").output().is_ok();
    let command = Path::new(env!("CARGO_BIN_EXE_homing"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", command.parent().unwrap().display());
    for line in lines.into_iter().filter(|line| spin || !line.contains("spin")) {
        let mut shell = Command::new("sh");
        let run = shell.args(["-c", line]).current_dir(folder.path(".")).env("PATH", &path);
        let run = run.output().unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(matches!(run.status.code(), Some(0 | 1)), "{line}: {told}");
        assert!(!told.contains("error:"), "{line}: {told}");
        if line.contains("spin -t") {
            let shown = String::from_utf8_lossy(&run.stdout);
            assert!(shown.contains("spin: trail ends after"), "{line}: {shown}{told}");
        }
    }
}
