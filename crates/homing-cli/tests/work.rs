//! Several processes work on one search on disk: the same counts and verdicts, whoever is
//! killed, sleeps or comes late.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{Folder, command, counters, homing, refused};

/// What must not depend on who searches.
fn counts(outcome: &Value) -> Vec<Value> {
    ["states", "transitions", "deadlocks", "levels", "complete"]
        .iter()
        .map(|name| outcome[name].clone())
        .collect()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

fn start(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(process: &Child, signal: &str) {
    Command::new("kill").args([signal, &process.id().to_string()]).status().unwrap();
}

/// Waits until there is a search on disk.
fn wait_for(disk: &str) {
    while !Path::new(disk).join("search-1").join("work").join("board").exists() {
        thread::sleep(Duration::from_millis(2));
    }
}

/// The states that a worker says it expanded.
fn expanded(outcome: &Value) -> u64 {
    let text = outcome.to_string();
    let Some((_, told)) = text.split_once("expanded ") else { return 0 };
    told.split(' ').next().unwrap().parse().unwrap()
}

/// Workers join, are killed, sleep and wake up again, and who leads is killed, too.
#[test]
fn nothing_is_lost_or_counted_twice() {
    let folder = Folder::new("work-killed");
    let (model, disk) = (folder.file("m.dve", counters(27)), folder.path("disk"));
    let known = homing(&["stats", &model, "--json"]);
    let known = counts(&serde_json::from_str(&known.stdout).unwrap());
    assert_eq!(known[0], 614_656);
    let mut leader = start(&["stats", &model, "--json", "--disk", &disk, "--disk-after", "0"]);
    wait_for(&disk);
    let work = ["work", &disk, "--json"];
    let (mut workers, mut sleeper) = (Vec::new(), start(&work));
    let mut wait = 29;
    for round in 0..12 {
        workers.push(start(&work));
        wait = 10 + wait * 37 % 151;
        thread::sleep(Duration::from_millis(wait));
        match round {
            2 => signal(&sleeper, "-STOP"),
            5 => {
                leader.kill().unwrap();
                leader.wait().unwrap();
                if Path::new(&disk).exists() {
                    leader = start(&["resume", &disk, "--json"]);
                }
            }
            9 => signal(&sleeper, "-CONT"),
            _ => {
                let mut killed: Child = workers.remove(round * 7 % workers.len());
                killed.kill().unwrap();
                killed.wait().unwrap();
            }
        }
    }
    let output = leader.wait_with_output().unwrap();
    assert_eq!(counts(&json(&output)), known);
    assert!(!Path::new(&disk).exists(), "the folder is removed at the end");
    for worker in workers {
        worker.wait_with_output().unwrap();
    }
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
}

/// A worker does a part of the work, and tells the same verdict.
#[test]
fn a_worker_tells_what_came_of_it() {
    let folder = Folder::new("work-told");
    let (model, disk) = (folder.file("m.dve", counters(27)), folder.path("disk"));
    let check = ["check", &model, "--json", "--property", "deadlock", "--strategy", "breadth"];
    let known = homing(&check);
    let length = |outcome: &Value| outcome["results"][0]["trace"]["length"].clone();
    let known: Value = serde_json::from_str(&known.stdout).unwrap();
    assert_eq!(length(&known), 108);
    let leader = start(&[&check[..], &["--disk", &disk, "--disk-after", "0"]].concat());
    wait_for(&disk);
    let workers = [(); 2].map(|()| start(&["work", &disk, "--json"]));
    let leader = leader.wait_with_output().unwrap();
    assert_eq!((leader.status.code(), length(&json(&leader))), (Some(1), length(&known)));
    let mut helped = 0;
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        let outcome = json(&output);
        if output.status.code() == Some(1) {
            assert_eq!(length(&outcome), length(&known));
            helped += expanded(&outcome);
        }
    }
    assert!(helped > 0, "nobody helped");
}

#[test]
fn who_cannot_help_is_told_so() {
    let folder = Folder::new("work-refused");
    let (model, disk) = (folder.file("m.dve", counters(27)), folder.path("disk"));
    refused(&["work", &disk], &["there is no search in"]);
    let file = folder.path("kept");
    let kept = ["stats", &model, "--checkpoint", &file, "--expansions", "9000"];
    assert_eq!(homing(&kept).code, Some(3));
    refused(&["work", &file], &["is searched by one process"]);
    // A search that was stopped: what is known of it is told.
    let stopped = ["stats", &model, "--disk", &disk, "--disk-after", "0", "--expansions", "9000"];
    assert_eq!(homing(&stopped).code, Some(3));
    let run = homing(&["work", &disk]);
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    // Another model by the same name.
    folder.file("m.dve", counters(3));
    fs::remove_file(Path::new(&disk).join("outcome-1")).unwrap();
    refused(&["work", &disk], &["another model, or with other options"]);
}
