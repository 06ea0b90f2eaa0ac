//! What `check` may say: nothing holds beside a step that cut the search, and what is not
//! checked is a result.
#![allow(clippy::unwrap_used)]

use crate::support;

use homing::report::outcome::PropertyOutcome;
use homing::report::outcome::Verdict::{self, Holds, Unknown, Violated};
use homing::{Model, Options, PassSelection, Reading, UseReduction, UseSymmetry};
use proptest::prelude::*;
use support::check;
use support::networks::over_networks;

fn model(name: &str, text: &str) -> Model {
    homing::parse(name, text).unwrap()
}

/// The verdicts with their reasons.
fn verdicts(model: &Model, options: &Options) -> Vec<(String, Verdict, String)> {
    let results = check(model, options).outcome.results.into_iter();
    results.map(|result| (result.property, result.verdict, result.reason)).collect()
}

#[track_caller]
fn expect(model: &Model, options: &Options, expected: &[(&str, Verdict)]) {
    let found = verdicts(model, options);
    let short: Vec<(&str, Verdict)> =
        found.iter().map(|(name, verdict, _)| (&**name, *verdict)).collect();
    assert_eq!(short, expected, "{found:?}");
}

fn asking(what: &str) -> Options {
    Options { properties: vec![what.into()], ..Options::default() }
}

fn goal(what: &str) -> Options {
    Options { goals: vec![what.into()], ..Options::default() }
}

fn formula(what: &str) -> Options {
    Options { formulas: vec![what.into()], ..Options::default() }
}

/// Behind the index that is out of bounds lies everything.
const PROMELA: &str = "
    byte x; int a[3];
    active proctype P() { x = 1; a[x + 3] = 1; x = 2; (x == 3) }
";

#[test]
fn regression_nothing_holds_beside_an_error_in_promela() {
    let model = model("m.pml", PROMELA);
    let all = [("assertions", Holds), ("deadlock", Unknown), ("errors", Violated)];
    expect(&model, &Options::default(), &all);
    expect(&model, &asking("deadlock"), &[("deadlock", Unknown)]);
    expect(&model, &goal("x == 2"), &[("x == 2", Unknown)]);
    // The run that fails is no run on which x stays below 2.
    expect(&model, &formula("<> (x == 2)"), &[("ltl { <> (x == 2) }", Unknown)]);
    expect(&model, &formula("[] (x != 2)"), &[("ltl { [] (x != 2) }", Unknown)]);
    let (.., reason) = verdicts(&model, &goal("x == 2")).remove(0);
    assert!(reason.contains("run-time error"), "{reason}");
}

/// Every strategy, directed or not, with and without a reduction.
#[test]
fn regression_nothing_holds_beside_an_error_by_any_strategy() {
    let model = model("m.pml", PROMELA);
    for strategy in ["auto", "breadth", "depth", "greedy(goal-count)", "astar(fsm-sum)", "ida"] {
        let options = Options { strategy: Some(strategy.into()), ..goal("x == 2") };
        let Ok(checked) = homing::check(&model, &options, Default::default()) else {
            assert_eq!(strategy, "ida", "only what is not there is refused");
            continue;
        };
        assert_eq!(checked.outcome.results[0].verdict, Unknown, "{strategy}");
    }
    for (name, reduction) in homing::REDUCTIONS {
        let options = Options { reduction: UseReduction::By(*reduction), ..goal("x == 2") };
        assert_eq!(check(&model, &options).outcome.results[0].verdict, Unknown, "{name}");
        let options = Options { reduction: UseReduction::By(*reduction), ..asking("deadlock") };
        assert_eq!(check(&model, &options).outcome.results[0].verdict, Unknown, "{name}");
    }
}

#[test]
fn regression_nothing_holds_beside_an_error_in_dve() {
    let model = model(
        "m.dve",
        "byte x = 0; byte a[2];
         process P { state p, q, r; init p; trans p -> q { effect a[x + 2] = 1; }, q -> r {}; }
         process Q { state s; init s; trans s -> s {}; }
         system async;",
    );
    let all = [("assertions", Holds), ("deadlock", Unknown), ("errors", Violated)];
    expect(&model, &Options::default(), &all);
    expect(&model, &goal("P.r"), &[("P.r", Unknown)]);
    // Whatever P does: it does not bear on where Q is.
    expect(&model, &goal("x == 5 && Q.s"), &[("x == 5 && Q.s", Holds)]);
}

/// SPIN goes on behind a failed assertion, and so do we.
#[test]
fn what_lies_behind_a_failed_assertion_of_promela_is_searched() {
    let model = model(
        "m.pml",
        "byte x; active proctype P() { x = 1; assert(x != 1); x = 2; d_step { assert(x == 1); x = 3 } }",
    );
    let all = [("assertions", Violated), ("deadlock", Holds), ("errors", Holds)];
    expect(&model, &Options::default(), &all);
    expect(&model, &asking("deadlock"), &[("deadlock", Holds)]);
    expect(&model, &asking("errors"), &[("errors", Holds)]);
    expect(&model, &goal("x == 3"), &[("x == 3", Violated)]);
    expect(&model, &goal("x == 4"), &[("x == 4", Holds)]);
    expect(&model, &formula("<> (x == 3)"), &[("ltl { <> (x == 3) }", Holds)]);
    expect(&model, &formula("<> [] (x == 2)"), &[("ltl { <> [] (x == 2) }", Violated)]);
}

const UPPAAL: &str = "
    int[0,3] n; clock c;
    void more(int by) { n = n + by; }
    process P() {
        state a, b, d;
        init a;
        trans a -> b { assign more(1); }, b -> d { assign more(5); }, d -> d {};
    }
    system P;
";

/// A model with these queries in a file of their own.
fn uppaal(text: &str, queries: &str) -> Model {
    let folder = std::env::temp_dir().join(format!("homing-answers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{:x}.xta", queries.len() * 31 + text.len()));
    std::fs::write(&path, text).unwrap();
    let queries = Some(("m.q".to_string(), queries.to_string()));
    let read = homing::load_with(&path, &Reading { queries, ..Reading::default() });
    std::fs::remove_file(&path).unwrap();
    read.unwrap()
}

#[test]
fn regression_no_query_is_answered_beside_an_error() {
    let queries = "A[] n < 3\nE<> n == 3\nA<> P.d\nE[] n < 3\nP.b --> P.d\nsup: n\nE<> P.b\n";
    let model = uppaal(UPPAAL, queries);
    let expected = [
        ("errors", Violated),
        ("A[] n < 3", Unknown),
        ("E<> n == 3", Unknown),
        // A run may rest in the first location.
        ("A<> P.d", Violated),
        ("E[] n < 3", Holds),
        ("P.b --> P.d", Violated),
        ("sup: n", Unknown),
        ("E<> P.b", Holds),
    ];
    expect(&model, &Options::default(), &expected);
}

/// The same where no run may rest, so that all of them were searched.
#[test]
fn regression_no_run_is_denied_beside_an_error() {
    let text = UPPAAL.replace("state a, b, d;", "state a, b, d; urgent a, b, d;");
    let model = uppaal(&text, "A<> P.d\nE[] n < 1\nP.a --> n == 1\n");
    let expected = [
        ("errors", Violated),
        ("A<> P.d", Unknown),
        // The step that fails comes later.
        ("E[] n < 1", Violated),
        // Whoever fails has been there before.
        ("P.a --> n == 1", Unknown),
    ];
    expect(&model, &Options::default(), &expected);
}

/// An assertion in a function of UPPAAL ends its run.
#[test]
fn regression_nothing_holds_behind_an_assertion_of_uppaal() {
    let text = UPPAAL.replace("n = n + by;", "assert(by < 2);");
    let model = uppaal(&text, "A[] not P.d\n");
    let expected = [("errors", Unknown), ("A[] not P.d", Unknown)];
    expect(
        &model,
        &Options { goals: vec!["P.d".into()], ..Options::default() },
        &[("P.d", Unknown)],
    );
    let asked = ["errors", "A[] not P.d"].map(String::from).to_vec();
    expect(&model, &Options { properties: asked, ..Options::default() }, &expected);
    expect(&model, &asking("assertions"), &[("assertions", Violated)]);
}

/// An invariant that cannot be evaluated in a reachable state was said to hold.
#[test]
fn regression_what_cannot_be_evaluated_does_not_hold_in_dve() {
    let model = model(
        "m.dve",
        "byte x = 0; byte a[2];
         process P { state p; init p; trans p -> p { guard x < 5; effect x = x + 1; }; }
         system async;",
    );
    for (asked, verdict) in [
        ("a[x] == 1", Unknown),
        ("1 / (x - 3) == 7", Unknown),
        ("x == 5 && a[x] == 0", Unknown),
        // What is not looked at does not fail.
        ("x < 2 && a[x] == 1", Holds),
        ("x == 9 && a[x] == 1", Holds),
        // A state was found, whatever the others are like.
        ("a[x] == 0", Violated),
        ("1 / (x - 3) == -1", Violated),
    ] {
        expect(&model, &goal(asked), &[(asked, verdict)]);
        for strategy in ["breadth", "depth", "greedy(goal-count)", "astar(relaxed-layers)"] {
            let options = Options { strategy: Some(strategy.into()), ..goal(asked) };
            let found = verdicts(&model, &options);
            let careful = strategy != "breadth" && found[0].1 == Unknown && verdict == Holds;
            assert!(careful || found[0].1 == verdict, "{strategy}: {found:?}");
        }
        let formula = formula(&format!("[] !({asked})"));
        assert_eq!(verdicts(&model, &formula)[0].1, verdict, "{asked}");
        // A number of states is known where each of them was looked at.
        let counted = asking(&format!("count('{asked}')"));
        let counts = if verdict == Holds { Holds } else { Unknown };
        assert_eq!(verdicts(&model, &counted)[0].1, counts, "{asked}");
    }
    let (.., reason) = verdicts(&model, &goal("a[x] == 1")).remove(0);
    assert!(reason.contains("cannot be evaluated"), "{reason}");
}

/// A directed search found a deadlock after four steps; the blind one went on for the other
/// properties to the end, no longer looking for deadlocks, and four was called shortest.
#[test]
fn regression_what_a_directed_search_found_is_not_shortest_as_a_blind_one_ends() {
    let model = model(
        "m.xta",
        "clock x, y; int[0,2] i; int[0,2] a[2] = { 1, 0 }; bool f; urgent chan u;
         typedef scalar[2] S;
         process P0() { state s0 { x <= 3 }, s1; init s0;
           trans s1 -> s0 { guard f && x >= 2; },
                 s0 -> s1 { select k : int[0,2]; assign i = 1, a[k % 2] = k; },
                 s0 -> s0 { select k : int[0,2]; assign x = 0, a[k % 2] = k; }; }
         process P1() { state s0 { x <= 2 }, s1 { x <= 1 }; init s0;
           trans s0 -> s0 { select k : int[0,2]; guard i == 2 && y > 2;
                            assign i = 2, a[k % 2] = k; },
                 s1 -> s0 { guard i == 1 && y < 3; assign i = 1, i = 1 - i % 2; }; }
         process T(const S id) { state s0, s2; init s0;
           trans s0 -> s0 { guard y >= 1; assign f = !f, y = 0; }, s2 -> s2 { sync u!; }; }
         system P0, P1, T;",
    );
    let properties = ["assertions", "deadlock", "errors"].map(String::from).to_vec();
    for strategy in ["auto", "breadth"] {
        let strategy = Some(strategy.into());
        let options = Options { strategy, properties: properties.clone(), ..Options::default() };
        let results = check(&model, &options).outcome.results;
        let length = results[1].trace.as_ref().map(|trace| trace.length);
        assert_eq!((results[1].optimal, length), (true, Some(3)), "{:?}", results[1]);
        assert_eq!([results[0].verdict, results[2].verdict], [Holds, Holds]);
    }
}

/// The planner left it unknown, because of dead ends of its own estimates.
#[test]
fn regression_the_planner_looks_again_where_an_estimate_cannot_tell() {
    let model = model(
        "m.pml",
        "byte x; byte y = 1; byte a[2]; chan p = [2] of { byte };
         active proctype P1() { byte l = 0; { byte k1 = 1; k1 = l % 3; do :: break od };
             { p!y } unless { (a[x % 2] == 0) } }
         active proctype P2() { { byte k3 = 1; B4: skip } }
         ltl p { [] ((P1:l == 1) -> enabled(0)) }",
    );
    let passes = PassSelection { off: vec!["all".into()], on: Vec::new() };
    let (reduction, symmetry) = (UseReduction::Never, UseSymmetry::Never);
    let options = Options { passes, reduction, symmetry, ..asking("p") };
    expect(&model, &options, &[("p", Holds)]);
    let strategy = Some("astar(relaxed-trace)".into());
    let (_, verdict, reason) = verdicts(&model, &Options { strategy, ..options }).remove(0);
    assert_eq!(verdict, Unknown);
    assert!(reason.contains("a search without an estimate can tell"), "{reason}");
}

#[test]
fn regression_what_cannot_be_evaluated_does_not_hold_in_promela() {
    let model = model(
        "m.pml",
        "byte x; byte a[2]; ltl p { [] (a[x] == 0) } ltl q { [] (x < 2 -> a[x] == 0) }
         ltl r { [] (a[x] == 1) } ltl s { [] <> (5 / x == 1) }
         active proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od }",
    );
    let asked = ["p", "q", "r", "s"];
    let properties = asked.map(String::from).to_vec();
    let expected = [("p", Unknown), ("q", Holds), ("r", Violated), ("s", Unknown)];
    expect(&model, &Options { properties, ..Options::default() }, &expected);
}

#[test]
fn regression_what_cannot_be_evaluated_does_not_hold_in_uppaal() {
    let text = "
        int[0,5] n; int a[2]; clock c;
        process P() {
            state s { c <= 1 }, t;
            init s;
            trans s -> s { guard n < 5; assign n = n + 1, c = 0; }, s -> t { guard n == 5; };
        }
        system P;
    ";
    let queries = "A[] a[n] == 0\nE<> a[n] == 1\nA[] n < 2 imply a[n] == 0\n\
                   A[] c <= a[n] + 9 or P.t\nE[] a[n] == 0\na[n] == 1 --> P.t\n\
                   A[] c <= 1 or P.t or a[n] == 0\nsup: a[n]\nE<> a[n] == 0\n";
    let expected = [
        ("errors", Holds),
        ("A[] a[n] == 0", Unknown),
        ("E<> a[n] == 1", Unknown),
        ("A[] n < 2 imply a[n] == 0", Holds),
        ("A[] c <= a[n] + 9 or P.t", Unknown),
        ("E[] a[n] == 0", Unknown),
        ("a[n] == 1 --> P.t", Unknown),
        ("A[] c <= 1 or P.t or a[n] == 0", Unknown),
        ("sup: a[n]", Unknown),
        ("E<> a[n] == 0", Holds),
    ];
    expect(&uppaal(text, queries), &Options::default(), &expected);
}

#[test]
fn regression_what_cannot_be_evaluated_does_not_hold_in_tchecker() {
    let model = model(
        "m.tck",
        "system:m
         event:e
         int:1:0:5:0:n
         int:2:0:1:0:a
         clock:1:x
         process:P
         location:P:l{initial:}
         edge:P:l:l:e{provided: n<5 && x>=1 : do: n=n+1; x=0}
",
    );
    expect(&model, &goal("a[n] == 1"), &[("a[n] == 1", Unknown)]);
    expect(&model, &goal("n < 2 && a[n] == 1"), &[("n < 2 && a[n] == 1", Holds)]);
}

#[test]
fn regression_a_claim_that_is_not_checked_is_a_result() {
    let model = model(
        "m.pml",
        "byte x; chan q = [1] of { byte };
         active proctype P() { q!1; q?x }
         trace { do :: q!1; q?1 od }
         never { byte y[2]; do :: y[0] = 1 od }",
    );
    let found = verdicts(&model, &asking("never"));
    assert_eq!(found[0].1, Unknown);
    assert!(found[0].2.contains("variables of its own"), "{found:?}");
    let names = [("assertions", Holds), ("deadlock", Holds), ("errors", Holds), ("never", Unknown)];
    expect(&model, &Options::default(), &names);
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
}

#[test]
fn regression_statistical_queries_are_results() {
    let model = uppaal(UPPAAL, "Pr[<=10](<> P.d)\nsimulate[<=10]{n}\nE<> P.b\n");
    let expected = [
        ("errors", Violated),
        ("Pr[<=10](<> P.d)", Unknown),
        ("simulate[<=10]{n}", Unknown),
        ("E<> P.b", Holds),
    ];
    expect(&model, &Options::default(), &expected);
    let found = verdicts(&model, &Options::default());
    assert!(found[1].2.contains("`Pr` is not supported"), "{found:?}");
    // Deadlocks are not asked for instead.
    let only = uppaal(UPPAAL, "Pr[<=10](<> P.d)\n");
    let expected = [("errors", Violated), ("Pr[<=10](<> P.d)", Unknown)];
    expect(&only, &Options::default(), &expected);
}

/// Processes that count for themselves: 8ⁿ states together. At its end each goes on for
/// ever, or rests.
fn counters(count: usize, rests: bool) -> Model {
    let end = if rests { "" } else { ", end -> end {}" };
    let one = |i: usize| {
        format!(
            "process C{i} {{ byte n = 0; state go, end; init go;
               trans go -> go {{ guard n < 6; effect n = n + 1; }}, go -> end {{ guard n == 6; }}{end};
             }}
"
        )
    };
    let text = (0..count).map(one).collect::<String>() + "system async;";
    model("counters.dve", &text)
}

fn within(expansions: u64, options: Options) -> Options {
    let limits = homing::Limits { expansions: Some(expansions), ..homing::Limits::default() };
    Options { limits, ..options }
}

fn whole(options: Options) -> Options {
    let (reduction, symmetry) = (UseReduction::Never, UseSymmetry::Never);
    Options { reduction, symmetry, ..options }
}

/// A safety search that goes on for ever does not keep a formula waiting.
#[test]
fn regression_a_formula_has_its_turn_beside_a_long_search() {
    let model = counters(12, false);
    let (properties, formulas) =
        (vec!["deadlock".to_string()], vec!["<> (C0->n == 7)".to_string()]);
    let options = whole(Options { properties, formulas, ..Options::default() });
    let mut hooks = homing::Hooks::default();
    let ends = hooks.budget.clone();
    // Whoever watches ends the first search that takes long.
    hooks.progress = Some(Box::new(move |progress, _| {
        if progress.expanded > 100_000 {
            ends.cancel();
        }
    }));
    let results = homing::check(&model, &options, hooks).unwrap().outcome.results;
    let verdicts: Vec<Verdict> = results.iter().map(|result| result.verdict).collect();
    assert_eq!(verdicts, [Violated, Unknown], "{results:?}");
    assert!(results[1].statistics.expanded > 1000, "what it got: {:?}", results[1].statistics);
}

#[test]
fn long_searches_are_reduced_where_that_pays() {
    let model = counters(8, false);
    let deadlock = within(400_000, asking("deadlock"));
    expect(&model, &whole(deadlock.clone()), &[("deadlock", Unknown)]);
    let symmetry = UseSymmetry::Never;
    expect(&model, &Options { symmetry, ..deadlock.clone() }, &[("deadlock", Holds)]);
    let text = "[] (C0->n == 1 -> (<> [] C0->n == 1 || <> C0->n == 2))";
    let response = within(400_000, formula(text));
    let name = format!("ltl {{ {text} }}");
    let model = counters(8, true);
    expect(&model, &whole(response.clone()), &[(&name, Unknown)]);
    expect(&model, &response, &[(&name, Holds)]);
}

#[test]
fn long_searches_take_alike_processes_for_one() {
    let model = counters(8, false);
    let deadlock = within(400_000, asking("deadlock"));
    let reduction = UseReduction::Never;
    let found = verdicts(&model, &Options { reduction, ..deadlock });
    assert_eq!(found[0].1, Holds, "{found:?}");
}

/// What can only be reached from itself.
#[test]
fn regression_an_estimate_is_asked_before_a_long_search() {
    let model = model(
        "m.dve",
        "int x = 0; byte y = 0; byte z = 0;
         process P { state p; init p; trans
           p -> p { effect x = x + 1; }, p -> p { guard x > 30000; effect x = 0; },
           p -> p { guard z == 1 && x > 3; effect y = 1; },
           p -> p { guard y == 1 && x > 4; effect z = 1; }; }
         process Q { int n = 0; state q; init q; trans
           q -> q { guard x > 2; effect n = n + 1, x = 0; }, q -> q { guard n > 30000; effect n = 0, y = y + z; }; }
         system async;",
    );
    let found = verdicts(&model, &within(300_000, goal("y == 1")));
    assert_eq!(found[0].1, Holds, "{found:?}");
    assert!(found[0].2.contains("estimate proves"), "{found:?}");
}

/// Every search in short turns, made lighter as soon as may be: the same verdicts, and
/// what is called shortest is.
#[test]
fn differential_short_turns_and_what_is_left_out() {
    over_networks(150, |model, _, _, explored| {
        let first_turn = 2;
        let options = Options::default();
        let expected = check(model, &whole(Options { first_turn: 1 << 40, ..options.clone() }));
        let found = check(model, &Options { first_turn, ..options });
        let pairs = expected.outcome.results.iter().zip(&found.outcome.results);
        for (expected, found) in pairs {
            let about = format!("{expected:?} {found:?}");
            // Where steps fail, a proof is not believed that a whole search need not be.
            let doubt = found.verdict == Unknown && !explored.faults.is_empty();
            prop_assert!(doubt || expected.verdict == found.verdict, "{}", about);
            let length = |one: &PropertyOutcome| one.trace.as_ref().map(|trace| trace.length);
            if found.optimal && expected.optimal {
                prop_assert_eq!(length(expected), length(found), "{}", about);
            }
        }
        Ok(())
    });
}
