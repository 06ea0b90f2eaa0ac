//! `E[]`, `A<>` and `-->` through the whole façade: random timed networks against
//! their regions, and what a model of each kind of run is said to do.
#![allow(clippy::unwrap_used)]

use crate::support;

use homing::ir::builder::{int, lt, read};
use homing::ir::interp::{Interpreter, State};
use homing::ir::network::{Expr, Property, PropertyKind, Storage, Type, VariableId};
use homing::ir::random::regions::Regions;
use homing::ir::random::{TimedKnobs, config, timed_networks_with_goals};
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::witness::outcome::CauseKind;
use homing::{Hooks, Limits, Options, Reading};
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

/// The value up to which regions tell values of clocks apart.
const FAR: i64 = 6;

/// By regions, the greatest value of a clock (`true`) or number, in states with
/// a condition, and whether it is attained. `None`: no state; a value beyond
/// [`FAR`] is not known further.
fn greatest(
    interpreter: &Interpreter,
    regions: &Regions,
    (when, of, greatest): (&Expr, &Expr, bool),
) -> Option<(i64, bool)> {
    let states = regions.states.iter();
    let with = states.filter(|state| interpreter.eval(state, when).is_ok_and(|v| v != 0));
    let sign = if greatest { 1 } else { -1 };
    let unit = |state: &State| if interpreter.reads_clocks(of) { state.unit } else { 1 };
    let values = with.filter_map(|state| {
        let (value, unit) = (sign * interpreter.eval(state, of).ok()?, unit(state));
        // A fraction stands for all up to the next whole number.
        let whole = value.rem_euclid(unit) == 0;
        Some((value.div_euclid(unit) + i64::from(!whole), whole))
    });
    values.max().map(|(value, attained)| (sign * value, attained))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..config(60) })]

    #[test]
    fn greatest_and_least_values_are_what_regions_say(
        (network, goals) in timed_networks_with_goals(
            TimedKnobs { copies: false, ..TimedKnobs::everything() }, 1)
    ) {
        let mut model = model(network, &[]);
        let mut of = Vec::new();
        for (index, variable) in model.network.variables.iter().enumerate() {
            if matches!(variable.ty, Type::Clock | Type::Int(_)) && variable.storage == Storage::State {
                of.push(read(VariableId(index as u32)));
            }
        }
        for (index, expr) in of.iter().enumerate() {
            for greatest in [true, false] {
                let kind = PropertyKind::Extreme {
                    greatest, when: Some(goals[0].clone()), of: vec![expr.clone()],
                };
                let name = format!("{greatest} {index}");
                model.network.properties.push(Property { name, span: goals[0].span, kind });
            }
        }
        let interpreter = Interpreter::new(&model.network).unwrap();
        let far = of.iter().filter(|expr| interpreter.reads_clocks(expr));
        let far = far.map(|expr| lt(expr.clone(), int(FAR)));
        let asked: Vec<Expr> = far.chain(goals.iter().cloned()).collect();
        let regions = Regions::explore(&interpreter, &asked, LIMIT);
        if !regions.complete {
            return Ok(());
        }
        for (index, expr) in of.iter().enumerate() {
            for sup in [true, false] {
                let name = format!("{sup} {index}");
                let limits = Limits { expansions: Some(5_000), ..Limits::default() };
                let options = Options { properties: vec![name], limits, ..Options::default() };
                let checked = homing::check(&model, &options, Hooks::default());
                let checked = checked.map_err(|error| TestCaseError::fail(error.to_string()))?;
                let result = &checked.outcome.results[0];
                let expected = greatest(&interpreter, &regions, (&goals[0], expr, sup));
                let said = &result.reason;
                let clock = interpreter.reads_clocks(expr);
                match expected {
                    None => prop_assert!(said.contains("no state"), "{}", said),
                    // As far as regions can tell.
                    Some((value, _)) if clock && sup && value > FAR => {
                        let beyond = said.contains("unbounded") || result.verdict == Verdict::Unknown;
                        let far = said.rsplit(' ').next().and_then(|word| word.parse::<i64>().ok());
                        prop_assert!(beyond || far.is_some_and(|far| far > FAR), "{}", said);
                    }
                    Some((value, attained)) => {
                        let relation = match (attained, sup) {
                            (true, _) => "=",
                            (false, true) => "<",
                            (false, false) => ">",
                        };
                        let suffix = format!(" {relation} {value}");
                        prop_assert!(said.ends_with(&suffix), "{}, not {}", said, suffix);
                        prop_assert_eq!(result.verdict, Verdict::Holds);
                    }
                }
            }
        }
    }
}

/// What is said of queries for greatest and least values.
fn said(text: &str, queries: &[&str]) -> Vec<(String, bool)> {
    let reading =
        Reading { queries: Some(("m.q".into(), queries.join("\n"))), ..Reading::default() };
    let folder = std::env::temp_dir().join(format!("homing-extremes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("m{}.xta", homing_name(text, queries)));
    std::fs::write(&path, text).unwrap();
    let model = homing::load_with(&path, &reading).unwrap_or_else(|error| panic!("{error}"));
    std::fs::remove_file(&path).unwrap();
    let names = model.network.properties.iter().map(|property| property.name.clone()).collect();
    let options = Options { properties: names, ..Options::default() };
    let checked = homing::check(&model, &options, Hooks::default()).unwrap();
    let results = checked.outcome.results.into_iter();
    results.map(|result| (result.reason, result.trace.is_some())).collect()
}

#[test]
fn greatest_and_least_values() {
    let counts = "
clock x, y, z; int n;
process P() {
  state A { x <= 5 }, B { y < 7 }, C;
  init A;
  trans A -> B { guard x >= 2 && n < 3; assign n = n + 1; },
        B -> A { guard y > 3; assign x = 0, y = 0; },
        B -> C { guard n == 3; };
}
system P;
";
    let queries = [
        "sup: n, n * 2 - 9",
        "inf: n * 2 - 9",
        "sup{P.A}: x",
        "sup{P.B}: y, x",
        "inf{P.B}: x, y",
        "sup: x",
        "sup{n == 7}: x",
        "inf{P.B && n == 2}: x",
        "sup{n < 3}: y",
        "sup: z",
        "sup{P.A}: z",
    ];
    let expected = [
        "sup n = 3, sup n * 2 - 9 = -3",
        "inf n * 2 - 9 = -9",
        "sup x = 5",
        "sup y < 7, sup x < 7",
        "inf x = 2, inf y = 2",
        "sup x is unbounded",
        "sup x: no state satisfies the condition",
        "inf x = 2",
        "sup y < 7",
        "sup z is unbounded",
        "sup z < 26",
    ];
    let said = said(counts, &queries);
    for ((said, shown), expected) in said.iter().zip(expected) {
        assert_eq!(said, expected);
        assert_eq!(*shown, !expected.contains("no state"), "{said}");
    }
}

/// A clock that grows round by round, though time may nowhere pass for ever; and
/// one that is set before it gets far.
#[test]
fn clocks_that_grow_without_end() {
    let rounds = "
clock x, y, z; int[0,3] n;
process P() {
  state A { x <= 5 }, B { x <= 3 };
  init A;
  trans A -> B { guard x >= 2; assign x = 0, n = n == 3 ? 0 : n + 1; },
        B -> A { guard n == 0; assign x = 0, z = 0; },
        B -> A { guard n > 0; assign x = 0; };
}
system P;
";
    let queries = ["sup: y", "sup{P.B}: y", "sup: z", "sup{y < 40}: y"];
    let said: Vec<String> = said(rounds, &queries).into_iter().map(|(said, _)| said).collect();
    assert_eq!(said, ["sup y is unbounded", "sup y is unbounded", "sup z = 32", "sup y < 40"]);
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

/// A question that consists of numbers has them as data, exact or as far as they are known.
#[test]
fn states_are_counted() {
    let text = "byte x; process P { state a; init a;
        trans a -> a { guard x < 9; effect x = x + 1; }; } system async;";
    let model = homing::parse("counter.dve", text).unwrap();
    let asked = |limits: Limits| {
        let properties = vec!["count('x > 3')".to_string()];
        let options = Options { properties, limits, ..Options::default() };
        homing::check(&model, &options, Hooks::default()).unwrap().outcome.results.remove(0)
    };
    let whole = asked(Limits::default());
    assert_eq!((whole.verdict, whole.values[0].least), (Verdict::Holds, Some(6)), "{whole:?}");
    assert_eq!(whole.values[0].most, Some(6));
    let cut = asked(Limits { expansions: Some(5), ..Limits::default() });
    assert_eq!((cut.verdict, cut.values[0].most), (Verdict::Unknown, None), "{cut:?}");
}
