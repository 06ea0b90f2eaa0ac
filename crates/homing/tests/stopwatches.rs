//! Clocks that stop, from text to verdict: what zones over-approximate is never said to
//! be there unless it has delays, and never said not to be there.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering};

use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Hooks, Model, Options, Reading, check, load_with, parse};

/// x stands still at `rest`; z never does.
const WATCH: &str = "\
clock x, z;
process P() {
  state work { x <= 3 }, rest { x' == 0 && z <= 9 }, done;
  init work;
  trans
    work -> rest { guard x >= 1; },
    rest -> work { },
    work -> done { guard x == 3 && z >= 8; };
}
system P;
";

/// x runs at `a` and y at `b`, so that z shows their sum. Zones forget that.
const SUM: &str = "\
clock x, y, z;
process P() {
  state a { x <= 1 && y' == 0 }, b { x' == 0 }, c;
  init a;
  trans
    a -> b { },
    b -> c { guard x == 0 && y == 1 && z == 2; };
}
system P;
";

/// A task that runs where `on` says so.
const TASK: &str = "\
clock work, now;
int[0,1] on = 1;
process P() {
  state busy { work' == on && work <= 2 }, done;
  init busy;
  trans
    busy -> busy { guard on == 1 && now < 5; assign on = 0; },
    busy -> busy { guard on == 0 && now > 7; assign on = 1; },
    busy -> done { guard work >= 2; };
}
system P;
";

/// How many files were written so far.
static FILES: AtomicU32 = AtomicU32::new(0);

fn model(text: &str) -> Model {
    parse("model.xta", text).expect("it is a model")
}

fn ask(text: &str, options: &Options) -> PropertyOutcome {
    let checked = check(&model(text), options, Hooks::default()).expect("it can be checked");
    checked.outcome.results[0].clone()
}

fn goal(text: &str) -> Options {
    Options { goals: vec![text.into()], ..Options::default() }
}

fn queried(text: &str, query: &str) -> PropertyOutcome {
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("homing-stopwatches-{}-{number}.xta", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    let queries = Some(("model.q".into(), query.into()));
    let read = load_with(&path, &Reading { queries, ..Reading::default() });
    std::fs::remove_file(&path).unwrap();
    let model = read.expect("it is a model");
    let checked = check(&model, &Options::default(), Hooks::default()).expect("it can be checked");
    let asked = checked.outcome.results.iter().find(|result| result.property == query);
    asked.expect("it was asked").clone()
}

#[test]
fn a_clock_that_rests_is_waited_for() {
    let found = ask(WATCH, &goal("P.done"));
    assert_eq!(found.verdict, Verdict::Violated);
    let trace = found.trace.unwrap();
    assert_eq!(trace.length, 3);
    // x shows 3 at the end, and z at least 8: it rested for 5 at least.
    assert!(trace.time.is_some());
}

#[test]
fn what_a_clock_never_shows_is_not_found() {
    let late = ask(WATCH, &goal("P.work && x > 3"));
    assert_eq!(late.verdict, Verdict::Holds, "{}", late.reason);
    let early = ask(WATCH, &goal("P.rest && x < 1"));
    assert_eq!(early.verdict, Verdict::Holds, "{}", early.reason);
}

#[test]
fn a_run_without_delays_is_no_answer() {
    for strategy in ["auto", "breadth", "depth", "astar(fsm-max)", "greedy"] {
        let options = Options { strategy: Some(strategy.into()), ..goal("P.c") };
        let found = ask(SUM, &options);
        assert_eq!(found.verdict, Verdict::Unknown, "{strategy}: {}", found.reason);
        assert!(found.reason.contains("no delays"), "{strategy}: {}", found.reason);
        assert!(found.trace.is_none());
    }
    assert_eq!(queried(SUM, "E<> P.c").verdict, Verdict::Unknown);
    assert_eq!(queried(SUM, "A[] not P.c").verdict, Verdict::Unknown);
}

#[test]
fn what_sums_allow_is_found_beside_it() {
    let found = ask(SUM, &goal("P.b && x == 1 && y == 1 && z == 2"));
    assert_eq!(found.verdict, Verdict::Violated, "{}", found.reason);
    // No whole numbers do: both ran for half a unit.
    let found = ask(SUM, &goal("P.b && z == 1 && x - y == 0"));
    assert_eq!(found.verdict, Verdict::Violated, "{}", found.reason);
}

#[test]
fn a_variable_says_whether_a_clock_runs() {
    let found = ask(TASK, &goal("P.done && now > 8"));
    assert_eq!(found.verdict, Verdict::Violated, "{}", found.reason);
    let early = ask(TASK, &goal("P.done && now < 2"));
    assert_eq!(early.verdict, Verdict::Holds, "{}", early.reason);
    let beyond = ask(TASK, &goal("P.busy && (work > 2 || on == 1 && now > 9 && work < 1)"));
    assert_eq!(
        beyond.verdict,
        Verdict::Violated,
        "it may go on later than at 7: {}",
        beyond.reason
    );
    let beyond = ask(TASK, &goal("P.busy && work > 2"));
    assert_eq!(beyond.verdict, Verdict::Holds, "{}", beyond.reason);
}

#[test]
fn what_rests_on_too_large_zones_is_unknown() {
    let deadlock = Options { properties: vec!["deadlock".into()], ..Options::default() };
    let found = ask(WATCH, &deadlock);
    assert_eq!(found.verdict, Verdict::Unknown);
    assert!(found.reason.contains("deadlocks"), "{}", found.reason);
    for query in [
        "A[] not deadlock",
        "E<> deadlock and P.rest",
        "E[] P.work",
        "A<> P.done",
        "P.work --> P.done",
        "sup{P.rest}: x",
        "inf{P.done}: z",
    ] {
        let found = queried(WATCH, query);
        assert_eq!(found.verdict, Verdict::Unknown, "{query}: {}", found.reason);
        assert!(found.reason.contains("clocks stop"), "{query}: {}", found.reason);
    }
}

#[test]
fn the_fastest_run_is_refused() {
    let options = Options { minimise: Some("time".into()), ..goal("P.done") };
    let error = check(&model(WATCH), &options, Hooks::default()).expect_err("it is refused");
    assert!(error.to_string().contains("clocks stop"), "{error}");
}

#[test]
fn other_rates_are_refused_where_they_are_looked_at() {
    let faster = WATCH.replace("x' == 0", "x' == 2");
    let error = parse("model.xta", &faster).expect_err("it is refused").to_string();
    assert!(error.contains("other rates than 0 and 1"), "{error}");
    let number = TASK.replace("int[0,1] on", "int on");
    assert!(parse("model.xta", &number).is_ok(), "nothing but 0 and 1 is assigned to it");
    let number = number.replace("assign on = 1", "assign on = 2");
    assert!(parse("model.xta", &number).is_err(), "it may be 2");
    let either = WATCH.replace("x' == 0 &&", "(x' == 0 || z > 1) &&");
    assert!(parse("model.xta", &either).is_err(), "no conjunct");
}

#[test]
fn a_stopwatch_that_only_a_query_looks_at_is_kept() {
    let text = WATCH
        .replace("clock x, z;", "clock x, z, idle;")
        .replace("state work { x <= 3 }", "state work { x <= 3 && idle' == 0 }");
    assert_eq!(queried(&text, "E<> P.done and idle >= 5").verdict, Verdict::Holds);
    assert_eq!(queried(&text, "A[] P.work imply idle <= 9").verdict, Verdict::Holds);
    // The model alone gives it up.
    let error = check(&model(&text), &goal("idle >= 5"), Hooks::default());
    assert!(error.expect_err("it is refused").to_string().contains("left out"));
}

/// It was found, had no delays, and ended with exit code 70.
#[test]
fn regression_an_invariant_that_is_false_at_the_start() {
    let text = "clock x; process P() { state a { x > 3 }, b; init a; trans a -> b { }; } system P;";
    let found = ask(text, &goal("P.a"));
    assert_eq!(found.verdict, Verdict::Violated, "{}", found.reason);
    assert_eq!(ask(text, &goal("P.b")).verdict, Verdict::Holds);
}
