//! What cannot be done is refused with a sentence that helps.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::path::Path;

use homing::catalogue::{Capability, Kind};
use homing::report::outcome::Verdict;
use homing::{
    AccuracyOptions, Hooks, LoadError, Model, Options, PassSelection, UsageError, UseSymmetry,
};
use support::of_kind;

const COUNTER: &str = "
    byte x, y[3];
    process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }
    system async;";

fn counter() -> Model {
    homing::parse("counter.dve", COUNTER).unwrap()
}

fn with_goal() -> Options {
    Options { goals: vec!["x == 3".into()], ..Options::default() }
}

/// What check and stats both say to these options.
fn refusal(options: &Options) -> String {
    let check = homing::check(&counter(), options, Hooks::default()).unwrap_err();
    assert!(matches!(check, UsageError::Sentence(_)), "{check:?}");
    check.to_string()
}

/// What is said contains each of these.
fn expect(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{said}` does not say `{part}`");
    }
}

#[test]
fn unknown_strategies_are_named_with_the_nearest() {
    let strategy = |name: &str| Options { strategy: Some(name.into()), ..with_goal() };
    expect(&refusal(&strategy("bredth")), &["strategy `bredth`", "`breadth`?"]);
    expect(&refusal(&strategy("greddy(goal-count)")), &["`greddy`", "`greedy`?"]);
    let all: Vec<&str> = of_kind(Kind::Strategy).map(|row| row.name).collect();
    expect(&refusal(&strategy("zzz")), &all);
    let stats = homing::stats(&counter(), &strategy("bredth"), Hooks::default()).unwrap_err();
    expect(&stats.to_string(), &["`breadth`?"]);
}

#[test]
fn unknown_stores_are_named_with_the_nearest() {
    let store = |name: &str| Options { store: Some(name.into()), ..with_goal() };
    expect(&refusal(&store("exakt")), &["store `exakt`", "`exact`?"]);
    expect(&refusal(&store("bitsate(bits=20)")), &["`bitstate`?"]);
    let all: Vec<&str> = of_kind(Kind::Store).map(|row| row.name).collect();
    expect(&refusal(&store("zzz")), &all);
}

#[test]
fn unknown_estimates_are_named_with_the_nearest() {
    let strategy = |name: &str| Options { strategy: Some(name.into()), ..with_goal() };
    expect(&refusal(&strategy("astar(goal-cout)")), &["estimate `goal-cout`", "`goal-count`?"]);
    expect(&refusal(&strategy("greedy(zzz)")), &["estimate `zzz`", "goal-count"]);
}

#[test]
fn unknown_passes_are_named_with_the_nearest() {
    let off = PassSelection { off: vec!["slise".into()], ..PassSelection::default() };
    expect(&refusal(&Options { passes: off, ..with_goal() }), &["pass `slise`", "`slice`?"]);
    let on = PassSelection { on: vec!["zzz".into()], ..PassSelection::default() };
    let options = Options { passes: on, ..with_goal() };
    expect(&refusal(&options), &homing::Passes::NAMES);
    let stats = homing::stats(&counter(), &options, Hooks::default()).unwrap_err();
    expect(&stats.to_string(), &["pass `zzz`"]);
}

#[test]
fn unknown_properties_are_named_with_the_nearest() {
    let property = |name: &str| Options { properties: vec![name.into()], ..Options::default() };
    expect(&refusal(&property("deadlok")), &["property `deadlok`", "`deadlock`?"]);
    expect(&refusal(&property("zzz")), &["assertions", "deadlock", "errors"]);
}

#[test]
fn expressions_that_do_not_parse_say_where() {
    for strategy in ["", "astar(", "a b", "3", "[breadth]", "'breadth'"] {
        assert!(!refusal(&Options { strategy: Some(strategy.into()), ..with_goal() }).is_empty());
    }
    expect(
        &refusal(&Options { strategy: Some("astar(".into()), ..with_goal() }),
        &["strategy `astar(`"],
    );
    expect(&refusal(&Options { store: Some("tree)".into()), ..with_goal() }), &["store `tree)`"]);
}

#[test]
fn wrong_arguments_are_refused() {
    for strategy in [
        "breadth(1)",
        "depth(seed=3)",
        "random-depth(3)",
        "random-depth(sed=3)",
        "random-depth(seed='x')",
        "astar(goal-count, goal-count)",
        "astar(estimat=goal-count)",
        "astar(goal-count(3))",
        "greedy(3)",
    ] {
        let said = refusal(&Options { strategy: Some(strategy.into()), ..with_goal() });
        assert!(said.len() > 10, "{strategy}: {said}");
    }
    for store in [
        "exact(3)",
        "bitstate(20)",
        "bitstate(bits=20, bits=21)",
        "bitstate(bits=5)",
        "bitstate(bit=20)",
        "hash-compact(bits=80)",
    ] {
        let said = refusal(&Options { store: Some(store.into()), ..with_goal() });
        assert!(said.len() > 10, "{store}: {said}");
    }
}

/// Every combination of the catalogue that does not fit is refused, and says
/// what is missing; astar with bitstate is one of them.
#[test]
fn stores_that_do_not_fit_are_refused() {
    let mut refused = Vec::new();
    for strategy in of_kind(Kind::Strategy) {
        for store in of_kind(Kind::Store) {
            let missing: Vec<Capability> =
                strategy.needs.iter().copied().filter(|need| !store.gives(*need)).collect();
            if missing.is_empty() {
                continue;
            }
            refused.push((strategy.name, store.name));
            let options = Options {
                strategy: Some(strategy.name.into()),
                store: Some(store.name.into()),
                ..with_goal()
            };
            let said = refusal(&options);
            expect(&said, &[strategy.name, store.name]);
            expect(&said, &missing.iter().map(|need| need.name()).collect::<Vec<_>>());
        }
    }
    assert!(refused.contains(&("astar", "bitstate")), "{refused:?}");
}

#[test]
fn directed_strategies_need_a_goal() {
    for strategy in of_kind(Kind::Strategy).filter(|row| row.gives(Capability::Directed)) {
        let options = Options { strategy: Some(strategy.name.into()), ..Options::default() };
        expect(&refusal(&options), &["goal", "another strategy"]);
        let deadlock = Options { properties: vec!["deadlock".into()], ..options.clone() };
        expect(&refusal(&deadlock), &["goal", "deadlock"]);
        let stats = homing::stats(&counter(), &options, Hooks::default()).unwrap_err();
        expect(&stats.to_string(), &["goal", "another strategy"]);
    }
}

/// The same where the model has assertions, which are conditions too.
#[test]
fn regression_directed_stats_of_a_model_with_assertions() {
    let text = COUNTER.replace("trans", "assert a: x < 2; trans");
    let model = homing::parse("asserting.dve", &text).unwrap();
    let options = Options { strategy: Some("greedy".into()), ..Options::default() };
    let said = homing::stats(&model, &options, Hooks::default()).unwrap_err();
    expect(&said.to_string(), &["goal", "another strategy"]);
}

#[test]
fn goals_that_are_no_expressions_are_explained() {
    for goal in ["", "x ==", "z == 3", "x = 3", "P.b", "y[3] ==", "(x", "x == 3;", "Q->x"] {
        let options = Options { goals: vec![goal.into()], ..Options::default() };
        let error = homing::check(&counter(), &options, Hooks::default()).unwrap_err();
        let UsageError::Diagnostics { sources, diagnostics } = error else {
            panic!("`{goal}`: {error:?}")
        };
        for diagnostic in &diagnostics {
            assert!(!diagnostic.message.is_empty(), "`{goal}`");
            assert_eq!(sources.get(diagnostic.span.source).name, "<goal>", "`{goal}`");
            // Where a goal ends too early, the place is just behind it.
            assert!(sources.position(diagnostic.span).column as usize <= goal.len() + 1);
        }
        assert!(!diagnostics.is_empty(), "`{goal}`");
    }
}

/// A goal that cannot be evaluated somewhere is not reached there, and not out of reach.
#[test]
fn goals_that_cannot_be_evaluated_are_neither_reached_nor_out_of_reach() {
    let options = Options { goals: vec!["y[x] == 0 and x == 3".into()], ..Options::default() };
    let checked = support::check(&counter(), &options);
    assert_eq!(checked.outcome.results[0].verdict, Verdict::Unknown);
}

#[test]
fn files_that_are_no_models_are_refused() {
    let missing = homing::load(Path::new("no/such/model.dve")).unwrap_err();
    assert!(matches!(missing, LoadError::Io { .. }));
    expect(&missing.to_string(), &["no/such/model.dve"]);
    let unknown = homing::parse("model.xyz", COUNTER).unwrap_err();
    assert!(matches!(unknown, LoadError::Language { .. }));
    expect(&unknown.to_string(), &["model.xyz", "`.dve`"]);
    let wrong = homing::parse("model.dve", "byte x").unwrap_err();
    assert!(matches!(wrong, LoadError::Diagnostics { .. }));
}

/// What `accuracy` says to these options.
fn inaccurate(options: &AccuracyOptions) -> String {
    let said = homing::accuracy(&counter(), options, Hooks::default()).unwrap_err();
    assert!(matches!(said, UsageError::Sentence(_) | UsageError::Stopped(_)), "{said:?}");
    said.to_string()
}

#[test]
fn accuracy_needs_one_goal_and_an_estimate_and_all_states() {
    let options = AccuracyOptions {
        goal: Some("x == 3".into()),
        estimates: vec!["goal-count".into()],
        ..AccuracyOptions::default()
    };
    let outcome = homing::accuracy(&counter(), &options, Hooks::default()).unwrap();
    assert_eq!((outcome.states, outcome.distances), (4, vec![1, 1, 1, 1]));
    assert_eq!(outcome.blind.by_depth, [1, 1, 1]);

    // It went on for hundreds of states.
    let limits = homing::Limits { states: Some(2), ..homing::Limits::default() };
    let few = AccuracyOptions { limits, ..options.clone() };
    expect(&inaccurate(&few), &["the limit on states after 2 states"]);
    let none = AccuracyOptions { estimates: vec![], ..options.clone() };
    expect(&inaccurate(&none), &["no estimate", "homing parts"]);
    let misspelt = AccuracyOptions { estimates: vec!["goal-cont".into()], ..options.clone() };
    expect(&inaccurate(&misspelt), &["estimate `goal-cont`", "`goal-count`?"]);
    let aimless = AccuracyOptions { goal: None, ..options.clone() };
    expect(&inaccurate(&aimless), &["one `--goal`"]);
    let errors = AccuracyOptions { property: Some("errors".into()), ..aimless.clone() };
    expect(&inaccurate(&errors), &["run-time errors", "--goal"]);
    let asserted = AccuracyOptions { property: Some("assertions".into()), ..aimless };
    expect(&inaccurate(&asserted), &["no states that violate `assertions`"]);
    let limits = homing::Limits { states: Some(2), ..homing::Limits::default() };
    let small = AccuracyOptions { limits, ..options };
    expect(&inaccurate(&small), &["whole state space", "limit on states", "raise the limit"]);
}

/// Of runs without an end there is one, and their costs do not add up: that is said.
#[test]
fn what_is_for_traces_to_states_says_so_of_runs() {
    let formula = || Options { formulas: vec!["[] <> (x == 0)".into()], ..Options::default() };
    let checked =
        homing::check(&counter(), &Options { different: 3, ..formula() }, Hooks::default());
    let outcome = checked.unwrap().outcome;
    assert_eq!(outcome.results[0].verdict, Verdict::Violated);
    let told: Vec<&String> =
        outcome.notices.iter().filter(|told| told.contains("`--different`")).collect();
    assert_eq!(told.len(), 1, "{:?}", outcome.notices);
    let priced = Options { minimise: Some("switches".into()), ..formula() };
    let checked = homing::check(&counter(), &priced, Hooks::default()).unwrap();
    let result = &checked.outcome.results[0];
    assert_eq!(result.verdict, Verdict::Unknown);
    expect(&result.reason, &["--minimise", "add up"]);
}

#[test]
fn symmetry_is_refused_where_processes_are_told_apart() {
    let symmetric = || Options { symmetry: UseSymmetry::Always, ..with_goal() };
    let minimise = Options { minimise: Some("switches".into()), ..symmetric() };
    expect(&refusal(&minimise), &["--symmetry", "--minimise"]);
    let different = Options { different: 2, ..symmetric() };
    expect(&refusal(&different), &["--symmetry", "--different"]);
    let prefer =
        Options { strategy: Some("greedy(goal-count, prefer=contexts)".into()), ..symmetric() };
    expect(&refusal(&prefer), &["--symmetry", "preference"]);
}

/// Where what is asked tells values of a scalar set apart, that is said.
#[test]
fn symmetry_says_where_scalar_sets_are_of_no_use() {
    let model = "typedef scalar[3] id_t; process P(const id_t me) { clock x; state A, B; init A; \
                 trans A -> B { guard x > 1; }; }\nsystem P;";
    let model = homing::parse("set.xta", model).unwrap();
    let told = |goal: &str| {
        let options = Options {
            symmetry: UseSymmetry::Always,
            goals: vec![goal.into()],
            ..Options::default()
        };
        let checked = homing::check(&model, &options, Hooks::default()).unwrap();
        checked.outcome.notices.join("\n")
    };
    let all = told("forall (i : id_t) P(i).B");
    expect(&all, &["3 interchangeable processes"]);
    assert!(!all.contains("id_t"), "{all}");
    expect(&told("P(0).B && !P(1).B"), &["scalar set `id_t`", "not all alike"]);
}

/// Processes are interchangeable once all of them run, however they were started.
#[test]
fn started_processes_are_interchangeable() {
    let model = "byte x[3]; byte last = 9; proctype P(byte me) { do :: x[me] < 2 -> x[me]++; \
                 last = me :: last == me -> x[me] = 0 od }\n\
                 init { atomic { run P(0); run P(1); run P(2) } }";
    let model = homing::parse("started.pml", model).unwrap();
    let stats = |symmetry| {
        let options = Options { symmetry, ..Options::default() };
        homing::stats(&model, &options, Hooks::default()).unwrap()
    };
    let (all, few) = (stats(UseSymmetry::Never), stats(UseSymmetry::Always));
    expect(&few.plan.phases.join("\n"), &["3 interchangeable processes"]);
    assert!(few.states * 4 < all.states, "{} of {}", few.states, all.states);
}

/// One process is interchangeable with none, which is said.
#[test]
fn symmetry_says_what_was_found() {
    let options = Options { symmetry: UseSymmetry::Always, ..with_goal() };
    let checked = homing::check(&counter(), &options, Hooks::default()).unwrap();
    expect(&checked.outcome.notices.join("\n"), &["no two processes"]);
}
