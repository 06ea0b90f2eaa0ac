//! Searches that are kept in a file, as a shell sees them: the same answers, through kills,
//! and one sentence for whatever is wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{Folder, LARGE, ROUND, Run, command, counters, homing, refused};

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}\n{}", run.stdout, run.stderr))
}

/// What must not depend on how often a search was begun again.
fn told(outcome: &Value) -> Vec<Value> {
    let mut told: Vec<Value> =
        ["states", "transitions", "deadlocks", "levels", "errors", "violations", "complete"]
            .iter()
            .map(|name| outcome[name].clone())
            .collect();
    for result in outcome["results"].as_array().into_iter().flatten() {
        told.extend(["property", "verdict", "trace"].map(|name| result[name].clone()));
    }
    for name in ["states", "expanded", "generated", "transitions"] {
        told.push(outcome["statistics"][name].clone());
    }
    told
}

#[test]
fn a_search_is_killed_a_dozen_times_and_goes_on_from_its_checkpoint() {
    let folder = Folder::new("kept-killed");
    let (model, file) = (folder.file("m.dve", counters(19)), folder.path("kept"));
    let goal = "x[0] == 18 && x[1] == 18 && x[2] == 18 && x[3] == 18";
    let asked: [&[&str]; 4] = [
        &["stats", &model, "--json"],
        &["check", &model, "--json", "--goal", goal, "--strategy", "astar(hamming)"],
        &["check", &model, "--json", "--goal", goal, "--strategy", "greedy(hamming)"],
        &["check", &model, "--json", "--property", "deadlock", "--strategy", "dijkstra"],
    ];
    let mut wait = 17;
    for asked in asked {
        let known = told(&json(&homing(&[asked, &["--threads", "1"]].concat())));
        let begin = [asked, &["--checkpoint", &file, "--every", "0s"]].concat();
        let resume = ["resume", &file, "--json"];
        let mut kills = 0;
        while kills < 4 {
            let arguments = if Path::new(&file).exists() { &resume[..] } else { &begin };
            let mut process =
                command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            wait = 5 + wait * 37 % 151;
            thread::sleep(Duration::from_millis(wait));
            kills += 1;
            process.kill().unwrap();
            process.wait().unwrap();
        }
        let resumes = Path::new(&file).exists();
        let run = homing(if resumes { &resume } else { &begin });
        assert_eq!(told(&json(&run)), known, "{asked:?}: {}", run.stderr);
        assert!(!Path::new(&file).exists(), "the file is removed at the end");
    }
}

/// SIGTERM, and every limit: the search is kept, and goes on to the same.
#[test]
fn a_search_that_is_stopped_is_kept() {
    let folder = Folder::new("kept-stopped");
    let (model, file) = (folder.file("m.dve", LARGE), folder.path("kept"));
    let begin = ["stats", &model, "--checkpoint", &file];
    let process = command(&begin).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap();
    let ended = process.wait_with_output();
    let output = ended.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains(&format!("`homing resume {file}` goes on from there")), "{text}");
    let kept = fs::metadata(&file).unwrap().len();
    // It goes on, and is stopped again further on.
    let run = homing(&["resume", &file, "--time", "1s", "--json"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert_eq!(json(&run)["complete"], false);
    assert!(fs::metadata(&file).unwrap().len() > kept);
    process_is_refused_while_another_searches(&file);
}

fn process_is_refused_while_another_searches(file: &str) {
    let mut first =
        command(&["resume", file]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // It is the one that searches as soon as it holds the lock.
    let lock = format!("{file}.lock");
    for _ in 0..10_000 {
        if Path::new(&lock).exists() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(20));
    let run = homing(&["resume", file, "--time", "5s"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("another process searches in"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_kept_or_gone_on_with_is_refused() {
    let folder = Folder::new("kept-refused");
    let (model, file) = (folder.file("m.dve", counters(29)), folder.path("kept"));
    let with = |more: &[&str]| {
        let kept = [&["check", &model, "--checkpoint", &file], more].concat();
        homing(&kept)
    };
    for (more, says) in [
        (&["--strategy", "depth"][..], "not by `depth`"),
        (&["--strategy", "auto"], "not by `auto`"),
        (&["--strategy", "greedy(hamming, prefer=contexts)"], "without a preference"),
        (&["--strategy", "breadth", "--store", "bitstate"], "a store that keeps all states"),
        (&["--strategy", "breadth", "--reduction", "stubborn"], "--reduction none"),
        (&["--every", "soon"], "does not start with a number"),
        (&["--disk", "elsewhere"], "cannot be used with"),
    ] {
        let run = with(more);
        assert_eq!(run.code, Some(2), "{more:?}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{more:?}: {}", run.stderr);
        assert!(!Path::new(&file).exists(), "{more:?}");
    }
    refused(&["stats", &model, "--every", "1s"], &["--checkpoint <FILE>"]);
    refused(&["stats", &model, "--checkpoint", &folder.path("no/where")], &["no/where"]);
    refused(&["stats", &model, "--checkpoint", &model], &["is there already", "no checkpoint"]);
    refused(&["resume", &model], &["there is no search in"]);
    let stopped = with(&["--strategy", "breadth", "--expansions", "9000"]);
    assert_eq!(stopped.code, Some(3), "{}", stopped.stderr);
    let whole = fs::read(&file).unwrap();
    refused(
        &["stats", &model, "--checkpoint", &file],
        &["holds a search already", "homing resume"],
    );
    refused(&["resume", &file, "--disk-limit", "1G"], &["`--disk-limit` is for searches on disk"]);
    // Another model by the same name.
    folder.file("m.dve", ROUND);
    refused(&["resume", &file], &["another model, or with other options"]);
    folder.file("m.dve", counters(29));
    fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    refused(&["resume", &file], &["kept` is damaged"]);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(&file, &flipped).unwrap();
    refused(&["resume", &file], &["kept` is damaged: its checksum is wrong"]);
    let at = whole.iter().position(|byte| *byte == b'1').unwrap();
    flipped.copy_from_slice(&whole);
    flipped[at] = b'9';
    fs::write(&file, &flipped).unwrap();
    refused(&["resume", &file], &["another version of homing"]);
}
