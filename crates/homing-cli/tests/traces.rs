//! What the command does with traces: why, `shorten`, `--different`.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// `P` counts, `Q` only walks about; two ways lead to 2.
const MODEL: &str = "\
byte x; byte y;
process P {
  state a, b;
  init a;
  trans
    a -> a { guard x < 3; effect x = x + 1; },
    a -> b { guard x == 2; },
    a -> b { guard y == 1; effect x = 2; };
}
process Q {
  state c, d;
  init c;
  trans c -> d { }, d -> c { }, c -> c { guard y == 0; effect y = 1; };
}
system async;
";

const GOAL: &str = "P.b and x == 2";

/// A folder of files that disappears with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("homing-traces-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.0.join(name), content).unwrap();
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn homing(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_homing"));
    command.args(arguments).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// A trace of seven steps, two of which matter for nothing.
fn long_trace(folder: &Folder) -> (String, String) {
    let model = folder.file("m.dve", MODEL);
    let step = |process: u32, edge: u32, name: &str, from: &str, to: &str, line: u32| {
        let edge =
            format!("{{\"process\":{process},\"edge\":{edge},\"branch\":0,\"name\":\"{name}\"");
        format!("[{edge},\"from\":\"{from}\",\"to\":\"{to}\",\"line\":{line}}}]")
    };
    let walk = [step(1, 0, "Q", "c", "d", 13), step(1, 1, "Q", "d", "c", 13)];
    let count = step(0, 0, "P", "a", "a", 6);
    let steps = [
        walk[0].clone(),
        count.clone(),
        walk[1].clone(),
        walk[0].clone(),
        count,
        step(0, 1, "P", "a", "b", 7),
    ];
    let trace = format!(
        "{{\"format\":\"homing-trace\",\"version\":1,\"model\":\"m.dve\",\"property\":\"{GOAL}\",\"steps\":[{}]}}",
        steps.join(",")
    );
    (model, folder.file("long.json", &trace))
}

#[test]
fn why_tells_since_when_and_what_does_not_matter() {
    let folder = Folder::new("why");
    let (model, long) = long_trace(&folder);
    let (code, out, err) = homing(&["replay", &model, &long]);
    assert_eq!(code, Some(0), "{err}");
    for line in [
        "  since step 6: P.b\n",
        "  since step 5: x == 2\n",
        "3 of 6 steps matter; without steps 1, 3-4, which do not, it happens as well\n",
    ] {
        assert!(out.contains(line), "no `{line}` in {out}");
    }
    let (_, json, _) = homing(&["replay", &model, &long, "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let matter: Vec<bool> =
        json["steps"].as_array().unwrap().iter().map(|s| s["matters"].as_bool().unwrap()).collect();
    assert_eq!(matter, [false, true, false, false, true, true]);
    assert_eq!(json["why"]["holds"][1]["condition"], "x == 2");
    let (_, colours, _) = homing(&["--color", "always", "replay", &model, &long]);
    assert!(
        colours.contains("\x1b[2m1  Q  c -> d"),
        "steps that do not matter are dimmed: {colours}"
    );
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let folder = Folder::new("deadlock");
    let model = folder.file("m.dve", &MODEL.replace("c -> d { }, d -> c { }, ", ""));
    let (code, out, err) = homing(&["check", &model, "--property", "deadlock"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("  P at b (m.dve:3): it has no way on\n"), "{out}");
    assert!(out.contains("  Q at c (m.dve:11): `y == 0` is false\n"), "{out}");
}

#[test]
fn traces_are_made_shorter() {
    let folder = Folder::new("shorten");
    let (model, long) = long_trace(&folder);
    let short = folder.path("short.json");
    let (code, out, err) = homing(&["shorten", &model, &long, "--trace", &short]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("P.b and x == 2: from 6 to 2 steps, shortest\n"), "{out}");
    let (code, again, err) = homing(&["shorten", &model, &short, "--json"]);
    assert_eq!(code, Some(0), "{err}");
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!((&again["before"], &again["trace"]["length"]), (&2.into(), &2.into()));
    assert_eq!((&again["optimal"], &again["at_least"]), (&true.into(), &2.into()));
    // Without a search, steps can be left out, but nothing is proven.
    let (code, out, err) = homing(&["shorten", &model, &long, "--expansions", "0"]);
    assert_eq!(code, Some(3), "{err}");
    assert!(out.contains("from 6 to 3 steps, at least 0: stopped by the limit"), "{out}");
    assert!(out.contains("3 steps: leaving out what does not matter"), "{out}");
}

#[test]
fn traces_that_cannot_be_shortened_are_refused() {
    let folder = Folder::new("refused");
    let (model, long) = long_trace(&folder);
    let refused = |arguments: &[&str], words: &str| {
        let (code, out, err) = homing(&[&["shorten"], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(words), "no `{words}` in {err}");
    };
    let other = folder.file("other.dve", &MODEL.replace("x < 3", "x < 1"));
    refused(&[&other, &long], "step 5 is not enabled");
    refused(&[&model, &long, "--goal", "x == 3"], "after its 6 steps the trace does not violate");
    refused(&[&model, &long, "--property", "deadlock"], "does not violate `deadlock`");
    refused(&[&model, &long, "--property", "deadlok"], "did you mean `deadlock`?");
    refused(&[&model, &long, "--goal", "x =="], "<goal>:1:");
    refused(&[&model, &long, "--strategy", "atsar"], "atsar");
    refused(&[&model, &folder.path("none.json")], "none.json");
    refused(&[&model, &folder.file("broken.json", "{")], "not a trace");
    refused(&[&model, &long, "--goal", "x == 2", "--property", "deadlock"], "cannot be used with");
}

#[test]
fn different_counterexamples_are_told_apart() {
    let folder = Folder::new("different");
    let model = folder.file("m.dve", MODEL);
    let trace = folder.path("t.json");
    let goal = ["--goal", GOAL, "--different", "5"];
    let (code, out, err) = homing(&[&["check", &model, "--trace", &trace], &goal[..]].concat());
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("another way (2 of "), "{out}");
    assert!(out.contains("only here: "), "{out}");
    let (_, json, _) = homing(&[&["check", &model, "--json"], &goal[..]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    let different = &json["results"][0]["different"];
    let others = different["others"].as_array().unwrap();
    assert!(!others.is_empty() && others.len() <= 4, "{different}");
    assert_eq!(different["complete"], true, "{different}");
    let first = fs::read_to_string(&trace).unwrap();
    let second = fs::read_to_string(folder.path("t.P-b-and-x----2.json")).unwrap();
    assert_ne!(first, second);
    let (code, _, err) = homing(&["check", &model, "--different", "0"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--different"), "{err}");
}
