//! `homing simulate` as a shell sees it: sessions from a script, and walks at
//! once.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{DEADLOCK, Folder, LARGE, ROUND, Run, command, homing, refused};

/// Fails in its third step, if it does not go on for ever.
const FAILING: &str = "\
byte x, a[2];
process P {
  state s;
  init s;
  trans s -> s { guard x < 2; effect x = x + 1; }, s -> s { guard x == 2; effect a[x] = 1; };
}
system async;
";

/// A session with these commands.
fn session(arguments: &[&str], commands: &str) -> Run {
    let mut child = command(&[&["simulate"], arguments].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that has ended already does not read.
    let _ = child.stdin.take().unwrap().write_all(commands.as_bytes());
    child.wait_with_output().unwrap().into()
}

#[test]
fn a_session_goes_to_and_fro() {
    let folder = Folder::new("session");
    let model = folder.file("m.dve", DEADLOCK);
    let run = session(&[&model, "--goal", "x == 2"], "1\n1\ngoal\nback\ngoal\n1\n1\nt\ns\nq\n1\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let expected = "\
seed 1
after 0 steps
  P: a  x: 0
1  P  a -> a  m.dve:5  x: 0 -> 1
after 1 step
  P: a  x: 0 -> 1
1  P  a -> a  m.dve:5  x: 1 -> 2
after 2 steps
  P: a  x: 1 -> 2
the goal is reached  <goal>:1:1  x == 2
1  P  a -> a  m.dve:5  x: 2 -> 3
x == 2: yes: the goal is reached (goal-count: 0)
after 1 step
  P: a  x: 0 -> 1
1  P  a -> a  m.dve:5  x: 1 -> 2
x == 2: no (goal-count: 1)
after 2 steps
  P: a  x: 1 -> 2
the goal is reached  <goal>:1:1  x == 2
1  P  a -> a  m.dve:5  x: 2 -> 3
after 3 steps
  P: a  x: 2 -> 3
deadlock: no process can move
1  P  a -> a  m.dve:5  x: 0 -> 1
2  P  a -> a  m.dve:5  x: 1 -> 2
3  P  a -> a  m.dve:5  x: 2 -> 3
deadlock: no process can move
  P: a  x: 2 -> 3
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn run_time_errors_are_shown_before_and_after() {
    let folder = Folder::new("fault");
    let model = folder.file("m.dve", FAILING);
    let run = session(&[&model], "r 2\n1\nb\n");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let error = "run-time error: index 2 is out of bounds for an array of length 2  ";
    // Offered, met, and offered again.
    assert_eq!(run.stdout.matches(error).count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("2 steps, seed 1\n"), "{}", run.stdout);
    assert!(run.stdout.contains("after 3 steps\n  P: s  x: 2  a[0]: 0  a[1]: 0\nrun-time"));
}

#[test]
fn walks_are_written_replayed_and_gone_on_from() {
    let folder = Folder::new("kept");
    let model = folder.file("m.dve", DEADLOCK);
    let (first, second) = (folder.path("first.json"), folder.path("second.json"));
    let run = session(&[&model], &format!("1\n1\nw {first}\n"));
    assert!(run.stdout.ends_with(&format!("2 steps written to {first}\n")), "{}", run.stdout);
    let replayed = homing(&["replay", &model, &first]);
    assert_eq!((replayed.code, replayed.stdout.lines().count()), (Some(0), 2));
    let on = ["simulate", &model, "--from", &first, "--random", "9", "--trace", &second];
    let run = homing(&on);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.ends_with("deadlock: no process can move\n1 of 9 steps, seed 1\n"),
        "{}",
        run.stdout
    );
    let kept: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&second).unwrap()).unwrap();
    assert_eq!(kept["property"], "deadlock");
    // Three steps, the deadlock, and why it is one.
    assert_eq!(homing(&["replay", &model, &second]).stdout.lines().count(), 5);
    let other = folder.file("other.dve", DEADLOCK.replace("x < 3", "x < 1"));
    refused(&["simulate", &other, "--from", &first], &["step 2", "another model"]);
}

#[test]
fn the_same_seed_is_the_same_walk() {
    let folder = Folder::new("seeds");
    let model = folder.file("m.dve", LARGE);
    let walk = |seed: &str| homing(&["simulate", &model, "--random", "40", "--seed", seed]).stdout;
    assert_eq!(walk("7"), walk("7"));
    assert_ne!(walk("7").lines().next(), None);
    assert!(walk("7").ends_with("40 steps, seed 7\n"), "{}", walk("7"));
    let steps = |seed: &str| walk(seed).replace(&format!("seed {seed}"), "");
    assert_ne!(steps("7"), steps("8"));
    // The seed that a session shows for a later walk repeats it.
    let (start, whole) = (folder.path("start.json"), folder.path("whole.json"));
    let run = session(&[&model], &format!("r 5\nw {start}\nr 20\nw {whole}\n"));
    let shown = run.stdout.lines().find_map(|line| line.strip_prefix("20 steps, seed ")).unwrap();
    let again = folder.path("again.json");
    let on = ["--from", &start, "--random", "20", "--seed", shown, "--trace", &again];
    assert_eq!(homing(&[&["simulate", &model][..], &on].concat()).code, Some(0));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn an_estimate_guides() {
    let folder = Folder::new("guided");
    let model = folder.file("m.dve", LARGE);
    let goal = ["--goal", "x[1] == 2 and x[3] == 1", "--estimate"];
    let own = "expression('(x[1] - 2) * (x[1] - 2) + (x[3] - 1) * (x[3] - 1)')";
    let start = ["simulate", &model, "--guided", "99"];
    let run = homing(&[&start[..], &goal, &[own]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("the goal is reached"), "{}", run.stdout);
    assert!(run.stdout.ends_with(&format!("3 of 99 steps, seed 1, {own}: 0\n")), "{}", run.stdout);
    let json = homing(&[&start[..], &goal, &[own, "--json"]].concat()).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["length"], &json["cause"]["kind"]), (&3.into(), &"goal".into()));
    // In a session, on the way and back.
    let run = session(&[&[model.as_str()], &goal[..], &[own]].concat(), "1\ng\nb 2\ng 99\n");
    assert!(run.stdout.contains("3 of 99 steps, seed "), "{}", run.stdout);
    assert!(run.stdout.contains("after 3 steps"), "{}", run.stdout);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("wrong");
    let model = folder.file("m.dve", ROUND);
    let with = |more: &[&str], words: &[&str]| {
        refused(&[&["simulate", &model], more].concat(), words);
    };
    with(&["--guided", "3"], &["--goal", "--property"]);
    with(&["--estimate", "hamming"], &["--goal"]);
    with(&["--random", "3", "--guided", "3", "--goal", "x == 1"], &["--guided"]);
    with(&["--random", "-3"], &["--random"]);
    with(&["--json"], &["--random"]);
    with(&["--goal", "y == 1"], &["`y`"]);
    with(&["--goal", "x == 1", "--estimate", "hammning"], &["did you mean `hamming`?"]);
    with(&["--goal", "x == 1", "--estimate", "max([hammning])"], &["did you mean `hamming`?"]);
    with(&["--goal", "x == 1", "--estimate", "active"], &["made for deadlocks"]);
    with(&["--from", "none.json"], &["none.json"]);
    with(&["--random", "3", "--trace", &folder.path("no/t.json")], &["no folder"]);
    refused(&["simulate", "none.dve"], &["none.dve"]);
    let script = |commands: &str, words: &[&str]| {
        let run = session(&[&model], commands);
        assert_eq!(run.code, Some(2), "{commands:?}: {}", run.stderr);
        let all = words.iter().all(|word| run.stderr.contains(word));
        assert!(all, "{commands:?}: {}", run.stderr);
    };
    script("1\n\nlook\n", &["command 3, `look`", "`?` lists them"]);
    script("2\n", &["there is no step 2, only step 1"]);
    script("b\n", &["no step to undo"]);
    script("g\n", &["`--goal`"]);
    script("goal\n", &["there is no goal"]);
    script("r soon\n", &["`soon`"]);
    let nowhere = folder.path("no/t.json");
    script(&format!("w {nowhere}\n"), &["no folder"]);
    assert!(!Path::new(&nowhere).exists());
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_walk_not_what_it_has_found() {
    let folder = Folder::new("walk-interrupted");
    let model = folder.file("large.dve", LARGE);
    let mut run = command(&["simulate", &model, "--random", "1000000000"]);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success(), "it ended too early");
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let last = run.stdout.lines().last().unwrap();
    assert!(last.ends_with(" of 1000000000 steps, seed 1, interrupted"), "{last}");
    let steps: usize = last.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(run.stdout.lines().count(), steps + 1);
}

#[test]
fn help_has_commands_and_examples() {
    let help = homing(&["simulate", "--help"]).stdout;
    for part in ["homing simulate mutex.dve", "b, back [N]", "the walk was made"] {
        assert!(help.contains(part), "no `{part}` in {help}");
    }
    let folder = Folder::new("help");
    let run = session(&[&folder.file("m.dve", ROUND)], "?\n");
    assert!(run.stdout.contains("b, back [N]"), "{}", run.stdout);
}
