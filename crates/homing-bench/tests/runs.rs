//! The program as a whole, on a made-up corpus and a made-up `homing` whose
//! answers are known to the test.
#![allow(clippy::expect_used, reason = "a test that cannot set itself up must fail")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_homing-bench");

/// A folder with a corpus of one instance, `toy.1`: seven states on four
/// levels, one deadlock after three steps, a goal two steps away.
struct Scene {
    folder: PathBuf,
}

impl Scene {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let beem = folder.join("corpus/dve/beem");
        fs::create_dir_all(beem.join("toy")).expect("a folder can be made");
        let write = |name: &str, text: &str| {
            fs::write(beem.join(name), text).expect("a file can be written");
        };
        write("toy/toy.1.dve", "process P { state a; init a; trans a -> a {}; }\nsystem async;");
        write(
            "MERGED-states.tsv",
            "model\tbeem_states\tbeem_complete\tltsmin_states\tltsmin_bfs_levels\n\
             toy.1\t7\tyes\t7\t4\nabsent.1\t3\tyes\t3\t1\n",
        );
        write(
            "deadlocks.tsv",
            "instance\tstates\tdeadlock_states\tshortest_steps_to_deadlock\ntoy.1\t7\t1\t3\n",
        );
        write(
            "reach-goals.tsv",
            "model\tinstance\tproperty_id\tgoal_expression\tbeem_answer\tbeem_length\t\
             verified_answer\tverified_shortest_steps\tstates_explored\n\
             toy\t1\t1\tx == 1\tyes\t3\tyes\t2\t7\n",
        );
        Self { folder }
    }

    /// A `homing` that answers as if the space had so many states.
    fn homing(&self, states: u64) -> PathBuf {
        let script = format!(
            r#"#!/bin/sh
case "$*" in
stats*) echo '{{"states": {states}, "transitions": 9, "deadlocks": 1, "levels": 4, "bytes_per_state": 8.5, "seconds": 0.1, "peak_bytes": 60, "compile_seconds": 0.01, "complete": true}}' ;;
*--goal*) echo '{{"results": [{{"property": "x == 1", "verdict": "violated", "optimal": true, "trace": {{"length": 2}}, "statistics": {{"stored": 7, "expanded": 7, "seconds": 0.1}}}}]}}'; exit 1 ;;
*) echo '{{"results": [{{"property": "deadlock", "verdict": "violated", "optimal": true, "trace": {{"length": 3}}, "statistics": {{"stored": 7, "expanded": 7, "seconds": 0.1}}}}]}}'; exit 1 ;;
esac
"#
        );
        let path = self.folder.join("homing");
        fs::write(&path, script).expect("a file can be written");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&path, executable).expect("permissions can be set");
        path
    }

    fn beem(&self, homing: &Path) -> (Output, String) {
        let table = self.folder.join("results/beem.tsv");
        let output = Command::new(PROGRAM)
            .arg("beem")
            .arg("--corpus")
            .arg(self.folder.join("corpus"))
            .arg("--homing")
            .arg(homing)
            .arg("--out")
            .arg(&table)
            .output()
            .expect("homing-bench starts");
        (output, fs::read_to_string(table).unwrap_or_default())
    }
}

#[test]
fn equal_answers_pass() {
    let scene = Scene::new("equal");
    let (output, table) = scene.beem(&scene.homing(7));
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("1 instances, 0 differences"), "{told}");
    assert!(table.starts_with("# homing-bench beem --corpus"), "{table}");
    assert!(table.contains("\ntoy.1\tyes\t7\t7\t4\t4\t"), "{table}");
    assert!(table.contains("\t1:yes/2\t1:yes/2\t"), "{table}");
}

#[test]
fn a_wrong_count_fails() {
    let scene = Scene::new("wrong");
    let (output, table) = scene.beem(&scene.homing(8));
    assert_eq!(output.status.code(), Some(1));
    assert!(table.contains("states: 7 known, 8 found"), "{table}");
}

#[test]
fn a_command_that_fails_is_a_difference() {
    let scene = Scene::new("failing");
    let (output, table) = scene.beem(Path::new("/bin/false"));
    assert_eq!(output.status.code(), Some(1));
    assert!(table.contains("failed:"), "{table}");
}

#[test]
fn a_missing_corpus_is_told() {
    let output = Command::new(PROGRAM)
        .args(["beem", "--corpus", "no such folder"])
        .output()
        .expect("homing-bench starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no corpus at"));
}

/// A `homing` whose searches for the towers of Hanoi come out like this.
fn towers(name: &str, verdict: &str, length: u64) -> (Output, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    let script = format!(
        r#"#!/bin/sh
case "$*" in
accuracy*) echo '{{"model": "", "command": "", "goal": "", "passes": [], "notices": [], "states": 729, "transitions": 9, "distances": [1], "dead_ends": 0, "shortest": 22, "blind": {{"states": 1, "by_depth": [1], "length": 22}}, "estimates": [], "seconds": 0.1}}' ;;
*useless*) echo 'error: not with this estimate' >&2; exit 2 ;;
*breadth*) echo '{{"results": [{{"verdict": "violated", "optimal": true, "trace": {{"length": 22}}, "statistics": {{"stored": 450, "expanded": 448, "seconds": 0.25}}}}], "compile_seconds": 0.25}}'; exit 1 ;;
*) echo '{{"results": [{{"verdict": "{verdict}", "optimal": false, "trace": {{"length": {length}}}, "statistics": {{"stored": 99, "expanded": 77, "seconds": 0.5}}}}]}}'; exit 1 ;;
esac
"#
    );
    let homing = folder.join("homing");
    fs::write(&homing, script).expect("a file can be written");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&homing, executable).expect("permissions can be set");
    let output = Command::new(PROGRAM)
        .args(["papers", "--model", "H3", "--homing"])
        .arg(&homing)
        .arg("--out")
        .arg(&folder)
        .output()
        .expect("homing-bench starts");
    (output, folder)
}

#[test]
fn the_papers_stand_beside_ours() {
    let (output, folder) = towers("papers", "violated", 24);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it was written");
    let page = read("papers.md");
    assert!(page.starts_with("<!-- homing-bench papers --model H3"), "{page}");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = page.lines().map(cells).collect();
    let blind =
        ["", "H3", "plain", "448", "448", "0.0", "0.50", "22", "22", "77", "0.50", "yes", ""];
    assert!(rows.iter().any(|row| row == &blind), "{page}");
    let greedy = ["", "", "CE", "279", "77", "0.0", "0.50", "32", "24", "", "", "", ""];
    assert!(rows.iter().any(|row| row == &greedy), "{page}");
    assert!(page.contains("UT is refused: not with this estimate"), "{page}");
    assert!(read("papers.tsv").contains("contexts-3\tH3\tplain\tbreadth\t448\t448.0\t"));
    assert!(read("papers-fig6.svg").contains("Fig. 6"));
}

#[test]
fn wrong_answers_about_the_papers_models_fail() {
    let (output, _) = towers("missed", "holds", 24);
    assert_eq!(output.status.code(), Some(1));
    let (output, folder) = towers("shorter", "violated", 20);
    assert_eq!(output.status.code(), Some(1));
    let page = fs::read_to_string(folder.join("papers.md")).expect("it was written");
    assert!(page.contains("22 or 22 steps said to be shortest, 20 are enough"), "{page}");
}

#[test]
fn use_of_resources_is_measured() {
    let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; exit 4";
    let output = Command::new(PROGRAM)
        .args(["measure", "--", "sh", "-c", script])
        .output()
        .expect("homing-bench starts");
    let measured: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("figures are JSON");
    assert_eq!(measured["code"], 4);
    assert_eq!(measured["stdout"], "done\n");
    assert!(measured["cpu_seconds"].as_f64() > Some(0.01), "{measured}");
    assert!(measured["peak_bytes"].as_u64() > Some(100_000), "{measured}");
}

#[test]
fn limits_end_a_measured_program() {
    let output = Command::new(PROGRAM)
        .args(["measure", "--seconds=1", "--", "sh", "-c", "while :; do :; done"])
        .output()
        .expect("homing-bench starts");
    let measured: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("figures are JSON");
    assert_eq!(measured["code"], serde_json::Value::Null);
}
