//! Models with clocks, from text to verdict: queries, runs with their times,
//! walks, the fastest run.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::report::timeline;
use homing::witness::outcome::Value;
use homing::{Hooks, Model, Options, SimulateOptions, Simulator, check, parse, stats};

/// Two ways to the goal: one step that takes long, two that are fast.
const WAYS: &str = "\
system:ways
event:a
clock:1:x
process:P
location:P:start{initial:}
location:P:between{invariant: x<=3}
location:P:goal{}
edge:P:start:goal:a{provided: x>=10}
edge:P:start:between:a{provided: x>1 : do: x=0}
edge:P:between:goal:a{provided: x>=2}
";

/// At `stuck` time stops at 5, and nothing is possible before 7.
const STUCK: &str = "\
system:stuck
event:a
clock:1:x
process:P
location:P:start{initial: : invariant: x<=5}
location:P:stuck{}
edge:P:start:stuck:a{provided: x>=7}
";

fn model(text: &str) -> Model {
    parse("model.tck", text).expect("it is a model")
}

fn one(model: &Model, options: &Options) -> (PropertyOutcome, homing::Checked) {
    let checked = check(model, options, Hooks::default()).expect("it can be checked");
    (checked.outcome.results[0].clone(), checked)
}

fn goal(text: &str) -> Options {
    Options { goals: vec![text.into()], ..Options::default() }
}

#[test]
fn the_shortest_run_is_not_the_fastest() {
    let model = model(WAYS);
    let (short, checked) = one(&model, &goal("P.goal"));
    assert_eq!((short.verdict, short.optimal), (Verdict::Violated, true));
    let trace = short.trace.unwrap();
    assert_eq!((trace.length, &*trace.time.unwrap().at), (1, "10"));
    // What is kept is what is shown.
    assert_eq!(checked.traces[0].1.steps[0].delay, 10 * checked.traces[0].1.unit);
    let fast = Options { minimise: Some("time".into()), ..goal("P.goal") };
    let (fast, checked) = one(&model, &fast);
    let trace = fast.trace.unwrap();
    assert_eq!((trace.length, fast.optimal), (2, false), "no run is the fastest");
    assert_eq!(trace.cost[0].name, "time");
    let notice = checked.outcome.notices.iter().find(|notice| notice.contains("infimum"));
    assert!(notice.is_some_and(|notice| notice.contains("3 is an infimum: no run")), "{notice:?}");
    let late = Options { minimise: Some("time".into()), ..goal("P.start && x >= 4") };
    let (late, _) = one(&model, &late);
    let trace = late.trace.unwrap();
    assert_eq!((trace.length, late.optimal), (0, true));
    assert_eq!((&trace.cost[0].value, &*trace.time.unwrap().at), (&Value::Number(4), "4"));
}

#[test]
fn every_extrapolation_and_store_agrees() {
    let model = model(WAYS);
    for (_, extrapolation) in homing::EXTRAPOLATIONS {
        for (_, subsumption) in homing::SUBSUMPTIONS {
            for store in ["covering", "exact", "tree"] {
                for strategy in ["auto", "breadth", "depth", "astar(fsm-max)", "greedy"] {
                    let zones = homing::Zones {
                        extrapolation: Some(*extrapolation),
                        local: Some(true),
                        subsumption: Some(*subsumption),
                        ..homing::Zones::default()
                    };
                    let options = Options {
                        zones,
                        store: Some(store.into()),
                        strategy: Some(strategy.into()),
                        ..goal("P.goal")
                    };
                    assert_eq!(one(&model, &options).0.verdict, Verdict::Violated);
                    let never = Options { goals: vec!["P.between && x > 3".into()], ..options };
                    assert_eq!(one(&model, &never).0.verdict, Verdict::Holds);
                }
            }
        }
    }
}

#[test]
fn time_locks_are_deadlocks() {
    let stuck = model(STUCK);
    // Without queries, deadlocks and run-time errors are looked for.
    let checked = check(&stuck, &Options::default(), Hooks::default()).unwrap();
    let names: Vec<&str> = checked.outcome.results.iter().map(|one| &*one.property).collect();
    assert_eq!(names, ["deadlock", "errors"]);
    assert_eq!(checked.outcome.results[0].verdict, Verdict::Violated);
    assert_eq!(one(&stuck, &goal("P.stuck")).0.verdict, Verdict::Holds);
    let (free, _) = one(&model(WAYS), &goal("P.start"));
    assert_eq!(free.trace.unwrap().length, 0);
}

#[test]
fn zones_are_counted() {
    let counted = stats(&model(WAYS), &Options::default(), Hooks::default()).unwrap();
    assert!(counted.complete);
    assert_eq!((counted.states, counted.plan.store.as_str()), (3, "covering"));
}

#[test]
fn walks_wait() {
    let model = model(WAYS);
    let simulator = Simulator::new(&model, &SimulateOptions::default()).unwrap();
    let mut walk = simulator.start(&Default::default()).unwrap();
    assert!(walk.choices().is_empty(), "x > 1 does not hold yet");
    assert!(walk.wait("1/0").is_err() && walk.wait("-1").is_err() && walk.wait("x").is_err());
    walk.wait("1").unwrap();
    walk.wait("1/3").unwrap();
    assert_eq!(walk.choices().len(), 1);
    walk.take(1).unwrap();
    assert!(walk.wait("4").is_err(), "the invariant is x <= 3");
    walk.wait("5/2").unwrap();
    walk.take(1).unwrap();
    let outcome = walk.outcome().unwrap();
    let times: Vec<String> =
        outcome.steps.iter().map(|step| step.time.as_ref().unwrap().at.to_string()).collect();
    assert_eq!(times, ["4/3", "23/6"]);
    let lanes = timeline::timeline(&outcome).lanes;
    assert_eq!((lanes.len(), lanes[0].moves.len()), (1, 2));
    // A walk goes on from the end of another; what was waited stays when steps
    // are undone.
    let trace = walk.trace().clone();
    let mut again = simulator.start(&trace).unwrap();
    assert_eq!(again.state(), walk.state());
    assert_eq!(again.back(1), 1);
    assert_eq!(again.choices().len(), 1);
    again.take(1).unwrap();
    assert_eq!(again.trace(), &trace);
    // Where nothing is possible at once, a random walk waits.
    let mut random = simulator.start(&Default::default()).unwrap();
    assert_eq!(random.random_walk(2, &homing::budget::Budget::default()).steps, 2);
    random.outcome().unwrap();
}

#[test]
fn shorter_and_different_runs_have_times_too() {
    let model = model(WAYS);
    let long = Options { strategy: Some("depth".into()), ..goal("P.goal") };
    let (_, checked) = one(&model, &long);
    let trace = &checked.traces[0].1;
    let short = homing::shorten(&model, &goal("P.goal"), trace, "P.goal", Hooks::default());
    let short = short.unwrap();
    assert_eq!((short.trace.steps.len(), short.outcome.optimal), (1, true));
    assert!(short.trace.steps[0].delay >= 10 * short.trace.unit);
    let (both, checked) = one(&model, &Options { different: 5, ..goal("P.goal") });
    assert_eq!(both.different.unwrap().others.len(), 1);
    assert_eq!(checked.traces.len(), 2);
}

/// A deep error among many processes that do not matter: blind search has not even
/// begun when the planner's early searches find it.
#[test]
fn deep_errors_are_found_early() {
    let mut text = String::from("clock t;\nprocess G() {\n  state ");
    let places: Vec<String> = (0..=14).map(|i| format!("g{i}")).collect();
    text += &places.join(", ");
    text += ";\n  init g0;\n  trans ";
    let steps = (0..14).map(|i| format!("g{i} -> g{} {{ guard t >= 1; assign t = 0; }}", i + 1));
    text += &steps.collect::<Vec<_>>().join(",\n    ");
    text += ";\n}\nprocess W() {\n  clock x;\n  state a, b, c, d, e;\n  init a;\n  trans ";
    let round = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a")];
    let steps = round.map(|(from, to)| format!("{from} -> {to} {{ guard x >= 1; assign x = 0; }}"));
    text += &steps.join(",\n    ");
    text += ";\n}\nW1 = W(); W2 = W(); W3 = W(); W4 = W(); W5 = W(); W6 = W(); W7 = W();\n";
    text += "system G, W1, W2, W3, W4, W5, W6, W7;\n";
    let path = std::env::temp_dir().join(format!("homing-early-{}.xta", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let model = homing::load(&path).unwrap_or_else(|error| panic!("{error}"));
    std::fs::remove_file(&path).unwrap();
    let goals = vec!["G.g14 && W1.c".to_owned()];
    let limits = homing::Limits { expansions: Some(60_000), ..homing::Limits::default() };
    // Slicing would leave nothing else.
    let passes = homing::PassSelection { off: vec!["slice".into()], ..Default::default() };
    // And symmetry little.
    let symmetry = homing::UseSymmetry::Never;
    let options = homing::Options { goals, limits, passes, symmetry, ..homing::Options::default() };
    let checked = homing::check(&model, &options, homing::Hooks::default()).unwrap();
    assert_eq!(checked.outcome.results[0].verdict, homing::report::outcome::Verdict::Violated);
    let phases = &checked.outcome.plan.phases;
    assert!(phases.iter().any(|phase| phase.starts_with("directed (")), "{phases:?}");
}
