//! `E[]`, `A<>` and `-->` through the whole façade: random timed networks against
//! their regions, and what a model of each kind of run is said to do.
#![allow(clippy::unwrap_used)]

mod support;

use homing::ir::interp::{Interpreter, State};
use homing::ir::network::{Expr, Property, PropertyKind};
use homing::ir::random::regions::Regions;
use homing::ir::random::{TimedKnobs, config, timed_networks_with_goals};
use homing::report::outcome::{CauseKind, PropertyOutcome, Verdict};
use homing::{Hooks, Options, Reading};
use proptest::prelude::*;
use support::networks::model;

/// The regions after which a network is given up.
const LIMIT: usize = 2000;

fn queries(goals: &[Expr]) -> Vec<Property> {
    let (p, q) = (goals[0].clone(), goals[1].clone());
    let kinds = [
        ("E[] p", PropertyKind::Persistent(p.clone())),
        ("A<> p", PropertyKind::Inevitable(p.clone())),
        ("p --> q", PropertyKind::LeadsTo(p, q)),
    ];
    let property =
        |(name, kind): (&str, _)| Property { name: name.to_owned(), span: goals[0].span, kind };
    kinds.into_iter().map(property).collect()
}

/// Which of the three hold, by the regions; none where there are too many.
fn truth(interpreter: &Interpreter, goals: &[Expr]) -> Option<[bool; 3]> {
    let regions = Regions::explore(interpreter, goals, LIMIT);
    if !regions.complete {
        return None;
    }
    let is = |goal: &Expr, state: &State| interpreter.eval(state, goal).is_ok_and(|v| v != 0);
    let staying =
        |goal: &Expr, holds: bool| regions.staying(interpreter, |state| is(goal, state) == holds);
    let avoided = staying(&goals[1], false);
    let mut states = regions.states.iter().zip(avoided);
    let response = states.any(|(state, avoided)| avoided && is(&goals[0], state));
    Some([staying(&goals[0], true)[0], !staying(&goals[0], false)[0], !response])
}

fn all_ask() -> Options {
    let names = ["E[] p", "A<> p", "p --> q"].map(String::from);
    Options { properties: names.to_vec(), ..Options::default() }
}

/// Whether a run is shown where there is one, and what it says of itself.
fn is_shown(result: &PropertyOutcome) -> bool {
    let found = match result.verdict {
        Verdict::Holds => result.property.starts_with('E'),
        Verdict::Violated => !result.property.starts_with('E'),
        Verdict::Unknown => false,
    };
    let Some(trace) = &result.trace else { return !found };
    let cause = trace.cause.as_ref().unwrap();
    found && cause.kind == CauseKind::Forever && trace.repeats.is_none_or(|r| r < trace.length)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..config(150) })]

    /// Runs that the interpreter cannot execute would be errors.
    #[test]
    fn queries_are_what_regions_say(
        (network, goals) in timed_networks_with_goals(
            TimedKnobs { copies: false, ..TimedKnobs::everything() }, 2)
    ) {
        let mut model = model(network, &[]);
        model.network.properties = queries(&goals);
        let interpreter = Interpreter::new(&model.network).unwrap();
        let Some(expected) = truth(&interpreter, &goals) else { return Ok(()) };
        for store in [None, Some("exact".to_owned())] {
            let options = Options { store, ..all_ask() };
            let checked = homing::check(&model, &options, Hooks::default());
            let checked = checked.map_err(|error| TestCaseError::fail(error.to_string()))?;
            for (result, holds) in checked.outcome.results.iter().zip(expected) {
                prop_assert!(is_shown(result), "{:?}", result);
                // A choice among bounds of clocks cannot be decided, and deadlocks
                // are asked for of states only.
                if result.verdict == Verdict::Unknown {
                    let known = ["conjunction", "`deadlock`"];
                    let why = &result.reason;
                    prop_assert!(known.iter().any(|known| why.contains(known)), "{}", why);
                    continue;
                }
                prop_assert_eq!(result.verdict == Verdict::Holds, holds, "{:?}", result);
            }
        }
    }
}

/// The verdicts on some queries of a model, and how their runs end.
fn asked(text: &str, queries: &[&str]) -> Vec<(Verdict, Option<String>, Option<usize>)> {
    let folder = std::env::temp_dir().join(format!("homing-queries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("m{}.xta", homing_name(text, queries)));
    std::fs::write(&path, text).unwrap();
    let reading =
        Reading { queries: Some(("m.q".into(), queries.join("\n"))), ..Reading::default() };
    let model = homing::load_with(&path, &reading).unwrap_or_else(|error| panic!("{error}"));
    let names = model.network.properties.iter().map(|property| property.name.clone()).collect();
    let options = Options { properties: names, ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
    let result = |result: PropertyOutcome| {
        let cause = result.trace.as_ref().and_then(|trace| trace.cause.clone());
        let repeats = result.trace.as_ref().and_then(|trace| trace.repeats);
        (result.verdict, cause.map(|cause| cause.message), repeats)
    };
    let results = checked.outcome.results.into_iter().map(result).collect();
    std::fs::remove_file(&path).unwrap();
    results
}

/// Different for different tests.
fn homing_name(text: &str, queries: &[&str]) -> usize {
    text.len() * 1000 + queries.concat().len()
}

const WORKER: &str = "
clock x, y;
process P() {
    state idle, busy { x <= 5 }, done { y <= 2 };
    init idle;
    trans
        idle -> busy { assign x = 0; },
        busy -> done { guard x >= 3; assign y = 0; },
        done -> idle { guard y >= 1; };
}
system P;
";

#[test]
fn a_job_ends_but_need_not_begin() {
    let found = asked(
        WORKER,
        &[
            "P.busy --> P.done",
            "P.busy --> P.done and x <= 5",
            "P.busy --> P.done and x <= 4",
            "A<> P.busy",
            "E[] not P.busy",
            "E[] x <= 5",
            "P.idle --> P.idle",
            "P.done --> P.idle and y < 1",
        ],
    );
    use Verdict::{Holds, Violated};
    let verdicts: Vec<Verdict> = found.iter().map(|(verdict, ..)| *verdict).collect();
    assert_eq!(verdicts, [Holds, Holds, Violated, Violated, Holds, Holds, Holds, Violated]);
    let idle = Some("time may pass for ever here".to_owned());
    assert_eq!((&found[3].1, &found[4].1), (&idle, &idle));
}

#[test]
fn loops_are_told() {
    let text = "
clock x;
process P() {
    state a { x <= 2 }, b { x <= 2 }, c;
    init a;
    trans a -> b { guard x >= 1; assign x = 0; },
          b -> a { guard x >= 1; assign x = 0; },
          b -> c { guard x > 1; };
}
system P;
";
    let found = asked(text, &["E[] not P.c", "E[] x < 2", "A<> P.c", "E[] P.a"]);
    let looping = "and so on for ever: steps 1 to 2 again and again (executed 3 times)";
    for (index, verdict) in [Verdict::Holds, Verdict::Holds, Verdict::Violated].iter().enumerate() {
        assert_eq!(found[index], (*verdict, Some(looping.into()), Some(0)));
    }
    assert_eq!(found[3], (Verdict::Violated, None, None));
}

/// Where the invariant forbids to wait and no step is possible, a run ends.
#[test]
fn time_locks_end_runs() {
    let text = "
clock x;
process P() {
    state a { x <= 2 }, b;
    init a;
    trans a -> b { guard x <= 1; };
}
system P;
";
    let found = asked(text, &["A<> P.b", "A<> x >= 2", "E[] x < 2", "E[] P.a"]);
    let verdicts: Vec<Verdict> = found.iter().map(|(verdict, ..)| *verdict).collect();
    use Verdict::{Holds, Violated};
    assert_eq!(verdicts, [Violated, Holds, Violated, Holds]);
    let ends = "nothing happens any more: no step is possible, now or later";
    assert_eq!(found[0].1.as_deref(), Some(ends));
}

/// Time passes without clocks too, but not in urgent and committed locations.
#[test]
fn models_without_clocks_may_idle() {
    let text = "
int[0,3] n;
process P() {
    state a, b, c;
    urgent b;
    init a;
    trans a -> b { assign n = 1; }, b -> c { assign n = 2; }, c -> b { };
}
system P;
";
    let found = asked(text, &["A<> P.b", "P.b --> P.c", "P.c --> P.b", "E[] n < 2"]);
    let verdicts: Vec<Verdict> = found.iter().map(|(verdict, ..)| *verdict).collect();
    use Verdict::{Holds, Violated};
    assert_eq!(verdicts, [Violated, Holds, Violated, Holds]);
}

#[test]
fn what_cannot_be_decided_is_unknown() {
    let found = asked(WORKER, &["A<> x >= 2 and x <= 4", "E[] not deadlock"]);
    assert_eq!([found[0].0, found[1].0], [Verdict::Unknown; 2]);
}
