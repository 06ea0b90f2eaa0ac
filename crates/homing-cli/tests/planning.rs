//! `homing tune`, the strategies it names, and `homing explain-plan`, as a shell sees them.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{DEADLOCK, Folder, LARGE, ROUND, Run, command, homing, refused};

/// What one process takes, another gives: the sum stays what it is.
const KEPT: &str = "\
byte x[5];
process P {
  state a;
  init a;
  trans
    a -> a { effect x[0] = x[0] + 1, x[1] = x[1] - 1; },
    a -> a { effect x[1] = x[1] + 1, x[2] = x[2] - 1; },
    a -> a { effect x[2] = x[2] + 1, x[3] = x[3] - 1; },
    a -> a { effect x[3] = x[3] + 1, x[4] = x[4] - 1; },
    a -> a { effect x[4] = x[4] + 1, x[0] = x[0] - 1; };
}
system async;
";

/// A goal that `KEPT` never reaches, which no estimate and no search finds out soon.
const FAR: &str = "(x[0] + x[1] + x[2] + x[3] + x[4]) % 256 == 1";

/// One of it that a blind search needs long for.
const NEAR: &str = "x[0] == 30 && x[1] == 30 && x[2] == 30";

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

/// Runs a command in a folder.
fn within(folder: &Folder, at: &str, arguments: &[&str]) -> Run {
    command(arguments).current_dir(folder.path(at)).output().unwrap().into()
}

/// A race without what differs from run to run.
fn timeless(mut race: Value) -> Value {
    for one in race["configurations"].as_array_mut().unwrap() {
        one["seconds"] = 0.into();
    }
    race
}

#[test]
fn the_best_is_written_and_used_by_its_name() {
    let folder = Folder::new("tune");
    folder.file("m.dve", LARGE);
    fs::create_dir_all(folder.path("deep/deeper")).unwrap();
    folder.file("homing.toml", "# mine\n[strategies]\nold = 'depth'\n");
    let tune = ["tune", "m.dve", "--goal", NEAR, "--work", "100000", "--json"];
    let run = within(&folder, ".", &tune);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let race = json(&run);
    let best = race["best"].as_str().unwrap();
    assert_eq!((&race["written"], &race["name"]), (&true.into(), &"tuned".into()));
    assert_eq!(race["instances"][0]["verdict"], "violated");
    assert_eq!(race["instances"][0]["winner"], best);
    assert!(race["runs"].as_u64().unwrap() > 20, "{race}");
    let text = fs::read_to_string(folder.path("homing.toml")).unwrap();
    assert!(text.starts_with("# mine\n[strategies]\n") && text.contains("old = 'depth'"), "{text}");
    assert!(text.contains("tuned = "), "{text}");
    assert_eq!(timeless(race.clone()), timeless(json(&within(&folder, ".", &tune))));

    for (at, name, model) in [
        (".", "@tuned", "m.dve"),
        (".", "tuned", "m.dve"),
        ("deep/deeper", " @tuned", "../../m.dve"),
    ] {
        let check = ["check", model, "--goal", NEAR, "--strategy", name, "--json"];
        let run = within(&folder, at, &check);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let found = json(&run);
        assert_eq!(found["plan"]["strategy"], best);
        assert_eq!(found["statistics"]["work"], race["instances"][0]["work"]);
    }
    let both = ["--strategies", "old; @tuned; greedy(expression('30 - x[0]; 1'))", "--json"];
    let several = ["compare", "m.dve", "--goal", "x[0] == 2", "--expansions", "1000"];
    let run = within(&folder, ".", &[&several[..], &both].concat());
    // The last has an expression that is wrong, and is read as one.
    assert!(run.stderr.contains("<estimate>:1:10"), "{}", run.stderr);
    let both = ["--strategies", "old; @tuned", "--json"];
    let compared = json(&within(&folder, ".", &[&several[..], &both].concat()));
    assert_eq!(compared["runs"][0]["strategy"], "depth");
    assert_eq!(compared["runs"][1]["strategy"], best);
    let elsewhere = ["--strategy", "old", "--config", &folder.path("homing.toml"), "--json"];
    let round = folder.file("round.dve", ROUND);
    let run = homing(&[&["check", &round][..], &elsewhere].concat());
    assert_eq!(json(&run)["plan"]["strategy"], "depth");
}

/// What the race says of a configuration is what comparing says, and none is better.
#[test]
fn no_other_configuration_is_better() {
    let folder = Folder::new("tune-compare");
    let model = folder.file("m.dve", DEADLOCK);
    for question in [["--goal", "x == 3"], ["--property", "deadlock"]] {
        let out = folder.path("out.toml");
        let tune = [&["tune", &*model][..], &question, &["--out", &out, "--json"]].concat();
        let run = homing(&tune);
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
        let race = json(&run);
        let raced = race["configurations"].as_array().unwrap();
        let name = |one: &Value| one["strategy"].as_str().unwrap().to_string();
        let names: Vec<String> = raced.iter().map(name).filter(|name| name != "auto").collect();
        assert!(names.len() > 5, "{race}");
        let strategies = names.join("; ");
        let compare = [&["compare", &*model][..], &question, &["--strategies", &strategies]];
        let compared = json(&homing(&[&compare.concat()[..], &["--json"]].concat()));
        let least = race["instances"][0]["work"].as_f64().unwrap();
        for row in compared["runs"].as_array().unwrap() {
            let one = raced.iter().find(|one| one["strategy"] == row["strategy"]).unwrap();
            let work = row["statistics"]["work"].as_f64().unwrap();
            assert!((one["work"].as_f64().unwrap() - work).abs() < 0.01, "{one} {row}");
            assert!(work >= least, "{row} is better than {race}");
        }
    }
}

#[test]
fn several_models_and_short_traces() {
    let folder = Folder::new("tune-several");
    let (one, other) = (folder.file("one.dve", DEADLOCK), folder.file("other.dve", LARGE));
    let out = folder.path("new.toml");
    let start = ["tune", &one, &other, "--goal", "x[4] == 1", "--out", &out];
    // What is a goal of one model need not be one of the other.
    refused(&start, &["one.dve", "x[4]"]);
    let tune = ["tune", &one, &one, "--property", "deadlock", "--for", "length"];
    let run = homing(&[&tune[..], &["--out", &out, "--name", "short"]].concat());
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("3 steps") && run.stdout.contains("best: "), "{}", run.stdout);
    assert!(run.stdout.contains("written as `short`"), "{}", run.stdout);
    assert!(fs::read_to_string(&out).unwrap().starts_with("[strategies]\nshort = \""));
}

#[test]
fn wrong_files_and_names_are_refused_before_the_race() {
    let folder = Folder::new("tune-wrong");
    // Were anything raced, it would not end soon.
    let model = folder.file("m.dve", KEPT);
    let with = |more: &[&str], words: &[&str]| {
        refused(&[&["tune", &*model, "--goal", FAR][..], more].concat(), words);
    };
    let broken = folder.file("broken.toml", "[strategies]\na = \n");
    let latin = folder.file("latin.toml", b"# \xe9\n");
    let inline = folder.file("inline.toml", "strategies = { a = 'depth' }\n");
    with(&["--name", "greedy"], &["`greedy`", "catalogue"]);
    with(&["--name", "a b"], &["`a b`", "no name"]);
    with(&["--name", ""], &["no name"]);
    with(&["--out", &broken], &["broken.toml:2:"]);
    with(&["--out", &latin], &["latin.toml", "byte 3"]);
    with(&["--out", &inline], &["inline.toml", "write it there yourself"]);
    with(&["--out", &folder.path(".")], &["is a folder"]);
    with(&["--out", &folder.path("no/homing.toml")], &["there is no folder"]);
    with(&["--for", "speed"], &["speed", "length"]);
    with(&["--no-pass", "slise", "--out", &folder.path("new.toml")], &["did you mean `slice`?"]);
    refused(&["tune"], &["MODEL"]);
    refused(&["tune", &folder.path("none.dve"), "--out", &folder.path("o.toml")], &["none.dve"]);
    let empty = folder.file("empty.dve", "");
    refused(&["tune", &empty, "--out", &folder.path("o.toml")], &["empty.dve"]);
    assert!(!Path::new(&folder.path("o.toml")).exists());
}

#[test]
fn unknown_names_say_what_is_near_and_where_was_looked() {
    let folder = Folder::new("named");
    folder.file("m.dve", ROUND);
    let refused = |arguments: &[&str], words: &[&str]| {
        let run = within(&folder, ".", &[&["check", "m.dve"][..], arguments].concat());
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{arguments:?}: {}", run.stderr);
        for word in words {
            assert!(run.stderr.contains(word), "{arguments:?}: no {word} in {}", run.stderr);
        }
    };
    refused(&["--strategy", "@tuned"], &["`tuned`", "homing.toml", "around"]);
    refused(&["--strategy", "bredth"], &["`bredth`", "did you mean `breadth`?", "homing.toml"]);
    folder.file("homing.toml", "[strategies]\ntuned = 'greedy(hamming)'\n");
    refused(&["--strategy", "tund"], &["did you mean `tuned`?", "homing.toml"]);
    refused(&["--strategy", "@breadth"], &["`breadth`", "there are: tuned"]);
    folder.file("homing.toml", "");
    refused(&["--strategy", "@tuned"], &["`tuned`", "homing.toml", "homing tune"]);
    folder.file("homing.toml", "[strategies]\n\ntuned = 'greedy(haming)'\n");
    refused(&["--strategy", "tuned"], &["homing.toml:3:9", "did you mean `hamming`?"]);
    folder.file("homing.toml", "[strategies]\ndepth = 'breadth'\n");
    refused(&["--strategy", "tuned"], &["homing.toml:2:1", "catalogue"]);
    folder.file("homing.toml", "strategies = 3\n");
    refused(&["--strategy", "@x"], &["homing.toml:1:"]);
    refused(&["--strategy", "@x", "--config", "none.toml"], &["none.toml"]);
    refused(&["--config", "homing.toml"], &["homing.toml:1:"]);
    // What needs no name does not read the file that is there by chance.
    let run = within(&folder, ".", &["check", "m.dve", "--strategy", "breadth"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_race_that_solves_nothing_writes_nothing() {
    let folder = Folder::new("tune-nothing");
    let (model, out) = (folder.file("m.dve", KEPT), folder.path("homing.toml"));
    let start = ["tune", &model, "--goal", FAR, "--out", &out];
    let run = homing(&[&start[..], &["--work", "1000"]].concat());
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("no configuration solved anything"), "{}", run.stdout);
    assert!(run.stdout.contains("nothing was written"), "{}", run.stdout);
    let run = homing(&[&start[..], &["--time", "1s", "--json"]].concat());
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    assert!(json(&run)["reason"].as_str().unwrap().contains("time"), "{}", run.stdout);
    assert!(!Path::new(&out).exists());
}

#[test]
#[cfg(unix)]
fn an_interrupted_race_tells_and_writes_what_it_knows() {
    let folder = Folder::new("tune-interrupted");
    let (model, out) = (folder.file("m.dve", KEPT), folder.path("homing.toml"));
    let interrupted = |goals: &[&str]| {
        let start = ["tune", &model, "--out", &out, "--work", "1000000000000", "--json"];
        let mut run = command(&[&start[..], goals].concat());
        let piped = std::process::Stdio::piped;
        let child = run.stdout(piped()).stderr(piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(3000));
        let mut kill = std::process::Command::new("kill");
        let killed = kill.args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success(), "it ended too early");
        let run: Run = child.wait_with_output().unwrap().into();
        assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
        json(&run)
    };
    let nothing = interrupted(&["--goal", FAR]);
    assert!(nothing["reason"].as_str().unwrap().contains("interrupted"), "{nothing}");
    assert!(!Path::new(&out).exists());
    let something = interrupted(&["--goal", "x[0] == 1", "--goal", FAR]);
    assert_eq!((&something["complete"], &something["written"]), (&false.into(), &true.into()));
    assert!(fs::read_to_string(&out).unwrap().contains(something["best"].as_str().unwrap()));
}

/// The searches of a plan without the time that making guides took.
fn untimed(mut plan: Value) -> Value {
    for search in plan["searches"].as_array_mut().unwrap() {
        for guide in search["guides"].as_array_mut().unwrap() {
            guide["seconds"] = 0.into();
        }
    }
    plan["searches"].take()
}

#[test]
fn the_plan_is_told_turn_by_turn() {
    let folder = Folder::new("plan");
    let model = folder.file("m.dve", LARGE);
    let svg = folder.path("estimate.svg");
    let plan = ["explain-plan", &model, "--goal", NEAR, "--strategy", "auto(improve=0)"];
    let run = homing(&[&plan[..], &["--svg", &svg]].concat());
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    for words in ["Search 1 for", "guide 1: greedy(", "made at once", "finds `", "least estimate"] {
        assert!(run.stdout.contains(words), "no {words} in {}", run.stdout);
    }
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("<polyline"), "{drawn}");

    let told = json(&homing(&[&plan[..], &["--json"]].concat()));
    let again = json(&homing(&[&plan[..], &["--json"]].concat()));
    assert_eq!(untimed(told.clone()), untimed(again));
    let search = told["searches"].as_array().unwrap().last().unwrap();
    let turns = search["turns"].as_array().unwrap();
    let number = |turn: &Value, field: &str| turn[field].as_u64().unwrap();
    assert_eq!(turns[0]["began_at"], 0, "{search}");
    for pair in turns.windows(2) {
        let end = number(&pair[0], "began_at") + number(&pair[0], "took");
        assert_eq!(end, number(&pair[1], "began_at"), "{search}");
    }
    let found = &turns.last().unwrap()["found"][0];
    assert_eq!(found["property"], NEAR);
    assert_eq!(found["length"], told["results"][0]["length"]);
    let guide = &search["guides"][0];
    assert_eq!((&guide["state"], &guide["number"]), (&"made".into(), &1.into()));
    let all: u64 = told["searches"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|search| {
            search["turns"].as_array().unwrap().iter().map(|turn| number(turn, "expanded"))
        })
        .sum();
    assert_eq!(all, number(&told["statistics"], "expanded"), "{told}");
}

#[test]
fn a_dry_run_searches_nothing() {
    let folder = Folder::new("plan-dry");
    let model = folder.file("m.dve", LARGE);
    let dry = ["explain-plan", &model, "--goal", NEAR, "--dry-run"];
    let told = json(&homing(&[&dry[..], &["--json"]].concat()));
    assert_eq!((&told["dry_run"], &told["statistics"]["expanded"]), (&true.into(), &0.into()));
    assert_eq!(told["results"], Value::Array(vec![]));
    let guides = told["searches"][0]["guides"].as_array().unwrap();
    // What takes no search to make is made, or refused; all that is dear waits.
    let (waiting, others): (Vec<&Value>, Vec<&Value>) =
        guides.iter().partition(|guide| guide["state"] == "waiting");
    let cheap = ["greedy(hamming)", "greedy(fsm-sum)"];
    let is_cheap = |guide: &&Value| cheap.contains(&guide["strategy"].as_str().unwrap());
    assert!(waiting.len() > 2 && others.iter().all(is_cheap), "{told}");
    let run = homing(&dry);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("guide: greedy(") && run.stdout.contains("waits"),
        "{}",
        run.stdout
    );
    refused(&[&dry[..], &["--svg", &folder.path("e.svg")]].concat(), &["--dry-run", "--svg"]);
}

#[test]
fn plans_that_are_cut_or_wrong() {
    let folder = Folder::new("plan-cut");
    let model = folder.file("m.dve", KEPT);
    let start = ["explain-plan", &model, "--goal", FAR];
    let run = homing(&[&start[..], &["--expansions", "3000", "--json"]].concat());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let told = json(&run);
    assert!(told["searches"][0]["ended"].as_str().unwrap().contains("expansions"), "{told}");
    assert!(told["searches"][0]["turns"].as_array().unwrap().len() > 1, "{told}");
    let with = |more: &[&str], words: &[&str]| refused(&[&start[..], more].concat(), words);
    with(&["--strategy", "breadth"], &["only `auto`", "homing parts breadth"]);
    with(&["--strategy", "auto(shar=3)"], &["`shar`"]);
    with(&["--strategy", "autoo"], &["did you mean `auto`?"]);
    with(&["--svg", &folder.path(".")], &["is a folder"]);
    refused(&["explain-plan", &folder.path("none.dve")], &["none.dve"]);
    refused(&["explain-plan", &folder.file("empty.dve", "")], &["empty.dve"]);
    // A proof has its plan too.
    let round = folder.file("round.dve", ROUND);
    let run = homing(&["explain-plan", &round]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("everything was searched"), "{}", run.stdout);
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = homing(&["tune", "--help"]).stdout;
    assert!(help.contains("homing tune mutex.dve") && help.contains("Exit codes"), "{help}");
    let help = homing(&["explain-plan", "--help"]).stdout;
    assert!(help.contains("--dry-run") && help.contains("Exit codes"), "{help}");
    let script = homing(&["completions", "bash"]).stdout;
    assert!(script.contains("explain-plan") && script.contains("tune"));
}
