//! Properties of runs without an end, on the command line.
#![allow(clippy::unwrap_used)]

use crate::support;

use support::{DEADLOCK, Folder, ROUND, homing};

/// Two processes that take turns, if the first ever does.
const TURNS: &str = "\
byte x;
process P { state a, b; init a; trans a -> b { effect x = 1; }, b -> a { effect x = 0; }; }
process Q { state a, b; init a; trans a -> b {}, b -> a {}; }
system async;
";

#[test]
fn a_loop_is_shown_saved_and_replayed() {
    let folder = Folder::new("ltl-loop");
    let model = folder.file("m.dve", TURNS);
    let trace = folder.path("trace.json");
    let run = homing(&["check", &model, "--ltl", "<> P.b", "--trace", &trace]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for line in [
        "ltl { <> P.b }: violated: 2 steps for ever (shortest)",
        "and then for ever:",
        "and so on for ever: steps 1 to 2 again and again",
    ] {
        assert!(run.stdout.contains(line), "no `{line}` in {}", run.stdout);
    }
    let replayed = homing(&["replay", &model, &trace]);
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    assert!(replayed.stdout.contains("and then for ever:"), "{}", replayed.stdout);
    assert!(replayed.stdout.contains("and so on for ever"), "{}", replayed.stdout);
    let json = homing(&["replay", &model, &trace, "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["loop"], &json["length"]), (&0.into(), &2.into()));
    assert_eq!(json["cause"]["kind"], "forever");
}

#[test]
fn fairness_makes_a_difference() {
    let folder = Folder::new("ltl-fair");
    let model = folder.file("m.dve", TURNS);
    let ask = |fairness: &str| {
        let arguments =
            ["check", &model, "--ltl", "[] (x == 0 -> <> x == 1)", "--fairness", fairness];
        homing(&arguments)
    };
    assert_eq!(ask("none").code, Some(1));
    assert_eq!(ask("weak").code, Some(0));
    assert_eq!(ask("strong").code, Some(0));
}

#[test]
fn searches_that_do_not_decide_strong_fairness_are_refused() {
    let folder = Folder::new("ltl-strong");
    let model = folder.file("m.dve", TURNS);
    let ask = |strategy: &str, formula: &str| {
        let arguments = ["check", &model, "--ltl", formula, "--fairness", "strong"];
        homing(&[&arguments[..], &["--strategy", strategy]].concat())
    };
    for strategy in ["ndfs", "breadth"] {
        let refused = ask(strategy, "[] <> x == 1");
        assert_eq!(refused.code, Some(3), "{}", refused.stderr);
        assert!(refused.stdout.contains("another kind of search"), "{}", refused.stdout);
    }
    assert_eq!(ask("streett", "[] <> x == 1").code, Some(0));
    // What shows after finitely many steps is no matter of fairness.
    assert_eq!(ask("breadth", "[] x == 0").code, Some(1));
    assert_eq!(ask("depth", "[] x < 2").code, Some(0));
}

#[test]
fn runs_that_end_rest_and_runs_that_begin_wrong_are_told_apart() {
    let folder = Folder::new("ltl-rest");
    let model = folder.file("m.dve", DEADLOCK);
    let run = homing(&["check", &model, "--ltl", "<> x == 4", "--ltl", "(x < 2) U (x == 3)"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for line in [
        "ltl { <> x == 4 }: violated: 3 steps, then for ever in one state",
        "nothing happens any more",
        "ltl { (x < 2) U (x == 3) }: violated after 2 steps (shortest)",
        "whatever follows, the property is violated",
    ] {
        assert!(run.stdout.contains(line), "no `{line}` in {}", run.stdout);
    }
}

#[test]
fn what_holds_without_saying_anything_is_told() {
    let folder = Folder::new("ltl-vacuous");
    let model = folder.file("m.dve", ROUND);
    for formula in
        ["[] (x == 9 -> <> x == 1)", "[] (x == 9 -> x == 1)", "[] (!(x == 9) || X x == 1)"]
    {
        let run = homing(&["check", &model, "--ltl", formula]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("holds vacuously"), "{formula}: {}", run.stdout);
    }
    let run = homing(&["check", &model, "--ltl", "[] (x == 3 -> <> x == 1)"]);
    assert!(!run.stdout.contains("vacuously"), "{}", run.stdout);
}

#[test]
fn automata_in_files_are_checked() {
    let folder = Folder::new("hoa");
    let model = folder.file("m.dve", ROUND);
    let automaton = |proposition: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"{proposition}\"\nacc-name: Buchi\n\
             Acceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {{0}}\n[!0] 0\n--END--\n"
        )
    };
    let again = folder.file("again.hoa", automaton("x == 3"));
    let never = folder.file("never.hoa", automaton("x == 7"));
    let run = homing(&["check", &model, "--hoa", &again, "--hoa", &never]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("violated: 4 steps for ever"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("hoa {never}: holds")), "{}", run.stdout);
    let broken = folder.file("broken.hoa", "HOA: v1\nStates: x\n");
    let run = homing(&["check", &model, "--hoa", &broken]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("line 2"), "{}", run.stderr);
    let unknown = folder.file("unknown.hoa", automaton("y == 3"));
    assert_eq!(homing(&["check", &model, "--hoa", &unknown]).code, Some(2));
}

#[test]
fn cycles_without_progress_and_through_accepting_places() {
    let folder = Folder::new("np");
    let text = "byte x; active proctype P() { do :: x = 1 :: x = 2; progress: x = 3 od }\n\
                active proctype Q() { x = 4; accept: do :: x == 9 -> skip od }";
    let model = folder.file("m.pml", text);
    let run = homing(&["check", &model, "--property", "progress", "--property", "acceptance"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("progress: violated: 1 step, then 1 step for ever"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("acceptance: violated: 2 steps, then 1 step for ever"),
        "{}",
        run.stdout
    );
    let ends = folder.file("e.pml", "byte x; active proctype P() { x = 1; x = 2 }");
    let run = homing(&["check", &ends, "--property", "progress", "--property", "acceptance"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
}

#[test]
fn formulas_of_the_model_are_checked_by_default() {
    let folder = Folder::new("ltl-block");
    let text = "byte x; ltl soon { <> (x == 2) } ltl small { [] (x < 2) }\n\
                active proctype P() { do :: x = 1 :: x = 2 od }";
    let model = folder.file("m.pml", text);
    let run = homing(&["check", &model]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("soon: violated: 1 step, then 1 step for ever"), "{}", run.stdout);
    assert!(run.stdout.contains("small: violated after 1 step (shortest)"), "{}", run.stdout);
    let claim = "byte x; active proctype P() { do :: x = 1 :: x = 2 od }\n\
                 never { do :: true :: x != 2 -> break od; accept: do :: x != 2 od }";
    let run = homing(&["check", &folder.file("c.pml", claim)]);
    assert!(run.stdout.contains("never: violated: 1 step, then 1 step for ever"), "{}", run.stdout);
}

#[test]
fn what_is_wrong_with_a_formula_is_said_with_its_place() {
    let folder = Folder::new("ltl-wrong");
    let model = folder.file("m.dve", ROUND);
    for (formula, said) in [
        ("[] (x == 1", "<formula>:1:"),
        ("[] y == 1", "<formula>:1:4"),
        ("[] ", "<formula>:1:"),
        ("x == 1 U", "<formula>:1:"),
    ] {
        let run = homing(&["check", &model, "--ltl", formula]);
        assert_eq!(run.code, Some(2), "{formula}: {}", run.stdout);
        assert!(run.stderr.contains(said), "{formula}: {}", run.stderr);
    }
    let timed = folder.file("t.xta", "clock x; process P() { state a; init a; } system P;");
    let run = homing(&["check", &timed, "--ltl", "[] <> (P.a && x < 3)"]);
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("but not for clocks"), "{}", run.stdout);
}

#[test]
fn every_way_to_search_says_the_same() {
    let folder = Folder::new("ltl-ways");
    let model = folder.file("m.dve", TURNS);
    for strategy in ["breadth", "astar(fsm-max)", "greedy(hamming)", "couvreur", "ndfs", "owcty"] {
        let ask = |formula: &str| {
            homing(&[
                "check",
                &model,
                "--ltl",
                formula,
                "--strategy",
                strategy,
                "--reduction",
                "stubborn",
            ])
        };
        let run = ask("[] <> (x == 1)");
        assert_eq!(run.code, Some(1), "{strategy}: {}{}", run.stdout, run.stderr);
        let run = ask("[] (x == 1 -> P.b)");
        assert_eq!(run.code, Some(0), "{strategy}: {}{}", run.stdout, run.stderr);
    }
}
