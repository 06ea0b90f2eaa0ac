//! `homing compare` as a shell sees it.

#![allow(clippy::unwrap_used, reason = "a test that cannot run must fail")]

use crate::support;

use std::process::{Command, Stdio};

use support::{DEADLOCK, Folder, LARGE, ROUND, Run, command, homing, refused};

/// A goal that `LARGE` never reaches, and of which nothing can be left out.
const FAR: &str = "x[0] + x[1] + x[2] + x[3] + x[4] == 2000";

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn every_strategy_has_its_row_in_every_format() {
    let folder = Folder::new("rows");
    let model = folder.file("m.dve", DEADLOCK);
    let compare = |more: &[&str]| {
        let strategies = "breadth; greedy(expression('3 - x')) ; astar;";
        let start = ["compare", &model, "--goal", "x == 3", "--strategies", strategies];
        homing(&[&start[..], more].concat())
    };
    let text = compare(&[]);
    assert_eq!(text.code, Some(0), "violations are no failure: {}", text.stderr);
    assert_eq!(text.stderr, "", "progress is for terminals");
    let lines: Vec<&str> = text.stdout.lines().collect();
    let first_words: Vec<&str> =
        lines.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        first_words,
        ["strategy", "breadth", "greedy(expression('3", "astar", "repeat"]
            .map(|word| word.split_whitespace().next().unwrap())
    );
    assert!(lines[1].contains("violated") && lines[1].ends_with("3  yes"), "{}", lines[1]);
    assert!(lines[2].ends_with("3  not proven"), "{}", lines[2]);

    let markdown = compare(&["--format", "markdown"]).stdout;
    let rows: Vec<&str> = markdown.lines().collect();
    assert_eq!(rows.len(), 5, "{markdown}");
    assert!(rows.iter().all(|row| row.starts_with("| ") && row.ends_with(" |")), "{markdown}");
    assert!(rows[3].starts_with("| `greedy(expression('3 - x'))` | violated | "), "{markdown}");

    let csv = compare(&["--format", "csv"]).stdout;
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4, "{csv}");
    // The reason comes last; there is a comma in it.
    let columns = rows.iter().map(Vec::len);
    assert_eq!(columns.collect::<Vec<_>>(), [13, 14, 14, 14], "{csv}");
    assert_eq!(rows[1][..4], ["x == 3", "breadth", "exact", "violated"]);
    assert_eq!((rows[0][9], rows[1][9], rows[1][10]), ("length", "3", "true"));

    let found = json(&compare(&["--format", "json"]));
    assert_eq!(found["runs"].as_array().unwrap().len(), 3);
    assert_eq!(found["runs"][0]["length"], 3);
    assert_eq!(found["runs"][0]["optimal"], true);
    assert_eq!((&found["complete"], &found["internal_errors"]), (&true.into(), &[0; 0].into()));
    assert!(found["runs"][2]["statistics"]["expanded"].is_u64(), "{found}");
    let short = json(&compare(&["--json"]));
    assert_eq!(short["runs"][1]["strategy"], "greedy(expression('3 - x'))");
    let schema: serde_json::Value =
        serde_json::from_str(&homing(&["schema", "compare"]).stdout).unwrap();
    for field in schema["$defs"]["CompareOutcome"]["required"].as_array().unwrap() {
        assert!(found.get(field.as_str().unwrap()).is_some(), "no {field} in {found}");
    }
}

#[test]
fn what_is_wrong_in_itself_is_refused_before_any_run() {
    let folder = Folder::new("typos");
    // Were anything run, it would not end soon.
    let model = folder.file("m.dve", LARGE);
    let with = |strategies: &str, more: &[&str], words: &[&str]| {
        let start = ["compare", &model, "--goal", FAR, "--strategies", strategies];
        refused(&[&start[..], more].concat(), words);
    };
    with("breadth; bredth", &[], &["strategy `bredth`", "did you mean `breadth`?"]);
    with("breadth; greedy(max([hamming, goal-cuont]))", &[], &["did you mean `goal-count`?"]);
    with("breadth; greedy(formula(combine=smu))", &[], &["formula(combine=smu)", "`max`, `sum`"]);
    with("breadth; depth(x=3)", &[], &["`depth`", "`x`"]);
    with("breadth; greedy(expression('y'))", &[], &["`y`", "<estimate>:1:1"]);
    with("breadth; greedy(", &[], &["strategy", "at character"]);
    with("breadth depth", &[], &["expected `;`"]);
    with(" ; ", &[], &["strategy"]);
    with("", &[], &["no strategy is given"]);
    with("breadth", &["--stores", "exact; tre"], &["store `tre`", "did you mean `tree`?"]);
    with("breadth", &["--property", "deadlok"], &["did you mean `deadlock`?"]);
    with("breadth", &["--no-pass", "slise"], &["did you mean `slice`?"]);
    with("breadth", &["--format", "xml"], &["xml", "markdown"]);
    with("breadth", &["--json", "--format", "csv"], &["--json", "--format"]);
    refused(&["compare", &model], &["--strategies"]);
    refused(&["compare", &model, "--strategies", "breadth", "--goal", "y"], &["`y`"]);
}

#[test]
fn what_does_not_fit_is_a_row() {
    let folder = Folder::new("unfit");
    let model = folder.file("m.dve", DEADLOCK);
    let strategies = ["--strategies", "greedy; breadth; astar(active)"];
    let stores = ["--stores", "exact; bitstate(bits=20)"];
    let start = ["compare", &model, "--property", "deadlock", "--json"];
    let run = homing(&[&start[..], &strategies, &stores].concat());
    assert_eq!(run.code, Some(3), "not all runs were made: {}", run.stderr);
    let found = json(&run);
    let rows = found["runs"].as_array().unwrap();
    let said = |i: usize| {
        let row: &serde_json::Value = &rows[i];
        (row["verdict"].as_str(), row["reason"].as_str().unwrap())
    };
    assert_eq!(rows.len(), 6);
    assert!(matches!(said(0), (None, reason) if reason.contains("made for goals")), "{found}");
    assert_eq!(said(2).0, Some("violated"));
    assert_eq!(said(3).0, Some("violated"));
    assert_eq!(said(4).0, Some("violated"));
    assert!(matches!(said(5), (None, reason) if reason.contains("exact")), "{found}");
    let text = homing(&[&start[..4], &strategies, &stores].concat()).stdout;
    assert!(text.contains("not run") && text.contains("`goal-count` is made for goals"), "{text}");
}

#[test]
fn without_a_property_each_is_compared_by_itself() {
    let folder = Folder::new("all");
    let model = folder.file("m.dve", ROUND);
    let run = homing(&["compare", &model, "--strategies", "breadth; depth", "--format", "csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let properties: Vec<&str> =
        run.stdout.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let expected = ["assertions", "assertions", "deadlock", "deadlock", "errors", "errors"];
    assert_eq!(properties, expected);
}

#[test]
fn every_run_has_the_limits_to_itself() {
    let folder = Folder::new("limits");
    let model = folder.file("m.dve", LARGE);
    let goal = ["--goal", FAR, "--expansions", "1000"];
    let start = ["compare", &model, "--strategies", "breadth; depth", "--json"];
    let run = homing(&[&start[..], &goal].concat());
    assert_eq!(run.code, Some(0), "a limit is no failure: {}", run.stderr);
    for row in json(&run)["runs"].as_array().unwrap() {
        assert_eq!(row["verdict"], "unknown");
        // A search looks at the limit every few expansions; a second budget is
        // far from that.
        let expanded = row["statistics"]["expanded"].as_u64().unwrap();
        assert!((1000..1500).contains(&expanded), "{row}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_row_and_leaves_out_the_others() {
    let folder = Folder::new("interrupted");
    let model = folder.file("large.dve", LARGE);
    let goals = ["--goal", FAR, "--strategies", "breadth; depth", "--json"];
    let mut run = command(&[&["compare", &model][..], &goals].concat());
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success(), "it ended too early");
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    let found = json(&run);
    assert_eq!(found["runs"].as_array().unwrap().len(), 1, "{found}");
    let row = &found["runs"][0];
    assert_eq!((&row["verdict"], &row["reason"]), (&"unknown".into(), &"interrupted".into()));
    assert_eq!(found["complete"], false);
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = homing(&["compare", "--help"]).stdout;
    assert!(help.contains("homing compare mutex.dve"), "{help}");
    assert!(help.contains("every run was made, whatever the verdicts"), "{help}");
}
