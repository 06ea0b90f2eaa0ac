//! `never` claims: known answers, and random ones against SPIN.
//!
//! Draws half a dozen programs; `HOMING_RANDOM_CLAIMS=FIRST..END` draws those
//! of other seeds. Without SPIN or a C compiler only the known answers are
//! compared.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use homing::ir::flatten::Wanted;
use homing::ir::interp::Interpreter;
use homing::ir::network::PropertyKind;
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::witness::observed::observed;
use homing::{Hooks, Model, Options, Passes, check, parse};
use homing_core::random::Random;
use homing_core::{Batch, Space};
use homing_space::{CompiledSpace, Observer, Product};

fn checked(model: &Model, strategy: &str, store: &str) -> PropertyOutcome {
    let options = Options {
        properties: vec!["never".into()],
        strategy: Some(strategy.into()),
        store: Some(store.into()),
        ..Options::default()
    };
    let mut checked = check(model, &options, Hooks::default()).expect("can be checked");
    checked.outcome.results.pop().expect("one property")
}

/// The states of the product, or none beyond a limit.
fn states(model: &Model) -> Option<usize> {
    let property = model.network.properties.iter().find(|property| property.name == "never");
    let PropertyKind::Observer(process) =
        property.unwrap_or_else(|| panic!("no claim: {:?}", model.warnings)).kind
    else {
        panic!("not an observer");
    };
    let observer = Observer::of(&model.network, process).expect("an observer");
    let atoms: Vec<Wanted> = observer.atoms.iter().cloned().map(Wanted::goal).collect();
    let space = CompiledSpace::new(&model.network, &atoms, Passes::NONE).unwrap();
    let watched = Product::new(&space, &observer.automaton).of_finite_runs(observer.failed);
    let (mut expander, mut batch) = (watched.expander(), Batch::new(watched.width()));
    expander.initial(&mut batch);
    let mut open = vec![batch.state(0).to_vec()];
    let mut known: BTreeSet<Vec<u64>> = open.iter().cloned().collect();
    while let Some(state) = open.pop() {
        batch.clear();
        expander.expand(&state, &mut batch);
        for i in 0..batch.len() {
            if known.insert(batch.state(i).to_vec()) {
                open.push(batch.state(i).to_vec());
            }
        }
        if known.len() > 20_000 {
            return None;
        }
    }
    Some(known.len())
}

const COUNTS: &str = "byte x; active proctype P() { x = 1; x = 2; x = 3 } ";
const STOPS: &str = "byte x; active proctype P() { x = 1; x = 2; false } ";

/// Programs, claims, and after how many steps they are matched, as SPIN has
/// it (its depth counts claim and system).
const KNOWN: &[(&str, &str, Option<usize>)] = &[
    // The claim looks first at the initial state.
    (COUNTS, "x == 0", Some(0)),
    (COUNTS, "x == 1", None),
    (COUNTS, "x == 0; x == 1; x == 2", Some(2)),
    // It moves with every step.
    (COUNTS, "x == 0; x == 2", None),
    (COUNTS, "do :: x != 3 :: x == 3 -> break od", Some(3)),
    (COUNTS, "do :: x == 7 -> break :: else od", None),
    (COUNTS, "do :: x == 2 -> break :: else od; true", Some(3)),
    // Choices are tried all.
    (COUNTS, "do :: true :: x == 1 -> break od; x == 2", Some(2)),
    (COUNTS, "L: if :: true -> goto L :: x == 2 -> goto M fi; M: skip", Some(3)),
    // Where the system has stopped, the claim goes on.
    (STOPS, "x == 0; x == 1; x == 2; x == 2; x == 2; x == 2", Some(2)),
    (STOPS, "x == 0; x == 1; x == 2; x == 2; false", None),
    (STOPS, "do :: x < 2 :: x == 2 -> break od; do :: x == 2 -> break od; x == 2", Some(2)),
    // A state with an end label is an end.
    (COUNTS, "x == 0; x == 1; end: false", Some(1)),
    (COUNTS, "x == 0; x == 1; mend: false", None),
    // As SPIN translates formulas.
    (COUNTS, "do :: atomic { x == 2 -> assert(x != 2) } :: true od", Some(2)),
    (COUNTS, "do :: assert(x < 3) od", Some(3)),
    (COUNTS, "do :: assert(x < 4) od", None),
    // The claim sees no state inside an atomic sequence.
    (
        "byte x; active proctype P() { atomic { x = 1; x = 2 }; x = 3 } ",
        "do :: x == 1 -> break :: else od",
        None,
    ),
    (
        "byte x; active proctype P() { x = 1; A: x = 2; x = 3 } ",
        "do :: P[0]@A -> break :: else od",
        Some(1),
    ),
    // The variables of a process that has ended read as zero.
    (
        "active proctype P() { false } active proctype Q() { byte l = 1; l = 2 } ",
        "do :: Q[1]:l == 0 -> break :: else od",
        Some(2),
    ),
];

#[test]
fn known_answers() {
    for (program, claim, length) in KNOWN {
        let model = parse("m.pml", &format!("{program} never {{ {claim} }}")).unwrap();
        for (strategy, store) in [
            ("auto", "exact"),
            ("breadth", "tree"),
            ("depth", "exact"),
            ("depth", "bitstate"),
            ("astar(hamming)", "exact"),
            ("couvreur", "exact"),
        ] {
            let outcome = checked(&model, strategy, store);
            let steps = outcome.trace.as_ref().map(|trace| trace.steps.len());
            assert_eq!(steps, *length, "{claim} by {strategy}: {}", outcome.reason);
            let sure = if store == "bitstate" { Verdict::Unknown } else { Verdict::Holds };
            let expected = if length.is_some() { Verdict::Violated } else { sure };
            assert_eq!(outcome.verdict, expected, "{claim} by {strategy}: {}", outcome.reason);
        }
    }
}

/// The interpreter confirms the trace that was found, and no shorter part.
#[test]
fn confirmation_may_fail() {
    let claim = "do :: true :: x == 1 -> break od; x == 2";
    let model = parse("m.pml", &format!("{COUNTS} never {{ {claim} }}")).unwrap();
    let PropertyKind::Observer(process) = model.network.properties[0].kind else { panic!() };
    let options = Options { properties: vec!["never".into()], ..Options::default() };
    let mut found = check(&model, &options, Hooks::default()).unwrap();
    let (_, mut trace) = found.traces.pop().unwrap();
    let interpreter = Interpreter::new(&model.network).unwrap();
    assert_eq!(
        observed(&interpreter, &trace, process).unwrap().message,
        "end state in claim reached"
    );
    while trace.steps.pop().is_some() {
        assert!(observed(&interpreter, &trace, process).is_err(), "{} steps", trace.steps.len());
    }
}

/// A claim that may end, and may pass an accepting state for ever.
#[test]
fn accepting_claims_are_checked() {
    let claim = |start: &str, stays: &str| {
        let text = format!(
            "{COUNTS} never {{ do :: true :: x == {start} -> goto accept od; \
                            accept: do :: {stays} :: x == 4 -> break od }}"
        );
        checked(&parse("m.pml", &text).unwrap(), "auto", "exact")
    };
    let cycle = claim("2", "x > 0");
    assert_eq!(cycle.verdict, Verdict::Violated);
    assert_eq!(cycle.trace.unwrap().cause.unwrap().message, "nothing happens any more");
    assert_eq!(claim("2", "x < 3").verdict, Verdict::Holds);
    assert_eq!(claim("9", "x > 0").verdict, Verdict::Holds);
}

/// Verdicts are those of `pan -a`. The values of a claim's variables are part of where
/// it is.
#[test]
fn claims_with_variables_are_checked() {
    let ends = "byte g; active proctype P() { g = 1; g = 2; g = 3 }";
    let loops = "byte g; active proctype P() { do :: g = (g + 1) % 3 od }";
    let twice = "byte n; do :: g == 0 && n < 2 -> n = n + 1 :: g != 0 :: n == 2 -> break od;";
    let accepts = |stays: &str| format!("{twice} accept: do :: {stays} od");
    let broken = "byte n = k + 1; assert(n == 3); \
                  do :: n == 3 -> n = 4 :: n == 4 -> assert(g == 0); skip od";
    for (system, claim, violated) in [
        (ends, "byte n; do :: n < 1 -> n++ :: n == 1 -> break od", true),
        (ends, "byte n; do :: n < 1 -> n++ :: n == 3 -> break od", false),
        (ends, "byte n; do :: atomic { n < 3 -> n++ } :: n == 3 -> break od", true),
        (ends, "byte n = 254; do :: n != 1 -> n++ :: n == 1 -> break od", true),
        (loops, &accepts("g < 3"), true),
        (loops, &accepts("g < 2"), false),
        (&format!("byte k = 2; {loops}"), broken, true),
        (loops, "bit old; do :: old = (g == 1); if :: old && g == 2 -> break :: else fi od", true),
        (loops, "bit old; do :: old = (g == 1); if :: old && g == 1 -> break :: else fi od", false),
    ] {
        let model = parse("m.pml", &format!("{system} never {{ {claim} }}")).unwrap();
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        let result = checked(&model, "auto", "exact");
        assert_eq!(result.verdict, expected, "{claim}: {}", result.reason);
    }
}

#[test]
fn what_is_not_checked_is_said() {
    for (claim, why) in [
        ("byte i[2]; i[1] == 0", "variables of its own"),
        ("byte i; i = x; i == 0", "keeps a value of the system"),
        ("int i; do :: i = i + 1 od", "too many values"),
        ("x = 1", "changes the system"),
        ("d_step { x == 0; x == 0 }", "`d_step`"),
        ("L: atomic { x == 0 -> goto M; M: x == 0 -> goto M }", "no end"),
        ("y == 1", "is not declared"),
    ] {
        let model = parse("m.pml", &format!("{COUNTS} never {{ {claim} }}")).unwrap();
        let [property] = &model.network.properties[..] else { panic!("{claim}") };
        let PropertyKind::Unchecked(said) = &property.kind else { panic!("{claim}") };
        assert!(property.name == "never" && said.contains(why), "{claim}: {said:?}");
        let result = checked(&model, "auto", "exact");
        assert_eq!(result.verdict, Verdict::Unknown, "{claim}");
        assert!(result.reason.contains(why), "{claim}: {}", result.reason);
    }
}

/// Whether the claim of this seed has atomic sequences. Where the system has
/// stopped, `pan` stores no state behind those and may go round for ever; so
/// it is not asked then what happens there.
fn has_atomic(seed: u64) -> bool {
    seed.is_multiple_of(2)
}

/// A random program with a random claim.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut pick = |from: &[&str]| from[random.below(from.len() as u64) as usize].to_string();
    let conditions =
        ["x == 0", "x == 1", "x > 1", "y == 0", "y != 2", "x == y", "P[0]@A", "!Q[1]@B", "true"];
    let statements = [
        "x < 3 -> x++",
        "x > 0 -> x--",
        "y = 2",
        "y = x",
        "y == 1 -> y = 0",
        "atomic { x == 2 -> y = 1; x = 0 }",
        "atomic { y = 1; x == 1; y = 0 }",
        "c!x",
        "c?y",
        "x == 3 -> break",
        "y == 2 -> break",
        "d!1",
        "d?1",
    ];
    let mut text = String::from("byte x, y; chan c = [1] of { byte }; chan d = [0] of { byte };\n");
    for (name, label) in [("P", "A"), ("Q", "B")] {
        text += &format!("active proctype {name}() {{ do");
        for _ in 0..3 {
            text += &format!(" :: {}", pick(&statements));
        }
        let last = pick(&["x = 0", "y = 1", "x == 1", "false"]);
        text += &format!(" od; {label}: {last}; skip }}\n");
    }
    text += "never {\n";
    let labels = ["L0", "L1", "L2"];
    for label in labels {
        let (open, close) = if pick(&["if", "do"]) == "if" { ("if", "fi") } else { ("do", "od") };
        text += &format!("{label}: {open}\n");
        let leaves = if open == "do" { "break" } else { "skip" };
        for _ in 0..2 {
            let condition = pick(&conditions);
            let goal = pick(&labels);
            text += &match pick(&["goto", "goto", "goto", "stay", "leave", "more", "assert"])
                .as_str()
            {
                "goto" => format!(":: {condition} -> goto {goal}\n"),
                "stay" => format!(":: {condition}\n"),
                "leave" => format!(":: {condition} -> {leaves}\n"),
                kind => {
                    let then = match kind {
                        "more" => pick(&conditions),
                        _ => "assert(x != 3 || y != 1)".to_string(),
                    };
                    let word = if has_atomic(seed) { "atomic " } else { "" };
                    format!(":: {word}{{ {condition} -> {then} }}\n")
                }
            };
        }
        if pick(&["else", "none"]) == "else" {
            text += &format!(":: else -> goto {}\n", pick(&labels));
        }
        text += &format!(
            "{close};\n{}{};\n",
            pick(&["", "", "", "", "end_{label}: "]).replace("{label}", label),
            pick(&conditions)
        );
    }
    text + "}\n"
}

/// What `pan` says.
struct Said {
    states: usize,
    /// Whether the claim is matched while the system moves.
    matched: bool,
    /// Whether it is matched at all, where that can be asked.
    matched_at_last: Option<bool>,
}

fn spin(model: &Path, folder: &Path, stutter: bool) -> Option<Said> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        let output = output.expect("the program can be run");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let path = model.to_str().expect("a plain path");
    let (made, said) = run("spin", &["-a", "-o1", "-o2", "-o3", path]);
    assert!(made, "{path}: spin: {said}");
    let make = |flag: &str| {
        let flags = ["-O0", "-w", "-DSAFETY", "-DNOREDUCE", flag, "-o", "pan", "pan.c"];
        assert!(run("gcc", &flags).0, "{path}: gcc");
    };
    let pan = |options: &[&str]| {
        let said = run("./pan", &[&["-m100000", "-E"], options].concat()).1;
        (!said.contains("max search depth too small")).then_some(said)
    };
    let matched = |said: String| {
        let (_, rest) = said.split_once("errors: ").expect("pan reports");
        !rest.starts_with('0')
    };
    make("-DNOSTUTTER");
    let counted = pan(&["-A", "-c0"])?;
    let line = counted.lines().find_map(|line| line.trim().strip_suffix("states, stored"));
    let states = line.expect("pan reports").trim().parse().expect("a number");
    let without = matched(pan(&[])?);
    let matched_at_last = match stutter {
        true => {
            make("-DSAFETY");
            Some(matched(pan(&[])?))
        }
        false => None,
    };
    Some(Said { states, matched: without, matched_at_last })
}

/// Directed searches give the same answers as breadth-first search, and where they say that
/// a trace is shortest it is.
#[test]
fn directed_searches_agree() {
    let mut found = [0; 2];
    for seed in 0..150 {
        let text = program(seed);
        let model = parse("m.pml", &text).unwrap();
        if states(&model).is_none() {
            continue;
        }
        let blind = checked(&model, "breadth", "exact");
        let length = |outcome: &PropertyOutcome| outcome.trace.as_ref().map(|one| one.length);
        for strategy in ["greedy(hamming)", "astar(fsm-max)", "astar(relaxed-layers)", "couvreur"] {
            let other = checked(&model, strategy, "exact");
            assert_eq!(other.verdict, blind.verdict, "seed {seed}, {strategy}\n{text}");
            let shortest = other.optimal && length(&other) != length(&blind);
            assert!(!shortest, "seed {seed}, {strategy}: {:?}\n{text}", length(&other));
        }
        found[usize::from(length(&blind).is_some())] += 1;
    }
    assert!(found.iter().all(|found| *found > 20), "{found:?} hold and are violated");
}

#[test]
fn differential_spin() {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there("spin") || !there("gcc") {
        return;
    }
    let asked = std::env::var("HOMING_RANDOM_CLAIMS").unwrap_or_else(|_| "1..7".into());
    let (first, end) = asked.split_once("..").expect("FIRST..END");
    let mut compared = [0; 2];
    for seed in first.parse().expect("a number")..end.parse::<u64>().expect("a number") {
        let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("claim-{}-{seed}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let text = program(seed);
        let path = folder.join("m.pml");
        fs::write(&path, &text).unwrap();
        let model = parse("m.pml", &text).unwrap();
        let ours = states(&model);
        let both = ours.and_then(|ours| Some((ours, spin(&path, &folder, !has_atomic(seed))?)));
        if let Some((ours, theirs)) = both {
            let outcome = checked(&model, "breadth", "exact");
            let violated = outcome.verdict == Verdict::Violated;
            assert_eq!(ours, theirs.states, "seed {seed}\n{text}");
            assert!(violated || !theirs.matched, "seed {seed}\n{text}");
            let at_last = theirs.matched_at_last.unwrap_or(violated);
            assert_eq!(violated, at_last, "seed {seed}\n{text}");
            let deep = checked(&model, "depth", "exact");
            assert_eq!(deep.verdict, outcome.verdict, "seed {seed}, depth first\n{text}");
            compared[usize::from(violated)] += 1;
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(compared.iter().sum::<u32>() > 0, "nothing was compared");
    eprintln!("{compared:?} hold and are violated");
}
