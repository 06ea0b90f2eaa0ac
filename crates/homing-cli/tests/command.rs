//! The command as a shell sees it: exit codes, standard output, standard error.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use support::{DEADLOCK, Folder, LARGE, ROUND, Run, command, homing, refused};

#[test]
fn models_that_cannot_be_read_are_refused() {
    let folder = Folder::new("unreadable");
    let junk: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let long = format!("byte x = {};", "1 + ".repeat(50_000));
    refused(&["check", "no-such-model.dve"], &["no-such-model.dve"]);
    refused(&["check", &folder.path("")], &["error"]);
    refused(&["check", &folder.file("empty.dve", "")], &["empty.dve"]);
    refused(&["check", &folder.file("junk.dve", junk)], &["junk.dve"]);
    refused(&["check", &folder.file("long.dve", long)], &["long.dve:1:"]);
    refused(&["check", &folder.file("cut.dve", &DEADLOCK[..60])], &["cut.dve:"]);
    refused(&["check", &folder.file("model.unknown", DEADLOCK)], &["model.unknown"]);
    refused(&["stats", "no-such-model.dve"], &["no-such-model.dve"]);
    refused(&["replay", "no-such-model.dve", "t.json"], &["no-such-model.dve"]);
}

#[test]
fn errors_in_models_are_shown_in_place() {
    let folder = Folder::new("errors");
    let model = folder.file("m.dve", DEADLOCK.replace("x < 3", "y < 3"));
    refused(&["check", &model], &["error: ", "m.dve:5:24", "guard y < 3", "^"]);
}

#[test]
fn bad_arguments_are_refused() {
    let folder = Folder::new("arguments");
    let model = folder.file("m.dve", DEADLOCK);
    refused(&["check", &model, "--no-such-option"], &["--no-such-option"]);
    refused(&["check"], &["<MODEL>"]);
    refused(&[], &["Usage"]);
    refused(&["check", &model, "--memory", "4Q"], &["`Q` is not a unit of size"]);
    refused(&["check", &model, "--memory", "4"], &["4 bytes", "`4G` was probably meant"]);
    refused(&["check", &model, "--threads", "0"], &["0 is not in 1..", "--threads"]);
    let many = ["check", &model, "--threads", "64", "--memory", "256M"];
    refused(&many, &["64 threads take at least", "268.4 MB"]);
    refused(&["check", &model, "--time", "soon"], &["does not start with a number"]);
    refused(&["check", &model, "--states", "-1"], &["--states"]);
    refused(&["check", &model, "--goal", "x >"], &["<goal>:1:"]);
    refused(&["check", &model, "--goal", ""], &["<goal>:1:1"]);
    refused(&["check", &model, "--goal", "nothing == 1"], &["`nothing`", "<goal>:1:1"]);
    refused(&["check", &model, "--strategy", "brea"], &["`brea`"]);
    refused(&["check", &model, "--engine", "steam"], &["compiled, interpreter"]);
    refused(&["check", &model, "--fairness", "some"], &["none, weak, strong"]);
    refused(&["check", &model, "--trace", &folder.path("")], &["is a folder"]);
    refused(&["check", &model, "--trace", &folder.path("no/t.json")], &["there is no folder"]);
    refused(&["parts", "braedth"], &["did you mean `breadth`?"]);
}

/// Several threads count what one counts, and find the same trace.
#[test]
fn threads_change_nothing_that_is_said() {
    let folder = Folder::new("threads");
    let large = folder.file("large.dve", LARGE);
    let json = |arguments: &[&str], threads: &str| {
        let run = homing(&[arguments, &["--json", "--threads", threads]].concat());
        let mut value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let fields = value.as_object_mut().unwrap();
        let timed = ["command", "seconds", "compile_seconds", "peak_bytes", "bytes_per_state"];
        timed.iter().for_each(|name| drop(fields.remove(*name)));
        (run.code, value)
    };
    let stats = ["stats", large.as_str(), "--expansions", "150000"];
    assert_eq!(json(&stats, "2"), json(&stats, "3"));
    let counted = json(&stats, "4").1;
    assert!(counted["states"].as_u64().unwrap() > 100_000, "{counted}");
}

/// Whatever computes the successors, the same is printed.
#[test]
fn interpreted_code_finds_what_compiled_code_does() {
    let folder = Folder::new("engine");
    let model = folder.file("m.dve", DEADLOCK);
    for command in [&["check", "--property", "deadlock"][..], &["stats"]] {
        let told = |engine: &str| {
            let run = homing(&[command, &["--engine", engine, &model]].concat());
            let numbers = run.stdout.lines().map(String::from);
            (run.code, numbers.take(4).collect::<Vec<_>>())
        };
        assert_eq!(told("compiled"), told("interpreter"));
    }
}

/// A symbolic search is a strategy like others: its name alone will do.
#[test]
fn symbolic_searches_go_by_their_names() {
    let folder = Folder::new("symbolic");
    let model = folder.file("m.dve", DEADLOCK);
    let asked = ["check", "--engine", "symbolic", "--goal", "x == 1", "--strategy", "bdda-star"];
    let run = homing(&[&asked[..], &[&model]].concat());
    assert!(!run.stderr.contains("no strategy"), "{}", run.stderr);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
}

#[test]
fn a_violation_is_one_line_then_its_trace() {
    let folder = Folder::new("violation");
    let model = folder.file("m.dve", DEADLOCK);
    let run = homing(&["check", &model, "--property", "deadlock"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().take(6).collect();
    let expected = [
        "deadlock: violated after 3 steps (shortest)",
        "",
        "1  P  a -> a  m.dve:5  x: 0 -> 1",
        "2  P  a -> a  m.dve:5  x: 1 -> 2",
        "3  P  a -> a  m.dve:5  x: 2 -> 3",
        "deadlock: no process can move",
    ];
    assert_eq!(lines, expected);
    assert!(run.stdout.contains("repeat with: homing check "), "{}", run.stdout);
    assert_eq!(run.stderr, "", "progress is for terminals");
}

#[test]
fn goals_are_violations_when_reached() {
    let folder = Folder::new("goals");
    let model = folder.file("m.dve", ROUND);
    let reached = homing(&["check", &model, "--goal", "x == 2"]);
    assert_eq!(reached.code, Some(1), "{}", reached.stderr);
    assert!(reached.stdout.starts_with("x == 2: violated after 2 steps"), "{}", reached.stdout);
    let never = homing(&["check", &model, "--goal", "x == 9"]);
    assert_eq!(never.code, Some(0), "{}", never.stderr);
    assert!(never.stdout.starts_with("x == 9: holds (1 state, the estimate"), "{}", never.stdout);
    let never = homing(&["check", &model, "--goal", "x == 9", "--strategy", "breadth"]);
    assert!(never.stdout.starts_with("x == 9: holds (4 states, "), "{}", never.stdout);
    let both = homing(&["check", &model, "--goal", "x == 9", "--goal", "x == 0"]);
    assert_eq!(both.code, Some(1));
    assert!(both.stdout.contains("x == 0: violated in the initial state"), "{}", both.stdout);
}

#[test]
fn costs_are_minimised_bounded_and_told() {
    let folder = Folder::new("minimise");
    let model = folder.file("m.dve", DEADLOCK);
    let with = |more: &[&str]| homing(&[&["check", &model, "--goal", "x == 2"], more].concat());
    let run = with(&["--minimise", "x + 1"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let first = "x == 2: violated after 2 steps, cost 3 (sum), proven best";
    assert_eq!(run.stdout.lines().next(), Some(first));
    let json = with(&["--minimise", "steps,switches", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let cost = &json["results"][0]["trace"]["cost"];
    assert_eq!((&cost[0]["name"], &cost[0]["value"]), (&"steps".into(), &2.into()));
    assert_eq!((&cost[1]["name"], &cost[1]["value"]), (&"switches".into(), &0.into()));
    let bounded = with(&["--minimise", "x + 1", "--bound", "2"]);
    assert_eq!(bounded.code, Some(3), "{}", bounded.stdout);
    assert!(bounded.stdout.contains("holds on paths whose `sum` is at most 2"));
    let negative = with(&["--minimise", "-x"]);
    assert!(negative.stdout.contains("cost -1 (sum), proven best"), "{}", negative.stdout);
    let check = ["check", &model, "--goal", "x == 2", "--minimise"];
    refused(&[&check[..], &["lowest('x'), steps"]].concat(), &["try `steps, lowest('x')`"]);
    refused(&[&check[..], &["y + 1"]].concat(), &["`y`", "<minimise>:1:1", "^"]);
    refused(&[&check[..], &["x", "--strategy", "greedy"]].concat(), &["use `dijkstra`"]);
    refused(&[&check[..], &["x", "--depth", "3"]].concat(), &["`--bound`"]);
}

#[test]
fn what_holds_exits_with_zero_and_what_is_incomplete_never_does() {
    let folder = Folder::new("incomplete");
    let round = folder.file("round.dve", ROUND);
    let large = folder.file("large.dve", LARGE);
    assert_eq!(homing(&["check", &round]).code, Some(0));
    assert_eq!(homing(&["stats", &round]).code, Some(0));
    let check = homing(&["check", &large, "--states", "1000"]);
    assert_eq!(check.code, Some(3), "{}", check.stdout);
    assert!(check.stdout.contains("unknown: "), "{}", check.stdout);
    let stats = homing(&["stats", &large, "--states", "1000"]);
    assert_eq!(stats.code, Some(3), "{}", stats.stdout);
    assert!(stats.stdout.contains("incomplete: "), "{}", stats.stdout);
    let found = homing(&[
        "check",
        &large,
        "--states",
        "1000",
        "--goal",
        "x[0] == 2",
        "--goal",
        "x[0] == 200",
    ]);
    assert_eq!(found.code, Some(1), "a violation wins over unknown: {}", found.stdout);
}

#[test]
fn a_limit_on_states_is_met_exactly() {
    let folder = Folder::new("states");
    let large = folder.file("large.dve", LARGE);
    for (store, states) in [("exact", 10), ("tree", 11), ("bitstate", 700), ("exact", 701)] {
        let number = states.to_string();
        let run = homing(&["stats", &large, "--json", "--store", store, "--states", &number]);
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        let outcome: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(outcome["states"], states, "{store}");
        assert_eq!(outcome["reason"], "stopped by the limit on states");
    }
}

#[test]
fn a_run_that_has_no_time_to_begin_says_where_it_was_stopped() {
    let folder = Folder::new("no-time");
    let large = folder.file("large.dve", LARGE);
    let check = homing(&["check", &large, "--time", "0s", "--goal", "x[0] == 200", "--json"]);
    assert_eq!(check.code, Some(3), "{}", check.stderr);
    let outcome: serde_json::Value = serde_json::from_str(&check.stdout).unwrap();
    assert_eq!(outcome["results"][0]["verdict"], "unknown");
    assert_eq!(outcome["results"][0]["property"], "x[0] == 200");
    let reason = outcome["results"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("stopped by the time limit"), "{reason}");
    let stats = homing(&["stats", &large, "--time", "0s"]);
    assert_eq!(stats.code, Some(3), "{}", stats.stderr);
    assert!(stats.stdout.contains("stopped by the time limit"), "{}", stats.stdout);
}

#[test]
fn all_that_is_allocated_counts() {
    let folder = Folder::new("memory");
    let large = folder.file("large.dve", LARGE);
    let run = homing(&["stats", &large, "--json", "--memory", "20M"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let outcome: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(outcome["reason"], "stopped by the memory limit");
    let peak = outcome["peak_bytes"].as_u64().unwrap();
    assert!((1_000_000..84_000_000).contains(&peak), "{peak}");
}

#[test]
fn json_is_one_object_with_the_promised_fields() {
    let folder = Folder::new("json");
    let model = folder.file("m.dve", DEADLOCK);
    let run = homing(&["check", &model, "--property", "deadlock", "--json"]);
    assert_eq!(run.code, Some(1));
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &found["results"][0];
    assert_eq!(result["property"], "deadlock");
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["optimal"], true);
    assert_eq!(result["trace"]["length"], 3);
    assert_eq!(result["trace"]["steps"][2]["changes"][0]["to"], 3);
    assert!(result["reason"].is_string() && result["statistics"]["stored"].is_u64(), "{result}");
    let stats = homing(&["stats", &model, "--json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats.stdout).unwrap();
    let counted = ["states", "transitions", "deadlocks", "levels"].map(|name| stats[name].as_u64());
    assert_eq!(counted, [4, 3, 1, 3].map(Some));
    assert!(stats["bytes_per_state"].is_number() && stats["seconds"].is_number(), "{stats}");
}

#[test]
fn traces_can_be_kept_and_replayed() {
    let folder = Folder::new("replay");
    let model = folder.file("m.dve", DEADLOCK);
    let trace = folder.path("t.json");
    let checked = homing(&["check", &model, "--property", "deadlock", "--trace", &trace]);
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    let replayed = homing(&["replay", &model, &trace]);
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    assert!(checked.stdout.contains(&replayed.stdout), "{}\n{}", checked.stdout, replayed.stdout);
    let json = homing(&["replay", &model, &trace, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["length"], 3);

    let other = folder.file("other.dve", DEADLOCK.replace("x < 3", "x < 2"));
    refused(&["replay", &other, &trace], &["step 3", "another model"]);
    let broken = folder.file("broken.json", "{\"format\": \"homing-trace\",\n \"version\": }");
    refused(&["replay", &model, &broken], &["broken.json:2:13"]);
    refused(&["replay", &model, &folder.path("none.json")], &["none.json"]);
}

#[test]
fn every_violated_property_has_its_trace_file() {
    let folder = Folder::new("traces");
    let model = folder.file("m.dve", ROUND);
    let trace = folder.path("t.json");
    let goals = ["--goal", "x == 1", "--goal", "x == 3"];
    homing(&[&["check", &model, "--trace", &trace], &goals[..]].concat());
    assert!(Path::new(&trace).exists());
    assert!(Path::new(&folder.path("t.x----3.json")).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new("full");
    let model = folder.file("m.dve", DEADLOCK);
    let run = homing(&["check", &model, "--property", "deadlock", "--trace", "/dev/full"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot write the trace `/dev/full`"), "{}", run.stderr);
    assert!(run.stdout.contains("3  P  a -> a"), "{}", run.stdout);

    let full = || Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let round = folder.file("round.dve", ROUND);
    let run: Run = command(&["check", &round]).stdout(full()).output().unwrap().into();
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("cannot write to standard output"), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for arguments in [&["schema"][..], &["--help"], &["completions", "zsh"], &["parts", "--json"]] {
        let mut child =
            command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run: Run = child.wait_with_output().unwrap().into();
        assert!(
            !run.stderr.contains("panicked") && run.code != Some(70),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_with_what_was_learned() {
    let folder = Folder::new("interrupt");
    let model = folder.file("large.dve", LARGE);
    let mut run = command(&["check", &model, "--json"]);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success(), "it ended too early");
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["results"][0]["verdict"], "unknown");
    assert!(found["statistics"]["stored"].as_u64().unwrap() > 0);
}

#[test]
fn colours_are_for_those_who_want_them() {
    let folder = Folder::new("colours");
    let model = folder.file("m.dve", DEADLOCK);
    assert!(!homing(&["check", &model]).stdout.contains('\x1b'));
    assert!(homing(&["check", &model, "--color", "always"]).stdout.contains('\x1b'));
    assert!(!homing(&["check", &model, "--color", "never"]).stdout.contains('\x1b'));
    let forced =
        command(&["check", &model]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output();
    assert!(!Run::from(forced.unwrap()).stdout.contains('\x1b'));
}

#[test]
fn help_names_the_exit_codes_and_examples() {
    for arguments in [&["--help"][..], &["check", "--help"], &["stats", "--help"]] {
        let run = homing(arguments);
        assert_eq!(run.code, Some(0));
        assert!(run.stdout.contains("something is violated"), "{}", run.stdout);
    }
    assert!(homing(&["check", "-h"]).stdout.contains("homing check mutex.dve"));
    assert!(homing(&["--version"]).stdout.starts_with("homing "));
}

#[test]
fn the_schema_names_what_is_printed() {
    for of in [&["schema"][..], &["schema", "check"], &["schema", "stats"], &["schema", "trace"]] {
        let schema: serde_json::Value = serde_json::from_str(&homing(of).stdout).unwrap();
        assert!(schema["$schema"].is_string(), "{of:?}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(homing(&["completions", shell]).stdout.contains("homing"), "{shell}");
    }
}

/// `docs/parts.md` is made by the command. `HOMING_BLESS=1` makes it anew.
#[test]
fn the_reference_of_parts_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/parts.md");
    let made = homing(&["parts", "--markdown"]).stdout;
    if std::env::var_os("HOMING_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(made == kept, "make docs/parts.md anew: homing parts --markdown > docs/parts.md");
}

#[test]
fn parts_are_listed_in_every_form() {
    let json: serde_json::Value =
        serde_json::from_str(&homing(&["parts", "--json"]).stdout).unwrap();
    let names: Vec<&str> =
        json.as_array().unwrap().iter().filter_map(|part| part["name"].as_str()).collect();
    assert!(names.contains(&"breadth"), "{names:?}");
    let text = homing(&["parts"]).stdout;
    let markdown = homing(&["parts", "--markdown"]).stdout;
    for name in names {
        assert!(text.contains(&format!("\n  {name}")), "{name}");
        assert!(markdown.contains(&format!("\n### `{name}`")), "{name}");
        assert!(homing(&["parts", name]).stdout.starts_with(name), "{name}");
    }
}

#[test]
fn accuracy_prints_and_draws() {
    let folder = Folder::new("accuracy");
    let model = folder.file("m.dve", DEADLOCK);
    let pictures = ["plot", "plot-error", "plot-expanded"].map(|name| folder.path(name));
    let mut arguments = vec!["accuracy", &model, "--goal", "x == 3", "--estimate", "goal-count"];
    arguments.extend(["--estimate", "expression('3 - x')"]);
    for (option, path) in ["--plot", "--plot-error", "--plot-expanded"].iter().zip(&pictures) {
        arguments.extend([*option, path.as_str()]);
    }
    let run = homing(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("the goal is 3 steps away"), "{}", run.stdout);
    for picture in &pictures {
        let svg = fs::read_to_string(picture).unwrap();
        assert!(svg.contains("<polyline") && svg.contains("goal-count"), "{svg}");
    }
    arguments.push("--json");
    let outcome: serde_json::Value = serde_json::from_str(&homing(&arguments).stdout).unwrap();
    assert_eq!(outcome["distances"], serde_json::json!([1, 1, 1, 1]));
    assert_eq!(outcome["estimates"][1]["exact"], 4);
}

#[test]
fn accuracy_refuses_what_it_cannot_do() {
    let folder = Folder::new("inaccurate");
    let model = folder.file("m.dve", DEADLOCK);
    let with = |more: &[&str], words: &[&str]| {
        refused(&[&["accuracy", &model, "--estimate", "goal-count"], more].concat(), words);
    };
    with(&[], &["--goal", "--property"]);
    let cut = ["accuracy", &model, "--estimate", "goal-count", "--goal", "x == 3", "--states", "2"];
    let cut = homing(&cut);
    assert_eq!(cut.code, Some(3), "a limit is no mistake of the user's: {}", cut.stderr);
    assert!(cut.stderr.contains("whole state space") && cut.stderr.contains("limit on states"));
    with(&["--property", "deadlock"], &["made for goals"]);
    with(&["--goal", "x == 3", "--plot", "no/such/folder.svg"], &["no folder `no/such`"]);
    with(&["--goal", "y == 3"], &["y"]);
}

#[test]
fn export_writes_a_planning_task() {
    let folder = Folder::new("export");
    let model = folder.file("deadlock.dve", DEADLOCK);
    let run = homing(&["export", "--sas", &model, "--goal", "x == 3"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("begin_version\n3\nend_version\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nP: a -> a #3\n"), "{}", run.stdout);
    let out = folder.path("task.sas");
    let saved = homing(&["export", "--sas", &model, "--goal", "x == 3", "--out", &out]);
    assert_eq!((saved.code, saved.stdout.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(&out).unwrap(), run.stdout);
    let either = homing(&["export", "--sas", &model, "--goal", "x == 3 or x == 2"]);
    assert_eq!(either.code, Some(0));
    assert!(either.stderr.contains("one step longer"), "{}", either.stderr);
}

#[test]
fn export_says_what_is_wrong() {
    let folder = Folder::new("export-wrong");
    let model = folder.file("deadlock.dve", DEADLOCK);
    refused(&["export", "--sas", &model], &["--goal"]);
    refused(&["export", &model, "--goal", "x == 3"], &["--sas"]);
    refused(&["export", "--sas", &model, "--goal", "y == 3"], &["`y`"]);
    refused(&["export", "--sas", "none.dve", "--goal", "x"], &["cannot read `none.dve`"]);
    let goal = ["export", "--sas", &model, "--goal", "x == 3"];
    let nowhere = folder.path("no/such/folder.sas");
    refused(&[&goal[..], &["--out", &nowhere]].concat(), &["cannot write the task", "no folder"]);
    let taken = folder.path("");
    refused(&[&goal[..], &["--out", &taken]].concat(), &["cannot write the task", "is a folder"]);
    refused(&[&goal[..], &["--no-pass", "slise"]].concat(), &["did you mean `slice`?"]);
    let failing =
        "byte a[2], i; process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }
                   system async;";
    let failing = folder.file("failing.dve", failing);
    refused(
        &["export", "--sas", &failing, "--goal", "a[0] == 1"],
        &["simple form", "it may fail", "failing.dve:1"],
    );
    let committed =
        "process P { state a, b; init a; commit b; trans a -> b {}, b -> a {}; } system async;";
    let committed = folder.file("committed.dve", committed);
    refused(&["export", "--sas", &committed, "--goal", "P.b"], &["the model", "committed"]);
}
