//! Searches on disk as a shell sees them: the same answers, through kills and full disks.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{DEADLOCK, Folder, LARGE, ROUND, Run, command, counters, homing, refused};

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}\n{}", run.stdout, run.stderr))
}

/// What must not depend on where states are.
fn counts(outcome: &Value) -> Vec<Value> {
    let names = ["states", "transitions", "deadlocks", "levels", "errors", "violations"];
    names.iter().chain(&["complete"]).map(|name| outcome[name].clone()).collect()
}

/// Every model of the tests that is written in DVE or Promela.
fn models() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let folders = ["dve", "promela"].map(|name| root.join(name));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
    let mut models: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    models.sort();
    assert!(models.len() > 20);
    models
}

#[test]
fn all_models_have_the_same_states_on_disk() {
    let folder = Folder::new("disk-models");
    let disk = folder.path("disk");
    let mut compared = 0;
    for model in models() {
        let known = homing(&["stats", &model, "--json"]);
        let run = homing(&["stats", &model, "--json", "--disk", &disk, "--disk-after", "0"]);
        assert_eq!(run.code, known.code, "{model}: {}", run.stderr);
        if known.code == Some(0) {
            assert_eq!(counts(&json(&run)), counts(&json(&known)), "{model}");
            compared += 1;
        }
        assert!(!Path::new(&disk).exists(), "{model}: the folder is removed at the end");
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn all_models_have_the_same_verdicts_on_disk() {
    let folder = Folder::new("disk-verdicts");
    let disk = folder.path("disk");
    let verdicts = |run: &Run| -> Vec<(Value, Value, Value)> {
        let outcome = json(run);
        let results = outcome["results"].as_array().unwrap().iter();
        results
            .map(|one| {
                (one["property"].clone(), one["verdict"].clone(), one["trace"]["length"].clone())
            })
            .collect()
    };
    let mut violated = 0;
    for model in models() {
        let states = ["check", &model, "--json", "--property", "deadlock", "--property", "errors"];
        let breadth = [&states[..], &["--strategy", "breadth"]].concat();
        let known = homing(&breadth);
        if known.code == Some(2) {
            continue;
        }
        for strategy in ["breadth", "astar(hamming)", "astar(blind)"] {
            let on_disk = ["--strategy", strategy, "--disk", &disk, "--disk-after", "0"];
            let run = homing(&[&states[..], &on_disk].concat());
            if strategy == "breadth" {
                assert_eq!(run.code, known.code, "{model}: {}", run.stderr);
                assert_eq!(verdicts(&run), verdicts(&known), "{model}");
                violated += usize::from(run.code == Some(1));
            } else if run.code == Some(2) {
                // Not every estimate fits every question.
                assert!(!Path::new(&disk).exists() || fs::remove_dir_all(&disk).is_ok());
            }
        }
    }
    assert!(violated > 3, "{violated}");
}

#[test]
fn a_search_is_killed_a_dozen_times_and_comes_to_the_same() {
    let folder = Folder::new("disk-killed");
    let (model, disk) = (folder.file("m.dve", counters(17)), folder.path("disk"));
    let known = counts(&json(&homing(&["stats", &model, "--json"])));
    assert_eq!(known[0], 104_976);
    let begin = ["stats", &model, "--json", "--disk", &disk, "--disk-after", "0"];
    let resume = ["resume", &disk, "--json"];
    let (mut kills, mut wait) = (0, 17);
    while kills < 12 {
        let resumes = Path::new(&disk).join("about").exists();
        let arguments = if resumes { &resume[..] } else { &begin };
        let mut process =
            command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait = 5 + wait * 37 % 251;
        thread::sleep(Duration::from_millis(wait));
        kills += usize::from(process.try_wait().unwrap().is_none());
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let resumes = Path::new(&disk).join("about").exists();
    let run = homing(if resumes { &resume } else { &begin });
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(counts(&json(&run)), known);
    assert!(!Path::new(&disk).exists());
}

#[test]
fn a_search_that_was_stopped_goes_on_with_other_limits() {
    let folder = Folder::new("disk-stopped");
    let (model, disk) = (folder.file("m.dve", counters(29)), folder.path("disk"));
    let check = ["check", &model, "--json", "--property", "deadlock", "--strategy", "breadth"];
    let known = homing(&check);
    let full = homing(
        &[&check[..], &["--disk", &disk, "--disk-after", "1M", "--disk-limit", "1M"]].concat(),
    );
    assert_eq!(full.code, Some(3), "{}", full.stderr);
    let outcome = json(&full).to_string();
    assert!(
        outcome.contains("homing resume") && outcome.contains("holds as much as it may"),
        "{outcome}"
    );
    let run = homing(&["resume", &disk, "--disk-limit", "1G", "--json"]);
    assert_eq!(run.code, known.code, "{}", run.stderr);
    let length = |run: &Run| json(run)["results"][0]["trace"]["length"].clone();
    assert_eq!(length(&run), length(&known));
    assert!(!Path::new(&disk).exists());
}

/// What memory holds stays there; what it does not goes on on disk, from where it was.
#[test]
fn a_search_goes_to_disk_where_memory_ends() {
    let folder = Folder::new("disk-after");
    let (model, disk) = (folder.file("m.dve", counters(25)), folder.path("disk"));
    let known = counts(&json(&homing(&["stats", &model, "--json"])));
    for (after, says) in [("1G", "memory was enough"), ("1M", "searched on disk")] {
        let on_disk = ["--disk", &disk, "--disk-after", after];
        let run = homing(&[&["stats", &model, "--json"][..], &on_disk].concat());
        assert_eq!(counts(&json(&run)), known, "{after}");
        let check = ["check", &model, "--json", "--property", "deadlock"];
        let run = homing(&[&check[..], &on_disk].concat());
        let outcome = json(&run);
        assert_eq!(outcome["results"][0]["trace"]["length"], 100, "{after}");
        assert!(outcome.to_string().contains(says), "{after}: {outcome}");
    }
    // What stops a search in memory stops it on disk: it goes on from there.
    let stopped = homing(&["stats", &model, "--json", "--disk", &disk, "--expansions", "5000"]);
    assert_eq!(json(&stopped)["complete"], false);
    assert!(Path::new(&disk).join("search-1/manifest").exists());
    fs::remove_dir_all(&disk).unwrap();
}

#[test]
fn what_cannot_be_searched_on_disk_is_refused() {
    let folder = Folder::new("disk-refused");
    let (model, disk) = (folder.file("m.dve", DEADLOCK), folder.path("disk"));
    let with = |more: &[&'static str]| {
        let on_disk: Vec<&str> =
            ["check", &model, "--disk", &disk].into_iter().chain(more.iter().copied()).collect();
        homing(&on_disk)
    };
    for (more, says) in [
        (&["--strategy", "greedy"][..], "`astar`"),
        (&["--strategy", "auto"], "not by `auto`"),
        (&["--strategy", "refining"], "not by `refining`"),
        (&["--store", "tree"], "no store to choose"),
        (&["--strategy", "dijkstra", "--minimise", "switches"], "count steps"),
        (&["--disk-limit", "soon"], "does not start with a number"),
    ] {
        let run = with(more);
        assert_eq!(run.code, Some(2), "{more:?}");
        assert!(run.stderr.contains(says), "{more:?}: {}", run.stderr);
        assert!(!Path::new(&disk).exists(), "{more:?}");
    }
    refused(&["check", &model, "--disk-limit", "1G"], &["--disk <DIR>"]);
    refused(&["check", &model, "--disk-after", "1G"], &["--disk <DIR>"]);
    let file = folder.file("file", "");
    refused(&["check", &model, "--disk", &file], &["file"]);
    refused(&["resume", &folder.path("nowhere")], &["there is no search in", "nowhere"]);
    refused(&["resume", &file], &["there is no search in"]);
}

#[test]
fn a_folder_is_for_one_search() {
    let folder = Folder::new("disk-one");
    let (model, disk) = (folder.file("m.dve", LARGE), folder.path("disk"));
    let on_disk = ["stats", &model, "--json", "--disk", &disk, "--disk-after", "1M"];
    let mut first = command(&on_disk).stdout(Stdio::null()).spawn().unwrap();
    while !Path::new(&disk).join("search-1/manifest").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    refused(&on_disk, &["another process searches in"]);
    refused(&["resume", &disk], &["another process searches in"]);
    first.kill().unwrap();
    first.wait().unwrap();
    refused(&on_disk, &["holds a search already", "homing resume"]);
    // Another model by the same name.
    folder.file("m.dve", ROUND);
    refused(&["resume", &disk], &["another model, or with other options"]);
    folder.file("m.dve", LARGE);
    let stopped = homing(&["resume", &disk, "--time", "1s"]);
    assert_eq!(stopped.code, Some(3), "{}", stopped.stderr);
    // What is damaged is named.
    let runs = fs::read_dir(Path::new(&disk).join("search-1")).unwrap();
    let runs = runs.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some());
    for run in runs {
        let bytes = fs::read(&run).unwrap();
        fs::write(&run, &bytes[..bytes.len() / 2]).unwrap();
    }
    refused(&["resume", &disk, "--time", "20s"], &["search-1/", ".run` is damaged"]);
}

/// A small file system in memory; none where it cannot be mounted.
struct Small(String);

impl Small {
    fn mount(folder: &Folder) -> Option<Small> {
        let path = folder.path("small");
        fs::create_dir_all(&path).unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs", &path])
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then_some(Small(path))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

/// The disk is full in the midst of a merge: nothing is lost that was on it, and the search goes
/// on when there is room.
#[test]
fn a_full_disk_stops_a_search_and_loses_nothing() {
    let folder = Folder::new("disk-full");
    let Some(small) = Small::mount(&folder) else {
        eprintln!("skipped: no file system can be mounted here");
        return;
    };
    let (model, disk) = (folder.file("m.dve", counters(25)), format!("{}/disk", small.0));
    let known = counts(&json(&homing(&["stats", &model, "--json"])));
    let full = homing(&["stats", &model, "--json", "--disk", &disk, "--disk-after", "0"]);
    assert_eq!(full.code, Some(3), "{}", full.stderr);
    let outcome = json(&full).to_string();
    assert!(outcome.contains("is full") && outcome.contains("homing resume"), "{outcome}");
    let more = ["-o", "remount,size=64m", &small.0];
    assert!(std::process::Command::new("mount").args(more).status().unwrap().success());
    let run = homing(&["resume", &disk, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(counts(&json(&run)), known);
}

/// A checkpoint that does not fit is told of, and the search goes on without.
#[test]
fn a_checkpoint_that_does_not_fit_is_told_of() {
    let folder = Folder::new("disk-kept-full");
    let Some(small) = Small::mount(&folder) else {
        eprintln!("skipped: no file system can be mounted here");
        return;
    };
    let (model, file) = (folder.file("m.dve", counters(25)), format!("{}/kept", small.0));
    let known = homing(&["stats", &model, "--json", "--threads", "1"]);
    let kept = ["stats", &model, "--json", "--checkpoint", &file, "--every", "0s"];
    let run = homing(&kept);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(counts(&json(&run)), counts(&json(&known)));
}
