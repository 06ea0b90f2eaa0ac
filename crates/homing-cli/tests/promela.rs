//! homing for people who come from SPIN: options, words, trails, charts, and
//! models with mistakes.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Folder, homing, refused};

/// A message is taken by the wrong process, and both wait for ever.
const DEADLOCK: &str = "\
chan a = [0] of { byte };
active proctype P() { byte x; a!1; a?x }
active [2] proctype Q() { byte x; a?x; a?x }
";

/// Merged statements, an atomic sequence, a `d_step`, a claim, a rendezvous,
/// a buffer, a process that dies.
const ASSERTION: &str = r#"
chan c = [0] of { byte };
chan q = [2] of { byte };
byte n;
never { do :: true od }
proctype P(byte k) {
  byte z;
  c!k;
  atomic { n++; q!k; z = 3 }
  d_step { z = 4; n = n + 1; if :: z > 3 -> z = 0 :: else -> skip fi }
  z++; z = z + 1;
  n = n + z;
  printf("n is %d\n", n);
  assert(n < 4)
}
proctype R() { skip }
active proctype Q() {
  byte y;
  do
  :: c?y
  :: q?y -> break
  od
}
init { run R(); (_nr_pr == 2); run P(1) }
"#;

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read_to_string(path).unwrap()
}

/// SPIN's answer, or nothing where it is not installed.
fn spin(folder: &Folder, arguments: &[&str]) -> Option<String> {
    let run = Command::new("spin").args(arguments).current_dir(folder.path(".")).output();
    match run {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(_) => {
            eprintln!("skipped: SPIN is not installed");
            None
        }
    }
}

#[test]
fn macros_and_folders_are_given_on_the_command_line() {
    let folder = Folder::new("promela-define");
    fs::create_dir_all(folder.path("headers")).unwrap();
    folder.file("headers/limit.h", "#define LIMIT 3\n");
    let text = "#ifdef HEADER\n#include \"limit.h\"\n#endif\n#ifndef LIMIT\n#define LIMIT 9\n#endif\n\
        byte x; active proctype P() { do :: x < N -> x++; assert(x < LIMIT) :: else -> break od }";
    let model = folder.file("m.pml", text);
    refused(&["check", &model], &["`N` is not declared", "m.pml:7:"]);
    let headers = folder.path("headers");
    let holds = homing(&["check", &model, "-DN=5"]);
    assert_eq!(holds.code, Some(0), "{}{}", holds.stdout, holds.stderr);
    for define in [&["-D", "N=5", "-DHEADER"][..], &["-DN=5", "-D", "HEADER"]] {
        let run = homing(&[&["check", &model, "-I", &headers], define].concat());
        assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    }
    refused(&["check", &model, "-DN=5", "-DHEADER"], &["limit.h"]);
}

#[test]
fn a_full_channel_may_lose_messages() {
    let folder = Folder::new("promela-lossy");
    let model = folder.file(
        "m.pml",
        "chan q = [1] of { byte }; active proctype S() { q!1; q!2; q!3 }
         active proctype R() { byte x; do :: q?x :: timeout -> break od }",
    );
    // As many states as SPIN's verifier stores, without and with `-m`.
    let states = |options: &[&str]| {
        let run = homing(&[&["stats", &model], options].concat());
        run.stdout.lines().next().unwrap().split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!((states(&[]).as_str(), states(&["--lossy"]).as_str()), ("10", "19"));
}

#[test]
fn end_states_and_assertions_are_switched() {
    let folder = Folder::new("promela-switch");
    let text = "active proctype P() { assert(false); (false) }";
    let model = folder.file("m.pml", text);
    let names = |options: &[&str]| {
        let run = homing(&[&["check", &model, "--json"], options].concat());
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let results = json["results"].as_array().unwrap().clone();
        results.iter().map(|one| one["property"].as_str().unwrap().into()).collect::<Vec<String>>()
    };
    assert_eq!(names(&["--no-end-states"]), ["assertions", "errors"]);
    assert_eq!(names(&["--no-assertions"]), ["deadlock", "errors"]);
    assert_eq!(names(&["--end-states", "--assertions"]), ["deadlock", "assertions"]);
    refused(&["check", &model, "--assertions", "--no-assertions"], &["cannot be used with"]);
}

#[test]
fn violations_have_the_names_spin_gives_them() {
    let folder = Folder::new("promela-words");
    let model = folder.file("m.pml", DEADLOCK);
    let run = homing(&["check", &model]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("\ninvalid end state\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  P[0] at S2 (m.pml:2): nobody sends"), "{}", run.stdout);
    let run = homing(&["check", &folder.file("a.pml", ASSERTION), "--no-end-states"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("assertion violated  "), "{}", run.stdout);
    assert!(run.stdout.contains("a.pml:14:9  (n < 4)"), "{}", run.stdout);
    assert!(run.stdout.contains("prints n is 4"), "{}", run.stdout);
}

#[test]
fn spin_replays_our_trails() {
    let (election, hyman) = (example("election.pml"), example("hyman.pml"));
    let all = [
        ("d.pml", DEADLOCK, "--end-states", "#processes: 3"),
        ("a.pml", ASSERTION, "--no-end-states", "text of failed assertion: assert((n<4))"),
        ("election.pml", &election, "--end-states", "#processes: "),
        ("hyman.pml", &hyman, "--no-end-states", "text of failed assertion: assert((inside==1))"),
    ];
    for (name, text, option, shown) in all {
        let folder = Folder::new(&format!("promela-trail-{name}"));
        let model = folder.file(name, text);
        let run = homing(&["check", &model, option, "--trail"]);
        assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("SPIN"), "{}", run.stderr);
        let trail = fs::read_to_string(folder.path(&format!("{name}.trail"))).unwrap();
        let Some(replayed) = spin(&folder, &["-t", "-p", name]) else { return };
        let ends = format!("trail ends after {} steps", trail.lines().count());
        assert!(replayed.contains(&ends), "{name}: {replayed}");
        assert!(replayed.contains(shown), "{name}: {replayed}");
        for wrong in ["transition failed", "no matching stmnt", "invalid statement", "stop error"] {
            assert!(!replayed.contains(wrong), "{name}: {replayed}");
        }
        let back = homing(&["replay", &model, &format!("{model}.trail")]);
        assert_eq!(back.code, Some(0), "{name}: {}", back.stderr);
    }
}

/// `pan`'s own trail, with statements merged or not; nothing without SPIN and
/// a compiler.
fn pan_trail(folder: &Folder, name: &str, options: &[&str]) -> Option<String> {
    spin(folder, &[options, &["-a", name]].concat())?;
    let here = folder.path(".");
    let compile = ["-w", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"];
    let compiled = Command::new("cc").args(compile).current_dir(&here).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no C compiler");
        return None;
    }
    Command::new("./pan").current_dir(&here).output().unwrap();
    Some(folder.path(&format!("{name}.trail")))
}

#[test]
fn trails_of_pan_are_read_and_made_shorter() {
    let (election, hyman) = (example("election.pml"), example("hyman.pml"));
    let all = [
        ("d.pml", DEADLOCK, "invalid end state"),
        ("a.pml", ASSERTION, "assertion violated"),
        ("election.pml", &election, "invalid end state"),
        ("hyman.pml", &hyman, "assertion violated"),
    ];
    for (name, text, shown) in all {
        for options in [&[][..], &["-o1", "-o2", "-o3"]] {
            let folder = Folder::new(&format!("promela-pan-{name}-{}", options.len()));
            let model = folder.file(name, text);
            let Some(trail) = pan_trail(&folder, name, options) else { return };
            let merged = fs::read_to_string(&trail).unwrap().contains("-4:-4:-4");
            assert_eq!(merged, options.is_empty(), "{name}");
            let run = homing(&["replay", &model, &trail]);
            assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
            assert!(run.stdout.contains(shown), "{name}: {}", run.stdout);
            if shown == "invalid end state" {
                let short = folder.path("short.trail");
                let made = homing(&["shorten", &model, &trail, &format!("--trail={short}")]);
                assert!(matches!(made.code, Some(0 | 3)), "{name}: {}", made.stderr);
                let lines = |path: &str| fs::read_to_string(path).unwrap().lines().count();
                assert!(merged || lines(&short) <= lines(&trail), "{name}");
                assert_eq!(homing(&["replay", &model, &short]).code, Some(0), "{name}");
            }
        }
    }
}

#[test]
fn trails_that_do_not_fit_are_refused() {
    let folder = Folder::new("promela-misfit");
    let model = folder.file("m.pml", DEADLOCK);
    let trail = |text: &str| folder.file("t.trail", text);
    let misfit = trail("1:0:0\n2:1:3\n3:0:0\n");
    refused(&["replay", &model, &misfit], &["t.trail:3:", "P[0]", "line 2", "`a!1`"]);
    refused(&["replay", &model, &trail("1:9:0\n")], &["t.trail:1:", "no process 9"]);
    refused(&["replay", &model, &trail("1:0\n")], &["t.trail:1:", "no line of a trail"]);
    refused(&["shorten", &model, &trail("-4:-4:-4\n")], &["nothing is wrong at the end"]);
    let other = folder.file("m.dve", support::DEADLOCK);
    refused(&["check", &other, "--trail"], &["Promela"]);
    refused(&["replay", &other, &trail("1:0:0\n")], &["Promela"]);
}

#[test]
fn messages_are_drawn() {
    let folder = Folder::new("promela-chart");
    let model = folder.file("a.pml", ASSERTION);
    let picture = folder.path("chart.svg");
    let run = homing(&["check", &model, "--no-end-states", "--trail", "--chart", "text"]);
    assert!(run.stdout.contains(" c!1 "), "{}", run.stdout);
    assert!(run.stdout.contains("o q!1 (1)"), "{}", run.stdout);
    let trail = format!("{model}.trail");
    let run = homing(&["replay", &model, &trail, "--chart", "mermaid"]);
    assert!(run.stdout.contains("sequenceDiagram\n"), "{}", run.stdout);
    let asked = format!("svg={picture}");
    let run = homing(&["replay", &model, &trail, "--json", "--chart", &asked]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg "));
    refused(&["replay", &model, &trail, "--json", "--chart", "text"], &["--chart svg=FILE"]);
    refused(&["replay", &model, &trail, "--chart", "png"], &["text, mermaid, svg"]);
}

/// What is wrong with a text is said once, with its place.
#[test]
fn mistakes_have_a_place_and_exit_2() {
    let folder = Folder::new("promela-mistakes");
    let p = |body: &str| format!("byte x;\nactive proctype P() {{ {body} }}\n");
    let all: Vec<(String, &str, &str)> = vec![
        ("active proctype P() { if :: true -> skip fi ".into(), "1:", "expected `}`"),
        ("active proctype P() { skip } }".into(), "1:30", "found `}`"),
        (format!("#include \"none.h\"\n{}", p("skip")), "1:1", "`none.h` does not exist"),
        (format!("#define A B\n#define B A\n{}", p("x = A")), "4:", "`A` is not declared"),
        (format!("#define F(a) F(a)+a\n{}", p("x = F(1)")), "3:", "`F`"),
        (
            format!("inline f() {{ g() }}\ninline g() {{ f() }}\n{}", p("f()")),
            "2:14",
            "calls itself",
        ),
        ("active proctype P()\nactive proctype Q() { skip }".into(), "2:1", "expected `{`"),
        ("active proctype P() { x = 1 }\nbyte x;".into(), "1:23", "declared later"),
        ("proctype Q(byte a) { skip }\ninit { run Q(1, 2) }".into(), "2:8", "takes 1"),
        (format!("chan c = [1] of {{ byte }};\n{}", p("c?x,x,x")), "3:", "3 values"),
        ("active [300] proctype P() { skip }".into(), "1:", "more than 255 processes"),
        (p("x = 5000000000"), "2:27", "too large"),
        (p("goto nowhere"), "2:28", "no label `nowhere`"),
        (p("c_code { x++; }"), "2:23", "embedded C"),
        (format!("chan c = [-1] of {{ byte }};\n{}", p("c!1")), "1:11", "0 to 255"),
        (
            "chan r = [0] of { byte };\nactive proctype P() priority 5 { r!1 }".into(),
            "",
            "beside priorities",
        ),
        (p("(np_)"), "2:", "`np_`"),
        (
            format!("chan r = [0] of {{ byte }};\n{}", p("(enabled(0))")),
            "",
            "`enabled` cannot be asked beside rendezvous channels",
        ),
        (String::new(), "1:1", "no process"),
    ];
    for (text, place, words) in all {
        let model = folder.file("m.pml", &text);
        refused(&["check", &model], &[&format!("m.pml:{place}"), words]);
    }
}

/// What goes wrong at run time is a violation with a trace, or nothing wrong.
#[test]
fn what_goes_wrong_later_is_a_violation() {
    let folder = Folder::new("promela-later");
    let run = |text: &str| {
        let model = folder.file("m.pml", text);
        let run = homing(&["check", &model, "--time", "60s"]);
        (run.code, run.stdout + &run.stderr)
    };
    let spawning = "proctype Q() { (false) }\nactive proctype P() { do :: run Q() od }";
    let (code, out) = run(spawning);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("errors: violated after 255 steps"), "{out}");
    let reused = "byte n;\nproctype Q(byte k) { n = k }\nactive proctype P() { byte i;
        do :: i < 5 -> run Q(i); (_nr_pr == 1); i++ :: else -> break od; assert(n == 4) }";
    assert_eq!(run(reused).0, Some(0));
    let outlived = "chan hand = [1] of { chan };
        proctype Q() { chan mine = [1] of { byte }; hand!mine }
        active proctype P() { chan c; run Q(); hand?c; (_nr_pr == 1); c!1; assert(false) }";
    let (code, out) = run(outlived);
    assert_eq!(code, Some(1), "{out}");
    // A rendezvous channel holds nothing that could be looked at: that is an error.
    let polled = "chan c = [0] of { byte };
        active proctype P() { if :: c?[1] -> assert(false) :: len(c) > 0 -> assert(false)
        :: empty(c) -> skip fi }";
    let (code, out) = run(polled);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("a look into a channel without a buffer"), "{out}");
    let (code, out) = run("byte x; active proctype P() { x = 1 / x }");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("division by zero"), "{out}");
    // It once was a division by zero, by its words.
    let (code, out) = run("byte x; active proctype P() { enabled(_pid) -> x = 1 }");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("a process asks whether it is enabled itself"), "{out}");
}
