//! Whatever the number of threads, the answer is the same: on the project's own models and
//! on random networks, with every estimate, with clocks, symmetry and reductions.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::path::PathBuf;

use homing::catalogue::Kind;
use homing::report::outcome::{PropertyOutcome, StatsOutcome, Verdict};
use homing::{Checked, Crew, Hooks, Limits, Model, Options, UseReduction, UseSymmetry};
use support::expectations::{Subject, expectations, models};
use support::networks::{expected, over_networks};
use support::{check, combinations, of_kind, races};

/// So many threads, all from the first state on.
fn crew(threads: usize) -> Crew {
    Crew { threads, after: 0, alone: 0 }
}

/// All models of processes, and where they are.
fn all_models() -> impl Iterator<Item = (PathBuf, Model)> {
    let paths = of_kind(Kind::Language).flat_map(|language| models(language.name));
    let loaded = paths.map(|path| (path.clone(), homing::load(&path).unwrap()));
    loaded.filter(|(_, model)| model.network.relation.is_none())
}

fn counts(stats: &StatsOutcome) -> (u64, u64, u64, u64, u64, u64, bool) {
    let StatsOutcome {
        states, transitions, deadlocks, levels, errors, violations, complete, ..
    } = *stats;
    (states, transitions, deadlocks, levels, errors, violations, complete)
}

/// Everything is counted once.
#[test]
fn counts_are_the_same() {
    for (_, model) in all_models() {
        let timed = model.network.is_timed();
        for symmetry in [UseSymmetry::Never, UseSymmetry::Always] {
            for store in [None, Some("tree".to_string())] {
                let count = |crew| {
                    let (store, options) = (store.clone(), Options::default());
                    let options = Options { crew, symmetry, store, ..options };
                    counts(&homing::stats(&model, &options, Hooks::default()).unwrap())
                };
                let two = count(crew(2));
                // Which zones cover which depends on which come first.
                if !timed || store.is_some() {
                    assert_eq!(two, count(Crew::default()), "{} {store:?}", model.network.name);
                }
                for threads in [3, 8] {
                    assert_eq!(two, count(crew(threads)), "{} {store:?}", model.network.name);
                }
            }
        }
    }
}

/// The verdicts, and what is said of lengths.
fn said(result: &PropertyOutcome) -> (String, Verdict, bool, Option<usize>) {
    let length = result.trace.as_ref().map(|trace| trace.length).filter(|_| result.optimal);
    (result.property.clone(), result.verdict, result.optimal, length)
}

/// The traces, step by step.
fn traces(checked: &Checked) -> String {
    checked.traces.iter().map(|(name, trace)| format!("{name}: {:?}\n", trace.steps)).collect()
}

/// One thread and several say the same; and where the order is that of one thread, show
/// the same.
fn compare(model: &Model, options: &Options, ordered: bool, threads: &[usize]) {
    let one = check(model, options);
    let run = |threads| check(model, &Options { crew: crew(threads), ..options.clone() });
    let first = run(2);
    for many in threads.iter().map(|threads| run(*threads)).chain([run(2)]) {
        let about = format!("{}: {:?}", model.network.name, options.strategy);
        assert_eq!(one.outcome.results.len(), many.outcome.results.len(), "{about}");
        for (a, b) in one.outcome.results.iter().zip(&many.outcome.results) {
            assert_eq!(said(a), said(b), "{about}");
        }
        assert_eq!(traces(&many), traces(&first), "{about}");
        if ordered {
            assert_eq!(traces(&many), traces(&one), "{about}");
        }
    }
}

#[test]
fn answers_about_models_are_the_same() {
    for (_, model) in all_models() {
        for strategy in ["breadth", "dijkstra"] {
            let options = Options { strategy: Some(strategy.into()), ..Options::default() };
            // Zones that cover others may come first by another road.
            compare(&model, &options, !model.network.is_timed(), &[3, 8]);
        }
        for (reduction, symmetry) in [
            (UseReduction::Never, UseSymmetry::Always),
            (UseReduction::By(homing::Reduction::Stubborn), UseSymmetry::Never),
        ] {
            let strategy = Some("breadth".into());
            let options = Options { strategy, reduction, symmetry, ..Options::default() };
            if homing::check(&model, &options, Hooks::default()).is_ok() {
                compare(&model, &options, false, &[3]);
            }
        }
    }
}

/// Where the planner hands what is left to several threads, verdicts stay; a trace may be
/// another, and what is proven of both is true.
#[test]
fn the_planner_finds_the_same() {
    for (_, model) in all_models() {
        let one = check(&model, &Options::default());
        let run = |threads| check(&model, &Options { crew: crew(threads), ..Options::default() });
        let (two, three) = (run(2), run(3));
        assert_eq!(traces(&two), traces(&three), "{}", model.network.name);
        for (a, b) in one.outcome.results.iter().zip(&two.outcome.results) {
            let about = format!("{}: {}", model.network.name, a.property);
            assert_eq!((&a.property, a.verdict), (&b.property, b.verdict), "{about}");
            if a.optimal && b.optimal {
                assert_eq!(said(a), said(b), "{about}");
            }
        }
    }
}

/// Each thread has an instance of the estimate, and all estimate alike: every estimate, on
/// one in twenty-four for each goal, in turn.
#[test]
fn directed_answers_about_models_are_the_same() {
    const SHARE: usize = 24;
    let mut fitting = combinations();
    fitting.retain(|with| {
        let shared =
            ["astar(", "greedy(", "weighted("].iter().any(|one| with.strategy.starts_with(one));
        shared && with.exact && !with.strategy.contains("prefer")
    });
    let mut turn = 0;
    for (path, model) in all_models() {
        for expectation in expectations(&std::fs::read_to_string(&path).unwrap()) {
            let Subject::Goal(goal) = expectation.subject else { continue };
            for with in fitting.iter().skip(turn % SHARE).step_by(SHARE) {
                let options = Options { goals: vec![goal.clone()], ..with.options() };
                compare(&model, &options, false, &[3]);
            }
            turn += 1;
        }
    }
    assert!(turn >= SHARE && fitting.len() >= SHARE, "{turn} goals, {} parts", fitting.len());
}

#[test]
fn answers_about_random_networks_are_the_same() {
    over_networks(60, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        let properties: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
        for strategy in ["breadth", "dijkstra"] {
            let (strategy, properties) = (Some(strategy.into()), properties.clone());
            let options = Options { strategy, properties, ..Options::default() };
            compare(model, &options, true, &[3, 8]);
        }
        for expected in all.iter().filter(|expected| expected.goal.is_some()) {
            for strategy in ["astar(hamming)", "greedy(fsm-sum)", "weighted(goal-count)"] {
                let (strategy, properties) = (Some(strategy.into()), vec![expected.name.clone()]);
                compare(
                    model,
                    &Options { strategy, properties, ..Options::default() },
                    false,
                    &[3],
                );
            }
        }
        Ok(())
    });
}

/// Whoever wins a race, the verdict is the same, and whoever won is named.
#[test]
fn races_about_random_networks_say_what_is_so() {
    over_networks(25, |model, goals, interpreter, found| {
        for expected in expected(interpreter, found, goals) {
            for race in races().iter().filter(|race| expected.goal.is_some() || !race.directed) {
                let options = Options {
                    strategy: Some(race.strategy.clone()),
                    properties: vec![expected.name.clone()],
                    ..Options::default()
                };
                let one = Options { strategy: Some("breadth".into()), ..options.clone() };
                let (one, many) = (check(model, &one), check(model, &options));
                let (one, result) = (&one.outcome.results[0], &many.outcome.results[0]);
                let about = (&race.strategy, &expected.name, &result.reason, &one.reason);
                let open = result.verdict == Verdict::Unknown && !race.complete;
                if one.verdict != Verdict::Unknown && !open {
                    assert_eq!(one.verdict, result.verdict, "{about:?}");
                }
                let told = &many.outcome.notices;
                assert!(told.iter().any(|one| one.starts_with("race: ")), "{about:?}: {told:?}");
            }
        }
        Ok(())
    });
}

/// Whoever is stopped is stopped soon, also in the midst of an endless walk; and limits are
/// shared out.
#[test]
fn who_does_not_win_is_stopped() {
    let text = "byte a; byte b; byte c; process P { state s; init s;
        trans s -> s { effect a = (a + 1) % 40; }, s -> s { effect b = (b + 1) % 40; },
        s -> s { effect c = (c + 1) % 40; }; } system async;";
    let model = homing::parse("wide.dve", text).unwrap();
    let run = |strategy: &str, goal: &str, limits: Limits| {
        let goals = vec![goal.to_string()];
        let strategy = Some(strategy.to_string());
        check(&model, &Options { limits, goals, strategy, ..Options::default() }).outcome
    };
    let race = "race('greedy(goal-count); dijkstra; depth')";
    let found = run(race, "a == 3 && b == 2", Limits::default());
    assert_eq!(found.results[0].verdict, Verdict::Violated);
    assert!(found.notices.iter().any(|notice| notice.contains("first of 3")));
    let none = Limits::default();
    let limits = Limits { expansions: Some(3000), ..none.clone() };
    let open = run(race, "a == 250", limits);
    assert_eq!(open.results[0].verdict, Verdict::Unknown);
    assert!(open.statistics.expanded <= 3000, "{}", open.statistics.expanded);
    assert!(open.notices.iter().any(|notice| notice.contains("none of 3")));
    // An incomplete strategy that ends decides nothing: the other one does.
    let fails = run("race('hill-climbing(goal-count); breadth')", "a == 3 && b == 250", none);
    assert_ne!(fails.results[0].verdict, Verdict::Violated);
}

/// What makes no sense is refused with a sentence, and with which word it is about.
#[test]
fn races_that_make_no_sense_are_refused() {
    let text = "byte x; process P { state a; init a; trans a -> a { effect x = 1 - x; }; }
        system async;";
    let model = homing::parse("small.dve", text).unwrap();
    let refused = |strategy: &str, options: Options| {
        let options = Options { strategy: Some(strategy.into()), ..options };
        homing::check(&model, &options, Hooks::default()).err().map(|why| why.to_string())
    };
    for (race, word) in [
        ("race('breadth')", "at least two"),
        ("race('breadth; race')", "within a race"),
        ("race('breadth; greedy(nonsense)')", "nonsense"),
    ] {
        let why = refused(race, Options { goals: vec!["x == 7".into()], ..Options::default() });
        assert!(why.as_ref().is_some_and(|why| why.contains(word)), "{race}: {why:?}");
    }
    let store = Some("tree".to_string());
    let why = refused("race('breadth; cndfs')", Options { store, ..Options::default() });
    assert!(why.is_some_and(|why| why.contains("shared-by-threads")));
    let minimise = Some("x".to_string());
    let why = refused("race('dijkstra; depth')", Options { minimise, ..Options::default() });
    assert!(why.is_some_and(|why| why.contains("counts steps only")));
    let strategy = Some("race".to_string());
    let why = homing::stats(&model, &Options { strategy, ..Options::default() }, Hooks::default());
    assert!(why.is_err_and(|why| why.to_string().contains("counted")));
}

/// Limits end a search of several threads, and the verdict says so.
#[test]
fn limits_hold() {
    let text = "byte a; byte b; byte c; process P { state s; init s;
        trans s -> s { effect a = (a + 1) % 200; }, s -> s { effect b = (b + 1) % 200; },
        s -> s { effect c = (c + 1) % 200; }; } system async;";
    let model = homing::parse("wide.dve", text).unwrap();
    let run = |limits: Limits| {
        let options = Options {
            crew: crew(3),
            limits,
            goals: vec!["a == 250".into()],
            strategy: Some("breadth".into()),
            ..Options::default()
        };
        let checked = check(&model, &options);
        (checked.outcome.results[0].verdict, checked.outcome.results[0].reason.clone())
    };
    let none = Limits::default();
    for (limits, reason) in [
        (Limits { expansions: Some(30_000), ..none.clone() }, "limit on expansions"),
        (Limits { states: Some(30_000), ..none.clone() }, "limit on states"),
        (Limits { depth: Some(60), ..none.clone() }, "depth limit"),
        (Limits { time: Some(std::time::Duration::from_millis(20)), ..none }, "time limit"),
    ] {
        let (verdict, told) = run(limits);
        assert_eq!(verdict, Verdict::Unknown, "{told}");
        assert!(told.contains(reason), "{told}");
    }
}
